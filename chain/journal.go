package chain

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// journal is the log's file. It is append-only and shared by processes. It contains a
// header and one record per commit, from the first commit on. Readers take no lock and
// stop at the first incomplete record. Writers hold a lock file. If the file cannot be
// continued, because it is damaged or the store has another history, a new file replaces
// it; so bytes that were read never change. The file is not synced: what is lost in a
// power failure is read again from the store.
type journal struct {
	path    string
	file    *os.File // nil if there is none; kept open so that its inode number is not reused
	offset  int64    // end of the records that were read
	history *history // content of the records that were read
}

// journalHeader contains the version of the format. A file with another header is
// replaced.
const journalHeader = "ontosql manifest log 1\n"

func openJournal(dir string) (*journal, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	j := &journal{path: filepath.Join(dir, "manifests.log"), history: &history{}}
	if err := j.refresh(); err != nil {
		return nil, err
	}
	return j, nil
}

// refresh reads the records that were appended since the last call. If the file was
// replaced, it reads the new file.
func (j *journal) refresh() error {
	now, err := os.Stat(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return j.close()
	}
	if err != nil {
		return err
	}
	if same, err := j.isCurrent(now); err != nil {
		return err
	} else if !same {
		if err := j.reopen(); err != nil {
			return err
		}
	}
	tail, err := io.ReadAll(io.NewSectionReader(j.file, j.offset, 1<<62))
	if err != nil {
		return fmt.Errorf("read %s: %w", j.path, err)
	}
	j.apply(string(tail))
	return nil
}

func (j *journal) isCurrent(now fs.FileInfo) (bool, error) {
	if j.file == nil {
		return false, nil
	}
	mine, err := j.file.Stat()
	if err != nil {
		return false, fmt.Errorf("read %s: %w", j.path, err)
	}
	return os.SameFile(mine, now) && now.Size() >= j.offset, nil
}

func (j *journal) reopen() error {
	file, err := os.OpenFile(j.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = j.close()
	j.file = file
	return err
}

// close closes the file and clears the history.
func (j *journal) close() error {
	file := j.file
	j.file, j.offset, j.history = nil, 0, &history{}
	if file == nil {
		return nil
	}
	return file.Close()
}

// apply adds the complete records of text to the history. text begins at offset.
func (j *journal) apply(text string) {
	read := 0
	if j.offset == 0 {
		if !strings.HasPrefix(text, journalHeader) {
			return
		}
		read = len(journalHeader)
	}
	var entries []*Entry
	before := j.history.lastEntry()
	for {
		e, size, err := cutRecord(text[read:], before)
		if err != nil {
			break
		}
		entries, before = append(entries, e), e
		read += size
	}
	j.offset += int64(read)
	if len(entries) > 0 {
		j.history = j.history.extend(entries)
	}
}

// save writes h to the file. If another process is writing, save does nothing; the next
// save adds what is missing.
func (j *journal) save(h *history) error {
	lock, err := os.OpenFile(j.path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close() // also releases the lock
	switch err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil
	case err != nil:
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if err := j.refresh(); err != nil {
		return err
	}
	filed := j.history
	switch tip := filed.lastEntry(); {
	case filed.contains(h.lastEntry()):
		return nil
	case tip == nil || !h.contains(tip):
		return j.replace(h)
	}
	size, err := j.file.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("read %s: %w", j.path, err)
	}
	if size != j.offset { // a writer was killed, or the file is damaged
		return j.replace(h)
	}
	return j.append(h)
}

func (j *journal) append(h *history) error {
	var records []byte
	for _, e := range h.entries[j.history.len():] {
		records = appendRecord(records, e)
	}
	if _, err := j.file.WriteAt(records, j.offset); err != nil {
		// Readers stop before the incomplete record. Truncate it nevertheless: the
		// disk may be full.
		return errors.Join(fmt.Errorf("append to %s: %w", j.path, err), j.file.Truncate(j.offset))
	}
	j.offset += int64(len(records))
	j.history = h
	return nil
}

// replace replaces the file by a new one with the content of h.
func (j *journal) replace(h *history) error {
	text := []byte(journalHeader)
	for _, e := range h.entries {
		text = appendRecord(text, e)
	}
	staged := j.path + ".new" // only the holder of the lock writes this file
	if err := os.WriteFile(staged, text, 0o644); err != nil {
		return errors.Join(err, os.Remove(staged))
	}
	if err := os.Rename(staged, j.path); err != nil {
		return err
	}
	if err := j.reopen(); err != nil {
		return err
	}
	j.offset, j.history = int64(len(text)), h
	return nil
}
