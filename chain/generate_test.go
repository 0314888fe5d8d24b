package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
)

// store is a bucket with a growing history in it, whose requests are counted.
type store struct {
	*metered.Bucket
	mem  *mem.Bucket
	t    testing.TB
	head *format.Head
}

func newStore(t testing.TB) *store {
	m := mem.New("test")
	return &store{Bucket: metered.New(m, metered.Options{}), mem: m, t: t, head: &format.Head{}}
}

// day is when commit id was made, in minutes.
func day(id ontosql.CommitID) time.Time {
	return time.Date(2026, 2, 1, 0, int(id), 0, 0, time.UTC)
}

// manifest is that of commit id after the manifest at parent, with a file of
// Customer and, every third time, one of Subscription.
func manifest(id ontosql.CommitID, attempt, parent string) *format.Manifest {
	version := int64(1)
	m := &format.Manifest{
		CommitID:  id,
		CreatedAt: format.TimeOf(day(id)),
		RuntimeID: "writer",
		Metadata:  map[string]json.RawMessage{"message": json.RawMessage(fmt.Sprintf("%q", fmt.Sprint("commit ", id)))},
		Files: []format.File{{
			Kind: "entity", TypeName: "Customer", RowCount: int64(id), SchemaVersionID: &version,
			Path: format.CommitPrefix(id, attempt) + "entities/Customer.parquet", ContentSHA256: checksum([]byte(attempt)),
		}},
	}
	if id%3 == 0 {
		m.Files = append(m.Files, format.File{Kind: "relation", TypeName: "Subscription", Path: format.CommitPrefix(id, attempt) + "relations/Subscription.parquet"})
	}
	if id > 1 {
		up := id - 1
		m.ParentCommitID, m.ParentManifestPath = &up, &parent
	}
	return m
}

func checksum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// write stores a manifest and tells its path.
func (s *store) write(m *format.Manifest, attempt string) string {
	s.t.Helper()
	body, err := format.EncodeManifest(m)
	if err != nil {
		s.t.Fatalf("encode manifest: %v", err)
	}
	return s.put(format.ManifestKey(m.CommitID, attempt), body)
}

func (s *store) put(key string, body []byte) string {
	s.t.Helper()
	if _, err := s.mem.Put(s.t.Context(), key, body); err != nil {
		s.t.Fatalf("put: %v", err)
	}
	return key
}

// commit adds one commit to the head, as change leaves it.
func (s *store) commit(attempt string, change func(*format.Manifest)) {
	s.t.Helper()
	parent := ""
	if s.head.ManifestPath != nil {
		parent = *s.head.ManifestPath
	}
	m := manifest(s.head.CommitID+1, attempt, parent)
	if change != nil {
		change(m)
	}
	path := s.write(m, attempt)
	s.head = &format.Head{CommitID: m.CommitID, ManifestPath: &path, RuntimeID: "writer", UpdatedAt: m.CreatedAt}
}

// grow adds n commits. Next to every fifth is an attempt that lost, next to every seventh a
// folder without a manifest.
func (s *store) grow(n int, attempt string) *store {
	s.t.Helper()
	for range n {
		id := s.head.CommitID + 1
		if id%5 == 0 {
			s.write(manifest(id, "lost", *s.head.ManifestPath), "lost")
		}
		if id%7 == 0 {
			s.put(format.CommitPrefix(id, "died")+"entities/Customer.parquet", []byte("rows"))
		}
		s.commit(attempt, nil)
	}
	return s
}

// back puts the head to an earlier commit of its chain.
func (s *store) back(id ontosql.CommitID, attempt string) {
	path := format.ManifestKey(id, attempt)
	s.head = &format.Head{CommitID: id, ManifestPath: &path}
	if id == 0 {
		s.head.ManifestPath = nil
	}
}

// asked runs f and counts the requests it makes, by operation.
func (s *store) asked(f func()) (gets, lists int64) {
	before := s.Status()
	f()
	after := s.Status()
	return after[objstore.OpGet].Requests - before[objstore.OpGet].Requests, after[objstore.OpList].Requests - before[objstore.OpList].Requests
}

func openLog(t testing.TB, dir string, b objstore.Bucket) *Log {
	t.Helper()
	l, err := Open(dir, Options{Bucket: b})
	if err != nil {
		t.Fatalf("open log: %v", err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close log: %v", err)
		}
	})
	return l
}

func view(t testing.TB, l *Log, head *format.Head) *View {
	t.Helper()
	v, err := l.At(t.Context(), head)
	if err != nil {
		t.Fatalf("view at commit %d: %v", head.CommitID, err)
	}
	return v
}

// checkView compares a view with the history that grow makes, whose commits
// after from have the other attempt.
func checkView(t testing.TB, v *View, head *format.Head, attempt func(ontosql.CommitID) string) {
	t.Helper()
	if v.Head() != head.Pin() || v.Len() != int(head.CommitID) {
		t.Errorf("view has head %v and %d commits, want %v", v.Head(), v.Len(), head.Pin())
	}
	for id := ontosql.CommitID(1); id <= head.CommitID; id++ {
		e := v.Commit(id)
		if want := format.ManifestKey(id, attempt(id)); e == nil || e.ID != id || e.Path != want || !e.Manifest.CreatedAt.Equal(day(id)) {
			t.Fatalf("commit %d of a view at %d: %+v, want %s", id, head.CommitID, e, want)
		}
	}
	if v.Commit(0) != nil || v.Commit(head.CommitID+1) != nil {
		t.Errorf("a view at %d has commits outside of 1 to %d", head.CommitID, head.CommitID)
	}
	customer := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	if got := v.Files(customer, 0, head.CommitID+5); len(got) != int(head.CommitID) {
		t.Errorf("a view at %d has %d files of Customer", head.CommitID, len(got))
	}
}

func always(attempt string) func(ontosql.CommitID) string {
	return func(ontosql.CommitID) string { return attempt }
}

// corrupt is err's CorruptError, or one that fits nothing.
func corrupt(err error) *ontosql.CorruptError {
	found := &ontosql.CorruptError{Key: "none"}
	errors.As(err, &found)
	return found
}
