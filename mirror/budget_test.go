package mirror_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

func contextOfTest() context.Context { return context.Background() }

// clock is a clock that a test advances.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time        { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) move(by time.Duration) { c.ahead.Add(int64(by)) }

// TestLeastRecentlyUsedMakesRoom gives the mirror one byte less than two types need. The
// second type is not mirrored while the first is being read, and replaces it afterwards. A
// statement that reads the first is not disturbed.
func TestLeastRecentlyUsedMakesRoom(t *testing.T) {
	w := newWorld(t, 21)
	for range 12 {
		w.commit()
	}
	v := w.view()
	roomy := w.mirror(1 << 30)
	v.settled(roomy, customer, product)
	budget := int64(-1)
	for _, s := range roomy.Status() {
		budget += s.Bytes
	}
	roomy.Close()
	var c clock
	m := mirror.Open(t.Context(), mirror.Options{Engine: w.engine, Dir: filepath.Join(w.dir, "small"), Budget: budget, Now: c.now})
	t.Cleanup(m.Close)
	v.settled(m, customer)
	conn := w.conn()
	defer conn.Close()
	reading := m.Use(v, v.types[0], mirror.Window{Window: ontosql.Window{Upper: v.Head()}})
	use := func() *mirror.Use {
		return m.Use(v, v.types[1], mirror.Window{Window: ontosql.Window{Upper: v.Head()}})
	}
	until := func(what string, done func() bool) {
		t.Helper()
		for limit := time.Now().Add(testenv.Patience); !done(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("not %s: %+v", what, m.Status())
			}
		}
	}
	state := func(i int) string {
		if all := m.Status(); i < len(all) {
			return all[i].State
		}
		return ""
	}
	refused := func() bool {
		use()
		all := m.Status()
		return len(all) > 1 && strings.Contains(fmt.Sprint(all[1].Reason), "budget")
	}
	until("refused for want of room", refused)
	if state(0) != "ready" {
		t.Fatalf("the type that is being read is %q", state(0))
	}
	c.move(2 * time.Minute)
	until("refused while the other is in use", refused)
	reading.Release()
	c.move(2 * time.Minute)
	until("mirrored in the place of the other", func() bool {
		u := use()
		if u == nil {
			return false
		}
		u.Release()
		return true
	})
	until("gone: the type that makes room", func() bool { return state(0) == "none" })
	v.check(m)
}

// TestTypeLargerThanTheBudget checks that a type larger than the budget is not mirrored.
func TestTypeLargerThanTheBudget(t *testing.T) {
	w := newWorld(t, 22)
	for range 8 {
		w.commit()
	}
	m := w.mirror(1000)
	v := w.view()
	m.Follow(v)
	for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
		if n := v.check(m); n > 0 {
			t.Fatalf("%d answers come from a mirror without room", n)
		}
		if s := m.Status(); len(s) > 0 && strings.Contains(fmt.Sprint(s[0].Reason), "budget") {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("the status does not report the exceeded budget: %+v", m.Status())
		}
	}
}
