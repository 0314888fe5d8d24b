package transfer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// TestCopyMeetsWriter lets somebody commit to the target before each request of a second run to it,
// unless the copy has the lock: his commits and his schema stay what they are.
func TestCopyMeetsWriter(t *testing.T) {
	source, first := &mem.Bucket{}, &mem.Bucket{}
	gatewayBegins(t, source)
	if _, err := copyObjects(t, source, first); err != nil {
		t.Fatal(err)
	}
	written, locked := 0, 0
	for _, name := range []string{"Second", "Third"} { // after a change of the schema, and after one of rows
		if name == "Third" {
			gatewayDrops(t, source, "Second")
		}
		gatewayCreates(t, source, name)
		for at, more := 0, true; more; at++ {
			target := clone(t, first)
			b := &faulty.Bucket{Bucket: target, At: -1, Delay: func(_ context.Context, number int, _, _ string) {
				switch {
				case number != at:
				case leased(t, target):
					locked++
				default:
					gatewayCreates(t, target, "Own")
					written++
				}
			}}
			before := written
			_, err := copyObjects(t, source, b)
			more = b.Requests() > at
			sound(t, target, true)
			if written == before {
				continue
			}
			own := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Own"}
			if rows := theirs(t, target)[own].Rows; len(rows) != 1 {
				t.Errorf("a commit before request %d: the type has the rows %v, the copy says %v", at, rows, err)
			}
			if t.Failed() {
				return
			}
		}
	}
	if written < 10 || locked < 5 {
		t.Errorf("somebody committed %d times, and the copy had the lock %d times", written, locked)
	}
}

// leased reports whether somebody has the lock of a bucket.
func leased(t *testing.T, b objstore.Bucket) bool {
	body, _, err := b.Get(t.Context(), format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return false
	}
	lock, bad := format.DecodeLock(format.LockKey, body)
	if err := errors.Join(err, bad); err != nil {
		t.Error(err)
		return false
	}
	return !lock.Released() && !lock.Expired(time.Now())
}

// TestCopyMeetsCollection lets a day pass and garbage be collected, in the source and in the target,
// before each request of a second run: what has been copied and is above the head stays.
func TestCopyMeetsCollection(t *testing.T) {
	for _, side := range []string{"source", "target"} {
		for at, more := 0, true; more; at++ {
			synctest.Test(t, func(t *testing.T) {
				source, target := &mem.Bucket{}, &mem.Bucket{}
				gatewayBegins(t, source)
				if _, err := copyObjects(t, source, target); err != nil {
					t.Fatal(err)
				}
				gatewayCreates(t, source, "Second")
				removed := 0
				watched := func(b *mem.Bucket) *faulty.Bucket {
					return &faulty.Bucket{Bucket: b, At: -1, Delay: func(_ context.Context, number int, _, _ string) {
						if number == at {
							time.Sleep(25 * time.Hour)
							removed = collected(t, b)
						}
					}}
				}
				var b *faulty.Bucket
				from, to := objstore.Bucket(source), objstore.Bucket(target)
				if side == "source" {
					b = watched(source)
					from = b
				} else {
					b = watched(target)
					to = b
				}
				done, err := copyObjects(t, from, to)
				if errors.Is(err, writepath.ErrLeaseLost) { // the request was for the lock
					done, err = copyObjects(t, from, to)
				}
				if more = b.Requests() > at; err != nil || done.Head != 4 || removed != 0 {
					t.Fatalf("with a collection of %d objects before request %d to the %s: %+v, %v", removed, at, side, done, err)
				}
				sound(t, target, true)
			})
		}
	}
}

// collected removes the garbage of a store and returns the number of objects.
func collected(t *testing.T, b objstore.Bucket) int {
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Error(err)
		return 0
	}
	defer log.Close()
	done, err := gc.Run(context.WithoutCancel(t.Context()), gc.Options{
		MaintenanceOptions: writepath.MaintenanceOptions{Bucket: b, Log: log, Owner: "gc"}, Grace: gc.DefaultGrace, Apply: true,
	})
	if err != nil {
		t.Errorf("collection: %v", err)
		return 0
	}
	return done.Removed.Objects
}
