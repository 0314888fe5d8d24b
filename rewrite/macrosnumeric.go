package rewrite

// numericMacros divide decimals as PostgreSQL's numeric does (numeric.c), which the
// engine does in floating point only. A decimal is taken as the whole number of its
// last digits (unscaled), both of one scale, and divided digit by digit.
//
// A quotient is a DECIMAL(38,20). PostgreSQL rounds it to 16 digits or more that
// count, by steps of four (select_div_scale); what is behind them is zero here, and
// numeric_out and the wire leave it out.
//
// Each macro may call those before it.
var numericMacros = []string{
	// What a division mentions again and again is computed once.
	`operands(x, y) AS {'a': x, 'b': y}`,
	`scale_of(x) AS CAST('0' || regexp_extract(typeof(x), ',([0-9]+)', 1) AS INTEGER)`,
	`ten_to(n) AS CAST('1' || repeat('0', n) AS HUGEINT)`,
	`unscaled(x) AS CASE WHEN @scale_of(x) <= 18 THEN CAST(trunc(x) AS HUGEINT) * @ten_to(@scale_of(x)) + CAST((x % 1) * CAST(@ten_to(@scale_of(x)) AS DECIMAL(38,0)) AS HUGEINT) ELSE CAST(replace(CAST(x AS VARCHAR), '.', '') AS HUGEINT) END`,
	// The whole number of x, of as many digits behind the point as x or y has.
	`aligned(x, y) AS @unscaled(x) * @ten_to(greatest(@scale_of(y) - @scale_of(x), 0))`,
	// The engine rounds twice where the digits are more than a double's.
	`float_of_numeric(x) AS CASE WHEN @scale_of(x) > 15 THEN CAST(CAST(x AS VARCHAR) AS DOUBLE) ELSE CAST(x AS DOUBLE) END`,
	// The first digit of base 10,000, of which the fraction has whole ones.
	`first_digit(n, scale) AS left(rpad(CAST(abs(n) AS VARCHAR), 4, '0'), CAST((length(CAST(abs(n) AS VARCHAR)) - scale + 39) % 4 + 1 AS INTEGER))`,
	`quotient_digits(i) AS CASE WHEN i = 0 THEN 20 WHEN abs(i) < 10000 THEN 16 WHEN abs(i) < 100000000 THEN 12 WHEN abs(i) < 1000000000000 THEN 8 WHEN abs(i) < 10000000000000000 THEN 4 ELSE 0 END`,
	`quotient_scale(i, n, d, scale) AS CASE WHEN abs(i) IN (1, 10000, 100000000, 1000000000000) OR abs(i) BETWEEN 10001 AND 19999 OR abs(i) BETWEEN 100000001 AND 199999999 THEN @quotient_digits(i) + CASE WHEN @first_digit(n, scale) = @first_digit(d, scale) THEN 4 ELSE 0 END ELSE @quotient_digits(i) END`,
	// Ten digits at a time: a remainder times 10^10 has room for a divisor below 10^28.
	`quotient(p) AS list_transform(list_transform(list_transform([p], lambda q1: {'i': q1.n // q1.d, 'r': q1.n % q1.d, 'd': q1.d, 's': @quotient_scale(q1.n // q1.d, q1.n, q1.d, q1.s)}), lambda q2: {'i': q2.i, 'd': q2.d, 's': q2.s, 'f': q2.r * @ten_to(least(q2.s, 10)) // q2.d, 'r': q2.r * @ten_to(least(q2.s, 10)) % q2.d}), lambda q3: CAST(q3.i AS DECIMAL(38,20)) + CAST((q3.f * @ten_to(greatest(q3.s - 10, 0)) + q3.r * @ten_to(greatest(q3.s - 10, 0)) // q3.d + CASE WHEN abs(q3.r * @ten_to(greatest(q3.s - 10, 0)) % q3.d) * 2 < abs(q3.d) THEN 0 WHEN (q3.r < 0) = (q3.d < 0) THEN 1 ELSE -1 END) * @ten_to(20 - q3.s) AS DECIMAL(22,0)) * 0.00000000000000000001)[1]`,
	`short_quotient(n, d, scale) AS CASE WHEN abs(d) < 10000000000000000000000000000 THEN @quotient({'n': n, 'd': d, 's': scale}) ELSE CAST(CAST(n AS DOUBLE) / CAST(d AS DOUBLE) AS DECIMAL(38,20)) END`,
	`numeric_div(a, b) AS CASE WHEN b = 0 THEN error('[22012] division by zero') ELSE @short_quotient(@aligned(a, b), @aligned(b, a), greatest(@scale_of(a), @scale_of(b))) END`,
	`numeric_whole_div(a, b) AS CASE WHEN b = 0 THEN error('[22012] division by zero') ELSE CAST(@aligned(a, b) // @aligned(b, a) AS DECIMAL(38,0)) END`,

	// What a client is shown of a number; the wire shows the same.
	`zeros_cut(v, least) AS rtrim(left(v, strpos(v, '.') + least) || rtrim(substr(v, strpos(v, '.') + least + 1), '0'), '.')`,
	`quotient_out(v) AS @zeros_cut(v, CAST(@quotient_digits(CAST(regexp_extract(v, '[0-9]+') AS HUGEINT)) + CASE WHEN regexp_full_match(v, '-?1(0000)*[.]0*') THEN 4 ELSE 0 END AS INTEGER))`,
	`numeric_out(x) AS CASE WHEN regexp_full_match(typeof(x), 'DECIMAL.38,2[0-3].') THEN @quotient_out(CAST(x AS VARCHAR)) WHEN regexp_full_match(typeof(x), 'DECIMAL.38,(1[2-57-9]|2[4-9]|3.).') THEN rtrim(rtrim(CAST(x AS VARCHAR), '0'), '.') ELSE CAST(x AS VARCHAR) END`,
}
