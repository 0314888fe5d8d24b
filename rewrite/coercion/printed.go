package coercion

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// IsNumeric reports whether a type is numeric or an array of numerics.
func IsNumeric(ty types.Type) bool {
	if elem, ok := ty.Elem(); ok {
		ty = elem
	}
	return ty.OID == types.Numeric || ty.OID == types.WideNumeric
}

// PrintedText is the text that PostgreSQL prints of a numeric or an integer, or the list of
// the texts of the elements of an array of them (scope.Expr.Printed).
func PrintedText(e scope.Expr) string {
	switch {
	case e.UntypedNull:
		return "NULL"
	case !e.Type.IsArray():
		return e.Text()
	case e.Printed != "":
		return e.Printed
	case noElements(e) != "":
		return noElements(e)
	}
	return casts.ElementTexts(e.SQL, e.Type)
}

// PrintedBranches are the printed texts of expressions of which one value is taken, or all
// in one array. It is nil if they are not all numerics, integers or arrays of them, or if
// all are printed with the same digits behind the point.
func (b *Coercer) PrintedBranches(es []scope.Expr) []string {
	numeric := types.Type{}
	for _, e := range es {
		ty := e.Type
		if elem, ok := ty.Elem(); ok {
			ty = elem
		}
		switch {
		case e.Literal != nil, e.UntypedNull, types.IsInteger(ty.OID):
		case ty.OID != types.Numeric && ty.OID != types.WideNumeric:
			return nil
		case numeric.OID == 0:
			numeric = e.Type
		}
	}
	texts, looks := make([]string, len(es)), map[int]bool{}
	for i, e := range es {
		if e.Literal != nil && numeric.OID == 0 {
			return nil
		} else if e.Literal != nil {
			e = b.Coerce(e, types.Of(numeric.OID), types.ImplicitCast)
		}
		texts[i] = b.scaledText(e)
		switch {
		case e.UntypedNull, noElements(e) != "":
			continue
		case e.Printed != "":
			looks[types.DisplayUnknown-1-i] = true
		}
		looks[e.Type.Digits().Display()] = true
	}
	if len(looks) < 2 {
		return nil
	}
	return texts
}

// scaledText is PrintedText of a number or an array, and notes the digits behind the point of a number
// whose type says them.
func (b *Coercer) scaledText(e scope.Expr) string {
	text, display := PrintedText(e), e.Type.Digits().Display()
	switch {
	case e.Type.IsArray() || e.Printed != "":
	case e.UntypedNull:
		b.Scales[text] = "NULL"
	case display >= 0:
		b.Scales[text] = ScaleOrNull(e.SQL, strconv.Itoa(display))
	}
	return text
}

// ScaleOrNull is a scale, but NULL where the number is.
func ScaleOrNull(number, scale string) string {
	return "CASE WHEN " + number + " IS NOT NULL THEN " + scale + " END"
}

// ScaleOf is the SQL of the number of digits behind the point that PostgreSQL prints of a numeric or an
// integer. It is a constant where the type says it, and otherwise NULL for NULL.
func (b *Coercer) ScaleOf(e scope.Expr) string {
	if scale := e.Type.Digits().Display(); scale >= 0 && e.Printed == "" {
		return strconv.Itoa(scale)
	}
	text := PrintedText(e)
	if scale := b.Scales[text]; scale != "" {
		return scale
	}
	return enginesql.Macro("digits_behind") + "(" + text + ")"
}

// AtScale is the text of a number with so many digits behind the point.
func AtScale(number, scale string) string {
	return "ontosql_numeric_at_scale(CAST(" + number + " AS VARCHAR), " + scale + ")"
}

// PrintedParam is what is printed of a parameter of type numeric or numeric[], "" of others.
func PrintedParam(n int, ty types.Type) string {
	text := enginesql.Placeholder(enginesql.ParamText, n)
	switch {
	case ty.OID == types.Numeric:
		return text
	case IsNumeric(ty) && !ty.IsWide():
		return enginesql.Macro("array_in") + "(" + text + ")"
	}
	return ""
}

// PrintedByFunction is the call of a Go function on the texts of numerics, within the cast to
// the number of type ty that the engine computes with; "" for any other expression.
func PrintedByFunction(sql string, ty types.Type) string {
	if text, ok := strings.CutPrefix(sql, "ontosql_wide_in("); ok && strings.HasPrefix(text, "ontosql_numeric_") && ty.OID == types.WideNumeric {
		return strings.TrimSuffix(text, ")")
	}
	text, ok := strings.CutPrefix(sql, "CAST(")
	if !ok || !strings.HasPrefix(text, "ontosql_numeric_") || ty.OID != types.Numeric {
		return ""
	}
	return text[:strings.LastIndex(text, " AS DECIMAL(")]
}

// printedLiteral is what is printed of a literal that is read as a numeric or an array of
// numerics. It is "" for other types, and if no number has a zero at its end: then the
// engine's value is printed in the same way.
func (b *Coercer) printedLiteral(s string, to types.Type) string {
	if to.Typmod >= 0 || !IsNumeric(to) {
		return ""
	}
	if to.IsWide() { // read as any numeric
		return b.printedWide(s, to)
	}
	elem, isArray := to.Elem()
	if !isArray {
		text, err := input.Canonical(s, to, b.timeInput())
		if err != nil || !endsInZero(text) {
			return ""
		}
		return enginesql.Literal(text)
	}
	items, lengths, err := input.Array(s)
	if err != nil {
		return ""
	}
	texts, padded := make([]*string, len(items)), false
	for i, item := range items {
		if item == nil {
			continue
		}
		text, err := input.Canonical(*item, elem, b.timeInput())
		if err != nil {
			return ""
		}
		texts[i], padded = &text, padded || endsInZero(text)
	}
	if !padded {
		return ""
	}
	return casts.TextArrayLiteral(texts, lengths)
}

// printedWide is printedLiteral of a wide numeric.
func (b *Coercer) printedWide(s string, to types.Type) string {
	text, _ := input.NumberText(s)
	if to.IsArray() || !endsInZero(text) {
		return ""
	}
	return enginesql.Literal(text)
}

func endsInZero(number string) bool {
	return strings.Contains(number, ".") && strings.HasSuffix(number, "0")
}

// printedCast is what is printed of a text, a jsonb or an array of texts that is cast to a
// numeric or an array of numerics, "" for other types.
func printedCast(sql string, from, to types.Type) string {
	if to.Typmod >= 0 || !IsNumeric(to) {
		return ""
	}
	switch elem, isArray := from.Elem(); {
	case from.OID == types.JSONB, types.IsText(from.OID) && !to.IsArray():
		return casts.NumericText(sql, from, to)
	case types.IsText(from.OID):
		return "list_transform(" + enginesql.Macro("array_in") + "(" + sql + "), lambda item: " + casts.NumericText("item", types.Of(types.Text), to) + ")"
	case isArray && types.IsText(elem.OID) && from.ExtraDims == 0:
		return "list_transform(" + sql + ", lambda item: " + casts.NumericText("item", elem, to) + ")"
	}
	return ""
}
