package dir_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
)

// TestAReadAfterAChangeHasIt asks for an object again and again, as every statement asks
// for the head, changes it in every way that leaves its size and times, or takes it away,
// and asks once more.
func TestAReadAfterAChangeHasIt(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := time.Now().Add(-time.Hour)
	other := func(path, name string) string {
		write(t, path, name, "2")
		must(os.Chtimes(path+"/"+name, at, at))
		return path + "/" + name
	}
	for name, change := range map[string]func(path string){
		"nothing":         func(string) {},
		"in place":        func(path string) { other(path, "meta/head.json") },
		"renamed over it": func(path string) { must(os.Rename(other(path, "meta/new"), path+"/meta/head.json")) },
		"removed":         func(path string) { must(os.Remove(path + "/meta/head.json")) },
		"renamed away":    func(path string) { must(os.Rename(path+"/meta/head.json", path+"/meta/gone.json")) },
		"another folder": func(path string) {
			other(path, "new/head.json")
			must(os.Rename(path+"/meta", path+"/gone"))
			must(os.Rename(path+"/new", path+"/meta"))
		},
		"a symbolic link": func(path string) {
			other(path, "meta/new")
			must(os.Remove(path + "/meta/head.json"))
			must(os.Symlink("new", path+"/meta/head.json"))
		},
		"behind a symbolic link": func(path string) { other(path, "linked/head.json") },
		"another file":           func(path string) { other(path, "meta/lock.json") },
		"and another after it":   func(path string) { write(t, path, "meta/head.json", "3"); other(path, "meta/head.json") },
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			where := "meta/head.json"
			if name == "behind a symbolic link" {
				where = "linked/head.json"
				must(os.MkdirAll(path+"/meta", 0o777))
				must(os.Symlink("../linked/head.json", path+"/meta/head.json"))
			}
			write(t, path, where, "1")
			must(os.Chtimes(path+"/"+where, at, at))
			b := open(t, path)
			_, known, err := b.Get(t.Context(), format.HeadKey)
			must(err)
			for range 3 {
				if _, _, changed, err := b.GetIfChanged(t.Context(), format.HeadKey, known); err != nil || changed {
					t.Fatalf("before the change: changed = %t, %v", changed, err)
				}
			}
			change(path)
			for range 3 {
				wantBody, want, wantErr := open(t, path).Get(t.Context(), format.HeadKey)
				body, v, changed, err := b.GetIfChanged(t.Context(), format.HeadKey, known)
				if v != want || (err == nil) != (wantErr == nil) || err == nil && changed != (want != known) || changed && string(body) != string(wantBody) {
					t.Fatalf("after the change: %q, %s, %t, %v, want %q, %s, %v", body, v, changed, err, wantBody, want, wantErr)
				}
			}
		})
	}
}

// TestEveryReadHasWhatWasWrittenBeforeIt writes and reads by turns: no write that has
// returned is ever missing.
func TestEveryReadHasWhatWasWrittenBeforeIt(t *testing.T) {
	path := t.TempDir()
	b, writer := open(t, path), open(t, path)
	known := objstore.Absent
	for i := range 500 {
		want, err := writer.Put(t.Context(), format.HeadKey, fmt.Appendf(nil, "%d", i%7))
		if err != nil {
			t.Fatal(err)
		}
		for range i % 4 {
			_, v, changed, err := b.GetIfChanged(t.Context(), format.HeadKey, known)
			if err != nil || v != want || changed != (known != want) {
				t.Fatalf("after write %d: version %s, changed = %t, %v, want %s", i, v, changed, err, want)
			}
			known = v
		}
	}
}

// TestManyObjectsAreReadAgain asks for more objects than versions are kept of, and changes
// one after the other.
func TestManyObjectsAreReadAgain(t *testing.T) {
	path := t.TempDir()
	b := open(t, path)
	known := map[string]objstore.Version{}
	for i := range 60 {
		key := fmt.Sprint("meta/", i%12)
		if i >= 12 {
			if _, v, changed, err := b.GetIfChanged(t.Context(), key, known[key]); err != nil || changed {
				t.Fatalf("%s: version %s, changed = %t, %v", key, v, changed, err)
			}
		}
		write(t, path, key, fmt.Sprint(i))
		_, v, changed, err := b.GetIfChanged(t.Context(), key, known[key])
		if err != nil || !changed {
			t.Fatalf("%s after a change: version %s, changed = %t, %v", key, v, changed, err)
		}
		known[key] = v
	}
}

// TestAListTellsTheVersionOfWhatWasRead: and not one that may have changed since.
func TestAListTellsTheVersionOfWhatWasRead(t *testing.T) {
	path := t.TempDir()
	const key = "meta/schema/registry.json"
	write(t, path, key, "1")
	b := open(t, path)
	told := func() objstore.Version {
		t.Helper()
		objects := listed(t, b)
		if len(objects) != 1 {
			t.Fatalf("%d objects are listed, want 1", len(objects))
		}
		return objects[0].Version
	}
	for i := range 10 {
		told()
		if v := told(); v != objstore.Absent {
			t.Fatalf("version %s of an object that nobody read", v)
		}
		_, read, _, err := b.GetIfChanged(t.Context(), key, objstore.Absent)
		if err != nil {
			t.Fatal(err)
		}
		if v := told(); v != read && v != objstore.Absent { // a watch may not be available
			t.Fatalf("version %s of an object that was read as %s", v, read)
		}
		write(t, path, key, fmt.Sprint(i%2))
		if v := told(); v != objstore.Absent {
			t.Fatalf("version %s of an object that changed", v)
		}
	}
}

func BenchmarkReadAgain(b *testing.B) {
	bucket, err := dir.Open(b.TempDir(), dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	known, err := bucket.Put(b.Context(), format.HeadKey, make([]byte, 150))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, _, err := bucket.GetIfChanged(b.Context(), format.HeadKey, known); err != nil {
			b.Fatal(err)
		}
	}
}
