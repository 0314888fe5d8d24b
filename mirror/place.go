package mirror

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxPlaces bounds the processes that can share a directory.
const maxPlaces = 64

// Place is a path in a cache directory that only this process uses. A lock file beside it, which
// the process holds until it ends, keeps other processes from it.
type Place struct {
	Path string
	lock *os.File
}

// Claim makes a directory if it is missing, and takes the first of its paths that no other process
// holds; name gives the names of the first path, the second and so on. The caller releases the
// place.
func Claim(dir string, name func(n int) string) (*Place, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	for n := 1; n <= maxPlaces; n++ {
		path := filepath.Join(dir, name(n))
		lock, err := takeLock(path)
		if err == nil {
			return &Place{Path: path, lock: lock}, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%d other processes use %s", maxPlaces, dir)
}

// Release gives the place to other processes.
func (p *Place) Release() error { return p.lock.Close() }

// RemoveUnclaimed calls remove with the paths of a pattern that no process holds: those of other
// versions, and those of processes that shared the directory before.
func (p *Place) RemoveUnclaimed(pattern string, remove func(path string)) {
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(p.Path), pattern)) // the pattern is valid
	for _, path := range others {
		if path == p.Path || filepath.Ext(path) == ".lock" {
			continue
		}
		if lock, err := takeLock(path); err == nil {
			remove(path)
			_ = lock.Close()
		}
	}
}

// lockPath is the path of the lock file of a path. A fallback (file.fallbackPath) has that of the
// file in whose place it is.
func lockPath(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, ".duckdb"), "-again") + ".lock"
}

// takeLock locks the lock file of path. EWOULDBLOCK means that another process holds it.
func takeLock(path string) (*os.File, error) {
	lock, err := os.OpenFile(lockPath(path), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Name(), errors.Join(err, lock.Close()))
	}
	return lock, nil
}
