package expression

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

const notUniqueHint = "Could not choose a best candidate %s. You might need to add explicit type casts."

// ambiguousOperators have overloads for types of several categories, or several for
// untyped operands in the one that is chosen; a minus or ~ with one operand, too.
var ambiguousOperators = nameSet("+ - * / % & | # << >> -> ->> #> #>> @> <@ &&")

// ambiguousFunctions are those of which no overload is the best for untyped arguments, of
// some with so many arguments only.
var ambiguousFunctions = nameSet("sum avg array_agg unnest mod gcd lcm generate_series to_char extract date_part date_trunc/2 bit_and bit_or bit_xor trunc/1 age/1 isfinite to_hex pg_size_pretty")

// polymorphicFunctions have arguments of type anyelement or anyarray, which untyped ones do not
// decide (those of anycompatible are text then).
var polymorphicFunctions = nameSet("array_length array_upper array_lower array_ndims array_dims array_to_string array_to_json cardinality trim_array array_fill generate_subscripts " +
	"to_json to_jsonb json_agg jsonb_agg first_value last_value nth_value lag lead")

// nameSet is a set of the names in a list.
func nameSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func untyped(e scope.Expr) bool { return e.Type.OID == types.Unknown }

func allUntyped(es []scope.Expr) bool {
	return !slices.ContainsFunc(es, func(e scope.Expr) bool { return !untyped(e) })
}

// refuseAmbiguousCall is the error of a call whose untyped arguments fit several overloads.
func (b *Binder) refuseAmbiguousCall(name string, args []scope.Expr, n *pg.FuncCall) {
	if len(args) == 0 {
		return
	}
	if (ambiguousFunctions[name] || ambiguousFunctions[name+"/"+strconv.Itoa(len(args))]) && allUntyped(args) {
		schema := ""
		if name == "extract" { // which is syntax
			schema = "pg_catalog."
		}
		b.Fail(pgerr.New(pgerr.AmbiguousFunction, "function %s%s(%s) is not unique", schema, name, coercion.ArgTypes(args)).WithHint(notUniqueHint, "function"), n.Location)
	}
	if polymorphicFunctions[name] && untyped(args[0]) && !(len(args) == 3 && (name == "lag" || name == "lead")) {
		b.failPolymorphic()
	}
}

// refuseAmbiguousIntegers refuses a call of integers that overloads of wider types would take, none
// of them of their own or a preferred one.
func (b *Binder) refuseAmbiguousIntegers(name string, candidates []functions.Signature, args []scope.Expr, n *pg.FuncCall) {
	if slices.ContainsFunc(args, func(a scope.Expr) bool { return !types.IsInteger(a.Type.OID) }) || len(args) == 0 {
		return
	}
	if fit := coercion.BestOverloads(candidates, args); len(fit) > 1 {
		b.Fail(pgerr.New(pgerr.AmbiguousFunction, "function %s(%s) is not unique", name, coercion.ArgTypes(args)).WithHint(notUniqueHint, "function"), n.Location)
	}
}

// failPolymorphic is the error of a polymorphic call whose arguments have no type.
func (b *Binder) failPolymorphic() {
	b.Fail(pgerr.New(pgerr.DatatypeMismatch, "could not determine polymorphic type because input has type unknown"), -1)
}

// refuseAmbiguousOperator refuses an operator whose operands do not decide which one is meant.
func (b *Binder) refuseAmbiguousOperator(op string, args []scope.Expr, loc int32) {
	name := ""
	switch {
	case len(args) == 1 && (op == "-" || op == "~") && untyped(args[0]):
		name = op + " unknown"
	case len(args) == 2 && ambiguousOperators[op] && allUntyped(args):
		name = "unknown " + op + " unknown"
	case len(args) == 2 && op == "+" && args[0].Type.OID == types.Date && untyped(args[1]):
		name = "date + unknown"
	case len(args) == 2 && op == "+" && args[1].Type.OID == types.Date && untyped(args[0]):
		name = "unknown + date"
	default:
		return
	}
	b.Fail(pgerr.New(pgerr.AmbiguousFunction, "operator is not unique: %s", name).WithHint(notUniqueHint, "operator"), loc)
}

// sameArrayTypes reports whether the arrays that an operator of the polymorphic type anyarray has
// are of one type; PostgreSQL converts none of them.
func sameArrayTypes(args []scope.Expr) bool {
	for _, a := range args {
		if !untyped(a) && a.Type.IsArray() && args[0].Type.IsArray() && a.Type.OID != args[0].Type.OID {
			return false
		}
	}
	return true
}
