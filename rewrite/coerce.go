package rewrite

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/types"
)

// coerce brings an expression to a type, and gives an untyped literal or
// parameter that type.
func (b *exprBinder) coerce(e expr, to types.Type, ctx types.CastContext) expr {
	if to.IsArray() {
		switch {
		case e.lit != nil:
			to.ExtraDims = input.LiteralDimensions(*e.lit)
		case e.t.IsArray():
			b.checkVector(e, to)
			to.ExtraDims = e.t.ExtraDims
		}
	}
	out := expr{t: to, loc: e.loc, agg: e.agg, set: e.set, list: e.list}
	if e.spelled != "" && to.Category() != 'S' {
		e.sql = e.spelled
	}
	if e.lit == nil && types.UnitDependsOnFields(to) && (e.param > 0 || types.IsText(e.t.OID)) {
		b.unsupported(e.loc, "a cast of a text that is no constant to an interval of fields is not supported")
	}
	switch {
	case e.name != "" && to.OID == types.Text:
		out.sql = e.name
		return out
	case e.param > 0:
		if err := b.params.fix(e.param, to); err != nil {
			b.fail(err, e.loc)
		}
		out.t.Numeric = to.InputDigits()
		out.sql = e.sql
		switch {
		case to.Typmod >= 0:
			out.sql = casts.Convert(e.sql, types.Of(to.OID), to)
		case to.OID == types.Numeric:
			out.printed = enginesql.Placeholder(enginesql.ParamText, e.param)
		}
		return out
	case e.lit != nil && to.OID == types.Record:
		b.unsupported(e.loc, "input of anonymous composite types is not implemented")
	case e.lit != nil:
		out.sql, out.t.Numeric = b.literal(*e.lit, to, e.loc), to.InputDigits()
		return out
	case e.null && to.OID == types.Record: // the engine has no name for the type of a row
		out.sql = "NULL"
		return out
	case e.null:
		out.sql, out.t.Numeric = "CAST(NULL AS "+to.EngineType()+")", to.InputDigits()
		return out
	case e.t.OID == to.OID && (to.Typmod < 0 || to.Typmod == e.t.Typmod):
		e.t.Numeric, e.t.Typmod = e.t.Digits(), to.Typmod
		return e
	case e.t.OID == types.Unknown:
		e.t = to
		return e
	}
	if ctx == types.ImplicitCast && !types.Implicit(e.t.OID, to.OID) || !types.Castable(e.t, to) && ctx != types.ImplicitCast {
		b.fail(pgerr.New(pgerr.CannotCoerce, "cannot cast type %s to %s", e.t, to), e.loc)
	}
	if types.RowFields(e.t) != nil {
		out.sql = casts.ApplyTypmod(casts.RowToText(e.sql, e.t), to)
		return out
	}
	if ctx == types.ImplicitCast && to.OID == types.Numeric && e.wide == "" {
		out.sql, out.t.Numeric = e.sql, e.t.Digits() // the engine mixes integers and decimals without losing digits
		return out
	}
	if e.wide != "" {
		out.sql, out.wide = b.wideNumber(e, to)
		return out
	}
	if types.IsText(e.t.OID) && e.list != "" && e.sql == "unnest("+e.list+")" {
		// The elements are read within the list: rows may not be mentioned twice.
		out.list = "list_transform(" + e.list + ", lambda row: " + casts.Convert("row", e.t, to) + ")"
		out.sql = "unnest(" + out.list + ")"
		return out
	}
	out.sql, out.t.Numeric = casts.Convert(e.sql, e.t, to), to.InputDigits()
	if e.printed != "" && to.Category() == 'S' {
		out.sql = casts.ApplyTypmod(e.printed, to)
	}
	if to.OID == types.Numeric && e.t.OID == types.Numeric && to.Typmod < 0 {
		out.t.Numeric = e.t.Digits()
	}
	if to.OID == types.Int8 {
		out.int = e.int
	}
	return out
}

// common is the type that several expressions share (select_common_type in
// PostgreSQL's parse_coerce.c). word names the construct in the error.
func (b *exprBinder) common(es []expr, word string) types.Type {
	var ty types.Type
	for _, e := range es {
		if e.t.OID == types.Record && ty.OID == types.Record && !ty.Row.Alike(e.t.Row) {
			ty.Row = nil
		}
		switch {
		case e.t.OID == types.Unknown, e.t.OID == ty.OID && e.t.Typmod == ty.Typmod:
		case ty.OID == 0:
			ty = e.t
		case e.t.OID == ty.OID:
			ty.Typmod = -1
		case e.t.Category() != ty.Category():
			b.fail(pgerr.New(pgerr.DatatypeMismatch, "%s types %s and %s cannot be matched", word, ty, e.t), e.loc)
		default:
			i := types.ByOID[ty.OID]
			if ty.Typmod = -1; (i == nil || !i.Preferred) && types.Implicit(ty.OID, e.t.OID) && !types.Implicit(e.t.OID, ty.OID) {
				ty = types.Of(e.t.OID)
			}
		}
	}
	for _, e := range es {
		if !types.Implicit(e.t.OID, ty.OID) && ty.OID != 0 {
			b.fail(pgerr.New(pgerr.CannotCoerce, "%s could not convert type %s to %s", word, e.t, ty), e.loc)
		}
	}
	if ty.OID == 0 {
		return types.Of(types.Text)
	}
	return ty
}

// unify brings expressions to their common type.
func (b *exprBinder) unify(es []expr, word string) ([]expr, types.Type) {
	ty := b.common(es, word)
	var typs []types.Type // of what is no NULL
	var nulls []int
	for i, e := range es {
		es[i] = b.coerce(e, types.Of(ty.OID), types.ImplicitCast)
		if e.null {
			nulls = append(nulls, i)
		} else {
			typs = append(typs, es[i].t)
		}
	}
	if ty.IsArray() {
		ty.ExtraDims = b.sameDimensions(es)
	}
	if ty.OID != types.Numeric {
		return es, ty
	}
	for _, i := range nulls {
		if types.SameDisplayScale(typs) {
			es[i].sql = "NULL" // of the others' scale
		} else {
			typs = append(typs, es[i].t)
		}
	}
	var cut bool
	if ty.Numeric, cut = types.CommonDigits(typs); cut {
		for i, e := range es {
			es[i] = e.scaled(ty.Numeric)
		}
	}
	return es, ty
}
