package compat

var arrayGrammar = map[string][]string{
	"ints": {"ARRAY[{int}, {int}]", "({ints} || {int})", "({int} || {ints})", "({ints} || {ints})", "array_append({ints}, {int})", "array_remove({ints}, {int})", "array_replace({ints}, {int}, {int})", "({ints})[1:2]", "({ints})[2:]", "ARRAY(SELECT x FROM unnest({ints}) AS u(x) ORDER BY x)", "coalesce({ints}, '{9}')", "CASE WHEN {bool} THEN {ints} ELSE '{}' END", "array_positions({ints}, {int})", "trim_array(ARRAY[1,2,3], abs({int}) % 3)", "array_cat({ints}, {ints})", "({ints})::int[]"},
}

var arrayAtoms = map[string][]string{
	"ints": {"ARRAY[1,2,3]", "'{}'::int[]", "'{4,NULL,2}'::int[]", "NULL::int[]", "ARRAY[NULL]::int[]", "ARRAY[1::bigint]"},
}

// arrayForms make rows of arrays and arrays of rows.
var arrayForms = []string{
	"SELECT id, {ints}, {texts} FROM tables ORDER BY id", "SELECT id, ARRAY[{any}] FROM tables ORDER BY id", "SELECT id, ({ints})[{int}], ({texts})[{int}:{int}] FROM tables ORDER BY id", "SELECT id, ({ints})[:{int}], array_upper({texts}, 1), array_dims({ints}) FROM tables ORDER BY id",
	"SELECT t.id, u.x, u.n FROM tables AS t, unnest({ints@t}) WITH ORDINALITY AS u(x, n) ORDER BY 1, 3", "SELECT t.id, u.* FROM tables AS t LEFT JOIN LATERAL unnest({ints@t}, {texts@t}) AS u(a, b) ON true ORDER BY 1, 2, 3",
	"SELECT id, unnest({ints}) FROM tables ORDER BY 1, 2", "SELECT id, unnest({ints}), unnest({texts}) FROM tables ORDER BY 1, 2, 3", "SELECT array_agg({text} ORDER BY id), array_agg({moment} ORDER BY id), array_agg(DISTINCT {int}) FROM tables", "SELECT ok, array_agg({int} ORDER BY {int} DESC NULLS LAST, id) FROM tables GROUP BY 1 ORDER BY 1",
	"SELECT id, ARRAY(SELECT {int@s} FROM tables AS s WHERE s.id < tables.id ORDER BY s.id) FROM tables ORDER BY id", "SELECT {ints} AS a, count(*) FROM tables GROUP BY a ORDER BY a", "SELECT DISTINCT {texts} FROM tables ORDER BY 1", "SELECT id, g FROM tables, generate_series(1, abs({int}) % 4) AS g ORDER BY 1, 2",
	"SELECT id, ROW({any}, {any}, id) FROM tables ORDER BY id", "SELECT x, (x).f1, (x).f2, x::text FROM (SELECT ROW({int}, {ints}, id) AS x FROM tables) AS q ORDER BY (x).f3", "SELECT DISTINCT ROW({int}, {moment}, tier) FROM tables ORDER BY 1 DESC", "SELECT array_agg(ROW({int}, {date}, id) ORDER BY id), ARRAY(SELECT ROW({text@s}) FROM tables AS s ORDER BY s.id) FROM tables",
	"SELECT t.id, x, x = y, x < y FROM tables AS t, LATERAL (SELECT ROW(({int@t})::bigint, {date@t}) AS x, ROW(({int@t})::bigint, {date@t}) AS y) AS q ORDER BY t.id", "SELECT ROW({int}, {bool}, tier) AS x, count(*) FROM tables GROUP BY 1 ORDER BY 1", "SELECT id, to_jsonb(ROW({any}, {int})), row_to_json(ROW({text}, {ints})) FROM tables ORDER BY id",
	"SELECT id, generate_subscripts({ints}, 1) FROM tables ORDER BY 1, 2", "SELECT id, ARRAY[{int}, {num}], ARRAY[{date}, {moment}], ARRAY[{text}, 'u'] FROM tables ORDER BY id", "SELECT t.id, q.* FROM tables AS t, LATERAL (SELECT {int@t} < ANY ({ints@s}), {text@s} >= ALL ({texts@t}), {int@t} <> ALL ({ints@s}) FROM tables AS s WHERE s.id = t.id) AS q ORDER BY t.id", "SELECT id, {texts} || 'z', {ints} || '{5}', {ints} = '{1,2,3}' FROM tables ORDER BY id", "SELECT id, ({ints} || NULL), array_to_json({texts}) FROM tables ORDER BY id",
}
