package schemas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// gate is a gateway over a bucket, with everything that one process has.
type gate struct{ *gatewaytest.Gate }

// openGate opens a gateway. Close ends it.
func openGate(ctx context.Context, o gatewaytest.Options) (*gate, error) {
	g, err := gatewaytest.Open(ctx, o)
	return &gate{g}, err
}

// Close ends the gateway as its process would. A dead bucket cannot be left in order.
func (g *gate) Close() { _ = g.Gate.Close() }

// gateOver is openGate for a test that cannot go on without.
func gateOver(t *testing.T, bucket objstore.Bucket) *gate {
	t.Helper()
	g, err := openGate(t.Context(), gatewaytest.Options{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// session is one client. A statement outside of BEGIN and COMMIT is a
// transaction of its own, as one that comes with its Sync.
type session struct {
	wire.Session
	ctx  context.Context
	said func(sql string, err error) // called after every statement; may be nil
}

func (g *gate) session(ctx context.Context) (*session, error) {
	s := &session{ctx: ctx}
	opened, _, err := g.Gateway.Open(ctx, wire.Startup{
		User: "tester", Database: "onto", PID: 7,
		Ending: func() bool { return true },
	})
	s.Session = opened
	return s, err
}

// do runs statements, up to the first error.
func (s *session) do(statements ...string) error {
	for _, sql := range statements {
		if _, err := s.ask(sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// ask runs one statement and returns its rows: cells as text, NULL as "NULL",
// joined by "|".
func (s *session) ask(sql string) (rows []string, err error) {
	defer func() {
		err = errors.Join(err, s.Sync(s.ctx, err != nil))
		if s.said != nil {
			s.said(sql, err)
		}
	}()
	st, err := s.Prepare(s.ctx, wire.Query{SQL: sql}, nil)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	p, err := st.Bind(s.ctx, nil)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for {
		b, err := p.Next(s.ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Len {
			cells := make([]string, len(b.Cols))
			for c := range b.Cols {
				cells[c] = cell(&b.Cols[c], i)
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
}

func cell(v *column.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Type.Kind == column.Text || v.Type.Kind == column.JSON:
		return string(v.Str[i])
	case v.Type.Kind == column.Int64:
		return fmt.Sprint(v.I64[i])
	case v.Type.Kind == column.Bool:
		return fmt.Sprint(v.Bool[i])
	}
	return "a value of type " + v.Type.String()
}

// stateOf is the SQLSTATE of an error, "" for none.
func stateOf(err error) string {
	var e *pgerr.Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case err != nil:
		return err.Error()
	}
	return ""
}
