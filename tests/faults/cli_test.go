package faults

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/writepath"
)

// TestCommandLines runs command lines that make no sense, or name a store that
// is not there.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	missing := filepath.Join(t.TempDir(), "missing")
	for _, test := range []struct {
		line string // DEMO, CACHE, MISSING stand for directories
		code int
		says string
	}{
		{"nosuch", 2, `unknown command "nosuch"`},
		{"--nosuch", 2, "nosuch"},
		{"info --nosuch --storage-uri DEMO", 2, "nosuch"},
		{"info extra --storage-uri DEMO", 2, "extra"},
		{"info --s3-lease-ttl-ms soon --storage-uri DEMO", 2, "s3-lease-ttl-ms"},
		{"serve", 2, "--storage-uri"},
		{"serve extra --storage-uri DEMO", 2, "extra"},
		{"serve --db DEMO", 2, "NAME=URI"},
		{"serve --db a=DEMO --db a=DEMO", 2, `"a"`},
		{"serve --db a@b=DEMO", 2, "a@b"},
		{"serve --db =DEMO", 2, "database name"},
		{"serve --storage-uri ftp://x/y", 2, "ftp://x/y"},
		{"serve --storage-uri s3://", 2, "bucket"},
		{"serve --storage-uri s3://key:secret@bucket/p", 2, "credentials"},
		{"serve --storage-uri DEMO --listen nonsense", 2, "nonsense"},
		{"serve --storage-uri DEMO --listen 0.0.0.0:0", 2, "--auth"},
		{"serve --storage-uri DEMO --listen :0", 2, "--auth"},
		{"serve --storage-uri DEMO --listen [::]:0", 2, "--auth"},
		{"serve --storage-uri DEMO --auth nosuch", 2, "nosuch"},
		{"serve --storage-uri DEMO --auth scram", 2, "--users"},
		{"serve --storage-uri DEMO --auth scram --users MISSING", 5, "missing"},
		{"serve --storage-uri DEMO --tls-cert x.pem", 2, "--tls-key"},
		{"serve --storage-uri DEMO --tls-cert x.pem --tls-key y.pem", 5, "x.pem"},
		{"serve --storage-uri DEMO --cache-dir CACHE --memory-limit much", 2, "much"},
		{"serve --storage-uri DEMO --cache-dir CACHE --cache-size -1", 2, "-1"},
		{"serve --storage-uri DEMO --max-connections many", 2, "many"},
		{"serve --storage-uri DEMO --config MISSING", 2, "missing"},
		{"serve --storage-uri MISSING --cache-dir CACHE", 5, "no such bucket"},
		{"info --storage-uri MISSING --cache-dir CACHE", 5, "no such bucket"},
		{"info --db x.db", 5, "not initialised"},
		{"info --db x.db --storage-uri DEMO", 2, "different"},
		{"info --db x.db --storage-uri sqlite:///y.db", 2, "different"},
		{"info --db x.db --storage-uri sqlite:///x.db", 2, "different"}, // three slashes are /x.db (COMPAT 4.2)
		{"info --db x.db --storage-uri sqlite://x.db", 5, "not initialised"},
		{"info --db x.db --db y.db", 2, "--db"},
		{"info", 5, "not initialised"},
		{"commits --storage-uri DEMO --meta x", 2, "KEY=VALUE"},
		{"commits --storage-uri DEMO --last -1", 2, "--last"},
		{"commits --storage-uri DEMO --last few", 2, "few"},
		{"sql --storage-uri DEMO", 2, "-c"},
		{"sql --storage-uri DEMO -c x -f y", 2, "-c"},
		{"sql --storage-uri DEMO -f MISSING", 2, "missing"},
		{"sql --storage-uri DEMO -c x --format xml", 2, "xml"},
		{"sql --storage-uri DEMO --cache-dir CACHE -c x --as-of nonsense", 4, "nonsense"},
		{"sql --storage-uri DEMO --cache-dir CACHE -c x", 4, `syntax error at or near "x"`},
		{"init --storage-uri MISSING --engine-version v3", 2, "v3"},
		{"preflight --storage-uri MISSING", 5, "no such bucket"},
		{"user", 2, "add"},
		{"user nosuch", 2, "add"},
		{"user add", 2, "NAME"},
		{"user add ada", 2, "--users"},
		{"demo --dir x --storage-uri DEMO", 2, "--dir"},
	} {
		line := strings.NewReplacer("DEMO", demoDir, "CACHE", cache, "MISSING", missing).Replace(test.line)
		t.Run(test.line, func(t *testing.T) {
			got := command(t, nil, strings.Fields(line)...)
			got.check(t, test.code, test.says)
			if begins, _, _ := strings.Cut(got.stderr, ": "); begins != "ontosql" && begins != "ERROR" && begins != "FATAL" {
				t.Errorf("stderr is %q, want it to begin with the program's name or as psql's errors do", got.stderr)
			}
			if got.stdout != "" {
				t.Errorf("stdout is %q, want errors on stderr alone", got.stdout)
			}
		})
	}
	command(t, nil, "serve", "--listen", taken(t), "--storage-uri", demoDir, "--cache-dir", cache).check(t, 5, "address already in use")
	if _, err := os.Stat(missing); err == nil {
		t.Error("a command that only reads has made the directory of the store")
	}
	for _, name := range []string{"serve", "demo", "sql", "init", "info", "commits", "preflight", "user add"} {
		command(t, nil, append(strings.Fields(name), "--help")...).check(t, 0, "Examples:", "ontosql "+name)
	}
}

// taken is an address that a listener of the test has.
func taken(t *testing.T) string {
	return strings.TrimPrefix(htmlServer(t), "http://")
}

// TestSQLCommand prints results in every layout and fails as psql would.
func TestSQLCommand(t *testing.T) {
	t.Parallel()
	args := []string{"sql", "--storage-uri", newStore(t, 3).dir, "--cache-dir", t.TempDir()}
	run := func(more ...string) outcome { return command(t, nil, append(args, more...)...) }
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-c", query}, " id | tier\n----+------\n c2 | t2\n c3 | t3\n(2 rows)\n\n"},
		{[]string{"-c", query, "--format", "csv"}, "id,tier\nc2,t2\nc3,t3\n"},
		{[]string{"-c", query, "--format", "json"}, "[\n  {\n    \"id\": \"c2\",\n    \"tier\": \"t2\"\n  },\n  {\n    \"id\": \"c3\",\n    \"tier\": \"t3\"\n  }\n]\n"},
		{[]string{"-c", `SELECT 1 AS n, true AS b, NULL AS x, 'a,"b' AS s, '{"k":1}'::jsonb AS j`, "--json"}, "[\n  {\n    \"n\": 1,\n    \"b\": true,\n    \"x\": null,\n    \"s\": \"a,\\\"b\",\n    \"j\": {\n      \"k\": 1\n    }\n  }\n]\n"},
		{[]string{"-c", `SELECT 1 AS n, NULL AS x, 'a,"b' AS s`, "--format", "csv"}, "n,x,s\n1,,\"a,\"\"b\"\n"},
		{[]string{"-c", query, "--as-of", "2", "--format", "csv"}, "id,tier\nc2,t2\n"},
		{[]string{"-c", query, "--as-of", "HEAD~1", "--format", "csv"}, "id,tier\nc2,t2\n"},
		{[]string{"-c", query, "--as-of", "0", "--format", "csv"}, "id,tier\n"},
		{[]string{"-c", `SELECT 1 AS a; SELECT 2 AS b`, "--format", "csv"}, "a\n1\nb\n2\n"},
		{[]string{"-c", `SET ontosql.as_of = '2'; SELECT count(*) FROM customer`}, "SET\n count\n-------\n     1\n(1 row)\n\n"},
	} {
		got := run(test.args...)
		if diff := cmp.Diff(test.want, got.stdout); got.code != 0 || diff != "" {
			t.Errorf("sql %q: exit code %d, %s\n(-want +got):\n%s", test.args, got.code, got.stderr, diff)
		}
	}
	run("-c", "SELECT id,\n  nosuch FROM customer").check(t, 4, "ERROR:  column \"nosuch\" does not exist\nLINE 2:   nosuch FROM customer\n          ^\n")
	run("-c", `SELECT 1; SELECT 1/0`).check(t, 4, "division by zero")
	run("-c", `DELETE FROM customer`).check(t, 4, "DELETE is not supported")
	got := commandIn(t, t.TempDir(), "SELECT count(*) AS n FROM customer", nil, append(args, "-f", "-", "--format", "csv")...)
	got.check(t, 0, "n\n2\n")
}

// TestInit creates stores, twice, by force and under another writer's lease.
func TestInit(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "new", "store")
	args := func(more ...string) []string {
		return append([]string{"--storage-uri", store, "--cache-dir", t.TempDir()}, more...)
	}
	command(t, nil, args("init", "--dry-run")...).check(t, 0, "status: dry_run", "already_initialized: false", "force_token: ", "meta/head.json")
	if _, err := os.Stat(store); err == nil {
		t.Error("init --dry-run has made the directory")
	}
	command(t, nil, args("init", "--json")...).check(t, 0, `"status": "initialized"`, `"engine_version": "v1"`)
	before := snapshotOf(t, store)
	again := command(t, nil, args("init")...)
	again.check(t, 4, "already initialised", "--token")
	command(t, nil, args("init", "--force")...).check(t, 4, "token")
	command(t, nil, args("init", "--force", "--token", "0123456789abcdef")...).check(t, 4, "token")
	command(t, nil, args("init", "--token", "0123456789abcdef")...).check(t, 4, "already initialised")
	checkUntouched(t, store, before)
	command(t, nil, args("info")...).check(t, 0, "head_commit_id: none", "engine_version: v1")
	command(t, nil, args("sql", "-c", `SELECT count(*) FROM ontosql.types`, "--format", "csv")...).check(t, 0, "0")

	full := newStore(t, 4)
	token := writepath.ForceToken(full.dir)
	force := []string{"init", "--storage-uri", full.dir, "--force", "--token", token}
	lock := func(until time.Time) {
		body := format.EncodeLock(&format.Lock{OwnerID: "another-writer", AcquiredAt: format.TimeOf(until.Add(-time.Minute)), ExpiresAt: format.TimeOf(until)})
		path := filepath.Join(full.dir, filepath.FromSlash(format.LockKey))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lock(time.Now().Add(time.Minute))
	before = snapshotOf(t, full.dir)
	command(t, nil, force...).check(t, 4, "another-writer", "lock is held")
	checkUntouched(t, full.dir, before)
	cache := t.TempDir()
	g := serve(t, nil, "--storage-uri", full.dir, "--cache-dir", cache)
	c := g.connect(t, "onto")
	c.answers(t, `SELECT count(*) FROM customer`, "3")
	c.answers(t, `SELECT owner_id, is_expired FROM ontosql.write_lock`, "another-writer|f")
	lock(time.Now().Add(-time.Minute))
	command(t, nil, force...).check(t, 0, "status: initialized", "already_initialized: true")
	c.refuses(t, `SELECT count(*) FROM customer`, "42P01", "customer")
	c.answers(t, `SELECT count(*) FROM ontosql.commits`, "0")
	for _, gone := range []string{"meta/indices/entities/Customer.json", "meta/schema/versions/entity/Customer.json"} {
		if _, err := os.Stat(filepath.Join(full.dir, filepath.FromSlash(gone))); err == nil {
			t.Errorf("init --force leaves %s, which spoke of the old types", gone)
		}
	}
	v2 := filepath.Join(t.TempDir(), "v2")
	command(t, nil, "init", "--engine-version", "v2", "--storage-uri", v2).check(t, 0, "engine_version: v2")
	command(t, nil, "info", "--storage-uri", v2, "--cache-dir", cache).check(t, 0, "engine_version: v2")
}

// TestInfo checks that `info` prints the location of a store and the faults of its indexes.
func TestInfo(t *testing.T) {
	t.Parallel()
	s := newStore(t, 4)
	args := []string{"info", "--storage-uri", s.dir, "--cache-dir", t.TempDir()}
	command(t, nil, args...).check(t, 0, "head_commit_id: 4", "storage_uri: file://"+s.dir, "indexes: ok")
	command(t, nil, append(args, "--stats", "--schema")...).check(t, 0, "entity  Customer  3", `"primary_key"`)
	type health struct {
		Head    int64    `json:"head_commit_id"`
		Lagged  []string `json:"lagged_types"`
		Missing []string `json:"missing_latest"`
		Warning *string  `json:"last_index_warning"`
	}
	look := func() (h health) {
		got := command(t, nil, append(args, "--json")...)
		if err := json.Unmarshal([]byte(got.stdout), &h); err != nil {
			t.Fatalf("info --json prints %q: %v; %s", got.stdout, err, got.stderr)
		}
		return h
	}
	if diff := cmp.Diff(health{Head: 4, Lagged: []string{}, Missing: []string{}}, look()); diff != "" {
		t.Errorf("info of a sound store (-want +got):\n%s", diff)
	}
	s.edit(t, customerIndex, member("max_indexed_commit", 3))
	if h := look(); h.Warning == nil || !cmp.Equal(h.Lagged, []string{"entity:Customer"}) {
		t.Errorf("info of an index that lags: %+v, want it to name entity:Customer", h)
	}
	command(t, nil, args...).check(t, 0, "lagging", "lagged_types: entity:Customer")
	s.edit(t, customerIndex, removed)
	if h := look(); h.Warning == nil || !cmp.Equal(h.Missing, []string{"entity:Customer"}) {
		t.Errorf("info without an index: %+v, want missing_latest to name entity:Customer", h)
	}
	s.edit(t, "meta/head.json", removed)
	command(t, nil, args...).check(t, 5, "not initialised", "ontosql init")
	command(t, nil, "commits", "--storage-uri", s.dir, "--cache-dir", t.TempDir()).check(t, 5, "not initialised", "ontosql init")
}

// TestCommits prints the original's objects.
func TestCommits(t *testing.T) {
	t.Parallel()
	store := fixtures.Dir(t, "s3-v1/stage3-final/objects")
	type line struct {
		ID         *int64          `json:"commit_id"`
		Timestamp  *string         `json:"timestamp"`
		Operations *int64          `json:"operations"`
		Meta       json.RawMessage `json:"meta"`
	}
	list := func(more ...string) (lines []line) {
		got := command(t, nil, append([]string{"commits", "--json", "--storage-uri", store, "--cache-dir", t.TempDir()}, more...)...)
		dec := json.NewDecoder(strings.NewReader(got.stdout))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&lines); err != nil {
			t.Fatalf("commits --json %q prints %q: %v; %s", more, got.stdout, err, got.stderr)
		}
		for _, l := range lines {
			if l.ID == nil || l.Timestamp == nil || l.Operations == nil || l.Meta == nil {
				t.Errorf("commits --json %q: a line lacks a field: %+v", more, l)
			}
		}
		return lines
	}
	ids := func(lines []line) (ids []int64) {
		for _, l := range lines {
			ids = append(ids, *l.ID)
		}
		return ids
	}
	all := ids(list("--last", "1000"))
	head := all[0]
	for i, id := range all {
		if id != head-int64(i) {
			t.Fatalf("commits are listed as %v, want every one, newest first", all)
		}
	}
	for _, test := range []struct {
		args []string
		want []int64
	}{
		{nil, all[:min(10, len(all))]},
		{[]string{"--last", "2"}, all[:2]},
		{[]string{"--last", "0"}, nil},
		{[]string{"--since", "2", "--last", "1000"}, all[:len(all)-2]},
		{[]string{"--meta", "nosuch=x"}, nil},
	} {
		if diff := cmp.Diff(test.want, ids(list(test.args...))); diff != "" {
			t.Errorf("commits %q (-want +got):\n%s", test.args, diff)
		}
	}
	// --id is commits examine.
	for _, id := range []string{"99999", "0", "-5"} {
		command(t, nil, "commits", "--json", "--storage-uri", store, "--cache-dir", t.TempDir(), "--id", id).check(t, 1, id)
	}
	command(t, nil, "commits", "--json", "--storage-uri", store, "--cache-dir", t.TempDir(), "--id", "3").check(t, 0, `"commit_id": 3`, `"changes": [`)
	got := command(t, nil, "commits", "--json", "--storage-uri", demoDir, "--cache-dir", t.TempDir(), "--id", "1")
	got.check(t, 0, `"meta": null`)
	if strings.Contains(got.stdout, "ontosql_") {
		t.Errorf("commits shows metadata that is the gateway's own:\n%s", got.stdout)
	}
}

// TestPreflight names what credentials can do; a probe leaves nothing behind.
func TestPreflight(t *testing.T) {
	at := testenv.S3(t)
	b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Endpoint: at.Endpoint})
	if err != nil {
		t.Fatal(err)
	}
	newStoreIn(t, b, at.Dir, ontosql.CommitID(2))
	before := snapshotOf(t, at.Dir)
	args := []string{"preflight", "--json", "--storage-uri", "s3://" + at.Bucket, "--s3-endpoint-url"}
	read := func(o outcome) map[string]bool {
		var checks []writepath.Check
		if err := json.Unmarshal([]byte(o.stdout), &checks); err != nil {
			t.Fatalf("preflight --json prints %q: %v; %s", o.stdout, err, o.stderr)
		}
		can := map[string]bool{}
		for _, c := range checks {
			can[c.Name] = c.OK
			if c.Permission == "" || !c.OK && c.Detail == "" {
				t.Errorf("check %+v, want the permission it needs and why it failed", c)
			}
		}
		return can
	}
	got := command(t, nil, append(args, at.Endpoint)...)
	want := map[string]bool{"list": true, "get": true, "put": true, "conditional put": true, "conditional delete": true, "delete": true, "clock": true}
	if diff := cmp.Diff(want, read(got)); got.code != 0 || diff != "" {
		t.Errorf("preflight of all rights: exit code %d (-want +got):\n%s", got.code, diff)
	}
	got = command(t, nil, append(args, testenv.S3ReadOnly(t))...)
	want = map[string]bool{
		"list": true, "get": true, "put": false, "conditional put": false, "conditional delete": false, "delete": false, "clock": true,
	}
	if diff := cmp.Diff(want, read(got)); got.code != 0 || diff != "" {
		t.Errorf("preflight of a read-only server: exit code %d (-want +got):\n%s", got.code, diff)
	}
	got = command(t, []string{"AWS_SECRET_ACCESS_KEY=" + wrongSecret}, append(args, at.Endpoint)...)
	got.check(t, 5, "cannot read")
	if can := read(got); can["list"] || can["get"] || can["put"] {
		t.Errorf("preflight of wrong credentials says %v, want no to everything", can)
	}
	checkUntouched(t, at.Dir, before)
	command(t, nil, "preflight", "--storage-uri", demoDir).check(t, 0, "conditional put", "yes")
}
