package gateway_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

func TestUpdateMakesAVersionOfWhatChanges(t *testing.T) {
	for _, ending := range []bool{true, false} {
		h := newHouse(t, shop(t))
		h.ending = ending
		s := h.session(t, "onto")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2), ('c', NULL)", "INSERT 0 3")
		tagged(t, s, "UPDATE shelf SET height = height + 10 WHERE name IN ('a', 'c')", "UPDATE 2")
		want := []string{
			`a|2|{"height":1,"name":"a"}`, `a|3|{"height":11,"name":"a"}`, `b|2|{"height":2,"name":"b"}`, `c|2|{"height":null,"name":"c"}`,
		}
		if diff := cmp.Diff(want, must(t, s, "SELECT name, commit_id, fields_json FROM history.shelf ORDER BY 1, 2")); diff != "" {
			t.Errorf("ending %v: versions (-want +got):\n%s", ending, diff)
		}
		tagged(t, s, "UPDATE shelf SET height = height", "UPDATE 3")
		tagged(t, s, "UPDATE shelf SET height = 5 WHERE name = 'nosuch'", "UPDATE 0")
		if got := must(t, s, "SELECT max(commit_id) FROM ontosql.commits"); got[0] != "3" {
			t.Errorf("ending %v: updates that change nothing made commit %s", ending, got[0])
		}
		got := must(t, s, "UPDATE shelf AS s SET height = v.h FROM (VALUES ('a', 7), ('b', 8), ('a', 9)) AS v(n, h) WHERE s.name = v.n RETURNING s.name, height, h, fields_json")
		if len(got) != 2 {
			t.Errorf("ending %v: a join that gives a row twice returned %q", ending, got)
		}
		if got := must(t, s, "SELECT count(*) FROM history.shelf WHERE commit_id = 4"); got[0] != "2" {
			t.Errorf("ending %v: it made %s versions", ending, got[0])
		}
	}
}

// TestUpdateKeepsWhatTheSchemaDoesNotKnow updates a version that another program
// wrote with members of its own.
func TestUpdateKeepsWhatTheSchemaDoesNotKnow(t *testing.T) {
	b := shop(t)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "other"})
	shelf := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Shelf"}
	_, err := c.Commit(t.Context(), writepath.Tx{Pin: 1, Data: []writepath.Data{{
		Type: shelf, SchemaVersion: 1,
		Fields: format.DataFields([]format.SchemaField{format.NewField("name", format.FieldStr, false), format.NewField("height", format.FieldInt, true)}),
		Rows: func(yield func(writepath.Row, error) bool) {
			yield(writepath.Row{Row: format.Row{Key: "a", Fields: []byte(`{"colour":{"a":[1,2.5],"b":NaN},"name":"a"}`)}}, nil)
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newHouse(t, b).session(t, "onto")
	tagged(t, s, "UPDATE shelf SET height = NULL", "UPDATE 1") // it has none: nothing differs
	tagged(t, s, "UPDATE shelf SET height = 3", "UPDATE 1")
	tagged(t, s, "UPDATE shelf SET height = 3.0::float8", "UPDATE 1")
	answers(t, s, "SELECT count(*), max(commit_id) FROM history.shelf", "2|3")
	body, _, err := b.Get(t.Context(), must(t, s, "SELECT path FROM ontosql.commit_files WHERE commit_id = 3")[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "data.parquet")
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := format.ReadRows(path)
	if err != nil || len(rows) != 1 || string(rows[0].Fields) != `{"colour":{"a":[1,2.5],"b":NaN},"height":3,"name":"a"}` {
		t.Errorf("stored: %+v, %v", rows, err)
	}
}

// TestChangedAndChangedBack leaves no version of what a transaction changed and
// changed back, and the others.
func TestChangedAndChangedBack(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	tagged(t, s, "INSERT INTO shelf SELECT 's' || g, g FROM generate_series(1, 600) AS g", "INSERT 0 600")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "UPDATE shelf SET height = height + 1", "UPDATE 600")
	tagged(t, s, "UPDATE shelf SET height = height - 1", "UPDATE 600")
	succeeds(t, s, "COMMIT")
	answers(t, s, "SELECT max(commit_id) FROM ontosql.commits", "2")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "UPDATE shelf SET height = height + 1 WHERE height <= 3", "UPDATE 3")
	tagged(t, s, "UPDATE shelf SET height = height - 1 WHERE name = 's2'", "UPDATE 1")
	tagged(t, s, "INSERT INTO shelf VALUES ('new', 1)", "INSERT 0 1")
	tagged(t, s, "UPDATE shelf SET height = 2 WHERE name = 'new'", "UPDATE 1")
	succeeds(t, s, "COMMIT")
	answers(t, s, "SELECT name || height FROM history.shelf WHERE commit_id = 3 ORDER BY 1", "new2", "s12", "s34")
}

func TestUpdateSeesItsTransaction(t *testing.T) {
	h := newHouse(t, shop(t))
	s, other := h.session(t, "onto"), h.session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2)", "INSERT 0 2")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "UPDATE shelf SET height = 10 WHERE name = 'a'", "UPDATE 1")
	succeeds(t, s, "SAVEPOINT p")
	tagged(t, s, "UPDATE shelf SET height = height * 2", "UPDATE 2")
	answers(t, s, "SELECT name || height FROM shelf ORDER BY 1", "a20", "b4")
	if got := must(t, s, "SELECT name, change, changed_fields::text, before::text FROM changes.shelf WHERE commit_id IS NULL ORDER BY 1"); len(got) != 2 {
		t.Errorf("changes of the transaction: %q", got)
	}
	answers(t, other, "SELECT name || height FROM shelf ORDER BY 1", "a1", "b2")
	succeeds(t, s, "ROLLBACK TO p")
	answers(t, s, "SELECT name || height FROM shelf ORDER BY 1", "a10", "b2")
	tagged(t, other, "UPDATE shelf SET height = 0 WHERE name = 'b'", "UPDATE 1") // another identity
	succeeds(t, s, "COMMIT")
	answers(t, other, "SELECT name || height FROM shelf ORDER BY 1", "a10", "b0")
}

// TestLostUpdate changes one row in two transactions: the second gets 40001. An autocommitted
// statement runs again instead.
func TestLostUpdate(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	a, b := h.session(t, "onto"), h.session(t, "onto")
	tagged(t, a, "INSERT INTO shelf VALUES ('n', 0)", "INSERT 0 1")
	for _, s := range []string{"BEGIN", "UPDATE shelf SET height = height + 1"} {
		must(t, a, s)
		must(t, b, s)
	}
	succeeds(t, a, "COMMIT")
	e := refused(t, b, pgerr.SerializationFailure, "COMMIT")
	if e.Detail != `{"table_key":"entity:Shelf","key":"n","expected":2,"actual":3}` {
		t.Errorf("the detail is %s", e.Detail)
	}
	must(t, b, "SET ontosql.expect_head = ''")
	done := make(chan string, 8)
	for range cap(done) {
		s := h.session(t, "onto")
		go func() {
			tag, err := run(t, s, "UPDATE shelf SET height = height + 1 WHERE name = 'n'")
			if err != nil {
				tag = err.Error()
			}
			done <- tag
		}()
	}
	for range cap(done) {
		if tag := <-done; tag != "UPDATE 1" {
			t.Errorf("one of eight at once: %s", tag)
		}
	}
	answers(t, a, "SELECT height FROM shelf", "9")
}

func TestUpdateRefuses(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	tagged(t, s, "INSERT INTO item (sku, title) VALUES (1, 'x'), (2, 'y')", "INSERT 0 2")
	for _, c := range []struct{ sql, code, message, column string }{
		{"UPDATE item SET title = NULL WHERE sku = 1", pgerr.NotNullViolation, `null value in column "title" of relation "item" violates not-null constraint`, "title"},
		{"UPDATE item SET price = 'x'", pgerr.InvalidTextRepresentation, `invalid input syntax for type numeric: "x"`, ""},
		{"UPDATE item SET price = title::numeric WHERE sku = 1", pgerr.InvalidTextRepresentation, `invalid input syntax for type numeric: "x"`, "price"},
		{"UPDATE history.item SET title = 'z'", pgerr.ReadOnlySQLTransaction, `cannot execute UPDATE in the past: "history.item" is read-only`, ""},
		{"UPDATE ontosql.commits SET message = 'z'", pgerr.ObjectNotInPrerequisiteState, `cannot update view "commits"`, ""},
		{"UPDATE pg_class SET relname = 'z'", pgerr.InsufficientPrivilege, "permission denied for table pg_class", ""},
	} {
		e := refused(t, s, c.code, c.sql)
		if e.Message != c.message || columnOf(t, e) != c.column {
			t.Errorf("%s: %s (column %q)", c.sql, e.Message, columnOf(t, e))
		}
	}
	refused(t, s, pgerr.FeatureNotSupported, "UPDATE item SET sku = 3 WHERE sku = 1")
	answers(t, s, "SELECT max(commit_id) FROM ontosql.commits", "2")
}
