package spool_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/spool"
)

// TestSpool writes bodies below, at and above the memory of a spool in pieces, and reads them.
func TestSpool(t *testing.T) {
	dir := t.TempDir() + "/made/when/needed"
	for _, size := range []int{0, 1, 99, 100, 101, 1000} {
		s := spool.Place{Dir: dir, InMemory: 100}.New()
		want := bytes.Repeat([]byte("x1y2z"), size/5+1)[:size]
		for piece := range slices.Chunk(want, 33) {
			if _, err := s.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
		_, err = os.Stat(dir)
		if made := err == nil; made != (size > 100) {
			t.Errorf("%d bytes: the directory is there: %v", size, made)
		}
		s.Close()
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFetch(t *testing.T) {
	ctx, b := t.Context(), mem.New("test")
	body := []byte("a body of some bytes")
	if _, err := b.Put(ctx, "k", body); err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(body)
	want := hex.EncodeToString(hash[:])
	place := spool.Place{Dir: t.TempDir(), InMemory: 4}
	for _, sha := range []string{"", want} {
		s, sum, err := place.Fetch(ctx, b, "k", sha)
		if err != nil || sum != want || s.Size() != int64(len(body)) {
			t.Fatalf("fetch: %v, sum %s", err, sum)
		}
		s.Close()
	}
	var damaged *ontosql.CorruptError
	if _, _, err := place.Fetch(ctx, b, "k", want[1:]+"0"); !errors.As(err, &damaged) || damaged.Key != "k" {
		t.Errorf("another checksum: %v", err)
	}
	if _, _, err := place.Fetch(ctx, b, "nothing", ""); !errors.As(err, &damaged) || !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("a missing object: %v", err)
	}
}

// TestPrefetch opens items in any order but uses them in theirs, a bounded number ahead, and stops
// at the first error.
func TestPrefetch(t *testing.T) {
	place := spool.Place{InMemory: 100}
	items := make([]int, 100)
	for i := range items {
		items[i] = i
	}
	var used []int
	var begun atomic.Int64
	open := func(_ context.Context, i int) (*spool.Spool, error) {
		begun.Add(1)
		s := place.New()
		_, err := fmt.Fprint(s, i)
		return s, err
	}
	err := spool.Prefetch(t.Context(), items, open, func(i int, s *spool.Spool) error {
		if n := begun.Load(); n > int64(i+spool.Ahead+1) {
			t.Errorf("%d are open at item %d", n, i)
		}
		text, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
		if string(text) != fmt.Sprint(i) {
			t.Errorf("item %d has the spool of %s", i, text)
		}
		used = append(used, i)
		return err
	})
	if err != nil || !slices.Equal(used, items) {
		t.Errorf("used %v: %v", used, err)
	}
	failure := errors.New("failure")
	used = nil
	err = spool.Prefetch(t.Context(), items, func(ctx context.Context, i int) (*spool.Spool, error) {
		if i == 7 {
			return nil, failure
		}
		return open(ctx, i)
	}, func(i int, _ *spool.Spool) error { used = append(used, i); return nil })
	if !errors.Is(err, failure) || len(used) != 7 {
		t.Errorf("used %d before the failure: %v", len(used), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = spool.Prefetch(ctx, items, open, func(i int, _ *spool.Spool) error {
		if i == 3 {
			cancel()
		}
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
