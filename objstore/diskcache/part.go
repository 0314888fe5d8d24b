package diskcache

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// part is a file that is being written. Its writer holds a shared lock, so no process
// removes it. When the process dies, the kernel releases the lock.
type part struct{ file *os.File }

func (c *Cache) newPart() (*part, error) {
	for {
		file, err := os.CreateTemp(c.dir, "*"+partSuffix)
		if errors.Is(err, fs.ErrNotExist) { // the cache directory was deleted
			if err = os.MkdirAll(c.dir, 0o755); err == nil {
				file, err = os.CreateTemp(c.dir, "*"+partSuffix)
			}
		}
		if err != nil {
			return nil, err
		}
		// Before it is locked, another process may remove it as abandoned.
		switch err := lockFile(file, file.Name(), syscall.LOCK_SH); {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EWOULDBLOCK):
			continue
		case err != nil:
			return nil, errors.Join(err, os.Remove(file.Name()))
		}
		return &part{file}, nil
	}
}

// publish gives the part file the name path. fs.ErrExist means that the name exists.
// On a file system without hard links an existing file may be replaced.
func (p *part) publish(path string) error {
	err := os.Link(p.file.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) || isDiskFull(err) {
		return err
	}
	return os.Rename(p.file.Name(), path)
}

// detach returns the open file and removes the part's name. discard then leaves the
// file open.
func (p *part) detach() *os.File {
	_ = os.Remove(p.file.Name())
	file := p.file
	p.file = nil
	return file
}

// discard closes the part file and removes its name.
func (p *part) discard() {
	if p.file != nil {
		_ = os.Remove(p.file.Name())
		_ = p.file.Close()
	}
}

// sweep removes a part file whose writer died.
func sweep(path string) {
	if !strings.HasSuffix(path, partSuffix) {
		return
	}
	removeUnused(path)
}

// removeUnused removes a file unless a process has a lock on it. It reports whether it
// removed the file.
func removeUnused(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	if lockFile(file, path, syscall.LOCK_EX) != nil {
		return false
	}
	defer file.Close()
	return os.Remove(path) == nil
}
