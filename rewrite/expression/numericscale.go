package expression

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// copyElements are the functions and operators that copy elements to their result without
// comparing them.
var copyElements = nameSet("array_append array_prepend array_cat || trim_array array_fill")

// printedArray is what is printed of the result of an array function or of ||, "" if its
// type says it. args are the arguments before they are brought to the types of s, out
// afterwards.
func (b *Binder) printedArray(name string, s *functions.Signature, args, out []scope.Expr, result types.Type) string {
	if !result.IsArray() || !coercion.IsNumeric(result) {
		return ""
	}
	var places []int
	var numbers []scope.Expr
	for i, to := range s.Args {
		if to != types.AnyArray && to != types.AnyElement || name == "array_remove" && i > 0 || name == "array_replace" && i == 1 {
			continue
		}
		e := args[i]
		if e.Type.OID == types.Unknown {
			e = out[i]
		}
		places, numbers = append(places, i), append(numbers, e)
	}
	texts := b.PrintedBranches(numbers)
	switch {
	case texts == nil:
	case copyElements[name]:
		printed := slices.Clone(out)
		for i, place := range places {
			printed[place].SQL = texts[i]
		}
		return CallText(s, printed)
	case name == "array_remove":
		return "list_transform([" + fields("l", out[0].SQL, "t", texts[0], "v", out[1].SQL) +
			"], lambda given: list_filter(given['t'], lambda each, place: given['l'][place] IS DISTINCT FROM given['v']))[1]"
	case name == "array_replace":
		return "list_transform([" + fields("l", out[0].SQL, "t", texts[0], "v", out[1].SQL, "other", texts[1]) +
			"], lambda given: list_transform(given['t'], lambda each, place: CASE WHEN given['l'][place] IS NOT DISTINCT FROM given['v'] THEN given['other'] ELSE each END))[1]"
	}
	return ""
}

// printedSeries is the list of the texts of generate_series of numerics: the first number is
// printed with the digits of the start, the others with those of its sum with the step. It
// is "" if they depend on values, and if all arguments are printed alike.
func (b *Binder) printedSeries(args []scope.Expr, series scope.Expr) string {
	if series.Type.IsWide() {
		return b.printedWideSeries(args, series.List)
	}
	if series.Type.OID != types.Numeric {
		return ""
	}
	start, step := args[0].Type.Digits().Display(), 0
	if len(args) > 2 {
		step = args[2].Type.Digits().Display()
	}
	if start < 0 || step < 0 || slices.ContainsFunc(args, func(a scope.Expr) bool { return a.Printed != "" }) {
		return ""
	}
	if start >= step && args[1].Type.Digits().Display() == start {
		return ""
	}
	text := func(scale int) string { return "CAST(CAST(each AS " + types.EngineDecimal(scale) + ") AS VARCHAR)" }
	return "list_transform(" + series.List + ", lambda each, place: CASE WHEN place = 1 THEN " + text(start) + " ELSE " + text(max(start, step)) + " END)"
}

// printedWideSeries is printedSeries of wide numerics.
func (b *Binder) printedWideSeries(args []scope.Expr, list string) string {
	start, others := b.ScaleOf(args[0]), b.ScaleOf(args[0])
	if len(args) > 2 {
		others = "greatest(" + start + ", " + b.ScaleOf(args[2]) + ")"
	}
	return "list_transform(" + list + ", lambda each, place: ontosql_wide_out(each, CAST(CASE WHEN place = 1 THEN " + start + " ELSE " + others + " END AS BIGINT)))"
}

// windowValues are the window functions that return a value of another row.
var windowValues = nameSet("lag lead first_value last_value nth_value")

// printWindowValues notes what is printed of the value and of the default of lag and lead,
// before both are brought to one type (out).
func (b *Binder) printWindowValues(name string, args, out []scope.Expr) {
	if !windowValues[name] || len(out) < 3 || !coercion.IsNumeric(out[0].Type) {
		return
	}
	values := []scope.Expr{args[0], args[2]}
	for i, e := range values {
		if e.Type.OID == types.Unknown {
			values[i] = out[2*i]
		}
	}
	if texts := b.PrintedBranches(values); texts != nil {
		out[0].Printed, out[2].Printed = texts[0], texts[1]
	}
}

// printedAggregate prints the call of an aggregate or window function that returns a numeric
// or numerics of its rows, for their texts. It is "" if the type of the result says them.
// suffix is what follows the arguments.
func (b *Binder) printedAggregate(s functions.Signature, args []scope.Expr, order, suffix string) string {
	if len(args) == 0 || !coercion.IsNumeric(args[0].Type) {
		return ""
	}
	switch {
	case (s.Name == "min" || s.Name == "max") && args[0].Printed != "" && !coercion.IsMultiDim(args[0]):
		return "arg_" + s.Name + "(" + args[0].Printed + ", " + args[0].SQL + ")" + suffix
	case s.Name == "array_agg" && args[0].Printed != "":
		call := "list(" + args[0].Printed + order + ")" + suffix
		if s.Wrap != "" {
			call = strings.ReplaceAll(s.Wrap, "{agg}", call)
		}
		return call
	case s.Name == "sum" && args[0].Printed != "":
		scale := "max(" + b.ScaleOf(args[0]) + ")" + suffix
		number := CallText(&s, args) + suffix
		if args[0].Type.IsWide() {
			number = casts.ToText(strings.ReplaceAll(s.Wrap, "{agg}", number), types.Of(types.WideNumeric))
		}
		text := coercion.AtScale(number, scale)
		b.Scales[text] = scale
		return text
	case windowValues[s.Name] && args[0].Printed != "":
		printed := slices.Clone(args)
		printed[0].SQL = args[0].Printed
		if len(args) > 2 {
			printed[2].SQL = coercion.PrintedText(args[2])
		}
		return CallText(&s, printed) + suffix
	}
	return ""
}

// printedSubquery is the query of what is printed of the first column of q, "" if the type of
// the column says it.
func (b *Binder) printedSubquery(q Query) string {
	if !slices.Contains(q.TextColumns(), 0) {
		return ""
	}
	q.ExposeTexts([]int{0})
	text := q.Columns()[0].TextColumn
	sql := "SELECT " + enginesql.Quote(text) + " FROM (" + q.SQL() + ") AS " + enginesql.Quote(b.UniqueAlias("printed"))
	q.ExposeTexts(nil)
	return sql
}

// scalesOf are the scales that are noted of texts of numerics, nil if one is missing.
func (b *Binder) scalesOf(texts []string) []string {
	scales := make([]string, len(texts))
	for i, text := range texts {
		if scales[i] = b.Scales[text]; scales[i] == "" {
			return nil
		}
	}
	return scales
}

// longestPrinted bounds the texts of operands of which printedResult makes another one.
const longestPrinted = 2000

// printedResult is what is printed of a sum, difference, product, remainder, negation or absolute
// value of numerics of which one depends on more than its value: the scale of a product is the sum of
// the scales of its factors, that of the others the greatest one (numeric.c). It is "" for
// other results.
func (b *Binder) printedResult(name string, args []scope.Expr, result scope.Expr) string {
	exact := map[string]bool{"+": true, "-": true, "*": true, "%": true, "mod": true, "abs": true, "@": true}[name]
	if !exact || result.ReturnsSet || !coercion.IsNumeric(result.Type) || !result.Type.Digits().Known() {
		return ""
	}
	scales, length, depends := make([]string, len(args)), 0, false
	for i, a := range args {
		scales[i] = b.ScaleOf(a)
		if a.Printed != "" || a.Type.Digits().Display() < 0 {
			length += max(len(scales[i]), len(coercion.PrintedText(a)))
		}
		depends = depends || a.Printed != ""
	}
	if !depends || length > longestPrinted {
		return ""
	}
	scale := "greatest(" + strings.Join(scales, ", ") + ")"
	if name == "*" {
		scale = strings.Join(scales, " + ")
	}
	number := result.SQL
	if result.Type.IsWide() {
		number = result.Text()
	}
	text := coercion.AtScale(number, scale)
	b.Scales[text] = coercion.ScaleOrNull(result.SQL, scale)
	return text
}
