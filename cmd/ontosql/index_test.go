package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/fixtures"
)

// answersOfOriginal is a part of what the original answered when it wrote a fixture.
func answersOfOriginal[T any](t *testing.T, engine, name string) T {
	t.Helper()
	var log map[string]json.RawMessage
	if err := json.Unmarshal(fixtures.File(t, "s3-"+engine+"/log.json"), &log); err != nil {
		t.Fatal(err)
	}
	answers := decoded[map[string]json.RawMessage](t, string(log["v2"])) // of its second model, on both engines
	return decoded[T](t, string(answers[name]))
}

// backAtSix takes a store that the original compacted, wrote to and dropped a type in back to commit
// 6, at which it asked for the plan.
func backAtSix(t *testing.T, engine string) (path string, flags []string) {
	t.Helper()
	path, flags = fixtureDir(t, "s3-"+engine+"/stage3-final")
	manifests, err := filepath.Glob(filepath.Join(path, "commits/6-*/manifest.json"))
	if err != nil || len(manifests) != 1 {
		t.Fatal(manifests, err)
	}
	manifest, err := filepath.Rel(path, manifests[0])
	if err != nil {
		t.Fatal(err)
	}
	write := func(key, text string) {
		if err := os.WriteFile(filepath.Join(path, filepath.FromSlash(key)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("meta/head.json", `{"commit_id":6,"manifest_path":"`+filepath.ToSlash(manifest)+`","runtime_id":"fixture-writer","updated_at":"2026-11-21T02:04:43.500000+00:00"}`)
	for key, body := range fixtures.Objects(t, "s3-"+engine+"/stage2-migrated") {
		if strings.HasPrefix(key, "meta/schema/") {
			write(key, string(body))
		}
	}
	for _, gone := range []string{"meta/schema/dropped.json", "snapshots"} {
		if err := os.RemoveAll(filepath.Join(path, filepath.FromSlash(gone))); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, problem := command(t, append([]string{"index", "repair", "--apply"}, flags...)...); code != exitOK {
		t.Fatalf("index repair: exit %d, %s", code, problem)
	}
	return path, flags
}

// TestMaintenanceAsOriginal: index verify and the plans of compact are the original's, member for
// member, and so is what the plan becomes with --apply. The original reads the same rows of the
// store that was compacted here.
func TestMaintenanceAsOriginal(t *testing.T) {
	for _, engine := range []string{"v1", "v2"} {
		t.Run(engine, func(t *testing.T) {
			_, flags := fixtureDir(t, "s3-"+engine+"/stage3-final")
			code, out, problem := command(t, append([]string{"index", "verify", "--json"}, flags...)...)
			got := decoded[map[string]any](t, out)
			got["head_commit_id"] = 7.0 // the fixture has a drop behind the original's look
			if diff := cmp.Diff(answersOfOriginal[map[string]any](t, engine, "index_verify"), got); code != exitOK || diff != "" {
				t.Errorf("index verify: exit %d, %s (-original +got):\n%s", code, problem, diff)
			}
			path, flags := backAtSix(t, engine)
			code, out, problem = command(t, append([]string{"compact", "--json"}, flags...)...)
			plan := answersOfOriginal[map[string]any](t, engine, "compact_plan")
			if diff := cmp.Diff(plan, decoded[map[string]any](t, out)); code != exitOK || diff != "" {
				t.Errorf("compact: exit %d, %s (-original +got):\n%s", code, problem, diff)
			}
			before := asOriginal(t, path)
			for _, name := range []string{"Customer", "product", "Scratch", "Subscription", "Purchase"} {
				code, out, problem = command(t, append([]string{"compact", "--type", name, "--apply", "--json"}, flags...)...)
				want := answersOfOriginal[map[string]any](t, engine, "compact_"+name)
				if diff := cmp.Diff(want, decoded[map[string]any](t, out)); code != exitOK || diff != "" {
					t.Errorf("compact %s: exit %d, %s (-original +got):\n%s", name, code, problem, diff)
				}
			}
			if diff := cmp.Diff(before, asOriginal(t, path)); diff != "" {
				t.Errorf("rows of the original (-before +after):\n%s", diff)
			}
			if code, out, problem = command(t, append([]string{"fsck", "--data"}, flags...)...); code != exitOK {
				t.Errorf("fsck: exit %d\n%s%s", code, out, problem)
			}
		})
	}
}

// TestIndexCommands damages an index, sees it verified, planned and repaired, in text and JSON.
func TestIndexCommands(t *testing.T) {
	path, flags := fixtureDir(t, "s3-v1/stage3-final")
	run := func(code int, line, want string) {
		t.Helper()
		got, out, problem := command(t, append(strings.Fields(line), flags...)...)
		if got != code || !strings.Contains(out+problem, want) {
			t.Errorf("%s: exit %d\n%s%s\nwant exit %d and %q", line, got, out, problem, code, want)
		}
	}
	run(exitOK, "index verify", "lagged_types: []\nmissing_latest: []\nok: true\n")
	run(exitOK, "index repair --apply", "planned_types: []\napplied: true\nrepair_head: 8\n")
	if err := os.Remove(filepath.Join(path, "snapshots/entities/Customer-1-5.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "meta/indices/entities/product.json"), []byte(`{"entries":[],"max_indexed_commit":6,"type_name":"product"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	run(exitExecution, "index verify", "lagged_types: [\"entity:product\"]\n")
	run(exitExecution, "index verify", "entity:Customer: snapshots/entities/Customer-1-5.parquet does not exist\n")
	run(exitExecution, "index verify", "index repair --apply")
	run(exitOK, "diff 5 6 --type product", "HINT:  Run \"ontosql index repair --apply\".")
	run(exitExecution, "index verify --json", `"problem": "snapshots/entities/Customer-1-5.parquet does not exist"`)
	run(exitOK, "index repair", "planned_types: [\"entity:Customer\", \"entity:product\"]\napplied: false\n")
	run(exitOK, "index repair --apply --json", `"repair_head": 8`)
	run(exitOK, "index verify", "ok: true\n")
	run(exitOK, "compact", "--apply writes the snapshots.")
	run(exitOK, "compact --apply", "Compacted: ")
	run(exitOK, "compact --apply", "Compacted: 0 rows written")
	run(exitOK, "index verify", "ok: true\n")
}

// TestMaintenanceRefused: exit codes of the original where there is nothing to maintain.
func TestMaintenanceRefused(t *testing.T) {
	_, file := fixtureFile(t, "sqlite-v1")
	none := []string{"--storage-uri", t.TempDir()}
	_, store := fixtureDir(t, "s3-v1/stage1-commits")
	for _, c := range []struct {
		line  string
		flags []string
		code  int
		says  string
	}{
		{"index verify", file, exitUsage, "is a SQLite file, which has no indexes or snapshots"},
		{"index repair --apply", file, exitUsage, "is a SQLite file"},
		{"compact", file, exitUsage, "is a SQLite file"},
		{"index verify", none, exitUsage, "ontosql init creates an ontology"},
		{"index repair", none, exitUsage, "ontosql init creates an ontology"},
		{"compact", none, exitOpen, "ontosql init creates an ontology"},
		{"compact --type Nothing --apply", store, exitUsage, `the ontology has no such type`},
		{"compact --strategy best", store, exitUsage, "a strategy is snapshot or tiered"},
		{"index", store, exitUsage, "want a subcommand: verify or repair"},
		{"index verify more", store, exitUsage, "unexpected argument"},
		{"compact --s3-lease-ttl-ms 1", store, exitUsage, "--s3-lease-ttl-ms 1: want"},
	} {
		code, out, problem := command(t, append(strings.Fields(c.line), c.flags...)...)
		if code != c.code || !strings.Contains(problem, c.says) {
			t.Errorf("%s: exit %d, %s%s; want exit %d and %q", c.line, code, out, problem, c.code, c.says)
		}
	}
	path, flags := fixtureDir(t, "s3-v1/stage1-commits")
	if err := os.Truncate(dataFile(t, path, "1", "Customer.parquet"), 100); err != nil {
		t.Fatal(err)
	}
	code, _, problem := command(t, append([]string{"compact", "--apply"}, flags...)...)
	if code != exitExecution || !strings.Contains(problem, "entity:Customer") || !strings.Contains(problem, "sha256") {
		t.Errorf("a damaged file: exit %d, %s", code, problem)
	}
}
