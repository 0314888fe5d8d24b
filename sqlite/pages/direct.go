package pages

import (
	"errors"
	"io"
	"os"
	"sync"

	"modernc.org/sqlite"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Half of the cost of a page is SQLite's overhead: a system call, the pager and a statement.
// If the read transaction uses nothing of the log, its pages are those of the file until it
// ends: a writer with a rollback journal waits for the shared lock on the file, and a
// checkpoint waits for readers that use no part of the log
// (https://www.sqlite.org/walformat.html#wal_locks, WAL_READ_LOCK(0)). Adjacent pages are then
// read together, directly from the file.
//
// This needs a second descriptor. With POSIX locks, closing it would release SQLite's locks on
// the file. SQLite therefore uses locks of the open file description (F_OFD_SETLK) where the
// system has them; elsewhere SQLite reads each page.
var _, _ = sqlite.OFDLocking(true)

// windowBytes is the number of bytes read together.
const windowBytes = 256 << 10

// File is the file of a connection.
type File struct {
	Path string      // path after resolving links
	Info os.FileInfo // of the file
	WAL  os.FileInfo // of its write-ahead log when it was opened, nil for none
}

// direct reads pages of a file without SQLite.
type direct struct {
	file   *os.File
	size   int                // of a page
	memory *[windowBytes]byte // nil before the first window
	window []byte             // the part that was read
	first  uint32             // the window's
	last   uint32             // that was read
}

// directOf opens the file of a read transaction; nil if not all of its pages are in the file.
func directOf(opened File, size int) *direct {
	if !sqlite.OFDLockingEnabled() {
		return nil
	}
	file, err := os.Open(opened.Path)
	if err != nil {
		return nil
	}
	log, missing := os.Stat(sqlconn.WALPath(opened.Path))
	same := opened.WAL == nil || missing == nil && os.SameFile(opened.WAL, log)
	empty := errors.Is(missing, os.ErrNotExist) || missing == nil && log.Size() == 0
	if info, err := file.Stat(); err != nil || !os.SameFile(info, opened.Info) || !same || !empty {
		file.Close()
		return nil
	}
	return &direct{file: file, size: size}
}

// windows is a pool of buffers.
var windows = sync.Pool{New: func() any { return new([windowBytes]byte) }}

func (d *direct) close() {
	d.file.Close()
	if d.memory != nil {
		windows.Put(d.memory)
	}
}

// read reads a page into a buffer.
func (d *direct) read(no uint32, into []byte) error {
	together := uint32(windowBytes / d.size)
	near := no-d.last+together <= 2*together
	d.last = no
	switch {
	case no-d.first < uint32(len(d.window)/d.size) && d.first > 0:
	case near:
		d.first = (no-1)/together*together + 1
		if d.memory == nil {
			d.memory = windows.Get().(*[windowBytes]byte)
		}
		n, err := d.file.ReadAt(d.memory[:], int64(d.first-1)*int64(d.size))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		d.window = d.memory[:n]
	default:
		_, err := d.file.ReadAt(into, int64(no-1)*int64(d.size))
		return err
	}
	at := int(no-d.first) * d.size
	if at+d.size > len(d.window) {
		return ErrMalformed
	}
	copy(into, d.window[at:])
	return nil
}
