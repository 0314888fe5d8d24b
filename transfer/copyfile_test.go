package transfer_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/bulk"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/transfer"
)

// TestCopyFile copies a file with foreign tables while it is written, and continues the copy
// when the file has grown.
func TestCopyFile(t *testing.T) {
	dir := fixtures.Dir(t, "sqlite-v2")
	from, to := filepath.Join(dir, "onto.db"), filepath.Join(t.TempDir(), "copy.db")
	db, err := sqlite.Open(sqlite.Options{Path: from})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	commit := func() {
		t.Helper()
		h, err := bulk.Open(t.Context(), bulk.Options{Path: from, Batch: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		at := format.TimeOf(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
		row := format.Row{Commit: h.Last() + 1, Key: "99", SchemaVersionID: 1, Fields: []byte(`{"price":1.0,"sku":99,"title":"x"}`)}
		ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"}
		err = errors.Join(h.Add(row.Commit, at, nil), h.AddRow(ref, &row), h.Add(row.Commit+1, at, nil)) // the last is not committed
		if err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	o := transfer.CopyOptions{Progress: func(step string) func(done, total int) {
		return func(int, int) {
			if calls++; calls == 1 {
				commit() // after the first pages were copied
			}
		}
	}}
	for _, want := range []struct{ head, commits, rows int }{{7, 7, 17}, {8, 1, 1}, {8, 0, 0}} {
		done, err := transfer.CopyFile(t.Context(), db, to, o)
		if err != nil {
			t.Fatal(err)
		}
		if int(done.Head) != want.head || done.Commits != want.commits || int(done.Rows) != want.rows || done.Events == 0 {
			t.Errorf("it copied %+v, want %d commits up to %d, %d rows and the events", *done, want.commits, want.head, want.rows)
		}
		if report, err := check.Run(t.Context(), to, check.Options{Data: true, Now: time.Now}); err != nil || report.Errors() > 0 {
			t.Errorf("fsck: %+v, %v", report, err)
		}
	}
	if diff := cmp.Diff(tell(t, fileSource(t, from)), tell(t, fileSource(t, to))); diff != "" {
		t.Errorf("the copy (-source +copy):\n%s", diff)
	}
	beside, err := lite.OpenConn(to, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql  string
		want error
	}{
		{"CREATE TABLE mine (x)", nil}, {"CREATE TABLE mine (x); INSERT INTO mine VALUES (1)", transfer.ErrNotEmpty}, {"DROP TABLE mine", nil},
	} {
		if err := sqlitex.ExecuteScript(beside, c.sql, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.CopyFile(t.Context(), db, to, o); !errors.Is(err, c.want) {
			t.Errorf("over a file after %s: %v, want %v", c.sql, err, c.want)
		}
	}
	beside.Close()
	// A run that was broken off when all was there but the name.
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if err := os.Rename(to, fresh+".copying"); err != nil {
		t.Fatal(err)
	}
	if done, err := transfer.CopyFile(t.Context(), db, fresh, o); err != nil || done.Commits != 8 {
		t.Errorf("gone on with the copy of before: %+v, %v; want 8 commits", done, err)
	}
	other := filepath.Join(fixtures.Dir(t, "sqlite-v1"), "onto.db")
	if _, err := transfer.CopyFile(t.Context(), db, other, o); !errors.Is(err, transfer.ErrOtherOntology) {
		t.Errorf("over another ontology: %v", err)
	}
	picture := filepath.Join(t.TempDir(), "picture.db")
	if err := os.WriteFile(picture, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.CopyFile(t.Context(), db, picture, o); !errors.Is(err, sqlite.ErrForeign) {
		t.Errorf("over something else: %v", err)
	}
}

// TestCopyFileKeepsEvents copies over a file that has event data of its own, and
// another kind of it than the source, which has grown and cleaned up.
func TestCopyFileKeepsEvents(t *testing.T) {
	from, to := filepath.Join(fixtures.Dir(t, "sqlite-v2"), "onto.db"), filepath.Join(t.TempDir(), "copy.db")
	db, err := sqlite.Open(sqlite.Options{Path: from})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	events := func(path string) map[string]string {
		all := map[string]string{}
		f, err := sqlite.Open(sqlite.Options{Path: path, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := bulk.EventObjects(t.Context(), f, func(key string, body []byte) error { all[key] = string(body); return nil }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	script := func(path, sql string) {
		t.Helper()
		c, err := lite.OpenConn(path, lite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := sqlitex.ExecuteScript(c, sql, nil); err != nil {
			t.Fatal(err)
		}
	}
	o := transfer.CopyOptions{Temp: t.TempDir()}
	if _, err := transfer.CopyFile(t.Context(), db, to, o); err != nil {
		t.Fatal(err)
	}
	script(to, `INSERT INTO events (id, namespace, type, payload, created_at, root_event_id) VALUES ('own', 'ns', 'order.placed', '{"a": 1, "b": [1.0, null]}', '2026-11-23T00:00:00.000001+00:00', 'own');
		INSERT INTO event_claims (event_id, handler_id, session_id, claimed_at, lease_until, attempts, available_at) VALUES ('own', 'm.h', 's', '2026-11-23T00:00:01+00:00', '2026-11-23T00:00:31+00:00', 2, '2026-11-23T00:00:00.000001+00:00');
		INSERT INTO dead_letters (event_id, handler_id, namespace, failed_at, attempts, last_error, event_type, event_payload, root_event_id, chain_depth) VALUES ('lost', 'm.h', 'ns', '2026-11-23T00:00:02+00:00', 10, 'no', 'order.placed', '{"a": 2}', 'first', 3);
		INSERT INTO sessions (session_id, namespace, started_at, last_heartbeat) VALUES ('s', 'ns', '2026-11-23T00:00:00+00:00', '2026-11-23T00:00:05+00:00')`)
	want := events(to)
	script(from, `INSERT INTO commits (created_at) VALUES ('2026-11-24T00:00:00.000000+00:00');
		INSERT INTO sessions (session_id, namespace, started_at, last_heartbeat) VALUES ('new', 'ns', '2026-11-24T00:00:00+00:00', '2026-11-24T00:00:05+00:00')`)
	for key, body := range events(from) {
		want[key] = body
	}
	for _, commits := range []int{1, 0} {
		done, err := transfer.CopyFile(t.Context(), db, to, o)
		if err != nil {
			t.Fatal(err)
		}
		if done.Head != 8 || done.Commits != commits {
			t.Errorf("it copied %+v, want head 8 and %d commits", *done, commits)
		}
		if diff := cmp.Diff(want, events(to)); diff != "" {
			t.Errorf("event data (-want +got):\n%s", diff)
		}
	}
	script(from, "DROP TABLE event_claims; DROP TABLE dead_letters; DROP TABLE sessions; DROP TABLE events")
	if _, err := transfer.CopyFile(t.Context(), db, to, o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, events(to)); diff != "" {
		t.Errorf("from a source without tables of events (-want +got):\n%s", diff)
	}
	if report, err := check.Run(t.Context(), to, check.Options{Data: true, Now: time.Now}); err != nil || report.Errors() > 0 {
		t.Errorf("fsck: %+v, %v", report, err)
	}
}
