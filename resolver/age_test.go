package resolver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/writepath"
)

// theyCommit makes a commit of another process, which then gives its lock back.
func (g *gateway) theyCommit(t *testing.T, id string) {
	t.Helper()
	other := writepath.Open(writepath.Options{Bucket: g.disk, RuntimeID: "other"})
	if _, err := other.Commit(t.Context(), rowOf(id)); err != nil {
		t.Fatalf("commit %s of another process: %v", id, err)
	}
	if err := other.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// aged is openGateway with a MaxAge.
func aged(t *testing.T, age time.Duration) *gateway {
	t.Helper()
	g := openGateway(t, asIs)
	g.store.maxAge = age
	return g
}

// TestRecentHeadIsNotReadAgain: within MaxAge a pin costs no request and may lack
// what others committed; beyond it the store is asked again.
func TestRecentHeadIsNotReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := aged(t, time.Second)
		defer g.close()
		if _, err := g.store.Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.theyCommit(t, "a")
		time.Sleep(999 * time.Millisecond)
		g.pin(t, 1)
		g.pin(t, 1)
		time.Sleep(time.Millisecond)
		g.pin(t, 2, "get "+g.manifestKey(t), askHead, askSchema)
		time.Sleep(999 * time.Millisecond)
		g.pin(t, 2)
		g.theyCommit(t, "b")
		// A reader that asks for the newest head gets it, and so do all readers after it.
		g.ops.take()
		if pin, err := g.store.PinFresh(t.Context()); err != nil || pin.Head.Commit != 3 {
			t.Errorf("a fresh pin: %+v, %v, want head 3", pin, err)
		}
		g.pin(t, 3)
		g.theyCommit(t, "c")
		g.pin(t, 3)
		g.store.Expire()
		time.Sleep(time.Millisecond)
		g.pin(t, 4, "get "+g.manifestKey(t), askHead, askSchema)
		g.pin(t, 4)
	})
}

// TestOwnCommitIsSeenAtAnyAge: what this process committed is never missing,
// while the lease is held and after it.
func TestOwnCommitIsSeenAtAnyAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := aged(t, time.Hour)
		defer g.close()
		for want := ontosql.CommitID(2); want < 8; want += 2 {
			if _, err := g.store.Pin(t.Context()); err != nil {
				t.Fatal(err)
			}
			// One commit that is read under the lease, one that is not.
			g.commit(t, fmt.Sprint("a", want))
			g.store.Expire()
			time.Sleep(time.Millisecond)
			if pin, err := g.store.Pin(t.Context()); err != nil || pin.Head.Commit != want {
				t.Errorf("after commit %d: %+v, %v", want, pin, err)
			}
			g.commit(t, fmt.Sprint("b", want))
			g.store.Expire()
			time.Sleep(300 * time.Millisecond) // the lock is given back
			g.pin(t, want+1, askHead, askSchema)
			g.pin(t, want+1)
		}
	})
}

// TestLookOvertakenByACommit: a look that was on its way when this process
// committed ends after a pin of that commit. It takes nothing back.
func TestLookOvertakenByACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := aged(t, time.Hour)
		defer g.close()
		g.commit(t, "a")
		time.Sleep(time.Millisecond)
		if _, err := g.store.Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		bucket := g.store.bucket
		g.store.bucket = &faulty.Bucket{Bucket: bucket, At: -1, Delay: func(_ context.Context, _ int, _, key string) {
			if key == schemaPrefix {
				<-release
			}
		}}
		var late sync.WaitGroup
		late.Go(func() {
			if pin, err := g.store.PinFresh(t.Context()); err != nil || pin.Head.Commit != 2 {
				t.Errorf("the look that began before commit 3: %+v, %v", pin, err)
			}
		})
		synctest.Wait()
		g.commit(t, "b")
		if pin, err := g.store.Pin(t.Context()); err != nil || pin.Head.Commit != 3 {
			t.Errorf("after commit 3: %+v, %v", pin, err)
		}
		close(release)
		late.Wait()
		time.Sleep(300 * time.Millisecond) // the lock is released; Expire was not called
		g.pin(t, 3)
	})
}

// TestAgedReadersShareOneLook: when the last read of the head is too old, concurrent readers
// share the next one.
func TestAgedReadersShareOneLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := aged(t, time.Second)
		defer g.close()
		g.store.bucket = &faulty.Bucket{Bucket: g.store.bucket, At: -1, Delay: func(context.Context, int, string, string) {
			time.Sleep(10 * time.Millisecond)
		}}
		var readers sync.WaitGroup
		for range 100 {
			readers.Go(func() {
				for range 100 {
					if _, err := g.store.Pin(t.Context()); err != nil {
						t.Errorf("pin: %v", err)
					}
					time.Sleep(30 * time.Millisecond)
				}
			})
		}
		readers.Wait()
		looks := 0
		for _, op := range g.ops.take() {
			if op == askSchema {
				looks++
			}
		}
		// Each time one begins a look, and the others share the next one.
		if looks > 10 {
			t.Errorf("%d looks at the store for 100 readers in 3 s at an age of 1 s", looks)
		}
	})
}

// TestAgedPinOfAClosedStore: a closed store and one that was never reached have no pin.
func TestAgedPinOfAClosedStore(t *testing.T) {
	g := aged(t, time.Hour)
	disk := g.store.bucket
	g.store.bucket = &faulty.Bucket{Bucket: disk, At: 0, Dead: true}
	if pin, err := g.store.Pin(t.Context()); err == nil {
		t.Errorf("a store that cannot be reached gave %+v", pin)
	}
	g.store.bucket = disk
	if _, err := g.store.Pin(t.Context()); err != nil {
		t.Errorf("the store can be reached again: %v", err)
	}
	g.pin(t, 1)
	g.close()
	if _, err := g.store.Pin(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("pin of a closed store: %v, want %v", err, errClosed)
	}
}

// manifestKey is the manifest of the head.
func (g *gateway) manifestKey(t *testing.T) string {
	t.Helper()
	body, _, err := g.disk.Get(t.Context(), format.HeadKey)
	if err != nil {
		t.Fatal(err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	return *head.ManifestPath
}
