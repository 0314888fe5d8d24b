package coercion

import (
	"regexp"

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
	case column.Bool, column.Int16, column.Int32, column.Int64, column.Float64, column.Numeric, column.Text, column.JSON, column.UUID:
	case column.Date, column.Timestamp, column.TimestampTZ:
		// Another text may mean something else with other settings, or tomorrow.
		if !zonedTime.MatchString(s) && (k == column.TimestampTZ || text != s && text != s+".000000") {
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

// zonedTime is a time in a form of ISO 8601 with its offset from UTC.
var zonedTime = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$`)

// plainCast is a conversion as it is evaluated without the engine, nil if it is not: to a wider
// number, of a numeric constant to double precision, of a json to jsonb, or from one type of texts to another where
// nothing changes.
func plainCast(from, to scope.Expr) *rowexpr.Expr {
	x := from.Plain()
	k, ok := PlainKind(to.Type)
	switch {
	case x == nil || !ok:
		return nil
	case x.Type.Kind == column.Text && k == column.Text && to.SQL == from.SQL:
		return x
	case from.Type.OID == types.JSON && to.Type.OID == types.JSONB:
		return rowexpr.JSONB(x)
	case types.IsInteger(from.Type.OID), from.Type.OID == types.Numeric && to.Type.OID == types.Float8:
		return rowexpr.Widen(x, k)
	}
	return nil
}

// plainNull is a NULL of a type as it is evaluated without the engine, nil if it is not.
func plainNull(ty types.Type) *rowexpr.Expr {
	if _, ok := PlainKind(ty); !ok {
		return nil
	}
	return rowexpr.Null(ty.Column())
}

// plainStored is what is kept of the value of column i of a relation (StoredValue) as it is evaluated
// without the engine, nil if it is not.
func plainStored(s *scope.Shape, x *rowexpr.Expr, i int) *rowexpr.Expr {
	c := s.Columns[i]
	mod := s.Typmods[c.Name]
	switch {
	case i < len(s.Types): // an ordinary table
		return nil
	case c.Type.Kind == column.JSON:
		return rowexpr.Document(x)
	case mod < 4:
		return x
	case c.Type.Kind == column.Numeric:
		declared := types.Type{OID: types.Numeric, Typmod: mod}
		return rowexpr.Numeric(rowexpr.Numeric(x, declared.Column()), c.Type)
	case c.Type.Kind == column.Text:
		return rowexpr.Fitted(x, int(mod-4))
	}
	return nil
}
