package sqlconn

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
)

// CannotCreateWAL reports whether the write-ahead log of a file cannot be created, because
// its directory or mount is not writable. SQLite's result code does not distinguish that
// from a log that cannot be opened.
func CannotCreateWAL(path string) bool { return NotWritable(filepath.Dir(path)) }

// WALOfAnotherUser reports whether a file in write-ahead mode is not writable for us. The
// first reader of such a file creates its log and the index of the log. If we did, both
// would belong to us, the file's owner could no longer write the file, and only a process
// that may write the file would remove them.
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

// NotWritable reports whether the process may not write the file or directory at a path.
func NotWritable(path string) bool {
	const write, effective = 0x2, 0x200 // W_OK and AT_EACCESS
	const here = -0x64                  // AT_FDCWD, which an absolute path does not need
	err := syscall.Faccessat(here, path, write, effective)
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EACCES)
}
