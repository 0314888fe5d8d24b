package transfer_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

// fragile is a bucket that can be away.
type fragile struct {
	*mem.Bucket
	away atomic.Bool
}

func (b *fragile) check() error {
	if b.away.Load() {
		return &objstore.Error{Op: "any", Bucket: "x", Err: objstore.ErrUnreachable}
	}
	return nil
}

func (b *fragile) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if err := b.check(); err != nil {
		return nil, objstore.Absent, err
	}
	return b.Bucket.Get(ctx, key)
}

func (b *fragile) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	if err := b.check(); err != nil {
		return nil, objstore.Absent, false, err
	}
	return b.Bucket.GetIfChanged(ctx, key, known)
}

// following is a copy that follows a source.
type following struct {
	t              *testing.T
	source, target *fragile
	stop           context.CancelFunc
	ended          chan error
	head           atomic.Int64
	aways          atomic.Int64
}

func follow(t *testing.T, source, target *mem.Bucket) *following {
	t.Helper()
	f := &following{t: t, source: &fragile{Bucket: source}, target: &fragile{Bucket: target}, ended: make(chan error, 1)}
	log, err := chain.Open("", chain.Options{Bucket: f.source})
	if err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, f.stop = context.WithCancel(t.Context())
	go func() {
		defer log.Close()
		f.ended <- transfer.NewObjects(f.source, log, f.target, transfer.CopyOptions{Temp: t.TempDir()}).Follow(ctx, func(told transfer.Followed) {
			if told.Away != nil {
				f.aways.Add(1)
				return
			}
			f.head.Store(int64(told.Copied.Head))
		})
	}()
	return f
}

// at fails the test unless the copy is at a commit.
func (f *following) at(want ontosql.CommitID, when string) {
	f.t.Helper()
	synctest.Wait()
	if got := headOf(f.t, f.target.Bucket); got != want || f.head.Load() != int64(want) {
		f.t.Errorf("%s: the copy is at commit %d, told is %d, want %d", when, got, f.head.Load(), want)
	}
}

func headOf(t *testing.T, b objstore.Bucket) ontosql.CommitID {
	t.Helper()
	body, _, err := b.Get(t.Context(), format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return -1
	}
	if err != nil {
		t.Fatal(err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	return head.CommitID
}

// TestFollow: a copy is behind by a second. It waits for a source and a target that are away, looks
// less and less often, and goes on where it was. It ends with its context.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, target := &mem.Bucket{}, &mem.Bucket{}
		gatewayBegins(t, source)
		f := follow(t, source, target)
		f.at(2, "at once")
		gatewayCreates(t, source, "Second")
		time.Sleep(time.Second)
		f.at(4, "after a second")
		gatewayDrops(t, source, "Second")
		time.Sleep(time.Second)
		f.at(5, "after another second")

		for _, b := range []*fragile{f.source, f.target} {
			before := f.aways.Load()
			b.away.Store(true)
			head := gatewayCreates(t, source, "Third")
			time.Sleep(10 * time.Minute)
			f.at(head-2, "with a store that is away")
			if n := f.aways.Load() - before; n < 20 || n > 30 {
				t.Errorf("in ten minutes it looked %d times", n)
			}
			b.away.Store(false)
			time.Sleep(30 * time.Second)
			f.at(head, "when the store is back")
			gatewayDrops(t, source, "Third")
			time.Sleep(time.Second)
			f.at(head+1, "and a second later")
		}

		// A directory that is not mounted has no head.
		head := objectsIn(t, source)[format.HeadKey]
		if err := source.Delete(t.Context(), format.HeadKey); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		put(t, source, format.HeadKey, head)
		created := gatewayCreates(t, source, "Fourth")
		time.Sleep(30 * time.Second)
		f.at(created, "when the source is mounted again")

		// Neither has a target. It is not filled anew.
		kept := objectsIn(t, target)
		for key := range kept {
			if err := target.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		gatewayDrops(t, source, "Fourth")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if left := objectsIn(t, target); len(left) > 0 {
			t.Errorf("into a target that is not mounted it has copied %d objects", len(left))
		}
		for key, body := range kept {
			put(t, target, key, body)
		}
		time.Sleep(30 * time.Second)
		f.at(created+1, "when the target is mounted again")

		// A target that was put back to an earlier state gets all that has changed since.
		for key := range objectsIn(t, target) {
			if kept[key] == "" {
				if err := target.Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			}
		}
		for key, body := range kept {
			put(t, target, key, body)
		}
		time.Sleep(time.Minute)
		f.at(created+1, "when the target was put back")
		if diff := cmp.Diff(sums(sharedIn(t, source)), sums(sharedIn(t, target))); diff != "" {
			t.Errorf("objects (-source +target):\n%s", diff)
		}

		// Event data has no commits.
		const event = "events/ns/2026-01-02T03-04-05_e.json"
		if _, err := source.Put(t.Context(), event, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, _, err := target.Get(t.Context(), event); err != nil {
			t.Errorf("event data after a minute: %v", err)
		}
		f.stop()
		if err := <-f.ended; err != nil {
			t.Errorf("stopped: %v", err)
		}
		sound(t, target, true)
	})
}

// TestFollowFromEmpty follows an ontology from its initialisation, over a collection that gives its
// head another time. One that was initialised otherwise is another one.
func TestFollowFromEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, target, other := &mem.Bucket{}, &mem.Bucket{}, &mem.Bucket{}
		for _, b := range []*mem.Bucket{other, source} {
			if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		f := follow(t, source, target)
		f.at(0, "at once")
		fence(t, source)
		time.Sleep(2 * time.Minute)
		f.at(0, "after a collection")
		if _, err := copyObjects(t, source, other); !errors.Is(err, transfer.ErrOtherOntology) {
			t.Errorf("a copy to another empty ontology: %v", err)
		}
		gatewayCreates(t, source, "First")
		time.Sleep(time.Second)
		f.at(2, "after the first commits")
		f.stop()
		if err := <-f.ended; err != nil {
			t.Errorf("stopped: %v", err)
		}
		sound(t, target, true)
		if _, err := copyObjects(t, source, other); !errors.Is(err, transfer.ErrOtherOntology) {
			t.Errorf("a copy of commits to another empty ontology: %v", err)
		}
	})
}

// fence gives the head of a store a new version, as a collection of garbage does.
func fence(t *testing.T, b objstore.Bucket) {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	o := writepath.MaintenanceOptions{Bucket: b, Log: log, Owner: "gc"}
	if err := writepath.Maintain(t.Context(), o, func(ctx context.Context, m *writepath.Maintenance) error { return m.Fence(ctx) }); err != nil {
		t.Fatal(err)
	}
}

// TestFollowEnds: a source that was reset, restored or exchanged, and a target that went its own way,
// end it. The target is as it was.
func TestFollowEnds(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *following, map[string]string){
		"source restored": func(t *testing.T, f *following, earlier map[string]string) {
			put(t, f.source, format.HeadKey, earlier[format.HeadKey])
		},
		"source restored, and written to": func(t *testing.T, f *following, earlier map[string]string) {
			for key := range objectsIn(t, f.source.Bucket) {
				if _, there := earlier[key]; !there {
					if err := f.source.Delete(t.Context(), key); err != nil {
						t.Fatal(err)
					}
				}
			}
			for key, body := range earlier {
				put(t, f.source, key, body)
			}
			gatewayCreates(t, f.source.Bucket, "Other")
			gatewayCreates(t, f.source.Bucket, "Another")
		},
		"target written to": func(t *testing.T, f *following, _ map[string]string) {
			gatewayCreates(t, f.target.Bucket, "Own")
			gatewayCreates(t, f.source.Bucket, "Third")
		},
		"source damaged": func(t *testing.T, f *following, _ map[string]string) {
			put(t, f.source, format.HeadKey, "{")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source, target := &mem.Bucket{}, &mem.Bucket{}
				gatewayBegins(t, source)
				earlier := objectsIn(t, source)
				gatewayCreates(t, source, "Second")
				f := follow(t, source, target)
				f.at(4, "at once")
				change(t, f, earlier)
				before := sums(objectsIn(t, target))
				time.Sleep(time.Minute)
				err := <-f.ended
				var damaged *ontosql.CorruptError
				if !errors.Is(err, transfer.ErrOtherOntology) && (name != "source damaged" || !errors.As(err, &damaged)) {
					t.Errorf("it ended with %v", err)
				}
				after := sums(objectsIn(t, target))
				for key, sum := range before {
					if after[key] != sum {
						t.Errorf("%s of the target is changed", key)
					}
				}
				if len(after) != len(before) {
					t.Errorf("the target has %d objects, had %d", len(after), len(before))
				}
			})
		})
	}
	t.Run("nothing at first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := follow(t, &mem.Bucket{}, &mem.Bucket{})
			if err := <-f.ended; !errors.Is(err, ontosql.ErrNotInitialised) {
				t.Errorf("it ended with %v", err)
			}
		})
	})
}

func put(t *testing.T, b objstore.Bucket, key, body string) {
	t.Helper()
	if _, err := b.Put(t.Context(), key, []byte(body)); err != nil {
		t.Fatal(err)
	}
}
