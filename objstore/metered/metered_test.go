package metered_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/objstore/objstoretest"
)

func TestCopy(t *testing.T) {
	objstoretest.RunCopy(t, func(*testing.T) (to, from objstore.Bucket) {
		return metered.New(new(mem.Bucket), metered.Options{}), metered.New(new(mem.Bucket), metered.Options{})
	})
}

func TestContract(t *testing.T) {
	objstoretest.Run(t, func(*testing.T) objstore.Bucket {
		return metered.New(new(mem.Bucket), metered.Options{})
	})
}

// everything makes one request of each kind, and some that come to nothing.
func everything(t *testing.T, ctx context.Context, b *metered.Bucket) {
	t.Helper()
	v, err := b.Put(ctx, "k", []byte("12345"))
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	b.Get(ctx, "k")
	b.Get(ctx, "none")
	b.GetIfChanged(ctx, "k", v)
	b.GetIfChanged(ctx, "k", objstore.Absent)
	b.GetRange(ctx, "k", 1, 3)
	r, _, err := b.Open(ctx, "k")
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	io.CopyN(io.Discard, r, 2)
	r.Close()
	b.Swap(ctx, "k", v, []byte("1234567"))
	b.Swap(ctx, "k", v, []byte("lost"))
	b.Upload(ctx, "u", strings.NewReader("123456789"), 8)
	b.DeleteIf(ctx, "k", v)
	b.Delete(ctx, "k")
	b.List(ctx, "", func(objstore.Object) error { return nil })
	b.ServerTime(ctx)
}

func TestCounts(t *testing.T) {
	var log []string
	b := metered.New(new(mem.Bucket), metered.Options{OnRequest: func(op, key string) {
		log = append(log, strings.TrimSpace(op+" "+key))
	}})
	everything(t, t.Context(), b)
	want := metered.Counts{
		"put":            {Requests: 1, Bytes: 5},
		"get":            {Requests: 2, Bytes: 5},
		"get if changed": {Requests: 2, Bytes: 5},
		"get range":      {Requests: 1, Bytes: 3},
		"open":           {Requests: 1, Bytes: 2},
		"swap":           {Requests: 2, Bytes: 11},
		"upload":         {Requests: 1, Bytes: 8},
		"delete if":      {Requests: 1},
		"delete":         {Requests: 1},
		"list":           {Requests: 1},
		"server time":    {Requests: 1},
	}
	if diff := cmp.Diff(want, b.Status()); diff != "" {
		t.Errorf("Status (-want +got)\n%s", diff)
	}
	if got, want := b.Status().Total(), (metered.Count{Requests: 14, Bytes: 39}); got != want {
		t.Errorf("Total: got %+v, want %+v", got, want)
	}
	wantLog := []string{
		"put k", "get k", "get none", "get if changed k", "get if changed k", "get range k", "open k",
		"swap k", "swap k", "upload u", "delete if k", "delete k", "list", "server time",
	}
	if diff := cmp.Diff(wantLog, log); diff != "" {
		t.Errorf("requests as OnRequest was told (-want +got)\n%s", diff)
	}
}

func TestFailures(t *testing.T) {
	b := metered.New(&faulty.Bucket{Bucket: new(mem.Bucket), Dead: true}, metered.Options{})
	for range 2 {
		b.Get(t.Context(), "k")
	}
	b.List(t.Context(), "", nil)
	want := metered.Counts{"get": {Requests: 2, Failures: 2}, "list": {Requests: 1, Failures: 1}}
	if diff := cmp.Diff(want, b.Status()); diff != "" {
		t.Errorf("Status of a store that is down (-want +got)\n%s", diff)
	}
}

func TestListCountsPages(t *testing.T) {
	inner := new(mem.Bucket)
	for i := range 2001 {
		if _, err := inner.Put(t.Context(), fmt.Sprint(i), nil); err != nil {
			t.Fatal(err)
		}
	}
	b := metered.New(inner, metered.Options{})
	if err := b.List(t.Context(), "", func(objstore.Object) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := b.Status()["list"].Requests; got != 3 {
		t.Errorf("list of 2001 objects: counted %d requests, want 3 pages", got)
	}
	stop := errors.New("enough")
	if err := b.List(t.Context(), "", func(objstore.Object) error { return stop }); err != stop {
		t.Errorf("List: got %v, want the error of its function", err)
	}
	if got, want := b.Status()["list"], (metered.Count{Requests: 4}); got != want {
		t.Errorf("after a list that was stopped: got %+v, want %+v", got, want)
	}
}

// TestCounterOfContext runs statements at once, each with its own counter.
func TestCounterOfContext(t *testing.T) {
	b := metered.New(new(mem.Bucket), metered.Options{})
	session, all := metered.WithCounter(t.Context())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ctx, counter := metered.WithCounter(session)
			for range i {
				b.Get(ctx, "none")
			}
			if got := counter.Counts().Total().Requests; got != int64(i) {
				t.Errorf("statement %d: counted %d requests, want as many", i, got)
			}
		})
	}
	wg.Wait()
	b.Get(t.Context(), "none")
	if got := all.Counts().Total().Requests; got != 28 {
		t.Errorf("session: counted %d requests, want the 28 of its statements", got)
	}
	if got := b.Status().Total().Requests; got != 29 {
		t.Errorf("bucket: counted %d requests, want 29", got)
	}
}
