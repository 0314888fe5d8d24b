package writepath_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

func open(t *testing.T, b objstore.Bucket) *writepath.Committer {
	t.Helper()
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	t.Cleanup(func() { closeIt(t, c) })
	return c
}

func closeIt(t *testing.T, c *writepath.Committer) {
	t.Helper()
	if err := c.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestCommitsOfOneWriter(t *testing.T) {
	for _, engine := range []string{format.EngineV1, format.EngineV2} {
		t.Run(engine, func(t *testing.T) {
			b := mem.New("x")
			initialise(t, b, engine, thing, other, links)
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			pin := ontosql.CommitID(1)
			for n := range 5 {
				tx := put(pin, "a", n, thing, links)
				tx.Actor, tx.Metadata = "ada", map[string]string{"message": "hello"}
				out, err := c.Commit(t.Context(), tx)
				if err != nil || out.Commit != pin+1 {
					t.Fatalf("commit %d: %+v, %v", pin+1, out, err)
				}
				pin = out.Commit
			}
			closeIt(t, c)
			chain := verify(t, b)
			m := chain[len(chain)-1]
			if len(chain) != 6 || string(m.Metadata["actor"]) != `"ada"` || string(m.Metadata["message"]) != `"hello"` || attemptOf(m) == "" {
				t.Errorf("%d commits, the last with metadata %s", len(chain), m.Metadata)
			}
			for _, ref := range []ontosql.TypeRef{thing, other, links} {
				body, _, err := b.Get(t.Context(), format.IndexKey(ref))
				if err != nil {
					t.Fatalf("index of %s after close: %v", ref, err)
				}
				x, err := format.DecodeIndex("", body)
				if err != nil || x.MaxIndexedCommit != 6 {
					t.Errorf("index of %s after close is at %d (%v), want 6", ref, x.MaxIndexedCommit, err)
				}
			}
			if _, _, err := b.Get(t.Context(), format.LockKey); !errors.Is(err, objstore.ErrNotFound) {
				t.Errorf("the lock after close: %v, want none", err)
			}
		})
	}
}

func TestFirstCommitterWins(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other)
	mine := open(t, b)
	if _, err := mine.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
		t.Fatal(err)
	}
	// Our own commit 2 is in the way.
	_, err := mine.Commit(t.Context(), put(1, "a", 2, thing))
	want := &writepath.ConflictError{Type: thing, Key: "a", Expected: 0, Actual: 2}
	var got *writepath.ConflictError
	if !errors.As(err, &got) || *got != *want {
		t.Errorf("an identity that commit 2 wrote: %v, want %v", err, want)
	}
	// The same key of another type is not.
	if _, err := mine.Commit(t.Context(), put(1, "a", 3, other)); err != nil {
		t.Errorf("another type: %v", err)
	}
	// So is a foreign commit.
	if id := theyCommit(t, b, thing, "b"); id != 4 {
		t.Fatalf("the original made commit %d, want 4", id)
	}
	tx := put(3, "b", 4, thing)
	if _, err := mine.Commit(t.Context(), tx); !errors.As(err, &got) || got.Actual != 4 || got.Key != "b" {
		t.Errorf("an identity that a foreign commit wrote: %v, want a conflict with commit 4", err)
	}
	if out, err := mine.Commit(t.Context(), put(3, "c", 4, thing)); err != nil || out.Commit != 5 {
		t.Errorf("another identity after a foreign commit: %+v, %v", out, err)
	}
	verify(t, b)
}

func TestConflictsInsideAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		c := writepath.Open(writepath.Options{Bucket: slow(disk, 10*time.Millisecond), RuntimeID: "test"})
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			key := "same"
			if i == 3 {
				key = "another"
			}
			wg.Go(func() { _, errs[i] = c.Commit(t.Context(), put(1, key, i, thing)) })
		}
		wg.Wait()
		closeIt(t, c)
		lost := 0
		for _, err := range errs {
			var conflict *writepath.ConflictError
			if errors.As(err, &conflict) {
				lost++
			} else if err != nil {
				t.Error(err)
			}
		}
		if lost != 2 || errs[3] != nil {
			t.Errorf("of three writers of one identity and one of another: %v, want two conflicts", errs)
		}
		if n := len(verify(t, disk)); n != 3 {
			t.Errorf("%d commits, want 3", n)
		}
	})
}

func TestSchemaOfTheRowsMustBeTheCurrentOne(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	c := open(t, b)
	tx := put(1, "a", 1, thing)
	tx.Data[0].SchemaVersion = 2
	_, err := c.Commit(t.Context(), tx)
	var changed *writepath.SchemaChangedError
	if !errors.As(err, &changed) || *changed != (writepath.SchemaChangedError{Type: thing, Expected: 2, Actual: 1}) {
		t.Errorf("rows of schema version 2: %v", err)
	}
	if _, err := c.Commit(t.Context(), put(1, "a", 1, other)); !errors.As(err, &changed) || changed.Actual != 0 {
		t.Errorf("rows of a type that is not there: %v", err)
	}
	if len(verify(t, b)) != 1 {
		t.Error("one of them is visible")
	}
}

func TestRegister(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	c := open(t, b)
	var exists *migration.ExistsError
	if _, err := c.Register(t.Context(), time.Time{}, schemas(other, thing)); !errors.As(err, &exists) || exists.Type != thing {
		t.Errorf("a type that is there: %v", err)
	}
	if out, err := c.Register(t.Context(), time.Time{}, schemas(links, other)); err != nil || out.Commit != 2 {
		t.Fatalf("register: %+v, %v", out, err)
	}
	if _, err := c.Commit(t.Context(), put(2, "a", 1, thing, other, links)); err != nil {
		t.Errorf("write all types: %v", err)
	}
	chain := verify(t, b)
	change, err := chain[1].SchemaChange("")
	if err != nil || len(change.Types) != 3 || len(change.Versions) != 2 {
		t.Errorf("commit 2 carries %+v (%v), want three types, two of them changed", change, err)
	}
	closeIt(t, c) // the objects are written behind the answer
	checkProjected(t, b, thing, other, links)
}

// checkProjected says whether the original would know these types, and no other.
func checkProjected(t *testing.T, b objstore.Bucket, refs ...ontosql.TypeRef) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	types := &format.Types{Entities: []string{}, Relations: []string{}}
	for _, ref := range refs {
		body, _, err := b.Get(ctx, format.VersionsKey(ref))
		if err != nil {
			t.Errorf("versions of %s: %v", ref, err)
			continue
		}
		if v, err := format.DecodeVersions("", body); err != nil || len(v.Versions) == 0 {
			t.Errorf("versions of %s: %+v, %v", ref, v, err)
		}
		if ref.Kind == ontosql.Entity {
			types.Entities = append(types.Entities, ref.Name)
		} else {
			types.Relations = append(types.Relations, ref.Name)
		}
	}
	body, _, err := b.Get(ctx, format.TypesKey)
	if err != nil {
		t.Fatal(err)
	}
	got, err := format.DecodeTypes("", body)
	if err != nil {
		t.Fatal(err)
	}
	sorted := func(a, b string) bool { return a < b }
	if diff := cmp.Diff([][]string{types.Entities, types.Relations}, [][]string{got.Entities, got.Relations}, cmpSorted(sorted)); diff != "" {
		t.Errorf("types.json (-want +got):\n%s", diff)
	}
	body, _, err = b.Get(ctx, format.RegistryKey)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := format.DecodeRegistry("", body)
	if err != nil || len(registry.Entity)+len(registry.Relation) != len(refs) {
		t.Errorf("registry has %d and %d types (%v), want %d", len(registry.Entity), len(registry.Relation), err, len(refs))
	}
}

func TestWhatIsNoTransaction(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	twice := writepath.Tx{Pin: 1, Data: []writepath.Data{data(thing, writepath.Row{Row: row(thing, "a", 1)}, writepath.Row{Row: row(thing, "a", 2)})}}
	reserved := put(1, "a", 1, thing)
	reserved.Metadata = map[string]string{"ontosql_attempt": "x"}
	broken := put(1, "a", 1, thing)
	broken.Data[0].Rows = func(yield func(writepath.Row, error) bool) { yield(writepath.Row{}, errors.New("spill file is gone")) }
	for name, tx := range map[string]writepath.Tx{"empty": {Pin: 1}, "twice": twice, "reserved": reserved, "broken": broken, "pin beyond head": put(7, "a", 1, thing)} {
		if out, err := c.Commit(t.Context(), tx); err == nil {
			t.Errorf("%s: committed as %+v", name, out)
		}
	}
	ended, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the client is gone")
	cancel(why)
	if _, err := c.Commit(ended, put(1, "a", 1, thing)); err != nil && !errors.Is(err, why) {
		t.Errorf("a client that is gone: %v", err)
	}
	closeIt(t, c)
	verify(t, b)
}

func TestCreatedAtNeverRunsBackwards(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	c := open(t, b)
	tx := put(1, "a", 1, thing)
	tx.At = birth.Add(-5 * time.Hour)
	if out, err := c.Commit(t.Context(), tx); err != nil || out.CreatedAt.Before(birth) {
		t.Errorf("a commit before its parent: %+v, %v", out, err)
	}
	verify(t, b)
}

func TestNothingIsWrittenToWhatIsNoOntology(t *testing.T) {
	b := mem.New("x")
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	if _, err := c.Commit(t.Context(), put(0, "a", 1, thing)); !errors.Is(err, ontosql.ErrNotInitialised) {
		t.Errorf("commit: %v, want ErrNotInitialised", err)
	}
	closeIt(t, c)
	if got := keys(t, b); got != nil {
		t.Errorf("objects were left: %q", got)
	}
	if _, err := c.Commit(t.Context(), put(0, "a", 1, thing)); !errors.Is(err, writepath.ErrClosed) {
		t.Errorf("commit after close: %v, want ErrClosed", err)
	}
}
