package resolver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/writepath"
)

// gateway is a store under test that a Committer of the same process writes to,
// with what the readers ask of the bucket.
type gateway struct {
	disk      *mem.Bucket
	ops       *oplog
	committer *writepath.Committer
	store     *Store
	close     func()
}

func schema(name string) format.Schema {
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: name}, Fields: []format.SchemaField{key}}
}

// openGateway makes an ontology with type A in commit 1 and opens it. writes is
// what the Committer is given for the bucket.
func openGateway(t *testing.T, writes func(objstore.Bucket) objstore.Bucket) *gateway {
	t.Helper()
	g := &gateway{disk: mem.New("x"), ops: &oplog{}}
	if _, err := writepath.Init(t.Context(), g.disk, writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	setup := writepath.Open(writepath.Options{Bucket: g.disk, RuntimeID: "setup"})
	if _, err := setup.Register(t.Context(), time.Time{}, []format.Schema{schema("A")}); err != nil {
		t.Fatal(err)
	}
	if err := setup.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	bucket := metered.New(g.disk, metered.Options{OnRequest: g.ops.add})
	log, err := chain.Open("", chain.Options{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	g.committer = writepath.Open(writepath.Options{Bucket: writes(g.disk), RuntimeID: "test", Log: log})
	g.store = Open(Options{Bucket: bucket, Log: log, OwnHead: g.committer.Head})
	g.close = func() {
		g.store.Close()
		if err := g.committer.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("close: %v", err)
		}
		log.Close()
	}
	return g
}

func asIs(b objstore.Bucket) objstore.Bucket { return b }

func (g *gateway) commit(t *testing.T, id string) ontosql.CommitID {
	t.Helper()
	out, err := g.committer.Commit(t.Context(), rowOf(id))
	if err != nil {
		t.Fatalf("commit %s: %v", id, err)
	}
	return out.Commit
}

// rowOf is a transaction that writes one row of type A.
func rowOf(id string) writepath.Tx {
	rows := func(yield func(writepath.Row, error) bool) {
		yield(writepath.Row{Row: format.Row{Key: id, Fields: fmt.Appendf(nil, `{"id":%q}`, id)}}, nil)
	}
	return writepath.Tx{Pin: 1, Data: []writepath.Data{{
		Type: typeA, Fields: format.DataFields(schema("A").Fields), SchemaVersion: 1, Rows: iter.Seq2[writepath.Row, error](rows),
	}}}
}

// pin pins the store and says at which head and by which requests.
func (g *gateway) pin(t *testing.T, head ontosql.CommitID, requests ...string) *Pin {
	t.Helper()
	g.ops.take()
	pin, err := g.store.Pin(t.Context())
	if err != nil {
		t.Fatalf("pin: %v", err)
	}
	if pin.Head.Commit != head || pin.View.Len() != int(head) {
		t.Errorf("pin at head %d with a chain of %d, want %d", pin.Head.Commit, pin.View.Len(), head)
	}
	if diff := cmp.Diff(requests, g.ops.take()); diff != "" {
		t.Errorf("requests of a pin at head %d (-want +got):\n%s", head, diff)
	}
	return pin
}

const (
	askHead   = "get if changed " + format.HeadKey
	askSchema = "list " + schemaPrefix
)

// TestOwnHeadIsNotRead: after a commit of this process the pin is its own last
// swap, without a request, as long as the lease is held (decision A30).
func TestOwnHeadIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := openGateway(t, asIs)
		defer g.close()
		if _, err := g.store.Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.commit(t, "a")
		time.Sleep(time.Millisecond)
		// The schema objects may have changed before the lock was ours: one look.
		g.pin(t, 2, askHead, askSchema)
		g.pin(t, 2)
		for want := ontosql.CommitID(3); want < 6; want++ {
			g.commit(t, fmt.Sprint("b", want))
			pin := g.pin(t, want)
			typ, _ := pin.Catalog.Type(typeA)
			r, err := g.store.Files(t.Context(), pin, typ, ontosql.Window{Upper: want})
			if err != nil || len(r.Files) != int(want)-1 || r.Warnings != nil {
				t.Errorf("files at head %d: %+v, %v", want, r, err)
			}
			var requests []string
			if want == 3 {
				requests = []string{"get if changed meta/indices/entities/A.json"} // once under the lease
			}
			if diff := cmp.Diff(requests, g.ops.take()); diff != "" {
				t.Errorf("requests of a resolution at head %d (-want +got):\n%s", want, diff)
			}
		}
		fresh, err := g.store.PinFresh(t.Context())
		if err != nil || fresh.Head.Commit != 5 {
			t.Errorf("a fresh pin: %+v, %v", fresh, err)
		}
		if diff := cmp.Diff([]string{askHead, askSchema}, g.ops.take()); diff != "" {
			t.Errorf("requests of a fresh pin (-want +got):\n%s", diff)
		}
		g.pin(t, 5)
		time.Sleep(300 * time.Millisecond) // the lock is given back
		g.pin(t, 5, askHead, askSchema)
		g.pin(t, 5, askHead, askSchema)
	})
}

// TestOwnSchemaChange: a schema change of this process is seen without a request.
func TestOwnSchemaChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := openGateway(t, asIs)
		defer g.close()
		g.commit(t, "a")
		time.Sleep(time.Millisecond)
		if _, err := g.store.Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := g.committer.Register(t.Context(), time.Time{}, []format.Schema{schema("B")}); err != nil {
			t.Fatal(err)
		}
		pin := g.pin(t, 3)
		if _, ok := pin.Catalog.Type(typeB); !ok {
			t.Error("a type that this process registered is not there")
		}
		g.commit(t, "b")
		if next := g.pin(t, 4); next.Catalog != pin.Catalog {
			t.Error("a commit of rows made a new catalog")
		}
	})
}

// TestOwnSchemaChanges: so are several, one pinned and the next, and two at once. What
// they say is what a look says when everything is written.
func TestOwnSchemaChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := openGateway(t, asIs)
		defer g.close()
		g.commit(t, "a")
		time.Sleep(time.Millisecond)
		if _, err := g.store.Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
		change := func(change func(*migration.State) error) {
			t.Helper()
			if _, err := g.committer.Commit(t.Context(), writepath.Tx{Pin: 2, Schema: change}); err != nil {
				t.Fatal(err)
			}
		}
		create := func(name string) func(*migration.State) error {
			schema := schema(name)
			return func(s *migration.State) error { return s.Create(&schema, format.Extras{}) }
		}
		change(create("B"))
		g.pin(t, 3)
		change(create("C"))
		g.pin(t, 4)
		change(func(s *migration.State) error {
			next := schema("C")
			next.Fields = append(next.Fields, format.NewField("n", format.FieldInt, true))
			return s.Migrate(1, &next, nil, migration.ReasonMigration)
		})
		change(func(s *migration.State) error {
			return s.Drop(ontosql.TypeRef{Kind: ontosql.Entity, Name: "B"}, true)
		})
		change(create("D"))
		derived := g.pin(t, 7)
		time.Sleep(time.Second) // the lock is given back
		looked, err := g.store.PinFresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		versions := func(p *Pin) map[string][]catalog.Version {
			all := map[string][]catalog.Version{}
			for _, typ := range p.Catalog.Types {
				all[typ.Table] = typ.Versions
			}
			return all
		}
		if diff := cmp.Diff(versions(looked), versions(derived)); diff != "" {
			t.Errorf("versions of the types (-looked at +derived):\n%s", diff)
		}
		if len(derived.Catalog.Types) != 3 {
			t.Errorf("%d types are there, want A, C and D", len(derived.Catalog.Types))
		}
		if looked.Catalog == derived.Catalog || looked.Catalog.Version != derived.Catalog.Version {
			t.Error("what is projected makes no other catalog, or one of another version")
		}
	})
}

// TestForeignTypesUnderOurLease: the original registers a type without a commit
// between two of our leases. The first pin under the second one looks; one that
// it registers while we think it cannot is found by a fresh pin.
func TestForeignTypesUnderOurLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := openGateway(t, asIs)
		defer g.close()
		g.commit(t, "a")
		time.Sleep(time.Millisecond)
		if _, err := g.store.Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		register := func(names ...string) {
			registry := `{"entity":{`
			for i, name := range names {
				if i > 0 {
					registry += ","
				}
				registry += fmt.Sprintf("%q:%s", name, schemaOf(name, "id"))
			}
			if _, err := g.disk.Put(t.Context(), format.RegistryKey, []byte(registry+`},"relation":{}}`)); err != nil {
				t.Fatal(err)
			}
		}
		register("A", "B")
		g.commit(t, "b")
		time.Sleep(time.Millisecond)
		pin, err := g.store.Pin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := pin.Catalog.Type(typeB); !ok || pin.Head.Commit != 3 {
			t.Errorf("at head %d a type from before our lease is there: %t", pin.Head.Commit, ok)
		}
		register("A", "B", "C")
		typeC := ontosql.TypeRef{Kind: ontosql.Entity, Name: "C"}
		g.pin(t, 3)
		if pin, err = g.store.PinFresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, ok := pin.Catalog.Type(typeC); !ok {
			t.Error("a fresh pin does not know a type that was registered before it")
		}
		pin = g.pin(t, 3)
		if _, ok := pin.Catalog.Type(typeC); !ok {
			t.Error("the pin after a fresh one does not know what that one found")
		}
	})
}

// TestPinsSeeAcknowledgedCommits: readers and writers of one gateway, through
// swaps and changes of the lease. A pin that was asked for after a commit was
// acknowledged has it, and never goes back.
func TestPinsSeeAcknowledgedCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(b objstore.Bucket) objstore.Bucket {
			return &faulty.Bucket{Bucket: b, At: -1, Delay: func(context.Context, int, string, string) { time.Sleep(2 * time.Millisecond) }}
		}
		g := openGateway(t, slow)
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				var last ontosql.CommitID
				for step := range 60 {
					at := g.commit(t, fmt.Sprint(n, "-", step))
					for range 2 {
						pin, err := g.store.Pin(t.Context())
						if err != nil {
							t.Errorf("pin: %v", err)
							return
						}
						if pin.Head.Commit < max(at, last) || pin.View.Len() != int(pin.Head.Commit) {
							t.Errorf("after commit %d and a pin at %d the pin is at %d", at, last, pin.Head.Commit)
						}
						last = pin.Head.Commit
					}
					time.Sleep(time.Duration(n) * 3 * time.Millisecond)
				}
			})
		}
		wg.Wait()
		looks := 0
		for _, op := range g.ops.take() {
			if op == askSchema {
				looks++
			}
		}
		if looks > 480 {
			t.Errorf("%d looks at the store for 960 pins, want less than half", looks)
		}
		g.close()
		if _, err := g.store.Pin(t.Context()); !errors.Is(err, errClosed) {
			t.Errorf("pin after close: %v, want errClosed", err)
		}
	})
}
