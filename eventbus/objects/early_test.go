package objects_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// slowList is a bucket that lists nothing before a claim was made.
type slowList struct {
	objstore.Bucket
	on      bool
	claimed chan struct{}
}

func (b *slowList) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	v, err := b.Bucket.Swap(ctx, key, want, body)
	if strings.HasPrefix(key, format.ClaimsPrefix) {
		b.claimed <- struct{}{}
	}
	return v, err
}

func (b *slowList) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	if b.on {
		select {
		case <-b.claimed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return objstore.ListFrom(ctx, b.Bucket, prefix, after, fn)
}

// TestClaimsWhileItLists: an event that the process has sent itself is claimed while the log is listed,
// and what the listing finds comes with it, in order.
func TestClaimsWhileItLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		b := &slowList{Bucket: s.Bucket, claimed: make(chan struct{}, 10)}
		bus, other := s.worker(b), s.worker(s.Bucket)
		s.claim(bus, "s")
		own, err := bus.Enqueue(t.Context(), named("own"))
		if err != nil {
			t.Fatal(err)
		}
		urgent := named("urgent")
		priority := int64(200)
		urgent[0].Priority = &priority
		first, err := other.Enqueue(t.Context(), urgent)
		if err != nil {
			t.Fatal(err)
		}
		b.on = true
		r := request("s")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		taken, err := bus.Claim(ctx, r)
		if err != nil {
			t.Fatalf("the claim waits for the listing: %v", err)
		}
		if len(taken) != 2 || taken[0].ID != first[0].ID || taken[1].ID != own[0].ID {
			t.Errorf("delivered: %+v; want the urgent one, then the own one", taken)
		}

		// If there is room for one only, or the last listing was long ago, it decides which.
		for _, c := range []struct {
			limit int
			pause time.Duration
		}{{1, 0}, {2, 2 * time.Second}} {
			b.on = false
			if _, err := bus.Enqueue(t.Context(), named("own")); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Enqueue(t.Context(), append(urgent, urgent...)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(c.pause)
			r.Limit = c.limit
			taken, err := bus.Claim(t.Context(), r)
			if err != nil || len(taken) != c.limit || taken[0].Priority != 200 || taken[c.limit-1].Priority != 200 {
				t.Errorf("limit %d after %v: %+v, %v; want urgent ones", c.limit, c.pause, taken, err)
			}
			r.Limit = eventbus.DefaultLimit
			if _, err := bus.Claim(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	})
}
