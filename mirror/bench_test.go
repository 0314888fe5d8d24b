package mirror_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/mirror"
)

// benchKeys is the number of identities; each has five versions.
var benchKeys = flag.Int("keys", 100_000, "identities of the benchmark's ontology")

const benchCommits = 50

var account = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Account"}

// accounts is a world of one type with a text key, four typed fields and a date that only
// fields_json holds.
func accounts(t testing.TB, commits, rows int) *world {
	w := newWorld(t, 1)
	w.types = []*catalog.Type{{
		Ref: account, SchemaID: 1, Key: []int{0},
		Columns: []catalog.Column{
			key("id", catalog.FromEntityKey, column.Text), field("name", column.Text), field("tier", column.Text),
			field("balance", column.Float64), field("visits", column.Int64), field("since", column.Date),
		},
	}}
	for id := 1; id <= commits; id++ {
		w.accounts(id, rows)
	}
	return w
}

// accounts commits n versions of random identities.
func (w *world) accounts(id, n int) {
	w.t.Helper()
	conn := w.conn()
	defer conn.Close()
	path := filepath.Join(w.dir, fmt.Sprintf("account-%d.parquet", id))
	err := conn.Exec(w.t.Context(), fmt.Sprintf(`COPY (SELECT DISTINCT ON (entity_key) * FROM (SELECT 'K' || lpad(CAST(x %% %d AS VARCHAR), 8, '0') AS entity_key, 'Account' AS entity_type, CAST(%d AS BIGINT) AS commit_id, CAST(1 AS BIGINT) AS schema_version_id,
		'Customer number ' || x AS name, ['gold', 'silver', 'none'][1 + x %% 3] AS tier, x / 7.0 AS balance, CAST(x %% 1000 AS BIGINT) AS visits,
		format('{{"balance":{},"name":"Customer number {}","since":"2024-01-{:02d}","tier":"{}","visits":{}}}', x / 7.0, x, 1 + x %% 28, ['gold', 'silver', 'none'][1 + x %% 3], x %% 1000) AS fields_json
		FROM (SELECT CAST(hash(range * 7919 + %d) %% 1000000007 AS BIGINT) AS x FROM range(%d)))) TO %s (FORMAT parquet)`,
		*benchKeys, id, id*1_000_003, n, duckdb.Literal(path)))
	if err != nil {
		w.t.Fatal(err)
	}
	facts, err := format.Inspect(w.t.Context(), path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	file := scan.File{Path: path, Facts: facts, Min: ontosql.CommitID(id), Max: ontosql.CommitID(id)}
	w.commits = append(w.commits, commit{mark: fmt.Sprint(id), files: map[ontosql.TypeRef][]scan.File{account: {file}}})
}

// BenchmarkMirror compares windows over the mirror with plain DuckDB tables of the same data,
// and with the files.
func BenchmarkMirror(b *testing.B) {
	w := accounts(b, benchCommits, *benchKeys*5/benchCommits)
	m := w.mirror(1 << 40)
	conn := w.conn()
	defer conn.Close()
	v := w.view()
	typ := v.types[0]
	began := time.Now()
	v.settledWithin(m, 10*time.Minute, account)
	status := m.Status()[0]
	b.Logf("%d versions of %d identities built in %s, %d MiB", status.Rows, *benchKeys, time.Since(began).Round(time.Millisecond), status.Bytes>>20)
	exec := func(sql string) {
		b.Helper()
		if err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatalf("%s: %v", sql, err)
		}
	}
	head := v.Head()
	exec("ATTACH " + duckdb.Literal(filepath.Join(w.dir, "raw.duckdb")) + " AS raw")
	all := scan.Request{Type: typ, Window: ontosql.Window{Mode: ontosql.History, Upper: head}, Files: v.files(typ, 0, head), Commits: "commits"}
	history, err := scan.SQL(all)
	if err != nil {
		b.Fatal(err)
	}
	exec("CREATE TABLE raw.latest AS SELECT id, name, tier, balance, visits, since FROM (" + history + ") WHERE is_current")
	exec("CREATE TABLE raw.old AS SELECT id, name, tier, balance, visits, since, commit_id, valid_to_commit FROM (" + history + ") WHERE NOT is_current ORDER BY valid_to_commit")
	exec("CREATE TABLE raw.current AS SELECT id, name, tier, balance, visits, since, commit_id FROM (" + history + ") WHERE is_current")
	exec("CREATE INDEX latest_id ON raw.latest (id)")
	exec("CHECKPOINT raw")
	over := func(upper ontosql.CommitID, keys []scan.KeyEqual, m *mirror.Mirror) (string, func()) {
		r := scan.Request{Type: typ, Window: ontosql.Window{Upper: upper}, KeyEquals: keys}
		release, lower := func() {}, ontosql.CommitID(0)
		if m != nil {
			u := m.Use(v, typ, mirror.Window{Window: r.Window})
			if u == nil {
				b.Fatal("no mirror")
			}
			r.Mirror, lower, release = &u.Source, u.Source.Through, u.Release
		}
		r.Files = v.files(typ, lower, upper)
		sql, err := scan.SQL(r)
		if err != nil {
			b.Fatal(err)
		}
		return sql, release
	}
	const aggregate = "SELECT count(*), avg(balance) FROM (%s)"
	question := func(name string, sql func() (string, func())) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				text, release := sql()
				exec(text)
				release()
			}
		})
	}
	plain := func(sql string) func() (string, func()) {
		return func() (string, func()) { return sql, func() {} }
	}
	mirrored := func(form string, upper func() ontosql.CommitID, m *mirror.Mirror) func() (string, func()) {
		return func() (string, func()) {
			sql, release := over(upper(), nil, m)
			return fmt.Sprintf(form, sql), release
		}
	}
	newest := func() ontosql.CommitID { return head }
	some := func() ontosql.CommitID { return 1 + ontosql.CommitID(rand.IntN(int(head))) }
	someKey := func() string { return fmt.Sprintf("'K%08d'", rand.IntN(*benchKeys)) }
	question("latest/raw", plain("SELECT count(*), avg(balance) FROM raw.latest"))
	question("latest/mirror", mirrored(aggregate, newest, m))
	question("latest/files", mirrored(aggregate, newest, nil))
	question("tier/raw", plain("SELECT tier, avg(balance) FROM raw.latest GROUP BY 1"))
	question("tier/mirror", mirrored("SELECT tier, avg(balance) FROM (%s) GROUP BY 1", newest, m))
	question("asof/raw", func() (string, func()) {
		at := some()
		return fmt.Sprintf("SELECT count(*), avg(balance) FROM (SELECT balance FROM raw.current WHERE commit_id <= %d UNION ALL SELECT balance FROM raw.old WHERE commit_id <= %d AND valid_to_commit > %d)", at, at, at), func() {}
	})
	question("asof/mirror", mirrored(aggregate, some, m))
	question("asof/files", mirrored(aggregate, some, nil))
	question("key/raw", func() (string, func()) { return "SELECT * FROM raw.latest WHERE id = " + someKey(), func() {} })
	question("key/mirror", func() (string, func()) {
		k := someKey()
		sql, release := over(head, []scan.KeyEqual{{Column: "entity_key", Texts: []string{k}}}, m)
		return "SELECT * FROM (" + sql + ") WHERE id = " + k, release
	})
	question("keyasof/mirror", func() (string, func()) {
		k := someKey()
		sql, release := over(some(), []scan.KeyEqual{{Column: "entity_key", Texts: []string{k}}}, m)
		return "SELECT * FROM (" + sql + ") WHERE id = " + k, release
	})
	for _, n := range []int{1, 10, 200, 2000, 10_000} {
		b.Run(fmt.Sprintf("extend/%d", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w.accounts(len(w.commits)+1, n)
				next := w.view()
				b.StartTimer()
				next.settledWithin(m, time.Minute, account)
			}
		})
	}
}
