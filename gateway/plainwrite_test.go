package gateway_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/wire"
)

// accounts are the types of the tests of writes by key.
var accounts = []string{
	`CREATE TABLE account (id text PRIMARY KEY, name text NOT NULL, hits bigint, score float8, active boolean DEFAULT true,
		note text DEFAULT 'new', seen timestamptz, doc jsonb, code varchar(5), price numeric(10, 2), born date, ref uuid)`,
	"CREATE TABLE counter (n bigint PRIMARY KEY, at bigint NOT NULL DEFAULT 7, label text)",
}

// clientSees runs a prepared statement and prints all that a client sees of it.
func clientSees(t testing.TB, s wire.Session, sql string, oids []uint32, args []string) string {
	t.Helper()
	ctx := t.Context()
	show := func(rows []string, tag string, err error) string {
		var e *pgerr.Error
		if errors.As(err, &e) {
			return fmt.Sprintf("%s %s (%s; %s) at %d, %s.%s.%s %s in %s", e.Code, e.Message, e.Detail, e.Hint, e.Position, e.Schema, e.Table, e.Column, e.Constraint, e.Where)
		}
		return fmt.Sprintf("%q %s %v", rows, tag, err)
	}
	st, err := s.Prepare(ctx, wire.Query{SQL: sql}, oids)
	if err != nil {
		return show(nil, "", errors.Join(err, s.Sync(ctx, true)))
	}
	defer st.Close()
	values := make([][]byte, len(args))
	for i, a := range args {
		if a != "NULL" {
			values[i] = []byte(a)
		}
	}
	p, err := st.Bind(ctx, values)
	if err != nil {
		return show(nil, "", errors.Join(err, s.Sync(ctx, true)))
	}
	defer p.Close()
	rows, err := drain(ctx, p)
	tag, _ := p.Tag()
	return show(rows, tag, errors.Join(err, s.Sync(ctx, err != nil)))
}

// writes makes random writes by key, with the parameters $1 to $9: a key, a bigint, a text, a double
// precision, a date, a uuid, a time, a numeric and a jsonb.
type writes struct{ *rand.Rand }

var writeOIDs = []uint32{types.Text, types.Int8, types.Text, types.Float8, types.Date, types.UUID, types.TimestampTZ, types.Numeric, types.JSONB}

func (r writes) one(of ...string) string { return of[r.IntN(len(of))] }

func (r writes) args() []string {
	return []string{
		r.one("k0", "k1", "k2", "k3", "k4", "", "NULL"),
		r.one("0", "1", "5", "-3", "9223372036854775807", "NULL"),
		r.one("x", "", "ä'\"", "NULL"),
		r.one("0.5", "NaN", "-0", "inf", "1e308", "NULL"),
		r.one("2026-02-28", "0044-03-15", "infinity", "NULL"),
		r.one("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "00000000-0000-0000-0000-000000000000", "NULL"),
		r.one("2026-02-28 23:59:59.999999+02", "1900-01-01", "-infinity", "NULL"),
		r.one("0", "-1.255", "12.50", "99999999.996", "0.00000000000000001", "NULL"),
		r.one(`{"b": [1.50], "a": {}}`, "null", `"ä"`, "NULL"),
	}
}

// value is an expression for a column. row is the name of the row that it may name, "" for none.
func (r writes) value(column, row string) string {
	of := map[string][]string{
		"name": {"$3", "'n'", "$1"}, "note": {"$3", "NULL", "'note'", "DEFAULT"}, "hits": {"$2", "1", "NULL", "-5", "$2 + 1"},
		"score": {"$4", "1", "'2.5'", "NULL", "$4 * 2", "1.5", "-0.1"}, "active": {"true", "$2 > 0", "NULL", "DEFAULT"},
		"code": {"'abc'", "$3", "'toolong'"}, "price": {"1.25", "$2", "$8", "NULL"}, "doc": {`'{"a": 1}'`, "$9", "NULL"}, "seen": {"'2026-01-02 03:04:05Z'", "'2026-01-02T03:04+05:30'", "NULL", "$7"},
		"born": {"$5", "'2026-02-28'", "'1/2/2026'", "NULL"}, "ref": {"$6", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "NULL"},
	}[column]
	if row != "" {
		of = append(of, map[string][]string{
			"name": {row + "name || $3", row + "name || '!'", "coalesce(" + row + "note, 'none')"}, "note": {row + "note", row + "note || $3", "coalesce(" + row + "note, $3)"},
			"hits": {row + "hits + $2", row + "hits * 2", row + "hits - 1", "coalesce(" + row + "hits, 0) + 1"}, "score": {row + "score + $4", row + "score * 2", row + "hits + 1", row + "score - 2.25"},
			"active": {"NOT " + row + "active", row + "hits > $2", row + "note IS NULL"}, "doc": {row + "doc"}, "seen": {row + "seen"}, "price": {row + "price", row + "price + $8", "coalesce(" + row + "price, 0) - 1"}, "code": {row + "code"},
			"born": {row + "born", "coalesce(" + row + "born, $5)"}, "ref": {row + "ref", "coalesce(" + row + "ref, $6)"},
		}[column]...)
	}
	return r.one(of...)
}

// set is a list of assignments.
func (r writes) set(rows ...string) string {
	usual := []string{"name", "note", "hits", "score", "active"}
	columns := append(usual, usual...)
	columns = append(columns, "code", "price", "doc", "seen", "seen", "born", "born", "ref", "ref")
	r.Shuffle(len(columns), func(i, k int) { columns[i], columns[k] = columns[k], columns[i] })
	var list []string
	seen := map[string]bool{}
	for _, c := range columns[:1+r.IntN(3)] {
		if !seen[c] {
			list = append(list, c+" = "+r.value(c, r.one(rows...)))
		}
		seen[c] = true
	}
	return strings.Join(list, ", ")
}

// statement is one write.
func (r writes) statement() string {
	returning := r.one("", "", " RETURNING *", " RETURNING id, hits + 1, name || '?'", " RETURNING id, fields_json", " RETURNING note IS NULL, score")
	columns := []string{"name", "note", "hits", "score", "active", "born", "ref", "seen", "code", "price", "doc"}
	given := columns[:1+r.IntN(8)]
	if r.IntN(8) == 0 {
		given = columns[:1+r.IntN(len(columns))]
	}
	row := func(key string) string {
		cells := []string{key}
		for _, c := range given {
			cells = append(cells, r.value(c, ""))
		}
		return "(" + strings.Join(cells, ", ") + ")"
	}
	insert := "INSERT INTO account AS a (id, " + strings.Join(given, ", ") + ") VALUES " + row("$1")
	if r.IntN(4) == 0 {
		insert += ", " + row(r.one("'k1'", "'k5'", "'k' || $2"))
	}
	update := "UPDATE account SET " + r.set("", "account.") + " WHERE id = $1"
	switch r.IntN(8) {
	case 0:
		return insert + returning
	case 1:
		return insert + r.one(" ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO NOTHING") + returning
	case 2, 3, 4:
		return insert + " ON CONFLICT (id) DO UPDATE SET " + r.set("a.", "excluded.", "excluded.") + r.one("", "", " WHERE a.hits IS NULL OR a.hits < 100", " WHERE excluded.note <> a.note") + returning
	case 5:
		return update + r.one(" AND hits > 0", " AND note = $3", " AND (active OR score IS NULL)") + returning
	case 6:
		if r.IntN(3) > 0 {
			return update + returning
		}
		return r.one("INSERT INTO counter (n) VALUES ($2)", "UPDATE counter SET at = at + $2, label = coalesce(label, '') || $3 WHERE n = 5 RETURNING *",
			"INSERT INTO counter VALUES ($2, 1, $3) ON CONFLICT (n) DO UPDATE SET at = counter.at + excluded.at RETURNING n, at", "UPDATE counter SET label = $1 WHERE n = $2")
	}
	return update + returning
}

// TestWritesByKeyLikeTheEngine runs random writes by key in a house with a row store, and in one
// whose engine computes all of them, alone and in transactions with savepoints. What the client
// sees and what is stored afterwards is the same.
func TestWritesByKeyLikeTheEngine(t *testing.T) {
	t.Run("objects", func(t *testing.T) { writesByKeyLikeTheEngine(t, newHouse(t, nil), openHouse(t, nil, false)) })
	t.Run("file", func(t *testing.T) {
		writesByKeyLikeTheEngine(t, fileHouse(t, emptyFile(t), true), fileHouse(t, emptyFile(t), false))
	})
}

func writesByKeyLikeTheEngine(t *testing.T, keyed, plain *house) {
	a, b := keyed.session(t, "onto"), plain.session(t, "onto")
	for _, s := range []wire.Session{a, b} {
		succeeds(t, s, accounts...)
		must(t, s, "INSERT INTO account SELECT 'k' || g, 'name ' || g, g, g, true FROM generate_series(0, 3) AS g")
		must(t, s, "INSERT INTO counter VALUES (5, 5, NULL)")
	}
	inRowStore(t, a, "SELECT * FROM account WHERE id = 'k1'")
	inRowStore(t, a, "SELECT * FROM counter WHERE n = 5")
	keyed.ending, plain.ending = true, true
	r := writes{rand.New(rand.NewPCG(29, 4))}
	both := func(sql string, args ...string) {
		t.Helper()
		oids := writeOIDs[:len(args)]
		got, want := clientSees(t, a, sql, oids, args), clientSees(t, b, sql, oids, args)
		if got != want {
			t.Fatalf("%s %q:\ngot      %s\nengine's %s", sql, args, got, want)
		}
	}
	failures := 0
	for range 120 {
		if r.IntN(3) > 0 {
			both(r.statement()+" ", r.args()...)
			continue
		}
		both("BEGIN")
		for n := range 1 + r.IntN(4) {
			both("SAVEPOINT s" + strconv.Itoa(n))
			sql, args := r.statement(), r.args()
			if got := clientSees(t, a, sql, writeOIDs, args); got != clientSees(t, b, sql, writeOIDs, args) {
				t.Fatalf("%s %q in a transaction: got %s", sql, args, got)
			} else if !strings.HasPrefix(got, "[") || r.IntN(5) == 0 {
				failures++
				both("ROLLBACK TO s" + strconv.Itoa(n))
			}
		}
		both(r.one("COMMIT", "COMMIT", "ROLLBACK"))
	}
	for _, sql := range []string{
		"SELECT entity_key, commit_id, fields_json FROM history.account ORDER BY 1, 2",
		"SELECT entity_key, commit_id, fields_json FROM history.counter ORDER BY 1, 2",
	} {
		if diff := cmp.Diff(must(t, b, sql), must(t, a, sql)); diff != "" {
			t.Errorf("%s (-engine +row store):\n%s", sql, diff)
		}
	}
	computed := must(t, a, "SELECT count(*) FROM ontosql.statements WHERE source = 'row store' AND query ~ '^(UPDATE|INSERT)'")[0]
	if n, err := strconv.Atoi(computed); err != nil || n == 0 && !rowStoreIsOff() { // the row store may be behind the last commits
		t.Errorf("%s writes were computed with the row store, %v", computed, err)
	}
	t.Logf("%s writes with the row store, %d rolled back", computed, failures)
}

// TestNoUpdateByKeyIsLost has sessions count in the same rows at once, alone and in transactions:
// no increment is lost, and a transaction that is overtaken is refused with 40001.
func TestNoUpdateByKeyIsLost(t *testing.T) {
	h := newHouse(t, nil)
	h.ending = true
	first := h.session(t, "onto")
	succeeds(t, first, accounts...)
	must(t, first, "INSERT INTO counter SELECT g, 0, 'c' FROM generate_series(1, 3) AS g")
	inRowStore(t, first, "SELECT * FROM counter WHERE n = 1")
	const sessions, rounds = 4, 15
	var group sync.WaitGroup
	counts := make([][]int, sessions)
	for i := range sessions {
		s := h.session(t, "onto")
		counts[i] = make([]int, 4)
		group.Go(func() {
			for round := range rounds {
				n := 1 + (i+round)%3
				sql := fmt.Sprintf("UPDATE counter SET at = at + 1 WHERE n = %d", n)
				if round%3 == 2 {
					sql = fmt.Sprintf("INSERT INTO counter VALUES (%d, 1) ON CONFLICT (n) DO UPDATE SET at = counter.at + excluded.at", n)
				}
				statements := []string{sql}
				if round%2 > 0 {
					statements = []string{"BEGIN", sql, "COMMIT"}
				}
				var err error
				for _, sql := range statements {
					if _, failed := ask(t, s, sql); err == nil {
						err = failed
					}
				}
				var e *pgerr.Error
				switch {
				case err == nil:
					counts[i][n]++
				case len(statements) == 1 || !errors.As(err, &e) || e.Code != pgerr.SerializationFailure:
					t.Errorf("%q: %v", statements, err)
				}
			}
		})
	}
	group.Wait()
	for n := 1; n <= 3; n++ {
		want := 0
		for i := range counts {
			want += counts[i][n]
		}
		answers(t, first, fmt.Sprintf("SELECT at FROM counter WHERE n = %d", n), strconv.Itoa(want))
	}
}

// TestExplainTellsOfWritesByKey: EXPLAIN says which writes find their rows in the row store.
func TestExplainTellsOfWritesByKey(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	succeeds(t, s, accounts...)
	must(t, s, "INSERT INTO account (id, name, hits) VALUES ('k1', 'n', 1)")
	inRowStore(t, s, "SELECT * FROM account WHERE id = 'k1'")
	for sql, want := range map[string]bool{
		"UPDATE account SET hits = hits + 1, score = 1.5 WHERE id = 'k1'":                                                      true,
		"INSERT INTO account (id, name) VALUES ('k1', 'm') ON CONFLICT (id) DO UPDATE SET name = excluded.name":                true,
		"UPDATE account SET hits = length(name) WHERE id = 'k1'":                                                               false,
		"UPDATE account SET hits = hits + 1 WHERE hits > 0":                                                                    false,
		"INSERT INTO account (id, name) SELECT id, 'm' FROM account ON CONFLICT (id) DO UPDATE SET name = excluded.name":       false,
		"UPDATE account SET hits = 1 FROM counter WHERE account.id = 'k1' AND counter.n = account.hits RETURNING account.hits": false,
	} {
		plan := strings.Join(must(t, s, "EXPLAIN "+sql), "\n")
		if got := strings.Contains(plan, "Point: row store"); got != want && !rowStoreIsOff() {
			t.Errorf("%s: row store %v, want %v:\n%s", sql, got, want, plan)
		}
	}
	if rows := must(t, s, "SELECT hits, name FROM account"); fmt.Sprint(rows) != "[1|n]" {
		t.Errorf("EXPLAIN has written: %s", rows)
	}
}
