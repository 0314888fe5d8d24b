// Package objstoretest is the contract test suite of package objstore. Every adapter
// and decorator must pass it.
package objstoretest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
)

// Run runs all tests. fresh returns a new empty bucket at each call and releases its
// resources by t.Cleanup.
func Run(t *testing.T, fresh func(t *testing.T) objstore.Bucket) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, b objstore.Bucket)
	}{
		{"missing object", testMissing},
		{"write and read", testWriteRead},
		{"upload", testUpload},
		{"upload of a body that fails", testUploadBroken},
		{"keys round-trip", testKeys},
		{"invalid keys", testInvalidKeys},
		{"versions", testVersions},
		{"swap", testSwap},
		{"delete", testDelete},
		{"delete if", testDeleteIf},
		{"ranges", testRanges},
		{"get if changed", testGetIfChanged},
		{"list", testList},
		{"list of many pages", testListPages},
		{"list after a key", testListAfter},
		{"sibling prefixes", testSiblings},
		{"ended context", testEndedContext},
		{"bodies are not shared", testBodiesNotShared},
		{"race: one creator", testRaceCreate},
		{"race: one swapper", testRaceSwap},
		{"race: counter loses nothing", testRaceCounter},
		{"race: replace is never torn", testRaceTorn},
		{"race: list while writing", testRaceList},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, fresh(t)) })
	}
}

func testMissing(t *testing.T, b objstore.Bucket) {
	const key = "commits/none.json"
	_, _, err := b.Get(t.Context(), key)
	wantError(t, "Get", key, err, objstore.ErrNotFound)
	_, err = b.GetRange(t.Context(), key, 0, 10)
	wantError(t, "GetRange", key, err, objstore.ErrNotFound)
	_, _, err = b.Open(t.Context(), key)
	wantError(t, "Open", key, err, objstore.ErrNotFound)
	_, _, _, err = objstore.ReadIfChanged(t.Context(), b, key, `"x"`)
	wantError(t, "GetIfChanged", key, err, objstore.ErrNotFound)
	_, err = b.Swap(t.Context(), key, `"0123456789abcdef0123456789abcdef"`, []byte("x"))
	wantError(t, "Swap from a version", key, err, objstore.ErrPreconditionFailed)
	if err := b.Delete(t.Context(), key); err != nil {
		t.Errorf("Delete of a missing object: got %v, want no error", err)
	}
	// A folder of other objects is not an object.
	put(t, b, "commits/1/manifest.json", "{}")
	_, _, err = b.Get(t.Context(), "commits/1")
	wantError(t, "Get of a folder", "commits/1", err, objstore.ErrNotFound)
	// A path below an object is not an object.
	_, _, err = b.Get(t.Context(), "commits/1/manifest.json/x")
	wantError(t, "Get below an object", "commits/1/manifest.json/x", err, objstore.ErrNotFound)
	if got := list(t, b, ""); !cmp.Equal(got, []string{"commits/1/manifest.json"}) {
		t.Errorf("List after all that: got %q, want the one object", got)
	}
}

func testWriteRead(t *testing.T, b objstore.Bucket) {
	large := bytes.Repeat([]byte("ontosql "), 5<<20/8)
	for _, tc := range []struct{ key, body string }{
		{"empty", ""},
		{"meta/head.json", `{"head_commit_id":0}`},
		{"meta/head.json", "shorter"},
		{"binary", "\x00\xff\r\n\x1a"},
		{"large", string(large)},
	} {
		v := put(t, b, tc.key, tc.body)
		got, gotVersion, err := b.Get(t.Context(), tc.key)
		if err != nil || string(got) != tc.body || gotVersion != v {
			t.Errorf("Get %q after Put: got %d bytes, version %s, %v; want %d bytes, version %s",
				tc.key, len(got), gotVersion, err, len(tc.body), v)
		}
		got, gotVersion = readOpen(t, b, tc.key)
		if string(got) != tc.body || gotVersion != v {
			t.Errorf("Open %q after Put: got %d bytes, version %s; want %d bytes, version %s",
				tc.key, len(got), gotVersion, len(tc.body), v)
		}
	}
	sizes := map[string]int64{}
	err := b.List(t.Context(), "", func(o objstore.Object) error {
		sizes[o.Key] = o.Size
		if o.Modified.IsZero() {
			t.Errorf("List: %q has no time of modification", o.Key)
		}
		return nil
	})
	want := map[string]int64{"empty": 0, "meta/head.json": 7, "binary": 5, "large": 5 << 20}
	if diff := cmp.Diff(want, sizes); diff != "" || err != nil {
		t.Errorf("sizes told by List: %v (-want +got)\n%s", err, diff)
	}
}

// oddKeys are keys that are special in URLs, file systems or XML, in key order.
var oddKeys = []string{
	".hidden", "...", "a", "a b", "a!", "a#b", "a%20b", "a%2Fb", "a&b<c>'d\"", "a+b", "a-b", "a.b", "a..b",
	"a=b/c", "a?b", "a\\b", "a|b*", "b/ leading", "b/trailing ", "b/x.json", "b0",
	"commits/00000000000000000001-e7a/entities/Customer.parquet",
	strings.Repeat("s", 255), "z\u0301", "\u00e9", "\u4e2d\u6587/\u0434\u0430", "\U0001F600",
}

func testKeys(t *testing.T, b objstore.Bucket) {
	want := map[string]string{}
	for _, key := range oddKeys {
		want[key] = "body of " + key
		put(t, b, key, want[key])
	}
	got := map[string]string{}
	keys := list(t, b, "")
	for _, key := range keys {
		body, _ := readOpen(t, b, key)
		got[key] = string(body)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects by the keys that List tells (-want +got)\n%s", diff)
	}
	sorted(t, keys)
	for _, key := range oddKeys {
		if err := b.Delete(t.Context(), key); err != nil {
			t.Errorf("Delete %q: %v", key, err)
		}
	}
	if keys := list(t, b, ""); len(keys) > 0 {
		t.Errorf("List after deleting every key: got %q, want none", keys)
	}
}

func testInvalidKeys(t *testing.T, b objstore.Bucket) {
	for _, key := range []string{
		"", "/", "/abs", "a/", "a//b", "..", "../up", "a/../../up", "a/..", ".", "./a", "a/./b",
		"nul\x00", "not\xffutf8", strings.Repeat("k/", 512) + "x",
	} {
		_, _, err := b.Get(t.Context(), key)
		wantError(t, "Get", key, err, objstore.ErrInvalidKey)
		_, _, err = b.Open(t.Context(), key)
		wantError(t, "Open", key, err, objstore.ErrInvalidKey)
		_, err = b.Put(t.Context(), key, nil)
		wantError(t, "Put", key, err, objstore.ErrInvalidKey)
		_, err = b.Upload(t.Context(), key, strings.NewReader(""), 0)
		wantError(t, "Upload", key, err, objstore.ErrInvalidKey)
		_, err = b.Swap(t.Context(), key, objstore.Absent, nil)
		wantError(t, "Swap", key, err, objstore.ErrInvalidKey)
		wantError(t, "Delete", key, b.Delete(t.Context(), key), objstore.ErrInvalidKey)
		wantError(t, "DeleteIf", key, b.DeleteIf(t.Context(), key, `"x"`), objstore.ErrInvalidKey)
	}
	if keys := list(t, b, ""); len(keys) > 0 {
		t.Errorf("List after invalid writes: got %q, want none", keys)
	}
}

func testDelete(t *testing.T, b objstore.Bucket) {
	put(t, b, "meta/a/one", "1")
	put(t, b, "meta/a/two", "2")
	for range 2 {
		if err := b.Delete(t.Context(), "meta/a/one"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if got := list(t, b, ""); !cmp.Equal(got, []string{"meta/a/two"}) {
		t.Errorf("List after Delete: got %q, want the other object only", got)
	}
	if err := b.Delete(t.Context(), "meta"); err != nil {
		t.Errorf("Delete of a folder: got %v, want no error, it is no object", err)
	}
	if err := b.Delete(t.Context(), "meta/a/two"); err != nil {
		t.Errorf("Delete: %v", err)
	}
	// Deleting the last object of a folder removes the folder, so an object can have
	// its name.
	put(t, b, "meta", "now an object")
}

func testBodiesNotShared(t *testing.T, b objstore.Bucket) {
	body := []byte("before")
	if _, err := b.Put(t.Context(), "k", body); err != nil {
		t.Fatalf("Put: %v", err)
	}
	copy(body, "AFTER!")
	first := get(t, b, "k")
	copy(first, "AFTER!")
	if got := get(t, b, "k"); string(got) != "before" {
		t.Errorf("Get after the caller changed its slices: got %q, want %q", got, "before")
	}
}

func testEndedContext(t *testing.T, b objstore.Bucket) {
	v := put(t, b, "k", "kept")
	cause := errors.New("the statement was cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	ask := map[string]func() error{
		"Get":      func() error { _, _, err := b.Get(ctx, "k"); return err },
		"GetRange": func() error { _, err := b.GetRange(ctx, "k", 0, 1); return err },
		"Open":     func() error { _, _, err := b.Open(ctx, "k"); return err },
		"Put":      func() error { _, err := b.Put(ctx, "k", nil); return err },
		"Upload":   func() error { _, err := b.Upload(ctx, "k", strings.NewReader("x"), 1); return err },
		"Swap":     func() error { _, err := b.Swap(ctx, "k", v, nil); return err },
		"Delete":   func() error { return b.Delete(ctx, "k") },
		"DeleteIf": func() error { return b.DeleteIf(ctx, "k", v) },
		"List":     func() error { return b.List(ctx, "", func(objstore.Object) error { return nil }) },
		"GetIfChanged": func() error {
			_, _, _, err := objstore.ReadIfChanged(ctx, b, "k", v)
			return err
		},
	}
	for op, request := range ask {
		err := request()
		var e *objstore.Error
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || !errors.As(err, &e) {
			t.Errorf("%s with a context that ended: got %v, want an *objstore.Error that wraps context.Canceled and the cause", op, err)
		}
	}
	if got := get(t, b, "k"); string(got) != "kept" {
		t.Errorf("Get after writes with a context that ended before: got %q, want %q", got, "kept")
	}

	ctx, cancel = context.WithCancelCause(t.Context())
	put(t, b, "large", strings.Repeat("x", 32<<20)) // larger than socket buffers
	r, _, err := b.Open(ctx, "large")
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer r.Close()
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Fatalf("read the first bytes: %v", err)
	}
	cancel(cause)
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, cause) {
		t.Errorf("read on after the context ended: got %v, want its cause", err)
	}
}
