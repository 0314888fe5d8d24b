package chain

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// fresh opens a log in memory that reads the checkpoint.
func fresh(t testing.TB, s *store) *Log {
	t.Helper()
	l := openLog(t, "", s)
	l.checkpoint = true
	return l
}

// checkpoint writes the checkpoint of the store's head.
func (s *store) checkpoint() []byte {
	s.t.Helper()
	body := view(s.t, openLog(s.t, "", s), s.head).Checkpoint()
	s.put(format.CheckpointKey, body)
	return body
}

// TestCheckpoint: a log that knows nothing reads 5,000 manifests in one request, and what came later
// as any log does. A short history, and one that is known, need no checkpoint.
func TestCheckpoint(t *testing.T) {
	s := newStore(t).grow(5000, "a")
	s.checkpoint()
	check := func(what string, l *Log, gets, lists int64) {
		t.Helper()
		var v *View
		gotGets, gotLists := s.asked(func() { v = view(t, l, s.head) })
		if gotGets != gets || gotLists != lists {
			t.Errorf("%s: %d gets and %d lists, want %d and %d", what, gotGets, gotLists, gets, lists)
		}
		checkView(t, v, s.head, always("a"))
	}
	l := fresh(t, s)
	check("cold start", l, 1, 0)
	s.grow(10, "a")
	check("ten new commits, known", l, 10, 0)
	check("ten new commits, cold start", fresh(t, s), 11, 0)
	s.grow(100, "a")
	check("110 new commits, cold start", fresh(t, s), 1+110+22, 7)
	s.back(4000, "a")
	check("an earlier head", fresh(t, s), 1, 0)
	s.back(3, "a")
	check("a short history", fresh(t, s), 3, 0)
}

// TestCheckpointOfAnotherHistory: a store that was restored to commit 100 and went on, and one that
// was reset, are read as they are.
func TestCheckpointOfAnotherHistory(t *testing.T) {
	for _, fork := range []ontosql.CommitID{0, 100} {
		s := newStore(t).grow(500, "a")
		checkpoint := s.checkpoint()
		s.back(fork, "a")
		s.grow(300, "b")
		checkView(t, view(t, fresh(t, s), s.head), s.head, func(id ontosql.CommitID) string {
			if id <= fork {
				return "a"
			}
			return "b"
		})
		if id := view(t, openLog(t, "", s), s.head).Contradicts(checkpoint); id != 0 {
			t.Errorf("fork at %d: the checkpoint contradicts commit %d", fork, id)
		}
	}
}

// TestDamagedCheckpoint: what is left of a damaged checkpoint is used, and the rest is read.
func TestDamagedCheckpoint(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"empty":                func([]byte) []byte { return nil },
		"of another version":   func(b []byte) []byte { return append([]byte("ontosql manifest log 9\n"), b[len(journalHeader):]...) },
		"cut":                  func(b []byte) []byte { return b[:len(b)/2] },
		"with a flipped bit":   func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"with a huge length":   func(b []byte) []byte { copy(b[len(journalHeader):], "\xff\xff\xff\xff"); return b },
		"without its first":    func(b []byte) []byte { return append([]byte(journalHeader), b[len(journalHeader)+300:]...) },
		"something else":       func([]byte) []byte { return []byte(`{"a":1}`) },
		"with something after": func(b []byte) []byte { return append(b, "tail"...) },
	} {
		s := newStore(t).grow(400, "a")
		s.put(format.CheckpointKey, damage(bytes.Clone(s.checkpoint())))
		checkView(t, view(t, fresh(t, s), s.head), s.head, always("a"))
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// TestCheckpointThatDoesNotFit: entries of a checkpoint that do not belong to each other do not make a
// sound chain damaged, and a chain that is damaged is so with a checkpoint.
func TestCheckpointThatDoesNotFit(t *testing.T) {
	for name, change := range map[string]func(*Entry){
		"no path of a commit":  func(e *Entry) { e.Path = "commits/x" },
		"another commit's":     func(e *Entry) { e.Path = format.ManifestKey(e.ID+1, "a") },
		"another sha256, last": func(e *Entry) { e.sha256[0]++ },
	} {
		s := newStore(t).grow(400, "a")
		sum := view(t, openLog(t, "", s), s.head).Commit(400).sha256
		s.head.CommitSHA256 = hex.EncodeToString(sum[:])
		entries, _ := decodeCheckpoint(s.checkpoint())
		for _, id := range []ontosql.CommitID{200, 400} {
			wrong := []byte(journalHeader)
			for _, e := range entries {
				if e.ID == id {
					e := *e
					change(&e)
					wrong = appendRecord(wrong, &e)
				} else {
					wrong = appendRecord(wrong, e)
				}
			}
			s.put(format.CheckpointKey, wrong)
			checkView(t, view(t, fresh(t, s), s.head), s.head, always("a"))
		}
		if t.Failed() {
			t.Fatal(name)
		}
		_ = s.mem.Delete(t.Context(), format.ManifestKey(100, "a"))
		s.put(format.CheckpointKey, []byte(journalHeader))
		var damaged *ontosql.CorruptError
		if _, err := fresh(t, s).At(t.Context(), s.head); !errors.As(err, &damaged) {
			t.Errorf("without a manifest: %v", err)
		}
	}
}

// TestHolds: a checkpoint is of a view's history if it is whole and all its commits are.
func TestHolds(t *testing.T) {
	s := newStore(t).grow(300, "a")
	whole := s.checkpoint()
	s.grow(20, "a")
	v := view(t, openLog(t, "", s), s.head)
	for name, c := range map[string]struct {
		body []byte
		want bool
	}{
		"whole": {whole, true}, "cut": {whole[:len(whole)-1], false}, "empty": {nil, false}, "no commits": {[]byte(journalHeader), false}, "more": {append(bytes.Clone(whole), 'x'), false},
	} {
		if got := v.Holds(c.body); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	s.back(100, "a")
	if view(t, openLog(t, "", s), s.head).Holds(whole) {
		t.Error("a view that ends before the checkpoint holds it")
	}
	s.grow(300, "b")
	if view(t, openLog(t, "", s), s.head).Holds(whole) {
		t.Error("another history holds it")
	}
}

// TestContradiction: a checkpoint that has a manifest with another content is found.
func TestContradiction(t *testing.T) {
	s := newStore(t).grow(20, "a")
	right := view(t, openLog(t, "", s), s.head)
	if id := right.Contradicts(right.Checkpoint()); id != 0 {
		t.Errorf("its own checkpoint contradicts commit %d", id)
	}
	m := manifest(7, "a", format.ManifestKey(6, "a"))
	m.Files[0].RowCount++
	s.write(m, "a")
	wrong := view(t, openLog(t, "", s), s.head)
	if id := right.Contradicts(wrong.Checkpoint()); id != 7 {
		t.Errorf("the contradiction is found at commit %d, want 7", id)
	}
}
