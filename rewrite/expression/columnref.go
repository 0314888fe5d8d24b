package expression

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	pg "github.com/pganalyze/pg_query_go/v6"
)

func (b *Binder) columnRef(c *pg.ColumnRef, l *scope.Level) scope.Expr {
	if c.Fields[len(c.Fields)-1].GetAStar() != nil {
		if len(c.Fields) == 1 {
			b.Fail(pgerr.New(pgerr.SyntaxError, "row expansion via \"*\" is not supported here"), c.Location)
		}
		r, _ := b.Qualifier(syntax.Strings(c.Fields[:len(c.Fields)-1]), l, c.Location)
		return b.wholeRow(r, l, c.Location)
	}
	names := syntax.Strings(c.Fields)
	last := names[len(names)-1]
	if b.Identifiers[strings.ToLower(last)] == 0 {
		b.Identifiers[strings.ToLower(last)] = b.Stmt.Tree.Position(c.Location)
	}
	if len(names) == 1 {
		f, at := l.FindColumn(b.State, last, c.Location)
		if f == nil {
			if r, at := l.FindRange("", last); r != nil {
				if r.Scalar {
					return b.ColumnExpr(r.Columns[0], c.Location, at)
				}
				return b.wholeRow(r, l, c.Location)
			}
			b.UndefinedColumn(l, last, c.Location)
		}
		return b.columnOf(f, c, l, at)
	}
	r, at := b.Qualifier(names[:len(names)-1], l, c.Location)
	f := r.Column(last)
	if f == nil {
		b.RefuseSystemColumn(last, []*scope.RangeEntry{r}, c.Location)
		err := pgerr.New(pgerr.UndefinedColumn, "column %s.%s does not exist", strings.Join(names[:len(names)-1], "."), last)
		b.Fail(err.WithHint("%s", scope.ColumnHint(l, names[len(names)-2], last)), c.Location)
	}
	return b.columnOf(f, c, l, at)
}

// columnOf uses a column of query level at, which is l or a level around it. An outer level
// that is grouped may have only one value of the column for each group.
func (b *Binder) columnOf(f *scope.Column, c *pg.ColumnRef, l, at *scope.Level) scope.Expr {
	if as := at.Grouped[f.SQL].SQL; at != l && as != "" && as != f.SQL {
		b.Unsupported(c.Location, "a subquery with a jsonb that the query around it groups by is not supported")
	}
	mark := len(b.ColumnUses)
	e := b.ColumnExpr(f, c.Location, at)
	if at != l && len(b.ColumnUses) == mark { // it is grouped by
		b.ColumnUses = append(b.ColumnUses, scope.ColumnUse{Column: f, Level: at, Location: c.Location})
	}
	for i := mark; i < len(b.ColumnUses); i++ {
		b.ColumnUses[i].InSubquery = at != l
	}
	return e
}

// ColumnExpr uses a column: its source must expose it. at is the level whose FROM
// has it.
func (b *Binder) ColumnExpr(f *scope.Column, loc int32, at *scope.Level) scope.Expr {
	if f.SetAtCommit {
		b.Fail(pgerr.Unsupported("system column %q is not known before the commit", f.Name).
			WithHint("ontosql.last_commit_id tells the commit afterwards."), loc)
	}
	f.Used = true
	if f.Range != nil && f.Range.Ref >= 0 && !f.Range.Below {
		if f.System {
			b.Uses[f.Range.Ref].System[f.Source] = true
		} else {
			b.Uses[f.Range.Ref].Columns[f.Source] = true
		}
	}
	grouped := at != nil && at.Grouped[f.SQL].SQL != ""
	if at != nil && !grouped {
		b.ColumnUses = append(b.ColumnUses, scope.ColumnUse{Column: f, Level: at, Location: loc})
	}
	e := scope.Expr{SQL: f.SQL, Type: f.Type, Column: f, Row: coercion.RowOfColumn(f), Printed: f.Printed, Location: loc}
	if grouped {
		e.Printed = "" // of many rows
	}
	if e.Row != nil {
		e.RowIsNull = f.SQL + " IS NULL"
	}
	return e
}

// wholeRow is SELECT c FROM customer c. On the side of an outer join that may have no row
// one of NULLs alone is taken for none: every table has a key.
func (b *Binder) wholeRow(r *scope.RangeEntry, l *scope.Level, loc int32) scope.Expr {
	e := scope.Expr{Location: loc}
	_, at := l.FindRange("", r.Alias)
	nulls := make([]string, len(r.Columns))
	for i, f := range r.Columns {
		e.Row = append(e.Row, b.ColumnExpr(f, loc, at))
		nulls[i] = f.SQL + " IS NULL"
	}
	e.Type = coercion.RowOfExprs(e.Row)
	if e.SQL = rowText(e.Row); r.Nullable && len(nulls) > 0 {
		e.RowIsNull = strings.Join(nulls, " AND ")
		e.SQL = "CASE WHEN NOT (" + e.RowIsNull + ") THEN " + e.SQL + " END"
	}
	return e
}

// FirstColumnRef finds a column reference below n, but for those of queries within it.
func FirstColumnRef(n *pg.Node) *pg.ColumnRef {
	var found *pg.ColumnRef
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if c, ok := m.(*pg.ColumnRef); ok && found == nil {
			found = c
		}
		_, inside := m.(*pg.SelectStmt)
		return found == nil && !inside
	})
	return found
}
