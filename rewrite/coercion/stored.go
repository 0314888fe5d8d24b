package coercion

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// StoredValue is what is kept of a new value of column i, which is of the column's
// type: JSON's null is NULL in the store, and the declared precision or length is
// applied.
func StoredValue(s *scope.Shape, sql string, i int) string {
	c := s.Columns[i]
	if i < len(s.Types) {
		return storedAs(sql, s.Types[i].Internal())
	}
	if c.Type.Kind == column.JSON {
		return enginesql.Macro("json_stored") + "(" + sql + ")"
	}
	return applyTypmod(sql, c.Type, s.Typmods[c.Name])
}

// Stored is StoredValue of an expression.
func Stored(s *scope.Shape, e scope.Expr, i int) scope.Expr {
	plain := plainStored(s, e.Plain(), i)
	e.SQL = StoredValue(s, e.SQL, i)
	return e.Means(plain)
}

// applyTypmod brings a value to a type modifier as an assignment does: a numeric is
// rounded to the scale, of a text only blanks may be cut off. No modifier is less
// than 4.
func applyTypmod(sql string, c column.Type, mod int32) string {
	switch to := types.OfColumn(c); {
	case mod < 4:
	case to.OID == types.WideNumeric:
		to.Typmod = mod
		return input.FitWide(sql, to)
	case to.OID == types.Numeric:
		narrow := types.Type{OID: types.Numeric, Typmod: mod}
		return evaluateOnce(sql, func(x string) string {
			return enginesql.Macro("in_range") + "(CAST(TRY_CAST(" + x + " AS " + narrow.EngineType() + ") AS " + EngineColumnType(c) + "), " + x + ", " +
				enginesql.Literal(input.OverflowMessage(narrow)) + ")"
		})
	case types.IsText(to.OID):
		return evaluateOnce(sql, func(x string) string {
			return enginesql.Macro("varchar_fitted") + "(" + x + ", " + strconv.Itoa(int(mod-4)) + ")"
		})
	}
	return sql
}

// storedAs applies the modifier of a type to a value of an ordinary table's column, as an
// assignment does.
func storedAs(sql string, to types.Type) string {
	switch {
	case to.Typmod < 0:
		return sql
	case to.OID == types.Numeric, to.OID == types.WideNumeric, to.OID == types.Varchar:
		return applyTypmod(sql, to.Column(), to.Typmod)
	case to.OID == types.BPChar:
		return evaluateOnce(sql, func(x string) string {
			return enginesql.Macro("bpchar_fitted") + "(" + x + ", " + strconv.Itoa(int(to.Typmod-4)) + ")"
		})
	case types.IsBits(to.OID):
		return "ontosql_" + types.ByOID[to.OID].Name + "_sized(" + sql + ", " + strconv.Itoa(int(to.Typmod)) + ", 0)"
	}
	if elem, ok := to.Elem(); ok && elem.OID != types.Numeric { // a cast has applied that of a numeric
		if one := storedAs("item", elem); one != "item" {
			return "list_transform(" + sql + ", lambda item: " + one + ")"
		}
	}
	return casts.ApplyTypmod(sql, to)
}

// evaluateOnce prints a call that mentions its argument several times but evaluates it once,
// unlike enginesql.EvaluateOnceIfLong.
func evaluateOnce(sql string, call func(x string) string) string {
	if !strings.Contains(sql, "(") {
		return call(sql)
	}
	return enginesql.EvaluateOnce(sql, call)
}
