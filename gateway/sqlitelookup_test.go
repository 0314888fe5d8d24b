package gateway_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// foreignRows is a file with types of every kind of column, which another program has
// filled: commits 3 to 12 have versions of things and of what they own.
func foreignRows(t *testing.T) string {
	t.Helper()
	path := emptyFile(t)
	t.Run("the types are made", func(t *testing.T) {
		s := fileHouse(t, path, false).session(t, "onto")
		must(t, s, `CREATE TABLE "Thing" (id text PRIMARY KEY, "Name" text, n bigint, f double precision, yes boolean, born date, seen timestamptz,
			tag uuid, raw bytea, cost numeric, doc jsonb)`)
		must(t, s, `CREATE TABLE "Owns" (left_key text REFERENCES thing, right_key text REFERENCES thing, slot text, w bigint, PRIMARY KEY (left_key, right_key, slot))`)
	})
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run := func(sql string, args ...any) {
		if err := sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	thing := func(key, fields string, commit int, version any) {
		run("INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Thing', ?, ?, ?, ?)", key, fields, commit, version)
	}
	for commit := 3; commit <= 12; commit++ {
		run("INSERT INTO commits VALUES (?, '2027-01-01T00:00:00.000000+00:00', NULL)", commit)
		thing("often", fmt.Sprintf(`{"id": "often", "n": %d, "f": %d.25}`, commit, commit), commit, 1)
		run("INSERT INTO relation_history (relation_type, left_key, right_key, instance_key, fields_json, commit_id, schema_version_id) VALUES ('Owns', 'often', ?, 'a', ?, ?, 1)",
			fmt.Sprint("k", commit%3), fmt.Sprintf(`{"slot": "a", "w": %d}`, commit), commit)
	}
	for key, fields := range thingsTold {
		thing(key, fields, 12, 1)
	}
	thing("before", `{"id": "before", "n": 1}`, 12, 1)
	thing("twice", `{"id": "twice", "n": 1}`, 11, 1)
	thing("twice", `{"id": "twice", "n": 2}`, 11, 1)
	return path
}

// thingsTold are images by key. What is no value of its column's type is read as NULL,
// and told.
var thingsTold = map[string]string{
	"all": `{"id": "all", "Name": "Zoë \"Z\" \\ \ud83d\ude00", "n": -7, "f": 1e-07, "yes": true, "born": "2026-02-28", "seen": "2026-02-28T23:59:59.999999+00:00",
		"tag": "00112233-4455-6677-8899-aabbccddeeff", "raw": "AAEC", "cost": "12.5", "doc": {"a": [1, 2.5, null]}}`,
	"nulls":     `{"id": "nulls", "Name": null, "n": null, "f": null, "yes": null, "born": null, "seen": null, "tag": null, "raw": null, "cost": null, "doc": null}`,
	"missing":   `{"id": "missing"}`,
	"whole":     `{"id": "whole", "f": 3, "n": 9007199254740993}`,
	"most":      `{"id": "most", "n": 9223372036854775807, "f": 1.7976931348623157e+308}`,
	"beyond":    `{"id": "beyond", "n": 9223372036854775808}`,
	"huge":      `{"id": "huge", "f": 1e400}`,
	"fraction":  `{"id": "fraction", "n": 3.7, "f": "x"}`,
	"spelled":   `{"id": "spelled", "n": "12", "f": "1.5", "yes": "true", "Name": 12.50}`,
	"other":     `{"id": "other", "yes": 1, "born": "2026-02-30", "seen": "yesterday", "tag": "none", "raw": "?", "cost": "much"}`,
	"old time":  `{"id": "old time", "born": "0001-01-01", "seen": "2026-02-28 12:00:00"}`,
	"nan":       `{"id": "nan", "n": 1, "f": NaN, "doc": {"x": -Infinity}}`,
	"half":      `{"id": "half", "n": 1, "Name": "\ud83d"}`,
	"repeated":  `{"id": "repeated", "n": 1, "n": 2}`,
	"escaped":   `{"id": "escaped", "\u006e": 5}`,
	"case":      `{"id": "case", "name": "lower", "Name": "upper"}`,
	"no object": `[1]`,
	"no JSON":   `{"id": `,
}

// tells is how many warnings a look-up by a key ends in.
var tells = map[string]int{"beyond": 1, "fraction": 2, "other": 5, "nan": 1, "half": 1, "no JSON": 9}

// TestSQLiteLookUps asks for rows by their keys, which are then parameters of the
// engine's statement, and by conditions that no index knows: both say the same.
func TestSQLiteLookUps(t *testing.T) {
	path := foreignRows(t)
	for name, mirrored := range map[string]bool{"plain": false, "mirrored": true} {
		t.Run(name, func(t *testing.T) {
			if !mirrored {
				asksNoMirror(t)
			}
			s := fileHouse(t, path, mirrored).session(t, "onto")
			must(t, s, "SET ontosql.result_cache = off")
			if mirrored {
				inRowStore(t, s, "SELECT id FROM thing WHERE id = 'often'")
				inRowStore(t, s, "SELECT w FROM owns WHERE left_key = 'often'")
			}
			for _, q := range []string{
				"SELECT *, commit_id, schema_version_id, fields_json, committed_at FROM thing WHERE id%s = $1",
				"SELECT *, commit_id, fields_json FROM as_of.thing(7) WHERE id%s = $1",
				"SELECT *, commit_id, fields_json FROM as_of.thing(11) WHERE id%s = $1",
				"SELECT * FROM history.thing WHERE id%s = $1 ORDER BY commit_id, fields_json",
				"SELECT * FROM history.thing WHERE id%s = $1 AND commit_id > 8 ORDER BY commit_id, fields_json",
				"SELECT * FROM changes.thing WHERE id%s = $1 ORDER BY commit_id, fields_json",
			} {
				for key := range thingsTold {
					agree(t, s, fmt.Sprintf(q, " || ''"), fmt.Sprintf(q, ""), key)
				}
				for _, key := range []string{"often", "twice", "before", "nobody"} {
					agree(t, s, fmt.Sprintf(q, " || ''"), fmt.Sprintf(q, ""), key)
				}
			}
			agree(t, s, "SELECT id, n, f FROM thing WHERE id || '' IN ('often', 'all', 'twice', $1) ORDER BY id",
				"SELECT id, n, f FROM thing WHERE id IN ('often', 'all', 'twice', $1) ORDER BY id", "nulls")
			for _, q := range []string{
				"SELECT * FROM owns WHERE left_key%[1]s = $1 ORDER BY right_key",
				"SELECT * FROM owns WHERE left_key%[1]s = $1 AND right_key%[1]s = 'k1'",
				"SELECT * FROM history.owns WHERE left_key%[1]s = $1 AND right_key%[1]s = 'k1' AND slot%[1]s = 'a' ORDER BY commit_id",
				"SELECT a.n, b.n, o.w FROM as_of.thing(5) a, thing b, owns o WHERE a.id%[1]s = $1 AND b.id%[1]s = $1 AND o.left_key%[1]s = $1 ORDER BY o.w",
			} {
				agree(t, s, fmt.Sprintf(q, " || ''"), fmt.Sprintf(q, ""), "often")
			}
		})
	}
}

// agree checks that a look-up says what a scan does, also when it comes again.
func agree(t *testing.T, s wire.Session, scan, lookUp, key string) {
	t.Helper()
	want := must(t, s, scan, key)
	for range 2 {
		if diff := cmp.Diff(want, must(t, s, lookUp, key)); diff != "" {
			t.Errorf("%s with %q (-by a scan +by key):\n%s", lookUp, key, diff)
		}
	}
}

// TestSQLiteLookUpsTell: a look-up by key tells each time what is stored in its row and
// none of a column's values.
func TestSQLiteLookUpsTell(t *testing.T) {
	asksNoMirror(t)
	h := fileHouse(t, foreignRows(t), false)
	s := h.session(t, "onto")
	for key := range thingsTold {
		for range 2 {
			h.notices = nil
			must(t, s, "SELECT * FROM thing WHERE id = $1", key)
			if got, want := len(h.notices), tells[key]; got != want {
				t.Errorf("look-up of %q tells %q, want %d warnings", key, h.notices, want)
			}
		}
	}
}

// TestSQLiteNoDocument updates a version whose fields are no JSON document: it is not
// overwritten, and the error says where it is.
func TestSQLiteNoDocument(t *testing.T) {
	asksNoMirror(t)
	s := fileHouse(t, foreignRows(t), false).session(t, "onto")
	for _, sql := range []string{"UPDATE thing SET n = 1 WHERE id = 'no JSON'", "ALTER TABLE thing ADD COLUMN size text DEFAULT 'x'"} {
		if e := refused(t, s, pgerr.DataCorrupted, sql); e.Detail == "" || e.Hint == "" {
			t.Errorf("%s: %q, detail %q, hint %q; want the key and where it stands", sql, e.Message, e.Detail, e.Hint)
		}
	}
}

// TestSQLiteHalfReadLookUp: a portal over a look-up keeps its row while the same
// statement runs with another key.
func TestSQLiteHalfReadLookUp(t *testing.T) {
	asksNoMirror(t)
	ctx := t.Context()
	s := fileHouse(t, foreignRows(t), false).session(t, "onto")
	st, err := s.Prepare(ctx, wire.Query{SQL: "SELECT n FROM thing, generate_series(1, 20000) WHERE id = $1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	half, err := st.Bind(ctx, [][]byte{[]byte("often")})
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	read, sum := 0, int64(0)
	take := func(from wire.Portal) error {
		b, err := from.Next(ctx)
		if err == nil {
			for _, n := range b.Cols[0].I64[:b.Len] {
				read, sum = read+1, sum+n
			}
		}
		return err
	}
	if err := take(half); err != nil || read == 20000 {
		t.Fatalf("the first batch has %d rows, %v", read, err)
	}
	other, err := st.Bind(ctx, [][]byte{[]byte("twice")})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if n, err := count(ctx, other); n != 20000 || err != nil {
		t.Fatalf("the same statement has %d rows, %v", n, err)
	}
	for err = nil; err == nil; {
		err = take(half)
	}
	if err != io.EOF || read != 20000 || sum != 12*20000 {
		t.Errorf("the portal gave %d rows with the sum %d, %v; want 20000 rows of 12", read, sum, err)
	}
}

// TestSQLiteLookUpNeedsNoEngine: a look-up of a whole row, or of a missing row, is answered
// without the engine. The engine runs if it must compute something of the row.
func TestSQLiteLookUpNeedsNoEngine(t *testing.T) {
	asksNoMirror(t)
	h := fileHouse(t, foreignRows(t), false)
	s := h.session(t, "onto")
	must(t, s, "SET ontosql.result_cache = off")
	statements := h.statements(t)
	for _, c := range []struct {
		sql, key string
		want     string // "" for no row
		engine   bool
	}{
		{`SELECT id, n, "Name", f, yes FROM thing WHERE id = $1`, "nulls", "nulls|NULL|NULL|NULL|NULL", false},
		{"SELECT n AS a, n AS b FROM thing WHERE id = $1", "often", "12|12", false},
		{"SELECT n FROM as_of.thing(7) WHERE id = $1", "often", "7", false},
		{"SELECT n FROM thing WHERE id = $1", "nobody", "", false},
		{"SELECT n FROM as_of.thing(2) WHERE id = $1", "often", "", false},
		{"SELECT n FROM thing WHERE id = $1", "twice", "2", true},
		{"SELECT n FROM thing WHERE id = $1", "fraction", "NULL", true},
		{"SELECT n, born FROM thing WHERE id = $1", "missing", "NULL|NULL", true},
		{"SELECT n + 1 FROM thing WHERE id = $1", "often", "13", true},
		{"SELECT n, commit_id FROM thing WHERE id = $1", "often", "12|12", true},
	} {
		before := statements()
		got := must(t, s, c.sql, c.key)
		if len(got) > 1 || len(got) == 1 != (c.want != "") || len(got) == 1 && got[0] != c.want {
			t.Errorf("%s with %q answered %q, want %q", c.sql, c.key, got, c.want)
		}
		if asked := statements() > before; asked != c.engine {
			t.Errorf("%s with %q: the engine was asked: %t, want %t", c.sql, c.key, asked, c.engine)
		}
	}
}

// TestSQLiteLookUpsSeeOtherWriters: a prepared look-up, which sees in reading whether
// the head has moved, has what this gateway and others have committed before it, and in
// a transaction what was there when that began.
func TestSQLiteLookUpsSeeOtherWriters(t *testing.T) {
	for name, stored := range map[string]bool{"from the file": false, "from the row store": true} {
		t.Run(name, func(t *testing.T) { lookUpsSeeOtherWriters(t, stored) })
	}
}

func lookUpsSeeOtherWriters(t *testing.T, stored bool) {
	if !stored {
		asksNoMirror(t)
	}
	path := emptyFile(t)
	h := fileHouse(t, path, stored)
	s, own := h.session(t, "onto"), h.session(t, "onto")
	must(t, s, `CREATE TABLE "Thing" (id text PRIMARY KEY, n bigint)`)
	must(t, s, "INSERT INTO thing VALUES ('often', 12)")
	if stored {
		inRowStore(t, s, "SELECT id, n FROM thing WHERE id = 'often'")
	}
	other, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT id, n FROM thing WHERE id = $1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	must(t, s, "SET ontosql.result_cache = off")
	is := func(when, key string, n int) {
		t.Helper()
		want := []string{fmt.Sprintf("%s|%d", key, n)}
		if n == 0 {
			want = nil
		}
		for range 3 {
			got, err := bindAndRun(t, s, st, key)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s the look-up of %s finds (-want +got), %v:\n%s", when, key, err, diff)
			}
		}
	}
	is("at first", "often", 12)
	for i := range 5 {
		n := 100 + 10*i
		must(t, own, fmt.Sprintf("UPDATE thing SET n = %d WHERE id = 'often'", n))
		is("after a commit of this gateway", "often", n)
		err := sqlitex.ExecuteScript(other, fmt.Sprintf(`
			INSERT INTO commits SELECT max(id) + 1, '2027-01-01T00:00:00.000000+00:00', NULL FROM commits;
			INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
			SELECT 'Thing', key, '{"id": "' || key || '", "n": %d}', (SELECT max(id) FROM commits), 1 FROM (SELECT 'often' AS key UNION ALL SELECT 'new%d')`, n+1, i), nil)
		if err != nil {
			t.Fatal(err)
		}
		is("after one of another program", "often", n+1)
		is("after one of another program", fmt.Sprint("new", i), n+1)
		is("before it is there", fmt.Sprint("new", i+1), 0)
		must(t, s, "BEGIN")
		is("in a transaction", "often", n+1)
		must(t, own, fmt.Sprintf("UPDATE thing SET n = %d WHERE id = 'often'", n+2))
		is("in the same transaction", "often", n+1)
		must(t, s, "COMMIT")
		is("behind the transaction", "often", n+2)
	}
	must(t, own, "ALTER TABLE thing ADD COLUMN later text")
	is("with another column", "often", 142)
}
