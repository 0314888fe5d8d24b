package gateway_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestSchemaOfATransaction changes the schema in a transaction. The transaction sees the change
// at once, in tables and in the catalog; other sessions see it after COMMIT.
func TestSchemaOfATransaction(t *testing.T) {
	h := newHouse(t, shop(t))
	a, b := h.session(t, "onto"), h.session(t, "onto")
	must(t, a, "INSERT INTO shelf VALUES ('old', 1)")
	columns := func(s wire.Session) string {
		return strings.Join(must(t, s, "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'shelf' ORDER BY ordinal_position"), " ")
	}
	before := columns(b)
	succeeds(t, a, "BEGIN", "ALTER TABLE shelf ADD COLUMN wood text DEFAULT 'oak'", "CREATE TABLE room (id text PRIMARY KEY, size bigint DEFAULT 7)")
	tagged(t, a, "INSERT INTO room (id) VALUES ('hall')", "INSERT 0 1")
	for _, s := range []struct {
		session wire.Session
		columns string
		tables  []string
	}{{a, before + " wood", []string{"room", "shelf"}}, {b, before, []string{"shelf"}}} {
		if got := columns(s.session); got != s.columns {
			t.Errorf("the columns are %q, want %q", got, s.columns)
		}
		if diff := cmp.Diff(s.tables, must(t, s.session, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname IN ('room', 'shelf') ORDER BY 1")); diff != "" {
			t.Errorf("tables (-want +got):\n%s", diff)
		}
	}
	answers(t, a, "SELECT wood || size FROM shelf, room", "oak7")
	refused(t, b, pgerr.UndefinedTable, "SELECT * FROM room")
	refused(t, b, pgerr.UndefinedColumn, "SELECT wood FROM shelf")
	succeeds(t, a, "COMMIT")
	answers(t, b, "SELECT wood || size FROM shelf, room", "oak7")
	answers(t, b, "SELECT count(*) FROM ontosql.commits WHERE types @> ARRAY['Shelf', 'room']", "1")
}

// TestSchemaIsRolledBack goes back behind changes of the schema, to a savepoint and
// altogether.
func TestSchemaIsRolledBack(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	must(t, s, "INSERT INTO shelf VALUES ('old', 1)")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO shelf VALUES ('new', 2)", "INSERT 0 1")
	succeeds(t, s, "SAVEPOINT one", "ALTER TABLE shelf ALTER COLUMN height TYPE text USING 'h' || height")
	tagged(t, s, "INSERT INTO shelf VALUES ('text', 'h3')", "INSERT 0 1")
	succeeds(t, s, "SAVEPOINT two", "ALTER TABLE shelf RENAME COLUMN height TO h")
	tagged(t, s, "UPDATE shelf SET h = 'x' WHERE name = 'new'", "UPDATE 1")
	answers(t, s, "SELECT name || h FROM shelf ORDER BY 1", "newx", "oldh1", "texth3")
	succeeds(t, s, "ROLLBACK TO two")
	answers(t, s, "SELECT name || height FROM shelf ORDER BY 1", "newh2", "oldh1", "texth3")
	succeeds(t, s, "ROLLBACK TO one")
	answers(t, s, "SELECT name || (height + 1) FROM shelf ORDER BY 1", "new3", "old2")
	succeeds(t, s, "ROLLBACK")
	answers(t, s, "SELECT name || height FROM shelf", "old1")
	answers(t, s, "SELECT max(commit_id) FROM ontosql.commits", "2")
}

// TestMigrationsAtOnce lets two transactions change one type: the first to commit
// wins. What is a statement alone is run again.
func TestMigrationsAtOnce(t *testing.T) {
	h := newHouse(t, shop(t))
	a, b := h.session(t, "onto"), h.session(t, "onto")
	must(t, a, "INSERT INTO shelf VALUES ('s', 1)")
	for _, sql := range []string{"ADD COLUMN one text", "DROP COLUMN height", "ALTER COLUMN one SET DEFAULT 'x'"} {
		succeeds(t, a, "BEGIN")
		succeeds(t, b, "BEGIN")
		tagged(t, a, "ALTER TABLE shelf "+sql, "ALTER TABLE")
		succeeds(t, b, "ALTER TABLE shelf ADD COLUMN two text")
		succeeds(t, a, "COMMIT")
		refused(t, b, pgerr.SerializationFailure, "COMMIT")
	}
	succeeds(t, a, "BEGIN", "ALTER TABLE shelf ADD COLUMN three text")
	h.ending = true
	succeeds(t, b, "ALTER TABLE shelf ADD COLUMN four text")
	h.ending = false
	refused(t, a, pgerr.SerializationFailure, "COMMIT")
	answers(t, b, "SELECT one, four FROM shelf", "NULL|NULL")
}

// TestLaterMigrationIsTold migrates a type in two transactions. The second gets the error about
// a concurrent schema change, and not one about rows.
func TestLaterMigrationIsTold(t *testing.T) {
	const told = `Commit 2 changed the schema of type "Shelf", which was read at commit 1.`
	for _, c := range []struct{ first, second, detail string }{
		{"ALTER TABLE shelf ADD COLUMN a int8", "ALTER TABLE shelf ADD COLUMN b int8", told},
		{"ALTER TABLE shelf ADD COLUMN a int8", "ALTER TABLE shelf ALTER COLUMN name SET DEFAULT 'x'", told},
		{"ALTER TABLE shelf ADD COLUMN a int8 DEFAULT 1", "ALTER TABLE shelf ADD COLUMN b int8", told},
		{"ALTER TABLE shelf ADD COLUMN a int8", "DROP TABLE shelf CASCADE", told},
		{"ALTER TABLE shelf ADD COLUMN a int8", "INSERT INTO shelf VALUES ('a', 1)", "Schema of entity:Shelf is version 2, expected 1."},
	} {
		t.Run(c.first+"; "+c.second, func(t *testing.T) {
			h := newHouse(t, shop(t))
			a, b := h.session(t, "onto"), h.session(t, "onto")
			must(t, a, "BEGIN")
			must(t, b, "BEGIN")
			must(t, a, c.first)
			must(t, b, c.second)
			succeeds(t, a, "COMMIT")
			e := refused(t, b, pgerr.SerializationFailure, "COMMIT")
			if e.Message != "could not serialize access due to concurrent schema change" || e.Detail != c.detail {
				t.Errorf("%s, detail %s", e.Message, e.Detail)
			}
		})
	}
}

// TestTablesAtOnce creates one table in two transactions: the second to commit gets 42P07.
func TestTablesAtOnce(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, shop(t))
	a, b := h.session(t, "onto"), h.session(t, "onto")
	for _, s := range []wire.Session{a, b} {
		succeeds(t, s, "BEGIN", "CREATE TABLE room (id text PRIMARY KEY)")
	}
	succeeds(t, a, "COMMIT")
	if e := refused(t, b, pgerr.DuplicateTable, "COMMIT"); e.Message != `relation "room" already exists` {
		t.Errorf("the second is told %s", e.Message)
	}
}

// TestWritersMeetAMigration lets a transaction write to a type that another one
// migrates, either way round.
func TestWritersMeetAMigration(t *testing.T) {
	h := newHouse(t, shop(t))
	a, b := h.session(t, "onto"), h.session(t, "onto")
	must(t, a, "INSERT INTO shelf VALUES ('s', 1)")
	succeeds(t, a, "BEGIN")
	tagged(t, a, "INSERT INTO shelf VALUES ('t', 1)", "INSERT 0 1")
	must(t, b, "ALTER TABLE shelf ADD COLUMN wood text DEFAULT 'oak'")
	refused(t, a, pgerr.SerializationFailure, "COMMIT")
	succeeds(t, a, "BEGIN", "ALTER TABLE shelf ALTER COLUMN wood TYPE text USING upper(wood)")
	must(t, b, "INSERT INTO shelf VALUES ('u', 1)")
	refused(t, a, pgerr.SerializationFailure, "COMMIT") // its rows lack the new one
	answers(t, a, "SELECT name || wood FROM shelf ORDER BY 1", "soak", "uoak")
	succeeds(t, a, "BEGIN", "SET LOCAL ontosql.purge_history = on", "DROP TABLE shelf CASCADE")
	must(t, b, "INSERT INTO shelf VALUES ('v', 1)")
	refused(t, a, pgerr.SerializationFailure, "COMMIT")
}

// TestPreparedBeforeAMigration executes statements that were prepared under another
// schema.
func TestPreparedBeforeAMigration(t *testing.T) {
	h := newHouse(t, shop(t))
	a, b := h.session(t, "onto"), h.session(t, "onto")
	h.ending = true
	prepare := func(sql string) wire.Statement {
		t.Helper()
		st, err := a.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
		if err != nil {
			t.Fatal(err)
		}
		described(t, st)
		return st
	}
	all, some := prepare("SELECT * FROM shelf"), prepare("SELECT height FROM shelf")
	insert := prepare("INSERT INTO shelf (name, height) VALUES ($1, 4)")
	if err := a.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	must(t, b, "ALTER TABLE shelf ADD COLUMN wood text DEFAULT 'oak' NOT NULL")
	if _, err := bindAndRun(t, a, insert, "s"); err != nil {
		t.Errorf("an INSERT of before: %v", err)
	}
	if got, err := bindAndRun(t, a, some); err != nil || !cmp.Equal(got, []string{"4"}) {
		t.Errorf("a SELECT of the same columns: %q, %v", got, err)
	}
	_, err := bindAndRun(t, a, all)
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.FeatureNotSupported || e.Message != "cached plan must not change result type" {
		t.Errorf("a SELECT of other columns: %v", err)
	}
	answers(t, a, "SELECT wood FROM shelf", "oak")
}

// TestOrderOfColumnsStays changes columns of a type of which SQL has declared nothing:
// each stays where it is.
func TestOrderOfColumnsStays(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	const columns = "SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'item'"
	for _, sql := range []string{
		"COMMENT ON COLUMN item.title IS 'as printed'",
		"ALTER TABLE item ALTER COLUMN title SET DEFAULT 'none'",
		"ALTER TABLE item ALTER COLUMN title DROP DEFAULT",
		"ALTER TABLE item ALTER COLUMN title TYPE varchar(40)",
		"ALTER TABLE item ALTER COLUMN raw SET NOT NULL",
		"ALTER TABLE item DROP COLUMN code, ALTER COLUMN title SET DEFAULT 'none'",
	} {
		succeeds(t, s, "BEGIN")
		want := must(t, s, columns)
		if strings.Contains(sql, "DROP COLUMN code") {
			want[0] = strings.Replace(want[0], "code ", "", 1)
		}
		must(t, s, sql)
		if diff := cmp.Diff(want, must(t, s, columns)); diff != "" {
			t.Errorf("%s: columns (-want +got):\n%s", sql, diff)
		}
		succeeds(t, s, "ROLLBACK")
	}
}

// TestLargeMigration rewrites more rows than are kept in memory one by one.
func TestLargeMigration(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	const rows = 150_000
	must(t, s, fmt.Sprintf("INSERT INTO shelf SELECT 's' || g, g FROM generate_series(1, %d) AS g", rows))
	must(t, s, "ALTER TABLE shelf ALTER COLUMN height TYPE text USING 'h' || height, ADD COLUMN wood text DEFAULT 'oak'")
	want := []string{fmt.Sprintf("%d|%d", rows, rows)}
	if got := must(t, s, "SELECT count(*), count(*) FILTER (WHERE height = 'h' || substr(name, 2) AND wood = 'oak') FROM shelf"); !cmp.Equal(got, want) {
		t.Errorf("after the migration the rows are %q, want %q", got, want)
	}
	e := refused(t, s, pgerr.InvalidTextRepresentation, "ALTER TABLE shelf ALTER COLUMN height TYPE bigint USING CASE name WHEN 's77777' THEN height ELSE substr(height, 2) END::bigint")
	if e.Detail != "Key (name)=(s77777)." {
		t.Errorf("the row that cannot be migrated is told as %q", e.Detail)
	}
	answers(t, s, "SELECT max(commit_id) FROM ontosql.commits", "3")
}

// TestTableWithRowsIsNotDropped refuses to drop a type whose only rows were written by the commit that
// dropped the type of this name before.
func TestTableWithRowsIsNotDropped(t *testing.T) {
	for name, open := range map[string]func() *house{
		"bucket": func() *house { return newHouse(t, shop(t)) },
		"file":   func() *house { return fileHouse(t, emptyFile(t), false) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open().session(t, "onto")
			const create = "CREATE TABLE fleet (id text PRIMARY KEY)"
			succeeds(t, s, create, "BEGIN", "DROP TABLE fleet", create, "DROP TABLE fleet", create)
			must(t, s, "INSERT INTO fleet VALUES ('a')")
			must(t, s, "COMMIT")
			refused(t, s, pgerr.ObjectNotInPrerequisiteState, "DROP TABLE fleet")
			succeeds(t, s, "SET ontosql.purge_history = on", "BEGIN", "DROP TABLE fleet", create, "RESET ontosql.purge_history", "DROP TABLE fleet", create, "COMMIT", "DROP TABLE fleet", create)
		})
	}
}

// TestKeysOfADroppedTableAreFree writes keys again that the dropped table had, in the
// transaction that drops and creates it, and after it, row by row and as a load.
func TestKeysOfADroppedTableAreFree(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	must(t, s, "SET ontosql.purge_history = on")
	must(t, s, "CREATE TABLE fleet (id text PRIMARY KEY, n bigint)")
	must(t, s, "INSERT INTO fleet VALUES ('a', 1), ('b', 2)")
	must(t, s, "BEGIN")
	must(t, s, "DROP TABLE fleet")
	must(t, s, "CREATE TABLE fleet (id text PRIMARY KEY, m text)")
	must(t, s, "INSERT INTO fleet VALUES ('a', 'x')")
	must(t, s, "INSERT INTO fleet SELECT 'b', 'y' UNION ALL SELECT 'k' || g, 'z' FROM generate_series(1, 5000) AS g")
	refused(t, s, pgerr.UniqueViolation, "INSERT INTO fleet VALUES ('b', 'x')")
	must(t, s, "ROLLBACK")
	must(t, s, "DROP TABLE fleet")
	must(t, s, "CREATE TABLE fleet (id text PRIMARY KEY, m text)")
	must(t, s, "INSERT INTO fleet VALUES ('a', 'x')")
	if diff := cmp.Diff([]string{"a|x"}, must(t, s, "SELECT id, m FROM fleet")); diff != "" {
		t.Errorf("the table made anew (-want +got):\n%s", diff)
	}
}
