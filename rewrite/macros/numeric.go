package macros

// numericMacros compute with decimals where the engine has floating point only, and
// print them. Quotients, powers and logarithms are functions of Go (package pgfunc),
// whose texts are cast to a decimal where something is computed of them.
//
// A quotient is a DECIMAL(38,20). PostgreSQL rounds it to 16 digits or more that
// count, by steps of four (select_div_scale); what is behind them is zero here, and
// numeric_out and the wire leave it out.
//
// Each macro may call those before it.
var numericMacros = []string{
	`scale_of(x) AS CAST('0' || regexp_extract(typeof(x), ',([0-9]+)', 1) AS INTEGER)`,
	// The engine rounds twice where the digits are more than a double's.
	`float_of_numeric(x) AS CASE WHEN @scale_of(x) > 15 THEN CAST(CAST(x AS VARCHAR) AS DOUBLE) ELSE CAST(x AS DOUBLE) END`,
	// The engine asks whether a number fits before it rounds. No smaller integer is beyond
	// 10^18, and so what the next cast refuses is named after its own type.
	`whole_number(x) AS CAST(greatest(least(x, 1e18::DOUBLE), -1e18::DOUBLE) AS BIGINT)`,
	`quotient_digits(i) AS CASE WHEN i = 0 THEN 20 WHEN abs(i) < 10000 THEN 16 WHEN abs(i) < 100000000 THEN 12 WHEN abs(i) < 1000000000000 THEN 8 WHEN abs(i) < 10000000000000000 THEN 4 ELSE 0 END`,

	// The engine computes in floating point where the digits of both are more than 38.
	`as_column(v, x) AS cast_to_type(v, coalesce(x + CAST(0 AS DECIMAL(38,12)), CAST(0 AS DECIMAL(1,0))))`,
	`numeric_trunc(x, n) AS @as_column(ontosql_numeric_trunc(CAST(x AS VARCHAR), n), x)`,
	`numeric_round(x, n) AS @as_column(ontosql_numeric_round(CAST(x AS VARCHAR), n), x)`,
	`numeric_mod(x, y) AS CASE WHEN y = 0 AND x IS NOT NULL THEN error('[22012] division by zero') WHEN typeof(x % y) = 'DOUBLE' THEN cast_to_type(ontosql_numeric_mod(CAST(x AS VARCHAR), CAST(y AS VARCHAR)), coalesce(x + y, 0)) ELSE cast_to_type(x % y, coalesce(x + y, 0)) END`,
	// A product of two columns has 24 digits behind the point, and as many zeros at its end
	// as their numbers leave: the next factor needs the room. The scale is that of kind.
	`shortened(x, kind) AS CASE WHEN x IS NULL OR cast_to_type(cast_to_type(x, kind), x) = x THEN cast_to_type(x, kind) ELSE error('[22003] value overflows numeric format') END`,
	`digits_behind(v) AS CAST(length(regexp_extract(v, '\.(.*)$', 1)) AS INTEGER)`,
	`factorial(n) AS CASE WHEN n < 0 THEN error('[22003] factorial of a negative number is undefined') WHEN n > 33 THEN error('[22003] value overflows numeric format') ELSE CAST(factorial(CAST(n AS INTEGER)) AS DECIMAL(38,0)) END`,

	// Angles in degrees are exact where they have an exact value: they are brought to the
	// first quarter, and computed from the ends and the middle of it (float.c).
	`sind_quarter(c) AS CASE WHEN c <= 30 THEN (sin(c * 0.017453292519943295769::DOUBLE) / sin(30 * 0.017453292519943295769::DOUBLE) / 2) ELSE (1 - (1 - cos((90 - c) * 0.017453292519943295769::DOUBLE)) / (1 - cos(60 * 0.017453292519943295769::DOUBLE)) / 2) END`,
	`cosd_quarter(c) AS CASE WHEN c <= 60 THEN (1 - (1 - cos(c * 0.017453292519943295769::DOUBLE)) / (1 - cos(60 * 0.017453292519943295769::DOUBLE)) / 2) ELSE (sin((90 - c) * 0.017453292519943295769::DOUBLE) / sin(30 * 0.017453292519943295769::DOUBLE) / 2) END`,
	`turn(x) AS CASE WHEN isinf(x) THEN error('[22003] input is out of range') ELSE x % 360 END`,
	`half_turn(d) AS least(abs(d), 360 - abs(d))`,
	`quarter(h) AS least(h, 180 - h)`,
	`sind(x) AS list_transform([x], lambda a: list_transform([@turn(a)], lambda d: @sind_quarter(@quarter(@half_turn(d))) * CASE WHEN (d < 0) <> (abs(d) > 180) THEN -1 ELSE 1 END)[1])[1]`,
	`cosd(x) AS list_transform([x], lambda a: list_transform([@turn(a)], lambda d: @cosd_quarter(@quarter(@half_turn(d))) * CASE WHEN @half_turn(d) > 90 THEN -1 ELSE 1 END)[1])[1]`,
	// Of an angle of the first quarter; a and b are its sine and cosine, or the other way round.
	`ratio(a, b, one) AS CASE WHEN b = 0 THEN CAST('infinity' AS DOUBLE) ELSE a / b / one END`,
	`signed_ratio(d, v) AS CASE WHEN v = 0 THEN 0 WHEN ((d < 0) <> (abs(d) > 180)) <> (@half_turn(d) > 90) THEN -v ELSE v END`,
	`tand(x) AS list_transform([x], lambda a: list_transform([@turn(a)], lambda d: @signed_ratio(d, list_transform([@quarter(@half_turn(d))], lambda c: @ratio(@sind_quarter(c), @cosd_quarter(c), @sind_quarter(45) / @cosd_quarter(45)))[1]))[1])[1]`,
	`cotd(x) AS list_transform([x], lambda a: list_transform([@turn(a)], lambda d: @signed_ratio(d, list_transform([@quarter(@half_turn(d))], lambda c: @ratio(@cosd_quarter(c), @sind_quarter(c), @cosd_quarter(45) / @sind_quarter(45)))[1]))[1])[1]`,
	`sine(x) AS CASE WHEN (x < -1 OR x > 1) AND NOT isnan(x) THEN error('[22003] input is out of range') ELSE x END`,
	`asind_quarter(v) AS CASE WHEN v <= 0.5 THEN asin(v) / asin(0.5::DOUBLE) * 30 ELSE 90 - acos(v) / acos(0.5::DOUBLE) * 60 END`,
	`asind(x) AS list_transform([x], lambda a: list_transform([@sine(a)], lambda v: CASE WHEN v < 0 THEN -@asind_quarter(-v) ELSE @asind_quarter(v) END)[1])[1]`,
	`acosd(x) AS list_transform([x], lambda a: list_transform([@sine(a)], lambda v: CASE WHEN v < 0 THEN 90 + @asind_quarter(-v) WHEN v <= 0.5 THEN 90 - asin(v) / asin(0.5::DOUBLE) * 30 ELSE acos(v) / acos(0.5::DOUBLE) * 60 END)[1])[1]`,

	// What a client is shown of a number; the wire shows the same.
	`zeros_cut(v, least) AS rtrim(left(v, strpos(v, '.') + least) || rtrim(substr(v, strpos(v, '.') + least + 1), '0'), '.')`,
	`quotient_out(v) AS @zeros_cut(v, CAST(@quotient_digits(CAST(regexp_extract(v, '[0-9]+') AS HUGEINT)) + CASE WHEN regexp_full_match(v, '-?1(0000)*[.]0*') THEN 4 ELSE 0 END AS INTEGER))`,
	`numeric_out(x) AS CASE WHEN regexp_full_match(typeof(x), 'DECIMAL.38,2[0-3].') THEN @quotient_out(CAST(x AS VARCHAR)) WHEN regexp_full_match(typeof(x), 'DECIMAL.38,(1[2-9]|2[4-9]|3.).') THEN rtrim(rtrim(CAST(x AS VARCHAR), '0'), '.') ELSE CAST(x AS VARCHAR) END`,
	`zeros_added(v, n) AS v || CASE WHEN contains(v, '.') THEN '' WHEN n > 0 THEN '.' ELSE '' END || repeat('0', greatest(n - @digits_behind(v), 0))`,
	`numeric_shown(x, n) AS @zeros_added(@numeric_out(x), n)`,
}
