package psql

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestFilesInSQLite runs the files on copies of the demo in SQLite files: psql prints
// the same. What it has to print otherwise stands in expected/NAME.sqlite.out.
func TestFilesInSQLite(t *testing.T) {
	if os.Getenv("ONTOSQL_TEST_MIRROR") != "" {
		t.Skip("EXPLAIN tells the mirror's state, and here that of the program as it is shipped is expected")
	}
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
