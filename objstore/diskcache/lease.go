package diskcache

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// Lease holds local files: while it lasts, no process evicts them.
type Lease struct {
	cache    *Cache
	files    []*localFile // in the order of the blobs; nil where there is none yet
	metadata [][]byte
	once     sync.Once
}

// Paths are the local files of the blobs, in their order. They are absolute
// where the cache's directory is, end in ".parquet" and must not be changed.
func (l *Lease) Paths() []string {
	paths := make([]string, len(l.files))
	for i, f := range l.files {
		paths[i] = f.path
	}
	return paths
}

// Metadata are what Inspect said of each blob, in their order.
func (l *Lease) Metadata() [][]byte { return l.metadata }

// Release lets the files go; the paths mean nothing afterwards. It may be
// called more than once.
func (l *Lease) Release() {
	l.once.Do(func() {
		for _, f := range l.files {
			if f != nil {
				l.cache.release(f)
			}
		}
	})
}

// localFile is a data file that this process has verified.
type localFile struct {
	path     string
	verified identity // as it was then

	// Under the cache's mutex:
	leases int
	file   *os.File  // open with a shared lock while there are leases
	used   time.Time // last recorded on the disk
}

// identity is what must not change in a verified file. A file that is replaced
// has another inode, one that is written into another time.
type identity struct {
	device, inode uint64
	size          int64
	modified      time.Time
}

func identify(info fs.FileInfo) identity {
	id := identity{size: info.Size(), modified: info.ModTime()}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		id.device, id.inode = uint64(s.Dev), s.Ino //nolint:unconvert // Dev is narrower elsewhere
	}
	return id
}

// useInterval is how often the use of a file is recorded.
const useInterval = time.Minute

// lease is one more lease on a file that this process has verified; nil when
// it has not, or the file is gone or another one.
func (c *Cache) lease(name string) *localFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[name]
	if f == nil {
		return nil
	}
	if info, err := os.Stat(f.path); err != nil || identify(info) != f.verified {
		delete(c.files, name)
		return nil
	}
	if f.leases == 0 {
		file, err := openLocked(f.path)
		if err != nil {
			delete(c.files, name)
			return nil
		}
		f.file = file
	}
	f.leases++
	c.recordUse(name, f)
	return f
}

// recordUse records, now and then, that the file is in use. Where it cannot, the file
// looks older than it is, no more.
func (c *Cache) recordUse(name string, f *localFile) {
	if now := time.Now(); now.Sub(f.used) > useInterval {
		f.used = now
		_ = os.Chtimes(c.path(name, metadataSuffix), now, now)
	}
}

func (c *Cache) release(f *localFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.leases--; f.leases == 0 {
		_ = f.file.Close() // it was only read; closing unlocks
		f.file = nil
	}
}

// openLocked opens a data file under a shared lock, which keeps every process
// from evicting it.
func openLocked(path string) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file, path, syscall.LOCK_SH); err != nil {
		return nil, err
	}
	return file, nil
}

// lockFile locks an open file without waiting and makes sure that it still is
// the one at path; else it closes it.
func lockFile(file *os.File, path string, how int) error {
	err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if err == nil {
		err = stillAt(file, path)
	}
	if err != nil {
		_ = file.Close()
		return fmt.Errorf("lock %s: %w", path, err)
	}
	return nil
}

// stillAt is fs.ErrNotExist when path is not the name of file.
func stillAt(file *os.File, path string) error {
	mine, err := file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(path)
	if err == nil && !os.SameFile(mine, there) {
		return fs.ErrNotExist
	}
	return err
}
