package gateway_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/column"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/wire"
)

// TestEachTransactionSeesItsCatalog reads the catalog by turns in sessions that are pinned to
// different versions of the schema, one with a change of its own. Each sees its own tables: in
// relations, in views of them and by functions.
func TestEachTransactionSeesItsCatalog(t *testing.T) {
	h := newHouse(t, nil)
	old, drafting, current := h.session(t, "onto"), h.session(t, "onto"), h.session(t, "onto")
	tables := func(s wire.Session) string {
		t.Helper()
		var all []string
		for _, sql := range []string{
			"SELECT relname FROM pg_class WHERE relname LIKE 'sight%' AND relkind = 'r' ORDER BY 1",
			"SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name LIKE 'sight%' ORDER BY 1",
			"SELECT DISTINCT table_name FROM information_schema.column_udt_usage WHERE table_schema = 'public' AND table_name LIKE 'sight%' ORDER BY 1",
			"SELECT name FROM unnest(ARRAY['sight_a', 'sight_b', 'sight_draft', 'sight_old']) AS n(name) WHERE to_regclass(name) IS NOT NULL ORDER BY 1",
		} {
			all = append(all, strings.Join(must(t, s, sql), " "))
		}
		for _, other := range all[1:] {
			if other != all[0] {
				t.Errorf("one session is told of these tables at once: %q", all)
				break
			}
		}
		return all[0]
	}
	must(t, current, "CREATE TABLE sight_old (id text PRIMARY KEY)")
	must(t, old, "BEGIN")
	must(t, old, "SELECT 1 FROM customer")
	must(t, current, "CREATE TABLE sight_a (id text PRIMARY KEY)")
	must(t, drafting, "BEGIN")
	must(t, drafting, "CREATE TABLE sight_draft (id text PRIMARY KEY)")
	must(t, current, "CREATE TABLE sight_b (id text PRIMARY KEY)")
	for range 3 {
		got := []string{tables(old), tables(current), tables(drafting)}
		if diff := cmp.Diff([]string{"sight_old", "sight_a sight_b sight_old", "sight_a sight_draft sight_old"}, got); diff != "" {
			t.Fatalf("tables of an older pin, of none, and of a change that is not committed (-want +got)\n%s", diff)
		}
	}
	var asking sync.WaitGroup
	for s, want := range map[wire.Session]string{old: "1", current: "3"} {
		asking.Go(func() {
			for range 50 {
				got, err := ask(t, s, "SELECT count(*) FROM pg_class WHERE relname LIKE 'sight%' AND relkind = 'r'")
				if err != nil || got[0] != want {
					t.Errorf("at once with another session: %q, %v; want %s tables", got, err, want)
					return
				}
			}
		})
	}
	asking.Wait()
	must(t, old, "COMMIT")
	must(t, drafting, "ROLLBACK")
	for _, s := range []wire.Session{old, drafting, current} {
		if got := tables(s); got != "sight_a sight_b sight_old" {
			t.Errorf("tables after the transactions: %q, want all that are committed", got)
		}
	}
}

// TestAPortalOfTheCatalogOutlivesItsVersion reads the catalog in pieces while others
// change the schema and look at it.
func TestAPortalOfTheCatalogOutlivesItsVersion(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	reader, other := h.session(t, "onto"), h.session(t, "onto")
	const sql = "SELECT attrelid, attnum FROM pg_attribute, generate_series(1, 3)"
	want, err := strconv.Atoi(must(t, reader, "SELECT count(*) FROM ("+sql+") x")[0])
	if err != nil {
		t.Fatal(err)
	}
	p := portalOf(t, reader, sql)
	first, err := p.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := first.Len
	for i := range 3 {
		must(t, other, fmt.Sprintf("CREATE TABLE later_%d (id text PRIMARY KEY)", i))
		must(t, other, "SELECT count(*) FROM pg_attribute")
	}
	rest, err := drain(t.Context(), p)
	if err != nil {
		t.Fatalf("the rest of the portal: %v", err)
	}
	p.Close()
	if got := n + len(rest); got != want {
		t.Errorf("the portal gave %d columns, want the %d that there were when it began", got, want)
	}
}

// TestVersionsOfTheCatalogAreDropped: however often the schema changes, the engine keeps
// the tables of the newest version and of those that a transaction sees.
func TestVersionsOfTheCatalogAreDropped(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s, old := h.session(t, "onto"), h.session(t, "onto")
	kept := func() int { return len(catalogTables(t, h)) }
	look := func(s wire.Session) {
		t.Helper()
		must(t, s, "SELECT count(*) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid JOIN information_schema.columns ON column_name = attname JOIN pg_operator o ON o.oid = 1")
	}
	look(s)
	first := kept()
	change := func(i int) {
		t.Helper()
		must(t, s, fmt.Sprintf("CREATE TABLE version_%d (id text PRIMARY KEY)", i))
		look(s)
	}
	change(0)
	if got := kept(); got != first {
		t.Errorf("after a change of the schema the engine has %d tables, and %d before it", got, first)
	}
	must(t, old, "BEGIN")
	look(old)
	for i := range 5 {
		change(i + 1)
	}
	if got := kept(); got != first+3 {
		t.Errorf("while a transaction sees an older version the engine has %d tables, want its 3 besides the newest version's %d", got, first)
	}
	look(old)
	must(t, old, "COMMIT")
	if got := kept(); got != first {
		t.Errorf("when nobody sees an older version any more the engine has %d tables, want %d", got, first)
	}
}

// catalogTables are the names of the engine's tables of pg_catalog and information_schema.
func catalogTables(t *testing.T, h *house) (names []string) {
	t.Helper()
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Each(t.Context(), "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'ontosql_catalog' ORDER BY 1", nil, func(b *column.Batch, i int) {
		names = append(names, string(b.Cols[0].Str[i]))
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestOrdinaryTablesLeaveTheRestOfTheCatalog: a session with temporary tables sees a catalog of
// its own, of which the engine loads anew only what is not the same for all. What the session
// alone saw is gone after it.
func TestOrdinaryTablesLeaveTheRestOfTheCatalog(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	other, s := h.session(t, "onto"), h.session(t, "onto")
	must(t, other, "SELECT 1 FROM pg_class")
	before := catalogTables(t, h)
	const columns = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema LIKE 'pg!_temp!_%' ESCAPE '!' ORDER BY 1, 2"
	var lasting []string
	for i, want := range []string{"t0|a", "t0|a t1|a", "t0|a t1|a t2|a"} {
		must(t, s, fmt.Sprintf("CREATE TEMP TABLE t%d (a integer)", i))
		if got := strings.Join(must(t, s, columns), " "); got != want {
			t.Errorf("the columns of temporary tables are %s, want %s", got, want)
		}
		now := catalogTables(t, h)
		now = slices.DeleteFunc(now, func(name string) bool {
			return slices.Contains(before, name) || !strings.HasPrefix(name, "information_schema__columns")
		})
		if i == 0 {
			lasting = now
		}
		if kept := slices.ContainsFunc(now, func(name string) bool { return slices.Contains(lasting, name) }); !kept {
			t.Errorf("none of the tables %s is left after another one was created: %s", lasting, now)
		}
	}
	if got := must(t, other, columns); len(got) != 0 {
		t.Errorf("another session sees the columns %s", got)
	}
	must(t, s, "DROP TABLE t0, t1, t2")
	if got := must(t, s, "SELECT count(*) FROM information_schema.columns"); got[0] != must(t, other, "SELECT count(*) FROM information_schema.columns")[0] {
		t.Errorf("after its temporary tables are dropped a session sees %s columns, and others do not", got)
	}
	after := catalogTables(t, h)
	if n := len(after) - len(before); n > 1 {
		t.Errorf("the engine has the tables %s, want those before and one with columns: %s", after, before)
	}
}
