package rewrite

import (
	"regexp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// operator resolves an A_Expr.
func (b *exprBinder) operator(n *pg.A_Expr, l *level) expr {
	names := syntax.Strings(n.Name)
	op := ""
	if len(names) > 0 {
		op = names[len(names)-1]
		if len(names) > 1 && names[0] != "pg_catalog" {
			b.fail(pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s", strings.Join(names, ".")), n.Location)
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
		return b.operate(op, []expr{b.side(n.Lexpr, l), b.side(n.Rexpr, l)}, n.Location)
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		return b.overArray(op, b.expr(n.Lexpr, l), b.expr(n.Rexpr, l), n.Kind == pg.A_Expr_Kind_AEXPR_OP_ALL, b.filters[n], n.Location)
	case pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		word := " IS DISTINCT FROM "
		if n.Kind == pg.A_Expr_Kind_AEXPR_NOT_DISTINCT {
			word = " IS NOT DISTINCT FROM "
		}
		return b.distinctFrom(word, b.side(n.Lexpr, l), b.side(n.Rexpr, l), n.Location)
	case pg.A_Expr_Kind_AEXPR_NULLIF:
		e := b.expr(n.Lexpr, l)
		left, right := b.pair("=", e, b.expr(n.Rexpr, l), n.Location)
		ty := e.t
		if ty.OID == types.Unknown || types.IsNumber(ty.OID) && !types.IsInteger(left.t.OID) && ty.OID != types.Float4 {
			ty = left.t // that of the operator's operand: integers are compared with each other as they are
		}
		if ty.OID == types.Varchar { // it has no operators of its own
			ty = types.Of(types.Text)
		}
		if ty.OID == types.JSONB || ty.OID == types.BPChar || types.IsDateTime(ty.OID) { // what is compared may not be the value
			value := b.coerce(e, ty, types.ImplicitCast).sql
			return expr{sql: "CASE WHEN " + left.sql + " = " + right.sql + " THEN NULL ELSE " + value + " END", t: ty, agg: left.agg || right.agg}
		}
		out := expr{sql: "nullif(" + left.sql + ", " + right.sql + ")", t: ty, agg: left.agg || right.agg}
		if types.IsInteger(ty.OID) { // the engine's has the wider type of the two
			out.sql = "CAST(" + out.sql + " AS " + ty.EngineType() + ")"
		}
		if left.printed != "" {
			out.printed = "CASE WHEN " + left.sql + " = " + right.sql + " THEN NULL ELSE " + left.printed + " END"
		}
		return out
	case pg.A_Expr_Kind_AEXPR_IN:
		return b.in(n, op == "<>", l)
	case pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
		return b.like(n, op, l)
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return b.similar(n, op, l)
	}
	return b.between(n, l)
}

// side is an expression beside another one: the fields of a row that have no type
// yet take it from those they are compared with.
func (b *exprBinder) side(n *pg.Node, l *level) expr {
	if row := n.GetRowExpr(); row != nil {
		return b.rowOf(row, l, false)
	}
	return b.expr(n, l)
}

// distinctFrom is IS DISTINCT FROM, and IS NOT DISTINCT FROM if word says so.
func (b *exprBinder) distinctFrom(word string, left, right expr, loc int32) expr {
	if left.row != nil && right.row != nil {
		b.sameLength(left, right, loc)
		parts := make([]string, len(left.row))
		for i := range parts {
			parts[i] = b.distinctFrom(word, left.row[i], right.row[i], loc).sql
		}
		any := " OR "
		if strings.HasPrefix(word, " IS NOT") {
			any = " AND "
		}
		return expr{sql: "(" + strings.Join(parts, any) + ")", t: types.Of(types.Bool), agg: left.agg || right.agg}
	}
	left, right = b.pair("=", left, right, loc)
	return expr{sql: "(" + left.sql + word + right.sql + ")", t: types.Of(types.Bool), agg: left.agg || right.agg}
}

func (b *exprBinder) unary(op string, n *pg.A_Expr, l *level) expr {
	if c := n.Rexpr.GetAConst(); c != nil && op == "-" {
		if f := c.GetFval(); f != nil { // -9223372036854775808 is one number
			e := b.number("-"+f.Fval, c.Location)
			if strings.HasPrefix(e.sql, "0") || e.t.OID == types.Numeric {
				e = b.number(f.Fval, c.Location)
				e.sql = "(-" + e.sql + ")"
			}
			return e
		}
		if c.GetIval() != nil {
			e := b.expr(n.Rexpr, l)
			return expr{sql: "(-" + e.sql + ")", t: e.t, loc: n.Location}
		}
	}
	return b.operate(op, []expr{b.expr(n.Rexpr, l)}, n.Location)
}

// operate applies an operator to one or two resolved operands.
func (b *exprBinder) operate(op string, args []expr, loc int32) expr {
	if op == "!=" {
		op = "<>"
	}
	if len(args) == 2 {
		switch {
		case args[0].row != nil && args[1].row != nil && args[0].built && args[1].built:
			return b.compareRows(op, args[0], args[1], loc)
		case args[0].row != nil && args[1].row != nil:
			return b.compareRecords(op, args[0], args[1], loc)
		case op == "||" && args[0].t.IsArray() && args[1].lit != nil:
			args[1] = b.coerce(args[1], args[0].t, types.ImplicitCast)
		case op == "||" && args[1].t.IsArray() && args[0].lit != nil:
			args[0] = b.coerce(args[0], args[1].t, types.ImplicitCast)
		case functions.Comparisons[op] && alike(args):
			left, right := b.pair(op, withTypeOf(args[0], args[1]), withTypeOf(args[1], args[0]), loc)
			return expr{sql: "(" + left.sql + " " + op + " " + right.sql + ")", t: types.Of(types.Bool), agg: left.agg || right.agg, loc: loc}
		case (op == "->" || op == "->>") && args[0].t.OID == types.JSONB:
			if args[1].lit != nil {
				path := enginesql.Literal(`$."` + strings.ReplaceAll(*args[1].lit, `"`, `\"`) + `"`)
				if key := *args[1].lit; key == "" || key == "*" { // as a path they mean something else
					path = enginesql.Literal("/" + key)
				}
				return member(op, args[0], path, loc)
			}
		}
	}
	if op == "@@" && !slices.ContainsFunc(args, func(a expr) bool { return !types.IsText(a.t.OID) && a.t.OID != types.Unknown }) {
		b.unsupported(loc, "text search is not supported")
	}
	if slices.ContainsFunc(args, several) {
		if e, ok := b.ofSeveral(op, args, loc); ok {
			return e
		}
	}
	b.decidedOperator(op, args, loc)
	s, out, ok := b.resolve(candidatesOf(op, args), args)
	if !ok || op != "||" && !alike(args) {
		b.noOperator(op, args, loc)
	}
	if slices.ContainsFunc(out, several) {
		b.unsupported(loc, "operator %s of arrays of several dimensions is not supported", op)
	}
	if s.Template == "" {
		s.Template = "({1} " + op + " {2})"
	}
	if op == "*" && s.Result == types.Numeric {
		shorten(out)
	}
	if strings.HasPrefix(op, "~") || strings.HasPrefix(op, "!~") {
		s.Template = searchTemplate(s.Template, args)
	}
	e := expr{sql: callText(&s, out), t: resultType(&s, out), agg: anyAgg(args), set: anySet(args), list: listOf(out), loc: loc}
	e.printed = printed(e.sql, e.t)
	return e
}

// member is document -> path and document ->> path of a jsonb.
func member(op string, document expr, path string, loc int32) expr {
	at := "(" + document.sql + " " + op + " " + path + ")"
	out := expr{sql: at, t: document.t, agg: document.agg, loc: loc}
	if op == "->>" {
		out.t = types.Of(types.Text)
		out.sql, out.spelled = enginesql.Macro("jsonb_text_in")+"("+document.sql+", "+path+")", at
	}
	return out
}

// withTypeOf is e where it is compared with another expression: with a literal that begins
// no object and no array, the engine's spelling of one compares as PostgreSQL's does.
func withTypeOf(e expr, other expr) expr {
	if e.spelled != "" && other.lit != nil && !strings.HasPrefix(*other.lit, "{") && !strings.HasPrefix(*other.lit, "[") {
		e.sql = e.spelled
	}
	return e
}

// candidatesOf are the operators of a name. An array is joined with its like and its
// elements only, not with what is printed.
func candidatesOf(op string, args []expr) []functions.Signature {
	if op != "||" || !slices.ContainsFunc(args, func(a expr) bool { return a.t.IsArray() }) {
		return functions.Operators[op]
	}
	return slices.DeleteFunc(slices.Clone(functions.Operators[op]), func(s functions.Signature) bool { return slices.Contains(s.Args, types.Any) })
}

func (b *exprBinder) noOperator(op string, args []expr, loc int32) {
	if args[0].t.OID == types.Record || args[len(args)-1].t.OID == types.Record {
		b.unsupported(loc, "operator %s on whole rows is not supported", op)
	}
	text := op + " " + argTypes(args)
	if len(args) == 2 {
		text = argTypes(args[:1]) + " " + op + " " + argTypes(args[1:])
	}
	b.fail(pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s", text).
		WithHint("No operator matches the given name and argument types. You might need to add explicit type casts."), loc)
}

// pair brings two operands of a comparison to a type that has it.
func (b *exprBinder) pair(op string, left, right expr, loc int32) (expr, expr) {
	if left.t.IsArray() || right.t.IsArray() {
		var ok bool
		if left, right, ok = b.shaped(op, left, right, loc); ok {
			return left, right
		}
	}
	l, r := left.t, right.t
	switch {
	case l.OID == types.JSON, r.OID == types.JSON:
		b.noOperator(op, []expr{left, right}, loc)
	case l.OID == types.Unknown && r.OID == types.Unknown:
		return b.known(left), b.known(right)
	case l.OID == types.Unknown:
		return b.plain(b.coerce(left, comparable(r), types.ImplicitCast), comparable(r)), b.plain(right, r)
	case r.OID == types.Unknown:
		return b.plain(left, l), b.plain(b.coerce(right, comparable(l), types.ImplicitCast), comparable(l))
	case l.OID == r.OID:
		return b.plain(left, l), b.plain(right, r)
	case types.IsNumber(l.OID) && types.IsNumber(r.OID):
		ty := wider(l, r)
		return b.coerce(left, ty, types.ImplicitCast), b.coerce(right, ty, types.ImplicitCast)
	case l.OID == types.BPChar && r.OID == types.Varchar, l.OID == types.Varchar && r.OID == types.BPChar:
		return b.plain(b.coerce(left, types.Of(types.BPChar), types.ImplicitCast), types.Of(types.BPChar)), b.plain(b.coerce(right, types.Of(types.BPChar), types.ImplicitCast), types.Of(types.BPChar))
	case l.Category() == 'S' && r.Category() == 'S', l.OID == types.Char && r.Category() == 'S', l.Category() == 'S' && r.OID == types.Char:
		return b.coerce(left, types.Of(types.Text), types.ImplicitCast), b.coerce(right, types.Of(types.Text), types.ImplicitCast)
	case types.IsOIDLike(l.OID) && (types.IsOIDLike(r.OID) || types.IsInteger(r.OID)), types.IsInteger(l.OID) && types.IsOIDLike(r.OID):
		return b.coerce(left, types.Of(types.OID), types.ImplicitCast), b.coerce(right, types.Of(types.OID), types.ImplicitCast)
	case types.Implicit(l.OID, r.OID):
		return b.coerce(clampedDate(left, r), r, types.ImplicitCast), right
	case types.Implicit(r.OID, l.OID):
		return left, b.coerce(clampedDate(right, l), l, types.ImplicitCast)
	}
	b.noOperator(op, []expr{left, right}, loc)
	return left, right
}

// usualDate is a date literal in the engine's SQL that every timestamp type can hold.
var usualDate = regexp.MustCompile(`^CAST\('[0-9]{4}-[0-9]{2}-[0-9]{2}' AS DATE\)$`)

// clampedDate is a date that is compared with a timestamp. Dates reach beyond the last
// timestamp; such a date is later than every finite one (PostgreSQL's
// date2timestamp_opt_overflow).
func clampedDate(e expr, with types.Type) expr {
	if e.t.OID == types.Date && (with.OID == types.Timestamp || with.OID == types.TimestampTZ) && !usualDate.MatchString(e.sql) {
		e.sql = enginesql.Macro("clamped_date") + "(" + e.sql + ")"
	}
	return e
}

// comparable is the type an untyped literal takes beside an operand of type ty.
func comparable(ty types.Type) types.Type {
	if ty.OID == types.Varchar || ty.OID == types.Name {
		return types.Of(types.Text)
	}
	return types.Of(ty.OID)
}

// plain is an operand of the type that is compared; jsonb compares by value, not
// by spelling.
func (b *exprBinder) plain(e expr, ty types.Type) expr {
	switch elem, _ := ty.Elem(); {
	case several(e):
		e.sql = b.order(e)
	case ty.OID == types.JSONB:
		e.sql = enginesql.Macro("json_key") + "(" + e.sql + ")"
	case ty.OID == types.TimeTZ:
		e.sql = "ontosql_timetz_order(" + e.sql + ")"
	case elem.OID == types.JSONB, elem.OID == types.TimeTZ:
		e.sql = "list_transform(" + e.sql + ", lambda v: " + b.plain(expr{sql: "v"}, elem).sql + ")"
	case ty.OID == types.BPChar: // trailing blanks do not count
		return b.coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	return e
}

// wider is the type in which two numbers are compared and added.
func wider(a, c types.Type) types.Type {
	rank := map[uint32]int{types.Int2: 1, types.Int4: 2, types.Int8: 3, types.Numeric: 4, types.Float4: 5, types.Float8: 6}
	if rank[a.OID] < rank[c.OID] {
		a, c = c, a
	}
	if a.OID == types.Float4 && c.OID != types.Float4 {
		return types.Of(types.Float8)
	}
	return types.Of(a.OID)
}

func (b *exprBinder) sameLength(left, right expr, loc int32) {
	if len(left.row) != len(right.row) {
		b.fail(pgerr.New(pgerr.SyntaxError, "unequal number of entries in row expressions"), loc)
	}
	if len(left.row) == 0 {
		b.fail(pgerr.New(pgerr.FeatureNotSupported, "cannot compare rows of zero length"), loc)
	}
}

// compareRows compares field by field (PostgreSQL manual 9.24.5).
func (b *exprBinder) compareRows(op string, left, right expr, loc int32) expr {
	b.sameLength(left, right, loc)
	agg := left.agg || right.agg
	var parts []string
	switch op {
	case "=", "<>":
		word := map[string]string{"=": " AND ", "<>": " OR "}[op]
		for i := range left.row {
			parts = append(parts, b.operate(op, []expr{left.row[i], right.row[i]}, loc).sql)
		}
		return expr{sql: "(" + strings.Join(parts, word) + ")", t: types.Of(types.Bool), agg: agg}
	case "<", ">", "<=", ">=":
		last := len(left.row) - 1
		sql := b.operate(op, []expr{left.row[last], right.row[last]}, loc).sql
		for i := last - 1; i >= 0; i-- {
			pair := []expr{left.row[i], right.row[i]}
			sql = "(" + b.operate(op[:1], pair, loc).sql + " OR (" + b.operate("=", pair, loc).sql + " AND " + sql + "))"
		}
		return expr{sql: sql, t: types.Of(types.Bool), agg: agg}
	}
	b.noOperator(op, []expr{left, right}, loc)
	return expr{}
}

// compareRecords compares rows of which one at least is the value of a column or of a
// query: a NULL in both of them is the same then.
func (b *exprBinder) compareRecords(op string, left, right expr, loc int32) expr {
	word := map[string]string{"=": " IS NOT DISTINCT FROM ", "<>": " IS DISTINCT FROM "}[op]
	out := expr{t: types.Of(types.Bool), agg: left.agg || right.agg, loc: loc}
	switch {
	case word != "":
		out = b.distinctFrom(word, left, right, loc)
	case !slices.ContainsFunc(left.row, func(f expr) bool { return sortType(f.t) != 0 }):
		b.sameLength(left, right, loc)
		out.sql = "(" + left.sql + " " + op + " " + right.sql + ")" // NULL is the greatest in a struct, too
	default:
		return b.compareRows(op, left, right, loc)
	}
	out.sql = "CASE WHEN " + left.sql + " IS NOT NULL AND " + right.sql + " IS NOT NULL THEN " + out.sql + " END"
	return out
}
