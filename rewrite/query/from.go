package query

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// FromClause resolves a FROM clause into l and prints it.
func (b *Binder) FromClause(items []*pg.Node, l *scope.Level) string {
	var parts []string
	for _, n := range items {
		sql, ns := b.FromItem(n, l, l.Namespace)
		l.Namespace.Add(b.State, ns)
		parts = append(parts, sql)
	}
	return strings.Join(parts, ", ")
}

// FromItem resolves one item. lateral are the names of the items before it,
// which only LATERAL items see.
func (b *Binder) FromItem(n *pg.Node, l *scope.Level, lateral scope.Namespace) (string, scope.Namespace) {
	switch v := n.Node.(type) {
	case *pg.Node_RangeVar:
		return b.rangeVar(v.RangeVar, l)
	case *pg.Node_RangeSubselect:
		return b.rangeSubselect(v.RangeSubselect, l, lateral)
	case *pg.Node_JoinExpr:
		return b.join(v.JoinExpr, l, lateral)
	case *pg.Node_RangeFunction:
		if i, ok := b.Stmt.CallRefs[v.RangeFunction]; ok {
			f := v.RangeFunction
			if f.Ordinality || len(f.Coldeflist) > 0 {
				b.Unsupported(syntax.FunctionCall(f).Location, "WITH ORDINALITY and column definitions are not supported on %s.%s", b.Refs[i].Schema, b.Refs[i].Name)
			}
			return b.Reference(i, f.Alias, syntax.FunctionCall(f).Location)
		}
		return b.tableFunction(v.RangeFunction, l, lateral)
	case *pg.Node_RangeTableSample:
		return b.tableSample(v.RangeTableSample, l)
	}
	b.Unsupported(syntax.Location(n), "%s is not supported in FROM", expression.NodeName(n))
	return "", scope.Namespace{}
}

// rangeVar is a table name: a CTE or a reference.
func (b *Binder) rangeVar(v *pg.RangeVar, l *scope.Level) (string, scope.Namespace) {
	if i, ok := b.Stmt.RangeRefs[v]; ok {
		if b.Refs[i].Part > 0 {
			return b.partReference(i, v)
		}
		return b.Reference(i, v.Alias, v.Location)
	}
	c := l.CTEs.Find(v.Relname)
	if c == nil {
		b.Fail(pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", v.Relname), v.Location)
	}
	b.CountJoins(max(1, c.Joined), v.Location)
	r := &scope.RangeEntry{Alias: v.Relname, Ref: -1, MadeBy: "a WITH query"}
	listed := len(c.Columns) - c.UnlistedColumns
	ns := b.output(r, c.Columns[:listed], v.Alias, v.Location)
	r.SystemColumns = columnsOf(r, c.Columns[listed:])
	return enginesql.Quote(c.EngineAlias) + " AS " + enginesql.Quote(r.EngineAlias), ns
}

// Reference is a relation the session resolved. Its text is a placeholder that Bind
// fills with the source.
func (b *Binder) Reference(i int, alias *pg.Alias, loc int32) (string, scope.Namespace) {
	s := &b.Shapes[i]
	if v := b.Stmt.Views[i]; v != nil {
		return b.view(i, v, alias, loc)
	}
	b.CountJoins(1, loc)
	r := &scope.RangeEntry{Alias: b.Refs[i].Name, Schema: s.Schema, Table: s.Table, Ref: i, Shape: s}
	if alias != nil {
		r.Alias, r.Schema, r.Table = alias.Aliasname, "", ""
	}
	r.EngineAlias = b.UniqueAlias(r.Alias)
	b.lockReference(r)
	q, aliases := enginesql.Quote(r.EngineAlias)+".", column.AliasesOf(s.Columns)
	for k, c := range s.Columns {
		r.Columns = append(r.Columns, &scope.Column{Name: c.Name, SQL: q + enginesql.Quote(aliases[k]), Type: s.TypeOf(k), Range: r, Source: c.Name})
	}
	for _, c := range s.System {
		r.SystemColumns = append(r.SystemColumns, &scope.Column{
			Name: c.Name, SQL: q + enginesql.Quote(b.SystemAlias(i, c.Name)), Type: types.OfColumn(c.Type), Range: r, Source: c.Name, System: true,
		})
	}
	r.SystemColumns = append(r.SystemColumns, b.PostgresSystemColumns(i, r)...)
	showColumns(r)
	b.aliasColumns(r, alias, loc)
	return enginesql.Placeholder(enginesql.Source, i) + " AS " + enginesql.Quote(r.EngineAlias), scope.Namespace{Ranges: []*scope.RangeEntry{r}, Columns: r.Columns}
}

// output makes the relation of a query or function whose columns are known.
func (b *Binder) output(r *scope.RangeEntry, cols []scope.OutputColumn, alias *pg.Alias, loc int32) scope.Namespace {
	if alias != nil {
		r.Alias = alias.Aliasname
	}
	r.EngineAlias = b.UniqueAlias(r.Alias)
	r.Columns = columnsOf(r, cols)
	b.aliasColumns(r, alias, loc)
	return scope.Namespace{Ranges: []*scope.RangeEntry{r}, Columns: r.Columns}
}

// columnsOf are columns of a query as columns of the relation.
func columnsOf(r *scope.RangeEntry, cols []scope.OutputColumn) []*scope.Column {
	var fields []*scope.Column
	for _, c := range cols {
		f := &scope.Column{Name: c.Name, SQL: enginesql.Quote(r.EngineAlias) + "." + enginesql.Quote(c.EngineName), Type: c.Type, Range: r, Base: c.Base, Effect: c.Effect}
		if c.TextColumn != "" {
			f.Printed = enginesql.Quote(r.EngineAlias) + "." + enginesql.Quote(c.TextColumn)
		}
		fields = append(fields, f)
	}
	return fields
}

// aliasColumns applies the column list of an alias: names change for the client
// only.
func (b *Binder) aliasColumns(r *scope.RangeEntry, alias *pg.Alias, loc int32) {
	names := syntax.Strings(alias.GetColnames())
	if len(names) > len(r.Columns) {
		b.Fail(pgerr.New(pgerr.InvalidColumnReference, "table %q has %d columns available but %d columns specified", r.Alias, len(r.Columns), len(names)), -1)
	}
	for i, n := range names {
		r.Columns[i].Name = n
	}
}

// rangeSubselect is a subquery in FROM.
func (b *Binder) rangeSubselect(n *pg.RangeSubselect, l *scope.Level, lateral scope.Namespace) (string, scope.Namespace) {
	outer, words := &scope.Level{Parent: l.Parent, Hidden: slices.Concat(lateral.Ranges, lateral.Refused), CTEs: l.CTEs}, ""
	if n.Lateral {
		outer, words = &scope.Level{Parent: l.Parent, Namespace: lateral, CTEs: l.CTEs}, "LATERAL "
	}
	var q expression.Query
	r := &scope.RangeEntry{Alias: n.Alias.GetAliasname(), Ref: -1}
	b.lockBelow(r)
	joined := b.CountApart(func() { q = b.Query(n.Subquery.GetSelectStmt(), outer, l.CTEs) })
	b.CountJoins(joined, syntax.Location(n.Subquery))
	b.SettleUnknown(q)
	q.ExposeTexts(q.TextColumns())
	r.Unlockable = unlockable(q)
	ns := b.output(r, q.Columns(), n.Alias, -1)
	return words + "(" + q.SQL() + ") AS " + enginesql.Quote(r.EngineAlias), ns
}

// join resolves a join. USING and NATURAL are written as ON, and the merged
// column as the side or the coalesce that PostgreSQL's manual gives it (7.2.1.1).
func (b *Binder) join(n *pg.JoinExpr, l *scope.Level, lateral scope.Namespace) (string, scope.Namespace) {
	lsql, lns := b.FromItem(n.Larg, l, lateral)
	seen := lateral
	if n.Jointype == pg.JoinType_JOIN_RIGHT || n.Jointype == pg.JoinType_JOIN_FULL {
		seen.Refused = slices.Concat(lateral.Refused, lns.Ranges)
	} else {
		seen.Add(b.State, lns)
	}
	rsql, rns := b.FromItem(n.Rarg, l, seen)
	if n.Rarg.GetJoinExpr() != nil {
		rsql = "(" + rsql + ")"
	}
	var ns scope.Namespace
	ns.Add(b.State, lns)
	ns.Add(b.State, rns)

	if n.Jointype == pg.JoinType_JOIN_LEFT || n.Jointype == pg.JoinType_JOIN_FULL {
		b.markNullable(rns)
	}
	if n.Jointype == pg.JoinType_JOIN_RIGHT || n.Jointype == pg.JoinType_JOIN_FULL {
		b.markNullable(lns)
	}

	names := syntax.Strings(n.UsingClause)
	if n.IsNatural {
		names = sharedNames(lns, rns)
	}
	words := map[pg.JoinType]string{
		pg.JoinType_JOIN_INNER: " JOIN ", pg.JoinType_JOIN_LEFT: " LEFT JOIN ",
		pg.JoinType_JOIN_RIGHT: " RIGHT JOIN ", pg.JoinType_JOIN_FULL: " FULL JOIN ",
	}[n.Jointype]
	var cond string
	var outer bool // the condition is correlated with an outer query
	switch {
	case len(names) > 0:
		b.joined[n] = usingConjuncts(names, lns, rns, &scope.Level{Parent: l.Parent, Namespace: ns, CTEs: l.CTEs})
		cond, ns = b.usingColumns(n, names, lns, rns, ns)
	case n.Quals != nil:
		on := &scope.Level{Parent: l.Parent, Namespace: ns, CTEs: l.CTEs, Hidden: lateral.Ranges, Clause: "JOIN conditions"}
		mark := len(b.ColumnUses)
		cond = b.Condition(n.Quals, on, "JOIN/ON").SQL
		outer = slices.ContainsFunc(b.ColumnUses[mark:], func(u scope.ColumnUse) bool { return u.Level != on })
		b.joined[n] = conjunctsOf(n.Quals, on)
	case n.Jointype == pg.JoinType_JOIN_INNER:
		words = " CROSS JOIN "
	default:
		cond = "TRUE"
	}
	sql, ok := b.outerJoinCondition(n, outerJoin{lsql, rsql, cond, outer}, lns, rns)
	if !ok {
		sql = lsql + words + rsql
	}
	if !ok && cond != "" {
		sql += " ON " + cond
	}
	if n.Alias != nil { // (a JOIN b) AS j: only j is a name outside
		return sql, b.joinAlias(n.Alias, ns)
	}
	return sql, ns
}

// markNullable notes that the relations of a side may be left without a row.
func (b *Binder) markNullable(ns scope.Namespace) {
	for _, r := range ns.Ranges {
		r.Nullable = true
		if r.Ref >= 0 {
			b.Uses[r.Ref].OuterJoined = true
		}
	}
}

func sharedNames(l, r scope.Namespace) []string {
	var names []string
	for _, a := range l.Columns {
		for _, c := range r.Columns {
			if a.Name == c.Name {
				names = append(names, a.Name)
				break
			}
		}
	}
	return names
}

// usingColumns builds the condition and the merged columns of USING (names).
func (b *Binder) usingColumns(n *pg.JoinExpr, names []string, lns, rns, ns scope.Namespace) (string, scope.Namespace) {
	var conds []string
	var merged []*scope.Column
	drop := map[*scope.Column]bool{}
	const loc = -1 // PostgreSQL gives no position of what USING or NATURAL joins
	for _, name := range names {
		lf := b.usingSide(lns, name, "left", loc)
		rf := b.usingSide(rns, name, "right", loc)
		le, re := b.ColumnExpr(lf, -1, nil), b.ColumnExpr(rf, -1, nil)
		le.Location, re.Location = loc, loc
		b.CommonType([]scope.Expr{le, re}, "JOIN/USING")
		conds = append(conds, b.Operate("=", []scope.Expr{le, re}, loc).SQL)
		merged = append(merged, b.mergedColumn(n.Jointype, lf, rf, []scope.Expr{le, re}))
		drop[lf], drop[rf] = true, true
	}
	for _, f := range ns.Columns {
		if !drop[f] {
			merged = append(merged, f)
		}
	}
	ns.Columns = merged
	if a := n.JoinUsingAlias; a != nil {
		r := &scope.RangeEntry{Alias: a.Aliasname, Ref: -1, Columns: merged[:len(names)], MadeBy: "a join"}
		ns.Add(b.State, scope.Namespace{Ranges: []*scope.RangeEntry{r}})
	}
	return strings.Join(conds, " AND "), ns
}

// mergedColumn is the one column that USING makes of two: that of the side whose rows are all
// there, in the type of both.
func (b *Binder) mergedColumn(kind pg.JoinType, left, right *scope.Column, sides []scope.Expr) *scope.Column {
	same := left.Type.OID == right.Type.OID
	texts := b.PrintedBranches(sides)
	both, ty := b.Unify(sides, "JOIN/USING")
	switch {
	case kind == pg.JoinType_JOIN_FULL:
		merged := &scope.Column{Name: left.Name, SQL: "coalesce(" + expression.JoinSQL(both) + ")", Type: ty}
		if texts != nil && coercion.IsNumeric(ty) {
			merged.Printed = "coalesce(" + strings.Join(texts, ", ") + ")"
		}
		return merged
	case kind == pg.JoinType_JOIN_RIGHT:
		left, both = right, both[1:]
	}
	if same {
		return &scope.Column{Name: left.Name, SQL: left.SQL, Type: left.Type, Range: left.Range, Source: left.Source, Printed: left.Printed}
	}
	return &scope.Column{Name: left.Name, SQL: both[0].SQL, Type: ty}
}

func (b *Binder) usingSide(ns scope.Namespace, name, side string, loc int32) *scope.Column {
	var f *scope.Column
	for _, c := range ns.Columns {
		if c.Name == name {
			if f != nil {
				b.Fail(pgerr.New(pgerr.AmbiguousColumn, "common column name %q appears more than once in %s table", name, side), loc)
			}
			f = c
		}
	}
	if f == nil {
		b.Fail(pgerr.New(pgerr.UndefinedColumn, "column %q specified in USING clause does not exist in %s table", name, side), loc)
	}
	return f
}

// joinAlias names a whole join; its columns stay where they are.
func (b *Binder) joinAlias(a *pg.Alias, ns scope.Namespace) scope.Namespace {
	r := &scope.RangeEntry{Alias: a.Aliasname, Ref: -1, MadeBy: "a join"}
	for _, f := range ns.Columns {
		c := *f
		r.Columns = append(r.Columns, &c)
	}
	b.aliasColumns(r, a, -1)
	return scope.Namespace{Ranges: []*scope.RangeEntry{r}, Columns: r.Columns}
}
