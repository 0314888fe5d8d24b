package dir_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/objstoretest"
)

// testContext is for the processes that have no *testing.T.
var testContext = context.Background()

func TestContract(t *testing.T) {
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return open(t, t.TempDir()) })
}

func TestCopy(t *testing.T) {
	objstoretest.RunCopy(t, func(t *testing.T) (to, from objstore.Bucket) { return open(t, t.TempDir()), open(t, t.TempDir()) })
}

// TestCopyLinks looks at the files behind a copy: links to regular files, and a file of its own
// where the source has a symbolic link.
func TestCopyLinks(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write(t, from, "commits/1/file", "x")
	if err := os.Symlink("file", from+"/commits/1/link"); err != nil {
		t.Fatal(err)
	}
	if err := objstore.Copy(t.Context(), open(t, to), open(t, from), []string{"commits/1/file", "commits/1/link"}); err != nil {
		t.Fatalf("Copy: %v", err)
	}
	original, err := os.Stat(from + "/commits/1/file")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"file": true, "link": false} {
		info, err := os.Lstat(to + "/commits/1/" + name)
		if err != nil || !info.Mode().IsRegular() || os.SameFile(info, original) != want {
			t.Errorf("%s: got %v, %v; want a regular file that is the source's: %t", name, info, err, want)
		}
	}
}

func TestOpen(t *testing.T) {
	path := t.TempDir()
	write(t, path, "file", "")
	for _, name := range []string{"none", "file", "file/below"} {
		if _, err := dir.Open(filepath.Join(path, name), dir.Options{}); !errors.Is(err, objstore.ErrNoBucket) {
			t.Errorf("Open of %q: got %v, want %v", name, err, objstore.ErrNoBucket)
		}
	}
	b, err := dir.Open(filepath.Join(path, "new/store"), dir.Options{Create: true})
	if err != nil {
		t.Fatalf("Open with Create: %v", err)
	}
	if want := "file://" + path + "/new/store"; b.String() != want {
		t.Errorf("String: got %q, want %q", b.String(), want)
	}
	if got := tree(t, path+"/new/store"); len(got) != 0 {
		t.Errorf("Open wrote %v", got)
	}
}

// TestForeignFiles reads what other programs put there, and leaves no trace of
// having read it.
func TestForeignFiles(t *testing.T) {
	path := t.TempDir()
	write(t, path, "meta/head.json", "one")
	write(t, path, "meta/empty folder/.keep", "")
	if err := os.MkdirAll(path+"/commits/1", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"/meta/not\xffutf8", nil, 0o666); err != nil && !errors.Is(err, syscall.EILSEQ) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path+"/meta/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	before := tree(t, path)
	b, other := open(t, path), open(t, path)
	if diff := cmp.Diff([]string{"meta/empty folder/.keep", "meta/head.json"}, keys(t, b, "")); diff != "" {
		t.Errorf("List (-want +got)\n%s", diff)
	}
	if _, _, err := b.Get(t.Context(), "meta/pipe"); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("Get of a named pipe: got %v, want %v at once", err, objstore.ErrNotFound)
	}
	_, v, err := b.Get(t.Context(), "meta/head.json")
	if _, same, _ := other.Get(t.Context(), "meta/head.json"); err != nil || same != v || v == objstore.Absent {
		t.Errorf("version of one file by two buckets: got %q and %q, %v; want one version", v, same, err)
	}
	if diff := cmp.Diff(before, tree(t, path)); diff != "" {
		t.Errorf("reading changed the directory (-before +after)\n%s", diff)
	}
	// An edit in place, of the same size and with the time put back, is a change.
	info, err := os.Stat(path + "/meta/head.json")
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "meta/head.json", "two")
	if err := os.Chtimes(path+"/meta/head.json", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Swap(t.Context(), "meta/head.json", v, []byte("lost")); !errors.Is(err, objstore.ErrPreconditionFailed) {
		t.Errorf("Swap from the version before the edit: got %v, want %v", err, objstore.ErrPreconditionFailed)
	}
}

func TestLinks(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "secret", "secret")
	path := t.TempDir()
	write(t, path, "real/k", "body")
	for link, target := range map[string]string{
		"in/file":        "../real/k",
		"in/nothing":     "../real/none",
		"out/file":       filepath.Join(outside, "secret"),
		"out2/folder":    outside,
		"out3/up":        "../../" + filepath.Base(outside),
		"folder/to-real": "../real",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(path, link)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(path, link)); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, path)
	if body, _, err := b.Get(t.Context(), "in/file"); string(body) != "body" || err != nil {
		t.Errorf("Get through a link that stays inside: got %q, %v", body, err)
	}
	if diff := cmp.Diff([]string{"in/file"}, keys(t, b, "in/")); diff != "" {
		t.Errorf("List of links to a file and to nothing (-want +got)\n%s", diff)
	}
	for _, key := range []string{"out/file", "out2/folder/secret", "out3/up/secret"} {
		if body, _, err := b.Get(t.Context(), key); !errors.Is(err, objstore.ErrDenied) {
			t.Errorf("Get %s, which leads out: got %q, %v; want %v", key, body, err, objstore.ErrDenied)
		}
	}
	for _, key := range []string{"out2/folder/new", "out3/up/new"} {
		if _, err := b.Put(t.Context(), key, nil); !errors.Is(err, objstore.ErrDenied) {
			t.Errorf("Put %s, which leads out: got %v, want %v", key, err, objstore.ErrDenied)
		}
	}
	for _, prefix := range []string{"out/", "out2/", "out2/folder/", "out3/", "folder/"} {
		err := b.List(t.Context(), prefix, func(o objstore.Object) error {
			t.Errorf("List %s told %q", prefix, o.Key)
			return nil
		})
		if !errors.Is(err, objstore.ErrDenied) {
			t.Errorf("List %s, which meets a link that it does not follow: got %v, want %v", prefix, err, objstore.ErrDenied)
		}
	}
	// A write replaces a link, not what it points to.
	if _, err := b.Put(t.Context(), "out/file", []byte("ours")); err != nil {
		t.Errorf("Put over a link: %v", err)
	}
	if body, err := os.ReadFile(outside + "/secret"); string(body) != "secret" || err != nil {
		t.Errorf("file outside after that: got %q, %v", body, err)
	}
}

func TestKeysThatDoNotFit(t *testing.T) {
	path := t.TempDir()
	b := open(t, path)
	for _, key := range []string{"a/b", "x"} {
		if _, err := b.Put(t.Context(), key, nil); err != nil {
			t.Fatalf("Put %s: %v", key, err)
		}
	}
	for _, key := range []string{
		"a",                      // a folder
		"x/y",                    // below an object
		"x/y/z",                  // further below
		strings.Repeat("s", 256), // too long for a file name
		"a/" + strings.Repeat("ä", 128) + "/b",
		".ontosql/locks/00",
		"a/.ontosql/x",
	} {
		if _, err := b.Put(t.Context(), key, nil); !errors.Is(err, objstore.ErrInvalidKey) {
			t.Errorf("Put %.30s: got %v, want %v", key, err, objstore.ErrInvalidKey)
		}
		if _, err := b.Swap(t.Context(), key, objstore.Absent, nil); !errors.Is(err, objstore.ErrInvalidKey) {
			t.Errorf("Swap %.30s: got %v, want %v", key, err, objstore.ErrInvalidKey)
		}
	}
	if diff := cmp.Diff([]string{"a/b", "x"}, keys(t, b, "")); diff != "" {
		t.Errorf("List after refused writes (-want +got)\n%s", diff)
	}
	if left := entries(t, path+"/.ontosql/staging"); len(left) > 0 {
		t.Errorf("staging files after refused writes: %v", left)
	}
}

func TestStagingFiles(t *testing.T) {
	path := t.TempDir()
	staging := path + "/.ontosql/staging"
	write(t, path, ".ontosql/staging/1-old", "left by a process that died")
	write(t, path, ".ontosql/staging/2-new", "of a process at work")
	hoursAgo := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(staging+"/1-old", hoursAgo, hoursAgo); err != nil {
		t.Fatal(err)
	}
	b := open(t, path)
	if got := keys(t, b, ""); len(got) > 0 {
		t.Errorf("List of a store with staging files only: got %q, want none", got)
	}
	if got := keys(t, b, ".onto"); len(got) > 0 {
		t.Errorf("List of the reserved folder: got %q, want none", got)
	}
	if got := entries(t, staging); len(got) != 2 {
		t.Errorf("staging after reads: got %q, want both files", got)
	}
	for _, body := range []string{"one", "two"} {
		if _, err := b.Put(t.Context(), "a/b", []byte(body)); err != nil {
			t.Fatalf("Put: %v", err)
		}
	}
	if diff := cmp.Diff([]string{"2-new"}, entries(t, staging)); diff != "" {
		t.Errorf("staging after writes: the stale file must go, the young one stay (-want +got)\n%s", diff)
	}
	if err := b.Delete(t.Context(), "a/b"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if diff := cmp.Diff([]string{".ontosql"}, entries(t, path)); diff != "" {
		t.Errorf("directory after the last object is gone (-want +got)\n%s", diff)
	}
}

// TestWaitForLockEnds holds the locks as another process would.
// TestServerTime: the time is that of the file system, and asking for it leaves nothing behind.
func TestServerTime(t *testing.T) {
	path := t.TempDir()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near := func(when string) {
		t.Helper()
		now, err := b.ServerTime(t.Context())
		if off := time.Since(now).Abs(); err != nil || off > 5*time.Second {
			t.Errorf("%s: %v, %v off, %v", when, now, off, err)
		}
	}
	near("an empty directory")
	if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
		t.Errorf("it made %v, %v", entries, err)
	}
	if _, err := b.Put(t.Context(), "k", nil); err != nil {
		t.Fatal(err)
	}
	near("a store")
	if left, err := os.ReadDir(filepath.Join(path, ".ontosql/staging")); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	near("a directory that is gone")
}

func TestWaitForLockEnds(t *testing.T) {
	path := t.TempDir()
	b := open(t, path)
	v, err := b.Put(t.Context(), "k", []byte("before"))
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	for _, name := range entries(t, path+"/.ontosql/locks") {
		f, err := os.Open(path + "/.ontosql/locks/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := b.Swap(ctx, "k", v, []byte("after")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Swap while another process holds the lock: got %v, want the end of the context", err)
	}
	if body, _, err := b.Get(t.Context(), "k"); string(body) != "before" || err != nil {
		t.Errorf("Get meanwhile, which needs no lock: got %q, %v", body, err)
	}
}

func open(t *testing.T, path string) *dir.Bucket {
	t.Helper()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatalf("Open %s: %v", path, err)
	}
	return b
}

func keys(t *testing.T, b objstore.Bucket, prefix string) []string {
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

// write puts a file in place as any program would.
func write(t *testing.T, path, name, body string) {
	t.Helper()
	name = filepath.Join(path, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(body), 0o666); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(path, 0o777) })
}

// publicDir is a temporary directory that other users may enter.
func publicDir(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("", "ontosql-dir-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(path) })
	return path
}

func entries(t *testing.T, path string) []string {
	t.Helper()
	list, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// tree tells every file and folder below path with its mode and time.
func tree(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == path {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		all[name] = info.Mode().String() + " " + info.ModTime().String()
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		t.Fatal(err)
	}
	return all
}

// TestALateSwapStagesNothing: a Swap from Absent that finds an object is refused before its body is
// stored, so that losing a race is cheap.
func TestALateSwapStagesNothing(t *testing.T) {
	path := t.TempDir()
	b := open(t, path)
	if _, err := b.Swap(t.Context(), "claims/a", objstore.Absent, []byte("first")); err != nil {
		t.Fatal(err)
	}
	staging := filepath.Join(path, ".ontosql", "staging")
	if err := os.RemoveAll(staging); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Swap(t.Context(), "claims/a", objstore.Absent, []byte("late")); !errors.Is(err, objstore.ErrPreconditionFailed) {
		t.Errorf("a late Swap: %v, want a failed precondition", err)
	}
	if _, err := os.Stat(staging); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the late Swap has staged its body: %v", err)
	}
}
