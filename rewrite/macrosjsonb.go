package rewrite

// jsonbMacros change documents as PostgreSQL's functions of jsonb do (jsonfuncs.c):
// the engine has none that do. A document is a text here; NULL is none. Elements
// of objects and arrays are lists; json_get and its like go down, and what is
// changed below is put back on the way up.
//
// Each macro may call those before it. They mention an argument once, or bind it
// by a list of one: what is mentioned twice is computed twice.
var jsonbMacros = []string{
	`json_stored(j) AS CASE WHEN json_type(j) <> 'NULL' THEN j END`,
	// A document that the engine may go into by recursion. A level has two bytes at least.
	`json_shallow(j) AS CASE WHEN strlen(CAST(j AS VARCHAR)) > 10000 AND ontosql_json_shallow(CAST(j AS VARCHAR)) = 0 THEN error('[54001] json value is nested too deep') ELSE j END`,
	`json_contains(j, k) AS ontosql_json_contains(CAST(j AS VARCHAR), CAST(k AS VARCHAR)) <> 0`,
	// Elements: of an object {key, value}, of an array and of a scalar the value.
	`json_pairs(d) AS list_transform(map_entries(CAST(CAST(d AS JSON) AS MAP(VARCHAR, JSON))), lambda e1: {'key': e1.key, 'value': coalesce(CAST(e1.value AS VARCHAR), 'null')})`,
	`json_items(d) AS list_transform(CAST(CAST(d AS JSON) AS JSON[]), lambda e2: coalesce(CAST(e2 AS VARCHAR), 'null'))`,
	`json_of_pairs(l) AS '{' || coalesce(array_to_string(list_transform(l, lambda e3: CAST(to_json(e3.key) AS VARCHAR) || ':' || e3.value), ','), '') || '}'`,
	`json_of_items(l) AS '[' || coalesce(array_to_string(l, ','), '') || ']'`,
	`json_listed(d) AS CASE WHEN json_type(d) = 'ARRAY' THEN @json_items(d) ELSE [CAST(d AS VARCHAR)] END`,
	`json_scalar(d) AS json_type(d) NOT IN ('OBJECT', 'ARRAY')`,
	`json_empty(d) AS CAST(d AS VARCHAR) IN ('{}', '[]') OR json_array_length(d) = 0 AND json_type(d) = 'ARRAY' OR len(json_keys(d)) = 0 AND json_type(d) = 'OBJECT'`,

	// a || b
	`json_merged(a, b) AS @json_of_pairs(list_concat(list_filter(@json_pairs(a), lambda e4: NOT list_contains(json_keys(b), e4.key)), @json_pairs(b)))`,
	`json_joined(a, b) AS CASE WHEN json_type(a) = 'OBJECT' AND json_type(b) = 'OBJECT' THEN @json_merged(a, b) ELSE @json_of_items(list_concat(@json_listed(a), @json_listed(b))) END`,
	`json_concat(a, b) AS CAST(list_transform([{'a': CAST(a AS VARCHAR), 'b': CAST(b AS VARCHAR)}], lambda x5: CASE WHEN x5.a IS NOT NULL AND x5.b IS NOT NULL THEN @json_joined(x5.a, x5.b) END)[1] AS JSON)`,

	// a - key, a - keys, a - index
	`json_without(d, ks) AS CASE WHEN @json_scalar(d) THEN error('[22023] cannot delete from scalar') WHEN json_type(d) = 'OBJECT' THEN @json_of_pairs(list_filter(@json_pairs(d), lambda e6: NOT list_contains(ks, e6.key))) ELSE @json_of_items(list_filter(@json_items(d), lambda e6: json_type(e6) <> 'VARCHAR' OR NOT list_contains(ks, e6 ->> '$'))) END`,
	`json_delete_keys(j, ks) AS CAST(list_transform([{'d': CAST(j AS VARCHAR), 'k': ks}], lambda x7: CASE WHEN x7.d IS NOT NULL AND x7.k IS NOT NULL THEN @json_without(x7.d, x7.k) END)[1] AS JSON)`,
	`json_delete_key(j, k) AS @json_delete_keys(j, CASE WHEN k IS NOT NULL THEN [k] END)`,
	`json_not_at(l, place) AS list_filter(l, lambda e8, i8: i8 <> place)`,
	`json_from_start(n, k) AS CASE WHEN k < 0 THEN n + k ELSE k END`,
	`json_without_index(d, k) AS CASE WHEN @json_scalar(d) THEN error('[22023] cannot delete from scalar') WHEN json_type(d) = 'OBJECT' THEN error('[22023] cannot delete from object using integer index') ELSE @json_of_items(@json_not_at(@json_items(d), @json_from_start(CAST(json_array_length(d) AS BIGINT), k) + 1)) END`,
	`json_delete_index(j, k) AS CAST(list_transform([{'d': CAST(j AS VARCHAR), 'k': CAST(k AS BIGINT)}], lambda x9: CASE WHEN x9.d IS NOT NULL AND x9.k IS NOT NULL THEN @json_without_index(x9.d, x9.k) END)[1] AS JSON)`,

	// Paths. level counts from 1. An index of an array is an integer.
	`json_is_index(k) AS regexp_full_match(k, '\s*[+-]?[0-9]+\s*') AND TRY_CAST(k AS INTEGER) IS NOT NULL`,
	`json_index(k, level) AS CASE WHEN @json_is_index(k) THEN CAST(k AS BIGINT) ELSE error('[22P02] path element at position ' || level || ' is not an integer: "' || k || '"') END`,
	`json_pointer(k) AS '/' || replace(replace(k, '~', '~0'), '/', '~1')`,
	`json_no_name(level) AS error('[22004] path element at position ' || level || ' is null')`,
	`json_child(d, k, level) AS CASE WHEN k IS NULL THEN @json_no_name(level) WHEN json_type(d) = 'OBJECT' THEN CAST(json_extract(d, @json_pointer(k)) AS VARCHAR) WHEN json_type(d) = 'ARRAY' THEN @json_items(d)[@json_from_start(CAST(json_array_length(d) AS BIGINT), @json_index(k, level)) + 1] END`,
	// The documents on the way: the one that each element of a path is looked up in.
	`json_way(d, p) AS list_transform(range(0, len(p)), lambda n10: list_reduce(list_prepend({'d': d, 'k': '', 'n': CAST(0 AS BIGINT)}, list_transform(p[1:n10], lambda k10, i10: {'d': CAST(NULL AS VARCHAR), 'k': k10, 'n': CAST(i10 AS BIGINT)})), lambda a10, e10: {'d': CASE WHEN a10.d IS NOT NULL THEN @json_child(a10.d, e10.k, e10.n) END, 'k': '', 'n': CAST(0 AS BIGINT)}).d)`,
	`json_replaced(d, k, v) AS CASE json_type(d) WHEN 'OBJECT' THEN @json_of_pairs(list_transform(@json_pairs(d), lambda e11: CASE WHEN e11.key = k THEN {'key': k, 'value': v} ELSE e11 END)) ELSE @json_of_items(list_transform(@json_items(d), lambda e11, i11: CASE WHEN i11 = @json_from_start(CAST(json_array_length(d) AS BIGINT), CAST(k AS BIGINT)) + 1 THEN v ELSE e11 END)) END`,
	// Puts v in the place of the last document of the way.
	`json_up(way, p, v) AS list_reduce(list_prepend({'d': v, 'k': ''}, list_reverse(list_transform(way[1:len(way) - 1], lambda d12, i12: {'d': d12, 'k': p[i12]}))), lambda a12, e12: {'d': @json_replaced(e12.d, e12.k, a12.d), 'k': ''}).d`,

	// What is done with the last document by the last element of the path.
	`json_spliced(l, place, v) AS list_concat(list_append(l[1:place], v), l[place + 1:])`,
	`json_clamped(n, k) AS CASE WHEN k < 0 THEN greatest(n + k, -1) ELSE least(k, n) END`,
	`json_set_index(d, n, place, v, missing) AS CASE WHEN place >= 0 AND place < n THEN @json_of_items(list_transform(@json_items(d), lambda e13, i13: CASE WHEN i13 = place + 1 THEN v ELSE e13 END)) WHEN NOT missing THEN d WHEN place < 0 THEN @json_of_items(list_prepend(v, @json_items(d))) ELSE @json_of_items(list_append(@json_items(d), v)) END`,
	`json_set_last(d, k, v, missing, level) AS CASE json_type(d) WHEN 'OBJECT' THEN CASE WHEN list_contains(json_keys(d), k) THEN @json_replaced(d, k, v) WHEN missing THEN @json_of_pairs(list_append(@json_pairs(d), {'key': k, 'value': v})) ELSE d END WHEN 'ARRAY' THEN @json_set_index(d, CAST(json_array_length(d) AS BIGINT), @json_clamped(CAST(json_array_length(d) AS BIGINT), @json_index(k, level)), v, missing) ELSE d END`,
	`json_insert_last(d, k, v, behind, level) AS CASE json_type(d) WHEN 'OBJECT' THEN CASE WHEN list_contains(json_keys(d), k) THEN error('[22023] cannot replace existing key') ELSE @json_of_pairs(list_append(@json_pairs(d), {'key': k, 'value': v})) END WHEN 'ARRAY' THEN @json_of_items(@json_spliced(@json_items(d), CASE WHEN @json_clamped(CAST(json_array_length(d) AS BIGINT), @json_index(k, level)) < 0 THEN 0 ELSE @json_clamped(CAST(json_array_length(d) AS BIGINT), @json_index(k, level)) + CASE WHEN behind THEN 1 ELSE 0 END END, v)) ELSE d END`,
	`json_delete_last(d, k, level) AS CASE json_type(d) WHEN 'OBJECT' THEN @json_without(d, [k]) WHEN 'ARRAY' THEN @json_without_index(d, @json_index(k, level)) ELSE d END`,

	`json_set_way(d, w, p, v, missing) AS CASE WHEN w[-1] IS NULL THEN d WHEN p[-1] IS NULL THEN @json_no_name(len(p)) ELSE @json_up(w, p, @json_set_last(w[-1], p[-1], v, missing, len(p))) END`,
	`json_insert_way(d, w, p, v, behind) AS CASE WHEN w[-1] IS NULL THEN d WHEN p[-1] IS NULL THEN @json_no_name(len(p)) ELSE @json_up(w, p, @json_insert_last(w[-1], p[-1], v, behind, len(p))) END`,
	`json_delete_way(d, w, p) AS CASE WHEN w[-1] IS NULL THEN d WHEN p[-1] IS NULL THEN @json_no_name(len(p)) ELSE @json_up(w, p, @json_delete_last(w[-1], p[-1], len(p))) END`,
	`json_set(j, p, v, missing) AS CAST(list_transform([{'d': CAST(j AS VARCHAR), 'p': p, 'v': CAST(v AS VARCHAR), 'm': missing}], lambda x15: CASE WHEN x15.d IS NULL OR x15.p IS NULL OR x15.v IS NULL OR x15.m IS NULL THEN NULL WHEN @json_scalar(x15.d) THEN error('[22023] cannot set path in scalar') WHEN len(x15.p) = 0 OR NOT x15.m AND @json_empty(x15.d) THEN x15.d WHEN len(x15.p) = 1 AND x15.p[1] IS NOT NULL THEN @json_set_last(x15.d, x15.p[1], x15.v, x15.m, 1) ELSE list_transform([@json_way(x15.d, x15.p)], lambda w15: @json_set_way(x15.d, w15, x15.p, x15.v, x15.m))[1] END)[1] AS JSON)`,
	`json_insert(j, p, v, behind) AS CAST(list_transform([{'d': CAST(j AS VARCHAR), 'p': p, 'v': CAST(v AS VARCHAR), 'b': behind}], lambda x16: CASE WHEN x16.d IS NULL OR x16.p IS NULL OR x16.v IS NULL OR x16.b IS NULL THEN NULL WHEN @json_scalar(x16.d) THEN error('[22023] cannot set path in scalar') WHEN len(x16.p) = 0 THEN x16.d ELSE list_transform([@json_way(x16.d, x16.p)], lambda w16: @json_insert_way(x16.d, w16, x16.p, x16.v, x16.b))[1] END)[1] AS JSON)`,
	`json_delete_path(j, p) AS CAST(list_transform([{'d': CAST(j AS VARCHAR), 'p': p}], lambda x17: CASE WHEN x17.d IS NULL OR x17.p IS NULL THEN NULL WHEN @json_scalar(x17.d) THEN error('[22023] cannot delete path in scalar') WHEN len(x17.p) = 0 OR @json_empty(x17.d) THEN x17.d ELSE list_transform([@json_way(x17.d, x17.p)], lambda w17: @json_delete_way(x17.d, w17, x17.p))[1] END)[1] AS JSON)`,
	`json_set_lax(j, p, v, missing, how) AS CASE WHEN j IS NULL OR p IS NULL OR missing IS NULL THEN NULL WHEN v IS NOT NULL THEN @json_set(j, p, v, missing) WHEN how IS NULL OR how NOT IN ('raise_exception', 'use_json_null', 'delete_key', 'return_target') THEN error('[22023] null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"') WHEN how = 'raise_exception' THEN error('[22004] JSON value must not be null') WHEN how = 'delete_key' THEN @json_delete_path(j, p) WHEN how = 'return_target' THEN j ELSE @json_set(j, p, 'null', missing) END`,

	// Assignment to a subscript makes what is missing on the way, and fills arrays
	// with null.
	`json_nulls(n) AS list_transform(range(0, greatest(n, 0)), lambda e18: 'null')`,
	`json_made(k, v) AS CASE WHEN @json_is_index(k) THEN @json_of_items(list_append(@json_nulls(CAST(k AS BIGINT)), v)) ELSE @json_of_pairs([{'key': k, 'value': v}]) END`,
	`json_put_index(d, n, k, v, level) AS CASE WHEN n + k < 0 THEN error('[22023] path element at position ' || level || ' is out of range: ' || k) WHEN k < n THEN @json_replaced(d, CAST(k AS VARCHAR), v) ELSE @json_of_items(list_append(list_concat(@json_items(d), @json_nulls(k - n)), v)) END`,
	`json_put(d, k, v, level) AS CASE WHEN d IS NULL THEN @json_made(k, v) WHEN json_type(d) = 'OBJECT' THEN @json_set_last(d, k, v, TRUE, level) WHEN json_type(d) = 'ARRAY' THEN @json_put_index(d, CAST(json_array_length(d) AS BIGINT), @json_index(k, level), v, level) ELSE error('[22023] cannot replace existing key') END`,
	`json_assigned(w, p, v) AS list_reduce(list_prepend({'d': v, 'k': '', 'n': CAST(0 AS BIGINT)}, list_reverse(list_transform(w, lambda d19, i19: {'d': d19, 'k': p[i19], 'n': CAST(i19 AS BIGINT)}))), lambda a19, e19: {'d': @json_put(e19.d, e19.k, a19.d, e19.n), 'k': '', 'n': CAST(0 AS BIGINT)}).d`,
	`json_assign(j, p, v, fresh) AS CAST(list_transform([{'d': coalesce(CAST(j AS VARCHAR), fresh), 'p': p, 'v': coalesce(CAST(v AS VARCHAR), 'null')}], lambda x20: CASE WHEN list_contains(list_transform(x20.p, lambda k20: k20 IS NULL), TRUE) THEN error('[22004] jsonb subscript in assignment must not be null') ELSE list_transform([@json_way(x20.d, x20.p)], lambda w20: @json_assigned(w20, x20.p, x20.v))[1] END)[1] AS JSON)`,
}
