package sqlite

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/dbschema"
)

// readAs reads the versions of a type in a window by page or by SQL, and reports whether
// it was by page until the end.
func readAs(t *testing.T, db *DB, ref ontosql.TypeRef, w ontosql.Window, bySQL, newest bool) (rows []version, paged bool) {
	t.Helper()
	pin := pinOf(t, db)
	c, err := db.Versions(t.Context(), pin, typeOf(t, pin, ref.Kind, ref.Name), w, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.bySQL = bySQL
	if newest && !c.NewestFirst() {
		t.Fatalf("the rows of %s cannot be read newest first", ref)
	}
	rows, err = drain(t.Context(), c)
	if err != nil {
		t.Fatalf("read %s in %+v, newest first: %v: %v", ref, w, newest, err)
	}
	return rows, !c.bySQL
}

// TestRowsByPage reads random files by page and by SQL: rows that fill many pages each,
// or none, ids with gaps, negative ones and the greatest, records of before a column was added, a log that
// is not brought home.
func TestRowsByPage(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 7))
		path := filepath.Join(t.TempDir(), "onto.db")
		c := connection(t, path, fmt.Sprintf("PRAGMA page_size = %d", 512<<random.IntN(8)), "PRAGMA journal_mode = "+[]string{"WAL", "DELETE"}[seed%2], "PRAGMA wal_autocheckpoint = 50", ddl)
		old := seed%3 == 0
		if old { // COMPAT 4.1: what the first versions of the original had
			execute(t, c, `DROP INDEX idx_relation_history_lookup; ALTER TABLE relation_history DROP COLUMN instance_key; ALTER TABLE relation_history DROP COLUMN schema_version_id; ALTER TABLE entity_history DROP COLUMN schema_version_id`)
		}
		m := &made{tb: t, path: path, conn: c}
		for _, name := range []string{"A", "B"} {
			m.register("entity", name, schemaOf(name, "note"))
		}
		m.register("relation", "R", `{"relation_name": "R", "left_type": "A", "right_type": "B", "instance_key_field": null, "fields": {}}`)
		id := int64(-5000)
		for commit := 1; commit <= 25; commit++ {
			execute(t, c, fmt.Sprintf("BEGIN; INSERT INTO commits (created_at) VALUES ('2026-01-01T00:00:%02d.000000+00:00')", commit))
			if commit == 12 && old {
				execute(t, c, `ALTER TABLE entity_history ADD COLUMN schema_version_id INTEGER; ALTER TABLE relation_history ADD COLUMN schema_version_id INTEGER; ALTER TABLE relation_history ADD COLUMN instance_key TEXT NOT NULL DEFAULT ''`)
			}
			if commit == 25 {
				id = math.MaxInt64 - 500
			}
			for range random.IntN(60) {
				id += 1 + random.Int64N(4)
				if random.IntN(20) == 0 && commit < 25 {
					id += random.Int64N(100_000)
				}
				note := strings.Repeat("n", int(math.Pow(10, 4.5*random.Float64())))
				columns, values := "", ""
				if (commit >= 12 || !old) && random.IntN(3) > 0 {
					columns, values = ", schema_version_id", fmt.Sprintf(", %d", 1+random.IntN(300))
				}
				if random.IntN(3) == 0 {
					execute(t, c, fmt.Sprintf(`INSERT INTO relation_history (id, relation_type, left_key, right_key, fields_json, commit_id%s) VALUES (%d, 'R', 'l%d', 'é', '{"note": "%s"}', %d%s)`, columns, id, id, note, commit, values))
					continue
				}
				execute(t, c, fmt.Sprintf(`INSERT INTO entity_history (id, entity_type, entity_key, fields_json, commit_id%s) VALUES (%d, '%s', CAST(x'%s' AS TEXT), '{"note": "%s"}', %d%s)`,
					columns, id, []string{"A", "B"}[random.IntN(2)], []string{"6b", "", "ff", "c3a9"}[random.IntN(4)], note, commit, values))
			}
			execute(t, c, "COMMIT")
		}
		db := openDB(t, Options{Path: path})
		for _, ref := range []ontosql.TypeRef{{Kind: ontosql.Entity, Name: "A"}, {Kind: ontosql.Entity, Name: "B"}, {Kind: ontosql.Relation, Name: "R"}} {
			for _, w := range []ontosql.Window{{Upper: 25}, {Lower: 3, Upper: 20}, {Lower: 11, Upper: 12}} {
				want, _ := readAs(t, db, ref, w, true, false)
				for _, newest := range []bool{false, true} {
					got, paged := readAs(t, db, ref, w, false, newest)
					if newest {
						slices.Reverse(got)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("seed %d: %s in %+v by page, newest first: %v (-SQL +page):\n%s", seed, ref, w, newest, diff)
					}
					if !paged && len(want) > 0 {
						t.Errorf("seed %d: %s in %+v was not read by page", seed, ref, w)
					}
				}
			}
		}
	}
}

// TestCountByPage counts the rows of a file by the pages of an index as SQL counts them.
func TestCountByPage(t *testing.T) {
	m := makeFile(t, "WAL")
	for commit := 1; commit <= 30; commit++ {
		var rows []string
		for k := range 40 {
			rows = append(rows, fmt.Sprintf("%s %s%d", []string{"A", "B"}[k%2], strings.Repeat("key", commit*k%1000), k*commit))
		}
		m.commit("", rows...)
	}
	db := openDB(t, Options{Path: m.path})
	err := db.read(t.Context(), func(c *conn) error {
		tables, err := dbschema.Read(c.Conn)
		if err != nil {
			return err
		}
		for _, h := range tables.Histories() {
			byPage, bySQL := newRowCounts(), newRowCounts()
			if err := byPage.scanIndex(c, h); err != nil {
				t.Errorf("%s is not counted by page: %v", h.Table, err)
			}
			if err := bySQL.scanRows(c, h); err != nil {
				return err
			}
			if diff := cmp.Diff(bySQL, byPage, cmp.AllowUnexported(rowCounts{}, rowRun{})); diff != "" {
				t.Errorf("%s (-SQL +page):\n%s", h.Table, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTablesThatAreNotReadByPage makes tables of other shapes, of which the pages alone
// do not tell what SQL does.
func TestTablesThatAreNotReadByPage(t *testing.T) {
	const columns = "entity_type TEXT NOT NULL, entity_key TEXT NOT NULL, fields_json TEXT NOT NULL, commit_id INTEGER NOT NULL, schema_version_id INTEGER"
	for name, c := range map[string]struct {
		table, rows string
		paged       bool
	}{
		"as the original's": {"(id INTEGER PRIMARY KEY AUTOINCREMENT, " + columns + ")", "1, 'A', 'k', '{}', 1, 1", true},
		"columns in another order": {
			"(commit_id INTEGER, note, fields_json TEXT, id INTEGER PRIMARY KEY, schema_version_id, entity_key TEXT, entity_type TEXT)",
			"1, 'x', '{}', 1, 1, 'k', 'A'", true,
		},
		"a type compared without case":  {"(id INTEGER PRIMARY KEY, " + strings.Replace(columns, "TEXT", "TEXT COLLATE NOCASE", 1) + ")", "1, 'a', 'k', '{}', 1, 1", false},
		"rows in an index":              {"(id INTEGER PRIMARY KEY, " + columns + ") WITHOUT ROWID", "1, 'A', 'k', '{}', 1, 1", false},
		"an id that is no row's number": {"(id INT PRIMARY KEY, " + columns + ")", "7, 'A', 'k', '{}', 1, 1", false},
		"an id the other way round":     {"(id INTEGER PRIMARY KEY DESC, " + columns + ")", "7, 'A', 'k', '{}', 1, 1", false},
		"a computed column":             {"(id INTEGER PRIMARY KEY, x AS (id + 1), " + columns + ")", "1, 'A', 'k', '{}', 1, 1", false},
		"a number for a key":            {"(id INTEGER PRIMARY KEY, " + strings.Replace(columns, "entity_key TEXT", "entity_key", 1) + ")", "1, 'A', 12, '{}', 1, 1", false},
		"a blob for fields":             {"(id INTEGER PRIMARY KEY, " + columns + ")", "1, 'A', 'k', x'7b7d', 1, 1", false},
		"a text for a version":          {"(id INTEGER PRIMARY KEY, " + columns + ")", "1, 'A', 'k', '{}', 1, 'x'", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := makeFile(t, "DELETE")
			m.exec("DROP TABLE entity_history; CREATE TABLE entity_history " + c.table + "; INSERT INTO commits (created_at) VALUES ('2026-01-01T00:00:00.000000+00:00'); INSERT INTO entity_history VALUES (" + c.rows + ")")
			db := openDB(t, Options{Path: m.path})
			ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"}
			read := func(bySQL bool) (rows []version, paged bool, err error) {
				pin := pinOf(t, db)
				cursor, err := db.Versions(t.Context(), pin, typeOf(t, pin, ref.Kind, ref.Name), ontosql.Window{Upper: 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				cursor.bySQL = bySQL
				rows, err = drain(t.Context(), cursor)
				return rows, !cursor.bySQL, err
			}
			want, _, wantErr := read(true)
			got, paged, err := read(false)
			if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("rows differ (-SQL +page), %v and %v:\n%s", wantErr, err, diff)
			}
			if len(want) > 0 && paged != c.paged {
				t.Errorf("it was read by page: %v, want %v", paged, c.paged)
			}
		})
	}
}

// TestIDsThatAreNoRowNumbers reads tables whose id is a column like others, so that the
// number of a row in the table's tree and in an index is another one than its id.
func TestIDsThatAreNoRowNumbers(t *testing.T) {
	const columns = ", entity_type TEXT NOT NULL, entity_key TEXT NOT NULL, fields_json TEXT NOT NULL, commit_id INTEGER NOT NULL, schema_version_id INTEGER)"
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"}
	for name, table := range map[string]string{
		"BIGINT":          "(id BIGINT PRIMARY KEY" + columns,
		"INT":             "(id INT PRIMARY KEY" + columns,
		"DESC":            "(id INTEGER PRIMARY KEY DESC" + columns,
		"no key":          "(id INTEGER" + columns,
		"another key":     "(id INTEGER, number INTEGER PRIMARY KEY" + columns,
		"CREATE TABLE AS": "AS SELECT 0 AS id, '' AS entity_type, '' AS entity_key, '' AS fields_json, 0 AS commit_id, 0 AS schema_version_id WHERE false",
	} {
		t.Run(name, func(t *testing.T) {
			m := makeFile(t, "WAL")
			m.exec("DROP TABLE entity_history; CREATE TABLE entity_history " + table + `;
				CREATE INDEX idx_entity_history_lookup ON entity_history(entity_type, entity_key, commit_id DESC);
				BEGIN;
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
				INSERT INTO commits (created_at) SELECT '2026-01-01T00:00:00.000000+00:00' FROM n;
				WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1199)
				INSERT INTO entity_history (id, entity_type, entity_key, fields_json, commit_id, schema_version_id)
				SELECT 10 + 10 * i, iif(i % 3, 'A', 'B'), 'k' || i % 200, '{"note": "' || i || '"}', 1 + i / 100, 1 + i / 100 FROM n;
				COMMIT`)
			db := openDB(t, Options{Path: m.path})
			pin := pinOf(t, db)
			typ := typeOf(t, pin, ref.Kind, ref.Name)
			for _, w := range []ontosql.Window{{Upper: 12}, {Lower: 3, Upper: 11}, {Lower: 4, Upper: 5}} {
				want := asked(t, m.conn, fmt.Sprintf("entity_type = 'A' AND commit_id > %d AND commit_id <= %d ORDER BY id", w.Lower, w.Upper))
				got, _ := readAs(t, db, ref, w, false, false)
				if diff := cmp.Diff(want, ids(got)); diff != "" {
					t.Errorf("the rows in %+v (-SQL +read):\n%s", w, diff)
				}
				if _, n := pin.View.Count(ref, w.Lower, w.Upper); n != int64(len(want)) {
					t.Errorf("%d rows are counted in %+v, want %d", n, w, len(want))
				}
				for _, r := range got {
					if r.Version != int64(r.Commit) {
						t.Fatalf("row %d is of version %d, want %d", r.ID, r.Version, r.Commit)
					}
				}
				want = asked(t, m.conn, fmt.Sprintf("entity_type = 'A' AND entity_key = 'k7' AND commit_id > %d AND commit_id <= %d ORDER BY id", w.Lower, w.Upper))
				if diff := cmp.Diff(want, ids(mustVersions(t, db, pin, typ, w, "k7"))); diff != "" {
					t.Errorf("the rows of k7 in %+v (-SQL +read):\n%s", w, diff)
				}
			}
		})
	}
}

// manyRows makes a file of so many rows of type A in commits of a hundred.
func manyRows(t *testing.T, journal string, rows int) *made {
	t.Helper()
	m := makeFile(t, journal)
	m.exec(fmt.Sprintf(`BEGIN; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d / 100 - 1)
		INSERT INTO commits (created_at) SELECT '2026-01-01T00:00:00.000000+00:00' FROM n;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d - 1)
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
		SELECT 'A', 'k' || i, '{"id": "k' || i || '", "note": "' || hex(randomblob(40)) || '"}', 1 + i / 100, 1 FROM n; COMMIT`, rows))
	return m
}

// TestPagesWhileOthersWrite reads a window by page while another process commits and
// brings its log home: what is read is the window.
func TestPagesWhileOthersWrite(t *testing.T) {
	for _, journal := range []string{"WAL", "DELETE"} {
		m := manyRows(t, journal, 10_000)
		db := openDB(t, Options{Path: m.path})
		pin := pinOf(t, db)
		typ := typeOf(t, pin, ontosql.Entity, "A")
		for _, newest := range []bool{false, true} {
			c, err := db.Versions(t.Context(), pin, typ, ontosql.Window{Upper: pin.Head.Commit}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if newest && !c.NewestFirst() {
				t.Fatal("the rows cannot be read newest first")
			}
			var ids []int64
			for {
				m.exec(`BEGIN; INSERT INTO commits (created_at) VALUES ('2026-01-02T00:00:00.000000+00:00'); INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id)
					SELECT 'A', 'new', '{"id": "new"}', (SELECT max(id) FROM commits) FROM commits; COMMIT; PRAGMA wal_checkpoint(PASSIVE)`)
				b, err := c.Next(t.Context())
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, b.Cols[len(b.Cols)-1].I64...)
			}
			if newest {
				slices.Reverse(ids)
			}
			if len(ids) != 10_000 || ids[0] != 1 || ids[len(ids)-1] != 10_000 || !slices.IsSorted(ids) || c.bySQL {
				t.Errorf("%s, newest first: %v: %d rows were read, %d to %d, by SQL: %v", journal, newest, len(ids), ids[0], ids[len(ids)-1], c.bySQL)
			}
		}
	}
}
