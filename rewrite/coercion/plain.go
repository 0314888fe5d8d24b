package coercion

import (
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// PlainKind is the kind of values of a type that are evaluated without the engine. ok is false for
// other types, also for those that the engine keeps as texts and that compare in another way, and
// those of a length.
func PlainKind(ty types.Type) (k column.Kind, ok bool) {
	k = ty.Column().Kind
	if k == column.Text {
		return k, (ty.OID == types.Text || ty.OID == types.Varchar) && ty.Typmod < 0
	}
	return k, true
}

// PlainParam is parameter $n of a type as it is evaluated without the engine, nil if it is not.
func PlainParam(n int, ty types.Type) *rowexpr.Expr {
	k, ok := PlainKind(ty)
	if !ok {
		return nil
	}
	return rowexpr.Param(n, k)
}

// plainLiteral is a string literal of a type as it is evaluated without the engine, nil if it is
// not.
func plainLiteral(s string, to types.Type) *rowexpr.Expr {
	k, ok := PlainKind(to)
	if !ok {
		return nil
	}
	text, invalid := input.Canonical(s, to, datetime.TimeInput{})
	switch k {
	case column.Bool, column.Int16, column.Int32, column.Int64, column.Float64, column.Text, column.UUID:
	case column.Date, column.Timestamp:
		if text != s && text != s+".000000" { // it may mean something else with other settings, or tomorrow
			return nil
		}
	default:
		return nil
	}
	v, err := rowexpr.Read(text, k)
	if invalid != nil || err != nil {
		return nil
	}
	return rowexpr.Constant(k, v)
}

// plainCast is a conversion as it is evaluated without the engine, nil if it is not: to a wider
// number, of a numeric constant to double precision, or from one type of texts to another where
// nothing changes.
func plainCast(from, to scope.Expr) *rowexpr.Expr {
	x := from.Plain()
	k, ok := PlainKind(to.Type)
	switch {
	case x == nil || !ok:
		return nil
	case x.Type.Kind == column.Text && k == column.Text && to.SQL == from.SQL:
		return x
	case types.IsInteger(from.Type.OID), from.Type.OID == types.Numeric && to.Type.OID == types.Float8:
		return rowexpr.Widen(x, k)
	}
	return nil
}

// plainNull is a NULL of a type as it is evaluated without the engine, nil if it is not.
func plainNull(ty types.Type) *rowexpr.Expr {
	k, ok := PlainKind(ty)
	if !ok || k == column.Numeric {
		return nil
	}
	return rowexpr.Null(column.Type{Kind: k})
}
