package gateway

import (
	"context"
	"errors"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
)

// pointOf is the commit a reference is read at.
func (s *Session) pointOf(ctx context.Context, pin *resolver.Pin, p *planner.Plan, r *relation.Relation, args [][]byte) (ontosql.CommitID, error) {
	at := r.Ref.Point
	switch {
	case at == nil && r.Ref.All:
		return s.horizon(pin), nil
	case at == nil:
		return s.present(pin)
	}
	text := at.Text
	switch {
	case at.Expr:
		var err error
		if text, err = s.evaluate(ctx, p, r.Ref.ID, args); err != nil {
			return 0, err
		}
	case at.Param > 0:
		if at.Param > len(args) || args[at.Param-1] == nil {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "the point of %q is NULL", sqlstate.RelationName(r.Ref)).At(at.Position)
		}
		text = string(args[at.Param-1])
	}
	id, err := s.commitAt(pin, text)
	var e *pgerr.Error
	if errors.As(err, &e) {
		return 0, e.At(at.Position)
	}
	return id, err
}

// evaluate runs the argument of as_of.t(x).
func (s *Session) evaluate(ctx context.Context, p *planner.Plan, ref int, args [][]byte) (string, error) {
	sql, used, _, err := p.Scoped.PointSQL(ref)
	if err != nil {
		return "", err
	}
	conn, err := s.freeConn(ctx)
	if err != nil {
		return "", err
	}
	st, err := conn.Prepare(ctx, sql)
	if err != nil {
		return "", p.Located(err)
	}
	defer st.Close()
	rows, err := st.Query(ctx, engineArgs(args, used))
	if err != nil {
		return "", p.Located(err)
	}
	defer rows.Close()
	batch, err := rows.Next(ctx)
	if err == io.EOF || err == nil && batch.Cols[0].IsNull(0) {
		return "", pgerr.New(pgerr.InvalidParameterValue, "the point is NULL")
	}
	if err != nil {
		return "", err
	}
	return string(batch.Cols[0].Str[0]), nil
}
