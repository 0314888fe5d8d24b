package compat

var documentGrammar = map[string][]string{
	"json": {
		"({json} -> 'a')", "({json} -> 0)", "({json} || {json})", "({json} - 'a')", "({json} #> '{b,0}')", "to_jsonb({int})", "to_jsonb({text} || '')", "to_jsonb({bool})", "to_jsonb({date})", "to_jsonb({num})", "jsonb_build_object('k', {int}, 'l', {text} || '')", "jsonb_build_array({int}, {num}, {bool})", "jsonb_strip_nulls({json})",
		"jsonb_path_query_array({json}, '$.*')", "to_jsonb({ints})", "to_jsonb({texts})", "to_jsonb({instant})", "to_jsonb({span})", "jsonb_set({json}, '{a}', {json})", "jsonb_insert({json}, '{b,0}', {json})", "({json} - 0)", "({json} #- '{b,0}')", "({json} - {texts})", "coalesce({json}, '[]')", "jsonb_build_object('x', {any})",
		"jsonb_path_query_first({json}, '$.b[*] ? (@ > 0)')", "jsonb_path_query_array({json}, '$.** ? (@.type() == \"number\")')", "jsonb_path_query_array({json}, 'lax $.a + 1')", "jsonb_object({texts}, {texts})", "({json} -> {int})", "({json} -> {text})", "(SELECT jsonb_agg(x ORDER BY x) FROM unnest({ints}) AS u(x))", "jsonb_path_query_array({json}, '$.keyvalue().key', '{}', true)",
	},
}

var documentAtoms = map[string][]string{
	"json": {".j", ".j", `'{"a":2,"b":[1]}'::jsonb`, `'[1,"x",null]'::jsonb`, "'null'::jsonb", "'3'::jsonb", `'{"a":{"a":[1.5,"t"]},"b":[]}'::jsonb`, "NULL::jsonb"},
}

// documentForms take documents apart.
var documentForms = []string{
	"SELECT id, {json} FROM tables ORDER BY id", "SELECT id, {json}::text, {bool} FROM tables WHERE {json} IS NOT NULL ORDER BY id", "SELECT id, ({json} -> 'a')::int, ({json})::text FROM tables ORDER BY id", "SELECT id, {json} ->> {int}, {json} ->> {text} FROM tables ORDER BY id",
	"SELECT t.id, e.key, e.value FROM tables AS t, jsonb_each({json@t} || '{}') AS e ORDER BY 1, 2", "SELECT id, k FROM tables, jsonb_object_keys(j || {json}) AS k ORDER BY 1, 2", "SELECT t.id, e.* FROM tables AS t CROSS JOIN LATERAL jsonb_array_elements(jsonb_build_array({json@t}, {any@t})) WITH ORDINALITY AS e ORDER BY 1, 3",
	"SELECT t.id, e.* FROM tables AS t CROSS JOIN LATERAL jsonb_array_elements_text(jsonb_build_array({json@t}, {any@t})) WITH ORDINALITY AS e ORDER BY 1, 3", "SELECT id, p FROM tables, jsonb_path_query(j, '$.*') AS p ORDER BY 1, p::text",
	"SELECT x.*, pg_typeof(x.a) FROM jsonb_to_recordset('[{\"a\":1,\"b\":\"x\"},{\"a\":null}]') AS x(a int, b text) ORDER BY 1", "SELECT t.id, x.a, x.k FROM tables AS t, jsonb_to_record(jsonb_build_object('a', {int@t}, 'k', {text@t})) AS x(a numeric, k varchar(2)) ORDER BY 1",
	"SELECT jsonb_agg({any} ORDER BY id), jsonb_object_agg(id, {any}) FROM tables", "SELECT ok, json_agg({any} ORDER BY id) FROM tables GROUP BY ok ORDER BY ok", "SELECT row_to_json(t) FROM (SELECT id, {any} AS a, {any} AS b FROM tables) AS t ORDER BY t.id", "SELECT to_json({any}), json_build_object('a', {any}, 'b', {any}), json_build_array({any}) FROM tables ORDER BY id",
	"SELECT {json} AS g, count(*) FROM tables GROUP BY 1 ORDER BY 1", "SELECT DISTINCT {json} FROM tables ORDER BY 1 DESC NULLS LAST", "SELECT id, j[({int})::int], (j)['tags'][0], ({json})['a'] FROM tables ORDER BY id",
}
