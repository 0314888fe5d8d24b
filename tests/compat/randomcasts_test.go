package compat

// castForms are single expressions of constants, which fail on both sides or on none.
var castForms = []string{
	"SELECT {value}::{type}", "SELECT {value}::{type}", "SELECT CAST({value} AS {type})", "SELECT {value}::text::{type}", "SELECT {type} {literal}", "SELECT ARRAY[{literal}]::{type}[]", "SELECT coalesce({literal}, {value})", "SELECT CASE WHEN true THEN {value} ELSE {value} END", "SELECT {value} {operator} {value}", "SELECT {value} {operator} {literal}", "SELECT {literal} {operator} {literal}", "SELECT {value} IN ({value}, {literal})",
	"SELECT greatest({value}, {value})", "SELECT nullif({value}, {literal})", "SELECT {value} BETWEEN {literal} AND {value}", "SELECT {value} = ANY (ARRAY[{value}, {literal}])", "SELECT {value} IS DISTINCT FROM {literal}", "SELECT to_jsonb({value}), jsonb_build_array({value}, {literal}), to_json({value})", "SELECT concat({value}, '|', {value}), format('%s %L', {value}, {value})",
	"SELECT abs({value})", "SELECT round({value})", "SELECT -({value})", "SELECT length({value})", "SELECT {value} || {value}", "SELECT upper({value})", "SELECT date_trunc('month', {value})", "SELECT date_part('hour', {value}), extract(minute FROM {value})",
}

var castAtoms = map[string][]string{
	"value": {
		"1", "-7", "2147483648", "9223372036854775807", "0", "1.5", "-2.50", "100.001", "1e10", "32768::smallint", "1::smallint", "300::bigint", "2.5::float8", "1e20::float8", "'NaN'::float8", "'-Infinity'::float8", "1.1::real", "3.5::numeric(5,2)", "'x'::text", "'12'::text", "' 5 '::text", "'t'::text", "'2024-02-30'::text", "'abc'::varchar(2)", "'ab'::char(4)", "true", "false", "NULL", "NULL::int", "date '2024-02-29'", "timestamp '2024-02-29 12:34:56.789'", "timestamptz '2024-02-29 12:34:56+02'", "time '23:59:59'",
		"interval '1 day 2 hours'", "interval '-1 month'", `'{"a":1}'::jsonb`, "'5'::jsonb", `'"s"'::jsonb`, "'true'::jsonb", "'null'::jsonb", "'[1,2]'::json", "ARRAY[1,2]", "ARRAY['a','b']", "'{}'::int[]", "'\\xdead'::bytea", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "B'101'", "'infinity'::date", "'-infinity'::timestamp", "'foo'::name", "5::oid", "timetz '10:00+02'",
	},
	"literal":  {"'1'", "'x'", "''", "'2024-01-01'", "'1.5'", "'true'", "' 12 '", "'infinity'", "'NaN'", "'{1,2}'", `'{"a":1}'`, "'10:00'", "'1 day'", "NULL", "'99999999999'", "'1e3'", "'-0'", "'off'", "'\\x00ff'", "'{a,\"b c\",NULL}'", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "'2024-01-01 10:00+05'", "'P1Y2M'", "'101'"},
	"type":     {"int", "smallint", "bigint", "numeric", "numeric(4,1)", "real", "float8", "text", "varchar(3)", "char(2)", "boolean", "date", "timestamp", "timestamp(0)", "timestamptz", "time", "interval", "jsonb", "json", "int[]", "text[]", "bytea", "uuid", "bit(3)", "varbit", `"char"`, "name", "oid", "timetz", "numeric[]", "date[]"},
	"operator": {"+", "-", "*", "/", "%", "=", "<", ">=", "<>", "||", "^", "&", "#", "~", "LIKE", "->", "->>", "@>", "<<"},
}
