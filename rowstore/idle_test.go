package rowstore

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestIdleIterators: an iterator is given to the next look-up, but not to one of a later epoch, and all
// are closed in the end, so that the store can be.
func TestIdleIterators(t *testing.T) {
	db, err := pebble.Open("", &pebble.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	made := func() *pebble.Iterator {
		iter, err := db.NewIter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return iter
	}
	var idle idleIterators
	put := func(iter *pebble.Iterator, epoch int) {
		t.Helper()
		if err := idle.put(iter, epoch); err != nil {
			t.Fatal(err)
		}
	}
	none, epoch := idle.take()
	first, second := made(), made()
	put(first, epoch)
	if got, _ := idle.take(); none != nil || got != first {
		t.Errorf("took %p, then %p, want none and %p", none, got, first)
	}
	put(second, epoch)
	idle.close()
	put(first, epoch) // it was made before more became known
	if got, _ := idle.take(); got != nil {
		t.Error("an iterator of an earlier epoch was taken")
	}
	_, epoch = idle.take()
	for range maxIdle + 3 {
		put(made(), epoch)
	}
	if len(idle.free) != maxIdle {
		t.Errorf("%d iterators are kept, want %d", len(idle.free), maxIdle)
	}
	idle.close()
	if err := db.Close(); err != nil { // it counts the iterators that are open
		t.Error(err)
	}
}
