package gateway

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/copydata"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/writepath"
)

// copyThroughInsert is a COPY FROM that does not refuse a row whose key exists, or
// whose columns have defaults: its rows are checked one by one and go to a table of
// the engine, and from there the way of an INSERT ... SELECT.
func (p *statement) copyThroughInsert(ctx context.Context, out *portal, in *copyIn) error {
	s := p.session
	rows, err := in.load(ctx)
	if err != nil {
		return err
	}
	defer rows.Close()
	if s.Alone() {
		if err := s.moveToHead(ctx); err != nil {
			return err
		}
	}
	insert, err := in.insertOf(ctx, rows)
	if err != nil {
		return err
	}
	if in.options.Mode() == copydata.Overwrite {
		forget, send := s.HoldNotices()
		defer send()
		insert.before = func(ctx context.Context) error {
			forget()
			return in.checkMissing(ctx, rows)
		}
	}
	if s.Alone() {
		_, err = insert.autocommit(ctx, out, nil)
	} else {
		_, err = insert.stage(ctx, out, nil)
	}
	out.tag = strings.Replace(out.tag, "INSERT 0", "COPY", 1)
	return err
}

// load takes all rows into a table with the columns that the data has. The caller
// closes it.
func (in *copyIn) load(ctx context.Context) (*temptable.Rows, error) {
	types := make([]column.Type, len(in.fields))
	for n, k := range in.fields {
		types[n] = in.typ.Columns[k].Type
	}
	var images writepath.Batch // not used
	return in.session.Temp.Fill(ctx, types, func(held *temptable.Rows) error {
		for {
			rows, more := in.data.Next(ctx)
			images.Rows, images.Texts = images.Rows[:0], images.Texts[:0]
			if err := in.convert(rows, more, &images); err != nil {
				return err
			}
			given := &column.Batch{Len: in.batch.Len}
			for _, k := range in.fields {
				given.Cols = append(given.Cols, in.batch.Cols[k])
			}
			if err := held.Append(ctx, given); err != nil {
				return err
			}
			for i := range rows.Len {
				in.count++
				in.lines.Add(in.count, rows.Line(i))
			}
			if more == io.EOF {
				return nil
			}
		}
	})
}

// insertOf is the INSERT of the rows that were loaded.
func (in *copyIn) insertOf(ctx context.Context, rows *temptable.Rows) (*statement, error) {
	insert, err := in.session.insertFromTable(ctx, in.name, in.columns(), rows, in.conflict())
	if err == nil {
		insert.plan.Write.InCopy = func(err error, n int64) error { return in.inLine(err, in.lines.Line(n)) }
	}
	return insert, err
}

// loadedName is what a statement calls rows that lie in the engine.
const loadedName = "copied"

// loadedRelation is the relation of rows that lie in the engine.
func loadedRelation(rows *temptable.Rows, columns []column.Named) relation.Relation {
	loaded := relation.Relation{Table: rows.Table()}
	for n, c := range columns {
		loaded.Shape.Columns = append(loaded.Shape.Columns, column.Named{Name: temptable.ColumnName(n), Type: c.Type})
	}
	loaded.Shape.Kind, loaded.Shape.Table = scope.Virtual, loadedName
	return loaded
}

// insertFromTable is the INSERT of rows that lie in the engine into columns of a table,
// which are of the rows' types.
func (s *Session) insertFromTable(ctx context.Context, table string, columns []column.Named, rows *temptable.Rows, conflict dml.Conflict) (*statement, error) {
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range columns {
		names = append(names, duckdb.Ident(c.Name))
	}
	loaded := loadedRelation(rows, columns)
	st, err := syntax.Analyze(fmt.Sprintf("INSERT INTO %s.%s (%s) SELECT * FROM %s", catalog.SchemaPublic, duckdb.Ident(table), strings.Join(names, ", "), loadedName))
	if err != nil {
		return nil, err
	}
	p := &planner.Plan{Version: s.Version(pin), Relations: []relation.Relation{loaded}, Env: s.NewEnv()}
	if err := s.PlanWrite(pin, p, st, []scope.Shape{loaded.Shape}, nil, conflict); err != nil {
		return nil, err
	}
	p.Write.FromCopy = true
	return &statement{session: s, st: st, plan: p}, nil
}
