package sqlite

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/ontosql/ontosql"
)

// large makes a file with a type of so many versions, keys that have several each,
// in commits of a thousand rows, every tenth row another type's.
func large(b *testing.B, rows int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "onto.db")
	c := connection(b, path, ddl, "PRAGMA journal_mode = WAL",
		`INSERT INTO schema_registry VALUES ('entity', 'Event', '`+schemaOf("Event")+`'), ('entity', 'Other', '`+schemaOf("Other")+`')`)
	execute(b, c, fmt.Sprintf(`BEGIN;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d - 1)
		INSERT INTO commits (created_at, metadata_json) SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%S.000000+00:00', 1700000000 + i, 'unixepoch'), NULL FROM n;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %[2]d - 1)
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
		SELECT iif(i %% 10 = 9, 'Other', 'Event'), 'key-' || (i %% 200000), '{"id": "key-' || (i %% 200000) || '", "amount": ' || i || ', "note": "some words that a row has", "active": true}', 1 + i / 1000, 1 FROM n;
		COMMIT; PRAGMA wal_checkpoint(TRUNCATE);`, (rows+999)/1000, rows))
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

const rowsOfBenchmark = 1_000_000

func BenchmarkFirstPin(b *testing.B) {
	path := large(b, rowsOfBenchmark)
	for b.Loop() {
		db, err := Open(Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		pinOf(b, db)
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(rowsOfBenchmark*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkPinUnchanged(b *testing.B) {
	db := openDB(b, Options{Path: large(b, 10_000)})
	pinOf(b, db)
	for b.Loop() {
		pinOf(b, db)
	}
}

func BenchmarkPinAfterCommit(b *testing.B) {
	path := large(b, 10_000)
	db := openDB(b, Options{Path: path})
	pinOf(b, db)
	c := connection(b, path, "PRAGMA synchronous = OFF")
	for b.Loop() {
		b.StopTimer()
		execute(b, c, `BEGIN; INSERT INTO commits (created_at) VALUES ('2026-01-01T00:00:00.000000+00:00');
			INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Event', 'k', '{"id": "k"}', last_insert_rowid(), 1); COMMIT`)
		b.StartTimer()
		pinOf(b, db)
	}
}

func BenchmarkVersions(b *testing.B) {
	db := openDB(b, Options{Path: large(b, rowsOfBenchmark)})
	pin := pinOf(b, db)
	typ := typeOf(b, pin, ontosql.Entity, "Event")
	rows := 0
	b.ReportAllocs()
	for b.Loop() {
		c, err := db.Versions(b.Context(), pin, typ, ontosql.Window{Mode: ontosql.History, Upper: pin.Head.Commit}, nil)
		if err != nil {
			b.Fatal(err)
		}
		for {
			batch, err := c.Next(b.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			rows += batch.Len
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkVersionsByKey(b *testing.B) {
	db := openDB(b, Options{Path: large(b, rowsOfBenchmark)})
	pin := pinOf(b, db)
	typ := typeOf(b, pin, ontosql.Entity, "Event")
	n := 0
	for b.Loop() {
		n++
		mustVersions(b, db, pin, typ, ontosql.Window{Upper: pin.Head.Commit}, fmt.Sprintf("key-%d", n*7919%200000/10*10))
	}
}
