package macros

// Macros are the statements that define the functions the printed SQL uses and
// the engine lacks. They must run once on each engine, after the schema
// ontosql_catalog exists and in this order. An error that one of them raises
// begins with its SQLSTATE in brackets, "[22012] division by zero", and that of a function
// of Go perhaps with a position, "[42P01@8] ..."; Raised reads it.
func Macros() []string {
	macros, _ := measuredMacros()
	return macros
}

var generalMacros = []string{
	// What came out of finite numbers must be one, and no zero where none is meant.
	`finite(r, x) AS CASE WHEN isinf(r) AND NOT isinf(x) THEN error('[22003] value out of range: overflow') ELSE r END`,
	`power(x, y) AS CASE WHEN x = 0 AND y < 0 THEN error('[2201F] zero raised to a negative power is undefined') WHEN x < 0 AND y <> trunc(y) THEN error('[2201F] a negative number raised to a non-integer power yields a complex result') WHEN isinf(pow(x, y)) AND NOT isinf(x) AND NOT isinf(y) THEN error('[22003] value out of range: overflow') WHEN pow(x, y) = 0 AND x <> 0 AND NOT isinf(x) AND NOT isinf(y) THEN error('[22003] value out of range: underflow') ELSE pow(x, y) END`,
	`exp(x) AS CASE WHEN exp(x) = 0 AND NOT isinf(x) THEN error('[22003] value out of range: underflow') ELSE ontosql_catalog.rw_finite(exp(x), x) END`,
	`degrees(x) AS ontosql_catalog.rw_finite(x / 0.017453292519943295769::DOUBLE, x)`,
	`float_out(x) AS ontosql_float_out(CAST(x AS DOUBLE))`,
	`real_out(x) AS ontosql_real_out(CAST(x AS DOUBLE))`,
	`interval_out(x) AS ontosql_interval_out('postgres', x)`,
	`moment_out(v) AS CASE WHEN contains(v, '(BC)') THEN replace(v, ' (BC)', '') || ' BC' ELSE v END`,
	`date_out(x) AS ontosql_catalog.rw_moment_out(CAST(x AS VARCHAR))`,
	`timestamp_out(x) AS ontosql_catalog.rw_moment_out(CAST(x AS VARCHAR))`,
	`timestamptz_out(x) AS ontosql_catalog.rw_moment_out(CAST(x AS VARCHAR))`,
	`bytea_out(x) AS ('\x' || lower(hex(x)))`,
	`interval_months(i) AS (date_part('year', i) * 12 + date_part('month', i))`,
	`interval_mul(i, f) AS ontosql_interval_mul(i, CAST(f AS DOUBLE))`,
	`interval_micros(i) AS CAST(date_part('hour', i) * 3600000000 + date_part('minute', i) * 60000000 + date_part('microseconds', i) AS BIGINT)`,
	// The engine adds an interval that has negative parts to a moment from the shortest to
	// the longest, PostgreSQL always months first.
	`one_sign(i) AS ontosql_catalog.rw_interval_months(i) >= 0 AND date_part('day', i) >= 0 AND ontosql_catalog.rw_interval_micros(i) >= 0 OR CAST(ontosql_catalog.rw_interval_months(i) = 0 AS INTEGER) + CAST(date_part('day', i) = 0 AS INTEGER) + CAST(ontosql_catalog.rw_interval_micros(i) = 0 AS INTEGER) > 1`,
	`moment_plus(x, i) AS CASE WHEN ontosql_catalog.rw_one_sign(i) THEN x + i ELSE x + to_months(CAST(ontosql_catalog.rw_interval_months(i) AS INTEGER)) + to_days(CAST(date_part('day', i) AS INTEGER)) + to_microseconds(ontosql_catalog.rw_interval_micros(i)) END`,
	`interval_cut(i, months, days, micros, unit) AS to_months(CAST(ontosql_catalog.rw_interval_months(i) // months * months AS INTEGER)) + to_days(CAST(date_part('day', i) * days AS INTEGER)) + to_microseconds(CASE WHEN micros = 0 THEN 0 WHEN unit = 1 THEN ontosql_catalog.rw_interval_micros(i) // greatest(micros, 1) * micros ELSE sign(ontosql_catalog.rw_interval_micros(i)) * ((abs(ontosql_catalog.rw_interval_micros(i)) + unit // 2) // unit * unit) END)`,
	// A NULL among the elements leaves open what is not found.
	`any_equal(l, x) AS CASE WHEN list_contains(l, x) THEN TRUE WHEN len(l) = 0 THEN FALSE WHEN l IS NULL OR x IS NULL OR list_count(l) < len(l) THEN NULL ELSE FALSE END`,
	`subscript(i) AS CASE WHEN i < 0 THEN 0 ELSE i END`,
	`has_all(l, of) AS CASE WHEN l IS NOT NULL AND of IS NOT NULL THEN list_has_all(l, of) AND list_count(of) = len(of) END`,
	// The engine joins two constants that are NULL to an array.
	`array_cat(a, b) AS CASE WHEN b IS NULL THEN a ELSE list_concat(a, b) END`,
	// The engine joins by a constant only, so a separator that occurs in no text is used in
	// place of d.
	`array_text_of(l, d) AS CASE WHEN l IS NOT NULL AND d IS NOT NULL THEN coalesce(replace(array_to_string(l, chr(0)), chr(0), d), '') END`,
	`array_text_with(l, d, missing) AS ontosql_catalog.rw_array_text_of(CASE WHEN missing IS NULL THEN l ELSE list_transform(l, lambda part: coalesce(part, missing)) END, d)`,
	// To the nearest multiple of so many microseconds.
	`time_rounded(x, unit) AS x + to_microseconds(CAST(unit // 2 - ((epoch_us(x) % unit + unit) % unit + unit // 2) % unit AS BIGINT))`,
	// The end of the day is a time of its own.
	`clock_rounded(x, unit) AS CASE WHEN epoch_us(x) + unit // 2 >= 86400000000 THEN TIME '24:00:00' ELSE ontosql_catalog.rw_time_rounded(x, unit) END`,
	`moment_rounded(x, unit) AS CASE WHEN isfinite(x) THEN ontosql_catalog.rw_time_rounded(x - to_microseconds(CASE WHEN epoch_us(x) < 946684800000000 THEN 1 ELSE 0 END), unit) ELSE x END`,
	`interval_div(i, f) AS ontosql_interval_div(i, CAST(f AS DOUBLE))`,
	`time_of_day(x) AS CASE WHEN isfinite(x) THEN CAST(CAST(x AS TIMESTAMP) AS TIME) END`,
	`concat_list(l, sep) AS CASE WHEN l IS NOT NULL AND sep IS NOT NULL THEN coalesce(array_to_string(l, sep), '') END`,
	`bool_out(x) AS CASE WHEN x THEN 't' WHEN NOT x THEN 'f' END`,
	`in_range(cast_value, x, message) AS CASE WHEN cast_value IS NULL AND x IS NOT NULL THEN error('[22003] ' || message) ELSE cast_value END`,
	`lcm4(a, b) AS ontosql_catalog.rw_in_range(TRY_CAST(lcm(CAST(a AS BIGINT), CAST(b AS BIGINT)) AS INTEGER), a, 'integer out of range')`,
	`lcm8(a, b) AS ontosql_catalog.rw_in_range(TRY_CAST(lcm(CAST(a AS HUGEINT), CAST(b AS HUGEINT)) AS BIGINT), a + b, 'bigint out of range')`,
	`real_of_float(x) AS CASE WHEN x <> 0 AND CAST(x AS FLOAT) = 0 THEN error('[22003] value out of range: underflow') ELSE CAST(x AS FLOAT) END`,
	`name_character(x, i) AS CASE WHEN i BETWEEN 0 AND 63 THEN substr(x, i + 1, 1) END`,
	// A "char" is one byte. One above 127 is kept as it is printed, \ooo.
	`char_of_byte(x) AS CASE WHEN x = 0 THEN '' WHEN x < 128 THEN chr(x) ELSE '\' || x // 64 || x // 8 % 8 || x % 8 END`,
	`char_of_int(x) AS CASE WHEN x NOT BETWEEN -128 AND 127 THEN error('[22003] "char" out of range') ELSE ontosql_catalog.rw_char_of_byte((x + 256) % 256) END`,
	`int_of_char(x) AS CASE WHEN length(x) = 4 THEN CAST(x[2] AS INTEGER) * 64 + CAST(x[3] AS INTEGER) * 8 + CAST(x[4] AS INTEGER) - 256 ELSE ascii(x) END`,
	`first_byte(u) AS CAST(CASE WHEN u < 128 THEN u WHEN u < 2048 THEN 192 + u // 64 WHEN u < 65536 THEN 224 + u // 4096 ELSE 240 + u // 262144 END AS INTEGER)`,
	`char_in(v) AS CASE WHEN v = '' THEN '' WHEN regexp_full_match(v, '\\[0-7][0-7][0-7]') THEN ontosql_catalog.rw_char_of_byte((CAST(v[2] AS INTEGER) * 64 + CAST(v[3] AS INTEGER) * 8 + CAST(v[4] AS INTEGER)) % 256) ELSE ontosql_catalog.rw_char_of_byte(ontosql_catalog.rw_first_byte(unicode(v))) END`,
	`bpchar_fitted(v, n) AS CASE WHEN length(v) <= n THEN rpad(v, n, ' ') WHEN rtrim(substr(v, n + 1), ' ') = '' THEN left(v, n) WHEN v IS NOT NULL THEN error('[22001] value too long for type character(' || n || ')') END`,
	`varchar_fitted(v, n) AS CASE WHEN length(v) <= n THEN v WHEN rtrim(substr(v, n + 1), ' ') = '' THEN left(v, n) WHEN v IS NOT NULL THEN error('[22001] value too long for type character varying(' || n || ')') END`,
	`ts_sub(a, b) AS CASE WHEN isfinite(a) AND isfinite(b) THEN a - b WHEN a IS NOT NULL AND b IS NOT NULL THEN error('[22008] cannot subtract infinite timestamps') END`,
	`date_sub(a, b) AS CASE WHEN isfinite(a) AND isfinite(b) THEN CAST(a - b AS INTEGER) WHEN a IS NOT NULL AND b IS NOT NULL THEN error('[22008] cannot subtract infinite dates') END`,
	`shifted(x, n, span) AS ((CAST(x AS HUGEINT) * (CAST(1 AS HUGEINT) << CAST(n AS HUGEINT)) + span // 2) % span + span) % span - span // 2`,
	`array_item_out(v) AS CASE WHEN v IS NULL THEN 'NULL' WHEN v = '' OR upper(v) = 'NULL' OR regexp_matches(v, '[{}",\\\s]') THEN '"' || replace(replace(v, '\', '\\'), '"', '\"') || '"' ELSE v END`,
	`row_item_out(v) AS CASE WHEN v IS NULL THEN '' WHEN v = '' OR regexp_matches(v, '[(),"\\\s]') THEN '"' || replace(replace(v, '\', '\\'), '"', '""') || '"' ELSE v END`,
	`array_out(l) AS '{' || array_to_string(list_transform(l, lambda v: ontosql_catalog.rw_array_item_out(CAST(v AS VARCHAR))), ',') || '}'`,
	`string_to_array(s, d) AS CASE WHEN s = '' THEN CAST([] AS VARCHAR[]) WHEN d IS NULL THEN string_split(s, '') WHEN d = '' THEN [s] ELSE string_split(s, d) END`,
	`substr2(s, a) AS substring(s, CASE WHEN a < 1 THEN 1 ELSE a END)`,
	`substr3(s, a, n) AS CASE WHEN n < 0 AND s IS NOT NULL AND a IS NOT NULL THEN error('[22011] negative substring length not allowed') WHEN a < 1 THEN substring(s, 1, CASE WHEN CAST(a AS BIGINT) + n < 1 THEN 0 ELSE CAST(a AS BIGINT) + n - 1 END) ELSE substring(s, a, n) END`,
	// A result that is unreasonably large is refused before it is computed, because the engine
	// would build all of it without checking for a cancel. The check is inside an argument,
	// where error() keeps the engine from evaluating a call of constants while it plans.
	`bounded(name, bytes, v) AS CASE WHEN bytes > 67108864 THEN error('[54000] result of ' || name || '() exceeds 64 MiB') ELSE v END`,
	`sample_percent(p) AS CASE WHEN p IS NULL THEN error('[2202H] TABLESAMPLE parameter cannot be null') WHEN NOT p BETWEEN 0 AND 100 THEN error('[2202H] sample percentage must be between 0 and 100') ELSE CAST(p AS DOUBLE) END`,
	`sample_seed(s) AS CASE WHEN s IS NULL THEN error('[2202G] TABLESAMPLE REPEATABLE parameter cannot be null') ELSE s END`,
	// The engine searches for an expression itself where it can.
	`regexp_found(s, p, flags) AS CASE WHEN ontosql_regexp_looks(p) <> 0 THEN ontosql_regexp_like(s, p, flags) <> 0 ELSE regexp_matches(s, ontosql_regexp(p, flags)) END`,
	`last_tied(n, skipped) AS CASE WHEN n < 0 THEN error('[2201W] LIMIT must not be negative') WHEN skipped < 0 THEN error('[2201X] OFFSET must not be negative') WHEN n = 0 THEN 0 ELSE coalesce(CAST(n AS HUGEINT), 9223372036854775807) + coalesce(skipped, 0) END`,
	`series_step(step) AS CASE WHEN step = 0 THEN error('[22023] step size cannot equal zero') ELSE step END`,
	`series_end(a, b, step) AS CASE WHEN step = 0 THEN error('[22023] step size cannot equal zero') ELSE ontosql_catalog.rw_bounded('generate_series', (CAST(b AS HUGEINT) - CAST(a AS HUGEINT)) // step * 8, b) END`,
	`time_series_end(a, b, step) AS CASE WHEN epoch_us(step) = 0 THEN error('[22023] step size cannot equal zero') WHEN NOT isfinite(a) OR NOT isfinite(b) THEN error('[22008] timestamp out of range') ELSE ontosql_catalog.rw_bounded('generate_series', (CAST(epoch_us(b) AS HUGEINT) - epoch_us(a)) // epoch_us(step) * 8, b) END`,
	// The end b of a series, or the element that n steps reach if that comes before it.
	`series_limit(a, b, step, n) AS CASE WHEN step > 0 AND CAST(b AS HUGEINT) > CAST(a AS HUGEINT) + CAST(step AS HUGEINT) * n OR step < 0 AND CAST(b AS HUGEINT) < CAST(a AS HUGEINT) + CAST(step AS HUGEINT) * n THEN a + step * n ELSE b END`,
	`time_series_limit(a, b, step, n) AS CASE WHEN NOT isfinite(a) OR epoch_us(step) = 0 OR isfinite(b) AND epoch_us(b) BETWEEN epoch_us(a) - 31536000000000 AND epoch_us(a) + 31536000000000 THEN b WHEN (epoch_us(step) > 0) = (b > a + step * n) THEN a + step * n ELSE b END`,
	`overlay4(s, r, a, n) AS CASE WHEN a <= 0 AND s IS NOT NULL AND r IS NOT NULL AND n IS NOT NULL THEN error('[22011] negative substring length not allowed') ELSE left(s, a - 1) || r || substring(s, CASE WHEN CAST(a AS BIGINT) + n < 1 THEN 1 ELSE CAST(a AS BIGINT) + n END) END`,
	`overlay3(s, r, a) AS ontosql_catalog.rw_overlay4(s, r, a, CAST(length(r) AS INTEGER))`,
	`bit_position(s, part) AS CASE WHEN s = '' THEN 0 ELSE CAST(strpos(s, part) AS INTEGER) END`,
	`bytes_overlay(s, r, a) AS ontosql_bytes_overlay(s, r, CAST(a AS BIGINT), octet_length(r))`,
	`array_dims(l) AS CASE WHEN len(l) > 0 THEN '[1:' || len(l) || ']' END`,
	`initcap(s) AS array_to_string(list_transform(regexp_extract_all(s, '[\pL\pN]+|[^\pL\pN]+'), lambda w: CASE WHEN starts_with(w, 'ß') THEN 'ß' ELSE upper(left(w, 1)) END || lower(substring(w, 2))), '')`,
	`quote_literal(s) AS CASE WHEN contains(s, '\') THEN 'E''' || replace(replace(s, '\', '\\'), '''', '''''') || '''' ELSE '''' || replace(s, '''', '''''') || '''' END`,
	// The year before the first is 1 BC, or -1.
	`in_era(year) AS year - CASE WHEN year > 0 THEN 0 ELSE 1 END`,
	// The small letter ß has no capital for PostgreSQL.
	`upper(s) AS CASE WHEN contains(s, 'ß') THEN ontosql_upper(s) ELSE upper(s) END`,
	`date_part(f, x) AS CASE rtrim(lower(f), 's') WHEN 'second' THEN CAST(date_part('microseconds', x) AS DOUBLE) / 1000000 WHEN 'millisecond' THEN CAST(date_part('microseconds', x) AS DOUBLE) / 1000 ELSE CAST(date_part(f, x) AS DOUBLE) END`,
	// A field that grows with the time is infinite if the time is.
	`endless(x, part) AS CASE WHEN isinf(x) THEN CASE WHEN x > DATE '2000-01-01' THEN CAST('inf' AS DOUBLE) ELSE CAST('-inf' AS DOUBLE) END ELSE part END`,
	`endless_text(x, part) AS CASE WHEN isinf(x) THEN CASE WHEN x > DATE '2000-01-01' THEN 'Infinity' ELSE '-Infinity' END ELSE part END`,
	`clamped_date(d) AS CASE WHEN d > DATE '294247-01-10' AND isfinite(d) THEN DATE '294247-01-10' ELSE d END`,
	`moment_part(f, x) AS CASE WHEN rtrim(lower(f), 's') IN ('epoch', 'year', 'isoyear', 'decade', 'century', 'millennium', 'julian') THEN ontosql_catalog.rw_endless(x, ontosql_catalog.rw_date_part(f, x)) ELSE ontosql_catalog.rw_date_part(f, x) END`,
	`extract(f, x) AS CASE lower(f) WHEN 'second' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.000001 WHEN 'seconds' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.000001 WHEN 'millisecond' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.001 WHEN 'milliseconds' THEN CAST(date_part('microseconds', x) AS DECIMAL(18,0)) * 0.001 ELSE CAST(date_part(f, x) AS DECIMAL(24,6)) END`,
	`width_bucket(x, lo, hi, n) AS CASE WHEN n <= 0 THEN error('[2201G] count must be greater than zero') WHEN isnan(x) OR isnan(lo) OR isnan(hi) THEN error('[2201G] operand, lower bound, and upper bound cannot be NaN') WHEN lo = hi THEN error('[2201G] lower bound cannot equal upper bound') WHEN isinf(lo) OR isinf(hi) THEN error('[2201G] lower and upper bounds must be finite') WHEN lo < hi THEN CASE WHEN x < lo THEN 0 WHEN x >= hi THEN n + 1 ELSE CAST(floor((x - lo) / (hi - lo) * n) AS INTEGER) + 1 END WHEN x > lo THEN 0 WHEN x <= hi THEN n + 1 ELSE CAST(floor((lo - x) / (lo - hi) * n) AS INTEGER) + 1 END`,
	`acos(x) AS CASE WHEN x < -1 OR x > 1 AND NOT isnan(x) THEN error('[22003] input is out of range') ELSE acos(x) END`,
	`asin(x) AS CASE WHEN x < -1 OR x > 1 AND NOT isnan(x) THEN error('[22003] input is out of range') ELSE asin(x) END`,
	`acosh(x) AS CASE WHEN x < 1 THEN error('[22003] input is out of range') ELSE acosh(x) END`,
	`atanh(x) AS CASE WHEN x < -1 OR x > 1 AND NOT isnan(x) THEN error('[22003] input is out of range') WHEN abs(x) = 1 THEN x * CAST('infinity' AS DOUBLE) ELSE atanh(x) END`,
	`cot(x) AS CASE WHEN x = 0 THEN CAST('infinity' AS DOUBLE) ELSE cot(x) END`,
	// A statistic of values without variance is NULL.
	`sqrt(x) AS CASE WHEN x < 0 THEN error('[2201F] cannot take square root of a negative number') ELSE sqrt(x) END`,
	`ln(x) AS CASE WHEN x = 0 THEN error('[2201E] cannot take logarithm of zero') WHEN x < 0 THEN error('[2201E] cannot take logarithm of a negative number') ELSE ln(x) END`,
	`log10(x) AS CASE WHEN x = 0 THEN error('[2201E] cannot take logarithm of zero') WHEN x < 0 THEN error('[2201E] cannot take logarithm of a negative number') ELSE log10(x) END`,
	`chr(n) AS CASE WHEN n = 0 THEN error('[54000] null character not permitted') WHEN n < 0 THEN error('[22023] character number must be positive') WHEN n > 1114111 THEN error('[54000] requested character too large for encoding: ' || n) WHEN n BETWEEN 55296 AND 57343 THEN error('[54000] requested character not valid for encoding: ' || n) ELSE chr(n) END`,
	// An end that is NULL is unknown: the result is true if it is true for every value of that
	// end.
	`overlaps(a, b, c, d) AS CASE WHEN coalesce(a, b) IS NULL OR coalesce(c, d) IS NULL THEN NULL WHEN least(a, b) > least(c, d) THEN CASE WHEN c IS NULL OR d IS NULL THEN NULL WHEN least(a, b) < greatest(c, d) THEN TRUE WHEN a IS NULL OR b IS NULL THEN NULL ELSE FALSE END WHEN least(a, b) < least(c, d) THEN CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN least(c, d) < greatest(a, b) THEN TRUE WHEN c IS NULL OR d IS NULL THEN NULL ELSE FALSE END WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL THEN NULL ELSE TRUE END`,
	`overlaps_span(a, b, c, span) AS ontosql_catalog.rw_overlaps(a, b, c, c + span)`,
	`overlaps_spans(a, one, c, other) AS ontosql_catalog.rw_overlaps(a, a + one, c, c + other)`,
	`moments_overlap_span(a, b, c, span) AS ontosql_catalog.rw_overlaps(a, b, c, ontosql_catalog.rw_moment_plus(c, span))`,
	`moments_overlap_spans(a, one, c, other) AS ontosql_catalog.rw_overlaps(a, ontosql_catalog.rw_moment_plus(a, one), c, ontosql_catalog.rw_moment_plus(c, other))`,
	// A scalar counts as an array with itself as the only element.
	`json_item(j, n) AS coalesce(j -> n, CASE WHEN n IN (0, -1) AND json_type(j) NOT IN ('OBJECT', 'ARRAY') THEN j END)`,
	`json_path(k) AS CASE WHEN k IN ('', '*') THEN '/' || k ELSE '$."' || replace(k, '"', '\"') || '"' END`,
	`json_get(j, p) AS list_reduce(list_prepend(CAST(j AS VARCHAR), CASE WHEN p IS NULL THEN [CAST(NULL AS VARCHAR)] ELSE CAST(p AS VARCHAR[]) END), lambda x, k: CASE WHEN k IS NULL THEN NULL WHEN json_type(x) = 'ARRAY' THEN CASE WHEN regexp_full_match(k, '\s*[+-]?[0-9]{1,10}') THEN CAST(json_extract(x, CAST('$[' || CASE WHEN starts_with(ltrim(k), '-') THEN '#' ELSE '' END || ltrim(k, ' +') || ']' AS VARCHAR)) AS VARCHAR) END ELSE CAST(json_extract(x, ontosql_catalog.rw_json_path(k)) AS VARCHAR) END)::JSON`,
	`json_names(j) AS CASE WHEN json_type(j) = 'OBJECT' THEN json_keys(j) WHEN json_type(j) = 'ARRAY' THEN list_transform(list_filter(CAST(j AS JSON[]), lambda v: json_type(v) = 'VARCHAR'), lambda v: v ->> '$') WHEN json_type(j) = 'VARCHAR' THEN [j ->> '$'] ELSE CAST([] AS VARCHAR[]) END`,
	`json_has(j, k) AS CASE WHEN j IS NOT NULL AND k IS NOT NULL THEN list_contains(ontosql_catalog.rw_json_names(j), k) END`,
	`json_has_any(j, ks) AS CASE WHEN j IS NOT NULL THEN list_has_any(ontosql_catalog.rw_json_names(j), ks) END`,
	`json_has_all(j, ks) AS CASE WHEN j IS NOT NULL THEN list_has_all(ontosql_catalog.rw_json_names(j), ks) END`,
	`json_array(j) AS CASE WHEN j IS NULL OR json_type(j) = 'ARRAY' THEN j WHEN json_type(j) = 'OBJECT' THEN error('[22023] cannot extract elements from an object') ELSE error('[22023] cannot extract elements from a scalar') END`,
	`json_items(j, fn) AS CASE WHEN j IS NULL OR json_type(j) = 'ARRAY' THEN j ELSE error('[22023] cannot call ' || fn || CASE json_type(j) WHEN 'OBJECT' THEN ' on a non-array' ELSE ' on a scalar' END) END`,
	`json_elements(j) AS list_transform(CAST(ontosql_catalog.rw_json_array(j) AS JSON[]), lambda v: coalesce(v, CAST('null' AS JSON)))`,
	// The text of a value that was taken out of a json as it is written.
	`json_text_of(v) AS CASE WHEN starts_with(v, '"') THEN CAST(v AS JSON) ->> '$' WHEN v <> 'null' THEN v END`,
	`json_record(j) AS CASE WHEN json_type(j) = 'OBJECT' OR j IS NULL THEN j ELSE error('[22023] cannot call populate_composite on ' || CASE json_type(j) WHEN 'ARRAY' THEN 'an array' ELSE 'a scalar' END) END`,
	`json_records(j, l, fn) AS CASE WHEN j IS NULL THEN NULL WHEN json_type(j) = 'ARRAY' THEN list_transform(l, lambda v: CASE WHEN json_type(v) = 'OBJECT' THEN v ELSE error('[22023] argument of ' || fn || ' must be an array of objects') END) ELSE error('[22023] cannot call ' || fn || ' on ' || CASE WHEN starts_with(fn, 'jsonb') THEN 'a non-array' WHEN json_type(j) = 'OBJECT' THEN 'an object' ELSE 'a scalar' END) END`,
	// The text of a member or element, of which v is the engine's and j the document: of
	// objects and arrays as a jsonb is printed.
	`jsonb_text_at(v, j) AS CASE WHEN (v >= '{' AND v < '|' OR v >= '[' AND v < '\') AND json_type(j) IN ('OBJECT', 'ARRAY') THEN ontosql_jsonb_out(v) ELSE v END`,
	`jsonb_text_in(j, path) AS ontosql_catalog.rw_jsonb_text_at(j ->> path, json_extract(j, path))`,
	`jsonb_texts(l) AS list_transform(l, lambda v: ontosql_catalog.rw_jsonb_text_at(v ->> '$', v))`,
	// The names of the members of an object, as PostgreSQL orders them.
	`jsonb_keys(j) AS list_transform(list_sort(list_transform(json_keys(j), lambda k: {'n': strlen(k), 'k': k})), lambda m: m['k'])`,
	`json_object(j, fn) AS CASE WHEN j IS NULL OR json_type(j) = 'OBJECT' THEN j WHEN starts_with(fn, 'jsonb') THEN error('[22023] cannot call ' || fn || ' on a non-object') WHEN json_type(j) = 'ARRAY' THEN error('[22023] cannot deconstruct an array as an object') ELSE error('[22023] cannot deconstruct a scalar') END`,
	`json_pairs(j) AS list_transform(ontosql_json_members(CAST(j AS VARCHAR)), lambda m: {'key': m[1], 'value': CAST(m[2] AS JSON)})`,
	`json_text_pairs(j) AS list_transform(ontosql_json_members(CAST(j AS VARCHAR)), lambda m: {'key': m[1], 'value': ontosql_catalog.rw_json_text_of(m[2])})`,
	`jsonb_pairs(j) AS list_transform(ontosql_catalog.rw_jsonb_keys(j), lambda k: {'key': k, 'value': json_extract(j, ontosql_catalog.rw_json_path(k))})`,
	`jsonb_text_pairs(j) AS list_transform(ontosql_catalog.rw_jsonb_keys(j), lambda k: {'key': k, 'value': ontosql_catalog.rw_jsonb_text_at(json_extract_string(j, ontosql_catalog.rw_json_path(k)), json_extract(j, ontosql_catalog.rw_json_path(k)))})`,
	`json_object_names(j, kind) AS CASE WHEN j IS NULL THEN NULL WHEN json_type(j) = 'OBJECT' THEN CASE WHEN kind = 'jsonb' THEN ontosql_catalog.rw_jsonb_keys(j) ELSE json_keys(j) END WHEN json_type(j) = 'ARRAY' THEN error('[22023] cannot call ' || kind || '_object_keys on an array') ELSE error('[22023] cannot call ' || kind || '_object_keys on a scalar') END`,
	`json_length(j) AS CASE WHEN j IS NULL THEN NULL WHEN json_type(j) = 'ARRAY' THEN CAST(json_array_length(j) AS INTEGER) WHEN json_type(j) = 'OBJECT' THEN error('[22023] cannot get array length of a non-array') ELSE error('[22023] cannot get array length of a scalar') END`,
	`json_typeof(j) AS CASE WHEN json_type(j) IS NULL THEN NULL ELSE CASE json_type(j) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE 'number' END END`,
	// A document that is a number or a truth value, as the type that it is cast to wants it.
	`json_plain(j, ty) AS CASE WHEN j IS NULL THEN NULL WHEN ontosql_catalog.rw_json_typeof(j) <> CASE WHEN ty = 'boolean' THEN 'boolean' ELSE 'number' END THEN error('[22023] cannot cast jsonb ' || ontosql_catalog.rw_json_typeof(j) || ' to type ' || ty) ELSE CAST(j AS VARCHAR) END`,
	`json_key(j) AS ontosql_json_order(CAST(j AS VARCHAR))`,
	`only(l) AS list_transform([l], lambda only17: CASE WHEN len(only17) > 1 THEN error('[21000] more than one row returned by a subquery used as an expression') ELSE only17[1] END)[1]`,
	`json_listed_by(l, sep) AS CASE WHEN l IS NOT NULL THEN CAST('[' || coalesce(array_to_string(list_transform(l, lambda part: coalesce(part, 'null')), sep), '') || ']' AS JSON) END`,
	// Rows and arrays, but for NULL, stand on lines of their own: they begin with such a start.
	`json_of_list(l, start) AS CASE WHEN l IS NOT NULL THEN CAST('[' || coalesce(array_to_string(list_transform(l, lambda part16, i16: CASE WHEN part16 IS NULL THEN 'null' WHEN i16 = 1 THEN CAST(part16 AS VARCHAR) ELSE start || CAST(part16 AS VARCHAR) END), ', '), '') || ']' AS JSON) END`,
	`json_name(k) AS CASE WHEN k IS NULL THEN error('[22023] field name must not be null') ELSE k END`,
	`jsonb_key_text(k, n) AS CASE WHEN k IS NULL THEN error('[22023] argument ' || n || ': key must not be null') ELSE CAST(to_json(k) AS VARCHAR) END`,
	`json_key_text(k, n) AS CASE WHEN k IS NULL THEN error('[22023] argument ' || n || ' cannot be null' || chr(31) || chr(31) || chr(31) || 'Object keys should be text.') ELSE CAST(to_json(k) AS VARCHAR) END`,
	`json_float(x, printed) AS CAST(CASE WHEN isfinite(x) THEN printed ELSE '"' || printed || '"' END AS JSON)`,
	`json_moment(v) AS regexp_replace(regexp_replace(v, ' ', 'T'), '([+-][0-9][0-9])( BC)?$', '\1:00\2')`,
	`to_char_timestamp(x, p) AS ontosql_time_chars(CASE WHEN isfinite(x) THEN epoch_us(x) END, 0, '', p)`,
	`to_char_timestamptz(x, p) AS ontosql_time_chars(CASE WHEN isfinite(x) THEN epoch_us(CAST(x AS TIMESTAMP)) END, CASE WHEN isfinite(x) THEN CAST(date_part('timezone', x) AS BIGINT) END, CASE WHEN contains(lower(p), 'tz') THEN strftime(x, '%Z') ELSE '' END, p)`,
	`to_char_interval(x, p) AS ontosql_interval_chars(CAST(ontosql_catalog.rw_interval_months(x) AS BIGINT), CAST(date_part('day', x) AS BIGINT), CAST(date_part('hour', x) * 3600000000 + date_part('minute', x) * 60000000 + date_part('microseconds', x) AS BIGINT), p)`,
	// What information_schema computes of a type modifier.
	`char_max_length(type, mod) AS CASE WHEN mod = -1 THEN NULL WHEN type IN (1042, 1043) THEN mod - 4 WHEN type IN (1560, 1562) THEN mod END`,
	`char_octet_length(type, mod) AS CASE WHEN type NOT IN (25, 1042, 1043) THEN NULL WHEN mod = -1 THEN 1073741824 WHEN type <> 25 THEN (mod - 4) * 4 END`,
	`numeric_precision(type, mod) AS CASE type WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53 WHEN 1700 THEN CASE WHEN mod <> -1 THEN (mod - 4) >> 16 & 65535 END END`,
	`numeric_precision_radix(type) AS CASE WHEN type IN (20, 21, 23, 700, 701) THEN 2 WHEN type = 1700 THEN 10 END`,
	`numeric_scale(type, mod) AS CASE WHEN type IN (20, 21, 23) THEN 0 WHEN type = 1700 AND mod <> -1 THEN mod - 4 & 65535 END`,
	`datetime_precision(type, mod) AS CASE WHEN type = 1082 THEN 0 WHEN type NOT IN (1083, 1114, 1184, 1186, 1266) THEN NULL WHEN mod < 0 OR type = 1186 AND mod & 65535 = 65535 THEN 6 WHEN type = 1186 THEN mod & 65535 ELSE mod END`,
	`to_timestamp(s, p) AS CASE WHEN ontosql_parse_zone(s, p) IS NULL THEN CAST(make_timestamp(ontosql_parse_time(s, p)) AS TIMESTAMPTZ) ELSE timezone('UTC', make_timestamp(ontosql_parse_time(s, p) - 1000000 * ontosql_parse_zone(s, p))) END`,
	`to_number(s, p) AS ontosql_catalog.rw_numeric_in(ontosql_to_number(s, p), TRY_CAST(ontosql_to_number(s, p) AS DECIMAL(38,12)))`,
}
