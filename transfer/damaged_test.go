package transfer_test

import (
	"path/filepath"
	"strings"
	"testing"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/transfer"
)

// TestDamagedRow moves a file in which the JSON of a row is broken, in every way:
// each error says of which type and commit the row is, and where it stands.
func TestDamagedRow(t *testing.T) {
	path := filepath.Join(fixtures.Dir(t, "sqlite-v1"), "onto.db")
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, `UPDATE entity_history SET fields_json = 'oops' WHERE id = 4`, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	src := fileSource(t, path)
	for _, c := range []struct {
		how  string
		move func() error
	}{
		{"to a bucket", func() error {
			_, err := transfer.CopyToBucket(t.Context(), src, &mem.Bucket{}, transfer.CopyOptions{Temp: t.TempDir()})
			return err
		}},
		{"to a file", func() error {
			_, err := transfer.CopyFile(t.Context(), db, filepath.Join(t.TempDir(), "to.db"), transfer.CopyOptions{Temp: t.TempDir()})
			return err
		}},
		{"as lines", func() error {
			_, err := transfer.Export(t.Context(), src, transfer.ExportOptions{
				Dir: t.TempDir(), Temp: t.TempDir(), Types: src.Pin().Catalog.Types, Upper: src.Pin().Head.Commit, History: true,
			})
			return err
		}},
	} {
		err := c.move()
		if err == nil {
			t.Errorf("%s: no error", c.how)
			continue
		}
		for _, want := range []string{"entity:product", "commit 1", "entity_history row 4", "fields_json"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not say %q", c.how, err, want)
			}
		}
	}
}
