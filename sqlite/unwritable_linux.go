package sqlite

import (
	"errors"
	"path/filepath"
	"syscall"
)

// unwritable reports whether the log of a file cannot be made, which SQLite does not
// tell from one that cannot be opened: it would stand in a directory, or on a mount,
// that nobody may write.
func unwritable(path string) bool {
	const write, effective = 0x2, 0x200 // W_OK and AT_EACCESS
	const here = -0x64                  // AT_FDCWD, which an absolute path does not need
	err := syscall.Faccessat(here, filepath.Dir(path), write, effective)
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EACCES)
}
