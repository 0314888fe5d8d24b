package sqlconn

import "path/filepath"

// ResolveLinks is the path of a file, where the path is a link to it: what SQLite keeps beside
// a file stands there.
func ResolveLinks(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// WALPath is the path of a file's write-ahead log.
func WALPath(path string) string { return ResolveLinks(path) + "-wal" }
