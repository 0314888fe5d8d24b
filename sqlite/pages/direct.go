package pages

import (
	"errors"
	"io"
	"os"
	"sync"

	"modernc.org/sqlite"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Half of what a page takes is SQLite's way to it: a system call for each, its pager and
// a statement. Where nothing of a read transaction is in the log, its pages are those of
// the file, and stay so until it ends: who keeps a rollback journal waits for our lock
// of the file, and who brings a log home for that of readers who need none of it
// (https://www.sqlite.org/walformat.html#wal_locks, WAL_READ_LOCK(0)). So pages that lie
// together are then read together.
//
// That takes a descriptor beside SQLite's, and with POSIX's locks its end would be that of
// SQLite's locks on the file. So they belong to SQLite's own descriptors (F_OFD_SETLK),
// where the system has such locks; elsewhere SQLite reads each page.
var _, _ = sqlite.OFDLocking(true)

// windowBytes is how much is read together.
const windowBytes = 256 << 10

// File is the file that a connection has open.
type File struct {
	Path string      // of the file itself, where the database's is a link
	Info os.FileInfo // of the file
	WAL  os.FileInfo // of its write-ahead log when it was opened, nil for none
}

// direct are the pages of a file, past SQLite.
type direct struct {
	file   *os.File
	size   int                // of a page
	memory *[windowBytes]byte // nil while no window was read
	window []byte             // what was read of it
	first  uint32             // the window's
	last   uint32             // that was read
}

// directOf opens the file of a read transaction that has begun, nil where its pages are
// not all there.
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

// windows are for the next.
var windows = sync.Pool{New: func() any { return new([windowBytes]byte) }}

func (d *direct) close() {
	d.file.Close()
	if d.memory != nil {
		windows.Put(d.memory)
	}
}

// read fills a buffer with a page.
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
