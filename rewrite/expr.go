package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// expr resolves an expression at a level.
func (b *exprBinder) expr(n *pg.Node, l *level) expr {
	mark := len(b.uses)
	e := b.node(n, l)
	e.loc = syntax.Location(n)
	if as, grouped := l.group[e.sql]; grouped && !e.agg {
		b.forget(mark, l)
		e.sql = as
		e.printed = "" // what it is made of is not grouped
	}
	if b.grown(e.sql) {
		b.fail(syntax.TooDeep(), syntax.Location(n))
	}
	return e
}

func (b *exprBinder) node(n *pg.Node, l *level) expr {
	switch v := n.GetNode().(type) {
	case *pg.Node_AConst:
		return b.constant(v.AConst)
	case *pg.Node_ColumnRef:
		return b.columnRef(v.ColumnRef, l)
	case *pg.Node_ParamRef:
		return b.paramRef(v.ParamRef)
	case *pg.Node_TypeCast:
		return b.typeCast(v.TypeCast, l)
	case *pg.Node_AExpr:
		return b.operator(v.AExpr, l)
	case *pg.Node_BoolExpr:
		return b.boolean(v.BoolExpr, l)
	case *pg.Node_NullTest:
		return b.nullTest(v.NullTest, l)
	case *pg.Node_BooleanTest:
		return b.booleanTest(v.BooleanTest, l)
	case *pg.Node_CaseExpr:
		return b.caseExpr(v.CaseExpr, l)
	case *pg.Node_CoalesceExpr:
		return b.variadic("coalesce", v.CoalesceExpr.Args, l)
	case *pg.Node_MinMaxExpr:
		if v.MinMaxExpr.Op == pg.MinMaxOp_IS_LEAST {
			return b.variadic("least", v.MinMaxExpr.Args, l)
		}
		return b.variadic("greatest", v.MinMaxExpr.Args, l)
	case *pg.Node_SqlvalueFunction:
		return b.valueFunction(v.SqlvalueFunction)
	case *pg.Node_FuncCall:
		return b.call(v.FuncCall, l)
	case *pg.Node_SubLink:
		return b.subLink(v.SubLink, l)
	case *pg.Node_RowExpr:
		return b.rowOf(v.RowExpr, l, true)
	case *pg.Node_AArrayExpr:
		return b.arrayExpr(v.AArrayExpr, l)
	case *pg.Node_AIndirection:
		return b.indirection(v.AIndirection, l)
	case *pg.Node_CollateClause:
		return b.collate(v.CollateClause, l)
	case *pg.Node_GroupingFunc:
		return b.groupingFunc(v.GroupingFunc, l)
	case *pg.Node_MergeSupportFunc:
		return b.mergeAction(v.MergeSupportFunc, l)
	case *pg.Node_SetToDefault:
		b.fail(pgerr.New(pgerr.SyntaxError, "DEFAULT is not allowed in this context"), v.SetToDefault.Location)
	case *pg.Node_List:
		b.fail(pgerr.New(pgerr.SyntaxError, "a list is not allowed in this context"), -1)
	}
	b.unsupported(syntax.Location(n), "%s is not supported", nodeName(n))
	return expr{}
}

// nodeName names a construct of the grammar in an error message.
func nodeName(n *pg.Node) string {
	if name := syntax.NodeWords(n); name != "" {
		return name
	}
	return "this construct"
}

func (b *exprBinder) constant(c *pg.A_Const) expr {
	e := expr{loc: c.Location, t: types.Of(types.Unknown)}
	switch v := c.GetVal().(type) {
	case *pg.A_Const_Ival:
		i := int64(v.Ival.GetIval())
		e.t, e.sql, e.int = types.Of(types.Int4), strconv.FormatInt(i, 10), &i
	case *pg.A_Const_Fval:
		return b.number(v.Fval.GetFval(), c.Location)
	case *pg.A_Const_Boolval:
		e.t, e.sql = types.Of(types.Bool), strings.ToUpper(strconv.FormatBool(v.Boolval.GetBoolval()))
	case *pg.A_Const_Sval:
		s := v.Sval.GetSval()
		e.lit, e.sql = &s, enginesql.Literal(s)
	case *pg.A_Const_Bsval:
		digits, err := str.ReadBits(v.Bsval.GetBsval())
		if err != nil {
			b.fail(err, c.Location)
		}
		e.t, e.sql = types.Of(types.Bit), enginesql.Literal(digits)
	default:
		e.null, e.sql = true, "NULL"
	}
	return e
}

func (b *exprBinder) paramRef(p *pg.ParamRef) expr {
	n := int(p.Number)
	if n < 1 || n > syntax.MaxParams {
		b.fail(pgerr.New(pgerr.UndefinedParameter, "there is no parameter $%d", n), p.Location)
	}
	e := expr{sql: enginesql.Placeholder(enginesql.Param, n), t: b.params.see(n), loc: p.Location}
	switch e.t.OID {
	case types.Unknown:
		e.param = n
	case types.Numeric:
		e.printed = enginesql.Placeholder(enginesql.ParamText, n)
	}
	return e
}

func (b *exprBinder) columnRef(c *pg.ColumnRef, l *level) expr {
	if c.Fields[len(c.Fields)-1].GetAStar() != nil {
		if len(c.Fields) == 1 {
			b.fail(pgerr.New(pgerr.SyntaxError, "row expansion via \"*\" is not supported here"), c.Location)
		}
		r, _ := b.qualifier(syntax.Strings(c.Fields[:len(c.Fields)-1]), l, c.Location)
		return b.wholeRow(r, l, c.Location)
	}
	names := syntax.Strings(c.Fields)
	last := names[len(names)-1]
	if b.idents[strings.ToLower(last)] == 0 {
		b.idents[strings.ToLower(last)] = b.st.Tree.Position(c.Location)
	}
	if len(names) == 1 {
		f, at := l.named(b.nameBinder, last, c.Location)
		if f == nil {
			if r, at := l.relation("", last); r != nil {
				if r.scalar {
					return b.fieldExpr(r.fields[0], c.Location, at)
				}
				return b.wholeRow(r, l, c.Location)
			}
			b.noColumn(l, last, c.Location)
		}
		b.checkOuterGroup(f, c, l, at)
		return b.fieldExpr(f, c.Location, at)
	}
	r, at := b.qualifier(names[:len(names)-1], l, c.Location)
	f := r.column(last)
	if f == nil {
		b.refuseCTID(last, []*relation{r}, c.Location)
		err := pgerr.New(pgerr.UndefinedColumn, "column %s.%s does not exist", strings.Join(names[:len(names)-1], "."), last)
		if hint := closest(l, r.alias, last); hint != "" {
			err = err.WithHint("Perhaps you meant to reference the column %q.", hint)
		}
		b.fail(err, c.Location)
	}
	b.checkOuterGroup(f, c, l, at)
	return b.fieldExpr(f, c.Location, at)
}

// checkOuterGroup refuses a column of a query around, which has no more than one value
// of each group of it.
func (b *exprBinder) checkOuterGroup(f *field, c *pg.ColumnRef, l, at *level) {
	if as := at.group[f.sql]; at != l && as != "" && as != f.sql {
		b.unsupported(c.Location, "a subquery with a jsonb that the query around it groups by is not supported")
	}
}

// fieldExpr uses a column: its source must expose it. at is the level whose FROM
// has it.
func (b *exprBinder) fieldExpr(f *field, loc int32, at *level) expr {
	if f.unborn {
		b.fail(pgerr.Unsupported("system column %q is not known before the commit", f.name).
			WithHint("ontosql.last_commit_id tells the commit afterwards."), loc)
	}
	f.used = true
	if f.rel != nil && f.rel.ref >= 0 && !f.rel.below {
		if f.system {
			b.system[f.rel.ref][f.source] = true
		} else {
			b.used[f.rel.ref][f.source] = true
		}
	}
	grouped := at != nil && at.group[f.sql] != ""
	if at != nil && !grouped {
		b.uses = append(b.uses, use{f: f, l: at, loc: loc})
	}
	e := expr{sql: f.sql, t: f.t, field: f, row: rowOfColumn(f), printed: f.text, loc: loc}
	if grouped {
		e.printed = "" // of many rows
	}
	if e.row != nil {
		e.absent = f.sql + " IS NULL"
	}
	return e
}

// wholeRow is SELECT c FROM customer c. On the side of an outer join that may have no row
// one of NULLs alone is taken for none: every table has a key.
func (b *exprBinder) wholeRow(r *relation, l *level, loc int32) expr {
	e := expr{loc: loc}
	_, at := l.relation("", r.alias)
	nulls := make([]string, len(r.fields))
	for i, f := range r.fields {
		e.row = append(e.row, b.fieldExpr(f, loc, at))
		nulls[i] = f.sql + " IS NULL"
	}
	e.t = rowOfFields(e.row)
	if e.sql = rowText(e.row); r.outer && len(nulls) > 0 {
		e.absent = strings.Join(nulls, " AND ")
		e.sql = "CASE WHEN NOT (" + e.absent + ") THEN " + e.sql + " END"
	}
	return e
}

func (b *exprBinder) boolean(n *pg.BoolExpr, l *level) expr {
	word := map[pg.BoolExprType]string{pg.BoolExprType_AND_EXPR: "AND", pg.BoolExprType_OR_EXPR: "OR", pg.BoolExprType_NOT_EXPR: "NOT"}[n.Boolop]
	parts, agg := b.terms(n, l, word)
	out := expr{t: types.Of(types.Bool), agg: agg}
	if word == "NOT" {
		out.sql = "(NOT " + parts[0] + ")"
	} else {
		out.sql = conditions(word, parts)
	}
	return out
}

func (b *exprBinder) nullTest(n *pg.NullTest, l *level) expr {
	e := b.expr(n.Arg, l)
	not := n.Nulltesttype == pg.NullTestType_IS_NOT_NULL
	out := expr{t: types.Of(types.Bool), agg: e.agg}
	word := " IS NULL"
	if not {
		word = " IS NOT NULL"
	}
	if e.row != nil { // true if all fields are
		var parts []string
		for _, f := range e.row {
			parts = append(parts, f.sql+word)
		}
		out.sql = "(" + strings.Join(parts, " AND ") + ")"
		if len(parts) == 0 {
			out.sql = "TRUE"
		}
		return out
	}
	e = b.known(e)
	out.sql = "(" + e.sql + word + ")"
	return out
}

func (b *exprBinder) booleanTest(n *pg.BooleanTest, l *level) expr {
	e := b.expr(n.Arg, l)
	words := map[pg.BoolTestType]string{
		pg.BoolTestType_IS_TRUE: "IS NOT DISTINCT FROM TRUE", pg.BoolTestType_IS_NOT_TRUE: "IS DISTINCT FROM TRUE",
		pg.BoolTestType_IS_FALSE: "IS NOT DISTINCT FROM FALSE", pg.BoolTestType_IS_NOT_FALSE: "IS DISTINCT FROM FALSE",
		pg.BoolTestType_IS_UNKNOWN: "IS NULL", pg.BoolTestType_IS_NOT_UNKNOWN: "IS NOT NULL",
	}[n.Booltesttype]
	c := b.coerce(e, types.Of(types.Bool), types.ImplicitCast)
	return expr{sql: "(" + c.sql + " " + words + ")", t: types.Of(types.Bool), agg: e.agg}
}

// rowOf is a row constructor. Where its fields are not settled, they keep having no type
// if they have none.
func (b *exprBinder) rowOf(n *pg.RowExpr, l *level, settled bool) expr {
	e := expr{row: []expr{}, built: true, loc: n.Location}
	unknown := map[int]bool{}
	for _, a := range n.Args {
		if c := a.GetColumnRef(); c != nil && c.Fields[len(c.Fields)-1].GetAStar() != nil {
			for _, f := range b.star(c, l) {
				e.row = append(e.row, b.fieldExpr(f, c.Location, l))
				e.row[len(e.row)-1].field = nil
			}
			continue
		}
		f := b.expr(a, l)
		unknown[len(e.row)] = f.t.OID == types.Unknown
		if settled && f.null {
			f = expr{sql: "CAST(NULL AS VARCHAR)", t: types.Of(types.Text), loc: f.loc}
		} else if settled {
			f = b.known(f)
		}
		e.agg = e.agg || f.agg
		f.field = nil // it is called f1, f2 ...
		e.row = append(e.row, f)
	}
	e.sql, e.t = rowText(e.row), rowOfFields(e.row)
	for i := range e.row {
		if unknown[i] { // PostgreSQL lets a literal be without a type here
			e.t.Row.Fields[i].Type = types.Of(types.Unknown)
		}
	}
	return e
}

// rowText is a row constructor. The engine has no struct without fields.
func rowText(fields []expr) string {
	if len(fields) == 0 {
		return "row(NULL)"
	}
	items := make([]string, len(fields))
	for i, f := range fields {
		items[i] = noPosition(f)
	}
	return "row(" + strings.Join(items, ", ") + ")"
}

// noPosition is an expression that the engine does not take for the number of an output
// in GROUP BY, where it looks into rows, too.
func noPosition(e expr) string {
	if _, err := strconv.Atoi(e.sql); err == nil {
		return "CAST(" + e.sql + " AS " + e.t.EngineType() + ")"
	}
	return e.sql
}

// collate accepts the collations that order as the engine does, by bytes.
func (b *exprBinder) collate(n *pg.CollateClause, l *level) expr {
	if err := syntax.CheckCollation(n); err != nil {
		b.fail(err, n.Location)
	}
	e := b.expr(n.Arg, l)
	if e.t.OID == types.Unknown {
		e = b.coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	if e.t.Category() != 'S' && e.t.Category() != 'Z' {
		b.fail(pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", e.t), n.Location)
	}
	e.field = nil
	return e
}

func (b *exprBinder) groupingFunc(n *pg.GroupingFunc, l *level) expr {
	var es []expr
	mark := len(b.uses)
	inner := *l
	inner.group = nil
	for _, a := range n.Args {
		e := b.expr(a, &inner)
		if l.group != nil && l.group[e.sql] == "" {
			b.fail(pgerr.New(pgerr.GroupingError, "arguments to GROUPING must be grouping expressions of the associated query level"), e.loc)
		}
		es = append(es, b.equated(e))
	}
	b.forget(mark, l)
	return expr{sql: "CAST(grouping(" + join(es) + ") AS INTEGER)", t: types.Of(types.Int4), agg: true}
}

// known gives an expression without a type the type text, as PostgreSQL does
// where nothing else asks for one.
func (b *exprBinder) known(e expr) expr {
	if e.t.OID == types.Unknown {
		return b.coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	return e
}

// firstColumn finds a column reference below n, but for those of queries within it.
func firstColumn(n *pg.Node) *pg.ColumnRef {
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

// grown says whether the SQL of an expression has grown too much.
func (b *exprBinder) grown(sql string) bool { return len(sql) > macros.GrownBytes+100*len(b.st.SQL) }

func join(es []expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.sql
	}
	return strings.Join(parts, ", ")
}

// mergeAction is merge_action(), which a RETURNING list of MERGE may call, also
// within subqueries.
func (b *exprBinder) mergeAction(n *pg.MergeSupportFunc, l *level) expr {
	for x := l; x != nil; x = x.parent {
		if x.action != "" {
			return expr{sql: x.action, t: types.Of(types.Text), loc: n.Location}
		}
	}
	b.fail(pgerr.New(pgerr.SyntaxError, "MERGE_ACTION() can only be used in the RETURNING list of a MERGE command"), n.Location)
	return expr{}
}

// equated is what the engine compares to find equal values; 42883 for a type that has
// no equality.
func (b *exprBinder) equated(e expr) expr {
	b.ordered(e, "equality")
	if e.t.OID == types.JSONB || e.t.OID == types.BPChar && e.t.Typmod < 0 { // of a char(n) all values are of one length
		return b.plain(e, e.t)
	}
	return e
}

// ordered refuses a value of a type that has no operator of a kind.
func (b *exprBinder) ordered(e expr, kind string) {
	if e.t.OID != types.JSON {
		return
	}
	err := pgerr.New(pgerr.UndefinedFunction, "could not identify an %s operator for type json", kind)
	if kind == "ordering" {
		err = err.WithHint("Use an explicit ordering operator or modify the query.")
	}
	b.fail(err, e.loc)
}

// forget drops the uses of l's own columns since mark: the clause they stand in
// is before grouping, or has been checked. Those of outer levels stay.
func (b *exprBinder) forget(mark int, l *level) {
	kept := b.uses[:mark]
	for _, u := range b.uses[mark:] {
		if u.l != l {
			kept = append(kept, u)
		}
	}
	b.uses = kept
}
