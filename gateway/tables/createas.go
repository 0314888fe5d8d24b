package tables

import (
	"context"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// createAs creates a table with the columns and the rows of a query.
func createAs(ctx context.Context, s *session.Session, st *syntax.Statement, pin *resolver.Pin, schema string, def *ddlstmt.Definition, with RunParts) (tag string, err error) {
	query, err := s.Plan(pin, def.Query, nil)
	if err != nil {
		return "", err
	}
	if err := s.Authorize(pin.Catalog, query); err != nil {
		return "", err
	}
	if exists, err := skips(ctx, s, st, schema, def); exists || err != nil {
		return st.Tag, err
	}
	if schema != workspace.TempSchema && query.Commits() {
		return "", sqlstate.TwoWorlds()
	}
	outputs := declaredOutputs(query)
	if err := def.Select(outputs); err != nil {
		return "", err
	}
	if err := s.PrepareCatalog(ctx, pin, query); err != nil {
		return "", err
	}
	t, err := define(s.Tables.Of(schema), schema, def)
	if err != nil {
		return "", err
	}
	var count int64
	fill := func(ctx context.Context, parts reading.Parts) error {
		count, err = fillHeap(ctx, s, pin, t, def.NoData, query, outputs, parts)
		return err
	}
	switch {
	case len(query.Parts) == 0:
		err = fill(ctx, nil)
	case def.NoData:
		err = fill(ctx, reading.Parts{})
	default:
		err = with(ctx, pin, def.Query, query, fill)
	}
	if err != nil {
		return "", err
	}
	if err := putNew(ctx, s, t); err != nil {
		return "", err
	}
	if def.NoData {
		return "CREATE TABLE AS", nil
	}
	return fmt.Sprintf("SELECT %d", count), nil
}

// RunParts runs the parts of a query whose WITH clause writes, and the query itself by run
// (package gateway/parts).
type RunParts func(ctx context.Context, pin *resolver.Pin, st *syntax.Statement, p *planner.Plan, run func(context.Context, reading.Parts) error) error

// fillHeap makes the heap of a table with the rows of a query, without them if empty is set. It
// returns their number.
func fillHeap(ctx context.Context, s *session.Session, pin *resolver.Pin, t *workspace.Table, empty bool, query *planner.Plan, outputs []scope.Output, parts reading.Parts) (int64, error) {
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return 0, err
	}
	return reading.OverMirror(ctx, reading.Sources{Session: s, Once: true, Dry: empty, Parts: parts}, func(src *reading.Sources) (n int64, err error) {
		if err := src.Find(ctx, pin, query, nil); err != nil {
			return 0, err
		}
		h := s.Tables.Reserve(t.Schema)
		xid := workspace.Frozen
		if t.View == nil {
			if xid, err = s.Tables.Number(ctx, conn, h); err != nil {
				return 0, err
			}
		}
		n, err = src.RunStatement(ctx, query, nil, func(sql string) string {
			if empty {
				sql = "SELECT * FROM (" + sql + ") LIMIT 0"
			}
			return h.CreateAs(xid, t.Columns, len(query.Columns), sql)
		})
		if err != nil {
			return 0, err
		}
		s.Tables.Created(h)
		h.Grew(n)
		t.Heap = h
		if err := describeHeap(ctx, conn, t, outputs); err != nil {
			return 0, err
		}
		src.Release(context.WithoutCancel(ctx))
		return n, nil
	})
}

// describeHeap reads back what the engine has made of a query: the digits of numerics.
func describeHeap(ctx context.Context, conn *duckdb.Conn, t *workspace.Table, outputs []scope.Output) error {
	open := func(c workspace.Column) bool { return c.Type.OID == types.Numeric && c.Type.Typmod < 4 }
	if !slices.ContainsFunc(t.Columns, open) {
		return nil
	}
	columns, err := columnsOf(ctx, conn, "SELECT * FROM "+t.Heap.SQL()+" LIMIT 0")
	if err != nil {
		return err
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; open(*c) {
			c.Type.Numeric = types.StoredDigits(columns[i].Type)
			if columns[i].Type.Kind == column.Text { // wide
				c.Type.Numeric = types.Digits{Whole: column.MostWholeDigits}
			}
			c.Type.Numeric.DisplayScale = max(outputs[i].Scale, 0)
		}
	}
	return nil
}

// columnsOf are the columns of a query.
func columnsOf(ctx context.Context, conn *duckdb.Conn, query string) ([]column.Named, error) {
	st, err := conn.Prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	return st.Columns(), nil
}
