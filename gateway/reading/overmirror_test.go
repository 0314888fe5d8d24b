package reading

import (
	"context"
	"slices"
	"testing"

	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// TestWarningsAreToldOnce begins a statement again because the mirror was
// extended meanwhile: what its sources gave to warn of is found twice and told
// once, in its order.
func TestWarningsAreToldOnce(t *testing.T) {
	var told []string
	s := &session.Session{Settings: settings.New(nil, nil), Start: wire.Startup{Notice: func(n *pgerr.Error) { told = append(told, n.Message) }}}
	tries := 0
	got, err := OverMirror(t.Context(), Sources{Session: s}, func(src *Sources) (string, error) {
		tries++
		src.warn(sqlstate.Warning(pgerr.IndexCorrupted, "first"))
		src.warn(sqlstate.Warning(pgerr.Warning, "second"))
		if tries == 1 {
			return "", errMirrorMoved
		}
		return "rows", nil
	})
	if got != "rows" || err != nil || tries != 2 {
		t.Errorf("got %q, %v after %d tries, want rows after 2", got, err, tries)
	}
	if want := []string{"first", "second"}; !slices.Equal(told, want) || s.Notices != 2 {
		t.Errorf("the client was told %q (%d), want %q", told, s.Notices, want)
	}
}

// TestWarningsOfAFailure warns of the rows that a failing statement has read, but not if the
// head has moved and the statement runs again.
func TestWarningsOfAFailure(t *testing.T) {
	for _, c := range []struct {
		outcome error
		want    int64
	}{{nil, 1}, {ErrStalePin, 0}} {
		s := &session.Session{Settings: settings.New(nil, nil), Start: wire.Startup{Notice: func(*pgerr.Error) {}}}
		g := &Speculation{session: s, known: true, outcome: c.outcome}
		_, err := OverMirror(t.Context(), Sources{Session: s, Spec: g}, func(src *Sources) (string, error) {
			src.warn(sqlstate.Warning(pgerr.DataCorrupted, "a row"))
			return "", pgerr.New(pgerr.DataCorrupted, "damaged")
		})
		if err == nil || int64(s.Notices) != c.want {
			t.Errorf("speculation %v: %v, %d warnings; want an error and %d", c.outcome, err, s.Notices, c.want)
		}
	}
}

// sleeps counts how often somebody waits for its end.
type sleeps struct {
	context.Context
	n int
}

func (s *sleeps) Done() <-chan struct{} {
	s.n++
	return s.Context.Done()
}

// TestSleepsOncePerMention begins a statement again because the mirror was extended
// while it slept: it has slept already, once for each pg_sleep. The next execution
// sleeps again.
func TestSleepsOncePerMention(t *testing.T) {
	st, err := syntax.Analyze("SELECT pg_sleep(0.000001), pg_sleep($1), pg_sleep(0.000001)")
	if err != nil {
		t.Fatal(err)
	}
	s := &session.Session{Planner: &planner.Planner{}, Settings: settings.New(nil, nil)}
	scoped, err := query.Scope(st, nil, nil, s.NewEnv())
	if err != nil {
		t.Fatal(err)
	}
	ctx := &sleeps{Context: t.Context()}
	for n := range 2 {
		s.Running = session.Execution{Ctx: ctx, Args: [][]byte{[]byte("0.000001")}}
		tries := 0
		_, err = OverMirror(t.Context(), Sources{Session: s}, func(*Sources) (string, error) {
			if tries++; tries < 3 {
				_, err := scoped.Bind(nil)
				if err == nil {
					err = errMirrorMoved
				}
				return "", err
			}
			return scoped.Bind(nil)
		})
		if want := 3 * (n + 1); err != nil || tries != 3 || ctx.n != want {
			t.Errorf("%d sleeps after %d tries (%v), want %d after 3", ctx.n, tries, err, want)
		}
	}
}
