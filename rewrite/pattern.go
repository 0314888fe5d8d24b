package rewrite

import (
	"errors"
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/regex"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// like is LIKE and ILIKE. PostgreSQL's escape character is the backslash unless
// another is given; the engine has none unless it is told.
func (b *exprBinder) like(n *pg.A_Expr, op string, l *level) expr {
	word := " LIKE "
	if strings.HasSuffix(op, "*") {
		word = " ILIKE "
	}
	x := padded(b.expr(n.Lexpr, l))
	if x.t.OID == types.Bytea {
		return b.operate(op, []expr{x, b.expr(n.Rexpr, l)}, n.Location)
	}
	x = b.text(x, op, n.Location)
	pattern, escape := n.Rexpr, enginesql.Literal(`\`)
	if inner, own, ok := escapedLiteral(n.Rexpr.GetFuncCall()); ok { // the engine is quicker without the call
		pattern, escape = inner, enginesql.Literal(own)
	}
	p := b.text(b.expr(pattern, l), op, n.Location)
	sql := x.sql + word + p.sql
	if c := pattern.GetAConst().GetSval(); c == nil || strings.Contains(c.Sval, `\`) || escape != enginesql.Literal(`\`) {
		sql += " ESCAPE " + escape
	}
	if strings.HasPrefix(op, "!") {
		sql = "NOT (" + sql + ")"
	}
	return expr{sql: "(" + sql + ")", t: types.Of(types.Bool), agg: x.agg || p.agg}
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
func searchTemplate(template string, args []expr) string {
	if len(args) < 2 || args[1].lit == nil {
		return template
	}
	by := strings.NewReplacer("@regexp_found({1}, {2}, ", "regexp_matches({1}, ontosql_regexp({2}, ", ")", "))")
	if regex.LooksAround(*args[1].lit) {
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
func padded(e expr) expr {
	if e.t.OID == types.BPChar && e.lit == nil {
		e.t = types.Of(types.Text)
	}
	return e
}

// text is an operand that must be text.
func (b *exprBinder) text(e expr, op string, loc int32) expr {
	if e.t.OID != types.Unknown && !types.Implicit(e.t.OID, types.Text) {
		b.noOperator(op, []expr{e, {t: types.Of(types.Unknown)}}, loc)
	}
	return b.coerce(e, types.Of(types.Text), types.ImplicitCast)
}

// similar is SIMILAR TO, a search for the regular expression that its pattern stands for.
func (b *exprBinder) similar(n *pg.A_Expr, op string, l *level) expr {
	x := padded(b.expr(n.Lexpr, l))
	pattern := b.expr(n.Rexpr, l)
	if source, ok := similarLiteral(n.Rexpr.GetFuncCall()); ok {
		pattern.sql, pattern.lit = enginesql.Literal(source), &source
	}
	return b.operate(op, []expr{x, pattern}, n.Location)
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
func (b *exprBinder) typeCast(n *pg.TypeCast, l *level) expr {
	if b.paths[n] {
		return b.coerce(b.expr(n.Arg, l), types.Of(types.Text), types.ExplicitCast)
	}
	to, err := syntax.TypeOf(b.st.Tree, n.TypeName)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) {
			b.fail(e, n.Location)
		}
		b.fail(pgerr.New(pgerr.InternalError, "%s", err).Because(err), n.Location)
	}
	var e expr
	if a := n.Arg.GetAArrayExpr(); a != nil && to.IsArray() {
		e = b.arrayCast(a, to, l)
	} else {
		e = b.expr(n.Arg, l)
	}
	if e.row != nil && to.Category() == 'S' {
		e = expr{sql: e.out(), t: types.Of(types.Text), loc: e.loc, agg: e.agg}
	}
	if e.row != nil {
		b.fail(pgerr.New(pgerr.CannotCoerce, "cannot cast type record to %s", to), n.Location)
	}
	field := e.field
	if e.lit == nil {
		e.loc = n.Location
	}
	out := b.coerce(e, to, types.ExplicitCast)
	if e.lit != nil && to.OID == types.Numeric && to.Typmod < 0 {
		out.sql, out.t.Numeric = b.writtenNumber(*e.lit, e.loc)
	}
	if to.OID == types.Numeric && types.IsNumber(e.t.OID) && e.wide == "" && (to.Typmod >= 0 || e.t.OID != types.Numeric) {
		engine := to.EngineType()
		if width := types.IntegerDigits[e.t.OID]; width > 0 && to.Typmod < 0 {
			engine, out.t.Numeric = fmt.Sprintf("DECIMAL(%d,0)", width), types.Digits{Whole: width} // it has nothing behind the point
		}
		out.sql = inRange(e, to, engine)
	}
	if out.t.OID == e.t.OID && out.sql == e.sql {
		out.field = field
	}
	return out
}

// arrayCast gives the elements of ARRAY[...]::t[] the element type at once, so
// that ARRAY[] has one.
func (b *exprBinder) arrayCast(a *pg.A_ArrayExpr, to types.Type, l *level) expr {
	elem, _ := to.Elem()
	var es []expr
	rows := 0
	for _, n := range a.Elements {
		if inner := n.GetAArrayExpr(); inner != nil {
			es = append(es, b.arrayCast(inner, to, l))
			rows++
			continue
		}
		e := b.expr(n, l)
		if e.t.IsArray() {
			es = append(es, b.coerce(e, to, types.ExplicitCast))
			rows++
			continue
		}
		es = append(es, b.coerce(e, elem, types.ExplicitCast))
	}
	out := expr{sql: "[" + join(es) + "]", t: types.Of(to.OID), agg: anyAgg(es), loc: a.Location}
	out.t.Typmod = to.Typmod
	if rows > 0 {
		if rows < len(es) {
			b.fail(pgerr.New(pgerr.DatatypeMismatch, "ARRAY types cannot be matched"), a.Location)
		}
		b.checkVector(expr{t: types.Type{ExtraDims: 1}, loc: a.Location}, to)
		row := es[0].t
		row.ExtraDims = b.sameDimensions(es)
		out.t.ExtraDims = b.arrayOf(row, a.Location).ExtraDims
		if !sameLengths(a.Elements) {
			out.sql = stacked(out.sql, row)
		}
	}
	out.sql = "CAST(" + out.sql + " AS " + out.t.EngineType() + ")"
	return out
}
