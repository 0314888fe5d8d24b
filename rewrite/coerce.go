package rewrite

import (
	"github.com/ontosql/ontosql/pgerr"
)

// coerce brings an expression to a type, and gives an untyped literal or
// parameter that type.
func (b *binder) coerce(e expr, to typ, ctx castContext) expr {
	if to.isArray() {
		switch {
		case e.lit != nil:
			to.dim = writtenDimensions(*e.lit)
		case e.t.isArray():
			b.checkVector(e, to)
			to.dim = e.t.dim
		}
	}
	out := expr{t: to, loc: e.loc, agg: e.agg, set: e.set, list: e.list}
	if e.spelled != "" && to.category() != 'S' {
		e.sql = e.spelled
	}
	if e.lit == nil && bareNumbers(to) && (e.param > 0 || isText(e.t.oid)) {
		b.unsupported(e.loc, "a cast of a text that is no constant to an interval of fields is not supported")
	}
	switch {
	case e.name != "" && to.oid == textOID:
		out.sql = e.name
		return out
	case e.param > 0:
		if err := b.params.fix(e.param, to); err != nil {
			b.fail(err, e.loc)
		}
		out.t.num = to.read()
		out.sql = e.sql
		switch {
		case to.mod >= 0:
			out.sql = castText(e.sql, t(to.oid), to)
		case to.oid == numericOID:
			out.printed = hole(textHole, e.param)
		}
		return out
	case e.lit != nil && to.oid == recordOID:
		b.unsupported(e.loc, "input of anonymous composite types is not implemented")
	case e.lit != nil:
		out.sql, out.t.num = b.literal(*e.lit, to, e.loc), to.read()
		return out
	case e.null && to.oid == recordOID: // the engine has no name for the type of a row
		out.sql = "NULL"
		return out
	case e.null:
		out.sql, out.t.num = "CAST(NULL AS "+to.duck()+")", to.read()
		return out
	case e.t.oid == to.oid && (to.mod < 0 || to.mod == e.t.mod):
		e.t.num, e.t.mod = e.t.digits(), to.mod
		return e
	case e.t.oid == unknownOID:
		e.t = to
		return e
	}
	if ctx == implicitCast && !implicit(e.t.oid, to.oid) || !castable(e.t, to) && ctx != implicitCast {
		b.fail(pgerr.New(pgerr.CannotCoerce, "cannot cast type %s to %s", e.t, to), e.loc)
	}
	if rowColumns(e.t) != nil {
		out.sql = castLength(rowTextOf(e.sql, e.t), to)
		return out
	}
	if ctx == implicitCast && to.oid == numericOID && e.wide == "" {
		out.sql, out.t.num = e.sql, e.t.digits() // the engine mixes integers and decimals without losing digits
		return out
	}
	if e.wide != "" {
		out.sql, out.wide = b.wideNumber(e, to)
		return out
	}
	if isText(e.t.oid) && e.list != "" && e.sql == "unnest("+e.list+")" {
		// The elements are read within the list: rows may not be mentioned twice.
		out.list = "list_transform(" + e.list + ", lambda row: " + castText("row", e.t, to) + ")"
		out.sql = "unnest(" + out.list + ")"
		return out
	}
	out.sql, out.t.num = castText(e.sql, e.t, to), to.read()
	if e.printed != "" && to.category() == 'S' {
		out.sql = castLength(e.printed, to)
	}
	if to.oid == numericOID && e.t.oid == numericOID && to.mod < 0 {
		out.t.num = e.t.digits()
	}
	if to.oid == int8OID {
		out.int = e.int
	}
	return out
}

// common is the type that several expressions share (select_common_type in
// PostgreSQL's parse_coerce.c). word names the construct in the error.
func (b *binder) common(es []expr, word string) typ {
	var ty typ
	for _, e := range es {
		if e.t.oid == recordOID && ty.oid == recordOID && !ty.row.alike(e.t.row) {
			ty.row = nil
		}
		switch {
		case e.t.oid == unknownOID, e.t.oid == ty.oid && e.t.mod == ty.mod:
		case ty.oid == 0:
			ty = e.t
		case e.t.oid == ty.oid:
			ty.mod = -1
		case e.t.category() != ty.category():
			b.fail(pgerr.New(pgerr.DatatypeMismatch, "%s types %s and %s cannot be matched", word, ty, e.t), e.loc)
		default:
			i := typesByOID[ty.oid]
			if ty.mod = -1; (i == nil || !i.preferred) && implicit(ty.oid, e.t.oid) && !implicit(e.t.oid, ty.oid) {
				ty = t(e.t.oid)
			}
		}
	}
	for _, e := range es {
		if !implicit(e.t.oid, ty.oid) && ty.oid != 0 {
			b.fail(pgerr.New(pgerr.CannotCoerce, "%s could not convert type %s to %s", word, e.t, ty), e.loc)
		}
	}
	if ty.oid == 0 {
		return t(textOID)
	}
	return ty
}

// unify brings expressions to their common type.
func (b *binder) unify(es []expr, word string) ([]expr, typ) {
	ty := b.common(es, word)
	var typs []typ // of what is no NULL
	var nulls []int
	for i, e := range es {
		es[i] = b.coerce(e, t(ty.oid), implicitCast)
		if e.null {
			nulls = append(nulls, i)
		} else {
			typs = append(typs, es[i].t)
		}
	}
	if ty.isArray() {
		ty.dim = b.sameDimensions(es)
	}
	if ty.oid != numericOID {
		return es, ty
	}
	for _, i := range nulls {
		if sameScale(typs) {
			es[i].sql = "NULL" // of the others' scale
		} else {
			typs = append(typs, es[i].t)
		}
	}
	var cut bool
	if ty.num, cut = meet(typs); cut {
		for i, e := range es {
			es[i] = e.scaled(ty.num)
		}
	}
	return es, ty
}
