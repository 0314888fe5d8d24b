package rewrite

import (
	"regexp"
	"slices"

	"github.com/ontosql/ontosql/pgerr"
)

// macroSchema holds what the printed SQL calls beside the engine's builtins.
const macroSchema = "ontosql_catalog"

// macro is one of Macros; the prefix keeps them apart from the functions of
// pg_catalog in the same schema.
func macro(name string) string { return macroSchema + ".rw_" + name }

// Macros are the statements that define the functions the printed SQL uses and
// the engine lacks. They must run once on each engine, after the schema
// ontosql_catalog exists and in this order. An error that one of them raises
// begins with its SQLSTATE in brackets: "[22012] division by zero"; Raised reads it.
func Macros() []string {
	out := slices.Concat(expandMacros(inputMacros), macroBodies, expandMacros(jsonbMacros))
	for i, m := range out {
		out[i] = "CREATE OR REPLACE MACRO " + macroSchema + ".rw_" + m
	}
	return out
}

// raisedDetail stands between the message and the detail of an error that a macro
// raises. The engine hands on a line of its message.
const raisedDetail = "\x1f"

var raised = regexp.MustCompile(`(?s)^\[([0-9A-Z]{5})\] (.*?)(?:` + raisedDetail + `(.*))?$`)

// Raised reads the text of an error that one of Macros raised; ok is false for any
// other.
func Raised(text string) (err *pgerr.Error, ok bool) {
	m := raised.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	return &pgerr.Error{Code: m[1], Message: m[2], Detail: m[3]}, true
}

var macroBodies = []string{
	`int_div(a, b) AS CASE WHEN b = 0 THEN error('[22012] division by zero') ELSE a // b END`,
	`int_mod(a, b) AS CASE WHEN b = 0 THEN error('[22012] division by zero') ELSE a % b END`,
	`float_div(a, b) AS CASE WHEN b = 0 THEN error('[22012] division by zero') ELSE a / b END`,
	`numeric_div(a, b) AS CASE WHEN b = 0 THEN error('[22012] division by zero') ELSE CAST(CAST(a AS DOUBLE) / CAST(b AS DOUBLE) AS DECIMAL(38,16)) END`,
	`numeric_trunc(a, n) AS CASE WHEN n <= 0 THEN trunc(a / pow(10, -n)) * pow(10, -n) ELSE trunc(a * pow(10, n)) / pow(10, n) END`,
	`float_out(x) AS CASE WHEN isnan(x) THEN 'NaN' WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END ELSE regexp_replace(CAST(x AS VARCHAR), '\.0(e|$)', '\1') END`,
	`numeric_out(x) AS CASE WHEN typeof(x) IN ('DECIMAL(38,12)', 'DECIMAL(38,15)') THEN rtrim(rtrim(CAST(x AS VARCHAR), '0'), '.') ELSE CAST(x AS VARCHAR) END`,
	`interval_out(x) AS replace(CAST(x AS VARCHAR), 'month', 'mon')`,
	`interval_months(i) AS (date_part('year', i) * 12 + date_part('month', i))`,
	`interval_days(i, f) AS ((ontosql_catalog.rw_interval_months(i) * f - trunc(ontosql_catalog.rw_interval_months(i) * f)) * 30 + date_part('day', i) * f)`,
	`interval_mul(i, f) AS to_months(CAST(trunc(ontosql_catalog.rw_interval_months(i) * f) AS INTEGER)) + to_days(CAST(trunc(ontosql_catalog.rw_interval_days(i, f)) AS INTEGER)) + to_microseconds(CAST(round((ontosql_catalog.rw_interval_days(i, f) - trunc(ontosql_catalog.rw_interval_days(i, f))) * 86400000000 + (date_part('hour', i) * 3600000000 + date_part('minute', i) * 60000000 + date_part('microseconds', i)) * f) AS BIGINT))`,
	`in_range(cast_value, x, message) AS CASE WHEN cast_value IS NULL AND x IS NOT NULL THEN error('[22003] ' || message) ELSE cast_value END`,
	`varchar_fitted(v, n) AS CASE WHEN length(v) <= n THEN v WHEN rtrim(substr(v, n + 1), ' ') = '' THEN left(v, n) WHEN v IS NOT NULL THEN error('[22001] value too long for type character varying(' || n || ')') END`,
	`ts_sub(a, b) AS (a - b)`,
	`array_item_out(v) AS CASE WHEN v IS NULL THEN 'NULL' WHEN v = '' OR upper(v) = 'NULL' OR regexp_matches(v, '[{}",\\\s]') THEN '"' || replace(replace(v, '\', '\\'), '"', '\"') || '"' ELSE v END`,
	`row_item_out(v) AS CASE WHEN v IS NULL THEN '' WHEN v = '' OR regexp_matches(v, '[(),"\\\s]') THEN '"' || replace(replace(v, '\', '\\'), '"', '""') || '"' ELSE v END`,
	`array_out(l) AS '{' || array_to_string(list_transform(l, lambda v: ontosql_catalog.rw_array_item_out(CAST(v AS VARCHAR))), ',') || '}'`,
	`string_to_array(s, d) AS CASE WHEN s = '' THEN CAST([] AS VARCHAR[]) WHEN d IS NULL THEN string_split(s, '') WHEN d = '' THEN [s] ELSE string_split(s, d) END`,
	`substr2(s, a) AS substring(s, greatest(a, 1))`,
	`substr3(s, a, n) AS CASE WHEN n < 0 THEN error('[22011] negative substring length not allowed') ELSE substring(s, greatest(a, 1), greatest(CAST(a AS BIGINT) + n - greatest(a, 1), 0)) END`,
	`substring_regexp(s, p) AS CASE WHEN regexp_matches(s, p) THEN CASE WHEN regexp_matches(p, '(^|[^\\])\([^?]') THEN regexp_extract(s, p, 1) ELSE regexp_extract(s, p) END END`,
	`regexp_match(s, p) AS CASE WHEN regexp_matches(s, p) THEN CASE WHEN regexp_matches(p, '(^|[^\\])\([^?]') THEN [regexp_extract(s, p, 1)] ELSE [regexp_extract(s, p)] END END`,
	// A result beyond what a client could want is refused before it is made: the
	// engine would make it whole and hear no cancel meanwhile. The check stands in
	// an argument, where error keeps the engine from computing the call of constants
	// while it plans.
	`bounded(name, bytes, v) AS CASE WHEN bytes > 67108864 THEN error('[54000] result of ' || name || '() exceeds 64 MiB') ELSE v END`,
	`series_end(a, b, step) AS CASE WHEN step = 0 THEN error('[22023] step size cannot equal zero') ELSE ontosql_catalog.rw_bounded('generate_series', (CAST(b AS HUGEINT) - CAST(a AS HUGEINT)) // step * 8, b) END`,
	`time_series_end(a, b, step) AS CASE WHEN epoch_us(step) = 0 THEN error('[22023] step size cannot equal zero') ELSE ontosql_catalog.rw_bounded('generate_series', (CAST(epoch_us(b) AS HUGEINT) - epoch_us(a)) // epoch_us(step) * 8, b) END`,
	`replacement(s, f, t) AS CASE WHEN CAST(strlen(s) AS HUGEINT) * strlen(t) > 67108864 THEN ontosql_catalog.rw_bounded('replace', strlen(s) + CAST(strlen(s) - strlen(replace(s, f, '')) AS HUGEINT) // greatest(strlen(f), 1) * (strlen(t) - strlen(f)), t) ELSE t END`,
	`overlay4(s, r, a, n) AS left(s, greatest(a - 1, 0)) || r || substring(s, greatest(a + n, 1))`,
	`lpad3(s, n, f) AS CASE WHEN length(s) >= n THEN left(s, greatest(n, 0)) WHEN f = '' THEN s ELSE lpad(s, ontosql_catalog.rw_bounded('lpad', n, n), f) END`,
	`rpad3(s, n, f) AS CASE WHEN length(s) >= n THEN left(s, greatest(n, 0)) WHEN f = '' THEN s ELSE rpad(s, ontosql_catalog.rw_bounded('rpad', n, n), f) END`,
	`initcap(s) AS array_to_string(list_transform(regexp_extract_all(s, '[[:alnum:]]+|[^[:alnum:]]+'), lambda w: upper(left(w, 1)) || lower(substring(w, 2))), '')`,
	`quote_ident(s) AS CASE WHEN regexp_full_match(s, '[a-z_][a-z0-9_$]*') THEN s ELSE '"' || replace(s, '"', '""') || '"' END`,
	`quote_literal(s) AS CASE WHEN contains(s, '\') THEN 'E''' || replace(replace(s, '\', '\\'), '''', '''''') || '''' ELSE '''' || replace(s, '''', '''''') || '''' END`,
	`encode_bytes(x, f) AS CASE f WHEN 'hex' THEN lower(hex(x)) WHEN 'base64' THEN to_base64(x) WHEN 'escape' THEN decode(x) ELSE error('[22023] unrecognized encoding: "' || f || '"') END`,
	`decode_text(x, f) AS CASE f WHEN 'hex' THEN unhex(x) WHEN 'base64' THEN from_base64(x) WHEN 'escape' THEN encode(x) ELSE error('[22023] unrecognized encoding: "' || f || '"') END`,
	`date_part(f, x) AS CASE lower(f) WHEN 'second' THEN date_part('microseconds', x) / 1000000 WHEN 'seconds' THEN date_part('microseconds', x) / 1000000 WHEN 'millisecond' THEN date_part('microseconds', x) / 1000 WHEN 'milliseconds' THEN date_part('microseconds', x) / 1000 ELSE CAST(date_part(f, x) AS DOUBLE) END`,
	`extract(f, x) AS CASE lower(f) WHEN 'second' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.000001 WHEN 'seconds' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.000001 WHEN 'millisecond' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.001 WHEN 'milliseconds' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.001 ELSE CAST(date_part(f, x) AS DECIMAL(24,6)) END`,
	`justify_days(i) AS to_months(CAST(date_part('month', i) + 12 * date_part('year', i) + date_part('day', i) // 30 AS INTEGER)) + to_days(CAST(date_part('day', i) % 30 AS INTEGER)) + to_microseconds(epoch_us(i) % 86400000000)`,
	`justify_hours(i) AS to_days(CAST(epoch_us(i) // 86400000000 AS INTEGER)) + to_microseconds(epoch_us(i) % 86400000000)`,
	`width_bucket(x, lo, hi, n) AS CASE WHEN x < lo THEN 0 WHEN x >= hi THEN n + 1 ELSE CAST(floor((x - lo) / (hi - lo) * n) AS INTEGER) + 1 END`,
	`sqrt(x) AS CASE WHEN x < 0 THEN error('[2201F] cannot take square root of a negative number') ELSE sqrt(x) END`,
	`ln(x) AS CASE WHEN x = 0 THEN error('[2201E] cannot take logarithm of zero') WHEN x < 0 THEN error('[2201E] cannot take logarithm of a negative number') ELSE ln(x) END`,
	`log10(x) AS CASE WHEN x = 0 THEN error('[2201E] cannot take logarithm of zero') WHEN x < 0 THEN error('[2201E] cannot take logarithm of a negative number') ELSE log10(x) END`,
	`chr(n) AS CASE WHEN n = 0 THEN error('[54000] null character not permitted') ELSE chr(n) END`,
	`overlaps(a, b, c, d) AS (least(a, b) = least(c, d) OR least(a, b) < greatest(c, d) AND least(c, d) < greatest(a, b))`,
	`json_path(k) AS '$."' || replace(k, '"', '\"') || '"'`,
	`json_get(j, p) AS list_reduce(list_prepend(CAST(j AS VARCHAR), CAST(p AS VARCHAR[])), lambda x, k: CASE WHEN json_type(x) = 'ARRAY' THEN CAST(json_extract(x, CAST('$[' || CASE WHEN starts_with(k, '-') THEN '#' ELSE '' END || k || ']' AS VARCHAR)) AS VARCHAR) ELSE CAST(json_extract(x, '$."' || replace(k, '"', '\"') || '"') AS VARCHAR) END)::JSON`,
	`json_names(j) AS CASE WHEN json_type(j) = 'OBJECT' THEN json_keys(j) WHEN json_type(j) = 'ARRAY' THEN list_transform(CAST(j AS JSON[]), lambda v: v ->> '$') ELSE CAST([] AS VARCHAR[]) END`,
	`json_has(j, k) AS CASE WHEN j IS NOT NULL AND k IS NOT NULL THEN list_contains(ontosql_catalog.rw_json_names(j), k) END`,
	`json_of(j, x) AS CASE WHEN j IS NOT NULL THEN x END`,
	`json_texts(j) AS list_transform(CAST(j AS JSON[]), lambda v: v ->> '$')`,
	`json_typeof(j) AS CASE WHEN json_type(j) IS NULL THEN NULL ELSE CASE json_type(j) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE 'number' END END`,
	`json_key(j) AS CAST(json(j) AS VARCHAR)`,
	`number_chars(x, sep, digits, frac, zeros) AS CASE WHEN abs(x) >= pow(10, digits) THEN repeat('#', digits) ELSE CASE WHEN x < 0 THEN '-' ELSE '' END || CASE WHEN sep = '' THEN CASE WHEN trunc(abs(x)) = 0 AND zeros = 0 AND frac > 0 THEN '' ELSE lpad(CAST(CAST(trunc(abs(x)) AS HUGEINT) AS VARCHAR), CAST(greatest(zeros, length(CAST(CAST(trunc(abs(x)) AS HUGEINT) AS VARCHAR))) AS INTEGER), '0') END ELSE format('{:,}', CAST(trunc(abs(x)) AS BIGINT)) END || CASE WHEN frac > 0 THEN '.' || right(CAST(abs(x) AS VARCHAR), frac) ELSE '' END END`,
}
