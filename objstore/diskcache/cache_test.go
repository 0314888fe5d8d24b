package diskcache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
)

// store is a bucket whose requests are counted.
type store struct {
	*metered.Bucket
	mem *mem.Bucket
}

func newStore() *store {
	m := mem.New("test")
	return &store{Bucket: metered.New(m, metered.Options{}), mem: m}
}

func (s *store) opened() int64 { return s.Status()[objstore.OpOpen].Requests }

// put stores an object and is the blob that names it by checksum.
func (s *store) put(t *testing.T, key string, body []byte) Blob {
	t.Helper()
	if _, err := s.mem.Put(t.Context(), key, body); err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
	sum := sha256.Sum256(body)
	return Blob{Key: key, SHA256: hex.EncodeToString(sum[:])}
}

func open(t *testing.T, dir string, o Options) *Cache {
	t.Helper()
	c, err := Open(dir, o)
	if err != nil {
		t.Fatalf("open cache: %v", err)
	}
	return c
}

func fetch(t *testing.T, c *Cache, b objstore.Bucket, blobs ...Blob) *Lease {
	t.Helper()
	l, err := c.Fetch(t.Context(), b, blobs)
	if err != nil {
		t.Fatalf("fetch %v: %v", blobs, err)
	}
	t.Cleanup(l.Release)
	return l
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read the leased file: %v", err)
	}
	return string(b)
}

// count is how many files of the directory end in suffix.
func count(t *testing.T, dir, suffix string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func TestFetchOnceAndKeep(t *testing.T) {
	dir, s := t.TempDir(), newStore()
	var looks atomic.Int64
	o := Options{Inspect: func(_ context.Context, path string) ([]byte, error) {
		looks.Add(1)
		b, err := os.ReadFile(path)
		return append([]byte("note of "), b...), err
	}}
	a, b := s.put(t, "commits/1-a/x", []byte("first")), s.put(t, "commits/2-b/x", []byte("second"))
	c := open(t, dir, o)
	if _, known := c.Metadata(a); known {
		t.Error("there is a note before the first fetch")
	}
	l := fetch(t, c, s, a, b, a)
	got := []string{read(t, l.Paths()[0]), read(t, l.Paths()[1]), read(t, l.Paths()[2])}
	if diff := cmp.Diff([]string{"first", "second", "first"}, got); diff != "" {
		t.Errorf("files in the order of the blobs (-want +got):\n%s", diff)
	}
	if !strings.HasSuffix(l.Paths()[0], ".parquet") {
		t.Errorf("path %s does not end in .parquet", l.Paths()[0])
	}
	l.Release()
	l.Release()
	fetch(t, c, s, a, b)
	again := fetch(t, open(t, dir, o), s, a, b) // as the next start does
	if s.opened() != 2 || looks.Load() != 2 {
		t.Errorf("two blobs fetched three times by two processes: %d reads and %d inspections, want 2 and 2", s.opened(), looks.Load())
	}
	if diff := cmp.Diff([][]byte{[]byte("note of first"), []byte("note of second")}, again.Metadata()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestBadObjects(t *testing.T) {
	s := newStore()
	good := s.put(t, "commits/1-a/x", []byte("as written"))
	damaged := s.put(t, "commits/2-a/x", []byte("as written"))
	s.put(t, "commits/2-a/x", []byte("not as written"))
	short := s.put(t, "commits/4-a/x", []byte("as written"))
	short.Size = 99
	for name, test := range map[string]struct {
		blob    Blob
		inspect error
		want    error // inside
	}{
		"missing":       {blob: Blob{Key: "commits/3-a/x", SHA256: good.SHA256}, want: objstore.ErrNotFound},
		"checksum":      {blob: damaged},
		"size":          {blob: short},
		"does not look": {blob: good, inspect: io.ErrUnexpectedEOF, want: io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := open(t, dir, Options{Inspect: func(context.Context, string) ([]byte, error) { return nil, test.inspect }})
			_, err := c.Fetch(t.Context(), s, []Blob{good, test.blob})
			var corrupt *ontosql.CorruptError
			if !errors.As(err, &corrupt) || corrupt.Key != test.blob.Key {
				t.Errorf("fetch: %v, want a CorruptError of %s", err, test.blob.Key)
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("fetch: %v, want %v inside", err, test.want)
			}
			if n := count(t, dir, partSuffix); n != 0 {
				t.Errorf("%d half-written files stay", n)
			}
			if _, known := c.Metadata(test.blob); known {
				t.Error("the bad object has a note")
			}
		})
	}
}

func TestVersions(t *testing.T) {
	s, key := newStore(), "snapshots/entities/Customer-1-2.parquet"
	v1, err := s.mem.Put(t.Context(), key, []byte("compacted"))
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, t.TempDir(), Options{})
	first := fetch(t, c, s, Blob{Key: key, Version: v1})
	v2, err := s.mem.Put(t.Context(), key, []byte("compacted again"))
	if err != nil {
		t.Fatal(err)
	}
	second := fetch(t, c, s, Blob{Key: key, Version: v2})
	if got := read(t, first.Paths()[0]) + ", " + read(t, second.Paths()[0]); got != "compacted, compacted again" {
		t.Errorf("two versions of one key: %s", got)
	}
	c = open(t, t.TempDir(), Options{})
	if _, err := c.Fetch(t.Context(), s, []Blob{{Key: key, Version: v1}}); !errors.Is(err, ErrChanged) {
		t.Errorf("fetch of a version that is gone: %v, want ErrChanged", err)
	}
}

// TestInspectIsStopped: a local error during Inspect does not condemn the object, which the
// next lease fetches again.
func TestInspectIsStopped(t *testing.T) {
	for _, cause := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.EIO} {
		dir, s := t.TempDir(), newStore()
		b := s.put(t, "commits/1-a/x", []byte("whole"))
		stopped := true
		c := open(t, dir, Options{Inspect: func(_ context.Context, path string) ([]byte, error) {
			if stopped {
				return nil, fmt.Errorf("damaged file: %w", &os.PathError{Op: "open", Path: path, Err: cause})
			}
			return nil, nil
		}})
		_, err := c.Fetch(t.Context(), s, []Blob{b})
		if corrupt := (*ontosql.CorruptError)(nil); !errors.Is(err, cause) || errors.As(err, &corrupt) || !strings.Contains(err.Error(), b.Key) {
			t.Errorf("fetch: %v, want %v with the key and no CorruptError", err, cause)
		}
		if n := count(t, dir, ""); n != 0 {
			t.Errorf("%v: %d files stay", cause, n)
		}
		stopped = false
		if got := read(t, fetch(t, c, s, b).Paths()[0]); got != "whole" {
			t.Errorf("after %v: file has %q", cause, got)
		}
	}
}

// TestNoteCannotBeOpened: a file whose note cannot be opened now is no damaged
// one, and stays.
func TestNoteCannotBeOpened(t *testing.T) {
	dir, s := t.TempDir(), newStore()
	b := s.put(t, "commits/1-a/x", []byte("whole"))
	fetch(t, open(t, dir, Options{}), s, b).Release()
	c := open(t, dir, Options{}) // as the next start does
	file, err := openLocked(c.path(b.name(), dataSuffix))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	_, err = c.check(t.Context(), b, file)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EMFILE) || errors.Is(err, errDamaged) {
		t.Errorf("check without a free descriptor: %v, want %v and no damage", err, syscall.EMFILE)
	}
}

// TestDamage: after any damage to a file on the disk, the next lease has the object's bytes.
func TestDamage(t *testing.T) {
	write := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }
	for name, harm := range map[string]func(path string) error{
		"truncated":   func(path string) error { return os.Truncate(path, 3) },
		"emptied":     func(path string) error { return os.Truncate(path, 0) },
		"removed":     os.Remove,
		"overwritten": func(path string) error { return write(path, "THE BYTES") },
		"replaced": func(path string) error {
			return errors.Join(os.Remove(path), write(path, "THE BYTES"))
		},
		"note removed":   func(path string) error { return os.Remove(strings.TrimSuffix(path, dataSuffix) + metadataSuffix) },
		"note truncated": func(path string) error { return os.Truncate(strings.TrimSuffix(path, dataSuffix)+metadataSuffix, 20) },
	} {
		for _, next := range []string{"same process", "next process"} {
			t.Run(name+"/"+next, func(t *testing.T) {
				dir, s := t.TempDir(), newStore()
				b := s.put(t, "commits/1-a/x", []byte("the bytes"))
				c := open(t, dir, Options{})
				l := fetch(t, c, s, b)
				path := l.Paths()[0]
				l.Release()
				if err := harm(path); err != nil {
					t.Fatal(err)
				}
				if next == "next process" {
					c = open(t, dir, Options{})
				}
				if got := read(t, fetch(t, c, s, b).Paths()[0]); got != "the bytes" {
					t.Errorf("after the file was %s, the next lease has %q", name, got)
				}
			})
		}
	}
}

func TestEviction(t *testing.T) {
	dir, s := t.TempDir(), newStore()
	inspect := func(_ context.Context, path string) ([]byte, error) { return []byte("seen"), nil }
	c, other := open(t, dir, Options{Budget: 300, Inspect: inspect}), open(t, dir, Options{Budget: 300})
	var blobs []Blob
	for i := range 5 {
		blobs = append(blobs, s.put(t, fmt.Sprintf("commits/%d-a/x", i+1), bytes.Repeat([]byte{byte(i)}, 100)))
	}
	used := func(i int, minutes int) { // the clock of uses is the disk's
		at := time.Now().Add(time.Duration(minutes-60) * time.Minute)
		if err := os.Chtimes(c.path(blobs[i].name(), metadataSuffix), at, at); err != nil {
			t.Fatal(err)
		}
	}
	oldest := fetch(t, other, s, blobs[0]) // leased by another process
	for i := 1; i < 3; i++ {
		fetch(t, c, s, blobs[i]).Release()
	}
	used(0, 1)
	used(1, 3)
	used(2, 2)
	fetch(t, c, s, blobs[3]).Release()
	here := func() (names []int) {
		for i, b := range blobs {
			if _, err := os.Stat(c.path(b.name(), dataSuffix)); err == nil {
				names = append(names, i)
			}
		}
		return names
	}
	// 400 bytes, to come below 270: 2 goes, then 1; 0 is older but leased.
	if diff := cmp.Diff([]int{0, 3}, here()); diff != "" {
		t.Errorf("files that stay (-want +got):\n%s", diff)
	}
	if read(t, oldest.Paths()[0]) == "" {
		t.Error("the leased file is empty")
	}
	if text, known := c.Metadata(blobs[2]); !known || string(text) != "seen" {
		t.Errorf("note of an evicted file: %q, %v", text, known)
	}
	oldest.Release()
	all := fetch(t, c, s, blobs...) // 500 bytes: leases exceed the budget
	if got := len(here()); got != 5 {
		t.Errorf("%d of 5 leased files are here", got)
	}
	all.Release()
	fetch(t, c, s, blobs[4]).Release()
	if got := len(here()); got > 3 {
		t.Errorf("%d files of 100 bytes stay after the leases ended, the budget is 300", got)
	}
}

func TestSingleFlight(t *testing.T) {
	s := newStore()
	b := s.put(t, "commits/1-a/x", bytes.Repeat([]byte("x"), 1<<20))
	c := open(t, t.TempDir(), Options{})
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			l, err := c.Fetch(t.Context(), s, []Blob{b, b})
			if err != nil {
				t.Errorf("fetch: %v", err)
				return
			}
			defer l.Release()
			if info, err := os.Stat(l.Paths()[1]); err != nil || info.Size() != 1<<20 {
				t.Errorf("leased file: %v, %v", info, err)
			}
		})
	}
	group.Wait()
	if s.opened() != 1 {
		t.Errorf("32 goroutines read the object %d times", s.opened())
	}
}

// TestSharedDirectory: several processes' caches, each too small, fetch, lease
// and evict over each other; every leased path has its object's bytes.
func TestSharedDirectory(t *testing.T) {
	dir, s := t.TempDir(), newStore()
	var blobs []Blob
	var bodies []string
	for i := range 12 {
		body := strings.Repeat(string(rune('a'+i)), 1000+i)
		bodies = append(bodies, body)
		blobs = append(blobs, s.put(t, fmt.Sprintf("commits/%d-a/x", i+1), []byte(body)))
	}
	var group sync.WaitGroup
	for worker := range 6 {
		c := open(t, dir, Options{Budget: 3000, Parallel: 2})
		group.Go(func() {
			for round := range 25 {
				i, j := (worker*5+round)%len(blobs), (worker+round*7)%len(blobs)
				l, err := c.Fetch(t.Context(), s, []Blob{blobs[i], blobs[j]})
				if err != nil {
					t.Errorf("worker %d round %d: %v", worker, round, err)
					return
				}
				for k, want := range []string{bodies[i], bodies[j]} {
					if got, err := os.ReadFile(l.Paths()[k]); err != nil || string(got) != want {
						t.Errorf("worker %d round %d: leased file has %d bytes, want %d (%v)", worker, round, len(got), len(want), err)
					}
				}
				l.Release()
			}
		})
	}
	group.Wait()
	if n := count(t, dir, partSuffix); n != 0 {
		t.Errorf("%d half-written files stay", n)
	}
}
