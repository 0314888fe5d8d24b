package rewrite

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

func (b *exprBinder) arrayExpr(n *pg.A_ArrayExpr, l *level) expr {
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
	out.t = b.arrayOf(ty, n.Location)
	out.sql = "[" + join(es) + "]"
	if several(out) && !sameLengths(n.Elements) {
		out.sql = stacked(out.sql, ty)
	}
	return out
}

// sameLengths reports whether the elements of a constructor are constructors of equally
// many constants.
func sameLengths(elements []*pg.Node) bool {
	for _, e := range elements {
		row := e.GetAArrayExpr()
		if row == nil || len(row.Elements) == 0 || len(row.Elements) != len(elements[0].GetAArrayExpr().GetElements()) {
			return false
		}
		if slices.ContainsFunc(row.Elements, func(item *pg.Node) bool { return item.GetAConst() == nil }) {
			return false
		}
	}
	return true
}

// indirection is a subscript, a slice or a field of a row.
func (b *exprBinder) indirection(n *pg.A_Indirection, l *level) expr {
	if c := n.Arg.GetColumnRef(); c != nil && len(n.Indirection) == 1 && n.Indirection[0].GetString_() != nil { // (c).id
		if names := syntax.Strings(c.Fields); len(names) == 1 {
			if f, _ := l.named(b.nameBinder, names[0], c.Location); f == nil {
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
	for i, ind := range n.Indirection {
		x := ind.GetAIndices()
		if field, ok := rowField(e, ind.GetString_().GetSval()); ok {
			e = field
			continue
		}
		name := ind.GetString_().GetSval()
		switch {
		case x != nil:
		case name != "" && len(types.RowFields(e.t)) > 0:
			b.fail(pgerr.New(pgerr.UndefinedColumn, "could not identify column \"%s\" in record data type", name), e.loc)
		case name != "" && e.t.OID != types.Record && e.t.OID != types.Unknown && len(functions.ByName[name]) == 0:
			b.fail(pgerr.New(pgerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type", name, e.t), e.loc)
		default:
			b.unsupported(e.loc, "a field of a composite value is not supported")
		}
		if e.t.OID == types.JSONB {
			e = b.jsonbStep(e, x, l)
			continue
		}
		if e.t.OID == types.Name {
			if x.IsSlice {
				e.sql = "CASE WHEN " + e.sql + " IS NOT NULL THEN error('[0A000] slices of fixed-length arrays not implemented') END"
				continue
			}
			at := b.coerce(b.expr(x.Uidx, l), types.Of(types.Int4), types.AssignmentCast)
			e = expr{sql: enginesql.Macro("name_character") + "(" + e.sql + ", " + at.sql + ")", t: types.Of(types.Char), loc: e.loc, agg: e.agg || at.agg}
			continue
		}
		elem, ok := e.t.Elem()
		if !ok {
			b.fail(pgerr.New(pgerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", e.t), e.loc)
		}
		index := func(n *pg.Node) string {
			if n == nil {
				return ""
			}
			return b.coerce(b.expr(n, l), types.Of(types.Int8), types.AssignmentCast).sql
		}
		agg := e.agg
		more := subscripts(n.Indirection[i:])
		if more > 1 && !several(e) {
			var bounds []string
			for _, each := range n.Indirection[i : i+more] {
				for _, bound := range []*pg.Node{each.GetAIndices().Lidx, each.GetAIndices().Uidx} {
					if bound != nil {
						bounds = append(bounds, index(bound))
					}
				}
			}
			return b.tooManySubscripts(e, elem, n.Indirection[i:i+more], bounds)
		}
		fromZero := e.t.OID == types.Int2Vector || e.t.OID == types.OIDVector
		// A negative subscript counts from the end in the engine.
		place := func(n *pg.Node) string {
			if n == nil {
				return ""
			}
			at := index(n)
			switch {
			case fromZero:
				at = "(" + at + " + 1)"
			case positive(n):
				return at
			}
			return enginesql.Macro("subscript") + "(" + at + ")"
		}
		if several(e) {
			return b.subscripted(e, n.Indirection[i:i+more], place)
		}
		if x.IsSlice {
			e = expr{sql: e.sql + "[" + place(x.Lidx) + ":" + place(x.Uidx) + "]", t: types.ArrayOf(elem), loc: e.loc, agg: agg}
			continue
		}
		e = expr{sql: "list_extract(" + e.sql + ", " + place(x.Uidx) + ")", t: elem, loc: e.loc, agg: agg}
	}
	return e
}

// jsonbStep is document[subscript]. A text that is no number is a key and nothing else.
func (b *exprBinder) jsonbStep(e expr, x *pg.A_Indices, l *level) expr {
	at := b.jsonbSubscript(x, l)
	if at.lit != nil {
		if _, err := strconv.Atoi(strings.TrimSpace(*at.lit)); err != nil {
			return b.operate("->", []expr{e, at}, e.loc)
		}
	}
	return expr{sql: enginesql.Macro("json_get") + "(" + e.sql + ", [" + casts.ToText(at.sql, at.t) + "])", t: e.t, loc: e.loc, agg: e.agg || at.agg}
}

// jsonbSubscript resolves a subscript of a document: an integer or a text.
func (b *exprBinder) jsonbSubscript(x *pg.A_Indices, l *level) expr {
	if x == nil || x.IsSlice {
		b.fail(pgerr.New(pgerr.DatatypeMismatch, "jsonb subscript does not support slices"), syntax.Location(cmp.Or(x.GetUidx(), x.GetLidx())))
	}
	e := b.expr(x.Uidx, l)
	switch {
	case e.lit != nil:
		return e
	case types.Implicit(e.t.OID, types.Int4) && e.t.OID != types.Unknown:
		return b.coerce(e, types.Of(types.Int4), types.ImplicitCast)
	case types.Implicit(e.t.OID, types.Text):
		return b.coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	b.fail(pgerr.New(pgerr.DatatypeMismatch, "subscript type %s is not supported", e.t).
		WithHint("jsonb subscript must be coercible to either integer or text."), syntax.Location(x.Uidx))
	return e
}

// subscripts counts the subscripts at the beginning of a list.
func subscripts(list []*pg.Node) (n int) {
	for n < len(list) && list[n].GetAIndices() != nil {
		n++
	}
	return n
}

// tooManySubscripts is what an array of one dimension has at several subscripts:
// nothing, and no elements if one of them is a slice and no bound is NULL.
func (b *exprBinder) tooManySubscripts(e expr, elem types.Type, list []*pg.Node, bounds []string) expr {
	out := expr{sql: "CAST(NULL AS " + elem.EngineType() + ")", t: elem, loc: e.loc, agg: e.agg}
	if slices.ContainsFunc(list, func(n *pg.Node) bool { return n.GetAIndices().IsSlice }) {
		out.sql, out.t = "list_filter("+e.sql+", lambda each: FALSE)", e.t
		if len(bounds) > 0 {
			out.sql = "CASE WHEN " + strings.Join(bounds, " IS NOT NULL AND ") + " IS NOT NULL THEN " + out.sql + " END"
		}
	}
	return out
}

// positive tells whether a subscript is a literal above 0.
func positive(n *pg.Node) bool {
	v, ok := n.GetAConst().GetVal().(*pg.A_Const_Ival)
	return ok && v.Ival.GetIval() > 0
}

func (b *exprBinder) expandArrayCall(n *pg.FuncCall, l *level) expr {
	args := b.args(n.Args, l)
	if len(args) != 1 || !args[0].t.IsArray() {
		b.noFunction("_pg_expandarray", args, n.Location)
	}
	args[0] = flat(args[0])
	sql := "unnest(list_transform(" + args[0].sql + ", lambda v, i: {'x': v, 'n': CAST(i AS INTEGER)}))"
	elem, _ := args[0].t.Elem()
	return expr{sql: sql, t: types.ExpandArrayRow(elem), set: true, agg: args[0].agg, loc: n.Location}
}
