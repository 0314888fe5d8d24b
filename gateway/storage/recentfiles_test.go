package storage

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// TestRecentFilesAreBounded keeps more files than the bounds allow: the oldest are
// forgotten, and a file that was taken does not count.
func TestRecentFilesAreBounded(t *testing.T) {
	var o recentFiles
	body := make([]byte, maxFileBytes)
	const fit = maxBytes / maxFileBytes
	for n := range fit + 2 {
		o.keep(fmt.Sprint(n), body, nil)
	}
	o.keep("large", make([]byte, maxFileBytes+1), nil)
	for key, want := range map[string]bool{"0": false, "1": false, "2": true, fmt.Sprint(fit + 1): true, "large": false, "never": false} {
		if got := o.take(key) != nil; got != want {
			t.Errorf("file %s is remembered: %t, want %t", key, got, want)
		}
		if o.take(key) != nil {
			t.Errorf("file %s is given out twice", key)
		}
	}
	o.keep("more", body, nil)
	o.keep("and more", body, nil)
	if o.take("3") == nil {
		t.Error("a file was forgotten although others had been given out")
	}
	for n := range 2 * maxFiles {
		o.keep(fmt.Sprint("small", n), []byte("x"), nil)
		o.take(fmt.Sprint("small", n))
	}
	if len(o.keys) > maxFiles {
		t.Errorf("%d keys are kept of files that are gone", len(o.keys))
	}
	if o.take("4") != nil || o.size != 0 {
		t.Errorf("after many other files there is room for %d bytes of old ones", o.size)
	}
}

// TestRecentRows asks for rows of several files: all or none, as often as they are wanted, whether or
// not the file was taken.
func TestRecentRows(t *testing.T) {
	var o recentFiles
	rows := func(key string) []format.Row { return []format.Row{{Key: key, Fields: []byte("{}")}} }
	for _, key := range []string{"a", "b", "c"} {
		o.keep(key, []byte("file"), rows(key))
	}
	o.keep("many", []byte("file"), nil)
	files := func(keys ...string) (list []chain.File) {
		for _, key := range keys {
			list = append(list, chain.File{File: &format.File{Path: key}})
		}
		return list
	}
	for _, missing := range []string{"many", "never"} {
		if got, ok := o.rowsOf(files("a", missing)); ok {
			t.Errorf("rows of a and of %q: %v, want none", missing, got)
		}
	}
	if o.take("b") == nil {
		t.Error("file b is not remembered")
	}
	got, ok := o.rowsOf(files("a", "b"))
	if diff := cmp.Diff(append(rows("a"), rows("b")...), got); diff != "" || !ok {
		t.Errorf("rows of a and b (-want +got):\n%s", diff)
	}
	if _, ok := o.rowsOf(files("a")); !ok {
		t.Error("the rows of a are given out once only")
	}
	if o.take("a") == nil || o.take("c") == nil || o.take("many") == nil {
		t.Error("files were forgotten with their rows")
	}
	if _, ok := o.rowsOf(files("c")); !ok || len(o.known) != 3 {
		t.Errorf("the rows of %d files are left, want 3", len(o.known))
	}
}
