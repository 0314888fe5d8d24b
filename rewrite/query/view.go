package query

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// view is a reference to a view: its query as a subquery, with the columns that the view was
// created with. The query sees no names of the statement around it.
func (b *Binder) view(i int, v *syntax.View, alias *pg.Alias, loc int32) (string, scope.Namespace) {
	s := &b.Shapes[i]
	r := &scope.RangeEntry{Alias: b.Refs[i].Name, Schema: s.Schema, Table: s.Table, Ref: i, Shape: s}
	if alias != nil {
		r.Alias, r.Schema, r.Table = alias.Aliasname, "", ""
	}
	b.lockBelow(r)
	q, joined := b.viewQuery(v, s)
	b.CountJoins(joined, loc)
	q.ExposeTexts(q.TextColumns())
	r.Unlockable, r.EngineAlias = unlockable(q), b.UniqueAlias(r.Alias)
	r.Columns = columnsOf(r, q.Columns())
	for k, c := range r.Columns {
		c.Name, c.Source = s.Columns[k].Name, s.Columns[k].Name
		if declared := s.TypeOf(k); declared.OID == c.Type.OID {
			c.Type.Typmod = declared.Typmod
		}
	}
	showColumns(r)
	b.aliasColumns(r, alias, loc)
	return "(" + q.SQL() + ") AS " + enginesql.Quote(r.EngineAlias), scope.Namespace{Ranges: []*scope.RangeEntry{r}, Columns: r.Columns}
}

// viewQuery resolves the query of a view. Errors name the view.
func (b *Binder) viewQuery(v *syntax.View, s *scope.Shape) (q expression.Query, joined int) {
	defer b.InView(v.Query, v.Name)()
	joined = b.CountApart(func() { q = b.Query(v.Query.Node.GetSelectStmt(), nil, nil) })
	b.SettleUnknown(q)
	have := q.Columns()
	if len(have) != len(s.Columns) {
		b.Fail(pgerr.New(pgerr.InvalidTableDefinition, "view %q has %d columns, but its query returns %d", v.Name, len(s.Columns), len(have)).
			WithHint("Create the view again."), -1)
	}
	for k, c := range have {
		if want := s.TypeOf(k); !sameType(types.External(want.OID), types.External(c.Type.OID)) {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "column %q of view %q has type %s, but its query returns %s", s.Columns[k].Name, v.Name, want, c.Type).
				WithHint("Create the view again."), -1)
		}
	}
	return q, joined
}

// InView makes the query of a view the statement that is resolved, until the returned function
// is called, with defer. Errors name the view.
func (b *Binder) InView(q *syntax.Statement, name string) (leave func()) {
	around := b.Stmt
	b.Stmt = q
	return func() {
		b.Stmt = around
		if r := recover(); r != nil {
			if e, ok := r.(scope.Bailout); ok {
				e.Err.Within(`view "` + name + `"`)
			}
			panic(r)
		}
	}
}

// sameType reports whether a column of a type may have values of another one. All strings are
// texts in queries.
func sameType(a, b uint32) bool {
	isString := func(oid uint32) bool { return oid == types.Text || oid == types.Varchar || oid == types.BPChar }
	return a == b || isString(a) && isString(b)
}

// showColumns leaves the columns that the query of a view sees, under their names in it.
func showColumns(r *scope.RangeEntry) {
	if r.Shape.Shown == nil {
		return
	}
	all := r.Columns
	r.Columns = nil
	for _, shown := range r.Shape.Shown {
		for _, c := range all {
			if c.Source == shown.Column {
				c.Name = shown.Name
				r.Columns = append(r.Columns, c)
			}
		}
	}
}
