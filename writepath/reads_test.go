package writepath_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// reading is a transaction that writes one type and has read others.
func reading(tx writepath.Tx, of ...ontosql.TypeRef) writepath.Tx {
	tx.Reads = of
	return tx
}

func TestReadsAreHeldAgainstWhatLanded(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other, links)
	c := open(t, b)
	if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil { // commit 2, ours
		t.Fatal(err)
	}
	theyCommit(t, b, other, "b") // commit 3
	var refused *writepath.ReadConflictError
	for _, tx := range []struct {
		tx     writepath.Tx
		actual ontosql.CommitID // 0: it commits
	}{
		{reading(put(1, "x", 1, links), thing), 2},
		{reading(put(1, "x", 1, links), links, other), 3},
		{reading(put(2, "x", 1, links), thing), 0}, // makes commit 4
		{reading(put(3, "y", 1, thing), links), 4},
		{reading(put(4, "y", 1, thing), thing), 0}, // what it read and writes itself
	} {
		_, err := c.Commit(t.Context(), tx.tx)
		switch {
		case tx.actual == 0 && err != nil:
			t.Errorf("pin %d, reads %v: %v", tx.tx.Pin, tx.tx.Reads, err)
		case tx.actual > 0 && (!errors.As(err, &refused) || refused.Actual != tx.actual || refused.Pin != tx.tx.Pin):
			t.Errorf("pin %d, reads %v: %v, want a conflict with commit %d", tx.tx.Pin, tx.tx.Reads, err, tx.actual)
		}
	}
	head := put(4, "z", 1, thing)
	head.ReadsHead = true
	if _, err := c.Commit(t.Context(), head); !errors.As(err, &refused) || refused.Actual != 5 || refused.Type != (ontosql.TypeRef{}) {
		t.Errorf("a transaction that hangs on every commit: %v, want a conflict with commit 5", err)
	}
	head.Pin = 5
	if _, err := c.Commit(t.Context(), head); err != nil {
		t.Errorf("on the head that it read: %v", err)
	}
	verify(t, b)
}

// TestWriteSkewInsideAGroup sends transactions at once that read what the others
// write: of those that share a swap only one may land.
func TestWriteSkewInsideAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing, other, links)
		c := writepath.Open(writepath.Options{Bucket: slow(disk, 10*time.Millisecond), RuntimeID: "test"})
		txs := []writepath.Tx{
			reading(put(1, "a", 1, thing), other),
			reading(put(1, "b", 1, other), thing),
			put(1, "c", 1, links), // reads nothing
		}
		errs := make([]error, len(txs))
		var wg sync.WaitGroup
		for i, tx := range txs {
			wg.Go(func() { _, errs[i] = c.Commit(t.Context(), tx) })
		}
		wg.Wait()
		closeIt(t, c)
		var refused *writepath.ReadConflictError
		if one, two := errors.As(errs[0], &refused), errors.As(errs[1], &refused); one == two || errs[2] != nil {
			t.Errorf("of two that read what the other wrote one must land, and the third too: %v", errs)
		}
		verify(t, disk)
	})
}
