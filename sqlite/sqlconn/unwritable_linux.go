package sqlconn

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
)

// CannotCreateWAL reports whether the log of a file cannot be made, which SQLite does not
// tell from one that cannot be opened: it would stand in a directory, or on a mount,
// that nobody may write.
func CannotCreateWAL(path string) bool { return NotWritable(filepath.Dir(path)) }

// WALOfAnotherUser reports whether we may not write a file in write-ahead mode. The log and its
// index, which SQLite makes for whoever reads it first, would then be ours and not the
// owner's, who could not write his file any more for as long as they stand beside it; and
// they would for ever, since only who may write the file removes them.
func WALOfAnotherUser(path string) bool {
	if !sqlite.OFDLockingEnabled() || !NotWritable(path) {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	const writeVersion, logged = 18, 2 // https://www.sqlite.org/fileformat2.html#file_format_version_numbers
	var header [20]byte
	_, err = file.ReadAt(header[:], 0)
	return err == nil && header[writeVersion] == logged
}

// NotWritable reports whether we may not write what stands at a path.
func NotWritable(path string) bool {
	const write, effective = 0x2, 0x200 // W_OK and AT_EACCESS
	const here = -0x64                  // AT_FDCWD, which an absolute path does not need
	err := syscall.Faccessat(here, path, write, effective)
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EACCES)
}
