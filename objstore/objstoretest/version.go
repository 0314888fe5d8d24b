package objstoretest

import (
	"testing"

	"github.com/ontosql/ontosql/objstore"
)

func testVersions(t *testing.T, b objstore.Bucket) {
	v1 := put(t, b, "k", "one")
	v2 := put(t, b, "k", "two")
	if v1 == objstore.Absent || v2 == objstore.Absent || v1 == v2 {
		t.Errorf("versions of two contents: got %q and %q, want two different ones that are not Absent", v1, v2)
	}
	for range 2 {
		if _, v, err := b.Get(t.Context(), "k"); v != v2 || err != nil {
			t.Errorf("Get: got version %s, %v; want that of the last write, %s", v, err, v2)
		}
	}
	err := b.List(t.Context(), "", func(o objstore.Object) error {
		if o.Version != "" && o.Version != v2 {
			t.Errorf("List: got version %s, want %s or none", o.Version, v2)
		}
		return nil
	})
	if err != nil {
		t.Errorf("List: %v", err)
	}
}

func testSwap(t *testing.T, b objstore.Bucket) {
	ctx := t.Context()
	v1, err := b.Swap(ctx, "meta/head.json", objstore.Absent, []byte("1"))
	if err != nil || v1 == objstore.Absent {
		t.Fatalf("Swap of an absent object: got version %q, %v", v1, err)
	}
	_, err = b.Swap(ctx, "meta/head.json", objstore.Absent, []byte("lost"))
	wantError(t, "second Swap from Absent", "meta/head.json", err, objstore.ErrPreconditionFailed)
	v2, err := b.Swap(ctx, "meta/head.json", v1, []byte("2"))
	if err != nil || v2 == v1 {
		t.Fatalf("Swap from %s: got version %s, %v; want another version", v1, v2, err)
	}
	_, err = b.Swap(ctx, "meta/head.json", v1, []byte("lost"))
	wantError(t, "Swap from an old version", "meta/head.json", err, objstore.ErrPreconditionFailed)
	if got := get(t, b, "meta/head.json"); string(got) != "2" {
		t.Errorf("Get after two won and two lost swaps: got %q, want %q", got, "2")
	}
	// A version from List or Get is valid for Swap, like that of a write.
	_, v, err := b.Get(ctx, "meta/head.json")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	if _, err := b.Swap(ctx, "meta/head.json", v, nil); err != nil {
		t.Errorf("Swap from the version of Get, to an empty body: %v", err)
	}
	if err := b.Delete(ctx, "meta/head.json"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	_, err = b.Swap(ctx, "meta/head.json", v, []byte("lost"))
	wantError(t, "Swap of an object that was deleted", "meta/head.json", err, objstore.ErrPreconditionFailed)
	if _, err := b.Swap(ctx, "meta/head.json", objstore.Absent, []byte("again")); err != nil {
		t.Errorf("Swap from Absent after a Delete: %v", err)
	}
}

func testDeleteIf(t *testing.T, b objstore.Bucket) {
	ctx := t.Context()
	v1 := put(t, b, "lock", "one")
	v2 := put(t, b, "lock", "two")
	wantError(t, "DeleteIf of an old version", "lock", b.DeleteIf(ctx, "lock", v1), objstore.ErrPreconditionFailed)
	wantError(t, "DeleteIf of Absent", "lock", b.DeleteIf(ctx, "lock", objstore.Absent), objstore.ErrPreconditionFailed)
	if got := get(t, b, "lock"); string(got) != "two" {
		t.Errorf("Get after refused deletes: got %q, want %q", got, "two")
	}
	if err := b.DeleteIf(ctx, "lock", v2); err != nil {
		t.Errorf("DeleteIf of the current version: %v", err)
	}
	_, _, err := b.Get(ctx, "lock")
	wantError(t, "Get after DeleteIf", "lock", err, objstore.ErrNotFound)
	if err := b.DeleteIf(ctx, "lock", v2); err != nil {
		wantError(t, "DeleteIf of a missing object", "lock", err, objstore.ErrPreconditionFailed)
	}
}

func testGetIfChanged(t *testing.T, b objstore.Bucket) {
	v1 := put(t, b, "meta/head.json", "one")
	for _, tc := range []struct {
		story   string
		known   objstore.Version
		changed bool
	}{
		{"nothing known", objstore.Absent, true},
		{"current version known", v1, false},
		{"another version known", `"0123456789abcdef0123456789abcdef"`, true},
	} {
		body, v, changed, err := objstore.ReadIfChanged(t.Context(), b, "meta/head.json", tc.known)
		want := ""
		if tc.changed {
			want = "one"
		}
		if err != nil || changed != tc.changed || v != v1 || string(body) != want {
			t.Errorf("%s: got body %q, version %s, changed %v, %v; want body %q, version %s, changed %v",
				tc.story, body, v, changed, err, want, v1, tc.changed)
		}
	}
	v2 := put(t, b, "meta/head.json", "two")
	body, v, changed, err := objstore.ReadIfChanged(t.Context(), b, "meta/head.json", v1)
	if err != nil || !changed || v != v2 || string(body) != "two" {
		t.Errorf("after a replace: got %q, version %s, changed %v, %v; want the new content", body, v, changed, err)
	}
}

func testRanges(t *testing.T, b objstore.Bucket) {
	put(t, b, "k", "0123456789")
	put(t, b, "empty", "")
	for _, tc := range []struct {
		key            string
		offset, length int64
		want           string
	}{
		{"k", 0, 1, "0"},
		{"k", 0, 10, "0123456789"},
		{"k", 0, 11, "0123456789"},
		{"k", 3, 4, "3456"},
		{"k", 9, 1, "9"},
		{"k", 8, 1 << 40, "89"},
		{"k", 10, 1, ""},
		{"k", 1 << 40, 5, ""},
		{"empty", 0, 1, ""},
	} {
		got, err := b.GetRange(t.Context(), tc.key, tc.offset, tc.length)
		if err != nil || string(got) != tc.want {
			t.Errorf("%d bytes from %d of %q: got %q, %v; want %q", tc.length, tc.offset, tc.key, got, err, tc.want)
		}
	}
	for _, tc := range [][2]int64{{-1, 5}, {0, 0}, {0, -1}, {1 << 62, 1 << 62}} {
		if got, err := b.GetRange(t.Context(), "k", tc[0], tc[1]); err == nil {
			t.Errorf("%d bytes from %d: got %q, want an error", tc[1], tc[0], got)
		}
	}
}
