package macros

import "github.com/ontosql/ontosql/rewrite/input"

// setMacros are those of Macros over dates, arrays and the lists that aggregates
// gather. Each may call those before it.
var setMacros = []string{
	`justify(i, what) AS CAST(ontosql_justify(CAST(@interval_months(i) AS BIGINT), CAST(date_part('day', i) AS BIGINT), @interval_micros(i), what) AS INTERVAL)`,
	`interval_total(l) AS to_months(CAST(list_sum(list_transform(l, lambda i1: @interval_months(i1))) AS INTEGER)) + to_days(CAST(list_sum(list_transform(l, lambda i2: date_part('day', i2))) AS INTEGER)) + to_microseconds(CAST(list_sum(list_transform(l, lambda i3: @interval_micros(i3))) AS BIGINT))`,
	`interval_sum(l) AS list_transform([list_filter(l, lambda i4: i4 IS NOT NULL)], lambda l4: CASE WHEN len(l4) > 0 THEN @interval_total(l4) END)[1]`,
	`interval_avg(l) AS list_transform([list_filter(l, lambda i5: i5 IS NOT NULL)], lambda l5: CASE WHEN len(l5) > 0 THEN @interval_div(@interval_total(l5), CAST(len(l5) AS DOUBLE)) END)[1]`,
	`joined(l) AS list_transform([list_filter(l, lambda r6: r6[1] IS NOT NULL)], lambda l6: CASE WHEN len(l6) > 0 THEN array_to_string(list_transform(l6, lambda r7, i7: CASE WHEN i7 = 1 THEN '' ELSE coalesce(r7[2], '') END || r7[1]), '') END)[1]`,

	// l are the values in order, without NULLs; p the fraction.
	`fraction(p) AS CASE WHEN p < 0 OR p > 1 OR isnan(p) THEN error('[22003] percentile value ' || @float_out(p) || ' is not between 0 and 1') ELSE p END`,
	`percentile_disc(l, p) AS CASE WHEN @fraction(p) IS NOT NULL AND len(l) > 0 THEN l[greatest(CAST(ceil(p * len(l)) AS BIGINT), 1)] END`,
	`percentile_cont(l, p) AS CASE WHEN @fraction(p) IS NULL OR coalesce(len(l), 0) = 0 THEN NULL WHEN floor(p * (len(l) - 1)) = ceil(p * (len(l) - 1)) THEN l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1] ELSE l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1] + (p * (len(l) - 1) - floor(p * (len(l) - 1))) * (l[CAST(ceil(p * (len(l) - 1)) AS BIGINT) + 1] - l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1]) END`,
	`percentile_span(l, p) AS CASE WHEN @fraction(p) IS NULL OR coalesce(len(l), 0) = 0 THEN NULL ELSE l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1] + @interval_mul(l[CAST(ceil(p * (len(l) - 1)) AS BIGINT) + 1] - l[CAST(floor(p * (len(l) - 1)) AS BIGINT) + 1], p * (len(l) - 1) - floor(p * (len(l) - 1))) END`,

	`split_part(s, d, n) AS CASE WHEN n = 0 AND s IS NOT NULL AND d IS NOT NULL THEN error('[22023] field position must not be zero') WHEN d = '' THEN CASE WHEN n IN (1, -1) THEN s ELSE '' END ELSE split_part(s, d, n) END`,
	// What these compare with is brought into the lambda: it may be of a query around,
	// whose columns no lambda sees (as in expansion.bind).
	`array_position(l, v, start) AS list_transform([{'l': [l][1], 'v': [v][1], 'start': [start][1]}], lambda g: CASE WHEN g['start'] IS NULL THEN error('[22004] initial position must not be null') ELSE CAST(list_filter(range(greatest(g['start'], 1), len(g['l']) + 1), lambda i8: g['l'][i8] IS NOT DISTINCT FROM g['v'])[1] AS INTEGER) END)[1]`,
	`array_positions(l, v) AS list_transform([{'l': [l][1], 'v': [v][1]}], lambda g: list_transform(list_filter(range(1, len(g['l']) + 1), lambda i9: g['l'][i9] IS NOT DISTINCT FROM g['v']), lambda p9: CAST(p9 AS INTEGER)))[1]`,
	`array_remove(l, v) AS list_transform([{'l': [l][1], 'v': [v][1]}], lambda g: list_filter(g['l'], lambda x: x IS DISTINCT FROM g['v']))[1]`,
	`string_to_array_with(s, d, missing) AS list_transform([{'l': [@string_to_array(s, d)][1], 'missing': [missing][1]}], lambda g: list_transform(g['l'], lambda x: nullif(x, g['missing'])))[1]`,
	`array_replace(l, v, other) AS list_transform([{'l': [l][1], 'v': [v][1], 'other': [other][1]}], lambda g: list_transform(g['l'], lambda x: CASE WHEN x IS NOT DISTINCT FROM g['v'] THEN g['other'] ELSE x END))[1]`,
	`has_null(l) AS len(list_filter(l, lambda d10: d10 IS NULL)) > 0`,
	`array_fill(v, dims) AS CASE WHEN dims IS NULL OR @has_null(dims) THEN error(CASE WHEN dims IS NULL THEN '[22004] dimension array or low bound array cannot be null' ELSE '[22004] dimension values cannot be null' END) WHEN len(dims) > 1 THEN error('[0A000] ` + input.UnknownDimensions + `') WHEN dims[1] < 0 THEN error('[54000] array size exceeds the maximum allowed (134217727)') ELSE list_resize([v], coalesce(@bounded('array_fill', dims[1] * 8, dims[1]), 0), v) END`,
	`array_fill_from(v, dims, low) AS CASE WHEN dims IS NULL OR low IS NULL THEN error('[22004] dimension array or low bound array cannot be null') WHEN @has_null(dims) OR @has_null(low) THEN error('[22004] dimension values cannot be null') WHEN len(dims) <> len(low) THEN error('[2202E] wrong number of array subscripts' || chr(31) || 'Low bound array has different size than dimensions array.') WHEN len(low) > 0 AND low[1] <> 1 THEN error('[0A000] ` + input.OtherLowerBounds + `') ELSE @array_fill(v, dims) END`,
	`trim_array(l, n) AS CASE WHEN n < 0 OR n > len(l) THEN error('[2202E] number of elements to trim must be between 0 and ' || len(l)) ELSE l[1:len(l) - n] END`,
	`width_place(x, l) AS list_transform([{'x': [x][1], 'l': [l][1]}], lambda g: CASE WHEN g['x'] IS NULL OR g['l'] IS NULL THEN NULL WHEN @has_null(g['l']) THEN error('[22004] thresholds array must not contain NULLs') ELSE CAST(len(list_filter(g['l'], lambda t11: t11 <= g['x'])) AS INTEGER) END)[1]`,
	`numeric_steps(a, b, step) AS CASE WHEN step = 0 THEN error('[22023] step size cannot equal zero') ELSE @bounded('generate_series', abs((b - a) / step) * 8, CAST(greatest(floor((b - a) / step), -2) AS BIGINT) + 1) END`,
	`numeric_series(a, b, step) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL AND step IS NOT NULL THEN list_filter(list_transform(range(0, @numeric_steps(a, b, step) + 1), lambda i12: a + i12 * step), lambda x12: step > 0 AND x12 <= b OR step < 0 AND x12 >= b) END`,
	`wide_series(a, b, step) AS list_transform(range(0, ontosql_wide_steps(a, b, step)), lambda i13: ontosql_wide_add(a, ontosql_wide_mul(step, ontosql_wide_in(CAST(i13 AS VARCHAR)))))`,

	`years_back(x, n) AS date_trunc('year', x) - to_years(CAST(((date_part('year', x) - 1) % n + n) % n AS INTEGER))`,
	`date_trunc(f, x) AS CASE WHEN lower(f) IN ('century', 'centuries') THEN @years_back(x, 100) WHEN lower(f) IN ('millennium', 'millennia') THEN @years_back(x, 1000) ELSE date_trunc(f, x) END`,
	// date_trunc of an infinite time is that time. The engine compares its own date_trunc with a
	// constant as a range, which is wrong for an infinite constant (duckdb#24303).
	`date_trunc_endless(f, x) AS CASE WHEN isfinite(x) THEN @date_trunc(f, x) ELSE x END`,
	`date_bin(stride, x, origin) AS CASE WHEN @interval_months(stride) <> 0 THEN error('[0A000] timestamps cannot be binned into intervals containing months or years') WHEN epoch_us(stride) <= 0 THEN error('[22008] stride must be greater than zero') WHEN isfinite(x) AND date_part('day', stride) <> 0 AND epoch_us(stride) % 86400000000 <> 0 THEN x - to_microseconds(((epoch_us(x) - epoch_us(origin)) % epoch_us(stride) + epoch_us(stride)) % epoch_us(stride)) ELSE time_bucket(stride, x, origin) END`,
	`far_date(y, m, d) AS error('[22008] date out of range: ' || y || '-' || lpad(CAST(m AS VARCHAR), 2, '0') || '-' || lpad(CAST(d AS VARCHAR), 2, '0'))`,
	`bad_date(y, m, d) AS error('[22008] date field value out of range: ' || y || '-' || lpad(CAST(m AS VARCHAR), 2, '0') || '-' || lpad(CAST(d AS VARCHAR), 2, '0'))`,
	// The engine's own years: 0 is the year before the first.
	`year_in(y) AS CASE WHEN y < 0 THEN y + 1 ELSE y END`,
	`make_date(y, m, d) AS CASE WHEN y IS NULL OR m IS NULL OR d IS NULL THEN NULL WHEN y = 0 OR NOT m BETWEEN 1 AND 12 OR NOT d BETWEEN 1 AND 31 THEN @bad_date(y, m, d) WHEN NOT y BETWEEN -4714 AND 5874897 THEN @far_date(y + CASE WHEN y < 0 THEN 1 ELSE 0 END, m, d) WHEN d > 28 AND d > day(last_day(make_date(@year_in(y), m, 1))) THEN @bad_date(y, m, d) ELSE make_date(@year_in(y), m, d) END`,
	`bad_time(h, m, s) AS error('[22008] time field value out of range: ' || h || ':' || lpad(CAST(m AS VARCHAR), 2, '0') || ':' || printf('%02g', s))`,
	`clock_micros(h, m, s) AS CASE WHEN h < 0 OR h > 24 OR m < 0 OR m > 59 OR s < 0 OR s > 60 OR isnan(s) OR h = 24 AND (m > 0 OR s > 0) THEN @bad_time(h, m, s) ELSE CAST(h AS BIGINT) * 3600000000 + CAST(m AS BIGINT) * 60000000 + CAST(round_even(s * 1000000, 0) AS BIGINT) END`,
	`make_time(h, m, s) AS TIME '00:00:00' + to_microseconds(@clock_micros(h, m, s))`,
	`make_timestamp(y, mo, d, h, m, s) AS CAST(@make_date(y, mo, d) AS TIMESTAMP) + to_microseconds(@clock_micros(h, m, s))`,
	`time_in_zone(z, x) AS CASE WHEN isfinite(x) THEN make_timestamp(ontosql_zone_from_utc(z, epoch_us(x))) ELSE timezone('UTC', x) END`,
	`zone_in_time(z, x) AS CASE WHEN isfinite(x) THEN make_timestamptz(ontosql_zone_to_utc(z, epoch_us(x))) ELSE timezone('UTC', x) END`,
	`offset_in_time(z, x) AS make_timestamptz(ontosql_offset_to_utc(z, epoch_us(x)))`,
	`date_trunc_in(f, x, zone) AS @zone_in_time(zone, date_trunc(f, @time_in_zone(zone, x)))`,
	`timetz_here(v, now) AS ontosql_timetz_in(v, CAST(date_part('timezone', now) AS BIGINT))`,
	`timetz_of(x) AS ontosql_timetz_of(epoch_us(@time_of_day(x)), CAST(date_part('timezone', x) AS BIGINT))`,
	`timetz_rounded(x, unit) AS ontosql_timetz_of(CAST((ontosql_timetz_micros(x) + unit // 2) // unit * unit AS BIGINT), ontosql_timetz_offset(x))`,
	`moment_of(day, x) AS timezone('UTC', CAST(day AS TIMESTAMP) + to_microseconds(ontosql_timetz_micros(x) - ontosql_timetz_offset(x) * 1000000))`,
	`timetz_plus(x, micros) AS ontosql_timetz_of(CAST(((ontosql_timetz_micros(x) + micros) % 86400000000 + 86400000000) % 86400000000 AS BIGINT), ontosql_timetz_offset(x))`,
	`timetz_in_zone(z, x, now) AS ontosql_timetz_at(x, CAST((epoch_us(@time_in_zone(z, now)) - epoch_us(timezone('UTC', now))) // 1000000 AS BIGINT))`,
	`zone_interval(i) AS CASE WHEN @interval_months(i) <> 0 OR date_part('day', i) <> 0 THEN error('[22023] interval time zone "' || @interval_out(i) || '" must not include months or days') ELSE i END`,
	`to_timestamp_epoch(x) AS CASE WHEN isinf(x) THEN CASE WHEN x > 0 THEN CAST('infinity' AS TIMESTAMPTZ) ELSE CAST('-infinity' AS TIMESTAMPTZ) END WHEN isnan(x) THEN error('[22008] timestamp cannot be NaN') WHEN abs(x) > 9224318015999 THEN error('[22008] timestamp out of range: "' || @float_out(x) || '"') ELSE to_timestamp(x) END`,
}
