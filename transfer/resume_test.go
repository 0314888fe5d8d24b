package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// TestFileGoesOn ends a copy after so many rows, with transactions of ten rows, and
// looks at how many rows the next run writes: those of the transactions that ended
// are there.
func TestFileGoesOn(t *testing.T) {
	const commits, rowsEach, batch = 20, 3, 10
	b := &mem.Bucket{}
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	w, err := writepath.NewPublisher(t.Context(), b, "writer")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Note"}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	if _, err := w.Register(t.Context(), epoch, []format.Schema{{Ref: ref, Fields: []format.SchemaField{key}}}); err != nil {
		t.Fatal(err)
	}
	for range commits - 1 {
		rows := func(yield func(format.Row) bool) {
			for i := range rowsEach {
				if !yield(format.Row{Key: fmt.Sprint(i), Fields: fmt.Appendf(nil, `{"id":"%d"}`, i)}) {
					return
				}
			}
		}
		if _, err := w.Publish(t.Context(), writepath.Commit{At: epoch, Data: []writepath.Content{{Type: ref, Rows: rows}}}); err != nil {
			t.Fatal(err)
		}
	}
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	store := resolver.Open(resolver.Options{Bucket: b, Log: log})
	defer store.Close()
	pin, err := store.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const all = (commits - 1) * rowsEach
	dir := t.TempDir()
	for stop := 1; stop < all; stop += 4 {
		path := filepath.Join(dir, fmt.Sprint(stop, ".db"))
		src := NewBucket(b, pin, t.TempDir())
		ctx, cancel := context.WithCancel(t.Context())
		broken := &fileCopy{src: &stopping{Bucket: src, after: stop, stop: cancel}, path: path, batch: batch}
		if _, err := broken.run(ctx); err == nil {
			t.Fatalf("a copy ended that was stopped after %d rows", stop)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("stopped after %d rows, there is a file: %v", stop, err)
		}
		done, err := CopyToFile(t.Context(), src, path, CopyOptions{Temp: t.TempDir()})
		if err != nil {
			t.Fatalf("after a stop at %d rows: %v", stop, err)
		}
		if least := int64(all - stop); done.Rows < least || done.Rows > least+batch+2*rowsEach {
			t.Errorf("stopped after %d of %d rows, the next run wrote %d", stop, all, done.Rows)
		}
		if done.Points != commits || done.Head != commits {
			t.Errorf("it says %+v", *done)
		}
	}
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// stopping is a bucket whose reader goes away after so many rows.
type stopping struct {
	*Bucket
	after int
	stop  func()
}

// Rows is Source's.
func (s *stopping) Rows(ctx context.Context, types []ontosql.TypeRef, lower, upper ontosql.CommitID) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		n := 0
		for row, err := range s.Bucket.Rows(ctx, types, lower, upper) {
			if n++; n > s.after {
				s.stop()
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
