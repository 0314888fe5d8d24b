package gc_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/writepath"
)

// TestBesideWriters collects garbage without any grace, again and again, beside the clients of a
// gateway, the original, compactions and writers that die before their swap. What was acknowledged is
// there, and the store breaks no rule.
func TestBesideWriters(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer stop()
	var acknowledged sync.Map // commit by key
	var all sync.WaitGroup
	c := writepath.Open(writepath.Options{Bucket: w, RuntimeID: "gateway", TempDir: t.TempDir()})
	for client := range 8 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				key := fmt.Sprintf("own-%d-%d", client, n)
				if out, err := c.Commit(ctx, customerTx(key)); err == nil {
					acknowledged.Store(key, out.Commit)
				}
			}
		})
	}
	all.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			o, key := &original.Writer{Bucket: w, Owner: "original"}, fmt.Sprint("original-", n)
			commit, err := o.Commit(ctx, func(head *format.Head) ([]original.Data, error) {
				for _, name := range []string{"entities/Customer.parquet", "manifest.json"} { // of one that dies
					w.put(format.CommitPrefix(head.CommitID+1, fmt.Sprint("dead", n))+name, "garbage")
				}
				return customerRows(key), nil
			})
			if err == nil {
				acknowledged.Store(key, commit)
			}
		}
	})
	all.Go(func() {
		for ctx.Err() == nil {
			if err := w.compact(); err != nil && !held(err) {
				t.Errorf("compaction: %v", err)
			}
		}
	})
	removed := 0
	for n := 0; ctx.Err() == nil; n++ {
		w.put(format.ManifestKey(1, fmt.Sprint("lost", n)), "garbage")
		o := options(t, w)
		o.Apply, o.Grace = true, 0
		done, err := gc.Run(ctx, o)
		if err != nil && !held(err) && ctx.Err() == nil {
			t.Errorf("collection: %v", err)
		}
		if done != nil {
			removed += done.Removed.Objects
		}
	}
	all.Wait()
	if err := c.Close(context.WithoutCancel(ctx)); err != nil {
		t.Error(err)
	}
	rows := map[string]ontosql.CommitID{}
	for _, r := range w.sound("afterwards")[customer].Rows {
		rows[r.Key] = r.Commit
	}
	n := 0
	for key, commit := range acknowledged.Range {
		if n++; rows[key.(string)] != commit {
			t.Errorf("%s of commit %d is lost", key, commit)
		}
	}
	if t.Logf("%d commits acknowledged, %d objects removed", n, removed); n == 0 || removed == 0 {
		t.Errorf("%d commits were acknowledged, %d objects removed", n, removed)
	}
}

// TestDroppedAndCreatedAgain: the rows of a type from before its drop can be read at points before it,
// also when its snapshots are removed, and those of the type that was created again are its own.
func TestDroppedAndCreatedAgain(t *testing.T) {
	w := newWorld(t)
	commit := func(tx writepath.Tx) {
		t.Helper()
		c := writepath.Open(writepath.Options{Bucket: w, RuntimeID: "gateway", TempDir: t.TempDir()})
		if _, err := c.Commit(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	again := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Again"}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	schema := format.Schema{Ref: again, Fields: []format.SchemaField{key}}
	head := ontosql.CommitID(8)
	live := func() {
		t.Helper()
		version := int64(0)
		commit(writepath.Tx{Pin: head, Schema: func(s *migration.State) error {
			err := s.Create(&schema, format.Extras{})
			version = s.Version(again)
			return err
		}})
		head++
		for n := range 3 {
			id := fmt.Sprint(head, "-", n)
			commit(writepath.Tx{Pin: head, Data: []writepath.Data{{
				Type: again, Fields: format.DataFields(schema.Fields), SchemaVersion: version,
				Rows: func(yield func(writepath.Row, error) bool) {
					yield(writepath.Row{Row: format.Row{Key: id, Fields: fmt.Appendf(nil, `{"id":%q}`, id)}}, nil)
				},
			}}})
			head++
		}
		if err := w.compact(); err != nil {
			t.Fatal(err)
		}
	}
	live()
	commit(writepath.Tx{Pin: head, Schema: func(s *migration.State) error { return s.Drop(again, true) }})
	head++
	live()
	before := w.objects()
	const first, second = "snapshots/entities/Again-10-12.parquet", "snapshots/entities/Again-15-17.parquet"
	if before[first] == "" || before[second] == "" {
		t.Fatalf("there are not the snapshots %s and %s", first, second)
	}
	o := options(t, w)
	o.Apply, o.Grace = true, 0
	if _, err := gc.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	after := w.objects()
	for key := range before {
		if _, there := after[key]; !there && !strings.HasPrefix(key, format.SnapshotsPrefix) {
			t.Errorf("%s is removed", key)
		}
	}
	if after[first] != "" {
		t.Errorf("the snapshot of the dropped type is not removed")
	}
	if rows := w.sound("afterwards")[again].Rows; len(rows) != 3 {
		t.Errorf("the type has the rows %v", rows)
	}
}
