package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite"
)

// manyVersions is a file of an ontology with a type Reading: so many versions of a
// fifth as many identities, 2,000 a commit, in the original's letter.
func manyVersions(b *testing.B, versions int) string {
	b.Helper()
	path := emptyFile(b)
	h := fileHouse(b, path, false)
	must(b, h.session(b, "onto"), `CREATE TABLE "Reading" (id text PRIMARY KEY, name text, n bigint, value double precision)`)
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	err = sqlitex.ExecuteScript(conn, fmt.Sprintf(`
		WITH RECURSIVE c(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM c WHERE i < %[1]d / 2000 + 1)
		INSERT INTO commits SELECT i, '2027-01-01T00:00:00.000000+00:00', NULL FROM c;
		WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < %[1]d - 1)
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
		SELECT 'Reading', 'k' || (i %% (%[1]d / 5)), printf('{"id": "k%%d", "name": "reading number %%d", "n": %%d, "value": %%d.5}', i %% (%[1]d / 5), i, i, i), 2 + i / 2000, 1 FROM c;`, versions), nil)
	if err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkSQLitePlain asks for all and for one of 400,000 versions without a mirror.
func BenchmarkSQLitePlain(b *testing.B) {
	const versions = 400_000
	h := fileHouse(b, manyVersions(b, versions), false)
	s := h.session(b, "onto")
	for name, sql := range map[string]string{
		"aggregate": "SELECT count(*), sum(n) FROM reading",
		"key":       "SELECT n, value FROM reading WHERE id = 'k77'",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must(b, s, sql)
			}
		})
	}
}

// BenchmarkSQLiteLookUp reads one of 400,000 versions by its key without a mirror, prepared
// once: by the gateway, from the row store, by the least work that such a statement needs, and by
// SQLite alone. A history is read from the row store and by the engine.
func BenchmarkSQLiteLookUp(b *testing.B) {
	const versions = 400_000
	path := manyVersions(b, versions)
	h := fileHouse(b, path, false)
	s := h.session(b, "onto")
	key := func() string { return fmt.Sprintf("k%d", rand.IntN(versions/5)) }
	for name, sql := range map[string]string{
		"gateway": "SELECT id, name, n, value FROM reading WHERE id = $1",
		"one":     "SELECT $1",
	} {
		b.Run(name, func(b *testing.B) {
			st := prepared(b, s, sql)
			again(b, s, st, [][]byte{[]byte(key())}) // which counts the file's rows
			used := -processor()
			for b.Loop() {
				again(b, s, st, [][]byte{[]byte(key())})
			}
			perLookUp(b, used+processor())
		})
	}
	stored := fileHouse(b, path, true).session(b, "onto")
	inRowStore(b, stored, "SELECT id FROM history.reading WHERE id = 'k1'")
	for name, sql := range map[string]string{
		"row store":          "SELECT id, name, n, value FROM reading WHERE id = $1",
		"history, row store": "SELECT id, name, n, value FROM history.reading WHERE id = $1",
	} {
		b.Run(name, func(b *testing.B) {
			st := prepared(b, stored, sql)
			again(b, stored, st, [][]byte{[]byte(key())})
			used := -processor()
			for b.Loop() {
				again(b, stored, st, [][]byte{[]byte(key())})
			}
			perLookUp(b, used+processor())
		})
	}
	b.Run("history, engine", func(b *testing.B) {
		st := prepared(b, s, "SELECT id, name, n, value FROM history.reading WHERE id = $1")
		for b.Loop() {
			again(b, s, st, [][]byte{[]byte(key())})
		}
	})
	b.Run("room", func(b *testing.B) {
		db, err := sqlite.Open(sqlite.Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		pin, err := db.Pin(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		lookUp := func() {
			t, ok := pin.Catalog.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: "Reading"})
			if !ok {
				b.Fatal("no type Reading")
			}
			rows, err := db.Versions(b.Context(), pin, t, ontosql.Window{Upper: pin.Head.Commit}, []string{key()})
			if err != nil {
				b.Fatal(err)
			}
			if n, err := count(b.Context(), rows); err != nil || n != 1 {
				b.Fatalf("%d rows, %v", n, err)
			}
			rows.Close()
			if rows.Newest() == nil { // else it has been seen that the pin is the newest
				if _, err := db.Pin(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		}
		lookUp()
		used := -processor()
		for b.Loop() {
			lookUp()
		}
		perLookUp(b, used+processor())
	})
	b.Run("SQLite", func(b *testing.B) {
		conn, err := lite.OpenConn(path, lite.OpenReadOnly)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		st := conn.Prep("SELECT fields_json, commit_id FROM entity_history WHERE entity_type = 'Reading' AND entity_key = ? ORDER BY commit_id DESC LIMIT 1")
		used := -processor()
		for b.Loop() {
			st.BindText(1, key())
			if found, err := st.Step(); err != nil || !found || st.ColumnText(0) == "" {
				b.Fatal("nothing found", err)
			}
			if err := st.Reset(); err != nil {
				b.Fatal(err)
			}
		}
		perLookUp(b, used+processor())
	})
}

func perLookUp(b *testing.B, used time.Duration) {
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "ns-processor/op")
}
