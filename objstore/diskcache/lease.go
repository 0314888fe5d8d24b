package diskcache

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// Lease holds local files. No process evicts them before Release.
type Lease struct {
	cache    *Cache
	files    []*localFile // in the order of the blobs; nil if not yet leased
	metadata [][]byte
	once     sync.Once
}

// Paths returns the local files in the order of the blobs. The paths are absolute if
// the cache's directory is, and end in ".parquet". The files must not be changed.
func (l *Lease) Paths() []string {
	paths := make([]string, len(l.files))
	for i, f := range l.files {
		paths[i] = f.path
	}
	return paths
}

// Metadata returns the results of Inspect in the order of the blobs.
func (l *Lease) Metadata() [][]byte { return l.metadata }

// Release ends the lease; the paths must not be used afterwards. It may be called
// more than once.
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
	verified identity // at the time of the verification

	// Guarded by the cache's mutex:
	leases int
	file   *os.File  // open with a shared lock while leases > 0
	used   time.Time // when the use was last recorded on disk
}

// identity detects changes of a verified file. A replaced file has another inode; a
// file that was written to has another modification time.
type identity struct {
	device, inode uint64
	size          int64
	modified      time.Time
}

func identify(info fs.FileInfo) identity {
	id := identity{size: info.Size(), modified: info.ModTime()}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		id.device, id.inode = uint64(s.Dev), s.Ino //nolint:unconvert // Dev has fewer bits on other platforms
	}
	return id
}

// useInterval is the minimum time between two records of a file's use.
const useInterval = time.Minute

// lease adds a lease on a file that this process has verified. It returns nil if the
// file was not verified, is gone or was replaced.
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

// recordUse records that the file is in use by setting the time of its metadata file,
// at most once per useInterval. Errors are ignored: the file only looks older then.
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
		_ = f.file.Close() // also unlocks it
		f.file = nil
	}
}

// openLocked opens a data file and takes a shared lock on it. No process evicts a
// locked file.
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

// lockFile locks an open file without waiting and checks that path still refers to it.
// On error it closes the file.
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

// stillAt returns fs.ErrNotExist if path refers to another file.
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
