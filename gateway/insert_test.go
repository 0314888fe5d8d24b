package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

func TestInsertStoresEveryKindOfValue(t *testing.T) {
	for _, ending := range []bool{true, false} { // committed before the tag, and at Sync
		h := newHouse(t, shop(t))
		h.ending = ending
		s := h.session(t, "onto")
		tagged(t, s, `INSERT INTO item (sku, title, price, weight, sold, added, day, code, raw, tags) VALUES (1, 'Größe', 12.50, 0.1, true, '2026-02-03 04:05:06.7+01', '2026-02-03',
			'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '\xdeadbeef', '{"b":[1,2.0,null],"a":"x"}')`, "INSERT 0 1")
		tagged(t, s, `INSERT INTO item (title, sku) VALUES ('bare', 2), ('bones', 3)`, "INSERT 0 2")
		want := []string{
			`1|1|{"added":"2026-02-03T03:05:06.700000+00:00","code":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","day":"2026-02-03","price":"12.5","raw":"3q2+7w==","sku":1,"sold":true,"tags":{"a":"x","b":[1,2.0,null]},"title":"Gr\u00f6\u00dfe","weight":0.1}`,
			`2|2|{"added":null,"code":null,"day":null,"price":null,"raw":null,"sku":2,"sold":null,"tags":null,"title":"bare","weight":null}`,
			`3|2|{"added":null,"code":null,"day":null,"price":null,"raw":null,"sku":3,"sold":null,"tags":null,"title":"bones","weight":null}`,
		}
		// The registration is commit 1.
		for i := range want {
			want[i] = strings.Replace(want[i], "|1|", "|2|", 1)
			if i > 0 {
				want[i] = strings.Replace(want[i], "|2|", "|3|", 1)
			}
		}
		if diff := cmp.Diff(want, must(t, s, "SELECT sku, commit_id, fields_json FROM item ORDER BY sku")); diff != "" {
			t.Errorf("ending %v: stored (-want +got):\n%s", ending, diff)
		}
		answers(t, s, "SELECT title, price = 12.5, weight, sold, code::text, raw, day FROM item WHERE sku = 1", "Größe|true|0.1|true|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|\xde\xad\xbe\xef|20487")
	}
}

func TestInsertReturning(t *testing.T) {
	for _, ending := range []bool{true, false} {
		h := newHouse(t, shop(t))
		h.ending = ending
		s := h.session(t, "onto")
		got := must(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2) RETURNING name || '!' AS n, height * 10, (SELECT count(*) FROM shelf)")
		if diff := cmp.Diff([]string{"a!|10|0", "b!|20|0"}, got); diff != "" {
			t.Errorf("ending %v: RETURNING (-want +got):\n%s", ending, diff)
		}
		many := must(t, s, "INSERT INTO shelf SELECT 's' || g, g FROM generate_series(1, 5000) AS g RETURNING height")
		if len(many) != 5000 || many[0] != "1" || many[4999] != "5000" {
			t.Errorf("ending %v: RETURNING of 5000 rows gave %d rows, first %v", ending, len(many), many[:1])
		}
		if got := must(t, s, "SELECT count(*), sum(height) FROM shelf"); got[0] != "5002|12502503" && !strings.HasPrefix(got[0], "5002|") {
			t.Errorf("ending %v: %q rows afterwards", ending, got)
		}
		if got := must(t, s, "SELECT max(commit_id) FROM ontosql.commits"); got[0] != "3" {
			t.Errorf("ending %v: the head is %q, want two commits after the registration", ending, got)
		}
	}
}

func TestInsertRefusesWhatTheSchemaDoesNotAdmit(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('taken', 1)", "INSERT 0 1")
	for _, c := range []struct{ sql, code, message, detail, column string }{
		{"INSERT INTO shelf VALUES ('taken', 2)", "23505", `duplicate key value violates unique constraint "shelf_pkey"`, "Key (name)=(taken) already exists.", ""},
		{"INSERT INTO shelf VALUES ('new', 1), ('new', 2)", "23505", `duplicate key value violates unique constraint "shelf_pkey"`, "Key (name)=(new) already exists.", ""},
		{"INSERT INTO standson VALUES (1, 'taken', 's', NULL), (1, 'taken', 's', NULL)", "23505", `duplicate key value violates unique constraint "standson_pkey"`, "Key (left_key, right_key, slot)=(1, taken, s) already exists.", ""},
		{"INSERT INTO shelf (height) VALUES (1)", "23502", `null value in column "name" of relation "shelf" violates not-null constraint`, "Failing row contains (null, 1).", "name"},
		{"INSERT INTO item (sku) VALUES (1), (2)", "23502", `null value in column "title" of relation "item" violates not-null constraint`, "Failing row contains (1, null, null, null, null, null, null, null, null, null).", "title"},
		{"INSERT INTO standson VALUES (1, 'a', '  ', NULL)", "23514", `the instance key "slot" of relation "standson" is blank`, "", "slot"},
		{"INSERT INTO item (sku, title) VALUES ('x', 'a')", "22P02", `invalid input syntax for type bigint: "x"`, "", "sku"},
		{"INSERT INTO item (sku, title) VALUES (9223372036854775808, 'a')", "22003", "bigint out of range", "", "sku"},
		{"INSERT INTO item (sku, title, price) VALUES (1, 'a', 'NaN')", "22003", "", "", "price"},
		{"INSERT INTO item (sku, title, price) VALUES (1, 'a', 1e30)", "22003", "numeric field overflow", "", "price"},
		{"INSERT INTO item (sku, title, tags) VALUES (1, 'a', 'NaN')", "22P02", "", "", "tags"},
		{`INSERT INTO item (sku, title, tags) VALUES (1, 'a', '["\ud800"]')`, "22P02", "", "", "tags"},
		{`INSERT INTO item (sku, title, tags) VALUES (1, 'a', '["\u0000"]')`, "22P05", "unsupported Unicode escape sequence", "", "tags"},
		{"INSERT INTO item (sku, title, day) VALUES (1, 'a', 'infinity')", "22008", "", "", "day"},
		{"INSERT INTO shelf (nme) VALUES ('a')", "42703", `column "nme" of relation "shelf" does not exist`, "", ""},
		{"INSERT INTO shelf (name, commit_id) VALUES ('a', 1)", "42703", `column "commit_id" of relation "shelf" does not exist`, "", ""},
		{"INSERT INTO nowhere VALUES (1)", "42P01", `relation "nowhere" does not exist`, "", ""},
		{"INSERT INTO nowhere SELECT * FROM nothing", "42P01", `relation "nowhere" does not exist`, "", ""},
		{"WITH x AS (SELECT * FROM nothing) INSERT INTO nowhere SELECT * FROM x", "42P01", `relation "nothing" does not exist`, "", ""},
		{"SELECT 'a.b'::regrole", "42602", "invalid name syntax", "", ""},
		{"INSERT INTO history.shelf (name) VALUES ('a')", "25006", "", "", ""},
		{"INSERT INTO ontosql.commits VALUES (1)", "55000", "", "", ""},
		{"INSERT INTO pg_class VALUES (1)", "42501", "", "", ""},
	} {
		e := refused(t, s, c.code, c.sql)
		if c.message != "" && e.Message != c.message || c.detail != "" && e.Detail != c.detail || columnOf(t, e) != c.column && e.Position == 0 {
			t.Errorf("%s\ngot  %s | %s | column %q\nwant %s | %s | column %q", c.sql, e.Message, e.Detail, columnOf(t, e), c.message, c.detail, c.column)
		}
	}
	answers(t, s, "SELECT max(commit_id) FROM ontosql.commits", "2")
	if e := refused(t, s, "23502", "INSERT INTO item (sku, title) VALUES (1, 'a'), (2, NULL)"); !strings.HasPrefix(e.Where, "row 2,") {
		t.Errorf("the error says %q, want the second row", e.Where)
	}
}

func TestFloatsThatAreNoNumbers(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	tagged(t, s, "INSERT INTO item (sku, title, weight) VALUES (1, 'a', 'NaN'), (2, 'b', '-Infinity')", "INSERT 0 2")
	got := must(t, s, "SELECT weight, fields_json IS NOT NULL FROM item ORDER BY sku")
	if got[0][:3] != "NaN" || got[1][:4] != "-Inf" {
		t.Errorf("read back: %q", got)
	}
}

func TestTransactionSeesItsOwnRows(t *testing.T) {
	h := newHouse(t, shop(t))
	s, other := h.session(t, "onto"), h.session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('old', 1)", "INSERT 0 1")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO shelf VALUES ('new', 2)", "INSERT 0 1")
	tagged(t, s, "INSERT INTO item (sku, title) VALUES (7, 'seven')", "INSERT 0 1")
	tagged(t, s, "INSERT INTO standson SELECT sku, name, 'x', NULL FROM item, shelf", "INSERT 0 2")
	for sql, want := range map[string]string{
		"SELECT string_agg(name, ',' ORDER BY name) FROM shelf":                                                               "new,old",
		"SELECT string_agg(name || coalesce(commit_id::text, '-'), ',' ORDER BY name) FROM shelf":                             "new-,old2",
		"SELECT count(*), count(commit_id), count(valid_from), count(*) FILTER (WHERE is_current) FROM history.shelf":         "2|1|1|2",
		"SELECT string_agg(change, ',') FROM changes.shelf WHERE name = 'new'":                                                "insert",
		"SELECT count(*) FROM as_of.shelf(2)":                                                                                 "1",
		"SELECT count(*) FROM shelf FOR SYSTEM_TIME AS OF 'HEAD'":                                                             "1",
		"SELECT title, height FROM standson JOIN item ON sku = left_key JOIN shelf ON name = right_key WHERE right_key='new'": "seven|2",
	} {
		if got := must(t, s, sql); len(got) != 1 || got[0] != want {
			t.Errorf("%s in the transaction: %q, want %q", sql, got, want)
		}
	}
	answers(t, other, "SELECT count(*) FROM shelf", "1")
	e := refused(t, s, "23505", "INSERT INTO shelf VALUES ('new', 3)")
	if e.Detail != "Key (name)=(new) already exists." {
		t.Errorf("detail %q", e.Detail)
	}
	refused(t, s, "25P02", "SELECT 1")
	tagged(t, s, "COMMIT", "ROLLBACK")
	answers(t, s, "SELECT count(*) FROM shelf", "1")
}

func TestOneCommitOverManyTypes(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	tagged(t, s, "INSERT INTO item (sku, title) SELECT g, 'i' FROM generate_series(1, 3000) AS g", "INSERT 0 3000")
	tagged(t, s, "INSERT INTO standson SELECT sku, 'a', 'x', NULL FROM item", "INSERT 0 3000")
	succeeds(t, s, "COMMIT")
	got := must(t, s, "SELECT commit_id, actor, runtime_id, row_count, array_to_string(types, ',') FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1")
	if diff := cmp.Diff([]string{"2|tester|house|6001|Shelf,Item,StandsOn"}, got); diff != "" {
		t.Errorf("the commit (-want +got):\n%s", diff)
	}
	succeeds(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO shelf SELECT 'b', 1 WHERE false", "INSERT 0 0")
	succeeds(t, s, "COMMIT")
	answers(t, s, "SELECT max(commit_id) FROM ontosql.commits", "2")
}

func TestFirstCommitterWins(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	a, b := h.session(t, "onto"), h.session(t, "onto")
	succeeds(t, a, "BEGIN")
	tagged(t, a, "INSERT INTO shelf VALUES ('mine', 1)", "INSERT 0 1")
	tagged(t, b, "INSERT INTO shelf VALUES ('other', 1)", "INSERT 0 1")
	tagged(t, b, "INSERT INTO shelf VALUES ('mine', 2)", "INSERT 0 1")
	_, err := run(t, a, "COMMIT")
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != "40001" {
		t.Fatalf("the second committer got %v, want 40001", err)
	}
	if want := `{"table_key":"entity:Shelf","key":"mine","expected":0,"actual":3}`; e.Detail != want {
		t.Errorf("detail %s\nwant   %s", e.Detail, want)
	}
	if a.Status() != wire.Idle {
		t.Errorf("after a failed COMMIT the session is in state %c", a.Status())
	}
	succeeds(t, a, "BEGIN")
	must(t, a, "SELECT count(*) FROM shelf")
	tagged(t, b, "INSERT INTO shelf VALUES ('third', 1)", "INSERT 0 1")
	tagged(t, a, "INSERT INTO shelf VALUES ('fourth', 1)", "INSERT 0 1")
	tagged(t, a, "COMMIT", "COMMIT") // other identities never conflict
	answers(t, a, "SELECT max(commit_id) FROM history.shelf WHERE name = 'fourth'", "5")
}

// TestAutocommitRunsAgain lets sessions compete for the next commit. A statement that loses
// runs again, and no client gets an error.
func TestAutocommitRunsAgain(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	const sessions, each = 32, 3
	done := make(chan error, sessions)
	for range sessions {
		s := h.session(t, "onto")
		go func() {
			for range each {
				ctx := context.Background()
				st, err := s.Prepare(ctx, wire.Query{SQL: "INSERT INTO item (sku, title) SELECT coalesce(max(sku), 0) + 1, 'next' FROM item", Simple: true}, nil)
				if err != nil {
					done <- err
					return
				}
				p, err := st.Bind(ctx, nil)
				if err == nil {
					_, err = drain(ctx, p)
					err = errors.Join(err, s.Sync(ctx, err != nil))
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range sessions {
		if err := <-done; err != nil {
			t.Errorf("a statement that should have been run again: %v", err)
		}
	}
	s := h.session(t, "onto")
	answers(t, s, "SELECT count(*), max(sku) FROM item", "96|96")
}

// TestIdentityOfADroppedType is free again, independent of which gateway dropped the type and
// which wrote the row.
func TestIdentityOfADroppedType(t *testing.T) {
	bucket, path := shop(t), emptyFile(t)
	for name, open := range map[string]func() *house{
		"bucket": func() *house { return newHouse(t, bucket) },
		"file":   func() *house { return fileHouse(t, path, false) },
	} {
		t.Run(name, func(t *testing.T) {
			s, other := open().session(t, "onto"), open().session(t, "onto")
			const table, insert = "CREATE TABLE box (id text PRIMARY KEY)", "INSERT INTO box VALUES ('a')"
			must(t, s, table)
			must(t, s, insert)
			must(t, other, "SET ontosql.purge_history = on")
			must(t, other, "DROP TABLE box")
			must(t, other, table)
			must(t, s, insert)
			refused(t, s, pgerr.UniqueViolation, insert)
			refused(t, other, pgerr.UniqueViolation, insert)
		})
	}
}

func TestWritesInThePastAreRefused(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, shop(t))
	refused(t, h.session(t, "onto@1"), "25006", "INSERT INTO shelf VALUES ('a', 1)")
	s := h.session(t, "onto")
	must(t, s, "SET ontosql.as_of = '1'")
	refused(t, s, "25006", "INSERT INTO shelf VALUES ('a', 1)")
	must(t, s, "RESET ontosql.as_of")
	succeeds(t, s, "BEGIN READ ONLY")
	refused(t, s, "25006", "INSERT INTO shelf VALUES ('a', 1)")
	succeeds(t, s, "ROLLBACK")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
}

func TestValuesThatAreTooLong(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	must(t, s, "INSERT INTO shelf (name) VALUES ($1)", strings.Repeat("x", 1<<20))
	answers(t, s, "SELECT length(name) FROM shelf", "1048576")
	refused(t, s, "54000", "INSERT INTO item (sku, title) VALUES (1, $1)", strings.Repeat("x", 65<<20))
}

// TestWarmInsertAsksTheStoreForNothing counts what a statement itself requests
// while the gateway holds the lock: the pin is its own last swap, and the keys of
// its own commits are known.
func TestWarmInsertAsksTheStoreForNothing(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "INSERT INTO shelf VALUES ($1, 1)"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	least := int64(1 << 30)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		ctx, requests := metered.WithCounter(t.Context())
		p, err := st.Bind(ctx, [][]byte{[]byte(name)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = drain(ctx, p); err != nil {
			t.Fatal(err)
		}
		p.Close()
		if err := s.Sync(ctx, false); err != nil {
			t.Fatal(err)
		}
		least = min(least, requests.Counts().Total().Requests)
	}
	if least != 0 {
		t.Errorf("every INSERT asked the store for something, the least %d times", least)
	}
}

// TestKeysThatAreNoText writes entities whose key SQL shows as text though it is
// a float or a bool: the identity is Python's str of it, the field its value.
func TestKeysThatAreNoText(t *testing.T) {
	b := shop(t)
	p, err := writepath.NewPublisher(t.Context(), b, "test")
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]format.FieldType{"Rate": format.FieldFloat, "Switch": format.FieldBool} {
		if _, err := p.Register(t.Context(), time.Time{}, []format.Schema{{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: name}, Fields: []format.SchemaField{keyField("at", of)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newHouse(t, b).session(t, "onto")
	tagged(t, s, "INSERT INTO rate VALUES ('1.50'), ('2')", "INSERT 0 2")
	tagged(t, s, "INSERT INTO switch VALUES ('t')", "INSERT 0 1")
	refused(t, s, "22P02", "INSERT INTO rate VALUES ('much')")
	refused(t, s, "23505", "INSERT INTO rate VALUES ('1.5')")
	got := append(must(t, s, "SELECT at, entity_key, fields_json FROM rate ORDER BY 1"), must(t, s, "SELECT at, entity_key, fields_json FROM switch")...)
	if diff := cmp.Diff([]string{`1.5|1.5|{"at":1.5}`, `2.0|2.0|{"at":2.0}`, `True|True|{"at":true}`}, got); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// TestCommitInAQueryString ends the transaction that the statements before it in
// one string make up, as PostgreSQL does.
func TestCommitInAQueryString(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	script := func(sql string) error {
		ctx := t.Context()
		queries, err := s.Split(ctx, sql)
		for _, q := range queries {
			var st wire.Statement
			if st, err = s.Prepare(ctx, q, nil); err != nil {
				break
			}
			var p wire.Portal
			if p, err = st.Bind(ctx, nil); err == nil {
				_, err = drain(ctx, p)
				p.Close()
			}
			st.Close()
			if err != nil {
				break
			}
		}
		return errors.Join(err, s.Sync(ctx, err != nil))
	}
	for _, c := range []struct {
		sql, want string
		fails     bool
	}{
		{"INSERT INTO shelf VALUES ('a', 1); ROLLBACK; SELECT 1", "", false},
		{"INSERT INTO shelf VALUES ('b', 1); COMMIT; INSERT INTO shelf VALUES ('b', 2)", "b", true},
		{"INSERT INTO shelf VALUES ('c', 1); INSERT INTO shelf VALUES ('b', 2)", "b", true},
		{"INSERT INTO shelf VALUES ('d', 1); BEGIN; INSERT INTO shelf VALUES ('e', 2); COMMIT", "b,d,e", false},
	} {
		if err := script(c.sql); (err != nil) != c.fails {
			t.Errorf("%s: %v", c.sql, err)
		}
		if got := must(t, s, "SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM shelf"); got[0] != c.want {
			t.Errorf("after %s there are the shelves %q, want %q", c.sql, got, c.want)
		}
	}
}
