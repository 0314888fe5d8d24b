package writepath

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"syscall"

	"github.com/ontosql/ontosql/format"
)

// ErrNoRoom is returned if the temporary directory is too full for a large transaction.
// Nothing of it is visible.
var ErrNoRoom = errors.New("no room for a large transaction in the temporary directory")

// spool is the data file of a large transaction before it has a commit id. The file is
// unlinked, so that it disappears with the process in any case.
type spool struct {
	file  *os.File
	draft *format.Draft
}

// newSpool writes rows to a file below dir. The caller closes it.
func newSpool(dir string, d Data, rows iter.Seq2[format.Row, error]) (*spool, error) {
	file, err := makeTemp(dir)
	if err != nil {
		return nil, noRoom(err)
	}
	s := &spool{file: file}
	if err = os.Remove(file.Name()); err == nil {
		err = s.fill(d, rows)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// makeTemp creates a file below dir, which it creates too if it was removed.
func makeTemp(dir string) (*os.File, error) {
	const pattern = "ontosql-*.parquet"
	file, err := os.CreateTemp(dir, pattern)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			file, err = os.CreateTemp(dir, pattern)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	return file, nil
}

func (s *spool) fill(d Data, rows iter.Seq2[format.Row, error]) (err error) {
	out := bufio.NewWriterSize(s.file, 1<<20)
	if s.draft, err = format.WriteDraft(out, d.Type, d.Fields, rows); err == nil {
		err = out.Flush()
	}
	return noRoom(err)
}

// identities passes the identities of the rows to yield until it returns false.
func (s *spool) identities(yield func(format.Row, error) bool) error {
	return s.draft.Identities(s.file, func(r *format.Row) bool { return yield(*r, nil) })
}

func (s *spool) close() { _ = s.file.Close() } // the content is discarded

// noRoom wraps the errors of a full disk.
func noRoom(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	return err
}
