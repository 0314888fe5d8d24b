package resolver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

var (
	typeA = ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"}
	typeB = ontosql.TypeRef{Kind: ontosql.Entity, Name: "B"}
)

// initialise writes an empty store that knows the types A and B.
func initialise(t testing.TB, b *bench) {
	t.Helper()
	b.lives++
	b.put(t, format.HeadKey, format.EncodeHead(&format.Head{}))
	b.put(t, format.RegistryKey, []byte(`{"entity":{"A":`+schemaOf("A", "id")+`,"B":`+schemaOf("B", "id")+`},"relation":{}}`))
}

// schemaOf is the schema of an entity type with text fields, the first its key.
func schemaOf(name string, fields ...string) string {
	s := &format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: name}}
	for i, f := range fields {
		field := format.NewField(f, format.FieldStr, false)
		field.PrimaryKey = i == 0
		s.Fields = append(s.Fields, field)
	}
	return string(format.EncodeSchema(s))
}

// commit appends a commit with one file of rows rows for each type.
func (b *bench) commit(t testing.TB, rows int64, metadata map[string]string, types ...ontosql.TypeRef) ontosql.CommitID {
	t.Helper()
	body, _, err := b.bucket.Get(t.Context(), format.HeadKey)
	if err != nil {
		t.Fatal(err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	id := head.CommitID + 1
	attempt := fmt.Sprintf("%08x", b.lives)
	m := &format.Manifest{CommitID: id, CreatedAt: format.TimeOf(time.Unix(int64(id)*60, 0)), Metadata: map[string]json.RawMessage{}}
	if b.at != nil {
		m.CreatedAt = format.TimeOf(b.at())
	}
	if head.CommitID > 0 {
		m.ParentCommitID, m.ParentManifestPath = &head.CommitID, head.ManifestPath
	}
	for k, v := range metadata {
		m.Metadata[k] = json.RawMessage(v)
	}
	for _, ref := range types {
		m.Files = append(m.Files, format.File{
			Kind: ref.Kind.String(), TypeName: ref.Name, Path: format.DataKey(format.EngineV1, id, attempt, ref, 1),
			RowCount: rows, ContentSHA256: strings.Repeat("0", 64),
		})
	}
	manifest, err := format.EncodeManifest(m)
	if err != nil {
		t.Fatal(err)
	}
	path := format.ManifestKey(id, attempt)
	b.put(t, path, manifest)
	b.put(t, format.HeadKey, format.EncodeHead(&format.Head{CommitID: id, ManifestPath: &path}))
	return id
}

// TestHistories resolves every window of generated histories, whose indexes
// are right, lag, name snapshots of any range and contradict the log. The
// files must be those of the log every time (I5), and a process that has seen
// the heads come says what one says that knows nothing.
func TestHistories(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			b := newBench(t)
			initialise(t, b)
			for step := 0; step < 12; step++ {
				switch rng.IntN(8) {
				case 0:
					b.commit(t, 0, map[string]string{"operation": `"schema_drop"`, "target_kind": `"entity"`, "target_type": `"A"`})
				case 1:
					b.commit(t, rng.Int64N(9), nil, typeA, typeB)
				default:
					b.commit(t, rng.Int64N(9), nil, typeA)
				}
				pin := b.pin(t)
				if rng.IntN(3) > 0 {
					b.put(t, format.IndexKey(typeA), randomIndex(t, rng, b, pin))
				}
				if rng.IntN(3) == 0 {
					b.open(t) // another process, which knows nothing
					pin = b.pin(t)
				}
				fresh := &bench{bucket: b.bucket, ops: &oplog{}}
				fresh.open(t)
				freshPin := fresh.pin(t)
				typ, _ := pin.Catalog.Type(typeA)
				for lower := ontosql.CommitID(0); lower <= pin.Head.Commit; lower++ {
					for upper := lower; upper <= pin.Head.Commit; upper++ {
						w := ontosql.Window{Mode: ontosql.History, Lower: lower, Upper: upper}
						got := checkWindow(t, b.store, pin, typ, w)
						if diff := cmp.Diff(checkWindow(t, fresh.store, freshPin, typ, w), got, sameSnapshot); diff != "" {
							t.Errorf("step %d, (%d, %d]: against what a new process says (-new +this):\n%s", step, lower, upper, diff)
						}
					}
				}
			}
		})
	}
}

// sameSnapshot: with one chain a snapshot has the same rows, independent of its writer and how
// often it was written.
var sameSnapshot = cmpopts.IgnoreFields(File{}, "Version")

// randomIndex writes entries of which some are true; snapshots that it names
// mostly exist.
func randomIndex(t *testing.T, rng *rand.Rand, b *bench, pin *Pin) []byte {
	t.Helper()
	head := int64(pin.Head.Commit)
	x := &format.Index{TypeName: "A", MaxIndexedCommit: ontosql.CommitID(rng.Int64N(head + 2))}
	for at := int64(1); at <= head; {
		low, high := ontosql.CommitID(at), ontosql.CommitID(min(head, at+rng.Int64N(5)))
		e := format.IndexEntry{MinCommitID: low, MaxCommitID: high, Path: format.SnapshotKey(typeA, low, high)}
		files := pin.View.Files(typeA, low-1, low)
		switch {
		case low == high && len(files) > 0:
			e.Path = files[0].Path
		case low == high:
			e.Path = fmt.Sprintf("commits/%d-feedface/entities/A.parquet", low)
		case rng.IntN(5) > 0:
			b.put(t, e.Path, []byte("rows"))
		}
		if rng.IntN(6) > 0 {
			x.Entries = append(x.Entries, e)
		}
		at += rng.Int64N(int64(high-low)+1) + 1
	}
	return format.EncodeIndex(x)
}

// TestFloor drops a type under its snapshots: nothing from before comes back.
func TestFloor(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.commit(t, 5, nil, typeA)
	b.commit(t, 5, nil, typeA)
	b.commit(t, 0, map[string]string{"operation": `"schema_drop"`, "target_kind": `"entity"`, "target_type": `"A"`})
	b.commit(t, 2, nil, typeA)
	b.commit(t, 2, nil, typeA)
	b.put(t, "snapshots/entities/A-1-5.parquet", nil)
	b.put(t, format.IndexKey(typeA), []byte(`{"entries":[{"min_commit_id":1,"max_commit_id":5,"path":"snapshots/entities/A-1-5.parquet"}],"max_indexed_commit":5}`))
	pin := b.pin(t)
	typ, _ := pin.Catalog.Type(typeA)
	r := checkWindow(t, b.store, pin, typ, ontosql.Window{Upper: 5})
	want := []string{"index snapshot refused for entity:A; using manifest fallback: snapshots/entities/A-1-5.parquet holds rows from before the type was dropped by commit 3"}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Errorf("warnings of a snapshot that straddles the drop (-want +got):\n%s", diff)
	}
	if typ.Floor != 3 || len(r.Files) != 2 {
		t.Errorf("floor %d and files %v, want floor 3 and the files of commits 4 and 5", typ.Floor, r.Files)
	}
}

// TestAnotherLife initialises a store again: nothing of the old store is used, its indexes
// included.
func TestAnotherLife(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	for range 4 {
		b.commit(t, 3, nil, typeA)
	}
	b.put(t, "snapshots/entities/A-1-4.parquet", nil)
	b.put(t, format.IndexKey(typeA), []byte(`{"entries":[{"min_commit_id":1,"max_commit_id":4,"path":"snapshots/entities/A-1-4.parquet"}],"max_indexed_commit":4}`))
	old := b.pin(t)
	typ, _ := old.Catalog.Type(typeA)
	if r := checkWindow(t, b.store, old, typ, ontosql.Window{Upper: 4}); len(r.Files) != 1 {
		t.Fatalf("files before: %v, want the snapshot", r.Files)
	}
	initialise(t, b)
	b.delete(t, format.CommitsPrefix)
	b.commit(t, 1, nil, typeB)
	b.commit(t, 1, nil, typeA)
	pin := b.pin(t)
	r := checkWindow(t, b.store, pin, typ, ontosql.Window{Upper: 2})
	if pin.Head.Commit != 2 || len(r.Files) != 1 || r.Files[0].Snapshot() {
		t.Errorf("after init: head %d and files %v, want head 2 and the file of commit 2", pin.Head.Commit, r.Files)
	}
}

// TestNewHeadNewName: a problem with the entry of the head's commit has another name than one
// with an earlier entry, also when the head moves and the index does not.
func TestNewHeadNewName(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.commit(t, 1, nil, typeA)
	b.commit(t, 1, nil, typeA)
	first := format.IndexEntry{MinCommitID: 1, MaxCommitID: 1, Path: format.DataKey(format.EngineV1, 1, "00000001", typeA, 1)}
	b.put(t, format.IndexKey(typeA), format.EncodeIndex(&format.Index{TypeName: "A", MaxIndexedCommit: 2, Entries: []format.IndexEntry{first}}))
	for _, want := range []string{
		"index latest coverage mismatch for entity:A; using manifest fallback: no entry for commit 2",
		"index entry mismatch for entity:A; using manifest fallback: no entry for commit 2",
	} {
		pin := b.pin(t)
		typ, _ := pin.Catalog.Type(typeA)
		got := checkWindow(t, b.store, pin, typ, ontosql.Window{Lower: 1, Upper: 2}).Warnings
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("warnings at head %d (-want +got):\n%s", pin.Head.Commit, diff)
		}
		b.commit(t, 1, nil, typeA)
	}
}
