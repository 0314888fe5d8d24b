package sqlitetest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/sqlite/initdb"
)

const (
	FileV1 = "sqlite-v1"
	FileV2 = "sqlite-v2"
)

// Fixture is a copy of a file of the original's.
func Fixture(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(fixtures.Dir(t, name), "onto.db")
}

// Edit runs SQL on a file, without the rules that it may break.
func Edit(t testing.TB, path, sql string) {
	t.Helper()
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, sql, nil); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func LockRow(acquired, expires string) string {
	return fmt.Sprintf(`INSERT INTO locks VALUES ('ontology_write', 'writer', '%s', '%s')`, acquired, expires)
}

// NewFile is a new ontology in a file of the test's own.
func NewFile(t testing.TB, engine string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "onto.db")
	if _, err := initdb.Init(t.Context(), path, initdb.Options{URI: path, Engine: engine}); err != nil {
		t.Fatalf("initialise: %v", err)
	}
	return path
}

// Ask is the rows of a query on a file, their columns joined by "|".
func Ask(t testing.TB, path, query string, args ...any) []string {
	t.Helper()
	conn, err := lite.OpenConn(path, lite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetBusyTimeout(10 * time.Second)
	var rows []string
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(row *lite.Stmt) error {
		var columns []string
		for i := range row.ColumnCount() {
			columns = append(columns, row.ColumnText(i))
		}
		rows = append(rows, strings.Join(columns, "|"))
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rows
}

// Told compares what was got with what was wanted, line by line.
func Told(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  got  %s\n  want %s", what, strings.Join(got, "\n       "), strings.Join(want, "\n       "))
	}
}

// Sound makes sure that nothing in the file breaks a rule of the original's or
// ours.
func Sound(t testing.TB, path string) {
	t.Helper()
	report, err := check.Run(context.WithoutCancel(t.Context()), path, check.Options{Data: true, Now: time.Now})
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	for _, f := range report.Findings {
		t.Errorf("check finds: %s %s in %s: %v", f.Severity, f.Check, f.Table, f.Places)
	}
	Told(t, "integrity", Ask(t, path, "PRAGMA integrity_check"), "ok")
	Told(t, "foreign keys", Ask(t, path, "PRAGMA foreign_key_check"))
}

// Locked puts a lock of the original's into the file.
func Locked(t testing.TB, path, owner string, until time.Time) {
	t.Helper()
	Edit(t, path, fmt.Sprintf("INSERT INTO locks VALUES ('ontology_write', '%s', '%s', '%s')",
		owner, until.Add(-30*time.Second).Format("2006-01-02T15:04:05-07:00"), until.Format("2006-01-02T15:04:05.000000-07:00")))
}

// Connect runs SQL on a connection of another writer's.
func Connect(t testing.TB, path string) func(sql string) {
	t.Helper()
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return func(sql string) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}
