package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// spillDir makes a directory below root for an engine's temporary files, and
// removes those of processes that died. Every engine has one of its own: the
// names of the files do not tell two processes that share a cache directory
// apart. release removes it.
func spillDir(root string) (dir string, release func(), err error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", nil, err
	}
	old, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		return "", nil, err
	}
	for _, dir := range old {
		if lock, err := lockDir(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
	for {
		if dir, err = os.MkdirTemp(root, "*"); err != nil {
			return "", nil, err
		}
		lock, err := lockDir(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EWOULDBLOCK) {
			continue // another process took it for one that is left over
		}
		if err != nil {
			return "", nil, err
		}
		return dir, func() {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}, nil
	}
}

// lockDir takes the lock of a directory, which ends with the process that holds it. The error
// is fs.ErrNotExist for a directory that was removed, EWOULDBLOCK for one that another process
// holds.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, errors.Join(err, f.Close()))
	}
	return f, nil
}
