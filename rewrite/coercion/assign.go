package coercion

import (
	"fmt"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Assign brings an expression to the type of column i of a table, in which it is stored.
func (b *Coercer) Assign(e scope.Expr, s *scope.Shape, i int) scope.Expr {
	c := s.Columns[i]
	to := types.OfColumn(c.Type)
	if e.Type.OID != types.Unknown && !types.Assignable(e.Type, to) {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "column %q is of type %s but expression is of type %s", c.Name, to, types.Of(e.Type.OID)).
			WithHint(types.RewriteHint), e.Location)
	}
	if types.Finer(c.Type) && (e.Literal != nil || e.UntypedParam > 0 || e.Printed != "") {
		e = b.Coerce(e, InputType(c.Type), types.AssignmentCast)
	}
	out := b.Coerce(e, to, types.AssignmentCast)
	if out.Type.ExtraDims != to.ExtraDims {
		b.Unsupported(e.Location, "arrays of several dimensions cannot be stored")
	}
	// A decimal has the width of the expression it comes from, so that even
	// numeric to numeric may not fit.
	if e.Type.IsWide() && to.OID != types.Numeric {
		return out // the cast has checked it
	}
	if narrows := to.OID == types.Numeric && !types.IsInteger(e.Type.OID) || types.IsInteger(to.OID) && !types.Implicit(e.Type.OID, to.OID); narrows && types.IsNumber(e.Type.OID) {
		to.Typmod = declaredModifier(s, i)
		out.SQL = CastInRange(e, to, EngineColumnType(c.Type))
	}
	switch {
	case to.OID != types.Numeric || !types.Finer(c.Type): // of a list of rows the engine would take the scale of one
	case e.UntypedNull:
		out.SQL = NullOf(c.Type)
	case types.IsInteger(e.Type.OID):
		to.Typmod = declaredModifier(s, i)
		out.SQL = CastInRange(e, to, EngineColumnType(c.Type))
	}
	if to.OID == types.Numeric {
		plain := out.Plain()
		if plain == nil {
			plain = e.Plain()
		}
		out = out.Means(rowexpr.Numeric(plain, c.Type))
	}
	return out
}

// declaredModifier is the modifier of column i of a table if that is numeric(p,s), and otherwise -1.
func declaredModifier(s *scope.Shape, i int) int32 {
	mod := s.Typmods[s.Columns[i].Name]
	if i < len(s.Types) {
		mod = s.Types[i].Typmod
	}
	if s.Columns[i].Type.Kind != column.Numeric || mod < 4 {
		return -1
	}
	return mod
}

// InputType is the type that a literal or a parameter is read as for a column.
func InputType(c column.Type) types.Type {
	if !types.Finer(c) {
		return types.OfColumn(c)
	}
	return types.Type{OID: types.Numeric, Typmod: int32(c.Width)<<16 | int32(c.Scale) + 4}
}

// finer reports whether a type is a numeric(p, s) with more digits behind the point than a
// numeric of no declared precision.
func finer(t types.Type) bool {
	return t.OID == types.Numeric && t.Typmod >= 4 && types.Finer(t.Column())
}

// CastInRange is the cast of a number that may not fit, with PostgreSQL's error: the
// engine calls it a failed conversion.
func CastInRange(e scope.Expr, to types.Type, engine string) string {
	if e.Type.IsWide() {
		e = scope.Expr{SQL: casts.ToText(e.SQL, e.Type), Type: types.Of(types.Text)}
	}
	if e.ReturnsSet {
		return "CAST(" + casts.FloatToNumeric(e.SQL, e.Type, to) + " AS " + engine + ")"
	}
	return enginesql.EvaluateOnceIfLong(e.SQL, func(x string) string {
		return enginesql.Macro("in_range") + "(TRY_CAST(" + casts.FloatToNumeric(x, e.Type, to) + " AS " + engine + "), " + x + ", " + enginesql.Literal(input.OverflowMessage(to)) + ")"
	})
}

// NullOf is a NULL of a column's type.
func NullOf(c column.Type) string { return "CAST(NULL AS " + EngineColumnType(c) + ")" }

// EngineColumnType is the engine's type of a column.
func EngineColumnType(c column.Type) string {
	if c.Kind == column.Numeric && c.Width > 0 {
		return fmt.Sprintf("DECIMAL(%d,%d)", c.Width, c.Scale)
	}
	return types.OfColumn(c).EngineType()
}
