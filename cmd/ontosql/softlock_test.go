package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/nameservice"
)

// TestMaintenanceTakesSoftLocks: while somebody holds the soft lock of a record, the command that does
// the same work refuses to; without --apply, for another lock and for an ontology without a record it
// runs. What it does is told to the name service.
func TestMaintenanceTakesSoftLocks(t *testing.T) {
	n := newNames(t)
	shop, other := n.store("shop"), n.store("other")
	n.run("ns create shop --storage-uri "+shop, exitOK)
	s := n.serve()
	for _, sql := range []string{"CREATE TABLE item (id int PRIMARY KEY)", "INSERT INTO item VALUES (1)", "INSERT INTO item VALUES (2)"} {
		s.answers("shop", sql, "")
	}
	within(t, "the index is not in the record", func() bool {
		r := n.record("shop")
		return r.Head.V == 3 && nameservice.EqualPayloads(r.Index.Payload, []byte(`{"default":{"address":"file://`+shop+`/meta/indices/","t":3,"rev":0}}`))
	})
	schema := filepath.Join(t.TempDir(), "schema.sql")
	if err := os.WriteFile(schema, []byte("CREATE TABLE item (id int PRIMARY KEY, name text);"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := " --cache-dir " + t.TempDir() + " --storage-uri "
	for kind, line := range map[string]string{"index": "compact --apply", "reindex": "index repair --apply", "migration": "migrate --apply --force --schema " + schema} {
		n.run("ns lock shop "+kind+" --holder somebody", exitOK)
		if out := n.run(line+at+shop, exitConflict); !strings.Contains(out, "somebody holds the "+kind+"_lock until") {
			t.Errorf("%s: %s", line, out)
		}
		dry, _, _ := strings.Cut(line, " --apply")
		if kind == "migration" {
			dry = "migrate --schema " + schema
		}
		n.run(dry+at+shop, exitOK)
		n.run("ns unlock shop "+kind+" --holder somebody", exitOK)
	}
	n.run("ns lock shop reindex --holder somebody", exitOK)
	apply := func(line string) string {
		t.Helper()
		code, _, problem := command(t, withFlags(line, n.flags...)...)
		if code != exitOK {
			t.Errorf("%s: exit %d, %s", line, code, problem)
		}
		return problem
	}
	apply("compact --apply" + at + shop)
	n.run("ns unlock shop reindex --holder somebody", exitOK)
	r := n.record("shop")
	if want := `{"default":{"address":"file://` + shop + `/meta/indices/","t":3,"rev":1}}`; !nameservice.EqualPayloads(r.Index.Payload, []byte(want)) {
		t.Errorf("the index after the compaction is %s, want %s", r.Index.Payload, want)
	}
	if held := nameservice.HeldLock(r.Status, nameservice.IndexLock); held != nil {
		t.Errorf("the lock is still held: %+v", held)
	}
	apply("migrate --apply --force --schema " + schema + at + shop)
	if problem := apply("compact --apply" + at + other); !strings.Contains(problem, "no soft lock is taken") {
		t.Errorf("without a record: %s", problem)
	}
}
