package writepath_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

func TestExpectedHead(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other)
	c := open(t, b)
	expecting := func(head ontosql.CommitID, id string) writepath.Tx {
		tx := put(1, id, 1, thing)
		tx.ExpectHead = &head
		return tx
	}
	if out, err := c.Commit(t.Context(), expecting(1, "a")); err != nil || out.Commit != 2 {
		t.Errorf("the head is the expected commit 1: %+v, %v", out, err)
	}
	for _, head := range []ontosql.CommitID{0, 1, 3, 99} {
		_, err := c.Commit(t.Context(), expecting(head, fmt.Sprint("b", head)))
		var conflict *writepath.HeadConflictError
		if !errors.As(err, &conflict) || *conflict != (writepath.HeadConflictError{Expected: head, Actual: 2}) {
			t.Errorf("commit 2 is the head and %d is expected: %v", head, err)
		}
	}
	theyCommit(t, b, other, "x") // without our knowing
	if out, err := c.Commit(t.Context(), expecting(3, "c")); err != nil || out.Commit != 4 {
		t.Errorf("the head is the foreign commit 3: %+v, %v", out, err)
	}
	if n := len(verify(t, b)); n != 4 {
		t.Errorf("%d commits, want 4", n)
	}
}

// TestExpectedHeadInsideAGroup: in a group, a transaction that expects a head is checked
// against the commits of those before it, after they are committed.
func TestExpectedHeadInsideAGroup(t *testing.T) {
	for _, tc := range []struct {
		name   string
		expect ontosql.CommitID
		fails  bool // the transaction before it
		want   ontosql.CommitID
	}{
		{"the commit of the one before it", 3, false, 4},
		{"the head they started from", 2, false, 0},
		{"the head they started from, and the one before it fails", 2, true, 3},
		{"the commit of one that fails", 3, true, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				initialise(t, disk, format.EngineV1, thing)
				c := writepath.Open(writepath.Options{Bucket: slow(disk, 10*time.Millisecond), RuntimeID: "test"})
				if _, err := c.Commit(t.Context(), put(1, "warm", 1, thing)); err != nil {
					t.Fatal(err)
				}
				before, expecting := put(2, "before", 1, thing), put(2, "expecting", 1, thing)
				if tc.fails {
					before.Data[0].SchemaVersion = 7
				}
				expecting.ExpectHead = &tc.expect
				var wg sync.WaitGroup
				var errs [3]error
				var out writepath.Outcome
				wg.Go(func() { _, errs[0] = c.Commit(t.Context(), before) })
				synctest.Wait() // it is under way, and the next two wait together
				late := put(2, "late", 1, thing)
				wg.Go(func() { out, errs[1] = c.Commit(t.Context(), expecting) })
				synctest.Wait()
				wg.Go(func() { _, errs[2] = c.Commit(t.Context(), late) })
				wg.Wait()
				closeIt(t, c)
				var conflict *writepath.HeadConflictError
				switch {
				case tc.want != 0 && (errs[1] != nil || out.Commit != tc.want):
					t.Errorf("got %+v, %v, want commit %d", out, errs[1], tc.want)
				case tc.want == 0 && (!errors.As(errs[1], &conflict) || conflict.Expected != tc.expect):
					t.Errorf("got %+v, %v, want a HeadConflictError", out, errs[1])
				}
				if errs[2] != nil || tc.fails == (errs[0] == nil) {
					t.Errorf("the others: %v, %v", errs[0], errs[2])
				}
				verify(t, disk)
			})
		})
	}
}

// TestExpectedHeadMovesUnderTheSwap: the condition holds when it is checked, but a writer that
// took over the lock commits first. The transaction is not rebased.
func TestExpectedHeadMovesUnderTheSwap(t *testing.T) {
	disk := mem.New("x")
	initialise(t, disk, format.EngineV1, thing, other)
	b := &faulty.Bucket{Bucket: disk, At: -1}
	headSwap(b, func(int) {
		if _, err := theirs(t.Context(), &original.Writer{Bucket: disk, Owner: "o", Now: ahead}, other, "o"); err != nil {
			t.Error(err)
		}
	})
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	tx, expect := put(1, "a", 1, thing), ontosql.CommitID(1)
	tx.ExpectHead = &expect
	_, err := c.Commit(t.Context(), tx)
	var conflict *writepath.HeadConflictError
	if !errors.As(err, &conflict) || *conflict != (writepath.HeadConflictError{Expected: 1, Actual: 2}) {
		t.Errorf("another commit came before the swap: %v, want HeadConflictError", err)
	}
	closeIt(t, c)
	if n := len(verify(t, disk)); n != 2 {
		t.Errorf("%d commits, want 2", n)
	}
}
