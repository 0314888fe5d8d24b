package sqlite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// contents are what the files of a directory hold, but for indexes of logs: they
// are memory that the processes share.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range files {
		if filepath.Ext(f.Name()) == ".db-shm" {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name()] = fmt.Sprintf("%d bytes %x", len(body), sha256.Sum256(body))
	}
	return found
}

// copyFiles copies the file at path and the files with these suffixes, as a backup of the
// directory would while a process has the file open.
func copyFiles(t *testing.T, path string, endings ...string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "onto.db")
	for _, ending := range endings {
		body, err := os.ReadFile(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+ending, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// TestNothingIsWritten reads files in every state that a writer can leave them in,
// and compares all bytes with what was there before.
func TestNothingIsWritten(t *testing.T) {
	states := map[string]func(t *testing.T) string{
		"rollback journal": func(t *testing.T) string {
			m := makeFile(t, "DELETE")
			m.commit("", "A 1")
			m.close()
			return copyFiles(t, m.path, "")
		},
		"write-ahead, closed": func(t *testing.T) string {
			m := makeFile(t, "WAL")
			m.commit("", "A 1")
			m.close()
			return copyFiles(t, m.path, "")
		},
		"write-ahead, with a log": func(t *testing.T) string {
			m := makeFile(t, "WAL")
			m.commit("", "A 1")
			return copyFiles(t, m.path, "", "-wal", "-shm")
		},
		"write-ahead, with a log without its index": func(t *testing.T) string {
			m := makeFile(t, "WAL")
			m.commit("", "A 1")
			return copyFiles(t, m.path, "", "-wal")
		},
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		for _, where := range []struct {
			name               string
			readOnly, writable bool
		}{{"opened read-only", true, true}, {"in a read-only directory", false, false}, {"both", true, false}, {"opened by one who may write", false, true}} {
			t.Run(name+", "+where.name, func(t *testing.T) {
				path := states[name](t)
				before := contents(t, filepath.Dir(path))
				if !where.writable {
					withoutPower(t, path)
				}
				db, err := Open(Options{Path: path, ReadOnly: where.readOnly})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{"1@1"}, all(t, db, pinOf(t, db), "A")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(before, contents(t, filepath.Dir(path))); diff != "" {
					t.Errorf("files (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// TestLinkToReadOnly reads a file by a link to it: its log is next to the file, in a directory
// where no index of the log can be created.
func TestLinkToReadOnly(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1")
	path := copyFiles(t, m.path, "", "-wal")
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	withoutPower(t, path)
	db := openDB(t, Options{Path: link})
	if diff := cmp.Diff([]string{"1@1"}, all(t, db, pinOf(t, db), "A")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWriterComesToReadOnly reads a file in a directory where we may make nothing,
// and where another process then begins to write.
func TestWriterComesToReadOnly(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1")
	m.close()
	unharmed := withoutPower(t, m.path)
	db := openDB(t, Options{Path: m.path, ReadOnly: true})
	first := pinOf(t, db)
	if again := pinOf(t, db); first != again || db.file.mode != immutable {
		t.Errorf("nothing changed, and the pin is %+v after %+v; read in way %d", again, first, db.file.mode)
	}
	unharmed(func() {
		m.conn = connection(t, m.path)
		m.commit("", "A 2")
	})
	if diff := cmp.Diff([]string{"1@1", "2@2"}, all(t, db, pinOf(t, db), "A")); diff != "" {
		t.Errorf("with a writer (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1@1"}, all(t, db, first, "A")); diff != "" {
		t.Errorf("at the pin of before (-want +got):\n%s", diff)
	}
	unharmed(func() { m.commit("", "A 3") })
	if diff := cmp.Diff([]string{"1@1", "2@2", "3@3"}, all(t, db, pinOf(t, db), "A")); diff != "" {
		t.Errorf("with another commit (-want +got):\n%s", diff)
	}
}

// TestStranger reads a file that this user may not write in a directory that it may: a log of
// this user would keep the owner from writing.
func TestStranger(t *testing.T) {
	for name, endings := range map[string][]string{"closed": {""}, "with a log": {"", "-wal"}} {
		t.Run(name, func(t *testing.T) {
			m := makeFile(t, "WAL")
			m.commit("", "A 1")
			if len(endings) == 1 {
				m.close()
			}
			path := copyFiles(t, m.path, endings...)
			unharmed := withoutPowerIn(t, path, 0o777)
			before := contents(t, filepath.Dir(path))
			db := openDB(t, Options{Path: path})
			rows := func(when string, want ...string) {
				t.Helper()
				if diff := cmp.Diff(want, all(t, db, pinOf(t, db), "A")); diff != "" {
					t.Errorf("%s (-want +got):\n%s", when, diff)
				}
			}
			rows("alone", "1@1")
			if w, err := sqlconn.OpenWriter(path); !errors.Is(err, ontosql.ErrReadOnly) {
				t.Errorf("writer %v, %v; want %v", w, err, ontosql.ErrReadOnly)
			}
			if diff := cmp.Diff(before, contents(t, filepath.Dir(path))); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
			if _, err := os.Stat(path + "-shm"); err == nil {
				t.Error("an index of the log was made")
			}
			owner := &made{tb: t, path: path, n: 1}
			unharmed(func() {
				owner.conn = connection(t, path)
				owner.commit("", "A 2")
			})
			rows("once the owner writes", "1@1", "2@2")
			unharmed(func() { owner.commit("", "A 3") })
			rows("beside the owner", "1@1", "2@2", "3@3")
			unharmed(owner.close)
			rows("when the owner is gone", "1@1", "2@2", "3@3")
		})
	}
}

// TestReaderIsNoLastUser closes readers while a writer has the file open and after
// it: the log stays with its commits for the next writer, and an empty one is removed.
func TestReaderIsNoLastUser(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1")
	for _, readOnly := range []bool{true, false} {
		db, err := Open(Options{Path: m.path, ReadOnly: readOnly})
		if err != nil {
			t.Fatal(err)
		}
		pinOf(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		m.commit("", "A 2")
	}
	last, err := Open(Options{Path: m.path})
	if err != nil {
		t.Fatal(err)
	}
	if head := pinOf(t, last).Head.Commit; head != 3 {
		t.Errorf("head %d, want 3", head)
	}
	m.close()
	before := contents(t, filepath.Dir(m.path))
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, contents(t, filepath.Dir(m.path))); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	connection(t, m.path, "PRAGMA wal_checkpoint(TRUNCATE)").Close()
	last = openDB(t, Options{Path: m.path})
	pinOf(t, last)
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	if left := contents(t, filepath.Dir(m.path)); len(left) != 1 {
		t.Errorf("files %v, want the database alone", slices.Sorted(maps.Keys(left)))
	}
}

// TestJournalOfADeadProcess: a file that needs recovery is not read as it is, and is not
// changed where nothing may be written.
func TestJournalOfADeadProcess(t *testing.T) {
	m := makeFile(t, "DELETE")
	m.commit("", "A 1")
	// A transaction that has reached the file and is not over.
	m.exec("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE entity_history SET fields_json = '{}'; CREATE TABLE spill (x);" +
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO spill SELECT randomblob(500) FROM n")
	path := copyFiles(t, m.path, "", "-journal")
	before := contents(t, filepath.Dir(path))
	db := openDB(t, Options{Path: path, ReadOnly: true})
	if pin, err := db.Pin(t.Context()); !errors.Is(err, ontosql.ErrStorage) {
		t.Errorf("pin %+v, error %v; want a refusal", pin, err)
	}
	if diff := cmp.Diff(before, contents(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	writable := openDB(t, Options{Path: path})
	pin := pinOf(t, writable)
	if rows := mustVersions(t, writable, pin, pin.Catalog.Types[0], ontosql.Window{Upper: 1}); len(rows) != 1 || rows[0].Image == "{}" {
		t.Errorf("rows %+v, want those of before the transaction", rows)
	}
}
