package objstoretest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
)

// RunCopy runs the tests of objstore.Copier. fresh returns two new empty buckets, of which the first
// takes objects from the second.
func RunCopy(t *testing.T, fresh func(t *testing.T) (to, from objstore.Bucket)) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, to, from objstore.Bucket)
	}{
		{"objects", testCopyObjects},
		{"again", testCopyAgain},
		{"a missing object", testCopyMissing},
		{"an invalid key", testCopyInvalidKey},
		{"afterwards each has its own", testCopyIndependent},
		{"an ended context", testCopyEnded},
		{"a store of another kind", testCopyOtherKind},
	} {
		t.Run(test.name, func(t *testing.T) {
			to, from := fresh(t)
			test.run(t, to, from)
		})
	}
}

func testCopyObjects(t *testing.T, to, from objstore.Bucket) {
	want := map[string]string{}
	for _, key := range oddKeys {
		want[key] = "body of " + key
		put(t, from, key, want[key])
	}
	want["large"] = string(bytes.Repeat([]byte("ontosql "), 5<<20/8))
	put(t, from, "large", want["large"])
	put(t, from, "not/asked/for", "x")
	copyAll(t, to, from, append([]string{"large"}, oddKeys...)...)
	got := map[string]string{}
	for _, key := range list(t, to, "") {
		got[key] = string(get(t, to, key))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects after Copy (-want +got)\n%s", diff)
	}
	copyAll(t, to, from) // nothing
}

func testCopyAgain(t *testing.T, to, from objstore.Bucket) {
	put(t, from, "commits/1-a/manifest.json", "one")
	put(t, from, "commits/1-a/entities/T.parquet", "two")
	copyAll(t, to, from, "commits/1-a/manifest.json")
	copyAll(t, to, from, "commits/1-a/manifest.json", "commits/1-a/entities/T.parquet")
	if a, b := get(t, to, "commits/1-a/manifest.json"), get(t, to, "commits/1-a/entities/T.parquet"); string(a) != "one" || string(b) != "two" {
		t.Errorf("objects after a second Copy: got %q and %q, want %q and %q", a, b, "one", "two")
	}
}

func testCopyMissing(t *testing.T, to, from objstore.Bucket) {
	put(t, from, "there", "x")
	if err := objstore.Copy(t.Context(), to, from, []string{"there", "missing"}); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("Copy with a missing object: got %v, want ErrNotFound", err)
	}
}

func testCopyInvalidKey(t *testing.T, to, from objstore.Bucket) {
	if err := objstore.Copy(t.Context(), to, from, []string{"a//b"}); !errors.Is(err, objstore.ErrInvalidKey) {
		t.Errorf("Copy of an invalid key: got %v, want ErrInvalidKey", err)
	}
}

func testCopyIndependent(t *testing.T, to, from objstore.Bucket) {
	for _, key := range []string{"a", "b", "c", "d"} {
		put(t, from, key, "old")
	}
	copyAll(t, to, from, "a", "b", "c", "d")
	put(t, from, "a", "new in the source")
	put(t, to, "b", "new in the target")
	if err := errors.Join(from.Delete(t.Context(), "c"), to.Delete(t.Context(), "d")); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	for _, tc := range []struct {
		name string
		b    objstore.Bucket
		key  string
		want string
	}{
		{"target", to, "a", "old"},
		{"source", from, "b", "old"},
		{"target", to, "c", "old"},
		{"source", from, "d", "old"},
	} {
		if got := string(get(t, tc.b, tc.key)); got != tc.want {
			t.Errorf("%q of the %s after a change of the other's: got %q, want %q", tc.key, tc.name, got, tc.want)
		}
	}
}

func testCopyEnded(t *testing.T, to, from objstore.Bucket) {
	put(t, from, "k", "x")
	cause := errors.New("the statement was cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := objstore.Copy(ctx, to, from, []string{"k"}); !errors.Is(err, cause) {
		t.Errorf("Copy with a context that ended: got %v, want its cause", err)
	}
}

func testCopyOtherKind(t *testing.T, to, _ objstore.Bucket) {
	if err := objstore.Copy(t.Context(), to, otherKind{}, []string{"k"}); !errors.Is(err, objstore.ErrNoCopy) {
		t.Errorf("Copy from a store of another kind: got %v, want ErrNoCopy", err)
	}
}

// otherKind is a bucket that no adapter knows.
type otherKind struct{ objstore.Bucket }

func copyAll(t *testing.T, to, from objstore.Bucket, keys ...string) {
	t.Helper()
	if err := objstore.Copy(t.Context(), to, from, keys); err != nil {
		t.Fatalf("Copy of %d objects: %v", len(keys), err)
	}
}
