package faults

import (
	"os"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/fixtures"
)

// damage is one way to break a store with head 4, and what a client sees.
type damage struct {
	name   string
	change func(t *testing.T, s *store)
	code   string   // of SELECT ... FROM customer; "" answers
	says   []string // in the error
	warns  string   // text of the XX002 warning that accompanies a correct answer; "" expects no warning
}

// oneThing is a damage of one object.
func oneThing(key string, change func([]byte) []byte) func(*testing.T, *store) {
	return func(t *testing.T, s *store) { s.edit(t, key, change) }
}

const (
	customerFile  = "commits/3-*/entities/Customer.parquet"
	customerIndex = "meta/indices/entities/Customer.json"
)

var damages = []damage{
	// The head and the chain of manifests are the truth: without them there is
	// no answer.
	{"store that is not initialised", oneThing("meta/head.json", removed), "55000", []string{"not initialised", "ontosql init"}, ""},
	{"head that is not JSON", oneThing("meta/head.json", notJSON), "XX001", []string{"meta/head.json"}, ""},
	{"head without content", oneThing("meta/head.json", empty), "XX001", []string{"meta/head.json"}, ""},
	{"head cut in half", oneThing("meta/head.json", truncated), "XX001", []string{"meta/head.json"}, ""},
	{"head with a text for a commit", oneThing("meta/head.json", member("commit_id", "four")), "XX001", []string{"meta/head.json", "commit_id"}, ""},
	{"head with a negative commit", oneThing("meta/head.json", member("commit_id", -4)), "XX001", []string{"meta/head.json", "commit_id"}, ""},
	{"head ahead of its manifest", oneThing("meta/head.json", member("commit_id", 5)), "XX001", []string{"manifest"}, ""},
	{"head that names a foreign path", oneThing("meta/head.json", member("manifest_path", "../../etc/passwd")), "XX001", []string{"manifest_path"}, ""},
	{"head whose manifest is missing", oneThing("commits/4-*/manifest.json", removed), "XX001", []string{"commits/4-", "manifest.json", "not found"}, ""},
	{"head with a wrong checksum of its manifest", oneThing("meta/head.json", member("commit_sha256", strings.Repeat("0", 64))), "XX001", []string{"commits/4-", "manifest.json", "sha256"}, ""},
	{"manifest in the middle missing", oneThing("commits/2-*/manifest.json", removed), "XX001", []string{"commits/2-", "manifest.json", "not found"}, ""},
	{"manifest that is not JSON", oneThing("commits/3-*/manifest.json", notJSON), "XX001", []string{"commits/3-", "manifest.json"}, ""},
	{"manifest cut in half", oneThing("commits/3-*/manifest.json", truncated), "XX001", []string{"commits/3-", "manifest.json"}, ""},
	{"manifest of another commit", oneThing("commits/3-*/manifest.json", member("commit_id", 2)), "XX001", []string{"commits/3-", "commit_id"}, ""},
	{"manifest that is its own parent", func(t *testing.T, s *store) {
		own := strings.TrimPrefix(s.path(t, "commits/3-*/manifest.json"), s.dir+"/")
		s.edit(t, "commits/3-*/manifest.json", member("parent_manifest_path", own))
	}, "XX001", []string{"commits/3-"}, ""},
	{"manifest with a text for a row count", oneThing("commits/3-*/manifest.json", replaced(`"row_count":1`, `"row_count":"one"`)), "XX001", []string{"commits/3-", "row_count"}, ""},
	{"manifest with a wrong row count", oneThing("commits/3-*/manifest.json", replaced(`"row_count":1`, `"row_count":2`)), "XX001", []string{"commits/3-", "Customer.parquet", "row_count", "2 rows"}, ""},
	{"manifest with a wrong checksum", oneThing("commits/3-*/manifest.json", replaced(`"content_sha256":"`, `"content_sha256":"0000`)), "XX001", []string{"commits/3-", "sha256"}, ""},
	{"manifest with another checksum", func(t *testing.T, s *store) {
		s.edit(t, "commits/3-*/manifest.json", func(body []byte) []byte {
			at := strings.Index(string(body), `"content_sha256":"`) + len(`"content_sha256":"`)
			copy(body[at:], strings.Repeat("0", 64))
			return body
		})
	}, "XX001", []string{"commits/3-", "Customer.parquet", "sha256"}, ""},

	// Data files.
	{"data file cut in half", oneThing(customerFile, truncated), "XX001", []string{"commits/3-", "Customer.parquet", "sha256"}, ""},
	{"data file without content", oneThing(customerFile, empty), "XX001", []string{"commits/3-", "Customer.parquet"}, ""},
	{"data file with one bit turned", oneThing(customerFile, func(b []byte) []byte { b[len(b)/3] ^= 1; return b }), "XX001", []string{"commits/3-", "Customer.parquet", "sha256"}, ""},
	{"data file missing", oneThing(customerFile, removed), "XX001", []string{"commits/3-", "Customer.parquet", "not found"}, ""},
	{"data file that is no Parquet, without a checksum", func(t *testing.T, s *store) {
		s.edit(t, "commits/3-*/manifest.json", withoutChecksums)
		s.edit(t, customerFile, notJSON)
	}, "XX001", []string{"commits/3-", "Customer.parquet"}, ""},
	{"data file cut in half, without a checksum", func(t *testing.T, s *store) {
		s.edit(t, "commits/3-*/manifest.json", withoutChecksums)
		s.edit(t, customerFile, truncated)
	}, "XX001", []string{"commits/3-", "Customer.parquet"}, ""},

	// Indexes are advisory: the answer is right without them (I5).
	{"index missing", oneThing(customerIndex, removed), "", nil, "Customer"},
	{"index that is not JSON", oneThing(customerIndex, notJSON), "", nil, "meta/indices/entities/Customer.json"},
	{"index cut in half", oneThing(customerIndex, truncated), "", nil, "meta/indices/entities/Customer.json"},
	{"index that names a missing file", oneThing(customerIndex, replaced("/entities/Customer.parquet", "/entities/gone.parquet")), "", nil, "gone.parquet"},
	{"index without entries", oneThing(customerIndex, member("entries", []any{})), "", nil, "Customer"},
	{"index that lags", func(t *testing.T, s *store) {
		old, err := os.ReadFile(s.path(t, customerIndex))
		if err != nil {
			t.Fatal(err)
		}
		s.commit(t)
		s.edit(t, customerIndex, func([]byte) []byte { return old })
	}, "", nil, "Customer"},

	// Schema objects: the chain holds the schemas of the types that we registered. Anything
	// else in a damaged registry cannot be recovered.
	{"registry missing", oneThing("meta/schema/registry.json", removed), "", nil, ""},
	{"registry that is not JSON", oneThing("meta/schema/registry.json", notJSON), "XX001", []string{"meta/schema/registry.json"}, ""},
	{"types that are not JSON", oneThing("meta/schema/types.json", notJSON), "XX001", []string{"meta/schema/types.json"}, ""},
	{"schema versions that are not JSON", oneThing("meta/schema/versions/entity/Customer.json", notJSON), "", nil, "meta/schema/versions/entity/Customer.json"},
	{"schema versions missing", oneThing("meta/schema/versions/entity/Customer.json", removed), "", nil, ""},
	{"engine marker missing", oneThing("meta/engine.json", removed), "", nil, ""},
	{"engine marker that is not JSON", oneThing("meta/engine.json", notJSON), "XX001", []string{"meta/engine.json"}, ""},
	{"engine of the future", oneThing("meta/engine.json", member("engine_version", "v9")), "XX001", []string{"meta/engine.json", "v9"}, ""},
}

func withoutChecksums(body []byte) []byte {
	before, rest, _ := strings.Cut(string(body), `"content_sha256":"`)
	_, after, _ := strings.Cut(rest, `",`)
	return []byte(before + after)
}

// TestDamagedStores serves every damaged store from one gateway: that one
// database is broken must not be seen from another.
func TestDamagedStores(t *testing.T) {
	t.Parallel()
	args := []string{"--cache-dir", t.TempDir()}
	names := make([]string, len(damages))
	heads := make([]int, len(damages))
	dirs := make([]string, len(damages))
	for i, d := range damages {
		s := newStore(t, 4)
		d.change(t, s)
		names[i], heads[i], dirs[i] = "d"+string(rune('a'+i/26))+string(rune('a'+i%26)), int(s.head), s.dir
		args = append(args, "--db", names[i]+"="+s.dir)
	}
	g := serve(t, nil, args...)
	for i, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			before := snapshotOf(t, dirs[i])
			c := g.connect(t, names[i])
			const query = `SELECT id, tier FROM customer ORDER BY id`
			if d.code != "" {
				c.refuses(t, query, d.code, d.says...)
				c.refuses(t, `SELECT count(*) FROM history.customer`, d.code, d.says...)
				c.answers(t, `SHOW server_encoding`, "UTF8")
				checkUntouched(t, dirs[i], before)
				return
			}
			want := []string{"c2|t2", "c3|t3", "c4|t4", "c5|t5"}[:heads[i]-1]
			c.answers(t, query, want...)
			if d.warns != "" {
				c.warned(t, "XX002", d.warns)
			} else if len(c.notices) > 0 {
				t.Errorf("notice %q, want none", c.notices[0].Message)
			}
			c.answers(t, `SELECT id, commit_id, is_current FROM history.customer WHERE commit_id < 4 ORDER BY id`, "c2|2|t", "c3|3|t")
			c.answers(t, `SELECT id FROM as_of.customer(2)`, "c2")
			checkUntouched(t, dirs[i], before)
		})
	}
}

// TestDamageOfTheOriginalsStores damages what only stores of the original have: their schemas
// exist only in the projections.
func TestDamageOfTheOriginalsStores(t *testing.T) {
	t.Parallel()
	damages := []struct {
		key    string
		change func([]byte) []byte
		code   string // "" answers
		says   string // in the error, or in the WARNING of XX002
	}{
		{"meta/schema/registry.json", notJSON, "XX001", "meta/schema/registry.json"},
		{"meta/schema/registry.json", removed, "", ""},
		{"meta/schema/types.json", notJSON, "XX001", "meta/schema/types.json"},
		{"meta/schema/dropped.json", notJSON, "XX001", "meta/schema/dropped.json"},
		{"meta/schema/versions/entity/Customer.json", notJSON, "", "meta/schema/versions/entity/Customer.json"},
		{"meta/schema/versions/entity/Customer.json", removed, "", ""},
		{"meta/type_layout_catalog.json", notJSON, "", ""},
		{"meta/indices/entities/Customer.json", notJSON, "", "meta/indices/entities/Customer.json"},
		{"meta/indices/entities/Customer.json", removed, "", "Customer"},
		// A compaction snapshot is no part of the truth: the commits have its rows.
		{"snapshots/entities/Customer-1-5.parquet", removed, "", "Customer-1-5.parquet"},
		{"snapshots/entities/Customer-1-5.parquet", truncated, "", "Customer-1-5.parquet"},
		{"snapshots/entities/Customer-1-5.parquet", empty, "", "Customer-1-5.parquet"},
	}
	args := []string{"--cache-dir", t.TempDir(), "--db", "sound=" + fixtures.Dir(t, "s3-v1/stage3-final/objects")}
	names := make([]string, len(damages))
	for i, d := range damages {
		s := &store{dir: fixtures.Dir(t, "s3-v1/stage3-final/objects")}
		s.edit(t, d.key, d.change)
		names[i] = "d" + string(rune('a'+i))
		args = append(args, "--db", names[i]+"="+s.dir)
	}
	g := serve(t, nil, args...)
	const query = `SELECT id, name, tier FROM customer ORDER BY id`
	want, err := g.connect(t, "sound").ask(t, query)
	if err != nil || len(want) == 0 {
		t.Fatalf("the sound store answers %q (%v), want rows", want, err)
	}
	for i, d := range damages {
		t.Run(strings.ReplaceAll(d.key, "/", "_"), func(t *testing.T) {
			c := g.connect(t, names[i])
			if d.code != "" {
				c.refuses(t, query, d.code, d.says)
				return
			}
			c.answers(t, query, want...)
			if d.says != "" {
				c.warned(t, "XX002", d.says)
			}
		})
	}
}
