package compaction

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// TestEveryPoint compacts random histories, asks everything before and after, and goes on to write
// through the gateways that were open.
func TestEveryPoint(t *testing.T) {
	for _, engine := range []string{format.EngineV1, format.EngineV2} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			b := mem.New("x")
			if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{URI: "mem://x", Engine: engine, Now: time.Now}); err != nil {
				t.Fatal(err)
			}
			open := map[string]*client{"with copies": connect(t, b, true), "without copies": connect(t, b, false)}
			writer := open["without copies"]
			life(writer, rand.New(rand.NewPCG(8, 8)))
			settle(t, b)
			before := answers(writer)
			for name, c := range open {
				if diff := cmp.Diff(before, answers(c)); diff != "" {
					t.Fatalf("%s, before the compaction:\n%s", name, diff)
				}
			}
			done := compact(t, b, compaction.Options{})
			if len(done.Planned) < 2 || done.Rows == 0 {
				t.Fatalf("compacted %+v", done)
			}
			open["anew"] = connect(t, b, false)
			for name, c := range open {
				if diff := cmp.Diff(before, answers(c)); diff != "" {
					t.Errorf("%s (-before +after):\n%s", name, diff)
				}
				if plan := c.ask(`EXPLAIN SELECT * FROM history.place`); name == "anew" && !slices.ContainsFunc(plan, func(line string) bool {
					return strings.Contains(line, "Files: 1 considered, 0 pruned, 1 read")
				}) {
					t.Errorf("the snapshot is not read: %q", plan)
				}
			}
			writer.do(`UPDATE person SET visits = visits + 1 WHERE id = 'p1'`)
			for name, c := range open {
				if got := c.ask(`SELECT count(*) FROM history.person WHERE id = 'p1'`); got[0] != writer.ask(`SELECT count(*) FROM history.person WHERE id = 'p1'`)[0] {
					t.Errorf("%s does not see the next commit: %s", name, got)
				}
			}
			settle(t, b)
			maintaintest.Clean(t, b)
		})
	}
}

// settle waits until the indexes reach the head.
func settle(t *testing.T, b *mem.Bucket) {
	t.Helper()
	for range 100 {
		body, _, err := b.Get(context.WithoutCancel(t.Context()), format.HeadKey)
		if err != nil {
			t.Fatal(err)
		}
		head, err := format.DecodeHead(format.HeadKey, body)
		if err != nil {
			t.Fatal(err)
		}
		if body, _, err = b.Get(t.Context(), "meta/indices/entities/person.json"); err == nil {
			x, err := format.DecodeIndex("", body)
			if err == nil && x.MaxIndexedCommit == head.CommitID {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the indexes do not reach the head")
}

// TestMirrorStays: what the mirror has of a type is neither fed again nor dropped when the type's
// files are merged, and is extended by the next commit alone.
func TestMirrorStays(t *testing.T) {
	b := mem.New("x")
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	c := connect(t, b, true)
	c.do(`CREATE TABLE person (id text PRIMARY KEY, n bigint)`)
	for i := range 5 {
		c.do(fmt.Sprintf(`INSERT INTO person SELECT 'p' || %d * 1000 + g, g FROM generate_series(1, 1000) g`, i))
	}
	state := func() string {
		return fmt.Sprint(c.ask(`SELECT state, through_commit_id, row_count, started_at FROM ontosql.mirror WHERE type_name = 'person'`))
	}
	head := c.ask(`SELECT max(commit_id) FROM ontosql.commits`)[0]
	ready := func(through string) string {
		for range 200 {
			c.ask(`SELECT sum(n) FROM person`)
			if rows := c.ask(`SELECT 1 FROM ontosql.mirror WHERE type_name = 'person' AND state = 'ready' AND through_commit_id = ` + through); len(rows) == 1 {
				return state()
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("no copy up to commit %s: %s", through, state())
		return ""
	}
	before := ready(head)
	settle(t, b)
	if done := compact(t, b, compaction.Options{}); done.Rows != 5000 {
		t.Fatalf("compacted %+v", done)
	}
	if got := c.ask(`SELECT count(*), sum(n) FROM person`); got[0] != "5000|2502500" {
		t.Errorf("answer %s", got)
	}
	if got := ready(head); got != before {
		t.Errorf("the mirror was %s, is %s", before, got)
	}
	c.do(`INSERT INTO person VALUES ('last', 1)`)
	if got := c.ask(`SELECT count(*), sum(n) FROM person`); got[0] != "5001|2502501" {
		t.Errorf("answer after the next commit: %s", got)
	}
}
