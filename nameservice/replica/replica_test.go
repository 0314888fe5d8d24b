package replica_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/memory"
	"github.com/ontosql/ontosql/nameservice/nameservicetest"
	"github.com/ontosql/ontosql/nameservice/replica"
	"github.com/ontosql/ontosql/objstore"
)

// TestContract: a replica is a name service.
func TestContract(t *testing.T) {
	nameservicetest.Run(t, func(*testing.T) nameservicetest.Store {
		local, upstream, known := new(memory.Service), new(memory.Service), new(memory.Service)
		return nameservicetest.Store{Open: func() nameservice.Service {
			return replica.Open(replica.Options{Local: local, Upstream: upstream, Known: known})
		}}
	})
}

var shop = nameservice.Alias{Name: "shop", Branch: "main"}

// cable is a connection to a name service that can be pulled out.
type cable struct {
	nameservice.Service
	out bool
}

var errOut = fmt.Errorf("%w: the cable is out", objstore.ErrUnreachable)

func (c *cable) Get(ctx context.Context, a nameservice.Alias) (*nameservice.Record, error) {
	if c.out {
		return nil, errOut
	}
	return c.Service.Get(ctx, a)
}

func (c *cable) List(ctx context.Context, kind string) ([]*nameservice.Record, error) {
	if c.out {
		return nil, errOut
	}
	return c.Service.List(ctx, kind)
}

func (c *cable) Purge(ctx context.Context, seen *nameservice.Record) (nameservice.Result, error) {
	if c.out {
		return nameservice.Result{}, errOut
	}
	return c.Service.Purge(ctx, seen)
}

// site is a replica and what it is connected to.
type site struct {
	*testing.T
	*replica.Replica
	local    *memory.Service
	upstream *memory.Service
	cable    *cable
}

func newSite(t *testing.T, upstream *memory.Service) *site {
	s := &site{T: t, local: new(memory.Service), upstream: upstream, cable: &cable{Service: upstream}}
	s.Replica = replica.Open(replica.Options{Local: s.local, Upstream: s.cable, Known: new(memory.Service)})
	return s
}

func head(v int64, by string) nameservice.Value {
	return nameservice.Value{V: v, Payload: fmt.Appendf(nil, `{"t":%d,"by":%q}`, v, by)}
}

func (s *site) create() {
	s.Helper()
	if _, err := s.Create(s.Context(), nameservice.New{Alias: shop, CreatedAt: time.Unix(1705312200, 0)}); err != nil {
		s.Fatal(err)
	}
}

func (s *site) push(on nameservice.Service, c nameservice.Concern, next nameservice.Value) {
	s.Helper()
	r, err := on.Get(s.Context(), shop)
	if err != nil {
		s.Fatal(err)
	}
	if result, err := on.Write(s.Context(), shop, nameservice.NewPush(c, r.Value(c), next)); err != nil || !result.Updated {
		s.Fatalf("push of %s %d: %+v, %v", c, next.V, result, err)
	}
}

func (s *site) sync(story string, pushed, pulled, diverged int) []replica.Divergence {
	s.Helper()
	report, err := s.Sync(s.Context())
	if err != nil || report.Pushed != pushed || report.Pulled != pulled || len(report.Diverged) != diverged {
		s.Errorf("%s: got %+v, %v; want %d pushed, %d pulled and %d diverged", story, report, err, pushed, pulled, diverged)
	}
	return report.Diverged
}

func (s *site) want(story string, on nameservice.Service, c nameservice.Concern, want nameservice.Value) {
	s.Helper()
	r, err := on.Get(s.Context(), shop)
	if err != nil || !r.Value(c).Equal(want) {
		s.Errorf("%s: got %+v, %v; want %d %s", story, r, err, want.V, want.Payload)
	}
}

// TestPushAndPull: what one site writes is upstream at once, and another site pulls it.
func TestPushAndPull(t *testing.T) {
	upstream := new(memory.Service)
	one, other := newSite(t, upstream), newSite(t, upstream)
	one.create()
	one.push(one, nameservice.Head, head(1, "one"))
	one.want("upstream", upstream, nameservice.Head, head(1, "one"))
	one.sync("nothing is left to do", 0, 0, 0)
	other.sync("the other site", 0, 1, 0)
	other.want("the other site", other, nameservice.Head, head(1, "one"))
	other.push(other, nameservice.Head, head(2, "other"))
	other.push(other, nameservice.Config, head(1, "other"))
	one.sync("back", 0, 2, 0)
	one.want("back", one, nameservice.Head, head(2, "other"))
	r, err := other.Get(t.Context(), shop)
	if err != nil || r.CreatedAt != 1705312200 {
		t.Errorf("the record of the other site: %+v, %v; want the time of its creation", r, err)
	}
}

// TestUpstreamAway: a site works while its upstream is away, and is in step afterwards.
func TestUpstreamAway(t *testing.T) {
	s := newSite(t, new(memory.Service))
	s.cable.out = true
	s.create()
	s.push(s, nameservice.Head, head(1, "s"))
	s.push(s, nameservice.Head, head(2, "s"))
	if _, err := s.Sync(t.Context()); !errors.Is(err, objstore.ErrUnreachable) {
		t.Errorf("Sync: %v, want %v", err, objstore.ErrUnreachable)
	}
	s.cable.out = false
	s.sync("the upstream is back", 1, 0, 0)
	s.want("the upstream is back", s.upstream, nameservice.Head, head(2, "s"))
}

// TestDivergence: a head that both sides have moved is reported and not touched, whichever is greater,
// while other concerns are kept in step; whoever decides ends it.
func TestDivergence(t *testing.T) {
	for _, test := range []struct{ here, there int64 }{{42, 43}, {43, 42}, {42, 42}} {
		s := newSite(t, new(memory.Service))
		s.create()
		s.push(s, nameservice.Head, head(41, "both"))
		s.cable.out = true
		s.push(s, nameservice.Head, head(test.here, "here"))
		s.push(s.upstream, nameservice.Head, head(test.there, "there"))
		s.push(s.upstream, nameservice.Config, head(1, "there"))
		s.cable.out = false
		story := fmt.Sprintf("%d here and %d upstream", test.here, test.there)
		for round := range 2 {
			diverged := s.sync(story, 0, 1-round, 1)
			if len(diverged) == 1 && (diverged[0].Concern != nameservice.Head || diverged[0].Local.V != test.here || diverged[0].Upstream.V != test.there) {
				t.Errorf("%s: reported as %s", story, diverged[0])
			}
			s.want(story, s.local, nameservice.Head, head(test.here, "here"))
			s.want(story, s.upstream, nameservice.Head, head(test.there, "there"))
		}
		// A merge of both, pushed to both sides.
		s.push(s.local, nameservice.Head, head(50, "merged"))
		s.push(s.upstream, nameservice.Head, head(50, "merged"))
		s.sync(story+", decided", 0, 0, 0)
		s.push(s, nameservice.Head, head(51, "here"))
		s.want(story+", decided", s.upstream, nameservice.Head, head(51, "here"))
	}
}

// TestForward: a forwarded edit is upstream only, until it is pulled.
func TestForward(t *testing.T) {
	s := newSite(t, new(memory.Service))
	s.create()
	if result, err := s.Upstream().Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, nameservice.Value{}, head(1, "s"))); err != nil || !result.Updated {
		t.Fatalf("forward: %+v, %v", result, err)
	}
	s.want("upstream", s.upstream, nameservice.Head, head(1, "s"))
	s.want("here", s, nameservice.Head, nameservice.Value{})
	s.sync("the pull", 0, 1, 0)
	s.want("here, pulled", s, nameservice.Head, head(1, "s"))
}

// TestRetractAndPurge: the mark of a retraction goes both ways with the status, and a purge removes
// the record on both sides.
func TestRetractAndPurge(t *testing.T) {
	upstream := new(memory.Service)
	one, other := newSite(t, upstream), newSite(t, upstream)
	one.create()
	other.sync("the other site", 0, 0, 0)
	if err := nameservice.Retract(t.Context(), one, shop, "over", time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	other.sync("a retraction", 0, 1, 0)
	r, err := other.Get(t.Context(), shop)
	if err != nil || !r.Retracted {
		t.Errorf("the other site: %+v, %v; want a retracted record", r, err)
	}
	one.cable.out = true
	if _, err := one.Purge(t.Context(), r); !errors.Is(err, objstore.ErrUnreachable) {
		t.Errorf("Purge without the upstream: %v", err)
	}
	one.cable.out = false
	if result, err := one.Purge(t.Context(), r); err != nil || !result.Updated {
		t.Errorf("Purge: %+v, %v", result, err)
	}
	if _, err := upstream.Get(t.Context(), shop); !errors.Is(err, nameservice.ErrNotFound) {
		t.Errorf("upstream after the purge: %v", err)
	}
	other.sync("a record that was removed upstream", 0, 0, 1)
	one.create()
	one.push(one, nameservice.Head, head(1, "new"))
	one.sync("a new record of the same name", 0, 0, 0)
}
