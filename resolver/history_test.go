package resolver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/faulty"
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
// files must be those of the log every time (I5).
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
				b.put(t, format.IndexKey(typeA), randomIndex(t, rng, b, pin))
				if rng.IntN(3) == 0 {
					b.open(t) // another process, which knows nothing
					pin = b.pin(t)
				}
				typ, _ := pin.Catalog.Type(typeA)
				for lower := ontosql.CommitID(0); lower <= pin.Head.Commit; lower++ {
					for upper := lower; upper <= pin.Head.Commit; upper++ {
						checkWindow(t, b.store, pin, typ, ontosql.Window{Mode: ontosql.History, Lower: lower, Upper: upper})
					}
				}
			}
		})
	}
}

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

// TestSchemaUnderTheHead commits a schema change that no projection shows yet,
// and then lets the projections catch up (decision A13).
func TestSchemaUnderTheHead(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.commit(t, 1, nil, typeA)
	before := b.pin(t)
	b.commit(t, 0, map[string]string{format.MetadataSchema: `{"types":[{"kind":"entity","type_name":"A","schema_version_id":2,"schema":` + schemaOf("A", "id", "extra") + `}],"dropped":[{"kind":"entity","type_name":"B","purged":false}]}`})
	lagging := b.pin(t)
	typ, _ := lagging.Catalog.Lookup("a")
	if typ.SchemaID != 2 || len(typ.Columns) != 2 {
		t.Errorf("behind the change: A has schema %d and columns %v, want the change's", typ.SchemaID, typ.Columns)
	}
	if _, ok := lagging.Catalog.Lookup("b"); ok {
		t.Error("behind the change: B is still there, which the change dropped")
	}
	if _, ok := before.Catalog.Lookup("b"); !ok || before.Catalog.Version == lagging.Catalog.Version {
		t.Error("the pin from before the change has changed, or its catalog has the same version")
	}
	b.commit(t, 1, nil, typeA)
	if after := b.pin(t); after.Catalog != lagging.Catalog {
		t.Error("a commit of rows made a new catalog")
	}
}

// TestRequests holds the round trips of pins down.
func TestRequests(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.commit(t, 1, nil, typeA)
	b.pin(t)
	b.ops.take()
	two := []string{"get if changed meta/head.json", "list meta/schema/"}
	first := b.pin(t)
	if diff := cmp.Diff(two, b.ops.take()); diff != "" {
		t.Errorf("requests of a pin while nothing changed (-want +got):\n%s", diff)
	}
	if again := b.pin(t); again != first {
		t.Error("nothing changed and the pin is another one")
	}
	b.ops.take()
	b.commit(t, 1, nil, typeA)
	pin := b.pin(t)
	want := append([]string{"get commits/2-00000001/manifest.json"}, two...)
	if diff := cmp.Diff(want, b.ops.take()); diff != "" {
		t.Errorf("requests of a pin after one commit (-want +got):\n%s", diff)
	}
	typ, _ := pin.Catalog.Type(typeA)
	for range 3 {
		checkWindow(t, b.store, pin, typ, ontosql.Window{Upper: 2})
	}
	if diff := cmp.Diff([]string{"get if changed meta/indices/entities/A.json"}, b.ops.take()); diff != "" {
		t.Errorf("requests of three resolutions at one head (-want +got):\n%s", diff)
	}
}

// TestPinsShareOneLook holds the first look at its door: callers that come
// meanwhile must not get its answer, and share one look that sees what was
// committed before they came.
func TestPinsShareOneLook(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.commit(t, 1, nil, typeA)
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	bucket := &faulty.Bucket{Bucket: b.bucket, At: -1, Delay: func(_ context.Context, _ int, _, key string) {
		if key == schemaPrefix {
			once.Do(func() { close(entered); <-release })
		}
	}}
	log, err := chain.Open("", chain.Options{Bucket: b.bucket})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s := Open(Options{Bucket: bucket, Log: log})
	defer s.Close()
	first := make(chan *Pin)
	go func() {
		pin, err := s.Pin(t.Context())
		if err != nil {
			t.Errorf("first pin: %v", err)
		}
		first <- pin
	}()
	<-entered
	impatient, giveUp := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := s.Pin(impatient)
		left <- err
	}()
	b.commit(t, 1, nil, typeA)
	pins := make(chan *Pin)
	for range 10 {
		go func() {
			pin, err := s.Pin(t.Context())
			if err != nil {
				t.Errorf("later pin: %v", err)
			}
			pins <- pin
		}()
	}
	waitFor(t, "eleven callers on the next look", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.next != nil && s.next.waiting == 11
	})
	giveUp()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("a caller whose context ended got %v", err)
	}
	close(release)
	<-first
	var shared *Pin
	for range 10 {
		pin := <-pins
		if pin == nil || pin.Head.Commit != 2 {
			t.Fatalf("a pin taken after commit 2 is %+v", pin)
		}
		if shared == nil {
			shared = pin
		}
		if pin != shared {
			t.Error("callers that waited together got different looks")
		}
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("no %s after two seconds", what)
}

func TestClosed(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.store.Close()
	if _, err := b.store.Pin(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("pin of a closed store: %v, want %v", err, errClosed)
	}
}

// TestAnotherLife initialises a store anew: what was known of the old life,
// its indexes included, is not believed.
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

// TestDirectory pins a store whose List tells no versions: a rewrite of the
// same length is seen, and settled objects are not read again.
func TestDirectory(t *testing.T) {
	root := fixtures.Dir(t, "s3-v1/stage3-final/objects")
	bucket, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := chain.Open("", chain.Options{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s := Open(Options{Bucket: bucket, Log: log})
	defer s.Close()
	pin, err := s.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	typ, _ := pin.Catalog.Lookup("customer")
	r := checkWindow(t, s, pin, typ, ontosql.Window{Upper: pin.Head.Commit})
	if len(r.Files) != 1 || r.Files[0].Version == objstore.Absent {
		t.Errorf("files in a directory: %+v, want the snapshot with its version", r.Files)
	}
	body, _, err := bucket.Get(t.Context(), format.RegistryKey)
	if err != nil {
		t.Fatal(err)
	}
	same := strings.Replace(string(body), `"product":{"entity_name":"product"`, `"Product":{"entity_name":"Product"`, 1)
	if _, err := bucket.Put(t.Context(), format.RegistryKey, []byte(same)); err != nil {
		t.Fatal(err)
	}
	if pin, err = s.Pin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := pin.Catalog.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: "Product"}); !ok {
		t.Error("a registry of the same length, written at once after the pin, was not seen")
	}
}

func TestStillTheSame(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, c := range []struct {
		name   string
		have   schemaObject
		listed objstore.Object
		want   bool
	}{
		{"same version", schemaObject{version: "1"}, objstore.Object{Version: "1"}, true},
		{"other version", schemaObject{version: "1"}, objstore.Object{Version: "2"}, false},
		{"settled", schemaObject{version: "1", size: 5, modified: at, read: at.Add(time.Minute)}, objstore.Object{Size: 5, Modified: at}, true},
		{"read too soon", schemaObject{version: "1", size: 5, modified: at, read: at.Add(time.Second)}, objstore.Object{Size: 5, Modified: at}, false},
		{"other size", schemaObject{version: "1", size: 5, modified: at, read: at.Add(time.Minute)}, objstore.Object{Size: 6, Modified: at}, false},
		{"other time", schemaObject{version: "1", size: 5, modified: at, read: at.Add(time.Minute)}, objstore.Object{Size: 5, Modified: at.Add(1)}, false},
	} {
		if got := c.have.is(c.listed); got != c.want {
			t.Errorf("%s: is = %t, want %t", c.name, got, c.want)
		}
	}
}

func TestPrune(t *testing.T) {
	facts := map[string]*format.Facts{
		"a-f":   {Rows: 1, KeyBounds: true, MinKey: "a", MaxKey: "f"},
		"g-z":   {Rows: 1, KeyBounds: true, MinKey: "g", MaxKey: "z"},
		"any":   {Rows: 1},
		"empty": {},
	}
	note := func(f File) (*format.Facts, bool) {
		n, ok := facts[f.Key]
		return n, ok
	}
	files := []File{{Key: "a-f"}, {Key: "g-z"}, {Key: "any"}, {Key: "empty"}, {Key: "unseen"}}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{nil, "a-f g-z any empty unseen"},
		{[]string{"c"}, "a-f any unseen"},
		{[]string{"f", "g"}, "a-f g-z any unseen"},
		{[]string{"A", "zz"}, "any unseen"},
	} {
		var got []string
		for _, f := range Prune(files, c.keys, note) {
			got = append(got, f.Key)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("files for the keys %q: %v, want %s", c.keys, got, c.want)
		}
	}
}
