package sqlconn

import "path/filepath"

// ResolveLinks is the path of a file without symbolic links. SQLite keeps the write-ahead
// log and its index beside that path.
func ResolveLinks(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// WALPath is the path of a file's write-ahead log, which may not exist.
func WALPath(path string) string { return ResolveLinks(path) + "-wal" }
