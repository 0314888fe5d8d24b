package diskcache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
)

func TestDeadWritersAreSwept(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Options{})
	living, err := c.newPart()
	if err != nil {
		t.Fatal(err)
	}
	dead, err := c.newPart()
	if err != nil {
		t.Fatal(err)
	}
	dead.file.Close() // as the kernel does when its process dies
	s := newStore()
	fetch(t, open(t, dir, Options{}), s, s.put(t, "commits/1-a/x", []byte("the first new file of a process")))
	if _, err := os.Stat(dead.file.Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead writer's file: %v, want it removed", err)
	}
	if _, err := os.Stat(living.file.Name()); err != nil {
		t.Errorf("the living writer's file: %v", err)
	}
	living.discard()
}

func TestCancel(t *testing.T) {
	dir, s := t.TempDir(), newStore()
	b := s.put(t, "commits/1-a/x", []byte("slow"))
	ctx, cancel := context.WithCancel(t.Context())
	stuck := make(chan struct{})
	slow := &faulty.Bucket{Bucket: s, At: -1, Delay: func(ctx context.Context, number int, _, _ string) {
		if number > 0 {
			return
		}
		close(stuck)
		<-ctx.Done()
	}}
	c := open(t, dir, Options{})
	ended, waited := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.Fetch(ctx, slow, []Blob{b})
		ended <- err
	}()
	<-stuck
	go func() { // joins the flight that is about to be cancelled
		l, err := c.Fetch(t.Context(), slow, []Blob{b})
		if err == nil {
			l.Release()
		}
		waited <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled fetch: %v", err)
	}
	if err := <-waited; err != nil {
		t.Errorf("the other one who wanted the blob: %v, want it fetched", err)
	}
	if n := count(t, dir, partSuffix); n != 0 {
		t.Errorf("%d half-written files stay", n)
	}
}

func TestLostConnection(t *testing.T) {
	for _, applied := range []bool{false, true} {
		dir, s := t.TempDir(), newStore()
		b := s.put(t, "commits/1-a/x", []byte("whole"))
		c := open(t, dir, Options{})
		broken := &faulty.Bucket{Bucket: s, At: 0, Applied: applied}
		if _, err := c.Fetch(t.Context(), broken, []Blob{b}); !errors.Is(err, objstore.ErrUnreachable) {
			t.Errorf("applied %v: %v, want ErrUnreachable", applied, err)
		}
		if n := count(t, dir, ""); n != 0 {
			t.Errorf("applied %v: %d files stay", applied, n)
		}
		if got := read(t, fetch(t, c, broken, b).Paths()[0]); got != "whole" {
			t.Errorf("applied %v: second try has %q", applied, got)
		}
	}
}

// fullDisk accepts room bytes, then fails with ENOSPC.
type fullDisk struct {
	file *os.File
	room *int
}

func (d fullDisk) Write(p []byte) (int, error) {
	if len(p) > *d.room {
		return 0, &os.PathError{Op: "write", Path: d.file.Name(), Err: syscall.ENOSPC}
	}
	*d.room -= len(p)
	return d.file.Write(p)
}

func TestDiskFull(t *testing.T) {
	dir, s := t.TempDir(), newStore()
	old, b := s.put(t, "commits/1-a/x", []byte("old")), s.put(t, "commits/2-a/x", []byte("needed now"))
	c := open(t, dir, Options{})
	fetch(t, c, s, old).Release()
	left := 5
	c.writer = func(f *os.File) io.Writer { return fullDisk{f, &left} }
	if _, err := c.Fetch(t.Context(), s, []Blob{b}); !errors.Is(err, ErrCacheFull) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), b.Key) {
		t.Errorf("fetch on a full disk: %v, want ErrCacheFull with the key", err)
	}
	if parts, files := count(t, dir, partSuffix), count(t, dir, dataSuffix); parts != 0 || files != 0 {
		t.Errorf("%d half-written and %d whole files stay, want everything evicted", parts, files)
	}
	before := s.opened()
	tries := 0
	c.writer = func(f *os.File) io.Writer { // the eviction made room
		if tries++; tries == 1 {
			return fullDisk{f, new(int)}
		}
		return f
	}
	if got := read(t, fetch(t, c, s, b).Paths()[0]); got != "needed now" {
		t.Errorf("file has %q", got)
	}
	if got := s.opened() - before; got != 2 {
		t.Errorf("%d reads of the object, want one and one after evicting", got)
	}
}

func FuzzNote(f *testing.F) {
	f.Add(metadata{size: 5, inspected: []byte("min 1 max 2")}.encode())
	f.Add(metadata{}.encode())
	f.Add([]byte(metadataHeader))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := decodeMetadata(b); err == nil && !bytes.Equal(n.encode(), b) {
			t.Errorf("%q is read as a note and written as %q", b, n.encode())
		}
	})
}

// TestDirectoryIsDeleted removes the whole directory of an open cache, which a user may do at
// any time.
func TestDirectoryIsDeleted(t *testing.T) {
	dir, s := filepath.Join(t.TempDir(), "cache", "files"), newStore()
	c := open(t, dir, Options{})
	blob := s.put(t, "commits/1-a/x", []byte("first"))
	fetch(t, c, s, blob).Release()
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	l := fetch(t, c, s, blob)
	if got := read(t, l.Paths()[0]); got != "first" || s.opened() != 2 {
		t.Errorf("after the directory was deleted: %q after %d reads, want it fetched a second time", got, s.opened())
	}
}
