package reading

import (
	"context"
	"errors"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// PointOf is the commit a reference is read at.
func PointOf(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, r *relation.Relation, args [][]byte) (ontosql.CommitID, error) {
	at := r.Ref.Point
	switch {
	case at == nil && r.Ref.All:
		return s.Horizon(pin), nil
	case at == nil:
		return s.Present(pin)
	}
	text := at.Text
	switch {
	case at.Query != nil:
		var err error
		if text, err = evaluateQuery(ctx, s, pin, p.Points[r.Ref.ID]); err != nil {
			return 0, atPoint(err, at)
		}
	case at.Expr:
		var err error
		if text, err = evaluate(ctx, s, p, r.Ref.ID, args); err != nil {
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
func evaluateQuery(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan) (string, error) {
	if err := s.PrepareCatalog(ctx, pin, p); err != nil {
		return "", err
	}
	return OverMirror(ctx, Sources{Session: s}, func(src *Sources) (string, error) {
		if err := src.Find(ctx, pin, p, nil); err != nil {
			return "", err
		}
		r, err := Stream(ctx, s, p, src, nil)
		if err != nil {
			return "", err
		}
		defer r.Close()
		b, err := r.Next(ctx)
		switch {
		case err == io.EOF || err == nil && b.Cols[0].IsNull(0):
			return "", errNullPoint()
		case err != nil:
			return "", err
		}
		return string(b.Cols[0].Str[0]), nil
	})
}

// evaluate runs the expression of a point that reads no relation.
func evaluate(ctx context.Context, s *session.Session, p *planner.Plan, ref int, args [][]byte) (string, error) {
	sql, used, _, err := p.Scoped.PointSQL(ref)
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
