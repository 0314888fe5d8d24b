package gateway_test

import (
	"fmt"
	"testing"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
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
