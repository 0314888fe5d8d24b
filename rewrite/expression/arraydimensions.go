package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// shape is the list of the lengths of an array of dim dimensions beyond the first.
func shape(sql string, dim int) string {
	var lengths []string
	for i := range dim + 1 {
		lengths = append(lengths, "coalesce(len("+sql+strings.Repeat("[1]", i)+"), 0)")
	}
	return "[" + strings.Join(lengths, ", ") + "]"
}

// fields is a struct of named values. A macro is no field by itself.
func fields(named ...string) string {
	var parts []string
	for pair := range slices.Chunk(named, 2) {
		parts = append(parts, "'"+pair[0]+"': ["+pair[1]+"][1]")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// lengthIn is the length of the array {1} of a type in the dimension {2}, NULL for one
// that it has not.
func lengthIn(ty types.Type) string {
	var cases strings.Builder
	for i := range ty.ExtraDims + 1 {
		fmt.Fprintf(&cases, " WHEN %d THEN len({1}%s)", i+1, strings.Repeat("[1]", i))
	}
	return "CASE {2}" + cases.String() + " END"
}

// stacked is a list of arrays of a type as an array of one dimension more. If all are
// empty or NULL so is the array.
func stacked(list string, ty types.Type) string {
	return "list_transform([" + list + "], lambda made: CASE WHEN len(list_filter(made, lambda one: len(one) > 0)) = 0 THEN []" +
		" WHEN len(list_distinct(list_transform(made, lambda one: " + shape("one", ty.ExtraDims) + "))) > 1 THEN error('[2202E] multidimensional arrays must have array expressions with matching dimensions') ELSE made END)[1]"
}

// accumulated is what array_agg and ARRAY(SELECT) make of arrays of a type.
func accumulated(list string, ty types.Type) string {
	return "list_transform([" + list + "], lambda made: CASE WHEN made IS NULL THEN NULL" +
		" WHEN len(list_filter(made, lambda one: one IS NULL)) > 0 THEN error('[22004] cannot accumulate null arrays')" +
		" WHEN len(made[1]) = 0 THEN error('[2202E] cannot accumulate empty arrays')" +
		" WHEN len(list_distinct(list_transform(made, lambda one: " + shape("one", ty.ExtraDims) + "))) > 1 THEN error('[2202E] cannot accumulate arrays of different dimensionality') ELSE made END)[1]"
}

// concatenateArrays is one array behind another (array_cat): both have as many dimensions, or
// one of them is an element of the other.
func (b *Binder) concatenateArrays(args []scope.Expr, loc int32) scope.Expr {
	elems := make([]scope.Expr, 2)
	for i, a := range args {
		if a.Type.OID == types.Unknown {
			a = b.Coerce(a, types.Of(args[1-i].Type.OID), types.ImplicitCast)
			args[i] = a
		}
		e, ok := a.Type.Elem()
		if !ok {
			b.noOperator("||", args, loc)
		}
		elems[i] = scope.Expr{Type: e, Location: a.Location}
	}
	texts := b.PrintedBranches(args)
	to := b.CommonType(elems, "array_cat")
	left, right := b.itemsAs(args[0], to), b.itemsAs(args[1], to)
	low, high := left.Type, right.Type
	if low.ExtraDims > high.ExtraDims {
		low, high = high, low
	}
	item, _ := high.Item()
	if high.ExtraDims-low.ExtraDims > 1 {
		b.Unsupported(loc, input.UnknownDimensions)
	}
	as := func(name string, ty types.Type) string {
		if ty.ExtraDims < high.ExtraDims {
			return "[pair['" + name + "']]"
		}
		return "pair['" + name + "']"
	}
	l, r := as("l", left.Type), as("r", right.Type)
	empty, differing := "", "dimensions"
	if left.Type.ExtraDims == right.Type.ExtraDims {
		differing = "element dimensions"
	}
	switch { // PostgreSQL's is then of fewer dimensions
	case left.Type.ExtraDims < right.Type.ExtraDims:
		empty = " WHEN coalesce(len(pair['r']), 0) = 0 THEN error('[0A000] " + input.UnknownDimensions + "')"
	case left.Type.ExtraDims > right.Type.ExtraDims:
		empty = " WHEN coalesce(len(pair['l']), 0) = 0 THEN error('[0A000] " + input.UnknownDimensions + "')"
	}
	sql := "list_transform([" + fields("l", left.SQL, "r", right.SQL) + "], lambda pair: CASE" +
		" WHEN pair['l'] IS NULL AND pair['r'] IS NULL THEN NULL" + empty +
		" WHEN pair['l'] IS NULL THEN " + r +
		" WHEN coalesce(len(pair['r']), 0) = 0 THEN " + l +
		" WHEN len(pair['l']) = 0 THEN " + r +
		" WHEN " + shape(l+"[1]", item.ExtraDims) + " <> " + shape(r+"[1]", item.ExtraDims) + " THEN error('[2202E] cannot concatenate incompatible arrays' || chr(31) || 'Arrays with differing " + differing + " are not compatible for concatenation.') ELSE list_concat(" + l + ", " + r + ") END)[1]"
	e := scope.Expr{SQL: sql, Type: high, HasAggs: coercion.AnyHasAggs(args), Location: loc}
	if texts != nil && coercion.IsNumeric(high) {
		printed := make([]scope.Expr, len(args))
		for i, a := range args {
			printed[i] = scope.Expr{SQL: texts[i], Type: types.TextArray(a.Type.ExtraDims)}
		}
		e.Printed = b.concatenateArrays(printed, loc).SQL
	}
	return e
}

// itemsAs is an array with elements of a type.
func (b *Binder) itemsAs(e scope.Expr, elem types.Type) scope.Expr {
	to := types.ArrayOf(elem)
	to.ExtraDims = e.Type.ExtraDims
	return b.Coerce(e, to, types.ImplicitCast)
}

// shapeless are the functions that take arrays of any number of dimensions.
var shapeless = nameSet("count num_nulls num_nonnulls concat concat_ws format array_agg array_length array_upper array_lower array_ndims array_dims" +
	" generate_subscripts trim_array to_json to_jsonb array_to_json json_agg jsonb_agg json_build_array jsonb_build_array" +
	" json_build_object jsonb_build_object json_object_agg jsonb_object_agg min max lag lead first_value last_value nth_value")

// flattened are the functions that see the elements of an array only.
var flattened = nameSet("array_to_string unnest cardinality")

// searched are the functions that PostgreSQL refuses arrays of several dimensions.
var searched = map[string]string{
	"array_position": "searching for elements in multidimensional arrays is not supported", "array_positions": "searching for elements in multidimensional arrays is not supported",
	"array_remove": "removing elements from multidimensional arrays is not supported",
}

// multiDimCall makes of the arguments of a call, of which one has several dimensions, those
// that its signatures know; ok is true where the call is answered by itself.
func (b *Binder) multiDimCall(name string, args []scope.Expr, loc int32) (e scope.Expr, ok bool) {
	switch {
	case name == "array_cat" && len(args) == 2:
		return b.concatenateArrays(args, loc), true
	case searched[name] != "":
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "%s", searched[name]), -1)
	case name == "array_append", name == "array_prepend":
		b.Fail(pgerr.New(pgerr.DataException, "argument must be empty or one-dimensional array"), -1)
	case name == "array_replace" && len(args) == 3 && coercion.IsMultiDim(args[0]) && !coercion.IsMultiDim(args[1]) && !coercion.IsMultiDim(args[2]):
		return b.replacedWithin(args), true
	case flattened[name]:
		args[0] = coercion.Flatten(args[0])
	case !shapeless[name]:
		b.Unsupported(loc, "function %s of arrays of several dimensions is not supported", name)
	}
	return e, false
}

// replacedWithin is array_replace.
func (b *Binder) replacedWithin(args []scope.Expr) scope.Expr {
	elem, _ := args[0].Type.Elem()
	to := b.CommonType([]scope.Expr{{Type: elem, Location: args[0].Location}, args[1], args[2]}, "array_replace")
	texts := b.PrintedBranches([]scope.Expr{args[0], args[2]})
	list := b.itemsAs(args[0], to)
	given := []string{"l", list.SQL, "v", b.Coerce(args[1], to, types.ImplicitCast).SQL, "other", b.Coerce(args[2], to, types.ImplicitCast).SQL}
	// The rows of all dimensions but the last are changed by a list_transform each.
	within := func(list, change string) string {
		sql := change
		for i := args[0].Type.ExtraDims; i > 0; i-- {
			of := list
			if i > 1 {
				of = "row" + strconv.Itoa(i-1)
			}
			sql = "list_transform(" + of + ", lambda row" + strconv.Itoa(i) + ", place" + strconv.Itoa(i) + ": " + sql + ")"
		}
		return sql
	}
	row := "row" + strconv.Itoa(list.Type.ExtraDims)
	sql := within("given['l']", enginesql.Macro("array_replace")+"("+row+", given['v'], given['other'])")
	out := scope.Expr{SQL: "list_transform([" + fields(given...) + "], lambda given: " + sql + ")[1]", Type: list.Type, HasAggs: coercion.AnyHasAggs(args), Location: args[0].Location}
	if texts != nil && coercion.IsNumeric(list.Type) {
		value := "given['l']"
		for i := range list.Type.ExtraDims {
			value += "[place" + strconv.Itoa(i+1) + "]"
		}
		change := "list_transform(" + row + ", lambda each, place: CASE WHEN " + value + "[place] IS NOT DISTINCT FROM given['v'] THEN given['text'] ELSE each END)"
		given = append(given, "t", texts[0], "text", texts[1])
		out.Printed = "list_transform([" + fields(given...) + "], lambda given: " + within("given['t']", change) + ")[1]"
	}
	return out
}

// arrayFill is array_fill where the dimensions are counted by its second argument.
func (b *Binder) arrayFill(n *pg.FuncCall, args []scope.Expr) (e scope.Expr, ok bool) {
	if len(args) != 2 || args[0].Type.OID == types.Unknown {
		return e, false
	}
	written := n.Args[1]
	if cast := written.GetTypeCast(); cast != nil {
		written = cast.Arg
	}
	dims := len(written.GetAArrayExpr().GetElements())
	if text := written.GetAConst().GetSval(); text != nil {
		if items, _, err := input.Array(text.Sval); err == nil {
			dims = len(items)
		}
	}
	if dims < 2 || coercion.IsMultiDim(args[1]) {
		return e, false
	}
	out := scope.Expr{Type: types.ArrayOf(args[0].Type), HasAggs: coercion.AnyHasAggs(args), Location: n.Location}
	for range dims - 1 {
		out.Type = b.ArrayOf(out.Type, n.Location)
	}
	given := b.Coerce(args[1], types.ArrayOf(types.Of(types.Int4)), types.ImplicitCast)
	sql := "given['v']"
	for i := dims; i > 0; i-- {
		length := "given['d'][" + strconv.Itoa(i) + "]"
		if i == dims { // of all elements, before there is any
			length = enginesql.Macro("bounded") + "('array_fill', CAST(least(abs(list_product(given['d'])), 1e15) AS BIGINT) * 8, " + length + ")"
		}
		sql = enginesql.Macro("array_fill") + "(" + sql + ", [" + length + "])"
	}
	filled := func(value string) string {
		return "list_transform([" + fields("v", value, "d", given.SQL) + "], lambda given: CASE WHEN list_contains(given['d'], 0) THEN [] ELSE " + sql + " END)[1]"
	}
	out.SQL = filled(args[0].SQL)
	if args[0].Printed != "" && coercion.IsNumeric(out.Type) {
		out.Printed = filled(args[0].Printed)
	}
	return out, true
}

// multiDimOperator applies an operator of which an operand has several dimensions.
func (b *Binder) multiDimOperator(op string, args []scope.Expr, loc int32) (e scope.Expr, ok bool) {
	switch {
	case op == "||" && !slices.ContainsFunc(args, func(a scope.Expr) bool { return !a.Type.IsArray() && a.Type.OID != types.Unknown }):
		return b.concatenateArrays(args, loc), true
	case slices.Contains([]string{"@>", "<@", "&&"}, op):
		for i, a := range args {
			args[i] = coercion.Flatten(a)
		}
	case op == "||":
		b.Fail(pgerr.New(pgerr.DataException, "argument must be empty or one-dimensional array"), -1)
	}
	return e, false
}

// multiDimSortKey is what arrays are compared by (array_cmp of PostgreSQL): their elements, how many
// dimensions they have, and their lengths.
func (b *Binder) multiDimSortKey(e scope.Expr) string {
	return enginesql.EvaluateOnceIfLong(e.SQL, func(x string) string {
		elems := coercion.Flatten(scope.Expr{SQL: x, Type: e.Type})
		return "CASE WHEN " + x + " IS NOT NULL THEN struct_pack(elements := " + b.ComparisonOperand(elems, elems.Type).SQL +
			", dimensions := CASE WHEN len(" + x + ") > 0 THEN " + strconv.Itoa(e.Type.ExtraDims+1) + " ELSE 0 END, lengths := " + shape(x, e.Type.ExtraDims) + ") END"
	})
}

// shaped brings two arrays of which one at least has several dimensions to what they are
// compared by; false for others.
func (b *Binder) shaped(op string, left, right scope.Expr, loc int32) (l, r scope.Expr, ok bool) {
	if left.Type.OID == types.Unknown {
		left = b.Coerce(left, types.Of(right.Type.OID), types.ImplicitCast)
	}
	if right.Type.OID == types.Unknown {
		right = b.Coerce(right, types.Of(left.Type.OID), types.ImplicitCast)
	}
	if !coercion.IsMultiDim(left) && !coercion.IsMultiDim(right) || !left.Type.IsArray() || !right.Type.IsArray() {
		return left, right, false
	}
	if left.Type.OID != right.Type.OID {
		b.noOperator(op, []scope.Expr{left, right}, loc)
	}
	left.SQL, right.SQL = b.multiDimSortKey(left), b.multiDimSortKey(right)
	return left, right, true
}

// subscripted is an element or a slice of an array of several dimensions. An element has
// as many subscripts as the array has dimensions; where one is a slice, all are, and a
// single number means a slice up to it.
func (b *Binder) subscripted(e scope.Expr, list []*pg.Node, place func(*pg.Node) string) scope.Expr {
	elem, _ := e.Type.Elem()
	slice := slices.ContainsFunc(list, func(n *pg.Node) bool { return n.GetAIndices().IsSlice })
	out := scope.Expr{Type: elem, Location: e.Location, HasAggs: e.HasAggs}
	if !slice {
		if out.SQL = e.SQL; len(list) != e.Type.ExtraDims+1 {
			out.SQL = "CAST(NULL AS " + elem.EngineType() + ")"
			list = nil
		}
		for _, n := range list {
			out.SQL = "list_extract(" + out.SQL + ", " + place(n.GetAIndices().Uidx) + ")"
		}
		return out
	}
	out.Type = e.Type
	// The subscripts are computed outside of the lambdas, which cannot read the query.
	given := []string{"l", e.SQL}
	var some []string
	bound := func(n *pg.Node) string {
		if n == nil {
			return ""
		}
		name := "b" + strconv.Itoa(len(some)+1)
		given, some = append(given, name, place(n)), append(some, "given['"+name+"'] IS NULL")
		return "given['" + name + "']"
	}
	bounds := make([]string, len(list))
	for i, n := range list {
		x := n.GetAIndices()
		if x.IsSlice {
			bounds[i] = bound(x.Lidx)
		} else {
			bounds[i] = "1"
		}
		bounds[i] += ":" + bound(x.Uidx)
	}
	cut := ""
	if len(bounds) > e.Type.ExtraDims+1 {
		bounds, cut = nil, "list_filter(given['l'], lambda each: FALSE)"
	}
	for i := len(bounds) - 1; i >= 0; i-- {
		of := "given['l']"
		if i > 0 {
			of = "row" + strconv.Itoa(i)
		}
		part := of + "[" + bounds[i] + "]"
		if cut != "" {
			part = "list_transform(" + part + ", lambda row" + strconv.Itoa(i+1) + ": " + cut + ")"
		}
		cut = part
	}
	null := ""
	if len(some) > 0 {
		null = "WHEN " + strings.Join(some, " OR ") + " THEN NULL "
	}
	out.SQL = "list_transform([" + fields(given...) + "], lambda given: CASE " + null +
		"WHEN len(" + coercion.Flatten(scope.Expr{SQL: cut, Type: e.Type}).SQL + ") = 0 THEN [] ELSE " + cut + " END)[1]"
	return out
}
