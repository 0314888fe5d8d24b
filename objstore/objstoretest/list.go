package objstoretest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/objstore"
)

func testList(t *testing.T, b objstore.Bucket) {
	if got := list(t, b, ""); len(got) > 0 {
		t.Errorf("List of an empty bucket: got %q", got)
	}
	// '-' and '.' sort before '/', and '0' after it. So the order of keys differs
	// from the order of folder names.
	keys := []string{"c-x", "c.x", "c/1/a", "c/1/b", "c/10", "c/2", "c0", "ca", "d"}
	for i := range keys {
		put(t, b, keys[len(keys)-1-i], "x")
	}
	for _, tc := range []struct {
		prefix string
		want   []string
	}{
		{"", keys},
		{"c", keys[:8]},
		{"c/", keys[2:6]},
		{"c/1", keys[2:5]},
		{"c/1/", keys[2:4]},
		{"c/1/a", keys[2:3]},
		{"c/1/a/", nil},
		{"c/3/", nil},
		{"x/y/z", nil},
		{"../", nil},
		{"/", nil},
		{"c//", nil},
	} {
		if diff := cmp.Diff(tc.want, list(t, b, tc.prefix)); diff != "" {
			t.Errorf("List %q (-want +got)\n%s", tc.prefix, diff)
		}
	}
	stop := errors.New("enough")
	var told int
	err := b.List(t.Context(), "", func(objstore.Object) error {
		if told++; told == 3 {
			return stop
		}
		return nil
	})
	if err != stop || told != 3 {
		t.Errorf("List whose function stops at the third object: got %d calls and %v; want 3 and its error as it is", told, err)
	}
}

func testListPages(t *testing.T, b objstore.Bucket) {
	const n = 1003 // a page of S3 has 1000 objects
	var g errgroup.Group
	g.SetLimit(16)
	for i := range n {
		g.Go(func() error {
			_, err := b.Put(t.Context(), fmt.Sprintf("commits/%06d/manifest.json", i), []byte("{}"))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatalf("Put: %v", err)
	}
	keys := list(t, b, "commits/")
	sorted(t, keys)
	if len(keys) != n {
		t.Errorf("List: got %d keys, want %d", len(keys), n)
	}
}

func testListAfter(t *testing.T, b objstore.Bucket) {
	for _, key := range []string{"e/1", "e/2/x.json", "e/3", "f/1"} {
		put(t, b, key, key)
	}
	for after, want := range map[string][]string{
		"":       {"e/1", "e/2/x.json", "e/3"},
		"e/1":    {"e/2/x.json", "e/3"},
		"e/2":    {"e/2/x.json", "e/3"},
		"e/2/x":  {"e/2/x.json", "e/3"},
		"e/3":    nil,
		"a":      {"e/1", "e/2/x.json", "e/3"},
		"f/none": nil,
	} {
		var keys []string
		err := objstore.ListFrom(t.Context(), b, "e/", after, func(o objstore.Object) error {
			keys = append(keys, o.Key)
			return nil
		})
		if diff := cmp.Diff(want, keys); diff != "" || err != nil {
			t.Errorf("List \"e/\" after %q: %v (-want +got)\n%s", after, err, diff)
		}
	}
}

func testSiblings(t *testing.T, b objstore.Bucket) {
	for _, key := range []string{"a/k", "ab/k", "a b/k", "abc"} {
		put(t, b, key, key)
	}
	for prefix, want := range map[string][]string{
		"a/":   {"a/k"},
		"ab/":  {"ab/k"},
		"ab":   {"ab/k", "abc"},
		"a b/": {"a b/k"},
	} {
		if diff := cmp.Diff(want, list(t, b, prefix)); diff != "" {
			t.Errorf("List %q (-want +got)\n%s", prefix, diff)
		}
	}
	if err := b.Delete(t.Context(), "a/k"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if got := get(t, b, "ab/k"); string(got) != "ab/k" {
		t.Errorf("Get of the sibling: got %q", got)
	}
}
