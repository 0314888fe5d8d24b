// Package compaction holds invariant I8 against SQL: in everypoint_test.go every question that a
// client can ask of a store, in every mode of reading and at every point of its history, has the
// same answer before and after its files are merged, from a gateway that was open meanwhile, with
// and without native copies, and from a new one. What happens below SQL, under faults at every
// request and beside other writers, is tested in maintain/compaction.
package compaction

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
)

// client is a session over the PostgreSQL protocol.
type client struct {
	t    testing.TB
	conn *pgx.Conn
}

// connect opens a gateway over a bucket and a session of it, for the length of the test.
func connect(t testing.TB, bucket objstore.Bucket, mirror bool) *client {
	t.Helper()
	g, err := gatewaytest.Open(context.WithoutCancel(t.Context()), gatewaytest.Options{Bucket: bucket, Mirror: mirror})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	config, err := pgx.ParseConfig(g.Listen(t))
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return &client{t, conn}
}

func (c *client) do(sql string) {
	c.t.Helper()
	if _, err := c.conn.Exec(c.t.Context(), sql); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
}

// ask returns the rows of a query as texts.
func (c *client) ask(sql string) (rows []string) {
	c.t.Helper()
	found, err := c.conn.Query(c.t.Context(), sql)
	if err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
	defer found.Close()
	for found.Next() {
		var cells []string
		for _, raw := range found.RawValues() {
			cell := "NULL"
			if raw != nil {
				cell = string(raw)
			}
			cells = append(cells, cell)
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	if found.Err() != nil {
		c.t.Fatalf("%s: %v", sql, found.Err())
	}
	return rows
}

// compact merges the files of a bucket as another process.
func compact(t testing.TB, b objstore.Bucket, o compaction.Options) *compaction.Compaction {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	files := resolver.Open(resolver.Options{Bucket: b, Log: log})
	defer files.Close()
	o.Apply = true
	done, err := compaction.Compact(t.Context(), compaction.Store{
		Bucket: b, Log: log, Files: files, RuntimeID: "test", TempDir: t.TempDir(), LockTimeout: time.Minute,
	}, o)
	if err != nil {
		t.Fatalf("compact: %v", err)
	}
	return done
}

// life writes a random history of rows and schemas: entities and relations of several schema
// versions, with renamed, dropped and retyped columns, and a type that is dropped and made again.
func life(c *client, random *rand.Rand) {
	c.do(`CREATE TABLE person (id text PRIMARY KEY, name text, visits bigint, born date, worth numeric(12,2), notes jsonb, seen timestamptz, weight double precision, ok boolean)`)
	c.do(`CREATE TABLE place (id bigint PRIMARY KEY, label text)`)
	c.do(`CREATE TABLE stays (left_key text REFERENCES person, right_key bigint REFERENCES place, nights bigint, PRIMARY KEY (left_key, right_key))`)
	names := []string{"name", "visits", "born", "worth", "notes", "seen", "weight", "ok"}
	write := func() {
		key := fmt.Sprint("p", random.IntN(8))
		var values []string
		for _, name := range names {
			values = append(values, fmt.Sprintf(map[string]string{
				"name": "'name %d'", "title": "'title %d'", "visits": "%d", "born": "DATE '2000-01-01' + %d", "worth": "%d.5",
				"notes": `'{"n": %d}'`, "seen": "TIMESTAMPTZ '2026-01-01 00:00:00+00' + INTERVAL '%d minutes'", "weight": "%d.125", "ok": "%d > 4",
				"visits2": "%d", "extra": "'extra %d'",
			}[name], random.IntN(10)))
		}
		set := make([]string, len(names))
		for i, name := range names {
			set[i] = name + " = EXCLUDED." + name
		}
		c.do(fmt.Sprintf("INSERT INTO person (id, %s) VALUES ('%s', %s) ON CONFLICT (id) DO UPDATE SET %s",
			strings.Join(names, ", "), key, strings.Join(values, ", "), strings.Join(set, ", ")))
		if random.IntN(2) == 0 {
			id := random.IntN(4)
			c.do(fmt.Sprintf("INSERT INTO place (id, label) VALUES (%d, 'label %d') ON CONFLICT (id) DO UPDATE SET label = EXCLUDED.label", id, random.IntN(10)))
			c.do(fmt.Sprintf("INSERT INTO stays VALUES ('%s', %d, %d) ON CONFLICT (left_key, right_key) DO UPDATE SET nights = EXCLUDED.nights", key, id, random.IntN(10)))
		}
	}
	rename := func(old, new string) { names[slices.Index(names, old)] = new }
	for i, step := range []func(){
		func() {},
		func() {
			c.do(`ALTER TABLE person ADD COLUMN extra text DEFAULT 'none'`)
			names = append(names, "extra")
		},
		func() { c.do(`ALTER TABLE person RENAME COLUMN name TO title`); rename("name", "title") },
		func() { c.do(`ALTER TABLE person ALTER COLUMN worth TYPE numeric(15,3)`) },
		func() {
			c.do(`SET ontosql.purge_history = on; DROP TABLE stays`)
			c.do(`CREATE TABLE stays (left_key text REFERENCES person, right_key bigint REFERENCES place, nights bigint, PRIMARY KEY (left_key, right_key))`)
		},
		func() {
			c.do(`ALTER TABLE person DROP COLUMN extra`)
			names = slices.DeleteFunc(names, func(n string) bool { return n == "extra" })
		},
	} {
		step()
		for range 1 + i%2 {
			write()
		}
	}
}

// answers asks everything of every type: the newest rows, all versions, all changes, and the rows
// and versions at and between all points.
func answers(c *client) map[string][]string {
	c.t.Helper()
	all := map[string][]string{}
	head := 0
	for _, text := range c.ask(`SELECT max(commit_id) FROM ontosql.commits`) {
		fmt.Sscan(text, &head)
	}
	ask := func(sql string) { all[sql] = c.ask(sql) }
	for _, typ := range []string{"person", "place", "stays"} {
		order := map[string]string{"person": "id", "place": "id", "stays": "left_key, right_key"}[typ]
		ask(fmt.Sprintf(`SELECT *, commit_id, schema_version_id, fields_json FROM %s ORDER BY %s`, typ, order))
		ask(fmt.Sprintf(`SELECT *, commit_id, fields_json FROM history.%s ORDER BY commit_id, %s`, typ, order))
		ask(fmt.Sprintf(`SELECT * FROM changes.%s ORDER BY commit_id, %s`, typ, order))
		for at := 0; at <= head+1; at++ {
			ask(fmt.Sprintf(`SELECT *, commit_id FROM %s FOR SYSTEM_TIME AS OF %d ORDER BY %s`, typ, at, order))
			ask(fmt.Sprintf(`SELECT * FROM history.%s WHERE commit_id > %d AND commit_id <= %d ORDER BY commit_id, %s`, typ, at/2, at, order))
			ask(fmt.Sprintf(`SELECT * FROM changes.%s WHERE commit_id > %d ORDER BY commit_id, %s`, typ, at, order))
		}
	}
	ask(`SELECT * FROM person WHERE id = 'p1'`)
	ask(`SELECT count(*), sum(visits), min(born), max(seen) FROM person`)
	return all
}
