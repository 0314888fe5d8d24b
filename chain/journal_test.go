package chain

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
)

func TestSharedJournal(t *testing.T) {
	dir, s := t.TempDir(), newStore(t).grow(30, "a")
	one, two := openLog(t, dir, s), openLog(t, dir, s)
	view(t, one, s.head)
	gets := func(l *Log) int64 {
		n, _ := s.asked(func() { checkView(t, view(t, l, s.head), s.head, always("a")) })
		return n
	}
	if n := gets(two); n != 0 {
		t.Errorf("the second process reads %d manifests that the first one has", n)
	}
	s.grow(2, "a")
	if n := gets(two); n != 2 {
		t.Errorf("two new commits: %d reads", n)
	}
	if n := gets(one); n != 0 {
		t.Errorf("the first process reads %d manifests that the second one has", n)
	}
	if n := gets(openLog(t, dir, s)); n != 0 {
		t.Errorf("the third process reads %d manifests", n)
	}
}

// TestDamagedJournal damages the journal in many ways. The answers are those of the store, and
// the journal is intact afterwards.
func TestDamagedJournal(t *testing.T) {
	for name, harm := range map[string]func(text []byte) []byte{
		"torn tail":      func(text []byte) []byte { return text[:len(text)-5] },
		"torn header":    func(text []byte) []byte { return text[:4] },
		"emptied":        func([]byte) []byte { return nil },
		"older version":  func(text []byte) []byte { return bytes.Replace(text, []byte("log 1"), []byte("log 0"), 1) },
		"flipped bit":    func(text []byte) []byte { text[len(text)/2] ^= 1; return text },
		"zeros":          func(text []byte) []byte { return append(text, make([]byte, 100)...) },
		"repeated":       func(text []byte) []byte { return append(text, text[len(journalHeader):]...) },
		"something else": func([]byte) []byte { return []byte("hello") },
	} {
		t.Run(name, func(t *testing.T) {
			dir, s := t.TempDir(), newStore(t).grow(30, "a")
			living := openLog(t, dir, s)
			view(t, living, s.head)
			path := filepath.Join(dir, "manifests.log")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, harm(bytes.Clone(text)), 0o644); err != nil {
				t.Fatal(err)
			}
			next := openLog(t, dir, s)
			s.grow(1, "a")
			checkView(t, view(t, next, s.head), s.head, always("a"))
			gets, _ := s.asked(func() { checkView(t, view(t, openLog(t, dir, s), s.head), s.head, always("a")) })
			if gets != 0 {
				t.Errorf("after the damage was seen once, a new start reads %d manifests", gets)
			}
			s.grow(1, "a")
			checkView(t, view(t, living, s.head), s.head, always("a"))
		})
	}
}

func TestJournalKeepsEverything(t *testing.T) {
	dir, s := t.TempDir(), newStore(t).grow(30, "a")
	want := view(t, openLog(t, dir, s), s.head)
	got := view(t, openLog(t, dir, s), s.head)
	for id := ontosql.CommitID(1); id <= s.head.CommitID; id++ {
		if diff := cmp.Diff(want.Commit(id).Manifest, got.Commit(id).Manifest); diff != "" {
			t.Errorf("manifest of commit %d as read (-) and as kept (+):\n%s", id, diff)
		}
	}
}

func TestUnwritableJournal(t *testing.T) {
	dir, s := t.TempDir(), newStore(t).grow(3, "a")
	l := openLog(t, dir, s)
	// A folder in the place of the file is a failure that root meets too.
	if err := os.Mkdir(filepath.Join(dir, "manifests.log.lock"), 0o755); err != nil {
		t.Fatal(err)
	}
	checkView(t, view(t, l, s.head), s.head, always("a"))
}

func BenchmarkOpen(b *testing.B) {
	dir, s := b.TempDir(), newStore(b).grow(10_000, "a")
	view(b, openLog(b, dir, s), s.head)
	b.ReportAllocs()
	for b.Loop() {
		l, err := Open(dir, Options{Bucket: s})
		if err != nil {
			b.Fatal(err)
		}
		if v := view(b, l, s.head); v.Len() != 10_000 {
			b.Fatalf("%d commits", v.Len())
		}
		l.Close()
	}
}

func FuzzRecord(f *testing.F) {
	s := newStore(f).grow(3, "a")
	l := openLog(f, "", s)
	var text []byte
	v := view(f, l, s.head)
	for id := ontosql.CommitID(1); id <= 3; id++ {
		f.Add(appendRecord(nil, v.Commit(id))[recordHeaderSize:])
		text = appendRecord(text, v.Commit(id))
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, payload []byte) {
		r := reader{rest: string(payload)}
		e := r.entry()
		if r.bad || r.rest != "" || e.ID != 1 {
			return
		}
		// What is read is written and read again as the same.
		again, size, err := cutRecord(string(appendRecord(nil, e)), nil)
		if err != nil || size < recordHeaderSize {
			t.Fatalf("record of %+v: %v", e, err)
		}
		if diff := cmp.Diff(e.Manifest, again.Manifest); diff != "" {
			t.Errorf("read and read again:\n%s", diff)
		}
		_, _, _ = cutRecord(string(payload), nil)
	})
}
