package format_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

func TestKeys(t *testing.T) {
	customer := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	follows := ontosql.TypeRef{Kind: ontosql.Relation, Name: "Fol lows.x"}
	for _, test := range []struct{ got, want string }{
		{format.VersionsKey(customer), "meta/schema/versions/entity/Customer.json"},
		{format.VersionsKey(follows), "meta/schema/versions/relation/Fol lows.x.json"},
		{format.IndexKey(customer), "meta/indices/entities/Customer.json"},
		{format.IndexKey(follows), "meta/indices/relations/Fol lows.x.json"},
		{format.CommitPrefix(12, "ab12cd34"), "commits/12-ab12cd34/"},
		{format.ManifestKey(12, "ab12cd34"), "commits/12-ab12cd34/manifest.json"},
		{format.DataKey(format.EngineV1, 12, "a", customer, 3), "commits/12-a/entities/Customer.parquet"},
		{format.DataKey(format.EngineV2, 12, "a", customer, 3), "commits/12-a/entities/Customer/v3.parquet"},
		{format.DataKey(format.EngineV2, 12, "a", follows, 1), "commits/12-a/relations/Fol lows.x/v1.parquet"},
		{format.SnapshotKey(customer, 1, 100), "snapshots/entities/Customer-1-100.parquet"},
		{format.SnapshotKey(follows, 5, 6), "snapshots/relations/Fol lows.x-5-6.parquet"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestParseCommitDir(t *testing.T) {
	for _, test := range []struct {
		key     string
		id      ontosql.CommitID
		attempt string
		ok      bool
	}{
		{"commits/12-ab12cd34/manifest.json", 12, "ab12cd34", true},
		{"commits/12-ab12cd34/", 12, "ab12cd34", true},
		{"commits/12-a-b/entities/T.parquet", 12, "a-b", true},
		{"commits/12-ab12cd34", 0, "", false},
		{"commits/012-ab/x", 0, "", false},
		{"commits/+1-ab/x", 0, "", false},
		{"commits/0-ab/x", 0, "", false},
		{"commits/-1-ab/x", 0, "", false},
		{"commits/1-/x", 0, "", false},
		{"commits/1/x", 0, "", false},
		{"commits/99999999999999999999-a/x", 0, "", false},
		{"meta/head.json", 0, "", false},
		{"xcommits/1-a/x", 0, "", false},
	} {
		id, attempt, ok := format.ParseCommitDir(test.key)
		if id != test.id || attempt != test.attempt || ok != test.ok {
			t.Errorf("%s: got %d, %q, %t; want %d, %q, %t", test.key, id, attempt, ok, test.id, test.attempt, test.ok)
		}
	}
}

func TestParseTypeKeys(t *testing.T) {
	customer := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	odd := ontosql.TypeRef{Kind: ontosql.Relation, Name: "a-1-2-.parquet/b"}
	for _, ref := range []ontosql.TypeRef{customer, odd} {
		if got, ok := format.ParseIndexKey(format.IndexKey(ref)); !ok || got != ref {
			t.Errorf("%s: got %v, %t", format.IndexKey(ref), got, ok)
		}
		if got, low, high, ok := format.ParseSnapshotKey(format.SnapshotKey(ref, 7, 12)); !ok || got != ref || low != 7 || high != 12 {
			t.Errorf("%s: got %v, %d, %d, %t", format.SnapshotKey(ref, 7, 12), got, low, high, ok)
		}
	}
	for _, key := range []string{
		"meta/indices/entities/.json", "meta/indices/entities/Customer", "meta/indices/Customer.json", "meta/indices/others/Customer.json", "",
	} {
		if got, ok := format.ParseIndexKey(key); ok {
			t.Errorf("%s is the index of %v", key, got)
		}
	}
	for _, key := range []string{
		"snapshots/entities/Customer.parquet", "snapshots/entities/Customer-1.parquet", "snapshots/entities/-1-2.parquet",
		"snapshots/entities/Customer-01-2.parquet", "snapshots/entities/Customer-0-2.parquet", "snapshots/entities/Customer-1-x.parquet",
		"snapshots/entities/Customer-1-99999999999999999999.parquet", "snapshots/Customer-1-2.parquet", "snapshots/entities/Customer-1-2.json", "",
	} {
		if got, _, _, ok := format.ParseSnapshotKey(key); ok {
			t.Errorf("%s is a snapshot of %v", key, got)
		}
	}
}

// TestImmutable compares the stages of two stores: an object that changed between stages must not
// be Immutable, and the objects of commits must be.
func TestImmutable(t *testing.T) {
	for i, store := range fixtures.Stores {
		objects := fixtures.Objects(t, store)
		for key := range objects {
			if strings.HasPrefix(key, "commits/") != format.Immutable(key) {
				t.Errorf("%s: immutable %t", key, format.Immutable(key))
			}
		}
		if strings.HasSuffix(store, "stage0-init") {
			continue
		}
		for key, before := range fixtures.Objects(t, fixtures.Stores[i-1]) {
			if format.Immutable(key) && string(objects[key]) != string(before) {
				t.Errorf("%s: Immutable(%s) is true, but the original changed the object", store, key)
			}
		}
	}
}
