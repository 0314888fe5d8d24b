package database

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// textBatch is a batch of one text of so many bytes.
func textBatch(n int) *column.Batch {
	b := column.NewBuilder([]column.Named{{Name: "t", Type: column.Type{Kind: column.Text}}})
	b.Append(strings.Repeat("x", n))
	return b.Batch()
}

// keep keeps a result of one batch.
func keep(c *ResultCache, key string, batch *column.Batch) {
	r := c.Record([]byte(key))
	r.Add(batch)
	r.Keep()
}

// TestResultCacheForgetsWhatIsNotAsked fills a cache beyond its budget, while
// one result is asked for all the time.
func TestResultCacheForgetsWhatIsNotAsked(t *testing.T) {
	const budget = 1 << 20
	c := newResultCache(budget)
	batch := textBatch(10_000)
	key := func(i int) []byte { return fmt.Appendf(nil, "question %03d", i) }
	const results = 500
	for i := range results {
		keep(c, string(key(i)), batch)
		if c.Get(key(0)) == nil {
			t.Fatalf("after %d results the one that is asked for is gone", i+1)
		}
		if c.kept+c.recorded > budget {
			t.Fatalf("%d bytes are kept and %d recorded, %d is the budget", c.kept, c.recorded, budget)
		}
	}
	size := batch.CopySize() + int64(len(key(100))) + resultSize
	first := results - int(c.kept/size) + 1 // beside number 0
	for i := 1; i < results; i++ {
		if got := c.Get(key(i)) != nil; got != (i >= first) {
			t.Errorf("result %d of %d is kept: %t; %d bytes of %d are", i, results, got, c.kept, size)
		}
	}
	if c.recorded != 0 {
		t.Errorf("%d bytes count as recorded, and nothing is", c.recorded)
	}
	if most := int64(budget / recordingShare * (recordingShare - 1)); c.kept > most || c.kept < most-size {
		t.Errorf("%d bytes are kept, want nearly %d", c.kept, most)
	}
}

// TestRecordingsAreBounded begins to keep more than there is room for, and
// results that turn out too large. None pushes out what is kept.
func TestRecordingsAreBounded(t *testing.T) {
	const budget = 8 << 20
	c := newResultCache(budget)
	keep(c, "kept", textBatch(5<<20/6))
	large := textBatch(maxResult / 3)
	var under []*Recording
	for range 20 {
		r := c.Record([]byte("under way"))
		for range 5 {
			r.Add(large)
		}
		under = append(under, r)
	}
	if c.recorded != 0 {
		t.Errorf("%d bytes are held by results that are too large", c.recorded)
	}
	for i := range under {
		under[i].Keep()
		under[i].Discard()
		under[i] = c.Record([]byte("under way"))
		under[i].Add(large)
		under[i].Add(large)
	}
	if most := int64(budget / recordingShare); c.recorded > most || c.recorded < most/2 {
		t.Errorf("%d bytes are recorded, want %d at most and not much less", c.recorded, most)
	}
	for _, r := range under {
		r.Discard()
		r.Discard()
		r.Keep()
	}
	if c.recorded != 0 || c.Get([]byte("under way")) != nil {
		t.Errorf("%d bytes are recorded of results that were given up", c.recorded)
	}
	if c.Get([]byte("kept")) == nil {
		t.Error("recordings pushed out what was kept")
	}
}

// TestKeptBatchesAreCopies keeps a result under a key that is taken already, by
// one whose memory the engine has used again.
func TestKeptBatchesAreCopies(t *testing.T) {
	c := newResultCache(1 << 20)
	ctx := context.Background()
	batch := textBatch(3)
	keep(c, "q", batch)
	copy(batch.Cols[0].Str[0], "yyy")
	keep(c, "q", batch)
	for range 2 {
		rows := c.Get([]byte("q"))
		b, err := rows.Next(ctx)
		if err != nil || string(b.Cols[0].Str[0]) != "xxx" {
			t.Errorf("kept is %+v, %v; want xxx", b, err)
		}
		if _, err := rows.Next(ctx); err != io.EOF {
			t.Errorf("after the last batch: %v", err)
		}
	}
	if want := textBatch(3).CopySize() + 1 + resultSize; c.kept != want || c.recorded != 0 {
		t.Errorf("%d bytes are kept and %d recorded, want %d and none", c.kept, c.recorded, want)
	}
	var none *ResultCache
	if none.Get(nil) != nil || none.Record(nil) != nil || newResultCache(0) != nil {
		t.Error("no cache keeps something")
	}
}
