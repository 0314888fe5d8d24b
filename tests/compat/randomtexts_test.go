package compat

var textGrammar = map[string][]string{
	"text": {
		"({text} || {text})", "({text} || {int})", "upper({text})", "lower({text})", "initcap({text})", "reverse({text})", "trim({text})", "btrim({text}, 'ad ')", "left({text}, 3)", "left({text}, -2)", "right({text}, 2)",
		"substr({text}, 2)", "substring({text} FROM 2 FOR 3)", "substring({text} FROM '[a-z]+')", "replace({text}, {text}, {text})", "translate({text}, 'abl', 'xy')", "lpad({text}, 8, '*')", "rpad({text}, 5, 'ab')", "repeat({text}, 2)",
		"split_part({text}, ',', 2)", "regexp_replace({text}, '[aeiou]', 'X', 'g')", "overlay({text} PLACING 'ZZ' FROM 2 FOR 1)", "md5({text})", "quote_literal({text})", "quote_ident({text})", "concat({text}, {int}, {bool})", "concat_ws('-', {text}, {num})",
		"format('%s|%I|%L', {text}, {text}, {int})", "coalesce({text}, {text})", "nullif({text}, {text})", "({int})::text", "({num})::text", "({date})::text", "({moment})::text", "({instant})::text", "({span})::text", "({bool})::text", "({json})::text",
		"to_char({moment}, 'YYYY-MM-DD HH24:MI:SS')", "to_char({moment}, 'FMDay, DD Mon YY, HH12 AM, IW Q')", "to_char({num}, 'FM999990.00')", "to_char({int}, 'S9999')", "({json} ->> 'a')", "jsonb_typeof({json})", "pg_typeof({int})::text", "encode({text}::bytea, 'hex')", "to_hex({int})",
		"CASE WHEN {bool} THEN {text} ELSE {text} END",
		"CASE WHEN {bool} THEN {text} ELSE 'no' END", "({text})::varchar(3)", "({text})::char(4)", "({float})::text", "({time})::text", "({ints})::text", "({texts})::text", "array_to_string({ints}, ',', '*')", "array_to_string({texts}, '|')", "({texts})[1]", "split_part({text}, ',', {int})",
		"substr({text}, {int}, 2)", "left({text}, {int})", "lpad({text}, 6, {text})", "ltrim({text}, {text})", "chr(65 + abs({int}) % 26)", "regexp_replace({text}, '(.)(.)', '\\2\\1')", "(regexp_match({text}, '([a-z])([a-z]*)'))[2]", "regexp_substr({text}, '[a-z]+', 1, 1, 'i')",
		"to_char({num}, '9G999D99')", "to_char({span}, 'DD HH24:MI:SS')", "to_char({instant}, 'YYYY-MM-DD HH24:MI TZH')", "to_char({int}, 'RN')", "to_char({date}, 'Day DDD WW J')", "quote_nullable({text})", "format('%5s|%-6s|', {text}, {int})", "pg_typeof({any})::text", "(ROW({int}, {text}))::text",
		"(SELECT string_agg(x, {text} ORDER BY x) FROM unnest({texts}) AS u(x))", "greatest({text}, {text})", "least({text}, 'm')", "({json} #>> '{a,0}')", "(jsonb_build_object('k', {any}))::text",
	},
	"texts": {"ARRAY[{text}, {text}]", "string_to_array({text}, ',')", "({texts} || {text})", "array_remove({texts}, {text})", "regexp_split_to_array({text}, '[, ]')", "array_replace({texts}, {text}, 'r')", "({ints})::text[]", "({texts})[1:2]"},
}

var textAtoms = map[string][]string{
	"text":  {".id", ".tier", ".tier", "'a'", "''", "'Hello World'", "'€ß'", "'12'", "' x '", "'a,b,c'", "'%l%'", "NULL::text"},
	"texts": {"ARRAY['a','b']", "'{}'::text[]", `'{"x y",NULL,b}'::text[]`, "NULL::text[]"},
}
