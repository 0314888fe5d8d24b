package dml

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// assignment is one item of SET.
type assignment struct {
	target *pg.ResTarget
	value  scope.Expr
	given  bool // false for DEFAULT
}

// setter resolves SET lists. Names are those of l, above the write's found; of
// subqueries that give several columns, those of below.
type setter struct {
	w        *builder
	l, below *scope.Level
	old      *scope.RangeEntry // the target, above found
	seen     *scope.RangeEntry // as the statement names it, if that is a view
}

// set resolves a list and gives the new value of each column that it assigns, by
// column of the target.
func (s setter) set(b *query.Binder, list []*pg.Node) map[int]scope.Expr {
	items := s.items(b, list)
	values := map[int]scope.Expr{}
	parts := map[int]bool{} // columns that so far have parts of them assigned
	twice := -1
	for _, a := range items {
		r := a.target
		at := slices.IndexFunc(s.w.names, func(c named) bool { return c.name == r.Name })
		if at < 0 {
			s.noColumn(b, r)
		}
		i := s.w.names[at].column
		if i < 0 {
			verb := "update"
			if b.Stmt.Kind == syntax.Insert { // ON CONFLICT DO UPDATE
				verb = "insert into"
			}
			b.Fail(s.w.names[at].notUpdatable(verb), -1)
		}
		_, seen := values[i]
		if seen && !(parts[i] && len(r.Indirection) > 0) && twice < 0 {
			twice = i
		}
		if parts[i] = len(r.Indirection) > 0; parts[i] {
			values[i] = scope.Expr{SQL: s.element(b, a, i, values[i].SQL)}
			continue
		}
		if !a.given && len(s.w.views) > 0 && s.w.views[0].Defaults[at] == "" { // UPDATE does not ask the table
			refuseSet(b, s.w.target, s.w.target.Columns[i].Name)
			values[i] = scope.Expr{SQL: coercion.NullOf(s.w.target.Columns[i].Type)}
			continue
		}
		values[i] = s.value(b, a, i)
	}
	if twice >= 0 {
		b.Fail(pgerr.New(pgerr.SyntaxError, "multiple assignments to same column %q", s.w.target.Columns[twice].Name), -1)
	}
	return values
}

func (s setter) noColumn(b *query.Binder, r *pg.ResTarget) {
	t := s.w.target
	if t.Kind == scope.StoredTable && scope.IsSystemColumn(r.Name) || t.Kind != scope.StoredTable && slices.Contains(t.Stored, r.Name) || slices.ContainsFunc(t.System, func(c column.Named) bool { return c.Name == r.Name }) {
		b.Fail(pgerr.Unsupported("cannot assign to system column %q", r.Name), r.Location)
	}
	b.Fail(pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", r.Name, s.w.insertion.relation), r.Location)
}

// value is a whole new value. A column of the key has its own value only.
func (s setter) value(b *query.Binder, a assignment, i int) scope.Expr {
	c := s.w.target.Columns[i]
	if s.w.target.Kind != scope.StoredTable && slices.Contains(s.w.target.Key, c.Name) {
		if f := a.value.Column; !a.given || f == nil || !s.isKey(f, c.Name) {
			b.Fail(pgerr.Unsupported("column %q is part of the key of %q and cannot be updated", c.Name, s.w.target.Table).
				WithDetail("The key is the identity that the versions of a row have in common.").
				WithHint("Insert a new row with the other key; the row with this key keeps its history."), a.target.Location)
		}
		return b.ColumnExpr(s.old.Column(c.Name), -1, nil)
	}
	if a.given {
		refuseSet(b, s.w.target, c.Name)
	}
	if !a.given {
		return defaults.ValueOrNull(b.Binder, s.w.target, i)
	}
	return coercion.Stored(s.w.target, b.Assign(a.value, s.w.target, i), i)
}

// isKey reports whether a field has the value that a column of the key has
// already.
func (s setter) isKey(f *scope.Column, name string) bool {
	return (f.Range == s.old || f.Range == s.seen) && f.Source == name || s.w.keyEqual[s.w.found.below[f]] == name
}

// items resolves the values, before the columns are looked at, as PostgreSQL
// does.
func (s setter) items(b *query.Binder, list []*pg.Node) []assignment {
	var out []assignment
	var several []assignment // of the current source of (a, b) = ...
	for _, n := range list {
		r := n.GetResTarget()
		m := r.Val.GetMultiAssignRef()
		if m == nil {
			out = append(out, s.item(b, r, r.Val))
			continue
		}
		if m.Colno == 1 {
			several = s.several(b, m)
		}
		a := several[m.Colno-1]
		a.target = r
		out = append(out, a)
	}
	return out
}

func (s setter) item(b *query.Binder, r *pg.ResTarget, n *pg.Node) assignment {
	if n.GetSetToDefault() != nil {
		return assignment{target: r}
	}
	return assignment{target: r, value: b.Expr(n, s.l), given: true}
}

// several resolves the source of (a, b) = ROW(...) or (SELECT ...).
func (s setter) several(b *query.Binder, m *pg.MultiAssignRef) []assignment {
	var out []assignment
	loc := syntax.Location(m.Source)
	sub := m.Source.GetSubLink()
	switch row := m.Source.GetRowExpr(); {
	case row != nil:
		for _, n := range row.Args {
			if c := n.GetColumnRef(); c != nil && c.Fields[len(c.Fields)-1].GetAStar() != nil {
				for _, f := range b.Star(c, s.l) {
					out = append(out, assignment{value: b.ColumnExpr(f, c.Location, s.l), given: true})
				}
				continue
			}
			out = append(out, s.item(b, nil, n))
		}
	case sub != nil && sub.SubLinkType == pg.SubLinkType_EXPR_SUBLINK:
		out = s.subquery(b, sub, int(m.Ncolumns))
	default:
		b.Unsupported(loc, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression")
	}
	if len(out) != int(m.Ncolumns) {
		b.Fail(pgerr.New(pgerr.SyntaxError, "number of columns does not match number of values"), loc)
	}
	return out
}

// subquery is a subquery that gives several values. It is printed once, in FROM.
func (s setter) subquery(b *query.Binder, sub *pg.SubLink, n int) []assignment {
	var q expression.Query
	b.CountApart(func() { q = b.Query(sub.Subselect.GetSelectStmt(), s.below, s.below.CTEs) })
	b.SettleUnknown(q)
	cols := q.Columns()
	if len(cols) != n {
		return nil
	}
	alias := b.UniqueAlias("values")
	parts := make([]string, n)
	for i, c := range cols {
		parts[i] = "'c" + strconv.Itoa(i+1) + "': " + enginesql.Quote(alias) + "." + enginesql.Quote(c.EngineName)
	}
	sql := "(SELECT {" + strings.Join(parts, ", ") + "} FROM (" + q.SQL() + ") AS " + enginesql.Quote(alias) + ")"
	all := s.w.found.of(s.w.found.compute("values", sql))
	out := make([]assignment, n)
	for i, c := range cols {
		e := scope.Expr{SQL: "struct_extract(" + all + ", 'c" + strconv.Itoa(i+1) + "')", Type: c.Type, Location: syntax.Location(sub.Subselect)}
		if list := syntax.LeftmostSelect(sub.Subselect.GetSelectStmt()).TargetList; i < len(list) {
			e.Location = syntax.Location(list[i].GetResTarget().GetVal())
		}
		out[i] = assignment{value: e, given: true}
	}
	return out
}

// element assigns a part of a document, at the end of a path of subscripts. base
// is the value so far, "" for the stored one.
func (s setter) element(b *query.Binder, a assignment, i int, base string) string {
	c, r := s.w.target.Columns[i], a.target
	if !types.IsJSON(types.OfColumn(c.Type).OID) || r.Indirection[0].GetString_() != nil {
		refuseElement(b, r, c, r.Location)
	}
	if !a.given {
		b.Unsupported(r.Location, "cannot set an array element to DEFAULT")
	}
	fresh := "'{}'"
	path := make([]string, len(r.Indirection))
	for k, n := range r.Indirection {
		e := b.JSONBSubscript(n.GetAIndices(), s.l)
		if k == 0 && types.IsInteger(e.Type.OID) {
			fresh = "'[]'"
		}
		path[k] = casts.ToText(e.SQL, e.Type)
	}
	if e := a.value; e.Type.OID != types.Unknown && !types.Assignable(e.Type, types.Of(types.JSONB)) {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "subscripted assignment to %q requires type jsonb but expression is of type %s", c.Name, types.Of(e.Type.OID)).
			WithHint(types.RewriteHint), r.Location)
	}
	if base == "" {
		base = b.ColumnExpr(s.old.Column(c.Name), -1, nil).SQL
	}
	value := b.Coerce(a.value, types.Of(types.JSONB), types.AssignmentCast)
	return enginesql.Macro("json_assign") + "(" + base + ", [" + strings.Join(path, ", ") + "], " + value.SQL + ", " + fresh + ")"
}
