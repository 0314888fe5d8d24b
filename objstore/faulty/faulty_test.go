package faulty_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/objstoretest"
)

func TestCopy(t *testing.T) {
	objstoretest.RunCopy(t, func(*testing.T) (to, from objstore.Bucket) {
		return &faulty.Bucket{Bucket: new(mem.Bucket), At: -1}, &faulty.Bucket{Bucket: new(mem.Bucket), At: -1}
	})
}

func TestContractWithoutFault(t *testing.T) {
	objstoretest.Run(t, func(*testing.T) objstore.Bucket {
		return &faulty.Bucket{Bucket: new(mem.Bucket), At: -1}
	})
}

// run is a protocol of three steps: read, write, swap.
func run(ctx context.Context, b objstore.Bucket) error {
	_, v, err := b.Get(ctx, "head")
	if err != nil {
		return err
	}
	if _, err := b.Put(ctx, "body", []byte("x")); err != nil {
		return err
	}
	_, err = b.Swap(ctx, "head", v, []byte("new"))
	return err
}

// TestEveryStep walks the usual loop, and looks at what each fault leaves.
func TestEveryStep(t *testing.T) {
	for _, tc := range []struct {
		applied, dead bool
		want          []string // by At: what is in the store after the run
	}{
		{false, false, []string{"head=old", "head=old", "body=x head=old", "body=x head=new"}},
		{true, false, []string{"head=old", "body=x head=old", "body=x head=new", "body=x head=new"}},
		{false, true, []string{"head=old", "head=old", "body=x head=old", "body=x head=new"}},
		{true, true, []string{"head=old", "body=x head=old", "body=x head=new", "body=x head=new"}},
	} {
		var got []string
		for at := 0; ; at++ {
			disk := new(mem.Bucket)
			if _, err := disk.Put(t.Context(), "head", []byte("old")); err != nil {
				t.Fatal(err)
			}
			b := &faulty.Bucket{Bucket: disk, At: at, Applied: tc.applied, Dead: tc.dead}
			err := run(t.Context(), b)
			got = append(got, contents(t, disk))
			if err == nil {
				if at != b.Requests() {
					t.Errorf("success with At %d after %d requests, want all of them broken before", at, b.Requests())
				}
				break
			}
			if !errors.Is(err, objstore.ErrUnreachable) || b.Requests() != at+1 {
				t.Errorf("At %d: got %v after %d requests, want %v at that one", at, err, b.Requests(), objstore.ErrUnreachable)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("applied %v, dead %v: the store after each fault (-want +got)\n%s", tc.applied, tc.dead, diff)
		}
	}
}

func contents(t *testing.T, b objstore.Bucket) string {
	t.Helper()
	text := ""
	err := b.List(t.Context(), "", func(o objstore.Object) error {
		body, _, err := b.Get(t.Context(), o.Key)
		text += fmt.Sprintf(" %s=%s", o.Key, body)
		return err
	})
	if err != nil || text == "" {
		t.Fatalf("contents: %q, %v", text, err)
	}
	return text[1:]
}

func TestDeadStaysDead(t *testing.T) {
	for _, dead := range []bool{false, true} {
		b := &faulty.Bucket{Bucket: new(mem.Bucket), At: 1, Dead: dead}
		var got []bool
		for range 4 {
			_, err := b.Put(t.Context(), "k", nil)
			got = append(got, err == nil)
		}
		want := []bool{true, false, !dead, !dead}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dead %v: which of four writes succeed (-want +got)\n%s", dead, diff)
		}
	}
}

// TestAnswerLost breaks reads off at their end and hides a refusal.
func TestAnswerLost(t *testing.T) {
	disk := new(mem.Bucket)
	if _, err := disk.Put(t.Context(), "k", []byte("body")); err != nil {
		t.Fatal(err)
	}
	b := &faulty.Bucket{Bucket: disk, Applied: true}
	r, _, err := b.Open(t.Context(), "k")
	if err != nil {
		t.Fatalf("Open whose answer is lost: %v, want an error only at its end", err)
	}
	defer r.Close()
	if body, err := io.ReadAll(r); string(body) != "body" || !errors.Is(err, objstore.ErrUnreachable) {
		t.Errorf("read: got %q, %v; want the bytes and then %v", body, err, objstore.ErrUnreachable)
	}
	b, told := &faulty.Bucket{Bucket: disk, Applied: true}, 0
	err = b.List(t.Context(), "", func(objstore.Object) error { told++; return nil })
	if told != 1 || !errors.Is(err, objstore.ErrUnreachable) {
		t.Errorf("List: told %d objects, %v; want one and then %v", told, err, objstore.ErrUnreachable)
	}
	b = &faulty.Bucket{Bucket: disk, Applied: true}
	if _, err := b.Swap(t.Context(), "k", objstore.Absent, nil); errors.Is(err, objstore.ErrPreconditionFailed) || !errors.Is(err, objstore.ErrUnreachable) {
		t.Errorf("Swap that is refused and whose answer is lost: got %v, want %v alone", err, objstore.ErrUnreachable)
	}
}

func TestDelay(t *testing.T) {
	var log []string
	b := &faulty.Bucket{Bucket: new(mem.Bucket), At: -1, Delay: func(_ context.Context, n int, op, key string) {
		log = append(log, fmt.Sprint(n, " ", op, " ", key))
	}}
	b.Get(t.Context(), "a")
	b.Delete(t.Context(), "b")
	b.GetIfChanged(t.Context(), "c", objstore.Absent)
	if diff := cmp.Diff([]string{"0 get a", "1 delete b", "2 get if changed c"}, log); diff != "" {
		t.Errorf("calls of Delay (-want +got)\n%s", diff)
	}
}
