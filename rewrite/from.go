package rewrite

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// from resolves a FROM clause into l and prints it.
func (b *queryBinder) from(items []*pg.Node, l *level) string {
	var parts []string
	for _, n := range items {
		sql, ns := b.fromItem(n, l, l.ns)
		l.ns.add(b.nameBinder, ns, fromLocation(n))
		parts = append(parts, sql)
	}
	return strings.Join(parts, ", ")
}

// fromItem resolves one item. lateral are the names of the items before it,
// which only LATERAL items see.
func (b *queryBinder) fromItem(n *pg.Node, l *level, lateral namespace) (string, namespace) {
	switch v := n.Node.(type) {
	case *pg.Node_RangeVar:
		return b.table(v.RangeVar, l)
	case *pg.Node_RangeSubselect:
		return b.derived(v.RangeSubselect, l, lateral)
	case *pg.Node_JoinExpr:
		return b.join(v.JoinExpr, l, lateral)
	case *pg.Node_RangeFunction:
		if i, ok := b.st.CallRefs[v.RangeFunction]; ok {
			f := v.RangeFunction
			if f.Ordinality || len(f.Coldeflist) > 0 {
				b.unsupported(syntax.FunctionCall(f).Location, "WITH ORDINALITY and column definitions are not supported on as_of.%s", b.refs[i].Name)
			}
			return b.reference(i, f.Alias, syntax.FunctionCall(f).Location)
		}
		return b.tableFunction(v.RangeFunction, l, lateral)
	case *pg.Node_RangeTableSample:
		return b.sample(v.RangeTableSample, l)
	}
	b.unsupported(syntax.Location(n), "%s is not supported in FROM", nodeName(n))
	return "", namespace{}
}

// table is a table name: a CTE or a reference.
func (b *queryBinder) table(v *pg.RangeVar, l *level) (string, namespace) {
	if i, ok := b.st.RangeRefs[v]; ok {
		return b.reference(i, v.Alias, v.Location)
	}
	c := l.ctes.find(v.Relname)
	if c == nil {
		b.fail(pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", v.Relname), v.Location)
	}
	b.joins(max(1, c.joined), v.Location)
	r := &relation{alias: v.Relname, ref: -1, made: "a WITH query"}
	listed := len(c.cols) - c.unlisted
	ns := b.output(r, c.cols[:listed], v.Alias, v.Location)
	r.system = columnsOf(r, c.cols[listed:])
	return enginesql.Quote(c.out) + " AS " + enginesql.Quote(r.out), ns
}

// reference is a relation the session resolved. Its text is a hole that Bind
// fills with the source.
func (b *queryBinder) reference(i int, alias *pg.Alias, loc int32) (string, namespace) {
	b.joins(1, loc)
	s := &b.shapes[i]
	r := &relation{alias: b.refs[i].Name, schema: s.Schema, table: s.Table, ref: i, shape: s}
	if alias != nil {
		r.alias, r.schema, r.table = alias.Aliasname, "", ""
	}
	r.out = b.alias(r.alias)
	q, aliases := enginesql.Quote(r.out)+".", column.AliasesOf(s.Columns)
	for k, c := range s.Columns {
		ty := s.typeOf(k)
		if k < len(s.OIDs) && s.OIDs[k] != 0 {
			ty = types.Of(s.OIDs[k])
		}
		r.fields = append(r.fields, &field{name: c.Name, sql: q + enginesql.Quote(aliases[k]), t: ty, rel: r, source: c.Name})
	}
	for _, c := range s.System {
		r.system = append(r.system, &field{
			name: c.Name, sql: q + enginesql.Quote(b.systemAlias(i, c.Name)), t: types.OfColumn(c.Type), rel: r, source: c.Name, system: true,
		})
	}
	r.system = append(r.system, b.postgresSystem(i, r)...)
	b.aliasColumns(r, alias, loc)
	return enginesql.Placeholder(enginesql.Source, i) + " AS " + enginesql.Quote(r.out), namespace{rels: []*relation{r}, names: r.fields}
}

// output makes the relation of a query or function whose columns are known.
func (b *queryBinder) output(r *relation, cols []outcol, alias *pg.Alias, loc int32) namespace {
	if alias != nil {
		r.alias = alias.Aliasname
	}
	r.out = b.alias(r.alias)
	r.fields = columnsOf(r, cols)
	b.aliasColumns(r, alias, loc)
	return namespace{rels: []*relation{r}, names: r.fields}
}

// columnsOf are columns of a query as columns of the relation.
func columnsOf(r *relation, cols []outcol) []*field {
	var fields []*field
	for _, c := range cols {
		f := &field{name: c.name, sql: enginesql.Quote(r.out) + "." + enginesql.Quote(c.out), t: c.t, rel: r}
		if c.beside != "" {
			f.text = enginesql.Quote(r.out) + "." + enginesql.Quote(c.beside)
		}
		fields = append(fields, f)
	}
	return fields
}

// aliasColumns applies the column list of an alias: names change for the client
// only.
func (b *queryBinder) aliasColumns(r *relation, alias *pg.Alias, loc int32) {
	names := syntax.Strings(alias.GetColnames())
	if len(names) > len(r.fields) {
		b.fail(pgerr.New(pgerr.InvalidColumnReference, "table %q has %d columns available but %d columns specified", r.alias, len(r.fields), len(names)), loc)
	}
	for i, n := range names {
		r.fields[i].name = n
	}
}

// derived is a subquery in FROM.
func (b *queryBinder) derived(n *pg.RangeSubselect, l *level, lateral namespace) (string, namespace) {
	outer, words := &level{parent: l.parent, hidden: slices.Concat(lateral.rels, lateral.refused), ctes: l.ctes}, ""
	if n.Lateral {
		outer, words = &level{parent: l.parent, ns: lateral, ctes: l.ctes}, "LATERAL "
	}
	var q query
	joined := b.apart(func() { q = b.query(n.Subquery.GetSelectStmt(), outer, l.ctes) })
	b.joins(joined, syntax.Location(n.Subquery))
	q.settle(b.exprBinder)
	q.expose(q.noted())
	r := &relation{ref: -1, unlockable: unlockable(q)}
	ns := b.output(r, q.columns(), n.Alias, -1)
	return words + "(" + q.text() + ") AS " + enginesql.Quote(r.out), ns
}

// join resolves a join. USING and NATURAL are written as ON, and the merged
// column as the side or the coalesce that PostgreSQL's manual gives it (7.2.1.1).
func (b *queryBinder) join(n *pg.JoinExpr, l *level, lateral namespace) (string, namespace) {
	lsql, lns := b.fromItem(n.Larg, l, lateral)
	seen := lateral
	if n.Jointype == pg.JoinType_JOIN_RIGHT || n.Jointype == pg.JoinType_JOIN_FULL {
		seen.refused = slices.Concat(lateral.refused, lns.rels)
	} else {
		seen.add(b.nameBinder, lns, -1)
	}
	rsql, rns := b.fromItem(n.Rarg, l, seen)
	if n.Rarg.GetJoinExpr() != nil {
		rsql = "(" + rsql + ")"
	}
	var ns namespace
	ns.add(b.nameBinder, lns, -1)
	ns.add(b.nameBinder, rns, fromLocation(n.Rarg))

	if n.Jointype == pg.JoinType_JOIN_LEFT || n.Jointype == pg.JoinType_JOIN_FULL {
		b.mayMiss(rns)
	}
	if n.Jointype == pg.JoinType_JOIN_RIGHT || n.Jointype == pg.JoinType_JOIN_FULL {
		b.mayMiss(lns)
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
	var outer bool // the condition hangs on a query around
	switch {
	case len(names) > 0:
		cond, ns = b.using(n, names, lns, rns, ns)
	case n.Quals != nil:
		on := &level{parent: l.parent, ns: ns, ctes: l.ctes, hidden: lateral.rels, clause: "JOIN conditions"}
		mark := len(b.uses)
		cond = b.condition(n.Quals, on, "JOIN/ON").sql
		outer = slices.ContainsFunc(b.uses[mark:], func(u use) bool { return u.l != on })
	case n.Jointype == pg.JoinType_JOIN_INNER:
		words = " CROSS JOIN "
	default:
		cond = "TRUE"
	}
	sql, ok := b.outerOn(n, outerJoin{lsql, rsql, cond, outer}, lns, rns)
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

// mayMiss notes that the relations of a side may be left without a row.
func (b *queryBinder) mayMiss(ns namespace) {
	for _, r := range ns.rels {
		r.outer = true
		if r.ref >= 0 {
			b.outer[r.ref] = true
		}
	}
}

func sharedNames(l, r namespace) []string {
	var names []string
	for _, a := range l.names {
		for _, c := range r.names {
			if a.name == c.name {
				names = append(names, a.name)
				break
			}
		}
	}
	return names
}

// using builds the condition and the merged columns of USING (names).
func (b *queryBinder) using(n *pg.JoinExpr, names []string, lns, rns, ns namespace) (string, namespace) {
	var conds []string
	var merged []*field
	drop := map[*field]bool{}
	loc := fromLocation(n.Rarg)
	for _, name := range names {
		lf := b.usingSide(lns, name, "left", loc)
		rf := b.usingSide(rns, name, "right", loc)
		le, re := b.fieldExpr(lf, -1, nil), b.fieldExpr(rf, -1, nil)
		le.loc, re.loc = loc, loc
		b.common([]expr{le, re}, "JOIN/USING")
		conds = append(conds, b.operate("=", []expr{le, re}, loc).sql)
		merged = append(merged, b.merged(n.Jointype, lf, rf, []expr{le, re}))
		drop[lf], drop[rf] = true, true
	}
	for _, f := range ns.names {
		if !drop[f] {
			merged = append(merged, f)
		}
	}
	ns.names = merged
	if a := n.JoinUsingAlias; a != nil {
		r := &relation{alias: a.Aliasname, ref: -1, fields: merged[:len(names)], made: "a join"}
		ns.add(b.nameBinder, namespace{rels: []*relation{r}}, -1)
	}
	return strings.Join(conds, " AND "), ns
}

// merged is the one column that USING makes of two: that of the side whose rows are all
// there, in the type of both.
func (b *queryBinder) merged(kind pg.JoinType, left, right *field, sides []expr) *field {
	same := left.t.OID == right.t.OID
	both, ty := b.unify(sides, "JOIN/USING")
	switch {
	case kind == pg.JoinType_JOIN_FULL:
		return &field{name: left.name, sql: "coalesce(" + join(both) + ")", t: ty}
	case kind == pg.JoinType_JOIN_RIGHT:
		left, both = right, both[1:]
	}
	if same {
		return &field{name: left.name, sql: left.sql, t: left.t, rel: left.rel, source: left.source, text: left.text}
	}
	return &field{name: left.name, sql: both[0].sql, t: ty}
}

func (b *queryBinder) usingSide(ns namespace, name, side string, loc int32) *field {
	var f *field
	for _, c := range ns.names {
		if c.name == name {
			if f != nil {
				b.fail(pgerr.New(pgerr.AmbiguousColumn, "common column name %q appears more than once in %s table", name, side), loc)
			}
			f = c
		}
	}
	if f == nil {
		b.fail(pgerr.New(pgerr.UndefinedColumn, "column %q specified in USING clause does not exist in %s table", name, side), loc)
	}
	return f
}

// joinAlias names a whole join; its columns stay where they are.
func (b *queryBinder) joinAlias(a *pg.Alias, ns namespace) namespace {
	r := &relation{alias: a.Aliasname, ref: -1, made: "a join"}
	for _, f := range ns.names {
		c := *f
		r.fields = append(r.fields, &c)
	}
	b.aliasColumns(r, a, -1)
	return namespace{rels: []*relation{r}, names: r.fields}
}

// fromLocation is where an item of FROM is written, -1 where the parser does
// not say.
func fromLocation(n *pg.Node) int32 {
	switch v := n.GetNode().(type) {
	case *pg.Node_RangeVar:
		return v.RangeVar.Location
	case *pg.Node_RangeFunction:
		if c := syntax.FunctionCall(v.RangeFunction); c != nil {
			return c.Location
		}
	case *pg.Node_JoinExpr:
		return fromLocation(v.JoinExpr.Larg)
	}
	return -1
}
