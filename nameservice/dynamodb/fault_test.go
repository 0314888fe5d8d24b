package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
)

// story is a write to a table in which shop is in some state.
type story struct {
	name    string
	prepare func(x table)
	do      func(ctx context.Context, s *Service) (updated bool, err error)
	done    func(r *nameservice.Record) bool // of the record that a healthy service finds, nil for none
}

func (x table) create() {
	x.Helper()
	s := x.open(nil)
	if _, err := s.Create(x.Context(), nameservice.New{Alias: shop, CreatedAt: created}); err != nil {
		x.Fatal(err)
	}
	for _, c := range nameservice.Concerns {
		x.write(nameservice.NewFastForward(c, value(5, `{"v":5}`)))
	}
}

func (x table) write(e nameservice.Edit) {
	x.Helper()
	if result, err := x.open(nil).Write(x.Context(), shop, e); err != nil || !result.Updated {
		x.Fatalf("prepare: %+v, %v", result, err)
	}
}

// found returns the record, nil for none.
func (x table) found() *nameservice.Record {
	x.Helper()
	r, err := x.open(nil).Get(x.Context(), shop)
	if err != nil && !errors.Is(err, nameservice.ErrNotFound) {
		x.Errorf("a healthy service: %v", err)
	}
	return r
}

const legacyShop = `{"ledger_alias":"shop:main","commit_address":"x","commit_t":5,"status":"ready","updated_at":1705312200,"other":"kept"}`

func stories() []story {
	var retracted *nameservice.Record
	all := []story{
		{
			"create", func(table) {},
			func(ctx context.Context, s *Service) (bool, error) {
				_, err := s.Create(ctx, nameservice.New{Alias: shop, CreatedAt: created})
				return err == nil, err
			},
			func(r *nameservice.Record) bool { return r != nil },
		},
		{
			"purge", func(x table) {
				x.create()
				x.write(nameservice.NewRetract(5, value(6, `{"state":"retracted"}`)))
				retracted = x.found()
			},
			func(ctx context.Context, s *Service) (bool, error) {
				result, err := s.Purge(ctx, retracted)
				return result.Updated, err
			},
			func(r *nameservice.Record) bool { return r == nil },
		},
		{
			"migrate", func(x table) { x.plant(shop, legacyShop) },
			func(ctx context.Context, s *Service) (bool, error) {
				_, err := s.Migrate(ctx, shop)
				return err == nil, err // after a lost answer it finds version 2
			},
			func(r *nameservice.Record) bool { return !r.Legacy },
		},
	}
	writing := func(name string, prepare func(table), e nameservice.Edit) {
		all = append(all, story{
			name, prepare,
			func(ctx context.Context, s *Service) (bool, error) {
				result, err := s.Write(ctx, shop, e)
				return result.Updated, err
			},
			e.Done,
		})
	}
	legacy := func(x table) { x.plant(shop, legacyShop) }
	for _, c := range nameservice.Concerns {
		next := value(6, `{"state":"next"}`)
		writing("push of "+c.String(), table.create, nameservice.NewPush(c, value(5, `{"v":5}`), next))
		writing("fast-forward of "+c.String(), table.create, nameservice.NewFastForward(c, next))
		writing("the first write of version 1: "+c.String(), legacy, nameservice.NewFastForward(c, next))
	}
	writing("retract", table.create, nameservice.NewRetract(5, value(6, `{"state":"retracted"}`)))
	return all
}

// TestFaultsAtEveryRequest breaks each request of each story: once, or all from there on, losing the
// question or the answer, or answering that something failed before or after it was done. One fault is
// settled, whatever it is. After more of them an error says that it is not known, unless nothing is visible.
func TestFaultsAtEveryRequest(t *testing.T) {
	x := newTable(t, true)
	clear := func() {
		if _, err := x.open(nil).client.DeleteItem(t.Context(), removal(x)); err != nil {
			t.Fatal(err)
		}
	}
	for _, st := range stories() {
		for _, dead := range []bool{false, true} {
			for _, kind := range []string{"question lost", "answer lost", "status 500", "status 500 after it", "throttled"} {
				t.Run(fmt.Sprintf("%s/%s/dead=%v", st.name, kind, dead), func(t *testing.T) {
					x := table{t, x.name, x.endpoint}
					for at := 0; ; at++ {
						clear()
						st.prepare(x)
						tr, hit := broken(kind, at, dead)
						updated, err := st.do(t.Context(), x.open(tr))
						done := st.done(x.found())
						switch {
						case err == nil && updated != done:
							t.Errorf("request %d: updated: %v, visible: %v", at, updated, done)
						case err == nil && !updated:
							t.Errorf("request %d: a conflict with nobody", at)
						case err != nil && done && !errors.Is(err, ontosql.ErrOutcomeUnknown) && st.name != "migrate":
							t.Errorf("request %d: it is visible, and the error is %v", at, err)
						case err != nil && !dead:
							t.Errorf("request %d: one fault is not settled: %v", at, err)
						}
						if !hit.Load() {
							break
						}
					}
				})
			}
		}
	}
}

// broken breaks the request at, or all from it on if dead.
func broken(kind string, at int, dead bool) (*transport, *atomic.Bool) {
	hit := new(atomic.Bool)
	mine := func(n int) bool {
		if n == at || dead && n > at {
			hit.Store(true)
			return true
		}
		return false
	}
	tr := new(transport)
	switch kind {
	case "answer lost":
		tr.lose = func(n int, _ exchange) bool { return mine(n) }
	case "status 500 after it":
		tr.spoil = func(n int, _ exchange) bool { return mine(n) }
	default:
		tr.answer = func(n int, _ exchange) (*http.Response, error) {
			switch {
			case !mine(n):
				return nil, nil
			case kind == "throttled":
				return refusal(400, "ProvisionedThroughputExceededException", "too fast"), nil
			case kind == "status 500":
				return refusal(500, "InternalServerError", "as the test says"), nil
			}
			return nil, errLost
		}
	}
	return tr, hit
}

// TestOneCreatorWins: of creators who all lose each second answer, one has created the record.
func TestOneCreatorWins(t *testing.T) {
	x := newTable(t, false)
	for round := range 5 {
		a := nameservice.Alias{Name: fmt.Sprint("shop", round), Branch: "main"}
		var won atomic.Int32
		var winner atomic.Int64
		var g errgroup.Group
		for i := range 12 {
			g.Go(func() error {
				tr := &transport{lose: func(n int, _ exchange) bool { return (n+i)%2 == 0 }}
				r, err := x.open(tr).Create(t.Context(), nameservice.New{Alias: a, CreatedAt: created.AddDate(0, 0, i)})
				if err == nil {
					won.Add(1)
					winner.Store(r.CreatedAt)
				} else if !errors.Is(err, nameservice.ErrExists) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || won.Load() != 1 {
			t.Fatalf("%d creators have won, %v; want 1", won.Load(), err)
		}
		if r, err := x.open(nil).Get(t.Context(), a); err != nil || r.CreatedAt != winner.Load() {
			t.Errorf("the record is %+v, %v; want that of the winner, created at %d", r, err, winner.Load())
		}
	}
}

// TestOthersAfterALostAnswer: others have gone on from a write whose answer was lost, so that it can
// not be told from one that was never made.
func TestOthersAfterALostAnswer(t *testing.T) {
	x := newTable(t, false)
	x.create()
	tr := new(transport)
	tr.lose = func(n int, _ exchange) bool {
		if n == 0 {
			x.write(nameservice.NewFastForward(nameservice.Head, value(7, `{"t":7}`)))
		}
		return n == 0
	}
	_, err := x.open(tr).Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(5, `{"v":5}`), value(6, `{"t":6}`)))
	if !errors.Is(err, ontosql.ErrOutcomeUnknown) {
		t.Errorf("got %v, want an unknown outcome", err)
	}
}

// TestThrottling: a request that is refused because there are too many is sent again, a bounded number
// of times, and then nothing was written.
func TestThrottling(t *testing.T) {
	x := newTable(t, false)
	x.create()
	push := nameservice.NewFastForward(nameservice.Head, value(6, `{"t":6}`))
	for _, code := range []string{"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"} {
		throttled := func(times int) *transport {
			return &transport{answer: func(n int, _ exchange) (*http.Response, error) {
				if n < times {
					return refusal(400, code, "too fast"), nil
				}
				return nil, nil
			}}
		}
		for name, ask := range map[string]func(s *Service) error{
			"UpdateItem": func(s *Service) error { _, err := s.Write(t.Context(), shop, push); return err },
			"GetItem":    func(s *Service) error { _, err := s.Get(t.Context(), shop); return err },
			"Scan":       func(s *Service) error { _, err := s.List(t.Context(), ""); return err },
		} {
			tr := throttled(1000)
			if err := ask(x.open(tr)); !errors.Is(err, ErrThrottled) || errors.Is(err, ontosql.ErrOutcomeUnknown) || tr.count(name) != maxAttempts {
				t.Errorf("%s, %s: %d times, %v; want %d times and ErrThrottled", name, code, tr.count(name), err, maxAttempts)
			}
		}
		if r := x.found(); r.Head.V != 5 {
			t.Errorf("the head is at %d, want 5", r.Head.V)
		}
		tr := throttled(maxAttempts - 1)
		if _, err := x.open(tr).Get(t.Context(), shop); err != nil {
			t.Errorf("throttled %d times: %v", maxAttempts-1, err)
		}
	}
	tr := &transport{answer: func(n int, _ exchange) (*http.Response, error) {
		if n < maxAttempts-1 {
			return refusal(400, "ThrottlingException", "too fast"), nil
		}
		return nil, nil
	}}
	if result, err := x.open(tr).Write(t.Context(), shop, push); err != nil || !result.Updated {
		t.Errorf("throttled %d times: %+v, %v", maxAttempts-1, result, err)
	}
}
