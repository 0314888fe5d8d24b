package resolver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/writepath"
)

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
	for end := time.Now().Add(testenv.Patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s after %s", what, testenv.Patience)
		}
	}
}

func TestClosed(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.store.Close()
	if _, err := b.store.Pin(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("pin of a closed store: %v, want %v", err, errClosed)
	}
}

// openDirectory opens the store in a directory.
func openDirectory(t *testing.T, root string) (*dir.Bucket, *Store) {
	t.Helper()
	bucket, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := chain.Open("", chain.Options{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	s := Open(Options{Bucket: bucket, Log: log})
	t.Cleanup(s.Close)
	return bucket, s
}

// TestDirectory pins a store whose List tells no versions: a rewrite of the
// same length is seen, and settled objects are not read again.
func TestDirectory(t *testing.T) {
	bucket, s := openDirectory(t, fixtures.Dir(t, "s3-v1/stage3-final/objects"))
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

// TestDirectoryThatOthersWrite: the last commit that another process has made in a directory is the
// head of every pin after it.
func TestDirectoryThatOthersWrite(t *testing.T) {
	root := t.TempDir()
	theirs, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writepath.Init(t.Context(), theirs, writepath.InitOptions{URI: "file:///x", Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	other := writepath.Open(writepath.Options{Bucket: theirs, RuntimeID: "other"})
	defer other.Close(context.WithoutCancel(t.Context()))
	if _, err := other.Register(t.Context(), time.Time{}, []format.Schema{schema("A")}); err != nil {
		t.Fatal(err)
	}
	_, s := openDirectory(t, root)
	for i := range 20 {
		out, err := other.Commit(t.Context(), rowOf(fmt.Sprint("row ", i)))
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for range 10 {
					if pin, err := s.Pin(t.Context()); err != nil || pin.Head.Commit != out.Commit {
						t.Errorf("after commit %d: %+v, %v", out.Commit, pin, err)
					}
				}
			})
		}
		readers.Wait()
	}
}

// TestSchemaThatComesBack puts a registry back as it was, with its time, as restoring a
// directory does: what was listed then is no proof of what was read since.
func TestSchemaThatComesBack(t *testing.T) {
	root := fixtures.Dir(t, "s3-v1/stage3-final/objects")
	bucket, s := openDirectory(t, root)
	body, _, err := bucket.Get(t.Context(), format.RegistryKey)
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.Replace(string(body), `"product":{"entity_name":"product"`, `"other":{"entity_name":"other"`, 1)
	for i, c := range []struct {
		body    string
		hour    int
		renamed bool
		pins    int // the second of the same finds nothing new
	}{{string(body), 1, false, 2}, {renamed, 2, true, 1}, {string(body), 1, false, 1}} {
		if _, err := bucket.Put(t.Context(), format.RegistryKey, []byte(c.body)); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2024, 5, 1, c.hour, 0, 0, 0, time.UTC)
		err := filepath.WalkDir(filepath.Join(root, "meta"), func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, at, at))
		})
		if err != nil {
			t.Fatal(err)
		}
		for range c.pins {
			pin, err := s.Pin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, other := pin.Catalog.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: "other"}); other != c.renamed {
				t.Errorf("registry %d, renamed %t: type other is there: %t", i, c.renamed, other)
			}
		}
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
		if got := c.have.matches(c.listed); got != c.want {
			t.Errorf("%s: is = %t, want %t", c.name, got, c.want)
		}
	}
}

// TestSchemaIsNotNewerThanTheHead changes the schema, head first, between the
// moment a pin has read the head and the moment it reads the registry: the head
// of the pin must be the one that the schema belongs to (I6).
func TestSchemaIsNotNewerThanTheHead(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.commit(t, 1, nil, typeA)
	var once sync.Once
	bucket := &faulty.Bucket{Bucket: b.bucket, At: -1, Delay: func(_ context.Context, _ int, _, key string) {
		if key == format.RegistryKey {
			once.Do(func() {
				b.commit(t, 1, nil, typeA)
				b.put(t, format.RegistryKey, []byte(`{"entity":{"A":`+schemaOf("A", "id", "extra")+`},"relation":{}}`))
			})
		}
	}}
	log, err := chain.Open("", chain.Options{Bucket: b.bucket})
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
	typ, _ := pin.Catalog.Type(typeA)
	if len(typ.Columns) != 2 || pin.Head.Commit != 2 || pin.View.Len() != 2 {
		t.Errorf("pin at head %d (chain of %d) with %d columns, want the new schema's 2 columns at head 2", pin.Head.Commit, pin.View.Len(), len(typ.Columns))
	}
}

// TestDistrustedColumns notes a column of a data file without a commit: the next pin has it.
func TestDistrustedColumns(t *testing.T) {
	b := newBench(t)
	initialise(t, b)
	b.commit(t, 1, nil, typeA)
	before := b.pin(t)
	note := format.DistrustedColumn{Type: typeA, Path: "commits/1-x/entities/A.parquet", Column: "d:date"}
	b.put(t, format.DistrustKey, format.EncodeDistrusted([]format.DistrustedColumn{note}, format.TimeOf(time.Now())))
	after := b.pin(t)
	typ, _ := after.Catalog.Type(typeA)
	if got := typ.Distrusted[note.Path]; len(got) != 1 || got[0] != note.Column || after.Catalog.Version == before.Catalog.Version {
		t.Errorf("distrusted columns %v, catalog %s after %s", typ.Distrusted, after.Catalog.Version, before.Catalog.Version)
	}
}
