//go:build !mirrormode

package psql

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestFilesInSQLite runs the files on copies of the demo in SQLite files: psql prints the same.
// A different output is in expected/NAME.sqlite.out, for a program in its default
// configuration: EXPLAIN shows the state of the mirror.
func TestFilesInSQLite(t *testing.T) {
	for _, file := range sqlFiles(t) {
		t.Run(file.name, func(t *testing.T) {
			from := store
			if file.first == asPostgres {
				from = copyWithDocument(t)
			}
			path := filepath.Join(t.TempDir(), "onto.db")
			if out, err := exec.Command(binary, "copy", from, path).CombinedOutput(); err != nil {
				t.Fatalf("copy the demo: %v\n%s", err, out)
			}
			file.compare(t, serveStores(t, "onto="+path), "sqlite")
		})
	}
}
