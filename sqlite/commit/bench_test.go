package commit_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// BenchmarkBareTransaction is one row and its commit in SQLite alone, with the
// settings of the committer: what a commit is to be compared with.
func BenchmarkBareTransaction(b *testing.B) {
	path := sqlitetest.NewFile(b, format.EngineV1)
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	for _, pragma := range []string{"journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for b.Loop() {
		n++
		for _, step := range []struct {
			sql  string
			args []any
		}{
			{"BEGIN IMMEDIATE", nil},
			{"INSERT INTO commits (created_at, metadata_json) VALUES (?, ?)", []any{"2026-01-01T00:00:00.000000+00:00", `{"namespace": "bench"}`}},
			{
				"INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES (?, ?, ?, ?, ?)",
				[]any{"Thing", fmt.Sprint("k", n), storedFields(thing, "k", n), n, 1},
			},
			{"COMMIT", nil},
		} {
			if err := sqlitex.Execute(conn, step.sql, &sqlitex.ExecOptions{Args: step.args}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkCommitOneRow(b *testing.B) {
	s := openSite(b, sqlitetest.NewFile(b, format.EngineV1))
	head := s.must(creates(0, thing)).Commit
	n := 0
	for b.Loop() {
		n++
		head = s.must(writes(head, fmt.Sprint("k", n), n, thing)).Commit
	}
}

// BenchmarkCommit64 are 64 clients, each with a transaction of one row after the
// other, pinned where it saw its own last one.
func BenchmarkCommit64(b *testing.B) {
	s := openSite(b, sqlitetest.NewFile(b, format.EngineV1))
	s.must(creates(0, thing))
	var n atomic.Int64
	b.SetParallelism(32) // times the two processors
	b.RunParallel(func(pb *testing.PB) {
		pin := ontosql.CommitID(1)
		for pb.Next() {
			out, err := s.Commit(b.Context(), writes(pin, fmt.Sprint("k", n.Add(1)), 1, thing))
			if err != nil {
				b.Error(err)
				return
			}
			pin = out.Commit
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkCommitManyRows is one transaction of a hundred thousand rows.
func BenchmarkCommitManyRows(b *testing.B) {
	const rows = 100_000
	s := openSite(b, sqlitetest.NewFile(b, format.EngineV1))
	head := s.must(creates(0, thing)).Commit
	round := 0
	for b.Loop() {
		round++
		tx := writes(head, "k", 1, thing)
		tx.Data[0].Rows = numbered(fmt.Sprint(round, "-"), rows)
		head = s.must(tx).Commit
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
}
