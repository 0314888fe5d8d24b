package mirror_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

// slow is a history whose Rows blocks until the test continues it.
type slow struct {
	*view
	asked, come chan struct{}
}

func (s slow) Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	s.asked <- struct{}{}
	<-s.come
	return s.view.Rows(ctx, t, after, through)
}

// TestStatusOfWorkUnderWay checks the status of a type while its tables are built and
// extended.
func TestStatusOfWorkUnderWay(t *testing.T) {
	w := newWorld(t, 31)
	for range 12 {
		w.commit()
	}
	m := w.mirror(1 << 30)
	status := func() mirror.TypeStatus {
		t.Helper()
		all := m.Status()
		if len(all) != 1 || all[0].Type != customer {
			t.Fatalf("the status is %+v, want one type", all)
		}
		return all[0]
	}
	h := slow{view: w.view(), asked: make(chan struct{}), come: make(chan struct{})}
	m.Follow(h)
	began := time.Now()
	for range 2 {
		if u := m.Use(h, h.types[0], mirror.Window{Window: ontosql.Window{Upper: h.Head()}}); u != nil {
			t.Fatal("there are tables at once")
		}
	}
	<-h.asked
	typ, _ := h.Type(customer)
	_, rows := h.Size(typ, typ.Floor-1, h.Head())
	s := status()
	if s.State != "building" || s.Total != rows || s.Done != 0 || s.Began.Before(began) || s.Used.Before(began) || s.Through != 0 || s.Target != 12 {
		t.Errorf("while the rows of 12 commits are fetched the status is %+v, want building of %d rows", s, rows)
	}
	close(h.come)
	go func() {
		for range h.asked { // later extensions do not block
		}
	}()
	settled := h.view
	settled.settled(m, customer)
	for limit := time.Now().Add(testenv.Patience); status().State != "ready"; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) { // the tables are visible shortly before the task ends
			t.Fatalf("the building does not end: %+v", status())
		}
	}
	if s = status(); s.State != "ready" || s.Through != 12 || s.Rows != rows || s.Bytes == 0 || s.Total != 0 || !s.Began.IsZero() || s.Reason != nil {
		t.Errorf("after it was built the status is %+v, want ready with %d rows", s, rows)
	}
	close(h.asked)
}

// TestStatusSaysWhyThereAreNoTables reads a type without rows once and several times. It gets tables
// as soon as it has a row.
func TestStatusSaysWhyThereAreNoTables(t *testing.T) {
	w := newWorld(t, 32)
	m := w.mirror(1 << 30)
	w.commit()
	v := w.view()
	m.Follow(v)
	for i, want := range []string{"not read often enough", "no rows", "no rows"} {
		m.Use(v, v.types[0], mirror.Window{Window: ontosql.Window{Upper: v.Head()}})
		if s := m.Status()[0]; s.State != "none" || !strings.Contains(fmt.Sprint(s.Reason), want) {
			t.Errorf("read %d times: %+v, want none: %s", i+1, s, want)
		}
	}
	for {
		if _, rows := w.view().Size(v.types[0], 0, w.view().Head()); rows > 0 {
			break
		}
		w.commit()
	}
	v = w.view()
	v.settled(m, v.types[0].Ref)
	if s := m.Status()[0]; s.State == "none" {
		t.Errorf("a type of one file is %+v, want tables", s)
	}
}
