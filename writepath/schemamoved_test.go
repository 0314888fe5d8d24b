package writepath_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// create is a transaction that creates types.
func create(pin ontosql.CommitID, refs ...ontosql.TypeRef) writepath.Tx {
	return writepath.Tx{Pin: pin, Schema: func(s *migration.State) error {
		for _, schema := range schemas(refs...) {
			if err := s.Create(&schema, format.Extras{Comment: "Made by SQL."}); err != nil {
				return err
			}
		}
		return nil
	}}
}

func entity(name string) ontosql.TypeRef {
	return ontosql.TypeRef{Kind: ontosql.Entity, Name: name}
}

// wantOriginal checks that the original finds these types, and no others.
func wantOriginal(t *testing.T, b objstore.Bucket, refs ...ontosql.TypeRef) {
	t.Helper()
	found, err := original.Read(t.Context(), b)
	if err != nil {
		t.Errorf("the original: %v", err)
		return
	}
	for _, ref := range refs {
		if _, there := found[ref]; !there {
			t.Errorf("the original does not find %s", ref)
		}
	}
	if len(found) != len(refs) {
		t.Errorf("the original finds %d types, want %d: %v", len(found), len(refs), refs)
	}
}

// TestTheyRegisterWhileWeChange lets the original register a type, without a commit
// and without the lock, just before each request of a schema change and of what
// follows it. Both are there in the end, for its readers and for ours.
func TestTheyRegisterWhileWeChange(t *testing.T) {
	made, registered := entity("Made"), entity("Theirs")
	anew := 0 // changes that were made a second time
	for at, more := 0, true; more; at++ {
		synctest.Test(t, func(t *testing.T) {
			disk := mem.New("x")
			initialise(t, disk, format.EngineV1, thing)
			var attempts, began atomic.Int64 // of commit 3; of its requests
			began.Store(math.MaxInt32)
			b := &faulty.Bucket{Bucket: disk, At: -1}
			b.Delay = func(_ context.Context, number int, op, key string) {
				time.Sleep(time.Millisecond)
				if number == int(began.Load())+at {
					theyRegister(t, disk, registered, time.Now())
				}
				if id, _, ok := format.ParseCommitDir(key); ok && op == objstore.OpPut && id == 3 {
					attempts.Add(1)
				}
			}
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			if _, err := c.Commit(t.Context(), create(1, other)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond) // what the original reads is written
			began.Store(int64(b.Requests()))
			out, err := c.Commit(t.Context(), create(2, made))
			if err != nil || out.Commit != 3 {
				t.Fatalf("request %d: %+v, %v, want commit 3", at, out, err)
			}
			closeIt(t, c)
			if more = b.Requests() > int(began.Load())+at; !more {
				return
			}
			if attempts.Load() > 1 {
				anew++
			}
			next := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "next"})
			if _, err := next.Commit(t.Context(), put(3, "a", 1, made, registered)); err != nil {
				t.Errorf("request %d: the next writer: %v", at, err)
			}
			closeIt(t, next)
			wantOriginal(t, disk, thing, other, made, registered)
			verify(t, disk)
			if t.Failed() {
				t.Fatalf("at request %d", at)
			}
		})
	}
	if anew == 0 {
		t.Error("no change was made anew, want those before which the original was faster")
	}
}

// TestTheyRegisterTheSameType: the original registers the type that a change creates,
// or one that it is about to migrate, after the objects were read last.
func TestTheyRegisterTheSameType(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change writepath.Tx
		exists bool
	}{
		{"create", create(2, entity("Theirs")), true},
		{"migrate", migrate(entity("Theirs")), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := mem.New("x")
				initialise(t, b, format.EngineV1, thing)
				c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
				if _, err := c.Commit(t.Context(), create(1, other)); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second) // the objects are written, and the lock is given back: they register under it
				theyRegister(t, b, entity("Theirs"), time.Now())
				var exists *migration.ExistsError
				if _, err := c.Commit(t.Context(), tc.change); errors.As(err, &exists) != tc.exists || !tc.exists && err != nil {
					t.Errorf("%s: %v", tc.name, err)
				}
				closeIt(t, c)
				wantOriginal(t, b, thing, other, entity("Theirs"))
				verify(t, b)
			})
		})
	}
}

// TestChangeKnowsEverything: a change carries the schema of every type, also of one
// that got another version since the objects were read last, while the transaction
// itself writes rows of that version.
func TestChangeKnowsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing, other)
		c := writepath.Open(writepath.Options{Bucket: slow(b, time.Millisecond), RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), create(1, entity("First"))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // the lock is given back
		versions := decoded(t, b, format.VersionsKey(other), format.DecodeVersions)
		again := versions.Versions[0]
		again.SchemaVersionID = 2
		versions.Versions = append(versions.Versions, again)
		if _, err := b.Put(t.Context(), format.VersionsKey(other), format.EncodeVersions(versions)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Commit(t.Context(), put(2, "a", 1, thing)); err != nil { // the lock is held again
			t.Fatal(err)
		}
		tx := create(3, entity("Second"))
		tx.Data = put(3, "a", 1, other).Data
		tx.Data[0].SchemaVersion = 2
		if _, err := c.Commit(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		closeIt(t, c)
		chain := verify(t, b)
		change, err := chain[3].SchemaChange("")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range change.Types {
			if want := map[string]int64{"Other": 2}[s.Type]; s.SchemaVersionID != max(want, 1) {
				t.Errorf("the change says that %s has version %d", s.Type, s.SchemaVersionID)
			}
		}
	})
}

// TestFaultsBetweenChanges breaks each request of a client who changes the schema and
// writes rows right behind each change, without a pause. What was acknowledged is
// there, and after the next writer the original finds all of it, too.
func TestFaultsBetweenChanges(t *testing.T) {
	made, second := entity("Made"), entity("Second")
	migrated := migrate(made)
	steps := []writepath.Tx{
		create(1, made), put(2, "a", 1, made), create(3, second), migrated, put(5, "b", 1, second, other), drop(6, second), put(7, "c", 1, other),
	}
	for _, broken := range breakages {
		if broken.none {
			continue
		}
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			for at, more := 0, true; more; at++ {
				synctest.Test(t, func(t *testing.T) {
					disk := mem.New("x")
					initialise(t, disk, format.EngineV1, thing, other)
					b := &faulty.Bucket{Bucket: disk, At: at, Applied: broken.applied, Dead: broken.dead}
					b.Delay = func(context.Context, int, string, string) { time.Sleep(time.Millisecond) }
					c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
					told := map[ontosql.CommitID]string{}
					for i, tx := range steps {
						tx.Pin = readHead(t, disk).CommitID
						out, err := c.Commit(t.Context(), tx)
						if err != nil && broken.dead {
							break
						}
						if err != nil { // only the request that broke may cost a commit
							if out, err = c.Commit(t.Context(), tx); err != nil {
								t.Fatalf("step %d, once more: %v", i, err)
							}
						}
						told[out.Commit] = out.Attempt
					}
					_ = c.Close(t.Context())
					more = b.Requests() > at
					time.Sleep(time.Minute) // the lease of the dead is over
					next := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "next"})
					if _, err := next.Commit(t.Context(), put(readHead(t, disk).CommitID, "next", 1, thing)); err != nil {
						t.Errorf("the next writer: %v", err)
					}
					closeIt(t, next)
					chain := verify(t, disk)
					for id, attempt := range told {
						if int(id) > len(chain) || attemptOf(chain[id-1]) != attempt {
							t.Errorf("commit %d was acknowledged as attempt %s and is not there", id, attempt)
						}
					}
					types := registered(t, disk)
					checkProjected(t, disk, types...)
					checkDeclared(t, disk)
					wantOriginal(t, disk, types...)
					if t.Failed() {
						t.Fatalf("at request %d", at)
					}
				})
			}
		})
	}
}
