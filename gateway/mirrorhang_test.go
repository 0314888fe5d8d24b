//go:build !mirrormode

package gateway_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
)

// valve holds requests for data files back while it is shut.
type valve struct {
	mu   sync.Mutex
	open chan struct{} // closed while nothing is held back
}

func (v *valve) shut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = make(chan struct{})
}

func (v *valve) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open != nil {
		close(v.open)
	}
	v.open = nil
}

func (v *valve) delay(ctx context.Context, _ int, op, key string) {
	v.mu.Lock()
	open := v.open
	v.mu.Unlock()
	if open != nil && op != objstore.OpPut && strings.HasSuffix(key, ".parquet") {
		select {
		case <-open:
		case <-ctx.Done():
		}
	}
}

// hangingHouse is a house whose mirror builds the tables of customer and hangs
// in a fetch: statements have read the first commits alone.
func hangingHouse(t *testing.T) (*house, *valve) {
	t.Helper()
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	v := new(valve)
	h := newHouse(t, &faulty.Bucket{Bucket: disk, At: -1, Delay: v.delay})
	t.Cleanup(v.release)
	s := h.session(t, "onto")
	must(t, s, "SELECT count(*) FROM as_of.customer(3)")
	v.shut()
	h.waitFor(t, "the building of tables", func() bool {
		must(t, s, "SELECT count(*) FROM as_of.customer(3)")
		all := h.mirror.Status()
		return len(all) > 0 && all[0].State == "building"
	})
	return h, v
}

// TestBuildThatHangs: while the store hangs, statements that need no more data are answered,
// those that wait for files can be cancelled, and when the store answers again the tables are
// built.
func TestBuildThatHangs(t *testing.T) {
	h, v := hangingHouse(t)
	s := h.session(t, "onto")
	must(t, s, "SELECT count(*) FROM as_of.customer(3)")
	must(t, s, "SET statement_timeout = '50ms'")
	refused(t, s, pgerr.QueryCanceled, "SELECT count(*) FROM customer")
	s = h.session(t, "onto")
	must(t, s, "SELECT count(*) FROM as_of.customer(3)")
	v.release()
	answers(t, s, "SELECT count(*) FROM customer", "40")
	h.settle(t, s, "customer")
	answers(t, s, "SELECT count(*) FROM customer", "40")
}

// TestCloseWhileABuildHangs: the end of the mirror does not wait for the store,
// and leaves nothing behind that a gateway over the same files would stumble on.
func TestCloseWhileABuildHangs(t *testing.T) {
	h, _ := hangingHouse(t)
	s := h.session(t, "onto")
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		h.mirror.Close()
	}()
	select {
	case <-closed:
	case <-time.After(testenv.Patience):
		t.Fatal("the mirror waits for a store that hangs")
	}
	must(t, s, "SELECT count(*) FROM as_of.customer(3)")
	if h.mirror.Enabled() {
		t.Error("the mirror is closed and on")
	}
}
