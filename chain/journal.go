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

// journal is the log's file, append-only and shared by processes: a header,
// then one record for each commit from the first on, each continuing the one
// before. Readers take no lock; they stop at the first record that is not
// whole. Writers hold a lock file. Where the file cannot be continued, because
// it is damaged or the store has another history now, a new one takes its
// place, so that bytes once read never change under a reader. Nothing is
// fsynced: what a power failure eats is read from the store again.
type journal struct {
	path    string
	file    *os.File // nil while there is none; kept open, so that its inode number is not given away
	offset  int64    // up to where file was read
	history *history // what it says
}

// journalHeader has the version of the format in it. A file with another one
// is replaced.
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

// refresh reads what was appended since it was last called, or the whole file
// when it is another one.
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

// close forgets the file and what it said.
func (j *journal) close() error {
	file := j.file
	j.file, j.offset, j.history = nil, 0, &history{}
	if file == nil {
		return nil
	}
	return file.Close()
}

// apply believes the whole records of text, which begins at offset.
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

// save makes the file say h. When another process is writing it does nothing:
// the next save brings what is missing.
func (j *journal) save(h *history) error {
	lock, err := os.OpenFile(j.path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close() // which unlocks
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
	if size != j.offset { // a writer was killed, or somebody damaged the file
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
		// Readers would stop before the torn record, but its space may be what
		// the disk lacks.
		return errors.Join(fmt.Errorf("append to %s: %w", j.path, err), j.file.Truncate(j.offset))
	}
	j.offset += int64(len(records))
	j.history = h
	return nil
}

// replace puts a file that says h in the place of the one that is there.
func (j *journal) replace(h *history) error {
	text := []byte(journalHeader)
	for _, e := range h.entries {
		text = appendRecord(text, e)
	}
	staged := j.path + ".new" // one name is enough, we hold the lock
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
