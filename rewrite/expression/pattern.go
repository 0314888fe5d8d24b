package expression

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/jsonpath"
	"github.com/ontosql/ontosql/pgfunc/regex"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// likeOperator is LIKE and ILIKE. PostgreSQL's default escape character is the backslash; the
// engine has no default.
func (b *Binder) likeOperator(n *pg.A_Expr, op string, l *scope.Level) scope.Expr {
	word := " LIKE "
	if strings.HasSuffix(op, "*") {
		word = " ILIKE "
	}
	x := padded(b.Expr(n.Lexpr, l))
	if x.Type.OID == types.Bytea {
		return b.Operate(op, []scope.Expr{x, b.Expr(n.Rexpr, l)}, n.Location)
	}
	pattern, escape := n.Rexpr, enginesql.Literal(`\`)
	if inner, own, ok := escapedLiteral(n.Rexpr.GetFuncCall()); ok { // the engine is quicker without the call
		pattern, escape = inner, enginesql.Literal(own)
	}
	p := b.Expr(pattern, l)
	for _, e := range []scope.Expr{x, p} {
		if e.Type.OID != types.Unknown && !types.Implicit(e.Type.OID, types.Text) {
			b.noOperator(op, []scope.Expr{x, p}, n.Location)
		}
	}
	x, p = b.Coerce(x, types.Of(types.Text), types.ImplicitCast), b.Coerce(p, types.Of(types.Text), types.ImplicitCast)
	sql := x.SQL + word + p.SQL
	if c := pattern.GetAConst().GetSval(); c == nil || strings.Contains(c.Sval, `\`) || escape != enginesql.Literal(`\`) {
		sql += " ESCAPE " + escape
	}
	if strings.HasPrefix(op, "!") {
		sql = "NOT (" + sql + ")"
	}
	return scope.Expr{SQL: "(" + sql + ")", Type: types.Of(types.Bool), HasAggs: x.HasAggs || p.HasAggs}
}

// escapedLiteral takes a pattern apart that has an escape of its own, which the engine
// knows: none or an ASCII character.
func escapedLiteral(call *pg.FuncCall) (pattern *pg.Node, escape string, ok bool) {
	if len(call.GetArgs()) != 2 {
		return nil, "", false
	}
	names, c := syntax.Strings(call.Funcname), call.Args[1].GetAConst().GetSval()
	if names[len(names)-1] != "like_escape" || c == nil || len(c.Sval) > 1 {
		return nil, "", false
	}
	return call.Args[0], c.Sval, true
}

// searchTemplate is the template of a search for a regular expression, the second
// argument, where it is a literal: then it is known who is to search.
func searchTemplate(template string, args []scope.Expr) string {
	if len(args) < 2 || args[1].Literal == nil {
		return template
	}
	by := strings.NewReplacer("@regexp_found({1}, {2}, ", "regexp_matches({1}, ontosql_regexp({2}, ", ")", "))")
	if regex.LooksAround(*args[1].Literal) {
		by = strings.NewReplacer("@regexp_found({1}, {2}, ", "(ontosql_regexp_like({1}, {2}, ", ")", ") <> 0)")
	}
	found := strings.Index(template, "@regexp_found")
	if found < 0 {
		return template
	}
	end := found + strings.Index(template[found:], ")") + 1
	return template[:found] + by.Replace(template[found:end]) + template[end:]
}

// padded is a bpchar with the blanks at its end, which patterns see.
func padded(e scope.Expr) scope.Expr {
	if e.Type.OID == types.BPChar && e.Literal == nil {
		e.Type = types.Of(types.Text)
	}
	return e
}

// similarTo is SIMILAR TO: a match of the regular expression that its pattern means.
func (b *Binder) similarTo(n *pg.A_Expr, op string, l *scope.Level) scope.Expr {
	x := padded(b.Expr(n.Lexpr, l))
	pattern := b.Expr(n.Rexpr, l)
	if source, ok := similarLiteral(n.Rexpr.GetFuncCall()); ok {
		pattern.SQL, pattern.Literal = enginesql.Literal(source), &source
	}
	return b.Operate(op, []scope.Expr{x, pattern}, n.Location)
}

// similarLiteral is the regular expression of a call of similar_to_escape with literals.
func similarLiteral(call *pg.FuncCall) (source string, ok bool) {
	args := []string{"", `\`}
	for i, a := range call.GetArgs() {
		s := a.GetAConst().GetSval()
		if s == nil {
			return "", false
		}
		args[i] = s.Sval
	}
	source, err := regex.SimilarToRegexp(args[0], args[1])
	return source, err == nil // the engine finds the fault again if it is asked for a row
}

// typeCast resolves CAST and ::.
func (b *Binder) typeCast(n *pg.TypeCast, l *scope.Level) scope.Expr {
	if b.paths[n] {
		return b.Coerce(b.Expr(n.Arg, l), types.Of(types.Text), types.ExplicitCast)
	}
	to, err := syntax.TypeOf(b.Stmt.Tree, n.TypeName)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) {
			b.Fail(e, n.Location)
		}
		b.Fail(pgerr.New(pgerr.InternalError, "%s", err).Because(err), n.Location)
	}
	var e scope.Expr
	if a := n.Arg.GetAArrayExpr(); a != nil && to.IsArray() {
		e = b.arrayCast(a, to, l)
	} else {
		e = b.Expr(n.Arg, l)
	}
	if e.Row != nil && to.Category() == 'S' {
		e = scope.Expr{SQL: e.Text(), Type: types.Of(types.Text), Location: e.Location, HasAggs: e.HasAggs}
	}
	if e.Row != nil {
		b.Fail(pgerr.New(pgerr.CannotCoerce, "cannot cast type record to %s", to), n.Location)
	}
	field := e.Column
	if e.Literal == nil {
		e.Location = n.Location
	}
	out := b.Coerce(e, to, types.ExplicitCast)
	if e.Literal != nil && to.OID == types.Numeric && to.Typmod < 0 {
		out.SQL, out.Type = b.WrittenNumber(*e.Literal, e.Location)
	}
	if out.Type.OID == types.Numeric && types.IsNumber(e.Type.OID) && e.Type.OID != types.WideNumeric && (to.Typmod >= 0 || e.Type.OID != types.Numeric) {
		engine := to.EngineType()
		if width := types.IntegerDigits[e.Type.OID]; width > 0 && to.Typmod < 0 {
			engine, out.Type.Numeric = fmt.Sprintf("DECIMAL(%d,0)", width), types.Digits{Whole: width} // it has nothing behind the point
		}
		out.SQL = coercion.CastInRange(e, to, engine)
	}
	if out.Type.OID == e.Type.OID && out.SQL == e.SQL {
		out.Column = field
	}
	return out
}

func printedTexts(es []scope.Expr) []string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = coercion.PrintedText(e)
	}
	return texts
}

// arrayCast gives the elements of ARRAY[...]::t[] the element type at once, so
// that ARRAY[] has one.
func (b *Binder) arrayCast(a *pg.A_ArrayExpr, to types.Type, l *scope.Level) scope.Expr {
	elem, _ := to.Elem()
	var es []scope.Expr
	rows := 0
	for _, n := range a.Elements {
		if inner := n.GetAArrayExpr(); inner != nil {
			es = append(es, b.arrayCast(inner, to, l))
			rows++
			continue
		}
		e := b.Expr(n, l)
		if e.Type.IsArray() {
			es = append(es, b.Coerce(e, to, types.ExplicitCast))
			rows++
			continue
		}
		es = append(es, b.Coerce(e, elem, types.ExplicitCast))
	}
	out := scope.Expr{SQL: "[" + JoinSQL(es) + "]", Type: types.Of(to.OID), HasAggs: coercion.AnyHasAggs(es), Location: a.Location}
	out.Type.Typmod = to.Typmod
	if coercion.IsNumeric(to) && to.Typmod < 0 {
		out.Printed = "[" + strings.Join(printedTexts(es), ", ") + "]"
	}
	if rows > 0 {
		if rows < len(es) {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "ARRAY types cannot be matched"), a.Location)
		}
		b.CheckVector(scope.Expr{Type: types.Type{ExtraDims: 1}, Location: a.Location}, to)
		row := es[0].Type
		row.ExtraDims = b.SameDimensions(es)
		out.Type.ExtraDims = b.ArrayOf(row, a.Location).ExtraDims
		if !sameLengths(a.Elements) {
			out.SQL = stacked(out.SQL, row)
			if out.Printed != "" {
				out.Printed = stacked(out.Printed, row)
			}
		}
	}
	out.SQL = "CAST(" + out.SQL + " AS " + out.Type.EngineType() + ")"
	return out
}

// markPath finds a cast to jsonpath where a path stands, because paths are texts here, and
// refuses a literal that is no path.
func (b *Binder) markPath(n *pg.Node) {
	literal := n
	if c := n.GetTypeCast(); c != nil {
		literal = c.Arg
	}
	if s := literal.GetAConst().GetSval(); s != nil {
		var e *pgerr.Error
		if errors.As(jsonpath.Check(s.Sval), &e) {
			b.Fail(e, syntax.Location(literal))
		}
	}
	if c := n.GetTypeCast(); c != nil && len(c.TypeName.ArrayBounds) == 0 {
		names := syntax.Strings(c.TypeName.Names)
		b.paths[c] = names[len(names)-1] == "jsonpath"
	}
}
