package writepath_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// mortal is a store as a process sees it that dies when the head has moved, or when it is told to.
type mortal struct {
	objstore.Bucket
	dead atomic.Bool
}

func (m *mortal) gone(op, key string) error {
	if !m.dead.Load() {
		return nil
	}
	return &objstore.Error{Op: op, Bucket: m.String(), Key: key, Err: objstore.ErrUnreachable}
}

func (m *mortal) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if err := m.gone(objstore.OpGet, key); err != nil {
		return nil, objstore.Absent, err
	}
	return m.Bucket.Get(ctx, key)
}

func (m *mortal) List(ctx context.Context, prefix string, visit func(objstore.Object) error) error {
	if err := m.gone(objstore.OpList, prefix); err != nil {
		return err
	}
	return m.Bucket.List(ctx, prefix, visit)
}

func (m *mortal) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	if err := m.gone(objstore.OpSwap, key); err != nil {
		return objstore.Absent, err
	}
	v, err := m.Bucket.Swap(ctx, key, want, body)
	if key == format.HeadKey && err == nil {
		m.dead.Store(true)
	}
	return v, err
}

func (m *mortal) Delete(ctx context.Context, key string) error {
	if err := m.gone(objstore.OpDelete, key); err != nil {
		return err
	}
	return m.Bucket.Delete(ctx, key)
}

// leaveHalf commits a schema change as commit 2 for ann, by a writer that dies when the head has
// moved: none of the objects that the original reads has the change. Its lease is over then.
func leaveHalf(t *testing.T, disk objstore.Bucket) {
	t.Helper()
	leaveHalfFor(t, disk, 30*time.Second)
	time.Sleep(time.Minute)
}

// leaveHalfFor is leaveHalf, but for the rest of the lease.
func leaveHalfFor(t *testing.T, disk objstore.Bucket, lease time.Duration) {
	t.Helper()
	c := writepath.Open(writepath.Options{Bucket: &mortal{Bucket: disk}, RuntimeID: "mortal", LeaseTTL: lease})
	if _, err := c.Commit(t.Context(), writepath.Tx{Pin: 1, Actor: "ann", Schema: remake}); err != nil {
		t.Fatal(err)
	}
	_ = c.Close(t.Context())
}

// wantTold checks that no object of commit 2 is told of twice, and that some were written.
func wantTold(t *testing.T, disk objstore.Bucket) objstore.Version {
	t.Helper()
	rows, version := recoveries(t, disk)
	told, written := map[string]bool{}, 0
	for _, r := range rows {
		if told[r.Projection] || r.Commit != 2 || r.ForActor != "ann" {
			t.Errorf("recoveries: %+v, want each object of commit 2 once, for ann", r)
		}
		told[r.Projection] = true
		if r.Outcome == format.RecoveryWritten {
			written++
		}
	}
	if written == 0 || !told[format.DroppedKey] || !told[format.RegistryKey] || !told[format.ExtrasKey] {
		t.Errorf("recoveries: %+v, want them of all that was written", rows)
	}
	return version
}

// TestEveryEntryHeals: a writer that is open for long finds what another left half done at its next
// write, whatever that is, and completes it without being opened again.
func TestEveryEntryHeals(t *testing.T) {
	describe := func(s *migration.State) error {
		return s.Describe(format.Extras{Kind: "entity", Type: "Other", Comment: "Later."})
	}
	for name, entry := range map[string]func(ctx context.Context, c *writepath.Committer) error{
		"rows of another type": func(ctx context.Context, c *writepath.Committer) error {
			_, err := c.Commit(ctx, put(2, "b", 1, other))
			return err
		},
		"rows of the changed type": func(ctx context.Context, c *writepath.Committer) error {
			_, err := c.Commit(ctx, put(2, "b", 1, thing))
			return err
		},
		"schema": func(ctx context.Context, c *writepath.Committer) error {
			_, err := c.Commit(ctx, writepath.Tx{Pin: 2, Schema: describe})
			return err
		},
		"schema and rows": func(ctx context.Context, c *writepath.Committer) error {
			tx := put(2, "b", 1, other)
			tx.Schema = describe
			_, err := c.Commit(ctx, tx)
			return err
		},
		"registration": func(ctx context.Context, c *writepath.Committer) error {
			_, err := c.Register(ctx, time.Time{}, schemas(links))
			return err
		},
		"reservation": func(ctx context.Context, c *writepath.Committer) error {
			r, err := c.Reserve(ctx, 0)
			if err != nil {
				return err
			}
			defer r.Release()
			_, err = c.Commit(ctx, under(r, put(2, "b", 1, other)))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				initialise(t, disk, format.EngineV1, thing, other, links)
				long := writepath.Open(writepath.Options{Bucket: slow(disk, time.Millisecond), RuntimeID: "long"})
				r, err := long.Reserve(t.Context(), 0)
				if err != nil {
					t.Fatal(err)
				}
				r.Release() // it has read the store
				time.Sleep(5 * time.Second)
				leaveHalf(t, disk)
				if err := entry(t.Context(), long); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Second) // the lock is returned
				version := wantTold(t, disk)
				if _, err := long.Commit(t.Context(), put(readHead(t, disk).CommitID, "c", 1, other)); err != nil {
					t.Fatal(err)
				}
				closeIt(t, long)
				if _, same := recoveries(t, disk); same != version {
					t.Error("the next commit tells of it again")
				}
				verify(t, disk)
			})
		})
	}
}

// TestLiveStepsAreNotStolen: the steps behind the head of a writer that lives, however slow, are its
// own. Others wait for the lock, and have nothing to complete then.
func TestLiveStepsAreNotStolen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing, other, links)
		crawling := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
			if op == objstore.OpSwap && strings.HasPrefix(key, "meta/schema/") {
				time.Sleep(50 * time.Second) // longer than a lease
			}
		}}
		a := writepath.Open(writepath.Options{Bucket: crawling, RuntimeID: "a"})
		b := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "b", LockTimeout: time.Hour})
		if _, err := a.Commit(t.Context(), writepath.Tx{Pin: 1, Schema: remake}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := b.Commit(t.Context(), put(2, "b", 1, other)); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) < 100*time.Second {
			t.Errorf("another writer came first, after %s", time.Since(began))
		}
		closeIt(t, a)
		closeIt(t, b)
		if rows, _ := recoveries(t, disk); rows != nil {
			t.Errorf("steps of a writer that lives were completed by another: %+v", rows)
		}
		verify(t, disk)
	})
}

// TestRecordCannotBeWritten: the manifest, which records the steps, comes before the first of them.
// Without it nothing of the change is there, and the next one succeeds.
func TestRecordCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing, other, links)
		before := schemaObjects(t, disk)
		full := &refusing{Bucket: disk, prefix: "commits/", err: objstore.ErrDenied}
		c := writepath.Open(writepath.Options{Bucket: full, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), writepath.Tx{Pin: 1, Schema: remake}); !errors.Is(err, objstore.ErrDenied) {
			t.Errorf("a manifest that cannot be written: %v", err)
		}
		if now := schemaObjects(t, disk); readHead(t, disk).CommitID != 1 || len(now) != len(before) || now[format.RegistryKey] != before[format.RegistryKey] {
			t.Error("something of the change is there")
		}
		full.over.Store(true)
		if _, err := c.Commit(t.Context(), writepath.Tx{Pin: 1, Schema: remake}); err != nil {
			t.Errorf("when it works again: %v", err)
		}
		closeIt(t, c)
		if rows, _ := recoveries(t, disk); rows != nil {
			t.Errorf("recoveries: %+v, want none", rows)
		}
		verify(t, disk)
	})
}

// TestRecoveryIsToldOnce breaks each request of the writer that completes a change, in every way.
// Whoever completes it in the end, each object that was written for the dead is told of once.
func TestRecoveryIsToldOnce(t *testing.T) {
	for _, broken := range breakages[:4] {
		t.Run(broken.name, func(t *testing.T) {
			for at, more := 0, true; more; at++ {
				synctest.Test(t, func(t *testing.T) {
					disk := mem.New("x")
					initialise(t, disk, format.EngineV1, thing, other, links)
					leaveHalf(t, disk)
					before := schemaObjects(t, disk)
					b := &faulty.Bucket{Bucket: disk, At: at, Applied: broken.applied, Dead: broken.dead}
					second := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "second"})
					_, _ = second.Commit(t.Context(), put(2, "b", 1, other))
					_ = second.Close(t.Context())
					more = b.Requests() > at
					time.Sleep(time.Minute)
					third := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "third"})
					if _, err := third.Commit(t.Context(), put(readHead(t, disk).CommitID, "c", 1, other)); err != nil {
						t.Fatal(err)
					}
					closeIt(t, third)
					wantTold(t, disk)
					rows, _ := recoveries(t, disk)
					told := map[string]bool{}
					for _, r := range rows {
						told[r.Projection] = r.Outcome == format.RecoveryWritten
					}
					for key, version := range schemaObjects(t, disk) {
						if version != before[key] && !told[key] {
							t.Errorf("%s was written, which nothing tells", key)
						}
					}
					verify(t, disk)
					if t.Failed() {
						t.Fatalf("at request %d", at)
					}
				})
			}
		})
	}
}

// TestLookingFails: a writer that cannot see what others left half done changes nothing, and says so.
// Once it sees again it completes it.
func TestLookingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing, other, links)
		leaveHalf(t, disk)
		before := schemaObjects(t, disk)
		blind := &blindFor{Bucket: disk, prefix: "commits/"}
		c := writepath.Open(writepath.Options{Bucket: blind, RuntimeID: "test"})
		change := writepath.Tx{Pin: 2, Schema: func(s *migration.State) error { return s.Drop(other, true) }}
		if _, err := c.Commit(t.Context(), change); !errors.Is(err, objstore.ErrUnreachable) {
			t.Errorf("%v, want that the store cannot be reached", err)
		}
		if now := schemaObjects(t, disk); readHead(t, disk).CommitID != 2 || now[format.RegistryKey] != before[format.RegistryKey] {
			t.Error("something was changed blindly")
		}
		blind.over.Store(true)
		if _, err := c.Commit(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		closeIt(t, c)
		wantTold(t, disk)
		verify(t, disk)
	})
}

// blindFor is a store from which nothing below a prefix can be read until it is over.
type blindFor struct {
	objstore.Bucket
	prefix string
	over   atomic.Bool
}

func (b *blindFor) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if !b.over.Load() && strings.HasPrefix(key, b.prefix) {
		return nil, objstore.Absent, &objstore.Error{Op: objstore.OpGet, Bucket: b.String(), Key: key, Err: objstore.ErrUnreachable}
	}
	return b.Bucket.Get(ctx, key)
}

// TestDamagedRecordsAreRefused: a record that cannot be read stays as it is, for a person to look at.
// Writers and readers that need it name it. When it is whole again, or gone where it may be, the
// change is completed.
func TestDamagedRecordsAreRefused(t *testing.T) {
	for _, damage := range []string{"", "{", "garbage", `{"recoveries":[7]}`} {
		for _, record := range []string{"manifest", "recoveries"} {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				initialise(t, disk, format.EngineV1, thing, other, links)
				leaveHalf(t, disk)
				key := format.RecoveriesKey
				if record == "manifest" {
					key = *readHead(t, disk).ManifestPath
				}
				whole, _, err := disk.Get(t.Context(), key)
				if err != nil && record == "manifest" {
					t.Fatal(err)
				}
				put := func(body []byte) {
					if _, err := disk.Put(t.Context(), key, body); err != nil {
						t.Fatal(err)
					}
				}
				put([]byte(damage))
				c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "test"})
				change := writepath.Tx{Pin: 2, Schema: func(s *migration.State) error { return s.Drop(other, true) }}
				var corrupt *ontosql.CorruptError
				if _, err := c.Commit(t.Context(), change); !errors.As(err, &corrupt) || corrupt.Key != key {
					t.Errorf("%s of %q: a writer says %v", record, damage, err)
				}
				if record == "manifest" {
					log, err := chain.Open("", chain.Options{Bucket: disk})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := log.At(t.Context(), readHead(t, disk)); !errors.As(err, &corrupt) {
						t.Errorf("%s of %q: a reader says %v", record, damage, err)
					}
				}
				if now, _, err := disk.Get(t.Context(), key); err != nil || !bytes.Equal(now, []byte(damage)) {
					t.Errorf("%s of %q was made %q, %v", record, damage, now, err)
				}
				if record == "manifest" {
					put(whole)
				} else if err := disk.Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Commit(t.Context(), change); err != nil {
					t.Errorf("%s of %q, put right: %v", record, damage, err)
				}
				closeIt(t, c)
				wantTold(t, disk)
				verify(t, disk)
			})
		}
	}
}
