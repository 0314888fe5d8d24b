package branch_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/resolver"
)

// TestBranchOfOriginal branches every store of the original at every commit. A branch breaks no
// rule, has the manifests of its parent byte for byte and the rows of all its points.
func TestBranchOfOriginal(t *testing.T) {
	for _, name := range fixtures.Stores {
		t.Run(name, func(t *testing.T) {
			from := open(t, t.TempDir())
			fixtures.Load(t, from, name)
			parent := bucketStore(t, from)
			src := source(t, parent)
			for id := ontosql.CommitID(0); id <= src.Pin().Head.Commit; id++ {
				to := open(t, t.TempDir())
				done, err := branch.Create(t.Context(), to, parent, &id)
				var lost *resolver.LostSchemaError
				if errors.As(err, &lost) {
					t.Logf("commit %d: %v", id, err)
					continue
				}
				if err != nil || done.Commit != id || done.Already {
					t.Fatalf("branch at commit %d: got %+v, %v", id, done, err)
				}
				child := bucketStore(t, to)
				clean(t, child)
				made := source(t, child)
				for n := ontosql.CommitID(1); n <= id; n++ {
					key := made.Pin().View.Commit(n).Path
					if ours, theirs := read(t, from, key), read(t, to, key); !bytes.Equal(ours, theirs) {
						t.Errorf("branch at commit %d: %s differs", id, key)
					}
				}
				dropped := src.Pin().View.DroppedAfter(id)
				want := history(t, src, id, dropped)
				if diff := cmp.Diff(want, history(t, made, id, dropped)); diff != "" {
					t.Errorf("branch at commit %d (-parent +branch):\n%s", id, diff)
				}
				for _, key := range []string{format.LockKey, format.CopyMarkKey} {
					if _, _, err := to.Get(t.Context(), key); !errors.Is(err, objstore.ErrNotFound) {
						t.Errorf("branch at commit %d has %s: %v", id, key, err)
					}
				}
				again, err := branch.Create(t.Context(), to, parent, &id)
				if err != nil || !again.Already {
					t.Errorf("the same branch again: got %+v, %v; want that it is there already", again, err)
				}
			}
		})
	}
}

// TestBranchOfOriginalFile does the same with the files that the original wrote.
func TestBranchOfOriginalFile(t *testing.T) {
	for _, name := range []string{"sqlite-v1", "sqlite-v2"} {
		t.Run(name, func(t *testing.T) {
			parent := fileStore(t, filepath.Join(fixtures.Dir(t, name), "onto.db"))
			src := source(t, parent)
			for id := ontosql.CommitID(0); id <= src.Pin().Head.Commit; id++ {
				path := filepath.Join(t.TempDir(), "branch.db")
				done, err := branch.CreateFile(t.Context(), path, parent, &id)
				if err != nil || done.Commit != id {
					t.Fatalf("branch at commit %d: got %+v, %v", id, done, err)
				}
				child := fileStore(t, path)
				clean(t, child)
				if diff := cmp.Diff(history(t, src, id, nil), history(t, source(t, child), id, nil)); diff != "" {
					t.Errorf("branch at commit %d (-parent +branch):\n%s", id, diff)
				}
				if left := leftBeside(t, path); len(left) > 0 {
					t.Errorf("left beside the branch: %q", left)
				}
				if _, err := branch.CreateFile(t.Context(), path, parent, &id); !errors.Is(err, branch.ErrTaken) {
					t.Errorf("branch over a file: got %v, want ErrTaken", err)
				}
			}
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	from := mem.New("from")
	fixtures.Load(t, from, "s3-v1/stage1-commits")
	parent := bucketStore(t, from)
	file := fileStore(t, filepath.Join(fixtures.Dir(t, "sqlite-v1"), "onto.db"))
	other := mem.New("other")
	if _, err := other.Put(t.Context(), "notes.txt", nil); err != nil {
		t.Fatal(err)
	}
	high := ontosql.CommitID(1000)
	for _, tc := range []struct {
		name string
		make func() error
		want error
	}{
		{"a place with something else", func() error { _, err := branch.Create(t.Context(), other, parent, nil); return err }, branch.ErrTaken},
		{"over its parent", func() error { _, err := branch.Create(t.Context(), from, parent, new(ontosql.CommitID)); return err }, branch.ErrTaken},
		{"from a directory into memory", func() error {
			d := open(t, t.TempDir())
			fixtures.Load(t, d, fixtures.Stores[0])
			_, err := branch.Create(t.Context(), new(mem.Bucket), bucketStore(t, d), nil)
			return err
		}, objstore.ErrNoCopy},
		{"a file in a bucket", func() error { _, err := branch.Create(t.Context(), new(mem.Bucket), file, nil); return err }, branch.ErrOtherKind},
		{"a bucket in a file", func() error {
			_, err := branch.CreateFile(t.Context(), filepath.Join(t.TempDir(), "x.db"), parent, nil)
			return err
		}, branch.ErrOtherKind},
	} {
		if err := tc.make(); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
	var unknown *branch.UnknownCommitError
	if _, err := branch.Create(t.Context(), new(mem.Bucket), parent, &high); !errors.As(err, &unknown) {
		t.Errorf("a commit above the head: got %v, want an UnknownCommitError", err)
	}
}

// open opens a directory as a bucket.
func open(t testing.TB, path string) *dir.Bucket {
	t.Helper()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t testing.TB, b objstore.Bucket, key string) []byte {
	t.Helper()
	body, _, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(fmt.Errorf("read %s: %w", key, err))
	}
	return body
}
