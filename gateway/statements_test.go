package gateway_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

func TestHistoryThatWasReplacedLeavesNoTimes(t *testing.T) {
	bucket := mem.New("replaced")
	if err := demo.Fill(t.Context(), bucket, nil); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, bucket)
	s := h.session(t, "onto")
	const times = "SELECT DISTINCT date_part('year', valid_from)::int FROM history.customer"
	if got := must(t, s, times); !cmp.Equal(got, []string{"2025"}) {
		t.Fatalf("the demo's versions are of %q", got)
	}
	err := bucket.List(t.Context(), "", func(o objstore.Object) error { return bucket.Delete(t.Context(), o.Key) })
	if err != nil {
		t.Fatal(err)
	}
	fixtures.Load(t, bucket, "s3-v1/stage2-migrated")
	if got := must(t, s, times); !cmp.Equal(got, []string{"2026"}) {
		t.Errorf("after a shorter history took its place the versions are of %q, want 2026", got)
	}
}

func TestTransactionModes(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	must(t, s, "BEGIN")
	must(t, s, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
	answers(t, s, "SHOW transaction_isolation", "repeatable read")
	refused(t, s, pgerr.ReadOnlySQLTransaction, "INSERT INTO store (code) VALUES ('x')")
	must(t, s, "ROLLBACK")
	must(t, s, "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	must(t, s, "BEGIN")
	answers(t, s, "SHOW transaction_isolation", "serializable")
	must(t, s, "COMMIT")
}

// TestModesOutsideOfATransaction shows what the next one will have, and settles
// them with the first query.
func TestModesOutsideOfATransaction(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	shown := func(want string) {
		t.Helper()
		got := must(t, s, "SHOW transaction_isolation")[0] + " " + must(t, s, "SHOW transaction_read_only")[0] + " " + must(t, s, "SHOW transaction_deferrable")[0]
		if got != want {
			t.Errorf("modes are %q, want %q", got, want)
		}
	}
	must(t, s, "SET default_transaction_isolation = 'serializable'")
	must(t, s, "SET default_transaction_read_only = on")
	shown("serializable on off")
	must(t, s, "BEGIN READ WRITE DEFERRABLE")
	shown("serializable off on")
	must(t, s, "SET transaction_isolation = 'repeatable read'")
	shown("repeatable read off on")
	must(t, s, "SELECT 1")
	refused(t, s, pgerr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	must(t, s, "ROLLBACK")
	shown("serializable on off")
	must(t, s, "BEGIN")
	must(t, s, "SHOW TimeZone") // no query
	must(t, s, "SET TRANSACTION READ WRITE")
	must(t, s, "SET TRANSACTION READ ONLY")
	must(t, s, "SELECT 1")
	refused(t, s, pgerr.ActiveSQLTransaction, "SET TRANSACTION READ WRITE")
	must(t, s, "ROLLBACK")
	if e := refused(t, s, pgerr.InvalidParameterValue, "SET default_transaction_isolation = 'chaos'"); !strings.Contains(e.Message, `"default_transaction_isolation"`) {
		t.Errorf("chaos: %s", e.Message)
	}
}

func TestWritesToThePast(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, sql := range []string{
		"INSERT INTO as_of.store (code) VALUES ('x')", "UPDATE as_of.store SET city = 'x'", "COPY as_of.store FROM STDIN",
		"INSERT INTO history.store (code) VALUES ('x')", "UPDATE changes.store SET city = 'x'", "COPY history.store FROM STDIN",
		"MERGE INTO history.store t USING store s ON t.code = s.code WHEN MATCHED THEN UPDATE SET city = 'x'",
	} {
		if e := refused(t, s, pgerr.ReadOnlySQLTransaction, sql); !strings.Contains(e.Hint, `"public.store"`) {
			t.Errorf("%s: %s, hint %s", sql, e.Message, e.Hint)
		}
	}
	refused(t, s, pgerr.UndefinedTable, "INSERT INTO as_of.nosuch VALUES (1)")
	answers(t, s, "SELECT to_regclass('public.store')::text, to_regtype('int4')::text, to_regtype('nosuch') IS NULL, NULL::jsonb ? 'a', NULL::jsonb ?| ARRAY['a'], NULL::jsonb ?& ARRAY['a']", "store|integer|true|NULL|NULL|NULL")
}

func TestLocalDefaultEndsWithTheTransaction(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	must(t, s, "SET ontosql.as_of = '5'")
	must(t, s, "BEGIN")
	must(t, s, "SET LOCAL ontosql.as_of = DEFAULT")
	answers(t, s, "SHOW ontosql.as_of", "")
	must(t, s, "COMMIT")
	answers(t, s, "SHOW ontosql.as_of", "5")
}

func TestPreparedStatementFollowsTheSearchPath(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT count(*) FROM customer"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := bindAndRun(t, s, st); err != nil || rows[0] != "40" {
		t.Fatalf("latest: %q, %v", rows, err)
	}
	must(t, s, "SET search_path TO history")
	if rows, err := bindAndRun(t, s, st); err != nil || rows[0] != "192" {
		t.Errorf("with history first on the path it answers %q, %v; want 192", rows, err)
	}
}

// Definitions and types name a table as it is found: pg_dump empties the search path, and
// what it writes must be read anywhere.
func TestDefinitionsFollowTheSearchPath(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	const sql = `SELECT pg_get_constraintdef(c.oid), pg_get_indexdef(c.conindid, 0, true), format_type(r.reltype, -1), r.reltype::regtype,
		(SELECT typarray::regtype FROM pg_type WHERE oid = r.reltype), (SELECT pg_get_function_result(p.oid) FROM pg_proc p WHERE p.prorettype = r.reltype)
		FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid WHERE c.conname = 'purchase_left_key_fkey'`
	for path, want := range map[string]string{
		"public": "FOREIGN KEY (left_key) REFERENCES customer(id) NOT VALID|CREATE UNIQUE INDEX customer_pkey ON customer USING btree (id)|customer|customer|customer[]|SETOF customer",
		"''":     "FOREIGN KEY (left_key) REFERENCES public.customer(id) NOT VALID|CREATE UNIQUE INDEX customer_pkey ON public.customer USING btree (id)|public.customer|public.customer|public.customer[]|SETOF public.customer",
	} {
		must(t, s, "SET search_path = "+path)
		if got := must(t, s, sql); len(got) != 1 || got[0] != want {
			t.Errorf("with search_path %s: %q\nwant %q", path, got, want)
		}
	}
	must(t, s, "RESET search_path")
	for name, want := range map[string]string{"customer[]": "customer[]", "history.customer": "history.customer", "history.customer[]": "history.customer[]", "_customer": "customer[]"} {
		if got := must(t, s, "SELECT '"+name+"'::regtype"); got[0] != want {
			t.Errorf("type %s is %s, want %s", name, got, want)
		}
	}
	must(t, s, "SET search_path = history")
	answers(t, s, "SELECT 'customer'::regtype, 'public.customer'::regtype", "customer|public.customer")
}

func TestBoundsAtTheEdge(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	for _, c := range []struct {
		sql  string
		args []string
		want string
	}{
		{"SELECT count(*) FROM history.customer WHERE commit_id >= -9223372036854775808", nil, "192"},
		{"SELECT count(*) FROM history.customer WHERE commit_id >= $1", []string{"-9223372036854775808"}, "192"},
		{"SELECT count(*) FROM history.customer WHERE commit_id > $1", []string{"9223372036854775807"}, "0"},
		{"SELECT count(*) FROM history.customer WHERE commit_id <= $1", []string{"9223372036854775807"}, "192"},
		{"SELECT count(*) FROM history.customer WHERE commit_id < $1", []string{"-9223372036854775808"}, "0"},
	} {
		if got := must(t, s, c.sql, c.args...); !cmp.Equal(got, []string{c.want}) {
			t.Errorf("%s %q answered %q, want %s", c.sql, c.args, got, c.want)
		}
	}
}

func TestPortalOfAFailedTransaction(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	must(t, s, "BEGIN")
	p := openPortal(t, s, "SELECT id FROM customer")
	refused(t, s, pgerr.UndefinedColumn, "SELECT nosuch")
	_, err := p.Next(t.Context())
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.InFailedSQLTransaction {
		t.Errorf("a portal in a failed transaction: %v, want 25P02", err)
	}
	p.Close()
	must(t, s, "ROLLBACK")
}

func TestUnreadableValuesAreNullWithAWarning(t *testing.T) {
	ctx := t.Context()
	bucket := mem.New("unreadable")
	if _, err := writepath.Init(ctx, bucket, writepath.InitOptions{URI: "mem", Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	p, err := writepath.NewPublisher(ctx, bucket, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(ctx)
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err = p.Register(ctx, at, []format.Schema{{Ref: ref, Fields: thingFields()}})
	if err != nil {
		t.Fatal(err)
	}
	rows := []format.Row{
		{Key: "a", Fields: []byte(`{"born":"2026-01-02","id":"a"}`)},
		{Key: "b", Fields: []byte(`{"born":"yesterday","id":"b"}`)},
		{Key: "c", Fields: []byte(`{"born":null,"id":"c"}`)},
	}
	if _, err := p.Publish(ctx, writepath.Commit{At: at, Data: []writepath.Content{{Type: ref, Rows: slices.Values(rows)}}}); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, bucket)
	s := h.session(t, "onto")
	for range 2 { // the second time from memory
		h.notices = nil
		answers(t, s, "SELECT id, born FROM thing ORDER BY id", "a|20455", "b|NULL", "c|NULL")
		want := []string{`WARNING 01000 1 stored values of column "born" of "thing" are no date and read as NULL`}
		if !cmp.Equal(h.notices, want) {
			t.Errorf("notices are %q, want %q", h.notices, want)
		}
	}
	h.notices = nil
	must(t, s, "SELECT id FROM thing")
	if h.notices != nil {
		t.Errorf("a statement that does not use the column warns: %q", h.notices)
	}
}

func TestWhatReadsNothingNeedsNoStore(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, mem.New("empty"))
	s := h.session(t, "onto")
	answers(t, s, "SELECT 1 + 1", "2")
	if n := h.bucket.Status().Total().Requests; n != 0 {
		t.Errorf("it took %d requests to the store", n)
	}
	refused(t, s, pgerr.ObjectNotInPrerequisiteState, "SELECT * FROM customer")
}

// TestSetConfigIsSet: the function refuses what the statement refuses.
func TestSetConfigIsSet(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, c := range []struct{ name, value, code string }{
		{"role", "nosuch", pgerr.InvalidParameterValue},
		{"session_authorization", "nosuch", pgerr.InvalidParameterValue},
		{"server_version", "16", pgerr.CantChangeRuntimeParam},
		{"nosuch", "1", pgerr.UndefinedObject},
	} {
		refused(t, s, c.code, "SET "+c.name+" TO '"+c.value+"'")
		refused(t, s, c.code, "SELECT set_config('"+c.name+"', '"+c.value+"', false)")
	}
	must(t, s, "SELECT set_config('role', 'none', false)")
	must(t, s, "SELECT set_config('TimeZone', 'Asia/Tokyo', false)")
	answers(t, s, "SELECT (timestamptz '2026-01-01 00:00+00')::text", "2026-01-01 09:00:00+09")
}

func TestSetConfigTakesEffectOnce(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT current_setting('jit'), set_config('jit', 'on', false)"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	answers(t, s, "SHOW jit", "off")
	if got, err := bindAndRun(t, s, st); err != nil || !cmp.Equal(got, []string{"off|on"}) {
		t.Errorf("set_config answered %q, %v", got, err)
	}
	answers(t, s, "SHOW jit", "on")
}

func TestDeletesAreRefusedAtParse(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, sql := range []string{"DELETE FROM store WHERE code = $1", "WITH gone AS (DELETE FROM store WHERE code = $1 RETURNING *) SELECT * FROM gone"} {
		_, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != pgerr.FeatureNotSupported {
			t.Errorf("preparing %s: %v, want 0A000", sql, err)
		}
	}
}

// TestSettingNamedByAParameter is how SQLAlchemy asks for a setting.
func TestSettingNamedByAParameter(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, sql := range []string{"SELECT current_setting($1)", "SELECT current_setting($1::varchar)", "SELECT 1 WHERE current_setting($1::text) = 'heap'"} {
		got := must(t, s, sql, "default_table_access_method")
		if len(got) != 1 || got[0] != "heap" && got[0] != "1" {
			t.Errorf("%s answered %q", sql, got)
		}
	}
}
