package mirror_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

// TestCommitsOfAllSizes extends tables by small and large commits, one or several at a time,
// to cover each way of finding the replaced rows.
func TestCommitsOfAllSizes(t *testing.T) {
	w := accounts(t, 4, 6000)
	m := w.mirror(1 << 30)
	w.view().settled(m, account)
	for _, sizes := range [][]int{{1}, {10}, {1, 1, 1}, {250}, {300}, {160, 160}, {5000}, {1, 5000, 1}} {
		for _, n := range sizes {
			w.accounts(len(w.commits)+1, n)
		}
		v := w.view()
		v.settled(m, account)
		if n := v.check(m); n != 2 {
			t.Errorf("after commits of %v rows %d of 2 answers come from the mirror", sizes, n)
		}
		typ, _ := v.Type(account)
		if _, rows := v.Size(typ, 0, v.Head()); m.Status()[0].Rows != rows {
			t.Errorf("after commits of %v rows the mirror has %d versions, want %d", sizes, m.Status()[0].Rows, rows)
		}
	}
}

// counted is a history that counts calls of Rows.
type counted struct {
	*view
	asked *atomic.Int32
}

func (c counted) Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	c.asked.Add(1)
	return c.view.Rows(ctx, t, after, through)
}

// TestCommitsDuringAnExtensionAreOne commits several times during an extension: the next
// extension applies all of them.
func TestCommitsDuringAnExtensionAreOne(t *testing.T) {
	w := accounts(t, 4, 100)
	m := w.mirror(1 << 30)
	w.view().settled(m, account)
	next := func() *view {
		w.accounts(len(w.commits)+1, 1)
		return w.view()
	}
	first := slow{view: next(), asked: make(chan struct{}), come: make(chan struct{})}
	m.Follow(first)
	<-first.asked
	var asked atomic.Int32
	for range 8 {
		m.Follow(counted{next(), &asked})
	}
	close(first.come)
	last := w.view()
	for limit := time.Now().Add(testenv.Patience); m.Status()[0].Through < last.Head(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("the tables do not reach commit %d: %+v", last.Head(), m.Status())
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the rows of 8 commits were read %d times, want once", n)
	}
	last.check(m)
}
