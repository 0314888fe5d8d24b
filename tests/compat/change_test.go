package compat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// change is a prepared INSERT, UPDATE or MERGE. Its result rows go first to a work table and
// from there to the target; RETURNING reads the last columns of the work table.
type change struct {
	*session
	target  scope.Shape
	scoped  *dml.Scoped
	sources []string
	tag     string
	columns []wire.Column
}

// storedRow is the hidden column by which a change finds the row again.
const storedRow = "rowid"

func (s *session) prepareChange(ctx context.Context, st *syntax.Statement, shapes []scope.Shape, sources []string, oids []uint32) (wire.Statement, error) {
	target, err := s.find(*st.Target)
	if err != nil {
		return nil, err
	}
	target.Stored = []string{storedRow}
	sc, err := dml.Scope(st, target, shapes, dml.ConflictError, oids, env{time.Now()})
	if err != nil {
		return nil, err
	}
	out := &change{session: s, target: target, scoped: sc, sources: sources, tag: st.Tag}
	if sc.Matches {
		row := sc.Rows.Needs[len(shapes)].System[storedRow]
		out.sources = append(slices.Clone(sources), "(SELECT *, rowid AS "+duckdb.Ident(row)+" FROM data."+duckdb.Ident(target.Table)+")")
	}
	sql, err := sc.Rows.Bind(out.sources)
	if err != nil {
		return nil, err
	}
	rows, err := s.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	defer rows.Close()
	made := rows.Columns()[out.first():][:len(target.Columns)]
	if !slices.EqualFunc(made, target.Columns, func(a, b column.Named) bool { return a.Type.String() == b.Type.String() }) {
		return nil, pgerr.New(pgerr.InternalError, "the rows are %v, the target is %v: %s", made, target.Columns, sql)
	}
	for i := range target.Columns {
		sql, _, err := sc.BindColumn(i, out.sources)
		if err != nil {
			return nil, err
		}
		alone, err := s.conn.Prepare(ctx, sql)
		if err != nil {
			return nil, sqlError(err, sql)
		}
		alone.Close()
	}
	if sc.Returned != nil {
		out.columns = describe(sc.Returned, append(slices.Clone(shapes), target))
	}
	return out, nil
}

// first is where the columns of the new row begin.
func (s *change) first() int {
	if s.scoped.Matches {
		return 1 + len(s.target.Stored)
	}
	return 0
}

func (s *change) Params() []uint32       { return s.scoped.Params() }
func (s *change) Columns() []wire.Column { return s.columns }
func (s *change) Close()                 {}

func (s *change) Bind(_ context.Context, args [][]byte) (wire.Portal, error) {
	args, err := checked(s.scoped.Params(), args)
	if err != nil {
		return nil, err
	}
	return &changePortal{change: s, args: args}, nil
}

type changePortal struct {
	*change
	args  [][]byte
	count int
	done  bool
	shown *duckdb.Rows // of RETURNING, nil without
}

// beside is the work table that holds the result rows of a change until it ends. Its columns
// are c1, c2 and so on, and n numbers its rows.
const beside = "data.changed"

// replaced is where the rows are that a change takes the place of.
const replaced = "data.replaced"

func (p *changePortal) Next(ctx context.Context) (*column.Batch, error) {
	if !p.done {
		p.done = true
		if err := p.load(ctx); err != nil {
			return nil, err
		}
		if p.columns != nil {
			from := p.first() + len(p.target.Columns)
			rows, err := p.query(ctx, "SELECT "+p.names(from, from+len(p.columns))+" FROM "+beside+" ORDER BY n", nil)
			if err != nil {
				return nil, err
			}
			p.shown = rows
		}
	}
	if p.shown == nil {
		return nil, io.EOF
	}
	return p.shown.Next(ctx)
}

func (p *changePortal) names(from, to int) string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, "c"+strconv.Itoa(i+1))
	}
	if len(out) == 0 {
		return "NULL"
	}
	return strings.Join(out, ", ")
}

// load runs the query and changes the target.
func (p *changePortal) load(ctx context.Context) error {
	sql, err := p.scoped.Rows.Bind(p.sources)
	if err != nil {
		return err
	}
	width := p.first() + len(p.target.Columns) + len(p.columns)
	args := engineArgs(p.args, p.scoped.Rows.Used)
	if _, err := p.rows(ctx, "CREATE OR REPLACE TABLE "+beside+" AS SELECT row_number() OVER () AS n, * FROM ("+sql+") AS q("+p.names(0, width)+")", args); err != nil {
		return p.inColumn(ctx, err)
	}
	table := "data." + duckdb.Ident(p.target.Table)
	if p.scoped.Matches {
		twice := "SELECT 1 FROM " + beside + " WHERE c2 IS NOT NULL GROUP BY c2 HAVING count(*) > 1"
		switch n, err := p.rows(ctx, twice, nil); {
		case err != nil:
			return err
		case n > 0 && p.tag == "MERGE":
			return pgerr.New("21000", "MERGE command cannot affect row a second time")
		}
		if err := p.conn.Exec(ctx, "DELETE FROM "+beside+" WHERE c2 IS NOT NULL AND n NOT IN (SELECT min(n) FROM "+beside+" GROUP BY c2)"); err != nil {
			return err
		}
		if err := p.conn.Exec(ctx, "CREATE OR REPLACE TABLE "+replaced+" AS SELECT rowid AS old, * FROM "+table+" WHERE rowid IN (SELECT c2 FROM "+beside+")"); err != nil {
			return err
		}
		if err := p.conn.Exec(ctx, "DELETE FROM "+table+" WHERE rowid IN (SELECT c2 FROM "+beside+")"); err != nil {
			return err
		}
	}
	if p.count, err = p.rows(ctx, "SELECT n FROM "+beside, nil); err != nil {
		return err
	}
	from := " FROM " + beside
	if p.scoped.Matches {
		from += " LEFT JOIN " + replaced + " ON old = c2"
	}
	return p.conn.Exec(ctx, "INSERT INTO "+table+" SELECT "+strings.Join(p.values(), ", ")+from+" ORDER BY n")
}

// values are the columns of the new rows. Those that an update assigns nothing to
// are as they were.
func (p *changePortal) values() []string {
	out := make([]string, len(p.target.Columns))
	for i, c := range p.target.Columns {
		out[i] = fmt.Sprintf("c%d", p.first()+i+1)
		for n, a := range p.scoped.Actions {
			if a.Kind == dml.Updates && !a.Assigned[i] {
				out[i] = fmt.Sprintf("CASE WHEN c1 = %d THEN %s ELSE %s END", n, duckdb.Ident(c.Name), out[i])
			}
		}
	}
	return out
}

// inColumn adds to an error of the engine which columns it is of.
func (p *changePortal) inColumn(ctx context.Context, cause error) error {
	var failed []string
	for i := range p.target.Columns {
		if !slices.ContainsFunc(p.scoped.Actions, func(a dml.Action) bool { return a.Assigned[i] }) {
			continue
		}
		sql, used, err := p.scoped.BindColumn(i, p.sources)
		if err != nil {
			return err
		}
		if _, err := p.rows(ctx, sql, engineArgs(p.args, used)); err != nil {
			failed = append(failed, p.target.Columns[i].Name)
		}
	}
	var e *pgerr.Error
	if errors.As(cause, &e) {
		e.Column = strings.Join(failed, ",")
	}
	return cause
}

// rows runs a statement to its end and counts its rows.
func (p *changePortal) rows(ctx context.Context, sql string, args []any) (n int, err error) {
	rows, err := p.query(ctx, sql, args)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for {
		b, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, sqlError(err, sql)
		}
		n += b.Len
	}
}

func (p *changePortal) query(ctx context.Context, sql string, args []any) (*duckdb.Rows, error) {
	st, err := p.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	defer st.Close()
	rows, err := st.Query(ctx, args)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	return rows, nil
}

func (p *changePortal) Tag() (string, bool) {
	if p.tag == "INSERT" {
		return fmt.Sprintf("INSERT 0 %d", p.count), false
	}
	return fmt.Sprintf("%s %d", p.tag, p.count), false
}

func (p *changePortal) Close() {
	if p.shown != nil {
		p.shown.Close()
	}
}
