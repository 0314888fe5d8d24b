package writepath_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// slowHead takes a millisecond to move the head, and cannot write one object.
type slowHead struct {
	objstore.Bucket
	broken string // its key, "" for none
}

func (b *slowHead) Swap(ctx context.Context, key string, old objstore.Version, body []byte) (objstore.Version, error) {
	switch key {
	case format.HeadKey:
		time.Sleep(time.Millisecond)
	case b.broken:
		return "", objstore.ErrUnreachable
	}
	return b.Bucket.Swap(ctx, key, old, body)
}

// TestIndexesAreTold: after commits OnIndex is called with the commit that the indexes of all types
// reach, and not while one of them cannot be written. OnCommit has the time that a commit took and how
// many others waited.
func TestIndexesAreTold(t *testing.T) {
	b := mem.New("b")
	initialise(t, b, format.EngineV1, thing, other)
	for _, broken := range []bool{false, true} {
		var indexed []ontosql.CommitID
		var took []time.Duration
		f := &slowHead{Bucket: b}
		if broken {
			f.broken = format.IndexKey(other)
		}
		c := writepath.Open(writepath.Options{
			Bucket: f, RuntimeID: "me",
			OnIndex:  func(id ontosql.CommitID) { indexed = append(indexed, id) },
			OnCommit: func(l writepath.LocalCommit) { took = append(took, l.Took) },
		})
		out, err := c.Commit(t.Context(), writepath.Tx{Data: []writepath.Data{data(thing, writepath.Row{Row: row(thing, fmt.Sprint(broken), 1)})}})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if told := slices.Contains(indexed, out.Commit); told == broken {
			t.Errorf("commit %d, an index that cannot be written: %t: told %v", out.Commit, broken, indexed)
		}
		if len(took) != 1 || took[0] < time.Millisecond {
			t.Errorf("the commit took %v", took)
		}
	}
}

// TestLandedTellsFewRows commits a few rows of one type and many, or large ones, of another:
// OnCommit receives the rows of the small file, and the memory of the transaction is not
// retained.
func TestLandedTellsFewRows(t *testing.T) {
	b := mem.New("b")
	initialise(t, b, format.EngineV1, thing, other)
	var landed []writepath.LocalCommit
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "me", OnCommit: func(l writepath.LocalCommit) { landed = append(landed, l) }})
	few := func() []writepath.Row { return []writepath.Row{{Row: row(thing, "a", 1)}, {Row: row(thing, "b", 2)}} }
	var many []writepath.Row
	for n := range 65 {
		many = append(many, writepath.Row{Row: row(other, fmt.Sprint(n), n)})
	}
	wide := row(other, "wide", 1)
	wide.Fields = fmt.Appendf(nil, `{"id":"wide","n":1,"x":%q}`, bytes.Repeat([]byte("x"), 70_000))
	for pin, rows := range [][]writepath.Row{many, {{Row: wide}}} {
		mine := few()
		tx := writepath.Tx{Pin: ontosql.CommitID(pin + 1), Data: []writepath.Data{data(thing, mine...), data(other, rows...)}}
		if _, err := c.Commit(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		clear(mine[0].Fields)
		clear(mine[1].Fields)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, l := range landed {
		var want [][]format.Row
		for _, f := range l.Files {
			if f.Ref() == other {
				want = append(want, nil)
				continue
			}
			var rows []format.Row
			for _, r := range few() {
				r.Commit, r.SchemaVersionID = l.Commit, writepath.FirstVersion
				rows = append(rows, r.Row)
			}
			want = append(want, rows)
		}
		if diff := cmp.Diff(want, l.Rows); diff != "" || len(l.Files) != 2 {
			t.Errorf("commit %d of %d files tells rows (-want +got):\n%s", i, len(l.Files), diff)
		}
	}
	if len(landed) != 2 {
		t.Errorf("%d commits were told, want 2", len(landed))
	}
}
