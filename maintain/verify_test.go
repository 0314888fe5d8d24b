package maintain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
)

func verify(t *testing.T, b objstore.Bucket) maintain.Report {
	t.Helper()
	report, err := maintain.Verify(t.Context(), b)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	return report
}

// brief formats a problem without its text.
func brief(p maintain.Problem) string {
	return p.Severity.String() + ": " + string(p.Rule) + ": " + p.Key
}

// TestFixtures checks that what the original wrote has no problems at any stage, except for
// its known deviation: a snapshot has no checksum.
func TestFixtures(t *testing.T) {
	for _, name := range fixtures.Stores {
		t.Run(name, func(t *testing.T) {
			s := open(t, name)
			var want []string
			for _, key := range s.keys(format.SnapshotsPrefix) {
				if !strings.Contains(key, "Scratch") { // dropped: no index names its snapshot
					want = append(want, "foreign: COMPAT rule 14: "+key)
				}
			}
			report := verify(t, s)
			var got []string
			for _, p := range report.Problems {
				got = append(got, brief(p))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%s", diff, report)
			}
			if stage3 := strings.HasSuffix(name, "stage3-final"); stage3 && (report.Files != 18 || report.Rows != 36) {
				t.Errorf("read %d files and %d rows, want 14 of commits and 4 snapshots, 36 rows", report.Files, report.Rows)
			}
			if report.Engine != strings.TrimPrefix(name[:5], "s3-") {
				t.Errorf("engine is %s", report.Engine)
			}
		})
	}
}

// TestDemo checks that what this program writes has no problems.
func TestDemo(t *testing.T) {
	s := open(t, ours)
	maintaintest.Clean(t, s)
	if report := verify(t, s); len(report.Problems) > 0 || report.Head != 54 {
		t.Errorf("the demo has 54 commits and no problem, got %s", report)
	}
}

// TestHarmless checks that unusual but valid content is accepted.
func TestHarmless(t *testing.T) {
	for _, test := range []struct {
		name, store string
		do          func(s store)
	}{
		{"the lock is held", v1, func(s store) { s.lock("w", 30000, "00:00:10", "00:00:40") }},
		{"the lock was given back", v1, func(s store) { s.lock("w", 30000, "00:00:10", "00:00:10") }},
		{"things of ours", v1, func(s store) { s.put("meta/ontosql/comments.json", []byte("x")) }},
		{"a lost attempt", v1, func(s store) { s.put("commits/4-deadbeef/manifest.json", []byte("x")) }},
		{"no engine marker", v1, func(s store) { s.remove(format.EngineKey) }},
		{"an odd layout on v1", v1, func(s store) { s.replace(format.LayoutsKey, `"schema_version_id":2`, `"schema_version_id":1`) }},
		{"no layouts on v2", v2, func(s store) { s.remove(format.LayoutsKey) }},
		{"the original's time without a fraction", v1, func(s store) {
			s.rewrite(format.EngineKey, []byte(`{"backend":"s3","created_at":"2026-11-20T23:55:04+00:00","engine_version":"v1"}`))
		}},
		{"a number as a key of the original's", v1, file1("product.parquet", func(t *table) {
			t.of("entity_key").kind = format.KindInt64
			copy(t.of("entity_key").values, t.of("sku").values)
		})},
		{"rows without a schema version on v1", v1, file1("product.parquet", func(t *table) {
			t.of("schema_version_id").kind = format.KindNull
			for i := range t.of("schema_version_id").values {
				t.of("schema_version_id").values[i] = format.Null()
			}
		})},
		{"a native column", ours, func(s store) { s.edit(s.find("2", "Store.parquet"), func(t *table) { t.addNative("city") }) }},
		{"no typed columns", v1, file1("Customer.parquet", func(t *table) { t.columns = t.columns[:5] })},
		{"a value that does not fit its column", ours, func(s store) {
			s.editRows(shop, s.find("2", "Store.parquet"), `"open":true`, `"open":"yes"`)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, test.store)
			test.do(s)
			if report := verify(t, s); len(report.Problems) > 0 {
				t.Errorf("want no problems: %s", report)
			}
		})
	}
}

// TestLag checks that outdated advisory objects and known deviations of the original are
// reported, but not as errors.
func TestLag(t *testing.T) {
	for _, test := range []struct {
		name, store string
		do          func(s store)
		want        []string
	}{
		{
			"an index is missing", v1, func(s store) { s.remove(format.IndexKey(product)) },
			[]string{"lag: I5: meta/indices/entities/product.json"},
		},
		{"an index is behind", v1, func(s store) {
			s.editIndex(product, func(x *format.Index) { x.MaxIndexedCommit, x.Entries = 1, x.Entries[:1] })
		}, []string{"lag: I5: meta/indices/entities/product.json"}},
		{"a type is not projected", ours, func(s store) {
			s.remove(format.VersionsKey(shop))
			s.replace(format.TypesKey, `,"Store"`, ``)
			s.replace(format.RegistryKey, `"Store":`+s.registered(shop)+`}`, `}`)
			s.replace(format.RegistryKey, `},},"relation"`, `}},"relation"`)
		}, []string{"lag: A13: meta/schema/versions/entity/Store.json"}},
		{
			"a type is half projected", ours, func(s store) { s.replace(format.TypesKey, `,"Store"`, ``) },
			[]string{"lag: A13: meta/schema/versions/entity/Store.json"},
		},
		{
			"a migration of ours is not projected", ours, func(s store) { s.migrateShop() },
			[]string{"lag: A13: meta/schema/versions/entity/Store.json"},
		},
		{"a migration of ours is half projected", ours, func(s store) {
			versions := s.migrateShop()
			s.put(format.VersionsKey(shop), format.EncodeVersions(versions))
		}, []string{"lag: A13: meta/schema/registry.json"}},
		{"a drop of ours is not projected", ours, func(s store) {
			s.dropShop()
			s.editIndex(shop, func(x *format.Index) { x.MaxIndexedCommit = 53 })
		}, []string{"lag: I5: meta/indices/entities/Store.json", "lag: A13: meta/schema/versions/entity/Store.json"}},
		{"a drop of ours is half projected", ours, func(s store) {
			s.dropShop()
			s.put(format.DroppedKey, []byte(`{"entity":{"Store":{"commit_id":54,"purged":true,"updated_at":"2026-01-01T00:00:00.000000+00:00"}},"relation":{},"updated_at":"2026-01-01T00:00:00.000000+00:00"}`))
			s.editIndex(shop, func(x *format.Index) { x.Entries = nil })
		}, []string{"lag: A13: meta/schema/versions/entity/Store.json"}},
		{
			"an identity twice in a commit of the original", v1, func(s store) { s.repeatRow("1", "Customer.parquet") },
			[]string{"foreign: COMPAT rule 18: commits/1-fa6c6a91/entities/Customer.parquet"},
		},
		{"an index that forgot a drop", late1, func(s store) {
			s.editIndex(scratch, func(x *format.Index) {
				x.Entries = []format.IndexEntry{{MinCommitID: 5, MaxCommitID: 5, Path: s.find("5", "Scratch.parquet")}}
			})
		}, []string{"foreign: A14: meta/indices/entities/Scratch.json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, test.store)
			test.do(s)
			report := verify(t, s)
			var got []string
			for _, p := range report.Problems {
				if !strings.HasPrefix(p.Key, format.SnapshotsPrefix) {
					got = append(got, brief(p))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%s", diff, report)
			}
			if err := report.Err(); err != nil {
				t.Errorf("lag is reported as an error: %v", err)
			}
		})
	}
}

// TestEveryRuleCanFail checks that every rule is violated by some damage: otherwise it would
// not be checked.
func TestEveryRuleCanFail(t *testing.T) {
	broken := map[maintain.Rule]bool{maintain.I5: true} // TestLag
	for _, d := range damages {
		broken[d.rule] = true
	}
	for _, rule := range []maintain.Rule{
		maintain.RuleEngine, maintain.RuleTimes, maintain.RulePayload, maintain.RuleKeys, maintain.RuleInstance,
		maintain.RuleRowVersion, maintain.RuleHash, maintain.RuleSpelling, maintain.RuleLayout, maintain.RuleReserved,
		maintain.RuleIndex, maintain.RuleDuplicates,
		maintain.SchemaObjects, maintain.Numbers, maintain.Columns, maintain.Members, maintain.LockForm,
		maintain.I1, maintain.I2, maintain.I3, maintain.I4, maintain.I8,
		maintain.A12, maintain.A13, maintain.A14, maintain.A34, maintain.A65,
	} {
		if !broken[rule] {
			t.Errorf("no test breaks %s", rule)
		}
	}
}

func TestNothingThere(t *testing.T) {
	if _, err := maintain.Verify(t.Context(), mem.New("empty")); !errors.Is(err, ontosql.ErrNotInitialised) {
		t.Errorf("verify an empty bucket: %v, want ErrNotInitialised", err)
	}
}

func TestStoreThatCannotBeRead(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client is gone")
	cancel(gone)
	if _, err := maintain.Verify(ctx, open(t, v1)); !errors.Is(err, gone) {
		t.Errorf("verify with an ended context: %v, want its cause", err)
	}
}
