package outbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
)

// view is the history as it is now, as a bucket shows it.
func (s *store) view(b objstore.Bucket) *chain.View {
	s.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { log.Close() })
	body, _, err := s.Get(s.Context(), format.HeadKey)
	if err != nil {
		s.Fatal(err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		s.Fatal(err)
	}
	view, err := log.At(s.Context(), head)
	if err != nil {
		s.Fatal(err)
	}
	return view
}

// marked is a bucket that answers what the mark is only after an event was put.
type marked struct {
	objstore.Bucket
	put chan struct{}
}

func (m *marked) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if key == format.EventsSentKey {
		select {
		case <-m.put:
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
	return m.Bucket.Get(ctx, key)
}

func (m *marked) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	v, err := m.Bucket.Swap(ctx, key, want, body)
	if strings.HasPrefix(key, format.EventsPrefix) {
		m.put <- struct{}{}
	}
	return v, err
}

// TestOwnCommits: the event of a commit that was just made is put while the mark is read. After a while
// the mark is asked first: others may have sent it, handled it and cleaned it up.
func TestOwnCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		left := s.mustCommit(`{"left":1}`)
		fresh := s.mustCommit(`{"fresh":1}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		b := &marked{s.Bucket, make(chan struct{}, 2)}
		if err := s.outbox(b).Send(ctx, s.view(s.Bucket), outbox.Own{From: 2, At: time.Now()}); err != nil {
			t.Fatalf("the put waits for the mark: %v", err)
		}
		s.sent("an own commit and one of somebody who died", left, fresh)

		s.mustCommit(`{"late":1}`)
		began := time.Now()
		s.look() // somebody else
		for _, key := range s.keys(format.EventsPrefix) {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		if err := s.outbox(s.Bucket).Send(t.Context(), s.view(s.Bucket), outbox.Own{From: 3, At: began}); err != nil {
			t.Fatal(err)
		}
		s.sent("a committer that was stopped after its commit")
	})
}

// TestMarkOfOthersStays: a committer that is late puts its events, and does not set back the mark that
// another one has moved further.
func TestMarkOfOthersStays(t *testing.T) {
	s := newStore(t)
	a := s.mustCommit(`{"a":1}`)
	view := s.view(s.Bucket)
	b := s.mustCommit(`{"b":1}`)
	s.look()
	before, _, err := s.Get(t.Context(), format.EventsSentKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.outbox(s.Bucket).Send(t.Context(), view, outbox.Own{From: 1, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if after, _, err := s.Get(t.Context(), format.EventsSentKey); err != nil || string(after) != string(before) {
		t.Errorf("the mark was %s and is %s, %v", before, after, err)
	}
	s.sent("both committers", a, b)
}

// TestFaultsOfOwnCommits: a committer fails or dies at one request while it sends. What it has not sent
// is sent by whoever looks next.
func TestFaultsOfOwnCommits(t *testing.T) {
	for _, f := range []struct{ applied, dead bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		t.Run(fmt.Sprintf("applied %v, dead %v", f.applied, f.dead), func(t *testing.T) {
			for at := 0; ; at++ {
				s := newStore(t)
				left := s.mustCommit(`{"left":1}`)
				first := s.mustCommit(`{"a":1}`, `{"b":2}`)
				second := s.mustCommit(`{"c":3}`)
				bad := &faulty.Bucket{Bucket: s.Bucket, At: at, Applied: f.applied, Dead: f.dead}
				ours := s.outbox(bad)
				err := ours.Send(t.Context(), s.view(s.Bucket), outbox.Own{From: 2, At: time.Now()})
				if err == nil {
					s.sent("the committer was told so", left, first, second)
				}
				s.look()
				s.sent("somebody looks", left, first, second)
				if t.Failed() {
					t.Fatalf("when request %d failed", at)
				}
				if bad.Requests() <= at {
					return
				}
			}
		})
	}
}
