package coercion

import (
	"cmp"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Coerce brings an expression to a type, and gives an untyped literal or
// parameter that type.
func (b *Coercer) Coerce(e scope.Expr, to types.Type, ctx types.CastContext) scope.Expr {
	if to.IsArray() {
		switch {
		case e.Literal != nil:
			to.ExtraDims = input.LiteralDimensions(*e.Literal)
		case e.Type.IsArray():
			b.CheckVector(e, to)
			to.ExtraDims = e.Type.ExtraDims
		}
	}
	if b.widensCast(e, to) {
		to.OID = types.WideNumeric
	}
	out := scope.Expr{Type: to, Location: e.Location, HasAggs: e.HasAggs, ReturnsSet: e.ReturnsSet, List: e.List}
	if e.EngineSpelling != "" && to.Category() != 'S' {
		e.SQL = e.EngineSpelling
	}
	if e.Literal == nil && types.UnitDependsOnFields(to) && (e.UntypedParam > 0 || types.IsText(e.Type.OID)) {
		b.Unsupported(e.Location, "a cast of a text that is no constant to an interval of fields is not supported")
	}
	switch {
	case e.TypeName != "" && to.OID == types.Text:
		out.SQL = e.TypeName
		return out
	case e.UntypedParam > 0:
		if err := b.Params.Fix(e.UntypedParam, to); err != nil {
			b.Fail(err, e.Location)
		}
		out.Type.Numeric = to.InputDigits()
		out.SQL = e.SQL
		switch {
		case finer(to):
			out.SQL = input.CastText(PrintedParam(e.UntypedParam, to), to)
		case to.Typmod >= 0:
			out.SQL = casts.Convert(e.SQL, types.Of(to.OID), to)
		default:
			out.Printed = PrintedParam(e.UntypedParam, to)
			return out.Means(PlainParam(e.UntypedParam, to))
		}
		return out
	case e.Literal != nil && to.OID == types.Record:
		b.Unsupported(e.Location, "input of anonymous composite types is not implemented")
	case e.Literal != nil && to.OID == types.Numeric && to.Typmod < 0 && FinerText(*e.Literal):
		out.SQL, out.Type = b.WrittenNumber(*e.Literal, e.Location)
		return out
	case e.Literal != nil:
		out.SQL, out.Type.Numeric = b.literal(*e.Literal, to, e.Location), to.InputDigits()
		out.Printed = b.printedLiteral(*e.Literal, to)
		return out.Means(plainLiteral(*e.Literal, to))
	case e.UntypedNull && to.OID == types.Record: // the engine has no name for the type of a row
		out.SQL = "NULL"
		return out
	case e.UntypedNull:
		out.SQL, out.Type.Numeric = "CAST(NULL AS "+to.EngineType()+")", to.InputDigits()
		return out.Means(plainNull(to))
	case e.Type.OID == to.OID && (to.Typmod < 0 || to.Typmod == e.Type.Typmod):
		e.Type.Numeric, e.Type.Typmod = e.Type.Digits(), to.Typmod
		return e
	case e.Type.OID == types.Unknown:
		e.Type = to
		return e
	case finer(to) && e.Type.OID == types.Numeric && e.Printed != "" && !e.ReturnsSet && e.Type.Digits().Frac <= types.MaxColumnFraction:
		out.SQL = input.CastText(e.Printed, to)
		return out
	}
	if e.Type.IsWide() && types.External(e.Type.OID) == to.OID && to.Typmod < 0 && ctx != types.AssignmentCast {
		e.Type.Numeric, e.Type.Typmod = e.Type.Digits(), -1
		return e
	}
	if ctx == types.ImplicitCast && !types.Implicit(e.Type.OID, to.OID) || !types.Castable(e.Type, to) && ctx != types.ImplicitCast {
		b.Fail(pgerr.New(pgerr.CannotCoerce, "cannot cast type %s to %s", e.Type, to), e.Location)
	}
	if types.RowFields(e.Type) != nil {
		out.SQL = casts.ApplyTypmod(casts.RowToText(e.SQL, e.Type), to)
		return out
	}
	if ctx == types.ImplicitCast && to.OID == types.Numeric {
		out.SQL, out.Type.Numeric = e.SQL, e.Type.Digits() // the engine mixes integers and decimals without losing digits
		return out.Means(rowexpr.Numeric(e.Plain(), column.Type{Kind: column.Numeric, Width: types.MaxDigits}))
	}
	if types.IsText(e.Type.OID) && e.List != "" && e.SQL == "unnest("+e.List+")" {
		// The elements are read within the list: rows may not be mentioned twice.
		out.List = "list_transform(" + e.List + ", lambda row: " + casts.Convert("row", e.Type, to) + ")"
		out.SQL = "unnest(" + out.List + ")"
		if printed := printedCast("row", e.Type, to); printed != "" {
			out.PrintedList = "list_transform(" + e.List + ", lambda row: " + printed + ")"
			out.Printed = "unnest(" + out.PrintedList + ")"
		}
		return out
	}
	out.SQL, out.Type.Numeric = casts.Convert(e.SQL, e.Type, to), to.InputDigits()
	out.Printed = printedCast(e.SQL, e.Type, to)
	elem, _ := to.Elem()
	switch {
	case e.Printed == "":
	case to.IsWide() && to.Typmod < 0 && IsNumeric(e.Type):
		out.Printed, out.PrintedList = e.Printed, e.PrintedList
	case to.Category() == 'S':
		out.SQL = casts.ApplyTypmod(e.Text(), to)
		out.List = cmp.Or(e.PrintedList, e.List)
	case elem.Category() == 'S' && e.Type.IsArray():
		out.SQL = casts.Convert(e.Printed, types.TextArray(e.Type.ExtraDims), to)
	}
	if to.Typmod < 0 && (to.OID == types.Numeric && e.Type.OID == types.Numeric || to.IsWide()) {
		out.Type.Numeric = e.Type.Digits()
	}
	if to.OID == types.Int8 {
		out.Integer = e.Integer
	}
	return out.Means(plainCast(e, out))
}

// CommonType is the type that several expressions share (select_common_type in
// PostgreSQL's parse_coerce.c). word names the construct in the error.
func (b *Coercer) CommonType(es []scope.Expr, word string) types.Type {
	var ty types.Type
	for _, e := range es {
		if e.Type.OID == types.Record && ty.OID == types.Record && !ty.Row.Alike(e.Type.Row) {
			ty.Row = nil
		}
		switch {
		case e.Type.OID == types.Unknown, e.Type.OID == ty.OID && e.Type.Typmod == ty.Typmod:
		case ty.OID == 0:
			ty = e.Type
		case e.Type.OID == ty.OID:
			ty.Typmod = -1
		case e.Type.Category() != ty.Category():
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "%s types %s and %s cannot be matched", word, ty, e.Type), e.Location)
		default:
			i := types.ByOID[ty.OID]
			if ty.Typmod = -1; (i == nil || !i.Preferred) && types.Implicit(ty.OID, e.Type.OID) && !types.Implicit(e.Type.OID, ty.OID) {
				ty = types.Of(e.Type.OID)
			}
		}
	}
	for _, e := range es {
		if !types.Implicit(e.Type.OID, ty.OID) && ty.OID != 0 {
			b.Fail(pgerr.New(pgerr.CannotCoerce, "%s could not convert type %s to %s", word, e.Type, ty), e.Location)
		}
	}
	if ty.OID == 0 {
		return types.Of(types.Text)
	}
	return ty
}

// Unify brings expressions to their common type.
func (b *Coercer) Unify(es []scope.Expr, word string) ([]scope.Expr, types.Type) {
	ty := b.CommonType(es, word)
	var typs []types.Type // of what is no NULL
	var nulls []int
	for i, e := range es {
		es[i] = b.Coerce(e, types.Of(ty.OID), types.ImplicitCast)
		if e.UntypedNull {
			nulls = append(nulls, i)
		} else {
			typs = append(typs, es[i].Type)
		}
	}
	if ty.IsArray() {
		ty.ExtraDims = b.SameDimensions(es)
	}
	if ty.OID != types.Numeric {
		return es, ty
	}
	for _, i := range nulls {
		if types.SameDisplayScale(typs) {
			es[i].SQL = "NULL" // of the others' scale
		} else {
			typs = append(typs, es[i].Type)
		}
	}
	var cut bool
	if ty.Numeric, cut = types.CommonDigits(typs); cut && b.widensCut() {
		return b.Unify(b.allWide(es), word)
	}
	if cut {
		for i, e := range es {
			es[i] = e.Scaled(ty.Numeric)
		}
	}
	return es, ty
}

// DefaultToText gives an expression without a type the type text, as PostgreSQL does
// where nothing else asks for one.
func (b *Coercer) DefaultToText(e scope.Expr) scope.Expr {
	if e.Type.OID == types.Unknown {
		return b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	return e
}
