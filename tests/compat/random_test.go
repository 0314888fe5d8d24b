package compat

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// grammar is how an expression of a kind is made of others, whose kinds stand in braces.
// What the two sides are known to compute otherwise (differences.txt) is left out: chains
// of numerics, noise of floats, and what PostgreSQL does not compute where it need not.
var grammar = map[string][]string{
	"int": {
		"({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} / {int})", "({int} % {int})", "({int} & {int})", "({int} | {int})", "({int} # {int})",
		"abs({int})", "sign({int})::int", "gcd({int}, {int})", "greatest({int}, {int})", "least({int}, {int})", "coalesce({int}, {int})", "nullif({int}, {int})",
		"length({text})", "octet_length({text})", "strpos({text}, {text})", "ascii({text})", "cardinality(string_to_array({text}, ','))",
		"({date} - {date})", "extract(year FROM {date})::int", "extract(isodow FROM {moment})::int", "date_part('doy', {date})::int", "extract(epoch FROM {span})::bigint",
		"({num})::int", "({bool})::int", "CASE WHEN {bool} THEN {int} ELSE {int} END", "CASE {int} WHEN 1 THEN {int} WHEN {int} THEN 2 END", "width_bucket({num}, 0, 10, 5)",
	},
	"num": {"({num} + {num})", "({num} - {num})", "-{num}", "abs({num})", "round({num}, 1)", "trunc({num})", "ceil({num})", "floor({num})", "({int})::numeric"},
	"text": {
		"({text} || {text})", "({text} || {int})", "upper({text})", "lower({text})", "initcap({text})", "reverse({text})", "trim({text})", "btrim({text}, 'ad ')", "left({text}, 3)", "left({text}, -2)", "right({text}, 2)",
		"substr({text}, 2)", "substring({text} FROM 2 FOR 3)", "substring({text} FROM '[a-z]+')", "replace({text}, {text}, {text})", "translate({text}, 'abl', 'xy')", "lpad({text}, 8, '*')", "rpad({text}, 5, 'ab')", "repeat({text}, 2)",
		"split_part({text}, ',', 2)", "regexp_replace({text}, '[aeiou]', 'X', 'g')", "overlay({text} PLACING 'ZZ' FROM 2 FOR 1)", "md5({text})", "quote_literal({text})", "quote_ident({text})", "concat({text}, {int}, {bool})", "concat_ws('-', {text}, {num})",
		"format('%s|%I|%L', {text}, {text}, {int})", "coalesce({text}, {text})", "nullif({text}, {text})", "({int})::text", "({num})::text", "({date})::text", "({moment})::text", "({instant})::text", "({span})::text", "({bool})::text", "({json})::text",
		"to_char({moment}, 'YYYY-MM-DD HH24:MI:SS')", "to_char({moment}, 'FMDay, DD Mon YY, HH12 AM, IW Q')", "to_char({num}, 'FM999990.00')", "to_char({int}, 'S9999')", "({json} ->> 'a')", "jsonb_typeof({json})", "pg_typeof({int})::text", "encode({text}::bytea, 'hex')", "to_hex({int})",
		"CASE WHEN {bool} THEN {text} ELSE {text} END",
	},
	"bool": {
		"({int} < {int})", "({int} <> {int})", "({text} < {text})", "({text} = {text})", "({num} >= {num})", "({date} < {moment})", "({instant} > {date})", "({span} < {span})", "({json} = {json})", "({json} @> {json})", "({json} ? 'a')",
		"({bool} AND {bool})", "({bool} OR {bool})", "(NOT {bool})", "({bool} IS NOT TRUE)", "({text} IS NULL)", "({int} IS DISTINCT FROM {int})", "({int} IN ({int}, {int}))", "({int} BETWEEN {int} AND {int})", "({int} = ANY (ARRAY[{int}, {int}]))",
		"({text} LIKE {text})", "({text} ILIKE '%l%')", "({text} ~ '^[a-m]')", "({text} SIMILAR TO '(a|H)%')", "starts_with({text}, {text})", "(({date}, {date}) OVERLAPS ({date}, {date}))",
	},
	"date":    {"({date} + 30)", "({date} - 400)", "({moment})::date", "({instant})::date", "greatest({date}, {date})", "date_trunc('quarter', {moment})::date"},
	"moment":  {"({moment} + {span})", "({moment} - {span})", "({date})::timestamp", "({date} + {span})", "date_trunc('week', {moment})", "date_trunc('hour', {moment})", "({instant} AT TIME ZONE 'Europe/Berlin')", "({instant} AT TIME ZONE 'America/New_York')", "date_bin('15 minutes', {moment}, timestamp '2001-01-01')"},
	"instant": {"({instant} + {span})", "({moment} AT TIME ZONE 'Asia/Kolkata')", "({moment} AT TIME ZONE 'Europe/Berlin')", "date_trunc('day', {instant}, 'America/New_York')", "({date})::timestamptz", "to_timestamp({int})"},
	"span":    {"({moment} - {moment})", "({instant} - {instant})", "age({moment}, {moment})", "({span} + {span})", "({span} * 2)", "({span} * 0.3)", "({span} / 3)", "(-{span})", "justify_hours({span})", "justify_interval({span})", "make_interval(days => ({int})::int)"},
	"json": {
		"({json} -> 'a')", "({json} -> 0)", "({json} || {json})", "({json} - 'a')", "({json} #> '{b,0}')", "to_jsonb({int})", "to_jsonb({text} || '')", "to_jsonb({bool})", "to_jsonb({date})", "to_jsonb({num})", "jsonb_build_object('k', {int}, 'l', {text} || '')", "jsonb_build_array({int}, {num}, {bool})", "jsonb_strip_nulls({json})",
		"jsonb_path_query_array({json}, '$.*')",
	},
}

// atoms are the expressions without parts.
var atoms = map[string][]string{
	"int":     {"i", "b", "b", "0", "1", "-1", "2", "7", "100", "2147483647", "NULL::int"},
	"num":     {"n", "n", "0.5", "1.50", "-2.25", "100.001", "0.0"},
	"text":    {"id", "tier", "tier", "'a'", "''", "'Hello World'", "'€ß'", "'12'", "' x '", "'a,b,c'", "'%l%'", "NULL::text"},
	"bool":    {"ok", "ok", "true", "false", "NULL::boolean"},
	"date":    {"d", "d", "date '2024-01-31'", "date '1999-03-01'", "date '2020-02-29'"},
	"moment":  {"timestamp '2024-03-31 02:30:00'", "timestamp '2000-01-01 00:00:00.999999'", "(tz AT TIME ZONE 'UTC')"},
	"instant": {"tz", "tz", "timestamptz '2024-03-31 02:30:00+01'", "timestamptz '2024-11-03 01:30:00-04'"},
	"span":    {"interval '1 day'", "interval '1 month 2 days 03:04:05.678'", "interval '-90 minutes'", "interval '1 year'"},
	"json":    {"j", "j", `'{"a":2,"b":[1]}'::jsonb`, `'[1,"x",null]'::jsonb`, "'null'::jsonb", "'3'::jsonb"},
}

var kinds = []string{"int", "num", "text", "bool", "date", "moment", "instant", "span", "json"}

// queries are what the expressions stand in; {any} is of any kind.
var queries = []string{
	"SELECT id, {any} FROM tables ORDER BY id", "SELECT id, {any} FROM tables ORDER BY id", "SELECT id, {any}, {any} FROM tables WHERE {bool} ORDER BY id",
	"SELECT id FROM tables WHERE {bool} ORDER BY id", "SELECT {int} AS g, count(*), sum({int}), max({text}) FROM tables GROUP BY 1 ORDER BY 1",
	"SELECT {date} AS g, count({any}), bool_or({bool}), min({moment}) FROM tables GROUP BY g ORDER BY g", "SELECT {bool}, string_agg({text}, ',' ORDER BY id) FROM tables GROUP BY 1 ORDER BY 1",
	"SELECT count(DISTINCT {text}), min({date}), max({span}), array_agg({int} ORDER BY id) FROM tables", "SELECT jsonb_agg({int} ORDER BY id), count(*) FILTER (WHERE {bool}) FROM tables",
	"SELECT id, row_number() OVER (ORDER BY {int} NULLS FIRST, id), lag({date}) OVER (ORDER BY id) FROM tables ORDER BY id", "SELECT id, sum({int}) OVER (PARTITION BY ok ORDER BY id) FROM tables ORDER BY id",
	"SELECT DISTINCT {any} FROM tables ORDER BY 1", "SELECT {int} FROM tables UNION SELECT {int} FROM tables ORDER BY 1", "SELECT t.id, u.id FROM tables AS t JOIN tables AS u ON t.i = u.i AND t.ok ORDER BY 1, 2",
	"SELECT id FROM tables WHERE {int} IN (SELECT {int} FROM tables) ORDER BY id", "SELECT (SELECT max({int}) FROM tables), {any}",
}

const randomTables = `WITH tables AS (SELECT c.id, c.tier, c.active AS ok, c.created AS tz, c.birth AS d, c.attrs AS j, p.id::int AS i, p.stock AS b, round(p.price, 2) AS n
	FROM customer AS c LEFT JOIN product AS p ON p.id = length(c.id) + ascii(right(c.id, 1)) - 50)
`

var part = regexp.MustCompile(`\{[a-z]+\}`)

// written is a form with expressions in the place of the kinds, nested so deep at most.
func written(r *rand.Rand, form string, depth int) string {
	return part.ReplaceAllStringFunc(form, func(kind string) string {
		kind = strings.Trim(kind, "{}")
		if kind == "any" {
			kind = kinds[r.IntN(len(kinds))]
		}
		if depth == 0 || r.IntN(4) == 0 {
			return atoms[kind][r.IntN(len(atoms[kind]))]
		}
		return written(r, grammar[kind][r.IntN(len(grammar[kind]))], depth-1)
	})
}

// TestRandomStatements asks both sides statements made at random. None ends the session
// or is an internal error, and where both have an answer it is the same. An error in a
// value (class 22) may come on one side alone: the order in which parts are computed, and
// whether they are, is either's own. ONTOSQL_TORTURE=10m makes ever new statements for so
// long.
func TestRandomStatements(t *testing.T) {
	ctx := t.Context()
	real := postgresTables(t, "compat_random", tables)
	ours := connect(t, start(t, tables))
	first, until := uint64(0), time.Now()
	if text := os.Getenv("ONTOSQL_TORTURE"); text != "" {
		torture, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal("ONTOSQL_TORTURE:", err)
		}
		first, until = uint64(until.UnixNano())%1_000_000_000, until.Add(torture)
	}
	answered := 0
	for seed := first; seed < first+600 || time.Now().Before(until); seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		sql := randomTables + written(r, queries[r.IntN(len(queries))], 3)
		want, got := ask(ctx, real, sql), ask(ctx, ours, sql)
		value := strings.HasPrefix(want.code, "22") || strings.HasPrefix(got.code, "22")
		switch diff := compare(want, got, true); {
		case diff == "":
			answered++
		case got.code == "XX000", got.code == "connection", !value:
			t.Errorf("statement %d: %s\n%s", seed, sql, diff)
		}
		if got.code == "connection" {
			t.Fatal("the session has ended")
		}
	}
	if answered < 400 {
		t.Errorf("%d statements have an answer, fewer than 400", answered)
	}
	t.Logf("%d statements have the same answer", answered)
}
