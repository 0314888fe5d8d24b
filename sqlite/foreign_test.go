package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// TestNoOntology pins a file without an ontology: the error says what the file is.
func TestNoOntology(t *testing.T) {
	file := func(body string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	database := func(scripts ...string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { connection(t, path, scripts...) }
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want error
		text string
	}{
		{"nothing", func(*testing.T, string) {}, ontosql.ErrNotInitialised, ""},
		{"empty", file(""), ontosql.ErrNotInitialised, ""},
		{"no table", database("CREATE TABLE x (y); DROP TABLE x"), ontosql.ErrNotInitialised, ""},
		{"events alone", database("CREATE TABLE events (id TEXT PRIMARY KEY)"), ontosql.ErrNotInitialised, ""},
		{"text", file(strings.Repeat("no database\n", 100)), sqlconn.ErrForeign, "no SQLite database"},
		{"half a page", file("SQLite format 3\x00"), sqlconn.ErrForeign, ""},
		{"directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, sqlconn.ErrForeign, "no file"},
		{"another application's", database("CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT)"), sqlconn.ErrForeign, "moz_places"},
		{"another's commits", database("CREATE TABLE commits (hash TEXT, author TEXT)"), sqlconn.ErrForeign, "commits has no column"},
		{"UTF-16", database("PRAGMA encoding = 'UTF-16le'", ddl), sqlconn.ErrForeign, "UTF-16le"},
		{"another's locks", database("CREATE TABLE locks (door TEXT)"), sqlconn.ErrForeign, "locks has no column"},
		{"no commits", database(ddl, "DROP TABLE commits"), new(ontosql.CorruptError), "commits is gone"},
		{"locks alone", database(ddl, "DROP TABLE commits; DROP TABLE entity_history; DROP TABLE relation_history; DROP TABLE schema_registry"), ontosql.ErrNotInitialised, ""},
		{"newer engine", database(ddl, "CREATE TABLE storage_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL); INSERT INTO storage_meta VALUES ('engine_version', 'v3')"), sqlconn.ErrEngine, "v3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "onto.db")
			c.make(t, path)
			db := openDB(t, Options{Path: path})
			pin, err := db.Pin(t.Context())
			var corrupt *ontosql.CorruptError
			if errors.As(c.want, &corrupt) {
				if !errors.As(err, &corrupt) {
					t.Errorf("pin %+v, error %v", pin, err)
				}
			} else if !errors.Is(err, c.want) {
				t.Errorf("pin %+v, error %v; want %v", pin, err, c.want)
			}
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v does not say %q", err, c.text)
			}
		})
	}
}

// TestInitialisedWhileOpen makes the ontology that a DB has waited for.
func TestInitialisedWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "onto.db")
	db := openDB(t, Options{Path: path})
	for _, script := range []string{"", "CREATE TABLE events (id TEXT PRIMARY KEY)"} {
		if _, err := db.Pin(t.Context()); !errors.Is(err, ontosql.ErrNotInitialised) {
			t.Errorf("error %v, want %v", err, ontosql.ErrNotInitialised)
		}
		connection(t, path, script)
	}
	connection(t, path, ddl)
	if pin := pinOf(t, db); pin.Head.Commit != 0 {
		t.Errorf("head %+v", pin.Head)
	}
}

// TestBusy reads a file that another process has locked whole, past the wait and
// within it.
func TestBusy(t *testing.T) {
	m := makeFile(t, "DELETE")
	m.commit("", "A 1")
	db := openDB(t, Options{Path: m.path, BusyTimeout: time.Millisecond})
	pin := pinOf(t, db)
	m.exec("BEGIN EXCLUSIVE")
	if _, err := db.Pin(t.Context()); !errors.Is(err, ontosql.ErrBusy) {
		t.Errorf("pin of a locked file: %v, want %v", err, ontosql.ErrBusy)
	}
	if _, err := versions(t.Context(), db, pin, pin.Catalog.Types[0], ontosql.Window{Upper: 1}); !errors.Is(err, ontosql.ErrBusy) {
		t.Errorf("rows of a locked file: %v, want %v", err, ontosql.ErrBusy)
	}
	patient := openDB(t, Options{Path: m.path, BusyTimeout: time.Hour})
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("nobody waits any more")
	stopped := make(chan error)
	go func() {
		_, err := patient.Pin(ctx)
		stopped <- err
	}()
	cancel(cause)
	if err := <-stopped; !errors.Is(err, cause) {
		t.Errorf("a caller that gave up got %v, want %v", err, cause)
	}
	got := make(chan error)
	go func() {
		_, err := patient.Pin(t.Context())
		got <- err
	}()
	m.exec("ROLLBACK")
	if err := <-got; err != nil {
		t.Errorf("a caller that waited got %v", err)
	}
	if again := pinOf(t, db); again.Head != pin.Head {
		t.Errorf("head %+v once the file is free, %+v before", again.Head, pin.Head)
	}
}

// TestBusyAgain: after a commit of another process the connections are opened again, and
// readers that find the file locked still wait for it.
func TestBusyAgain(t *testing.T) {
	m := makeFile(t, "DELETE")
	m.commit("", "A 1")
	db := openDB(t, Options{Path: m.path, BusyTimeout: time.Hour})
	pinOf(t, db)
	for n := range 3 {
		m.commit("", fmt.Sprint("A ", n+2))
		m.exec("BEGIN EXCLUSIVE")
		got := make(chan error)
		go func() {
			_, err := db.Pin(t.Context())
			got <- err
		}()
		select {
		case err := <-got:
			t.Fatalf("a reader of a locked file got %v", err)
		case <-time.After(3 * sqlconn.BusyTimeout):
		}
		m.exec("ROLLBACK")
		if err := <-got; err != nil {
			t.Fatalf("a reader that waited got %v", err)
		}
	}
}

// TestLockRow reads the lock of writers.
func TestLockRow(t *testing.T) {
	m := makeFile(t, "WAL")
	db := openDB(t, Options{Path: m.path})
	if lock, err := db.Lock(t.Context()); lock != nil || err != nil {
		t.Errorf("lock %+v, %v; want none", lock, err)
	}
	m.exec("INSERT INTO locks VALUES ('ontology_write', 'me', '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:30+00:00')")
	lock, err := db.Lock(t.Context())
	if err != nil || lock.OwnerID != "me" || lock.LeaseTTLms != 30_000 || lock.AcquiredAt.String() != "2026-01-01T00:00:00.000000+00:00" {
		t.Errorf("lock %+v, %v", lock, err)
	}
	m.exec("UPDATE locks SET expires_at = 'soon'")
	if lock, err := db.Lock(t.Context()); err != nil || !lock.Expired(time.Unix(0, 0)) {
		t.Errorf("lock %+v, %v; want an expired one", lock, err)
	}
}

func TestClosed(t *testing.T) {
	db, err := Open(Options{Path: filepath.Join(fixtures.Dir(t, "sqlite-v1"), "onto.db")})
	if err != nil {
		t.Fatal(err)
	}
	pin := pinOf(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("a second close: %v", err)
	}
	if _, err := db.Pin(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("pin of a closed database: %v, want %v", err, errClosed)
	}
	if _, err := versions(t.Context(), db, pin, pin.Catalog.Types[0], ontosql.Window{Upper: 1}); !errors.Is(err, errClosed) {
		t.Errorf("rows of a closed database: %v, want %v", err, errClosed)
	}
	if _, err := Open(Options{}); err == nil {
		t.Error("a database without a path was opened")
	}
}
