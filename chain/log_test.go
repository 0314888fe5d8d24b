package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
)

func TestHistories(t *testing.T) {
	for _, n := range []int{0, 1, 2, 10, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newStore(t).grow(n, "a")
			l := openLog(t, "", s)
			checkView(t, view(t, l, s.head), s.head, always("a"))
			s.grow(3, "a")
			checkView(t, view(t, l, s.head), s.head, always("a"))
		})
	}
}

// TestRequests: round trips are what users wait for.
func TestRequests(t *testing.T) {
	dir, s := t.TempDir(), newStore(t).grow(5000, "a")
	type requests struct{ Gets, Lists int64 }
	check := func(what string, l *Log, want requests) {
		t.Helper()
		gets, lists := s.asked(func() { view(t, l, s.head) })
		if got := (requests{gets, lists}); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	l := openLog(t, dir, s)
	// 5,000 commits, 1,000 attempts that lost, 714 stray files: 7 pages.
	check("cold start at 5000 commits", l, requests{Gets: 6000, Lists: 7})
	check("same head", l, requests{})
	s.grow(1, "a")
	check("one new commit", l, requests{Gets: 1})
	s.grow(10, "a")
	check("ten new commits", l, requests{Gets: 10})
	s.grow(100, "a")
	check("a hundred new commits", l, requests{Gets: 120, Lists: 7})
	check("next start", openLog(t, dir, s), requests{})
	s.back(4000, "a")
	check("an earlier head", l, requests{})
}

func TestReplacedHistory(t *testing.T) {
	for _, fork := range []ontosql.CommitID{0, 1, 7, 39, 40} {
		t.Run(fmt.Sprint(fork), func(t *testing.T) {
			dir, s := t.TempDir(), newStore(t).grow(40, "a")
			l := openLog(t, dir, s)
			old, oldHead := view(t, l, s.head), s.head
			s.back(fork, "a")
			atFork := view(t, l, s.head)
			s.grow(30, "b")
			attempt := func(id ontosql.CommitID) string {
				if id <= fork {
					return "a"
				}
				return "b"
			}
			checkView(t, view(t, l, s.head), s.head, attempt)
			checkView(t, view(t, openLog(t, dir, s), s.head), s.head, attempt)
			checkView(t, old, oldHead, always("a"))
			checkView(t, atFork, &format.Head{CommitID: fork, ManifestPath: atFork.path()}, always("a"))
			checkView(t, view(t, l, oldHead), oldHead, always("a")) // and back again
		})
	}
}

func (v *View) path() *string {
	if v.head.ManifestPath == "" {
		return nil
	}
	return &v.head.ManifestPath
}

func TestBadChains(t *testing.T) {
	manifestOf := func(id ontosql.CommitID) string { return format.ManifestKey(id, "a") }
	for name, test := range map[string]struct {
		harm  func(s *store)
		key   string
		field string
		want  error // inside
	}{
		"missing manifest": {
			harm: func(s *store) { s.mem.Delete(s.t.Context(), manifestOf(5)) },
			key:  manifestOf(5), want: objstore.ErrNotFound,
		},
		"missing head manifest": {
			harm: func(s *store) { s.mem.Delete(s.t.Context(), manifestOf(20)) },
			key:  manifestOf(20), want: objstore.ErrNotFound,
		},
		"truncated manifest": {
			harm: func(s *store) { s.put(manifestOf(5), []byte(`{"commit_id": 5,`)) },
			key:  manifestOf(5),
		},
		"another commit's manifest": {
			harm: func(s *store) {
				body, _, _ := s.mem.Get(s.t.Context(), manifestOf(4))
				s.put(manifestOf(5), body)
			},
			key: manifestOf(5), field: "commit_id",
		},
		"cycle": {
			harm: func(s *store) { s.write(manifest(5, "a", manifestOf(9)), "a") },
			key:  manifestOf(5), field: "parent_manifest_path",
		},
		"parent of another id": {
			harm: func(s *store) {
				m, up := manifest(5, "a", manifestOf(4)), ontosql.CommitID(3)
				m.ParentCommitID = &up
				s.write(m, "a")
			},
			key: manifestOf(5), field: "parent_commit_id",
		},
		"parent outside commits": {
			harm: func(s *store) { s.write(manifest(5, "a", "meta/head.json"), "a") },
			key:  manifestOf(5), field: "parent_manifest_path",
		},
		"negative row count": {
			harm: func(s *store) {
				m := manifest(5, "a", manifestOf(4))
				m.Files[0].RowCount = -1
				s.write(m, "a")
			},
			key: manifestOf(5), field: "files[0].row_count",
		},
		"unknown kind": {
			harm: func(s *store) {
				m := manifest(5, "a", manifestOf(4))
				m.Files[0].Kind = "table"
				s.write(m, "a")
			},
			key: manifestOf(5), field: "files[0].kind",
		},
		"head of another id": {
			harm: func(s *store) { s.head.CommitID = 19 },
			key:  format.HeadKey, field: "manifest_path",
		},
		"head checksum": {
			harm: func(s *store) { s.head.CommitSHA256 = strings.Repeat("0", 64) },
			key:  manifestOf(20),
		},
		"unreadable drop": {
			harm: func(s *store) {
				m := manifest(5, "a", manifestOf(4))
				m.Files = nil
				m.Metadata["operation"], m.Metadata["affected_types"] = []byte(`"schema_drop"`), []byte(`"Customer"`)
				s.write(m, "a")
			},
			key: manifestOf(5), field: "metadata.affected_types",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t).grow(20, "a")
			good := s.head
			bodies := map[string][]byte{}
			for _, id := range []ontosql.CommitID{5, 20} {
				bodies[manifestOf(id)], _, _ = s.mem.Get(t.Context(), manifestOf(id))
			}
			harmed := *s.head
			s.head = &harmed
			test.harm(s)
			l := openLog(t, "", s)
			for range 2 {
				_, err := l.At(t.Context(), s.head)
				if got := corrupt(err); got.Key != test.key || got.Field != test.field {
					t.Errorf("got %v, want a CorruptError of %s %s", err, test.key, test.field)
				}
				if test.want != nil && !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v inside", err, test.want)
				}
			}
			for key, body := range bodies {
				s.put(key, body)
			}
			checkView(t, view(t, l, good), good, always("a")) // the repaired store is accepted at once
		})
	}
}

func TestHeadChecksum(t *testing.T) {
	s := newStore(t).grow(3, "a")
	l := openLog(t, t.TempDir(), s)
	view(t, l, s.head)
	body, _, err := s.mem.Get(t.Context(), *s.head.ManifestPath)
	if err != nil {
		t.Fatal(err)
	}
	s.head.CommitSHA256 = checksum(body)
	if gets, _ := s.asked(func() { view(t, l, s.head) }); gets != 0 {
		t.Errorf("a head with the checksum of the known manifest: %d reads, want 0", gets)
	}
	// A bucket restored with another manifest under the same key.
	body = bytes.Replace(body, []byte("commit 3"), []byte("other 3 "), 1)
	s.put(*s.head.ManifestPath, body)
	s.head.CommitSHA256 = checksum(body)
	if got := string(view(t, l, s.head).Commit(3).Manifest.Metadata["message"]); got != `"other 3 "` {
		t.Errorf("message of commit 3 is %s, want that of the manifest the head vouches for", got)
	}
}

// TestFaults breaks every request in turn: a log either fails with the
// bucket's error or sees the whole chain, and gets further each time.
func TestFaults(t *testing.T) {
	for _, n := range []int{4, 40} {
		for _, applied := range []bool{false, true} {
			s := newStore(t).grow(n, "a")
			for at := 0; ; at++ {
				b := &faulty.Bucket{Bucket: s, At: at, Applied: applied}
				l := openLog(t, "", b)
				v, err := l.At(t.Context(), s.head)
				if err == nil {
					checkView(t, v, s.head, always("a"))
					if at >= b.Requests() {
						break
					}
					continue
				}
				if !errors.Is(err, objstore.ErrUnreachable) {
					t.Errorf("%d commits, request %d broken: %v, want ErrUnreachable", n, at, err)
				}
				checkView(t, view(t, l, s.head), s.head, always("a"))
			}
		}
	}
}

// TestCancelKeepsProgress reads a chain with a context that ends after 50 requests each time.
// In the end the whole chain is known.
func TestCancelKeepsProgress(t *testing.T) {
	s := newStore(t).grow(200, "a")
	var cancel context.CancelFunc
	b := &faulty.Bucket{Bucket: s, At: -1, Delay: func(_ context.Context, number int, _, _ string) {
		if number%50 == 49 {
			cancel()
		}
	}}
	l := openLog(t, "", b)
	for try := 1; ; try++ {
		ctx, stop := context.WithCancel(t.Context())
		cancel = stop
		v, err := l.At(ctx, s.head)
		stop()
		if err == nil {
			checkView(t, v, s.head, always("a"))
			break
		}
		if !errors.Is(err, context.Canceled) || try > 20 {
			t.Fatalf("try %d: %v", try, err)
		}
	}
}

func TestManyReaders(t *testing.T) {
	dir, s := t.TempDir(), newStore(t)
	heads := []*format.Head{s.head}
	for range 60 {
		s.grow(1, "a")
		heads = append(heads, s.head)
	}
	logs := []*Log{openLog(t, dir, s), openLog(t, dir, s), openLog(t, dir, s)}
	var group sync.WaitGroup
	for worker := range 9 {
		group.Go(func() {
			for i := range heads {
				head := heads[(i*(worker+1)+worker)%len(heads)]
				v, err := logs[worker%len(logs)].At(t.Context(), head)
				if err != nil {
					t.Errorf("at %d: %v", head.CommitID, err)
					return
				}
				checkView(t, v, head, always("a"))
			}
		})
	}
	group.Wait()
}
