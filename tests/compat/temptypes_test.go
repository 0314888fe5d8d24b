package compat

// tempType is a type of a column of a temporary table. {c} stands for the column.
type tempType struct {
	name      string
	good, bad []string // values to assign; a bad one is refused, in some tables at least
	sets      []string // expressions of an UPDATE
	checks    []string
	defaults  []string
	unordered bool // ORDER BY and UNIQUE refuse it
}

var tempTypes = []tempType{
	{
		name: "int", good: []string{"0", "1", "2", "3", "4", "-7", "2147483647", "'12'", "NULL", "1.5", "2.5::numeric", "true::int", "(SELECT 4)", "length('abc')"},
		bad:    []string{"'x'", "2147483648", "'2024-01-01'::date", "true", "1e10", "1 / 0", "''"},
		sets:   []string{"{c} * 2", "-{c}", "coalesce({c}, 0)", "{c} % 3", "abs({c})", "{c} / 0", "{c} * 2000000000"},
		checks: []string{"{c} > 0", "{c} <> 2", "{c} BETWEEN -10 AND 100", "{c} % 2 = 0 OR {c} > 2", "{c} IS NOT NULL"}, defaults: []string{"7", "1 + 1", "NULL", "length('four')", "'3'"},
	},
	{
		name: "smallint", good: []string{"0", "1", "2", "-32768", "'5'", "NULL", "3.5", "7::bigint"}, bad: []string{"32768", "'a'", "99999::bigint"},
		sets: []string{"{c} + 1", "{c} * 30000", "NULL"}, checks: []string{"{c} < 5", "{c} IN (0, 1, 2, 7)"}, defaults: []string{"1", "-1"},
	},
	{
		name: "bigint", good: []string{"0", "1", "2", "9223372036854775807", "'44'", "NULL", "1.5e3", "0.5"}, bad: []string{"9223372036854775808", "'1.5'", "'t'::text"},
		sets: []string{"{c} + 1", "{c} - 5000000000", "sign({c})"}, checks: []string{"{c} >= 0"}, defaults: []string{"10000000000", "2::bigint * 3"},
	},
	{
		name: "text", good: []string{"'a'", "'b'", "'c'", "''", "'it''s'", "'ü 東'", "E'x\\ny'", "NULL", "'a' || 'b'", "7", "true", "1.50", "upper('z')", "'2024-01-01'::date"},
		sets:   []string{"{c} || '!'", "upper({c})", "left({c}, 1)", "coalesce({c}, 'none')", "repeat({c}, 2)", "{c} + 1"},
		checks: []string{"{c} <> 'b'", "length({c}) < 4", "{c} ~ '^[a-z]*$'", "{c} LIKE '%a%' OR {c} = 'c'"}, defaults: []string{"'dflt'", "'x' || 'y'", "''"},
	},
	{
		name: "varchar(3)", good: []string{"'a'", "'abc'", "'ab   '", "NULL", "12", "'üüü'"}, bad: []string{"'abcd'", "12345", "'toolong'::text"},
		sets: []string{"{c} || 'z'", "lower({c})"}, checks: []string{"{c} <> 'abc'"}, defaults: []string{"'dd'"},
	},
	{
		name: "char(4)", good: []string{"'a'", "'ab'", "'ab  '", "'abcd'", "NULL", "''", "'abcd    '"}, bad: []string{"'abcde'"},
		sets: []string{"{c} || 'q'", "trim({c})", "'ab'"}, checks: []string{"{c} <> 'ab'", "length({c}) > 1"}, defaults: []string{"'d'"},
	},
	{
		name: "numeric(6,2)", good: []string{"1", "1.5", "'2.345'", "-0.005", "NULL", "9999.99", "1e3", "0.1::float8"}, bad: []string{"10000", "'9999.995'", "'x'"},
		sets: []string{"{c} * 1.1", "{c} / 3", "round({c})", "{c} * 1000"}, checks: []string{"{c} > 0", "{c} < 100.5"}, defaults: []string{"0.5", "1.005"},
	},
	{
		name: "numeric", good: []string{"1", "1.5", "'-2.125'", "NULL", "123456789012345", "0.000001", "3::int"}, bad: []string{"'x'", "'1,5'"},
		sets: []string{"{c} + 0.25", "-{c}", "{c} * 2"}, checks: []string{"{c} >= 0"}, defaults: []string{"2.5"},
	},
	{
		name: "float8", good: []string{"1", "0.1", "'NaN'", "'-Infinity'", "'1e300'", "NULL", "-0.0", "2.5::numeric", "'1e-300'"}, bad: []string{"'x'", "'1e999'", "true"},
		sets: []string{"{c} / 2", "-{c}", "{c} * '1e300'", "sqrt({c})"}, checks: []string{"{c} < 10", "{c} = {c}"}, defaults: []string{"1.5", "pi()"},
	},
	{
		name: "real", good: []string{"1", "0.1", "1.5", "NULL", "'NaN'", "16777217"}, bad: []string{"'1e99'"}, sets: []string{"{c} + 1", "{c} / 3"}, checks: []string{"{c} > 0"}, defaults: []string{"0.5"},
	},
	{
		name: "bool", good: []string{"true", "false", "'t'", "'off'", "NULL", "1 = 1", "1::bool"}, bad: []string{"1", "'maybe'", "0.5"}, sets: []string{"NOT {c}", "{c} IS NULL", "{c} AND true"}, checks: []string{"{c}", "{c} IS NOT FALSE"}, defaults: []string{"true", "1 > 2"},
	},
	{
		name: "date", good: []string{"'2024-02-29'", "'1999-12-31'", "'2024-01-31'::date + 1", "'2024-06-01 10:00'::timestamp", "NULL", "'infinity'"}, bad: []string{"'2023-02-29'", "'soon'", "5", "'2024-13-01'"},
		sets: []string{"{c} + 1", "{c} - 30", "{c} + interval '1 month'"}, checks: []string{"{c} > '2000-01-01'"}, defaults: []string{"'2020-02-02'", "'2020-02-02'::date + 1"},
	},
	{
		name: "timestamp", good: []string{"'2024-02-29 10:00'", "'1999-12-31 23:59:59.123456'", "'2024-01-01'::date", "NULL", "'2024-01-01 00:00+05'"}, bad: []string{"'2024-02-30 00:00'", "'x'", "1"},
		sets: []string{"{c} + interval '1 day'", "date_trunc('month', {c})"}, checks: []string{"extract(year from {c}) < 2024"}, defaults: []string{"'2020-01-01 12:00'"},
	},
	{
		name: "timestamptz", good: []string{"'2024-02-29 10:00+00'", "'2024-02-29 10:00:00.5+05:30'", "'2024-01-01'::date", "NULL", "'2024-03-03 03:03'"}, bad: []string{"'2024-01-01 25:00'", "'later'", "now"},
		sets: []string{"{c} - interval '1 hour'", "date_trunc('day', {c})"}, checks: []string{"{c} < '2030-01-01'"}, defaults: []string{"'2020-01-01 12:00+00'"},
	},
	{name: "time", good: []string{"'10:00'", "'23:59:59.5'", "NULL", "'2024-01-01 10:11'::timestamp"}, bad: []string{"'25:00'", "1"}, sets: []string{"{c} + interval '1 hour'"}, checks: []string{"{c} < '20:00'"}, defaults: []string{"'12:00'"}},
	{name: "interval", good: []string{"'1 day'", "'2 months 3 days 04:05:06.7'", "NULL", "'-1 hour'", "'P1Y'"}, bad: []string{"'1 fortnightly'", "1"}, sets: []string{"{c} * 2", "-{c}"}, checks: []string{"{c} > '0'"}, defaults: []string{"'5 min'"}},
	{name: "uuid", good: []string{"'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'A0EEBC999C0B4EF8BB6D6BB9BD380A12'", "NULL"}, bad: []string{"'x'", "1"}, checks: []string{"{c} > 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"}, defaults: []string{"'00000000-0000-0000-0000-000000000000'"}},
	{name: "jsonb", good: []string{`'{"a": 1}'`, "'[1, 2]'", "'null'", "NULL", `'{"b":"x","a":  1}'`, "jsonb_build_object('k', 1)", "'1.50'"}, bad: []string{"'{'", "1", "'x'"}, sets: []string{`{c} || '{"z": 9}'`, "{c} -> 'a'"}, checks: []string{"jsonb_typeof({c}) = 'object'"}, defaults: []string{"'{}'"}},
	{name: "json", unordered: true, good: []string{`'{"a":  1}'`, "'[1,2]'", "NULL"}, bad: []string{"'{'"}, sets: []string{"{c} -> 'a'"}, defaults: []string{"'{}'"}},
	{name: "bytea", good: []string{`'\x0102'`, "'abc'", "NULL", `'\x'`}, bad: []string{`'\x0'`, "1"}, sets: []string{`{c} || '\xff'`}, checks: []string{"length({c}) < 4"}, defaults: []string{`'\x00'`}},
	{name: "int[]", good: []string{"'{1,2}'", "ARRAY[3, NULL]", "'{}'", "NULL"}, bad: []string{"'{1'", "1", "'{x}'"}, sets: []string{"{c} || 5", "array_remove({c}, 1)"}, checks: []string{"cardinality({c}) < 3", "1 <> ALL ({c})"}, defaults: []string{"'{9}'"}},
	{name: "text[]", good: []string{`'{a,"b c",NULL}'`, "ARRAY['x']", "NULL", "ARRAY[]::text[]"}, bad: []string{"'a'"}, sets: []string{"{c} || 'q'"}, checks: []string{"'x' = ANY ({c})"}, defaults: []string{"'{d}'"}},
}
