package compat

import "maps"

// grammar is how an expression of a kind is made of others.
// What the two sides are known to compute otherwise (differences.txt) is left out: chains
// of numerics, noise of floats, and what PostgreSQL does not compute where it need not.
var grammar = grammars(numberGrammar, textGrammar, timeGrammar, arrayGrammar, documentGrammar, windowGrammar)

// atoms are the expressions without parts; one that begins with a point is a column.
var atoms = grammars(numberAtoms, textAtoms, timeAtoms, arrayAtoms, documentAtoms, windowAtoms, castAtoms)

// kinds are the kinds that {any} chooses from.
var kinds = []string{"int", "num", "text", "bool", "date", "moment", "instant", "span", "json", "float", "time", "ints", "texts"}

func grammars(all ...map[string][]string) map[string][]string {
	out := map[string][]string{}
	for _, g := range all {
		maps.Copy(out, g)
	}
	return out
}

var numberGrammar = map[string][]string{
	"int": {
		"({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} / {int})", "({int} % {int})", "({int} & {int})", "({int} | {int})", "({int} # {int})",
		"abs({int})", "sign({int})::int", "gcd({int}, {int})", "greatest({int}, {int})", "least({int}, {int})", "coalesce({int}, {int})", "nullif({int}, {int})",
		"length({text})", "octet_length({text})", "strpos({text}, {text})", "ascii({text})", "cardinality(string_to_array({text}, ','))",
		"({date} - {date})", "extract(year FROM {date})::int", "extract(isodow FROM {moment})::int", "date_part('doy', {date})::int", "extract(epoch FROM {span})::bigint",
		"({num})::int", "({bool})::int", "CASE WHEN {bool} THEN {int} ELSE {int} END", "CASE {int} WHEN 1 THEN {int} WHEN {int} THEN 2 END", "width_bucket({num}, 0, 10, 5)",
		"CASE WHEN {bool} THEN '7' ELSE {int} END", "coalesce({int}, '3')", "({int})::smallint", "(-{int})", "(~{int})", "mod({int}, {int})", "div({int}, {int})::int", "num_nulls({any}, {any})",
		"array_length({ints}, 1)", "array_position({ints}, {int})", "({ints})[{int}]", "(SELECT count(*) FROM unnest({texts}))", "(SELECT sum(x) FROM unnest({ints}) AS u(x))::int",
		"jsonb_array_length(to_jsonb({ints}))", "({float})::int", "bit_length({text})", "regexp_count({text}, '[a-m]')", "regexp_instr({text}, '[l-z]')",
	},
	"num":   {"({num} + {num})", "({num} - {num})", "-{num}", "abs({num})", "round({num}, 1)", "trunc({num})", "ceil({num})", "floor({num})", "({int})::numeric", "({num})::numeric(20,3)", "round({num}, -1)", "CASE WHEN {bool} THEN {num} END", "({text})::numeric", "({float})::numeric(30,2)"},
	"float": {"({float} + {float})", "({float} * {float})", "(-{float})", "abs({float})", "({int})::float8", "floor({float})", "trunc({float})", "({num})::float8", "round({float})", "greatest({float}, {int})", "coalesce({float}, {num})", "CASE WHEN {bool} THEN {float} ELSE {int} END", "({float})::real::float8", "sqrt(abs({float}))", "sign({float})"},
	"bool": {
		"({int} < {int})", "({int} <> {int})", "({text} < {text})", "({text} = {text})", "({num} >= {num})", "({date} < {moment})", "({instant} > {date})", "({span} < {span})", "({json} = {json})", "({json} @> {json})", "({json} ? 'a')",
		"({bool} AND {bool})", "({bool} OR {bool})", "(NOT {bool})", "({bool} IS NOT TRUE)", "({text} IS NULL)", "({int} IS DISTINCT FROM {int})", "({int} IN ({int}, {int}))", "({int} BETWEEN {int} AND {int})", "({int} = ANY (ARRAY[{int}, {int}]))",
		"({text} LIKE {text})", "({text} ILIKE '%l%')", "({text} ~ '^[a-m]')", "({text} SIMILAR TO '(a|H)%')", "starts_with({text}, {text})", "(({date}, {date}) OVERLAPS ({date}, {date}))",
		"({float} < {num})", "({float} = {int})", "({int} = {num})", "({int} BETWEEN SYMMETRIC {int} AND {num})", "(({int}, {text}) < ({int}, {text}))", "(({int}, {date}) = ({num}, {moment}))", "(ROW({int}, {text}) IS NULL)", "(ROW({int}, {text}) IS DISTINCT FROM ROW({int}, {text}))",
		"({ints} && {ints})", "({ints} @> {ints})", "({ints} = {ints})", "({texts} < {texts})", "({int} = ANY ({ints}))", "({int} > ALL ({ints}))", "({text} = ANY ({texts}))", "({text} NOT IN ({text}, {text}))", "({text} LIKE ANY ({texts}))",
		"({time} < {time})", "(({int})::text = {text})", "({bool} = {bool})", "({bool} IS UNKNOWN)", "({date} = '2024-01-31')", "({int} IN ('1', '2', {int}))", "({text} ~* {text})", "jsonb_path_exists({json}, '$.b[*] ? (@ >= 1)')", "({json} @? '$.a')",
	},
}

var numberAtoms = map[string][]string{
	"int":   {".i", ".b", ".b", "0", "1", "-1", "2", "7", "100", "2147483647", "NULL::int"},
	"num":   {".n", ".n", "0.5", "1.50", "-2.25", "100.001", "0.0"},
	"float": {"0.5::float8", "'1e10'::float8", "-2.25::float8", "'NaN'::float8", "'Infinity'::float8", "3::real", "NULL::float8"},
	"bool":  {".ok", ".ok", "true", "false", "NULL::boolean"},
}
