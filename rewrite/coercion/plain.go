package coercion

import (
	"strconv"

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
	var v rowexpr.Value
	text, invalid := input.Canonical(s, to, datetime.TimeInput{})
	err := error(nil)
	switch k {
	case column.Text:
		v.Bytes = []byte(s)
	case column.Bool:
		return rowexpr.Truth(text == "TRUE")
	case column.Float64:
		v.Float, err = strconv.ParseFloat(text, 64)
	case column.Int16, column.Int32, column.Int64:
		v.Int, err = strconv.ParseInt(text, 10, 64)
	default:
		return nil
	}
	if invalid != nil || err != nil {
		return nil
	}
	return rowexpr.Constant(k, v)
}

// plainCast is a conversion as it is evaluated without the engine, nil if it is not: to a wider
// number, or from one type of texts to another where nothing changes.
func plainCast(from, to scope.Expr) *rowexpr.Expr {
	x := from.Plain()
	k, ok := PlainKind(to.Type)
	switch {
	case x == nil || !ok:
		return nil
	case x.Type.Kind == column.Text && k == column.Text && to.SQL == from.SQL:
		return x
	case types.IsInteger(from.Type.OID):
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
