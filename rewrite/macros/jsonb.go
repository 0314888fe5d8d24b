package macros

// jsonbMacros change documents as PostgreSQL's functions of jsonb do, which are functions
// of Go (package pgfunc) over their texts.
//
// Each macro may call those before it.
var jsonbMacros = []string{
	`json_stored(j) AS CASE WHEN json_type(j) <> 'NULL' THEN j END`,
	// A document that the engine may go into by recursion. A level has two bytes at least.
	`json_shallow(j) AS CASE WHEN strlen(CAST(j AS VARCHAR)) > 10000 AND ontosql_json_shallow(CAST(j AS VARCHAR)) = 0 THEN error('[54001] json value is nested too deep') ELSE j END`,
	`json_contains(j, k) AS ontosql_json_contains(CAST(j AS VARCHAR), CAST(k AS VARCHAR)) <> 0`,
	`json_delete_keys(j, ks) AS CAST(ontosql_jsonb_delete(CAST(j AS VARCHAR), ks) AS JSON)`,
	`json_delete_index(j, k) AS CAST(ontosql_jsonb_delete_index(CAST(j AS VARCHAR), CAST(k AS BIGINT)) AS JSON)`,
	`json_delete_path(j, p) AS CAST(ontosql_jsonb_delete_path(CAST(j AS VARCHAR), p) AS JSON)`,
	`json_set(j, p, v, missing) AS CAST(ontosql_jsonb_set(CAST(j AS VARCHAR), p, CAST(v AS VARCHAR), CAST(missing AS BIGINT)) AS JSON)`,
	`json_insert(j, p, v, behind) AS CAST(ontosql_jsonb_insert(CAST(j AS VARCHAR), p, CAST(v AS VARCHAR), CAST(behind AS BIGINT)) AS JSON)`,
	`json_set_lax(j, p, v, missing, how) AS CASE WHEN j IS NULL OR p IS NULL OR missing IS NULL THEN NULL WHEN v IS NOT NULL THEN @json_set(j, p, v, missing) WHEN how IS NULL OR how NOT IN ('raise_exception', 'use_json_null', 'delete_key', 'return_target') THEN error('[22023] null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"') WHEN how = 'raise_exception' THEN error('[22004] JSON value must not be null' || chr(31) || 'Exception was raised because null_value_treatment is "raise_exception".' || chr(31) || chr(31) || 'To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.') WHEN how = 'delete_key' THEN @json_delete_path(j, p) WHEN how = 'return_target' THEN j ELSE @json_set(j, p, 'null', missing) END`,
	// Assignment to a subscript makes what is missing on the way, and of no document fresh.
	`json_assign(j, p, v, fresh) AS CAST(ontosql_jsonb_assign(coalesce(CAST(j AS VARCHAR), fresh), p, coalesce(CAST(v AS VARCHAR), 'null')) AS JSON)`,
}
