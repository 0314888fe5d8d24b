package expression

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

func (b *Binder) arrayExpr(n *pg.A_ArrayExpr, l *scope.Level) scope.Expr {
	var es []scope.Expr
	out := scope.Expr{}
	for _, a := range n.Elements {
		e := b.Expr(a, l)
		out.HasAggs = out.HasAggs || e.HasAggs
		es = append(es, e)
	}
	if len(es) == 0 {
		b.Fail(pgerr.New(pgerr.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[]."), n.Location)
	}
	texts := b.PrintedBranches(es)
	es, ty := b.Unify(es, "ARRAY")
	out.Type = b.ArrayOf(ty, n.Location)
	out.SQL = "[" + JoinSQL(es) + "]"
	if texts != nil && coercion.IsNumeric(ty) {
		out.Printed = "[" + strings.Join(texts, ", ") + "]"
	}
	if coercion.IsMultiDim(out) && !sameLengths(n.Elements) {
		out.SQL = stacked(out.SQL, ty)
		if out.Printed != "" {
			out.Printed = stacked(out.Printed, ty)
		}
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
func (b *Binder) indirection(n *pg.A_Indirection, l *scope.Level) scope.Expr {
	if c := n.Arg.GetColumnRef(); c != nil && len(n.Indirection) == 1 && n.Indirection[0].GetString_() != nil { // (c).id
		if names := syntax.Strings(c.Fields); len(names) == 1 {
			if f, _ := l.FindColumn(b.State, names[0], c.Location); f == nil {
				r, at := l.FindRange("", names[0])
				if r != nil {
					if f := r.Column(n.Indirection[0].GetString_().Sval); f != nil {
						return b.ColumnExpr(f, c.Location, at)
					}
				}
			}
		}
	}
	e := b.Expr(n.Arg, l)
	for i, ind := range n.Indirection {
		x := ind.GetAIndices()
		if field, ok := coercion.FieldOf(e, ind.GetString_().GetSval()); ok {
			e = field
			continue
		}
		name := ind.GetString_().GetSval()
		switch {
		case x != nil:
		case name != "" && len(types.RowFields(e.Type)) > 0:
			b.Fail(pgerr.New(pgerr.UndefinedColumn, "could not identify column \"%s\" in record data type", name), e.Location)
		case name != "" && e.Type.OID != types.Record && e.Type.OID != types.Unknown && len(functions.ByName[name]) == 0:
			b.Fail(pgerr.New(pgerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type", name, e.Type), e.Location)
		default:
			b.Unsupported(e.Location, "a field of a composite value is not supported")
		}
		if e.Type.OID == types.JSONB {
			e = b.jsonbStep(e, x, l)
			continue
		}
		if e.Type.OID == types.Name {
			if x.IsSlice {
				e.SQL = "CASE WHEN " + e.SQL + " IS NOT NULL THEN error('[0A000] slices of fixed-length arrays not implemented') END"
				continue
			}
			at := b.Coerce(b.Expr(x.Uidx, l), types.Of(types.Int4), types.AssignmentCast)
			e = scope.Expr{SQL: enginesql.Macro("name_character") + "(" + e.SQL + ", " + at.SQL + ")", Type: types.Of(types.Char), Location: e.Location, HasAggs: e.HasAggs || at.HasAggs}
			continue
		}
		elem, ok := e.Type.Elem()
		if !ok {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", e.Type), e.Location)
		}
		index := func(n *pg.Node) string {
			if n == nil {
				return ""
			}
			e := b.Expr(n, l)
			if e.Type.OID == types.Unknown { // PostgreSQL's subscripts are integers
				e = b.Coerce(e, types.Of(types.Int4), types.AssignmentCast)
			}
			return b.Coerce(e, types.Of(types.Int8), types.AssignmentCast).SQL
		}
		agg := e.HasAggs
		more := subscripts(n.Indirection[i:])
		if more > 1 && !coercion.IsMultiDim(e) {
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
		fromZero := e.Type.OID == types.Int2Vector || e.Type.OID == types.OIDVector
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
		printed := e
		printed.SQL = e.Printed
		if coercion.IsMultiDim(e) {
			part := b.subscripted(e, n.Indirection[i:i+more], place)
			if e.Printed != "" {
				part.Printed = b.subscripted(printed, n.Indirection[i:i+more], place).SQL
			}
			return part
		}
		ty, of := elem, func(list string) string { return "list_extract(" + list + ", " + place(x.Uidx) + ")" }
		if x.IsSlice {
			ty, of = types.ArrayOf(elem), func(list string) string { return list + "[" + place(x.Lidx) + ":" + place(x.Uidx) + "]" }
		}
		e = scope.Expr{SQL: of(e.SQL), Type: ty, Location: e.Location, HasAggs: agg}
		if printed.SQL != "" {
			e.Printed = of(printed.SQL)
		}
	}
	return e
}

// jsonbStep is document[subscript]. A text that is no number is a key and nothing else.
func (b *Binder) jsonbStep(e scope.Expr, x *pg.A_Indices, l *scope.Level) scope.Expr {
	at := b.JSONBSubscript(x, l)
	if at.Literal != nil {
		if _, err := strconv.Atoi(strings.TrimSpace(*at.Literal)); err != nil {
			return b.Operate("->", []scope.Expr{e, at}, e.Location)
		}
	}
	return scope.Expr{SQL: enginesql.Macro("json_get") + "(" + e.SQL + ", [" + casts.ToText(at.SQL, at.Type) + "])", Type: e.Type, Location: e.Location, HasAggs: e.HasAggs || at.HasAggs}
}

// JSONBSubscript resolves a subscript of a document: an integer or a text.
func (b *Binder) JSONBSubscript(x *pg.A_Indices, l *scope.Level) scope.Expr {
	if x == nil || x.IsSlice {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "jsonb subscript does not support slices"), syntax.Location(cmp.Or(x.GetUidx(), x.GetLidx())))
	}
	e := b.Expr(x.Uidx, l)
	switch {
	case e.Literal != nil:
		return e
	case types.Implicit(e.Type.OID, types.Int4) && e.Type.OID != types.Unknown:
		return b.Coerce(e, types.Of(types.Int4), types.ImplicitCast)
	case types.Implicit(e.Type.OID, types.Text):
		return b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	b.Fail(pgerr.New(pgerr.DatatypeMismatch, "subscript type %s is not supported", e.Type).
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
func (b *Binder) tooManySubscripts(e scope.Expr, elem types.Type, list []*pg.Node, bounds []string) scope.Expr {
	out := scope.Expr{SQL: "CAST(NULL AS " + elem.EngineType() + ")", Type: elem, Location: e.Location, HasAggs: e.HasAggs}
	if slices.ContainsFunc(list, func(n *pg.Node) bool { return n.GetAIndices().IsSlice }) {
		out.SQL, out.Type = "list_filter("+e.SQL+", lambda each: FALSE)", e.Type
		if len(bounds) > 0 {
			out.SQL = "CASE WHEN " + strings.Join(bounds, " IS NOT NULL AND ") + " IS NOT NULL THEN " + out.SQL + " END"
		}
	}
	return out
}

// positive tells whether a subscript is a literal above 0.
func positive(n *pg.Node) bool {
	v, ok := n.GetAConst().GetVal().(*pg.A_Const_Ival)
	return ok && v.Ival.GetIval() > 0
}

func (b *Binder) expandArrayCall(n *pg.FuncCall, l *scope.Level) scope.Expr {
	args := b.Args(n.Args, l)
	if len(args) != 1 || !args[0].Type.IsArray() {
		b.UndefinedFunction("_pg_expandarray", args, n.Location)
	}
	args[0] = coercion.Flatten(args[0])
	sql := "unnest(list_transform(" + args[0].SQL + ", lambda v, i: {'x': v, 'n': CAST(i AS INTEGER)}))"
	elem, _ := args[0].Type.Elem()
	return scope.Expr{SQL: sql, Type: types.ExpandArrayRow(elem), ReturnsSet: true, HasAggs: args[0].HasAggs, Location: n.Location}
}

// limitedSeries are the arguments of generate_series with an end that is reached after the
// rows that are needed; 0 is all. A series may be longer than a list can be, even endless.
func limitedSeries(args []scope.Expr, rows int64) []scope.Expr {
	if rows == 0 || args[0].Type.OID == types.Numeric {
		return args
	}
	start, step, count := args[0].SQL, "1", strconv.FormatInt(rows, 10)
	if len(args) > 2 {
		step = args[2].SQL
	}
	macro := "series_limit"
	if args[0].Type.OID == types.Timestamp || args[0].Type.OID == types.TimestampTZ {
		macro = "time_series_limit"
	}
	args = slices.Clone(args)
	args[1].SQL = enginesql.Macro(macro) + "(" + start + ", " + args[1].SQL + ", " + step + ", " + count + ")"
	return args
}
