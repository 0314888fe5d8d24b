package dir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
)

// TestAListAfterAChangeHasIt lists a prefix repeatedly, as every statement does, changes an
// object below or above it, and lists it again: the result equals that of a directory that was
// just opened.
func TestAListAfterAChangeHasIt(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	for name, change := range map[string]func(path string){
		"nothing":                    func(string) {},
		"written in place":           func(path string) { write(t, path, "meta/schema/registry.json", "longer than before") },
		"of the same size":           func(path string) { write(t, path, "meta/schema/versions/entity/a.json", "other") },
		"its time":                   func(path string) { must(os.Chtimes(path+"/meta/schema/registry.json", old, old)) },
		"a new file":                 func(path string) { write(t, path, "meta/schema/versions/entity/c.json", "new") },
		"a new folder":               func(path string) { write(t, path, "meta/schema/versions/relation/r.json", "new") },
		"a folder within a new one":  func(path string) { write(t, path, "meta/schema/more/and/more.json", "new") },
		"a file goes":                func(path string) { must(os.Remove(path + "/meta/schema/versions/entity/b.json")) },
		"a folder goes":              func(path string) { must(os.RemoveAll(path + "/meta/schema/versions")) },
		"all goes":                   func(path string) { must(os.RemoveAll(path + "/meta/schema")) },
		"another folder":             func(path string) { must(os.Rename(path+"/meta/schema", path+"/meta/gone")) },
		"another folder above":       func(path string) { must(os.Rename(path+"/meta", path+"/gone")) },
		"one folder for another":     func(path string) { must(os.Rename(path+"/other", path+"/meta/schema/versions/relation")) },
		"a hard link":                func(path string) { must(os.Link(path+"/other/o.json", path+"/meta/schema/o.json")) },
		"a symbolic link":            func(path string) { must(os.Symlink("../../other/o.json", path+"/meta/schema/o.json")) },
		"behind a symbolic link":     func(path string) { write(t, path, "other/linked.json", "longer than before") },
		"a commit beside the schema": func(path string) { write(t, path, "meta/head.json", "2") },
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			for _, key := range []string{
				"meta/head.json", "meta/schema/registry.json", "meta/schema/versions/entity/a.json", "meta/schema/versions/entity/b.json",
				"other/o.json", "other/linked.json",
			} {
				write(t, path, key, "first")
			}
			if name == "behind a symbolic link" {
				must(os.Symlink("../../other/linked.json", path+"/meta/schema/linked.json"))
			}
			b := open(t, path)
			for range 3 {
				if diff := cmp.Diff(listed(t, open(t, path)), listed(t, b)); diff != "" {
					t.Fatalf("before the change (-there +listed)\n%s", diff)
				}
			}
			change(path)
			for range 3 {
				if diff := cmp.Diff(listed(t, open(t, path)), listed(t, b)); diff != "" {
					t.Fatalf("after the change (-there +listed)\n%s", diff)
				}
			}
		})
	}
}

// TestEveryListHasWhatWasWrittenBeforeIt writes and lists by turns: no write that has
// returned is ever missing.
func TestEveryListHasWhatWasWrittenBeforeIt(t *testing.T) {
	path := t.TempDir()
	write(t, path, "meta/schema/registry.json", "")
	b, writer := open(t, path), open(t, path)
	for i := range 200 {
		body := fmt.Sprint(i)
		switch i % 3 {
		case 0:
			write(t, path, "meta/schema/registry.json", fmt.Sprintf("%*d", i, i))
		case 1:
			if _, err := writer.Put(t.Context(), "meta/schema/versions/entity/"+body+".json", []byte(body)); err != nil {
				t.Fatal(err)
			}
		case 2:
			if err := os.Remove(fmt.Sprintf("%s/meta/schema/versions/entity/%d.json", path, i-1)); err != nil {
				t.Fatal(err)
			}
		}
		for range i % 4 { // the watch is there, or not yet
			if diff := cmp.Diff(listed(t, open(t, path)), listed(t, b)); diff != "" {
				t.Fatalf("after change %d (-there +listed)\n%s", i, diff)
			}
		}
	}
}

// listed are the objects below meta/schema/.
func listed(t *testing.T, b objstore.Bucket) []objstore.Object {
	t.Helper()
	var all []objstore.Object
	if err := b.List(t.Context(), "meta/schema/", func(o objstore.Object) error {
		all = append(all, o)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func BenchmarkListAgain(b *testing.B) {
	path := b.TempDir()
	for i := range 200 {
		name := filepath.Join(path, "meta/schema/versions/entity", fmt.Sprint(i))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	bucket, err := dir.Open(path, dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := bucket.List(b.Context(), "meta/schema/", func(objstore.Object) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
