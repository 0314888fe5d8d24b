package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/wire"
)

// watchedStore counts the looks at the head.
type watchedStore struct {
	storage.Store
	looks atomic.Int64
}

func (w *watchedStore) Pin(ctx context.Context) (*resolver.Pin, error) {
	w.looks.Add(1)
	return w.Store.Pin(ctx)
}

// inserts are prepared INSERTs of one session, next to another gateway of the same file.
type inserts struct {
	*testing.T
	path     string
	house    *house
	s, other wire.Session
	prepared map[string]wire.Statement
}

func newInserts(t *testing.T) *inserts {
	i := &inserts{T: t, path: emptyFile(t), prepared: map[string]wire.Statement{}}
	i.house = fileHouse(t, i.path, false)
	i.house.ending = true
	i.s, i.other = i.house.session(t, "onto"), fileHouse(t, i.path, false).session(t, "onto")
	must(t, i.s, `CREATE TABLE thing (id text PRIMARY KEY, n bigint NOT NULL, note text)`)
	must(t, i.s, `CREATE TABLE owns (left_key text REFERENCES thing, right_key text REFERENCES thing, slot text, w bigint, PRIMARY KEY (left_key, right_key, slot))`)
	return i
}

// run is what a statement, which is kept prepared, ends with: its tag or its error.
func (i *inserts) run(sql string, args ...string) string {
	i.Helper()
	st := i.prepared[sql]
	if st == nil {
		var err error
		if st, err = i.s.Prepare(i.Context(), wire.Query{SQL: sql}, nil); err != nil {
			i.Fatalf("%s: %v", sql, errors.Join(err, i.s.Sync(i.Context(), true)))
		}
		i.prepared[sql] = st
	}
	given := make([][]byte, len(args))
	for k := range args {
		if args[k] != "NULL" {
			given[k] = []byte(args[k])
		}
	}
	p, err := st.Bind(i.Context(), given)
	tag := ""
	if err == nil {
		_, err = drain(i.Context(), p)
		tag, _ = p.Tag()
		p.Close()
	}
	err = errors.Join(err, i.s.Sync(i.Context(), err != nil))
	var e *pgerr.Error
	if errors.As(err, &e) {
		return fmt.Sprint(e.Code, " ", e.Message, "; ", e.Detail, "; ", e.Hint, "; ", e.Constraint)
	}
	if err != nil {
		i.Fatalf("%s: %v", sql, err)
	}
	return tag
}

func (i *inserts) edit(sql string) {
	i.Helper()
	conn, err := lite.OpenConn(i.path, lite.OpenReadWrite)
	if err != nil {
		i.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, sql, nil); err != nil {
		i.Fatal(err)
	}
}

// TestInsertBlind compares an INSERT that is committed without a read of the store with one
// whose values the engine computes, after many changes of the file.
func TestInsertBlind(t *testing.T) {
	asksNoMirror(t)
	blind, looking := newInserts(t), newInserts(t)
	step := 0
	insert := func(sql, computed string, args ...string) {
		t.Helper()
		step++
		got, want := blind.run("INSERT INTO "+sql, args...), looking.run("INSERT INTO "+computed, args...)
		if got != want {
			t.Errorf("step %d, %s %q: ends with\n%s\nwhere computed values end with\n%s", step, sql, args, got, want)
		}
	}
	thing := func(args ...string) {
		t.Helper()
		insert("thing (id, n) VALUES ($1, $2)", "thing (id, n) VALUES ($1 || '', $2::bigint + 0)", args...)
	}
	two := func(args ...string) {
		t.Helper()
		insert("thing (id, n) VALUES ($1, $2), ($3, $2)", "thing (id, n) VALUES ($1 || '', $2::bigint + 0), ($3 || '', $2)", args...)
	}
	owns := func(args ...string) {
		t.Helper()
		insert("owns VALUES ($1, $2, $3, 1)", "owns VALUES ($1 || '', $2 || '', $3 || '', 1)", args...)
		insert("owns VALUES ($1, $2, $3, $4)", "owns VALUES ($1 || '', $2 || '', $3 || '', $4::bigint + 0)", append(args, "1")...)
	}
	on := func(who func(*inserts) wire.Session, sqls ...string) {
		t.Helper()
		for _, sql := range sqls {
			for _, i := range []*inserts{blind, looking} {
				must(t, who(i), sql)
			}
		}
	}
	itself := func(i *inserts) wire.Session { return i.s }
	other := func(i *inserts) wire.Session { return i.other }

	thing("a", "1")
	thing("a", "1")
	thing("b", "NULL")
	thing("NULL", "1")
	thing("b", "9223372036854775808")
	two("b", "1", "b")
	two("b", "1", "a")
	two("b", "1", "c")
	owns("a", "b", "x")
	owns("a", "nobody", "x")
	on(other, "INSERT INTO thing VALUES ('d', 1)", "INSERT INTO owns VALUES ('b', 'a', 'x', 1)")
	thing("d", "1")
	owns("b", "a", "x")
	thing("e", "1")
	for _, i := range []*inserts{blind, looking} {
		i.edit(`INSERT INTO commits (created_at) VALUES ('2027-01-01T00:00:00.000000+00:00');
			INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
			SELECT 'thing', 'f', '{"id": "f", "n": 1, "note": null}', max(id), 1 FROM commits`)
	}
	thing("f", "1")
	thing("g", "1")
	on(other, "ALTER TABLE thing ADD COLUMN more bigint DEFAULT 7")
	thing("h", "1")
	on(itself, "ALTER TABLE thing ALTER COLUMN n DROP NOT NULL")
	thing("i", "NULL")
	thing("j", "1")
	on(other, "UPDATE thing SET n = 0 WHERE n IS NULL", "ALTER TABLE thing ALTER COLUMN n SET NOT NULL")
	thing("k", "NULL")
	thing("k", "1")
	on(other, "ALTER TABLE thing ALTER COLUMN n TYPE text USING 'n' || n")
	thing("l", "1")
	on(other, "ALTER TABLE thing ALTER COLUMN n TYPE bigint USING 1")

	on(itself, "SET ontosql.as_of = '2'")
	thing("m", "1")
	on(itself, "RESET ontosql.as_of", "SET default_transaction_read_only = on")
	thing("m", "1")
	on(itself, "RESET default_transaction_read_only", "SET ontosql.expect_head = '3'")
	thing("m", "1")
	on(itself, "RESET ontosql.expect_head", "SET ontosql.on_conflict = 'nothing'")
	thing("a", "2")
	on(itself, "SET ontosql.on_conflict = 'update'")
	thing("a", "3")
	on(itself, "RESET ontosql.on_conflict", "SET default_transaction_isolation = 'serializable'")
	thing("n", "1")
	thing("n", "1")
	on(itself, "RESET default_transaction_isolation", "BEGIN")
	thing("o", "1")
	thing("o", "1")
	on(itself, "ROLLBACK")
	thing("o", "1")

	for _, i := range []*inserts{blind, looking} {
		i.edit(`INSERT INTO locks VALUES ('ontology_write', 'the original', '2027-01-01T00:00:00+00:00', '2100-01-01T00:00:00+00:00')`)
	}
	on(itself, "SET lock_timeout = '50ms'")
	thing("o", "1")
	thing("p", "1")
	for _, i := range []*inserts{blind, looking} {
		i.edit(`DELETE FROM locks`)
	}
	thing("p", "1")

	for _, who := range []func(*inserts) wire.Session{itself, other} {
		on(who, "SET ontosql.purge_history = on", "DROP TABLE owns", "DROP TABLE thing")
		thing("a", "1")
		on(who, "CREATE TABLE thing (id text PRIMARY KEY, n bigint NOT NULL, note text)",
			"CREATE TABLE owns (left_key text REFERENCES thing, right_key text REFERENCES thing, slot text, w bigint, PRIMARY KEY (left_key, right_key, slot))")
		thing("a", "1")
		thing("a", "1")
		owns("a", "b", "x")
		on(who, "DROP TABLE owns", "DROP TABLE thing", `CREATE TABLE thing (note text, n bigint, id text PRIMARY KEY)`,
			"CREATE TABLE owns (left_key text REFERENCES thing, right_key text REFERENCES thing, slot text, w bigint, PRIMARY KEY (left_key, right_key, slot))")
		thing("a", "NULL")
		thing("q", "1")
	}
	// A gateway that comes now sees nothing of what was purged.
	want, got := fileHouse(t, looking.path, false).session(t, "onto"), fileHouse(t, blind.path, false).session(t, "onto")
	for _, sql := range []string{
		"SELECT id, n, commit_id, fields_json FROM history.thing ORDER BY id, commit_id", "SELECT * FROM history.owns ORDER BY left_key, right_key",
		"SELECT commit_id, types, row_count FROM ontosql.commits ORDER BY 1",
	} {
		if diff := cmp.Diff(must(t, want, sql), must(t, got, sql)); diff != "" {
			t.Errorf("%s of computed values (-) and of parameters (+):\n%s", sql, diff)
		}
	}
}

// TestWarmInsertIsBlind counts the looks at the file.
func TestWarmInsertIsBlind(t *testing.T) {
	asksNoMirror(t)
	i := newInserts(t)
	const sql = "INSERT INTO thing (id, n) VALUES ($1, $2)"
	i.run(sql, "first", "1")
	looks := i.house.store.looks.Load()
	for n := range 20 {
		if got := i.run(sql, fmt.Sprint("k", n), "1"); got != "INSERT 0 1" {
			t.Fatal(got)
		}
	}
	if n := i.house.store.looks.Load() - looks; n > 0 {
		t.Errorf("20 rows took %d looks at the file, want none", n)
	}
	answers(t, i.s, "SELECT count(*) FROM thing", "21")
}

// TestBlindInsertsMeet inserts the same keys at the same time through two gateways: one INSERT
// of each key succeeds, the others get 23505.
func TestBlindInsertsMeet(t *testing.T) {
	asksNoMirror(t)
	first := newInserts(t)
	all := []*inserts{first}
	for range 5 {
		h := fileHouse(t, first.path, false)
		if len(all) < 3 {
			h = first.house
		}
		h.ending = true
		all = append(all, &inserts{T: t, path: first.path, house: h, s: h.session(t, "onto"), prepared: map[string]wire.Statement{}})
	}
	const keys = 60
	var done, exists atomic.Int64
	var wg sync.WaitGroup
	for _, i := range all {
		wg.Go(func() {
			for n := range keys {
				switch got := i.run("INSERT INTO thing (id, n) VALUES ($1, $2)", fmt.Sprint("k", n), "1"); got {
				case "INSERT 0 1":
					done.Add(1)
				case fmt.Sprintf("23505 duplicate key value violates unique constraint %q; Key (id)=(k%d) already exists.; ; thing_pkey", "thing_pkey", n):
					exists.Add(1)
				default:
					t.Error(got)
				}
			}
		})
	}
	wg.Wait()
	if done.Load() != keys || exists.Load() != int64(keys*(len(all)-1)) {
		t.Errorf("%d were inserted and %d told that they exist, of %d keys by %d", done.Load(), exists.Load(), keys, len(all))
	}
	answers(t, first.s, "SELECT count(*), count(DISTINCT id) FROM history.thing", "60|60")
}
