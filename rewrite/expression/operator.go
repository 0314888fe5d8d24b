package expression

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// operator resolves an A_Expr.
func (b *Binder) operator(n *pg.A_Expr, l *scope.Level) scope.Expr {
	names := syntax.Strings(n.Name)
	op := ""
	if len(names) > 0 {
		op = names[len(names)-1]
		if len(names) > 1 && names[0] != "pg_catalog" {
			b.Fail(pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s", strings.Join(names, ".")), n.Location)
		}
	}
	switch n.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		if n.Lexpr == nil {
			return b.unary(op, n, l)
		}
		if s := n.Rexpr.GetSubLink(); n.Lexpr.GetRowExpr() != nil && s.GetSubLinkType() == pg.SubLinkType_EXPR_SUBLINK && functions.Comparisons[op] {
			return b.rowSubquery(op, n.Lexpr, s, n.Location, l)
		}
		if op == "@?" || op == "@@" {
			b.markPath(n.Rexpr)
		}
		return b.Operate(op, []scope.Expr{b.operand(n.Lexpr, l), b.operand(n.Rexpr, l)}, n.Location)
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		return b.overArray(op, b.Expr(n.Lexpr, l), b.Expr(n.Rexpr, l), n.Kind == pg.A_Expr_Kind_AEXPR_OP_ALL, b.filters[n], n.Location)
	case pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		word := " IS DISTINCT FROM "
		if n.Kind == pg.A_Expr_Kind_AEXPR_NOT_DISTINCT {
			word = " IS NOT DISTINCT FROM "
		}
		return b.distinctFrom(word, b.operand(n.Lexpr, l), b.operand(n.Rexpr, l), n.Location)
	case pg.A_Expr_Kind_AEXPR_NULLIF:
		e := b.Expr(n.Lexpr, l)
		left, right := b.coerceOperands("=", e, b.Expr(n.Rexpr, l), n.Location)
		ty := e.Type
		if ty.OID == types.Unknown || types.IsNumber(ty.OID) && !types.IsInteger(left.Type.OID) && ty.OID != types.Float4 {
			ty = left.Type // that of the operator's operand: integers are compared with each other as they are
		}
		if ty.OID == types.Varchar { // it has no operators of its own
			ty = types.Of(types.Text)
		}
		if ty.OID == types.JSONB || ty.OID == types.BPChar || types.IsDateTime(ty.OID) { // what is compared may not be the value
			value := b.Coerce(e, ty, types.ImplicitCast).SQL
			return scope.Expr{SQL: "CASE WHEN " + left.SQL + " = " + right.SQL + " THEN NULL ELSE " + value + " END", Type: ty, HasAggs: left.HasAggs || right.HasAggs}
		}
		out := scope.Expr{SQL: "nullif(" + left.SQL + ", " + right.SQL + ")", Type: ty, HasAggs: left.HasAggs || right.HasAggs}
		if types.IsInteger(ty.OID) { // the engine's has the wider type of the two
			out.SQL = "CAST(" + out.SQL + " AS " + ty.EngineType() + ")"
		}
		if left.Printed != "" {
			out.Printed = "CASE WHEN " + left.SQL + " = " + right.SQL + " THEN NULL ELSE " + left.Printed + " END"
		}
		return out
	case pg.A_Expr_Kind_AEXPR_IN:
		return b.inList(n, op == "<>", l)
	case pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
		return b.likeOperator(n, op, l)
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return b.similarTo(n, op, l)
	}
	return b.between(n, l)
}

// operand resolves one operand of a comparison. Fields of a row without a type take the types
// of the fields of the other operand.
func (b *Binder) operand(n *pg.Node, l *scope.Level) scope.Expr {
	if row := n.GetRowExpr(); row != nil {
		return b.rowOf(row, l, false)
	}
	return b.Expr(n, l)
}

// distinctFrom is IS DISTINCT FROM, and IS NOT DISTINCT FROM if word says so.
func (b *Binder) distinctFrom(word string, left, right scope.Expr, loc int32) scope.Expr {
	if left.Row != nil && right.Row != nil {
		b.sameLength(left, right, loc)
		parts := make([]string, len(left.Row))
		for i := range parts {
			parts[i] = b.distinctFrom(word, left.Row[i], right.Row[i], loc).SQL
		}
		any := " OR "
		if strings.HasPrefix(word, " IS NOT") {
			any = " AND "
		}
		return scope.Expr{SQL: "(" + strings.Join(parts, any) + ")", Type: types.Of(types.Bool), HasAggs: left.HasAggs || right.HasAggs}
	}
	left, right = b.coerceOperands("=", left, right, loc)
	out := scope.Expr{SQL: "(" + left.SQL + word + right.SQL + ")", Type: types.Of(types.Bool), HasAggs: left.HasAggs || right.HasAggs}
	distinct := rowexpr.Distinct(left.Plain(), right.Plain())
	if strings.HasPrefix(word, " IS NOT") {
		return out.Means(rowexpr.Not(distinct))
	}
	return out.Means(distinct)
}

func (b *Binder) unary(op string, n *pg.A_Expr, l *scope.Level) scope.Expr {
	if c := n.Rexpr.GetAConst(); c != nil && op == "-" {
		if f := c.GetFval(); f != nil { // -9223372036854775808 is one number
			e := b.NumericLiteral("-"+f.Fval, c.Location)
			if strings.HasPrefix(e.SQL, "0") || e.Type.OID == types.Numeric {
				e = b.NumericLiteral(f.Fval, c.Location)
				negative := rowexpr.Decimal("-" + e.SQL)
				e.SQL = "(-" + e.SQL + ")"
				e = e.Means(negative)
			}
			return e
		}
		if c.GetIval() != nil {
			e := b.Expr(n.Rexpr, l)
			out := scope.Expr{SQL: "(-" + e.SQL + ")", Type: e.Type, Location: n.Location}
			return out.Means(rowexpr.Constant(column.Int32, rowexpr.Value{Int: -*e.Integer}))
		}
	}
	return b.Operate(op, []scope.Expr{b.Expr(n.Rexpr, l)}, n.Location)
}

// Operate applies an operator to one or two resolved operands.
func (b *Binder) Operate(op string, args []scope.Expr, loc int32) scope.Expr {
	if op == "!=" {
		op = "<>"
	}
	if len(args) == 2 {
		switch {
		case args[0].Row != nil && args[1].Row != nil && args[0].RowConstructor && args[1].RowConstructor:
			return b.compareRows(op, args[0], args[1], loc)
		case args[0].Row != nil && args[1].Row != nil:
			return b.compareRecords(op, args[0], args[1], loc)
		case op == "||" && args[0].Type.IsArray() && args[1].Literal != nil:
			args[1] = b.Coerce(args[1], args[0].Type, types.ImplicitCast)
		case op == "||" && args[1].Type.IsArray() && args[0].Literal != nil:
			args[0] = b.Coerce(args[0], args[1].Type, types.ImplicitCast)
		case functions.Comparisons[op] && sameArrayTypes(args):
			left, right := b.coerceOperands(op, withTypeOf(args[0], args[1]), withTypeOf(args[1], args[0]), loc)
			left, right = asRange(left, right), asRange(right, left)
			out := scope.Expr{SQL: "(" + left.SQL + " " + op + " " + right.SQL + ")", Type: types.Of(types.Bool), HasAggs: left.HasAggs || right.HasAggs, Location: loc}
			return out.Means(rowexpr.Operator(op, left.Plain(), right.Plain()))
		case (op == "->" || op == "->>") && args[0].Type.OID == types.JSONB:
			if args[1].Literal != nil {
				path := enginesql.Literal(`$."` + strings.ReplaceAll(*args[1].Literal, `"`, `\"`) + `"`)
				if key := *args[1].Literal; key == "" || key == "*" { // as a path they mean something else
					path = enginesql.Literal("/" + key)
				}
				return member(op, args[0], path, loc)
			}
		}
	}
	if op == "@@" && !slices.ContainsFunc(args, func(a scope.Expr) bool { return !types.IsText(a.Type.OID) && a.Type.OID != types.Unknown }) {
		b.Unsupported(loc, "text search is not supported")
	}
	if slices.ContainsFunc(args, coercion.IsMultiDim) {
		if e, ok := b.multiDimOperator(op, args, loc); ok {
			return e
		}
	}
	b.refuseAmbiguousOperator(op, args, loc)
	s, out, ok := b.ResolveOverload(candidatesOf(op, args), args)
	if !ok || op != "||" && !sameArrayTypes(args) {
		b.noOperator(op, args, loc)
	}
	if slices.ContainsFunc(out, coercion.IsMultiDim) {
		b.Unsupported(loc, "operator %s of arrays of several dimensions is not supported", op)
	}
	if s.Template == "" {
		s.Template = "({1} " + op + " {2})"
	}
	if s.Result == types.Numeric && (op == "*" || op == "+" || op == "-") {
		if op == "*" {
			coercion.ShortenFactors(out)
		}
		b.WidenOperands(op, out)
	}
	if strings.HasPrefix(op, "~") || strings.HasPrefix(op, "!~") {
		s.Template = searchTemplate(s.Template, args)
	}
	e := scope.Expr{SQL: CallText(&s, out), Type: coercion.ResultType(&s, out), HasAggs: coercion.AnyHasAggs(args), ReturnsSet: coercion.AnyReturnsSet(args), Location: loc}
	e.List = listOf(e.SQL, out)
	e.Printed = cmp.Or(coercion.PrintedByFunction(e.SQL, e.Type), b.printedArray(op, &s, args, out, e.Type), b.printedResult(op, out, e))
	if op == "/" {
		b.quotient(&e, out[0], out[1])
	}
	if len(out) == 2 {
		return e.Means(rowexpr.Operator(op, plainOf(out[0], s.Args[0]), plainOf(out[1], s.Args[1])))
	}
	return e
}

// plainOf is an operand as it is evaluated without the engine, nil if the operator takes it as
// another type.
func plainOf(e scope.Expr, as uint32) *rowexpr.Expr {
	x := e.Plain()
	if x == nil || x.Type.Kind != types.Of(as).Column().Kind {
		return nil
	}
	return x
}

// member is document -> path and document ->> path of a jsonb.
func member(op string, document scope.Expr, path string, loc int32) scope.Expr {
	at := "(" + document.SQL + " " + op + " " + path + ")"
	out := scope.Expr{SQL: at, Type: document.Type, HasAggs: document.HasAggs, Location: loc}
	if op == "->>" {
		out.Type = types.Of(types.Text)
		out.SQL, out.EngineSpelling = enginesql.Macro("jsonb_text_in")+"("+document.SQL+", "+path+")", at
	}
	return out
}

// withTypeOf is e where it is compared with another expression: with a literal that begins
// no object and no array, the engine's spelling of one compares as PostgreSQL's does.
func withTypeOf(e scope.Expr, other scope.Expr) scope.Expr {
	if e.EngineSpelling != "" && other.Literal != nil && !strings.HasPrefix(*other.Literal, "{") && !strings.HasPrefix(*other.Literal, "[") {
		e.SQL = e.EngineSpelling
	}
	return e
}

// candidatesOf are the operators of a name. An array is joined with its like and its
// elements only, not with what is printed.
func candidatesOf(op string, args []scope.Expr) []functions.Signature {
	if op != "||" || !slices.ContainsFunc(args, func(a scope.Expr) bool { return a.Type.IsArray() }) {
		return functions.Operators[op]
	}
	return slices.DeleteFunc(slices.Clone(functions.Operators[op]), func(s functions.Signature) bool { return slices.Contains(s.Args, types.Any) })
}

func (b *Binder) noOperator(op string, args []scope.Expr, loc int32) {
	if args[0].Type.OID == types.Record || args[len(args)-1].Type.OID == types.Record {
		b.Unsupported(loc, "operator %s on whole rows is not supported", op)
	}
	text, hint := op+" "+coercion.ArgTypes(args), "No operator matches the given name and argument type. You might need to add an explicit type cast."
	if len(args) == 2 {
		text = coercion.ArgTypes(args[:1]) + " " + op + " " + coercion.ArgTypes(args[1:])
		hint = "No operator matches the given name and argument types. You might need to add explicit type casts."
	}
	b.Fail(pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s", text).WithHint("%s", hint), loc)
}

// coerceOperands brings two operands of a comparison to a type that has it.
func (b *Binder) coerceOperands(op string, left, right scope.Expr, loc int32) (scope.Expr, scope.Expr) {
	if left.Type.IsArray() || right.Type.IsArray() {
		var ok bool
		if left, right, ok = b.shaped(op, left, right, loc); ok {
			return left, right
		}
	}
	if b.ComparedWidely(&left, &right) {
		return left, right
	}
	l, r := left.Type, right.Type
	switch {
	case l.OID == types.JSON, r.OID == types.JSON:
		b.noOperator(op, []scope.Expr{left, right}, loc)
	case l.OID == types.Unknown && r.OID == types.Unknown:
		return b.DefaultToText(left), b.DefaultToText(right)
	case l.OID == types.Unknown:
		return b.ComparisonOperand(b.Coerce(left, comparable(r), types.ImplicitCast), comparable(r)), b.ComparisonOperand(right, r)
	case r.OID == types.Unknown:
		return b.ComparisonOperand(left, l), b.ComparisonOperand(b.Coerce(right, comparable(l), types.ImplicitCast), comparable(l))
	case l.OID == r.OID:
		return b.ComparisonOperand(left, l), b.ComparisonOperand(right, r)
	case types.IsNumber(l.OID) && types.IsNumber(r.OID):
		ty := wider(l, r)
		return b.Coerce(left, ty, types.ImplicitCast), b.Coerce(right, ty, types.ImplicitCast)
	case l.OID == types.BPChar && r.OID == types.Varchar, l.OID == types.Varchar && r.OID == types.BPChar:
		return b.ComparisonOperand(b.Coerce(left, types.Of(types.BPChar), types.ImplicitCast), types.Of(types.BPChar)), b.ComparisonOperand(b.Coerce(right, types.Of(types.BPChar), types.ImplicitCast), types.Of(types.BPChar))
	case l.Category() == 'S' && r.Category() == 'S', l.OID == types.Char && r.Category() == 'S', l.Category() == 'S' && r.OID == types.Char:
		return b.Coerce(left, types.Of(types.Text), types.ImplicitCast), b.Coerce(right, types.Of(types.Text), types.ImplicitCast)
	case types.IsOIDLike(l.OID) && (types.IsOIDLike(r.OID) || types.IsInteger(r.OID)), types.IsInteger(l.OID) && types.IsOIDLike(r.OID):
		return b.Coerce(left, types.Of(types.OID), types.ImplicitCast), b.Coerce(right, types.Of(types.OID), types.ImplicitCast)
	case types.Implicit(l.OID, r.OID):
		return b.Coerce(clampedDate(left, r), r, types.ImplicitCast), right
	case types.Implicit(r.OID, l.OID):
		return left, b.Coerce(clampedDate(right, l), l, types.ImplicitCast)
	}
	b.noOperator(op, []scope.Expr{left, right}, loc)
	return left, right
}

// usualDate is a date literal in the engine's SQL that every timestamp type can hold.
var usualDate = regexp.MustCompile(`^CAST\('[0-9]{4}-[0-9]{2}-[0-9]{2}' AS DATE\)$`)

// clampedDate is a date that is compared with a timestamp. Dates reach beyond the last
// timestamp; such a date is later than every finite one (PostgreSQL's
// date2timestamp_opt_overflow).
func clampedDate(e scope.Expr, with types.Type) scope.Expr {
	if e.Type.OID == types.Date && (with.OID == types.Timestamp || with.OID == types.TimestampTZ) && !usualDate.MatchString(e.SQL) {
		e.SQL = enginesql.Macro("clamped_date") + "(" + e.SQL + ")"
	}
	return e
}

// comparable is the type of an untyped literal whose other operand is of type ty.
func comparable(ty types.Type) types.Type {
	if ty.OID == types.Varchar || ty.OID == types.Name {
		return types.Of(types.Text)
	}
	return types.Of(ty.OID)
}

// ComparisonOperand is an operand of the type that is compared; jsonb compares by value, not
// by spelling.
func (b *Binder) ComparisonOperand(e scope.Expr, ty types.Type) scope.Expr {
	switch elem, _ := ty.Elem(); {
	case coercion.IsMultiDim(e):
		e.SQL = b.multiDimSortKey(e)
	case ty.OID == types.JSONB:
		e.SQL = enginesql.Macro("json_key") + "(" + e.SQL + ")"
	case ty.OID == types.TimeTZ:
		e.SQL = "ontosql_timetz_order(" + e.SQL + ")"
	case elem.OID == types.JSONB, elem.OID == types.TimeTZ:
		e.SQL = "list_transform(" + e.SQL + ", lambda v: " + b.ComparisonOperand(scope.Expr{SQL: "v"}, elem).SQL + ")"
	case ty.OID == types.BPChar: // trailing blanks do not count
		return b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	return e
}

// wider is the type in which two numbers are compared and added.
func wider(a, c types.Type) types.Type {
	rank := map[uint32]int{types.Int2: 1, types.Int4: 2, types.Int8: 3, types.Numeric: 4, types.WideNumeric: 5, types.Float4: 6, types.Float8: 7}
	if rank[a.OID] < rank[c.OID] {
		a, c = c, a
	}
	if a.OID == types.Float4 && c.OID != types.Float4 {
		return types.Of(types.Float8)
	}
	return types.Of(a.OID)
}

func (b *Binder) sameLength(left, right scope.Expr, loc int32) {
	if len(left.Row) != len(right.Row) {
		b.Fail(pgerr.New(pgerr.SyntaxError, "unequal number of entries in row expressions"), loc)
	}
	if len(left.Row) == 0 {
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "cannot compare rows of zero length"), loc)
	}
}

// compareRows compares field by field (PostgreSQL manual 9.24.5).
func (b *Binder) compareRows(op string, left, right scope.Expr, loc int32) scope.Expr {
	b.sameLength(left, right, loc)
	agg := left.HasAggs || right.HasAggs
	var parts []string
	switch op {
	case "=", "<>":
		word := map[string]string{"=": " AND ", "<>": " OR "}[op]
		for i := range left.Row {
			parts = append(parts, b.Operate(op, []scope.Expr{left.Row[i], right.Row[i]}, loc).SQL)
		}
		return scope.Expr{SQL: "(" + strings.Join(parts, word) + ")", Type: types.Of(types.Bool), HasAggs: agg}
	case "<", ">", "<=", ">=":
		last := len(left.Row) - 1
		sql := b.Operate(op, []scope.Expr{left.Row[last], right.Row[last]}, loc).SQL
		for i := last - 1; i >= 0; i-- {
			pair := []scope.Expr{left.Row[i], right.Row[i]}
			sql = "(" + b.Operate(op[:1], pair, loc).SQL + " OR (" + b.Operate("=", pair, loc).SQL + " AND " + sql + "))"
		}
		return scope.Expr{SQL: sql, Type: types.Of(types.Bool), HasAggs: agg}
	}
	b.noOperator(op, []scope.Expr{left, right}, loc)
	return scope.Expr{}
}

// compareRecords compares rows of which one at least is the value of a column or of a
// query: a NULL in both of them is the same then.
func (b *Binder) compareRecords(op string, left, right scope.Expr, loc int32) scope.Expr {
	word := map[string]string{"=": " IS NOT DISTINCT FROM ", "<>": " IS DISTINCT FROM "}[op]
	out := scope.Expr{Type: types.Of(types.Bool), HasAggs: left.HasAggs || right.HasAggs, Location: loc}
	switch {
	case word != "":
		out = b.distinctFrom(word, left, right, loc)
	case !slices.ContainsFunc(left.Row, func(f scope.Expr) bool { return SortType(f.Type) != 0 }):
		b.sameLength(left, right, loc)
		out.SQL = "(" + left.SQL + " " + op + " " + right.SQL + ")" // NULL is the greatest in a struct, too
	default:
		return b.compareRows(op, left, right, loc)
	}
	out.SQL = "CASE WHEN " + left.SQL + " IS NOT NULL AND " + right.SQL + " IS NOT NULL THEN " + out.SQL + " END"
	return out
}
