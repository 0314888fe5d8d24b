package expression

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// Expr resolves an expression at a level.
func (b *Binder) Expr(n *pg.Node, l *scope.Level) scope.Expr {
	mark := len(b.ColumnUses)
	e := b.exprNode(n, l)
	e.Location = syntax.Location(n)
	if g, grouped := l.Grouped[e.SQL]; grouped && !e.HasAggs {
		b.ForgetUses(mark, l)
		e.SQL, e.Printed = g.SQL, g.Printed // what it is made of is not grouped
	}
	if b.tooLong(e.SQL) {
		b.Fail(syntax.TooDeep(), syntax.Location(n))
	}
	return e
}

func (b *Binder) exprNode(n *pg.Node, l *scope.Level) scope.Expr {
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
		return b.functionCall(v.FuncCall, l)
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
		b.Fail(pgerr.New(pgerr.SyntaxError, "DEFAULT is not allowed in this context"), v.SetToDefault.Location)
	case *pg.Node_List:
		b.Fail(pgerr.New(pgerr.SyntaxError, "a list is not allowed in this context"), -1)
	}
	b.Unsupported(syntax.Location(n), "%s is not supported", NodeName(n))
	return scope.Expr{}
}

// NodeName names a construct of the grammar in an error message.
func NodeName(n *pg.Node) string {
	if name := syntax.NodeWords(n); name != "" {
		return name
	}
	return "this construct"
}

func (b *Binder) constant(c *pg.A_Const) scope.Expr {
	e := scope.Expr{Location: c.Location, Type: types.Of(types.Unknown)}
	switch v := c.GetVal().(type) {
	case *pg.A_Const_Ival:
		i := int64(v.Ival.GetIval())
		e.Type, e.SQL, e.Integer = types.Of(types.Int4), strconv.FormatInt(i, 10), &i
		return e.Means(rowexpr.Constant(column.Int32, rowexpr.Value{Int: i}))
	case *pg.A_Const_Fval:
		return b.NumericLiteral(v.Fval.GetFval(), c.Location)
	case *pg.A_Const_Boolval:
		e.Type, e.SQL = types.Of(types.Bool), strings.ToUpper(strconv.FormatBool(v.Boolval.GetBoolval()))
		return e.Means(rowexpr.Truth(v.Boolval.GetBoolval()))
	case *pg.A_Const_Sval:
		s := v.Sval.GetSval()
		e.Literal, e.SQL = &s, enginesql.Literal(s)
	case *pg.A_Const_Bsval:
		digits, err := str.ReadBits(v.Bsval.GetBsval())
		if err != nil {
			b.Fail(err, c.Location)
		}
		e.Type, e.SQL = types.Of(types.Bit), enginesql.Literal(digits)
	default:
		e.UntypedNull, e.SQL = true, "NULL"
	}
	return e
}

func (b *Binder) paramRef(p *pg.ParamRef) scope.Expr {
	n := int(p.Number)
	if n < 1 || n > syntax.MaxParams {
		b.Fail(pgerr.New(pgerr.UndefinedParameter, "there is no parameter $%d", n), p.Location)
	}
	e := scope.Expr{SQL: enginesql.Placeholder(enginesql.Param, n), Type: b.Params.See(n), Location: p.Location}
	if e.Type.OID == types.Unknown {
		e.UntypedParam = n
	}
	if text, ok := b.Stmt.Numbers[n]; ok {
		e.SQL, e.Type = b.WrittenNumber(text, p.Location)
	}
	e.Printed = coercion.PrintedParam(n, e.Type)
	return e.Means(coercion.PlainParam(n, e.Type))
}

func (b *Binder) boolean(n *pg.BoolExpr, l *scope.Level) scope.Expr {
	word := map[pg.BoolExprType]string{pg.BoolExprType_AND_EXPR: "AND", pg.BoolExprType_OR_EXPR: "OR", pg.BoolExprType_NOT_EXPR: "NOT"}[n.Boolop]
	parts, plain, agg := b.boolTerms(n, l, word)
	out := scope.Expr{Type: types.Of(types.Bool), HasAggs: agg}
	switch word {
	case "NOT":
		out.SQL = "(NOT " + parts[0] + ")"
		return out.Means(rowexpr.Not(plain[0]))
	case "AND":
		out.SQL = conditions(word, parts)
		return out.Means(rowexpr.And(plain...))
	}
	out.SQL = conditions(word, parts)
	return out.Means(rowexpr.Or(plain...))
}

func (b *Binder) nullTest(n *pg.NullTest, l *scope.Level) scope.Expr {
	e := b.Expr(n.Arg, l)
	not := n.Nulltesttype == pg.NullTestType_IS_NOT_NULL
	out := scope.Expr{Type: types.Of(types.Bool), HasAggs: e.HasAggs}
	word := " IS NULL"
	if not {
		word = " IS NOT NULL"
	}
	if e.Row != nil { // true if all fields are
		var parts []string
		for _, f := range e.Row {
			parts = append(parts, f.SQL+word)
		}
		out.SQL = "(" + strings.Join(parts, " AND ") + ")"
		if len(parts) == 0 {
			out.SQL = "TRUE"
		}
		return out
	}
	e = b.DefaultToText(e)
	out.SQL = "(" + e.SQL + word + ")"
	if not {
		return out.Means(rowexpr.Not(rowexpr.IsNull(e.Plain())))
	}
	return out.Means(rowexpr.IsNull(e.Plain()))
}

func (b *Binder) booleanTest(n *pg.BooleanTest, l *scope.Level) scope.Expr {
	e := b.Expr(n.Arg, l)
	words := map[pg.BoolTestType]string{
		pg.BoolTestType_IS_TRUE: "IS NOT DISTINCT FROM TRUE", pg.BoolTestType_IS_NOT_TRUE: "IS DISTINCT FROM TRUE",
		pg.BoolTestType_IS_FALSE: "IS NOT DISTINCT FROM FALSE", pg.BoolTestType_IS_NOT_FALSE: "IS DISTINCT FROM FALSE",
		pg.BoolTestType_IS_UNKNOWN: "IS NULL", pg.BoolTestType_IS_NOT_UNKNOWN: "IS NOT NULL",
	}[n.Booltesttype]
	c := b.Coerce(e, types.Of(types.Bool), types.ImplicitCast)
	return scope.Expr{SQL: "(" + c.SQL + " " + words + ")", Type: types.Of(types.Bool), HasAggs: e.HasAggs}
}

// rowOf is a row constructor. Where its fields are not settled, they keep having no type
// if they have none.
func (b *Binder) rowOf(n *pg.RowExpr, l *scope.Level, settled bool) scope.Expr {
	e := scope.Expr{Row: []scope.Expr{}, RowConstructor: true, Location: n.Location}
	unknown := map[int]bool{}
	for _, a := range n.Args {
		if c := a.GetColumnRef(); c != nil && c.Fields[len(c.Fields)-1].GetAStar() != nil {
			for _, f := range b.Star(c, l) {
				e.Row = append(e.Row, b.ColumnExpr(f, c.Location, l))
				e.Row[len(e.Row)-1].Column = nil
			}
			continue
		}
		f := b.Expr(a, l)
		unknown[len(e.Row)] = f.Type.OID == types.Unknown
		if settled && f.UntypedNull {
			f = scope.Expr{SQL: "CAST(NULL AS VARCHAR)", Type: types.Of(types.Text), Location: f.Location}
		} else if settled {
			f = b.DefaultToText(f)
		}
		e.HasAggs = e.HasAggs || f.HasAggs
		f.Column = nil // it is called f1, f2 ...
		e.Row = append(e.Row, f)
	}
	e.SQL, e.Type = rowText(e.Row), coercion.RowOfExprs(e.Row)
	for i := range e.Row {
		if unknown[i] { // PostgreSQL lets a literal be without a type here
			e.Type.Row.Fields[i].Type = types.Of(types.Unknown)
		}
	}
	return e
}

// rowText is a row constructor. The engine has no struct without fields.
func rowText(fields []scope.Expr) string {
	if len(fields) == 0 {
		return "row(NULL)"
	}
	items := make([]string, len(fields))
	for i, f := range fields {
		items[i] = GroupKey(f)
	}
	return "row(" + strings.Join(items, ", ") + ")"
}

// GroupKey is an expression that the engine does not take for the number of an output
// in GROUP BY, where it looks into rows, too.
func GroupKey(e scope.Expr) string {
	if _, err := strconv.Atoi(e.SQL); err == nil {
		return "CAST(" + e.SQL + " AS " + e.Type.EngineType() + ")"
	}
	return e.SQL
}

// collate accepts the collations that order as the engine does, by bytes.
func (b *Binder) collate(n *pg.CollateClause, l *scope.Level) scope.Expr {
	if err := syntax.CheckCollation(n); err != nil {
		b.Fail(err, n.Location)
	}
	e := b.Expr(n.Arg, l)
	if e.Type.OID == types.Unknown {
		e = b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	if e.Type.Category() != 'S' && e.Type.Category() != 'Z' {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", e.Type), n.Location)
	}
	e.Column = nil
	return e
}

// tooLong says whether the SQL of an expression has grown too much.
func (b *Binder) tooLong(sql string) bool { return len(sql) > macros.GrownBytes+100*len(b.Stmt.SQL) }

// JoinSQL joins the SQL texts of expressions with commas.
func JoinSQL(es []scope.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.SQL
	}
	return strings.Join(parts, ", ")
}

// EqualityOperand is what the engine compares to find equal values; 42883 for a type that has
// no equality.
func (b *Binder) EqualityOperand(e scope.Expr) scope.Expr {
	b.RequireOperator(e, "equality")
	if e.Type.OID == types.JSONB || e.Type.OID == types.BPChar && e.Type.Typmod < 0 { // of a char(n) all values are of one length
		return b.ComparisonOperand(e, e.Type)
	}
	return e
}

// RequireOperator refuses a value of a type that has no operator of a kind.
func (b *Binder) RequireOperator(e scope.Expr, kind string) {
	if e.Type.OID != types.JSON {
		return
	}
	err := pgerr.New(pgerr.UndefinedFunction, "could not identify an %s operator for type json", kind)
	if kind == "ordering" {
		err = err.WithHint("Use an explicit ordering operator or modify the query.")
	}
	b.Fail(err, e.Location)
}
