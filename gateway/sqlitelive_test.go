package gateway_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// otherWriter says in which file a process of this test writes.
const otherWriter = "ONTOSQL_TEST_OTHER_WRITER"

// TestOtherWriter is the process that TestSQLiteLive starts: the original as far as
// the file shows it.
func TestOtherWriter(t *testing.T) {
	path := os.Getenv(otherWriter)
	if path == "" {
		return // it is no test of its own
	}
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = sqlitex.ExecuteScript(conn, `
		INSERT INTO commits (created_at, metadata_json) VALUES ('2027-01-01T00:00:00.000000+00:00', '{"namespace": "other"}');
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
		VALUES ('Customer', 'c77', '{"id": "c77", "name": "Other", "age": 77}', last_insert_rowid(), 2);`, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// TestSQLiteLive: what another process commits is there for the next statement,
// plainly and from the mirror, and not for a transaction that has begun.
func TestSQLiteLive(t *testing.T) {
	for name, mirrored := range map[string]bool{"plain": false, "mirrored": true} {
		t.Run(name, func(t *testing.T) {
			if !mirrored {
				asksNoMirror(t)
			}
			path := fixtureCopy(t, "sqlite-v1")
			h := fileHouse(t, path, mirrored)
			s, begun := h.session(t, "onto"), h.session(t, "onto")
			if mirrored {
				h.settle(t, s, "customer")
			}
			count := func(s wire.Session) string {
				return must(t, s, "SELECT count(*), max(age) FILTER (WHERE id = 'c77'), max(commit_id) FROM customer")[0]
			}
			must(t, begun, "BEGIN")
			for _, of := range []wire.Session{s, begun} {
				if got := count(of); got != "4|NULL|5" {
					t.Fatalf("before: %s, want 4|NULL|5", got)
				}
			}
			other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOtherWriter$")
			other.Env = append(os.Environ(), otherWriter+"="+path)
			if out, err := other.CombinedOutput(); err != nil {
				t.Fatalf("the other process: %v\n%s", err, out)
			}
			if got := count(s); got != "5|77|8" {
				t.Errorf("after the other's commit: %s, want 5|77|8", got)
			}
			if got := count(begun); got != "4|NULL|5" {
				t.Errorf("in the transaction that had begun: %s, want 4|NULL|5", got)
			}
			must(t, begun, "UPDATE customer SET age = 8 WHERE id = 'c3'")
			must(t, begun, "COMMIT")
			answers(t, s, "SELECT id, age, commit_id FROM customer WHERE id IN ('c3', 'c77') ORDER BY id", "c3|8|9", "c77|77|8")
		})
	}
}

// TestSQLiteFileGone: a statement over a file that was removed or replaced fails with that
// reason.
func TestSQLiteFileGone(t *testing.T) {
	asksNoMirror(t)
	path := fixtureCopy(t, "sqlite-v1")
	s := fileHouse(t, path, false).session(t, "onto")
	must(t, s, "SELECT count(*) FROM product")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	refused(t, s, pgerr.IOError, "SELECT count(*) FROM product")
	body, err := os.Open(path + ".away")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	back, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(back, body); err != nil {
		t.Fatal(err)
	}
	if err := back.Close(); err != nil {
		t.Fatal(err)
	}
	answers(t, s, "SELECT count(*) FROM product", "3")
	empty := fileHouse(t, filepath.Join(t.TempDir(), "none.db"), false).session(t, "onto")
	refused(t, empty, pgerr.ObjectNotInPrerequisiteState, "SELECT 1 FROM product")
}

// TestSQLiteDamaged: the error of a damaged page names the file.
func TestSQLiteDamaged(t *testing.T) {
	asksNoMirror(t)
	path := fixtureCopy(t, "sqlite-v1")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	about, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xFF}, int(about.Size())-page), page); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	s := fileHouse(t, path, false).session(t, "onto")
	if e := refused(t, s, pgerr.DataCorrupted, "SELECT * FROM product"); !strings.Contains(e.Message, "database file") {
		t.Errorf("the error tells %q", e.Message)
	}
}

// TestSQLiteRowIsNoJSON damages the fields of one version: statements that read it get a
// warning that names the row, others do not.
func TestSQLiteRowIsNoJSON(t *testing.T) {
	asksNoMirror(t)
	path := fixtureCopy(t, "sqlite-v1")
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteTransient(conn, "UPDATE entity_history SET fields_json = '{\"sku\": 7' WHERE entity_type = 'product' AND entity_key = '7'", nil)
	if err = errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	h := fileHouse(t, path, false)
	s := h.session(t, "onto")
	if diff := cmp.Diff([]string{"10|Gadget", "11|Doodad", "7|NULL"}, must(t, s, "SELECT entity_key, title FROM product ORDER BY 1")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	const want = "WARNING XX001 1 rows of entity_history have fields_json that is no JSON and read as NULL, row 4 first"
	if !slices.Contains(h.notices, want) {
		t.Errorf("notices are %q, want %q among them", h.notices, want)
	}
	h.notices = nil
	if e := refused(t, s, pgerr.DataCorrupted, "UPDATE product SET price = 1 WHERE sku = 7"); e.Detail != "Key (sku)=(7)." || !slices.Contains(h.notices, want) {
		t.Errorf("who changes the row is told %q and %q, want its key and %q", e.Detail, h.notices, want)
	}
	h.notices = nil
	must(t, s, "SELECT * FROM product WHERE sku = 10")
	must(t, s, "SELECT * FROM customer")
	if len(h.notices) > 0 {
		t.Errorf("who does not read the row is told %q", h.notices)
	}
}

// TestSQLiteTextsThatAreNone stores texts that PostgreSQL cannot have. They read as NULL, by a
// scan and by key, with a warning.
func TestSQLiteTextsThatAreNone(t *testing.T) {
	asksNoMirror(t)
	path := fixtureCopy(t, "sqlite-v1")
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `
		UPDATE entity_history SET fields_json = '{"sku": 7, "title": "a\u0000b", "price": 3.0}' WHERE id = 4;
		UPDATE entity_history SET fields_json = '{"sku": 10, "title": "x\ud800y", "price": 3.0}' WHERE id = 5;`, nil)
	if err = errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	h := fileHouse(t, path, false)
	s := h.session(t, "onto")
	for _, q := range []struct {
		sql    string
		want   []string
		column string
		n      int
	}{
		{"SELECT sku, title, length(title), price FROM product ORDER BY 1", []string{"7|NULL|NULL|3", "10|NULL|NULL|3", "11|Doodad|6|0.1"}, `"title" of "product" are no text`, 2},
		{"SELECT title FROM history.product WHERE sku = 7", []string{"NULL"}, `"title" of "product" are no text`, 1},
		{"SELECT sku, title FROM as_of.product(1) ORDER BY 1", []string{"7|NULL", "10|NULL"}, `"title" of "product" are no text`, 2},
		{"SELECT sku, fields_json IS NULL FROM product ORDER BY 1", []string{"7|true", "10|true", "11|false"}, `"fields_json" of "product" are no jsonb`, 2},
		{"SELECT sku, to_title, to_price FROM diff.product(0, 1) ORDER BY 1", []string{"7|NULL|3", "10|NULL|3"}, `"title" of "product" are no text`, 2},
		{"SELECT sku, column_name, value FROM blame.product WHERE sku < 11 ORDER BY 1, 2", []string{"7|price|3.0", "7|title|NULL", "10|price|3.0", "10|title|NULL"}, `"fields_json" of "product" are no jsonb`, 2},
	} {
		h.notices = nil
		if diff := cmp.Diff(q.want, must(t, s, q.sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", q.sql, diff)
		}
		want := []string{fmt.Sprintf("WARNING 01000 %d stored values of column %s and read as NULL", q.n, q.column)}
		if diff := cmp.Diff(want, h.notices); diff != "" {
			t.Errorf("%s: notices (-want +got):\n%s", q.sql, diff)
		}
	}
	h.notices = nil
	must(t, s, "SELECT title FROM product WHERE sku = 11")
	if len(h.notices) > 0 {
		t.Errorf("who does not read the rows is told %q", h.notices)
	}
}
