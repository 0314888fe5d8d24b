package gateway_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/writepath"
)

const customersTable = `CREATE TABLE "Customer" (id text PRIMARY KEY, name text, tier text, balance double precision, visits bigint)`

// customerFile is a file with a type of customersTable and no commit but that.
func customerFile(b *testing.B) string {
	path := emptyFile(b)
	must(b, fileHouse(b, path, false).session(b, "onto"), customersTable)
	return path
}

// BenchmarkSQLiteInsert is one row in a commit, in turn by SQLite alone, by the
// committer, by a session, and over the wire.
func BenchmarkSQLiteInsert(b *testing.B) {
	customer := func(i int) [][]byte {
		return [][]byte{fmt.Appendf(nil, "c%d", i), []byte("somebody"), []byte("gold"), []byte("12.5"), []byte("7")}
	}
	conn, err := lite.OpenConn(customerFile(b), lite.OpenReadWrite)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	for _, pragma := range []string{"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			b.Fatal(err)
		}
	}
	bare := func(c [][]byte) (err error) {
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return err
		}
		defer end(&err)
		stamp := time.Now().UTC().Format("2006-01-02T15:04:05.000000+00:00")
		if err := sqlitex.Execute(conn, "INSERT INTO commits (created_at, metadata_json) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{stamp, `{"actor": "bench"}`}}); err != nil {
			return err
		}
		commit := conn.LastInsertRowID()
		fields := fmt.Sprintf(`{"id": %q, "name": %q, "tier": %q, "balance": %s, "visits": %s}`, c[0], c[1], c[2], c[3], c[4])
		return sqlitex.Execute(conn, "INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Customer', ?, ?, ?, 1)",
			&sqlitex.ExecOptions{Args: []any{string(c[0]), fields, commit}})
	}

	db, err := sqlite.Open(sqlite.Options{Path: customerFile(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	committer := commit.Open(commit.Options{DB: db, RuntimeID: "bench"})
	defer committer.Close(context.Background())
	pin := ontosql.CommitID(1)
	commit := func(c [][]byte) error {
		fields := fmt.Appendf(nil, `{"balance":%s,"id":%q,"name":%q,"tier":%q,"visits":%s}`, c[3], c[0], c[1], c[2], c[4])
		out, err := committer.Commit(b.Context(), writepath.Tx{Pin: pin, Actor: "bench", Data: []writepath.Data{{
			Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}, SchemaVersion: 1,
			Rows: func(yield func(writepath.Row, error) bool) {
				yield(writepath.Row{Row: format.Row{Key: string(c[0]), Fields: fields}}, nil)
			},
		}}})
		pin = out.Commit
		return err
	}

	const insert = "INSERT INTO customer (id, name, tier, balance, visits) VALUES ($1, $2, $3, $4, $5)"
	h := fileHouse(b, customerFile(b), true)
	h.ending = true
	s := h.session(b, "onto")
	st := prepared(b, s, insert)

	g, err := gatewaytest.Open(b.Context(), gatewaytest.Options{SQLite: customerFile(b), Mirror: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = g.Close() })
	client, err := pgx.Connect(b.Context(), g.Listen(b))
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close(context.Background())
	if _, err := client.Prepare(b.Context(), "one", insert); err != nil {
		b.Fatal(err)
	}

	all := []struct {
		name string
		do   func(c [][]byte) error
		took []time.Duration
		used time.Duration // of the processor
	}{
		{name: "bare", do: bare},
		{name: "committer", do: commit},
		{name: "session", do: func(c [][]byte) error { again(b, s, st, c); return nil }},
		{name: "wire", do: func(c [][]byte) error {
			return client.PgConn().ExecPrepared(b.Context(), "one", c, nil, nil).Read().Err
		}},
	}
	n := 0
	for b.Loop() {
		for i := range all {
			all[i].used -= processor()
			for k := range 20 {
				c := customer(n*20 + k)
				began := time.Now()
				if err := all[i].do(c); err != nil {
					b.Fatal(all[i].name, err)
				}
				all[i].took = append(all[i].took, time.Since(began))
			}
			all[i].used += processor()
		}
		n++
	}
	for i := range all {
		slices.Sort(all[i].took)
		b.ReportMetric(float64(all[i].took[len(all[i].took)/2].Microseconds()), all[i].name+"-µs")
		b.ReportMetric(float64(all[i].used.Microseconds())/float64(len(all[i].took)), all[i].name+"-processor-µs")
	}
}
