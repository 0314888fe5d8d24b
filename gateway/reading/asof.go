package reading

import (
	"context"
	"errors"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// WindowOf is the window that a reference reads, as far as its points say.
func WindowOf(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, r *relation.Relation, args [][]byte) (w ontosql.Window, err error) {
	w.Mode = r.Mode
	switch at := r.Ref.Point; {
	case at == nil && r.Ref.All:
		w.Upper = s.Horizon(pin)
	case at == nil:
		w.Upper, err = s.Present(pin)
	default:
		w.Upper, err = pointOf(ctx, s, pin, p, r, at, args)
	}
	if err != nil || r.Ref.Since == nil {
		return w, err
	}
	if w.Since, err = pointOf(ctx, s, pin, p, r, r.Ref.Since, args); w.Since > w.Upper {
		w.Since, w.Upper, w.Backward = w.Upper, w.Since, true
	}
	return w, err
}

// pointOf is the commit of a point that a reference names.
func pointOf(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, r *relation.Relation, at *syntax.Point, args [][]byte) (ontosql.CommitID, error) {
	text := at.Text
	switch {
	case at.Query != nil:
		var err error
		if text, err = evaluateQuery(ctx, s, pin, p.Points[at]); err != nil {
			return 0, atPoint(err, at)
		}
	case at.Expr:
		var err error
		if text, err = evaluate(ctx, s, p, at, args); err != nil {
			return 0, atPoint(err, at)
		}
	case at.Param > 0:
		if at.Param > len(args) || args[at.Param-1] == nil {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "the point of %q is NULL", sqlstate.RelationName(r.Ref)).At(at.Position)
		}
		text = string(args[at.Param-1])
	}
	id, err := s.CommitAt(pin, text)
	return id, atPoint(err, at)
}

// atPoint gives an error of a point its position, unless it has one.
func atPoint(err error, at *syntax.Point) error {
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Position > 0 {
		return err
	}
	out := *e
	out.Position = at.Position
	return &out
}

// errNullPoint is the error of an expression for a point that is NULL.
func errNullPoint() error {
	return pgerr.New(pgerr.InvalidParameterValue, "the point is NULL").WithHint("HEAD is the newest state.")
}

// evaluateQuery runs a query for a point: the text of its one value.
func evaluateQuery(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan) (text string, err error) {
	err = FirstRow(ctx, s, pin, p, nil, nil, func(b *column.Batch) error {
		if b == nil || b.Cols[0].IsNull(0) {
			return errNullPoint()
		}
		text = string(b.Cols[0].Str[0])
		return nil
	})
	return text, err
}

// FirstRow runs a query within a statement. parts are those that the query reads. read gets a batch
// that begins with its first row, nil for none, and does not keep it.
func FirstRow(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts Parts, args [][]byte, read func(*column.Batch) error) error {
	return within(ctx, s, pin, p, parts, args, func(r column.Stream) error {
		b, err := r.Next(ctx)
		if err == io.EOF {
			b, err = nil, nil
		}
		if err != nil {
			return err
		}
		return read(b)
	})
}

// AllRows is FirstRow with all rows: read gets each batch.
func AllRows(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts Parts, args [][]byte, read func(*column.Batch) error) error {
	return within(ctx, s, pin, p, parts, args, func(r column.Stream) error {
		for {
			b, err := r.Next(ctx)
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = read(b)
			}
			if err != nil {
				return err
			}
		}
	})
}

// within runs a query within a statement and has its rows read.
func within(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts Parts, args [][]byte, read func(column.Stream) error) error {
	if err := s.PrepareCatalog(ctx, pin, p); err != nil {
		return err
	}
	_, err := OverMirror(ctx, Sources{Session: s, Parts: parts}, func(src *Sources) (struct{}, error) {
		if err := src.Find(ctx, pin, p, args); err != nil {
			return struct{}{}, err
		}
		r, err := Stream(ctx, s, p, src, args)
		if err != nil {
			return struct{}{}, err
		}
		defer r.Close()
		return struct{}{}, read(r)
	})
	return err
}

// evaluate runs the expression of a point that reads no relation.
func evaluate(ctx context.Context, s *session.Session, p *planner.Plan, at *syntax.Point, args [][]byte) (string, error) {
	if n := p.Scoped.IntegerPoint(at); n > 0 {
		if args[n-1] == nil {
			return "", errNullPoint()
		}
		return string(args[n-1]), nil
	}
	sql, used, _, err := p.Scoped.PointSQL(at)
	if err != nil {
		return "", err
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return "", err
	}
	st, err := conn.Prepare(ctx, sql)
	if err != nil {
		return "", p.Located(err)
	}
	defer st.Close()
	rows, err := st.Query(ctx, session.EngineArgs(args, used))
	if err != nil {
		return "", p.Located(err)
	}
	defer rows.Close()
	batch, err := rows.Next(ctx)
	if err == io.EOF || err == nil && batch.Cols[0].IsNull(0) {
		return "", errNullPoint()
	}
	if err != nil {
		return "", err
	}
	return string(batch.Cols[0].Str[0]), nil
}
