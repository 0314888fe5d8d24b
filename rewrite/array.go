package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

func (b *binder) arrayExpr(n *pg.A_ArrayExpr, l *level) expr {
	var es []expr
	out := expr{}
	for _, a := range n.Elements {
		e := b.expr(a, l)
		out.agg = out.agg || e.agg
		es = append(es, e)
	}
	if len(es) == 0 {
		b.fail(pgerr.New(pgerr.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[]."), n.Location)
	}
	es, ty := b.unify(es, "ARRAY")
	out.t = arrayOf(ty)
	out.sql = "[" + join(es) + "]"
	return out
}

// indirection is a subscript, a slice or a field of a row.
func (b *binder) indirection(n *pg.A_Indirection, l *level) expr {
	if c := n.Arg.GetColumnRef(); c != nil && len(n.Indirection) == 1 && n.Indirection[0].GetString_() != nil { // (c).id
		if names := strs(c.Fields); len(names) == 1 {
			if f, _ := l.named(b, names[0], c.Location); f == nil {
				r, at := l.relation("", names[0])
				if r != nil {
					if f := r.column(n.Indirection[0].GetString_().Sval); f != nil {
						return b.fieldExpr(f, c.Location, at)
					}
				}
			}
		}
	}
	e := b.expr(n.Arg, l)
	for _, ind := range n.Indirection {
		x := ind.GetAIndices()
		if field, ok := rowField(e, ind.GetString_().GetSval()); ok {
			e = field
			continue
		}
		if x == nil {
			b.unsupported(e.loc, "a field of a composite value is not supported")
		}
		if isJSON(e.t.oid) && !x.IsSlice {
			e = b.operate("->", []expr{e, b.known(b.expr(x.Uidx, l))}, e.loc)
			continue
		}
		elem, ok := e.t.elem()
		if !ok {
			b.fail(pgerr.New(pgerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", e.t), e.loc)
		}
		index := func(n *pg.Node) string {
			if n == nil {
				return ""
			}
			return b.coerce(b.expr(n, l), t(int8OID), assignmentCast).sql
		}
		agg := e.agg
		if x.IsSlice {
			e = expr{sql: e.sql + "[" + index(x.Lidx) + ":" + index(x.Uidx) + "]", t: e.t, loc: e.loc, agg: agg}
			continue
		}
		at := index(x.Uidx)
		if e.t.oid == int2vectorOID || e.t.oid == oidvectorOID { // these count from 0
			at = "(" + at + " + 1)"
		}
		// A negative subscript counts from the end in the engine.
		e = expr{sql: "list_extract(" + e.sql + ", greatest(" + at + ", 0))", t: elem, loc: e.loc, agg: agg}
		if c, ok := b.positive(x.Uidx); ok {
			e.sql = strings.Replace(e.sql, "greatest("+c+", 0)", c, 1)
		}
	}
	return e
}

// positive is a subscript that is a literal above 0.
func (b *binder) positive(n *pg.Node) (string, bool) {
	v, ok := n.GetAConst().GetVal().(*pg.A_Const_Ival)
	if !ok || v.Ival.GetIval() < 1 {
		return "", false
	}
	return strconv.Itoa(int(v.Ival.GetIval())), true
}
