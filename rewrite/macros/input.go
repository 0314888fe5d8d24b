package macros

import "github.com/ontosql/ontosql/rewrite/input"

// The texts that a statement casts when it runs are held against the same rules as
// literals and parameters (input): these macros refuse what PostgreSQL's input
// functions refuse and the engine's casts take or round (1.5 as an integer, 1e400
// as infinity). Dates and times are read as those of literals are, by a function of Go.

// inputMacros are those of Macros that read texts. Where a macro takes a second
// argument it is what the engine makes of the text, NULL for nothing. Each may
// call those before it.
var inputMacros = []string{
	`bad_text(v, name) AS error('[22P02] invalid input syntax for type ' || name || ': "' || v || '"')`,
	`bool_in(v) AS CASE WHEN v IS NULL THEN NULL WHEN regexp_full_match(v, '(?i)\s*(t|tr|tru|true|y|ye|yes|on|1)\s*') THEN TRUE WHEN regexp_full_match(v, '(?i)\s*(f|fa|fal|fals|false|n|no|of|off|0)\s*') THEN FALSE ELSE @bad_text(v, 'boolean') END`,
	`int_in(v, c, name) AS CASE WHEN v IS NULL THEN NULL WHEN NOT regexp_full_match(v, '\s*[+-]?[0-9]+\s*') THEN @bad_text(v, name) WHEN c IS NULL THEN error('[22003] value "' || v || '" is out of range for type ' || name) ELSE c END`,
	`decimal_text(v) AS regexp_full_match(v, '\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*')`,
	`float_in(v, c, name) AS CASE WHEN v IS NULL THEN NULL WHEN regexp_full_match(v, '(?i)\s*[+-]?nan\s*') THEN CAST('nan' AS DOUBLE) WHEN regexp_full_match(v, '(?i)\s*\+?inf(inity)?\s*') THEN CAST('inf' AS DOUBLE) WHEN regexp_full_match(v, '(?i)\s*-inf(inity)?\s*') THEN CAST('-inf' AS DOUBLE) WHEN NOT @decimal_text(v) THEN ontosql_hexadecimal_float(v, name) WHEN c IS NULL OR isinf(c) OR c = 0 AND regexp_matches(v, '^\s*[+-]?[0.]*[1-9]') THEN error('[22003] "' || v || '" is out of range for type ' || name) ELSE c END`,
	`numeric_in(v, c) AS CASE WHEN v IS NULL THEN NULL WHEN regexp_full_match(v, '(?i)\s*[+-]?(nan|inf(inity)?)\s*') AND NOT regexp_full_match(v, '(?i)\s*[+-]nan\s*') THEN error('[22003] value "' || v || '" is out of range for type numeric') WHEN NOT @decimal_text(v) THEN @bad_text(v, 'numeric') WHEN c IS NULL THEN error('[22003] value "' || v || '" is out of range for type numeric') ELSE c END`,
	`int2_in(v) AS @int_in(v, TRY_CAST(v AS SMALLINT), 'smallint')`,
	`int4_in(v) AS @int_in(v, TRY_CAST(v AS INTEGER), 'integer')`,
	`int8_in(v) AS @int_in(v, TRY_CAST(v AS BIGINT), 'bigint')`,
	`oid_in(v) AS @int_in(v, TRY_CAST(v AS UINTEGER), 'oid')`,
	`float4_in(v) AS CAST(@float_in(v, TRY_CAST(v AS FLOAT), 'real') AS FLOAT)`,
	`float8_in(v) AS @float_in(v, TRY_CAST(v AS DOUBLE), 'double precision')`,
	`numeric_fitted(v, c, overflow) AS CASE WHEN c IS NULL AND TRY_CAST(v AS DECIMAL(38,12)) IS NOT NULL THEN error('[22003] ' || overflow) ELSE @numeric_in(v, c) END`,
	`numeric_text(v) AS @numeric_in(v, TRY_CAST(v AS DECIMAL(38,12)))`,
	`numeric_as_written(v) AS CASE WHEN @numeric_text(v) IS NOT NULL THEN ontosql_numeric_as_written(v) END`,
	`uuid_in(v) AS CASE WHEN v IS NULL THEN NULL WHEN NOT regexp_full_match(v, '\{([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}\}|([0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}') THEN @bad_text(v, 'uuid') ELSE TRY_CAST(regexp_replace(v, '[{}-]', '', 'g') AS UUID) END`,
	`json_text(v) AS CAST(ontosql_json_checked(v, 0) AS JSON)`,
	`jsonb_text(v) AS CAST(ontosql_jsonb_in(ontosql_json_checked(v, 1)) AS JSON)`,
	`hex_in(h) AS CASE WHEN regexp_full_match(h, '([ \n\t\r]|[0-9a-fA-F]{2})*') THEN unhex(regexp_replace(h, '\s', '', 'g')) WHEN regexp_full_match(h, '([ \n\t\r]|[0-9a-fA-F]{2})*[0-9a-fA-F]') THEN error('[22023] invalid hexadecimal data: odd number of digits') ELSE error('[22023] invalid hexadecimal digit: "' || regexp_extract(h, '^(?:[ \n\t\r]|[0-9a-fA-F]{2})*[0-9a-fA-F]?((?s:.))', 1) || '"') END`,
	`escaped_in(v) AS CASE WHEN regexp_full_match(v, '(?s)([^\\]|\\\\|\\[0-3][0-7][0-7])*') THEN unhex(array_to_string(list_transform(regexp_extract_all(v, '(?s)[^\\]+|\\\\|\\[0-3][0-7][0-7]'), lambda part: CASE WHEN part = '\\' THEN '5C' WHEN starts_with(part, '\') THEN printf('%02X', CAST(part[2] AS INTEGER) * 64 + CAST(part[3] AS INTEGER) * 8 + CAST(part[4] AS INTEGER)) ELSE hex(encode(part)) END), '')) ELSE error('[22P02] invalid input syntax for type bytea') END`,
	`bytea_in(v) AS CASE WHEN v IS NULL THEN NULL WHEN starts_with(v, '\x') THEN @hex_in(substr(v, 3)) ELSE @escaped_in(v) END`,
	`bytea_argument(v) AS CASE WHEN starts_with(v, '\x') THEN unhex(substr(v, 3)) ELSE encode(v) END`,
	`date_in(v, o) AS CAST(ontosql_read_time(v, 'date', o) AS DATE)`,
	`time_in(v, o) AS CAST(ontosql_read_time(v, 'time', o) AS TIME)`,
	`timestamp_in(v, o) AS CAST(ontosql_read_time(v, 'timestamp', o) AS TIMESTAMP)`,
	`timestamptz_in(v, o) AS CAST(ontosql_read_time(v, 'timestamptz', o) AS TIMESTAMPTZ)`,
	`interval_in(v, standard) AS CAST(ontosql_read_interval(v, standard) AS INTERVAL)`,
	`array_text(s) AS regexp_full_match(s, '(?s)\s*\{\s*(("(\\.|[^"\\])*"|([^\s",{}\\]|\\.)([^",{}\\]|\\.)*)\s*(,\s*("(\\.|[^"\\])*"|([^\s",{}\\]|\\.)([^",{}\\]|\\.)*)\s*)*)?\}\s*')`,
	`array_items(s) AS list_transform(list_filter(regexp_extract_all(regexp_extract(s, '(?s)^\s*\{(.*)\}\s*$', 1), '(?s)"(?:[^"\\]|\\.)*"|(?:[^",\\]|\\.)+'), lambda item: NOT regexp_full_match(item, '\s*')), lambda item: CASE WHEN starts_with(item, '"') THEN regexp_replace(item[2:-2], '(?s)\\(.)', '\1', 'g') WHEN regexp_full_match(item, '(?i)\s*null\s*') THEN NULL ELSE regexp_replace(regexp_replace(item, '^\s+|\s+$', '', 'g'), '(?s)\\(.)', '\1', 'g') END)`,
	`array_in(s) AS CASE WHEN s IS NULL THEN NULL WHEN regexp_matches(s, '^\s*((\[[0-9:+-]+\]\s*)+=|\{\s*\{)') THEN error('[0A000] ` + input.UnknownDimensions + `') WHEN NOT @array_text(s) THEN error('[22P02] malformed array literal: "' || s || '"') ELSE @array_items(s) END`,
}
