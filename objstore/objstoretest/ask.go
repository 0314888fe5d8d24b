package objstoretest

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/objstore"
)

func put(t *testing.T, b objstore.Bucket, key, body string) objstore.Version {
	t.Helper()
	v, err := b.Put(t.Context(), key, []byte(body))
	if err != nil {
		t.Fatalf("Put %q: %v", key, err)
	}
	return v
}

func get(t *testing.T, b objstore.Bucket, key string) []byte {
	t.Helper()
	body, _, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("Get %q: %v", key, err)
	}
	return body
}

func readOpen(t *testing.T, b objstore.Bucket, key string) ([]byte, objstore.Version) {
	t.Helper()
	body, v, err := tryOpen(t.Context(), b, key)
	if err != nil {
		t.Fatalf("Open and read %q: %v", key, err)
	}
	return body, v
}

func tryOpen(ctx context.Context, b objstore.Bucket, key string) ([]byte, objstore.Version, error) {
	r, v, err := b.Open(ctx, key)
	if err != nil {
		return nil, objstore.Absent, err
	}
	defer r.Close()
	body, err := io.ReadAll(r)
	return body, v, err
}

func list(t *testing.T, b objstore.Bucket, prefix string) []string {
	t.Helper()
	var keys []string
	err := b.List(t.Context(), prefix, func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil {
		t.Fatalf("List %q: %v", prefix, err)
	}
	return keys
}

func sorted(t *testing.T, keys []string) {
	t.Helper()
	if !slices.IsSorted(keys) {
		t.Errorf("List: got %q, want key order", keys)
	}
}

// wantError checks that err wraps the sentinel and names the operation and key.
func wantError(t *testing.T, story, key string, err, sentinel error) {
	t.Helper()
	var e *objstore.Error
	switch {
	case !errors.Is(err, sentinel):
		t.Errorf("%s %q: got %v, want %v", story, key, err, sentinel)
	case !errors.As(err, &e):
		t.Errorf("%s %q: got a %T, want an *objstore.Error", story, key, err)
	case e.Op == "" || e.Bucket == "" || !strings.HasSuffix(e.Key, key):
		t.Errorf("%s %q: got operation %q, bucket %q, key %q in the error", story, key, e.Op, e.Bucket, e.Key)
	}
}
