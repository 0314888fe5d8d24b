package sqlite

import "path/filepath"

// target is the path of a file, where the path is a link to it: what SQLite keeps beside
// a file stands there.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// logOf is the path of a file's write-ahead log.
func logOf(path string) string { return target(path) + "-wal" }
