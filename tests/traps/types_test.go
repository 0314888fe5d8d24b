package traps

import (
	"fmt"
	"strings"
	"testing"
)

// infoTypes is what asyncpg asks of a type that it does not know, down to what it is
// made of.
const infoTypes = `WITH RECURSIVE typeinfo_tree(oid, ns, name, kind, basetype, elemtype, elemdelim, range_subtype, attrtypoids, attrnames, depth) AS (
	SELECT ti.oid, ti.ns, ti.name, ti.kind, ti.basetype, ti.elemtype, ti.elemdelim, ti.range_subtype, ti.attrtypoids, ti.attrnames, 0 FROM (%[1]s) AS ti WHERE ti.oid = any($1::oid[])
	UNION ALL
	SELECT ti.oid, ti.ns, ti.name, ti.kind, ti.basetype, ti.elemtype, ti.elemdelim, ti.range_subtype, ti.attrtypoids, ti.attrnames, tt.depth + 1
	FROM (%[1]s) AS ti, typeinfo_tree tt
	WHERE (tt.elemtype IS NOT NULL AND ti.oid = tt.elemtype) OR (tt.attrtypoids IS NOT NULL AND ti.oid = any(tt.attrtypoids)) OR (tt.range_subtype IS NOT NULL AND ti.oid = tt.range_subtype) OR (tt.basetype IS NOT NULL AND ti.oid = tt.basetype))
SELECT DISTINCT oid, name, kind, basetype::regtype::text AS basetype_name, elemtype, elemtype::regtype::text AS elemtype_name, depth FROM typeinfo_tree ORDER BY depth DESC, oid`

const infoType = `SELECT t.oid AS oid, ns.nspname AS ns, t.typname AS name, t.typtype AS kind, CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE NULL END AS basetype,
	(SELECT t2.typelem FROM pg_catalog.pg_type t2 WHERE t2.oid = t.oid AND t2.typlen = -1 AND t2.typelem <> 0 AND t2.typreceive::oid = 2400) AS elemtype,
	(SELECT el.typdelim FROM pg_catalog.pg_type el WHERE el.oid = t.typelem) AS elemdelim,
	(SELECT range_t.rngsubtype FROM pg_catalog.pg_range range_t WHERE range_t.rngtypid = t.oid) AS range_subtype,
	(CASE WHEN t.typtype = 'c' THEN (SELECT array_agg(ia.atttypid ORDER BY ia.attnum) FROM pg_attribute ia INNER JOIN pg_class c ON (ia.attrelid = c.oid) WHERE ia.attnum > 0 AND NOT ia.attisdropped AND c.reltype = t.oid) ELSE NULL END) AS attrtypoids,
	(CASE WHEN t.typtype = 'c' THEN (SELECT array_agg(ia.attname::text ORDER BY ia.attnum) FROM pg_attribute ia INNER JOIN pg_class c ON (ia.attrelid = c.oid) WHERE ia.attnum > 0 AND NOT ia.attisdropped AND c.reltype = t.oid) ELSE NULL END) AS attrnames
	FROM pg_catalog.pg_type AS t INNER JOIN pg_catalog.pg_namespace ns ON (ns.oid = t.typnamespace)`

// loadTypes is what Npgsql asks at its first connection.
const loadTypes = `SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull, t.elemtypoid FROM (
	SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull, typ.relkind, elemtyp.oid AS elemtypoid, elemtyp.typname AS elemtypname, elemcls.relkind AS elemrelkind,
		CASE WHEN elemproc.proname='array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemtyptype
	FROM (SELECT typ.oid, typnamespace, typname, typrelid, typnotnull, relkind, typelem AS elemoid, CASE WHEN proc.proname='array_recv' THEN 'a' ELSE typ.typtype END AS typtype,
			CASE WHEN proc.proname='array_recv' THEN typ.typelem WHEN typ.typtype='r' THEN rngsubtype WHEN typ.typtype='d' THEN typ.typbasetype END AS elemtypoid
		FROM pg_type AS typ LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid) LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)) AS typ
	LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = elemtypoid LEFT JOIN pg_class AS elemcls ON (elemcls.oid = elemtyp.typrelid) LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive) AS t
JOIN pg_namespace AS ns ON (ns.oid = typnamespace)
WHERE typtype IN ('b', 'r', 'm', 'e', 'd') OR (typtype = 'p' AND typname IN ('record', 'void')) OR (typtype = 'a' AND elemtyptype IN ('b', 'r', 'm', 'e', 'd'))
ORDER BY CASE WHEN typtype IN ('b', 'e', 'p') THEN 0 WHEN typtype = 'r' THEN 1 WHEN typtype = 'a' THEN 5 END, t.oid`

// typeTraps are those of types and their texts.
var typeTraps = []trap{
	{32, "a type modifier that is not there is -1", func(t *testing.T, g *gate) {
		r := g.connect(t).ExecParams(t.Context(), "SELECT interval '1 day', time '10:00', now(), 'x'::varchar, 1.5, title, added FROM item", nil, nil, nil, nil).Read()
		for _, f := range r.FieldDescriptions {
			if f.TypeModifier != -1 {
				t.Errorf("%s: %d", f.Name, f.TypeModifier)
			}
		}
	}},
	{33, "the modifier of numeric(10,2) is ((10 << 16) | 2) + 4", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT atttypmod, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'item'::regclass AND attname = 'price'", "655366|numeric(10,2)")
		r := c.ExecParams(t.Context(), "SELECT price, 1::numeric(10,2) FROM item", nil, nil, nil, nil).Read()
		for _, f := range r.FieldDescriptions {
			if f.TypeModifier != 655366 {
				t.Errorf("%s: %d", f.Name, f.TypeModifier)
			}
		}
	}},
	{34, "columns of the catalog have PostgreSQL's types: oid, name, \"char\", int2", func(t *testing.T, g *gate) {
		got := g.open(t).talk(t, simple("SELECT oid, relname, relkind, relnatts, relacl, reloptions FROM pg_class WHERE false"))
		expect(t, "pg_class", got[:1], "Columns oid 26/0, relname 19/0, relkind 18/0, relnatts 21/0, relacl 1034/0, reloptions 1009/0")
		got = g.open(t).talk(t, simple("SELECT indkey, indclass, indoption FROM pg_index WHERE false"))
		expect(t, "pg_index", got[:1], "Columns indkey 22/0, indclass 30/0, indoption 22/0")
	}},
	{35, "pg_type has no NULL where drivers want a number", func(t *testing.T, g *gate) {
		g.connect(t).want(t, "SELECT count(*) > 100, count(*) FILTER (WHERE typlen IS NULL OR typtypmod IS NULL OR typbasetype IS NULL OR typelem IS NULL OR typdelim IS NULL OR typarray IS NULL OR typreceive IS NULL OR typnotnull IS NULL) FROM pg_type", "t|0")
	}},
	{36, "every column's type is in pg_type", func(t *testing.T, g *gate) {
		g.connect(t).want(t, "SELECT count(*) FILTER (WHERE t.oid IS NULL), count(*) FILTER (WHERE c.relname = 'item') FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_type t ON t.oid = a.atttypid WHERE a.attnum > 0 AND n.nspname = 'public'", "0|10")
	}},
	{37, "texts of dates and times with offsets, and infinity", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT day, added FROM item WHERE sku = 1", "2024-02-29|2024-02-29 10:00:00+00")
		c.want(t, "SELECT 'infinity'::date, '-infinity'::timestamptz, 'infinity'::timestamp", "infinity|-infinity|infinity")
		c.want(t, "SET TimeZone = 'Asia/Kolkata'; SELECT added, '0044-03-15 BC'::date FROM item WHERE sku = 1", "2024-02-29 15:30:00+05:30|0044-03-15 BC")
	}},
	{38, "timestamp is 1114, timestamptz 1184", func(t *testing.T, g *gate) {
		got := g.open(t).talk(t, simple("SELECT added, added AT TIME ZONE 'UTC' AS local, date_trunc('day', added) AS cut FROM item WHERE false"))
		expect(t, "types", got[:1], "Columns added 1184/0, local 1114/0, cut 1184/0")
	}},
	{39, "a bound time may end in an offset or in Z", func(t *testing.T, g *gate) {
		c := g.connect(t)
		for _, text := range []string{"2024-02-29 10:00:00+00", "2024-02-29T10:00:00Z", "2024-02-29 10:00:00 Z", "2024-02-29 12:00:00+02:00", "2024-02-29 10:00:00 UTC"} {
			if got := c.query(t, "SELECT sku FROM item WHERE added = $1", nil, text); got != "1" {
				t.Errorf("%s: %q", text, got)
			}
		}
	}},
	{40, "nanoseconds are rounded to microseconds", func(t *testing.T, g *gate) {
		g.connect(t).want(t, "SELECT '2024-01-01 00:00:00.123456789'::timestamp, '2024-01-01 00:00:00.999999999+00'::timestamptz", "2024-01-01 00:00:00.123457|2024-01-01 00:00:01+00")
	}},
	{41, "integers beyond 64 bits are numeric", func(t *testing.T, g *gate) {
		got := g.open(t).talk(t, simple("SELECT sum(x) AS s, 9223372036854775808 AS n, count(*) AS c FROM (VALUES (9223372036854775807), (9223372036854775807)) v(x)"))
		expect(t, "sum", got[:2], "Columns s 1700/0, n 1700/0, c 20/0", "Row 18446744073709551614|9223372036854775808|2")
		g.connect(t).wantCode(t, "SELECT 9223372036854775807 + 1", "22003")
	}},
	{42, "a JSON string keeps its quotes", func(t *testing.T, g *gate) {
		g.connect(t).want(t, `SELECT '"s"'::jsonb, tags -> 'a', tags ->> 'a', to_json('q"'::text) FROM item WHERE sku = 1`, `"s"|"x"|x|"q\""`)
	}},
	{43, "objects keep the types and the order of their keys", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, `SELECT jsonb_build_object('bb', 1, 'a', 'x', 'c', true, 'd', NULL), '{"10": 1, "9": 2}'::jsonb`, `{"a": "x", "c": true, "d": null, "bb": 1}|{"9": 2, "10": 1}`)
		c.want(t, `SELECT '{"b":1,  "a":2}'::json`, `{"b":1,  "a":2}`)
	}},
	{44, "asyncpg looks into a type that it does not know", func(t *testing.T, g *gate) {
		got := g.connect(t).query(t, fmt.Sprintf(infoTypes, infoType), nil, "{1022,3904}")
		if want := "23|int4|b|NULL|NULL|NULL|1\n701|float8|b|NULL|NULL|NULL|1\n1022|_float8|b|NULL|701|double precision|0\n3904|int4range|r|NULL|NULL|NULL|0"; got != want {
			t.Errorf("got:\n%s\nwanted:\n%s", got, want)
		}
	}},
	{45, "Npgsql loads all types", func(t *testing.T, g *gate) {
		rows := strings.Split(g.connect(t).asked(t, loadTypes), "\n")
		seen := map[string]bool{}
		for _, row := range rows {
			seen[row] = true
		}
		for _, want := range []string{"pg_catalog|25|text|b|f|NULL", "pg_catalog|1009|_text|a|f|25", "pg_catalog|3802|jsonb|b|f|NULL", "pg_catalog|3904|int4range|r|f|23", "pg_catalog|2950|uuid|b|f|NULL"} {
			if !seen[want] {
				t.Errorf("%q is not among %d types", want, len(rows))
			}
		}
	}},
	{46, "there is no type lo, and asking for it is no error", func(t *testing.T, g *gate) {
		g.connect(t).want(t, "select oid, typbasetype from pg_type where typname = 'lo'", "")
	}},
	{47, "what is not there has its own SQLSTATE", func(t *testing.T, g *gate) {
		c := g.connect(t)
		for sql, code := range map[string]string{
			"SELECT * FROM pg_catalog.pg_nothing": "42P01", "SELECT * FROM nowhere.item": "42P01", "SELECT nothing FROM item": "42703", "SELECT nothing(1)": "42883",
			"SELECT 1::nothing": "42704", "CREATE TABLE nowhere.x (id int8 PRIMARY KEY)": "3F000", "SHOW nothing": "42704", "SELEC 1": "42601", "FETCH nothing": "34000",
		} {
			c.wantCode(t, sql, code)
		}
	}},
	{48, "two writers of one row: the second has 40001", func(t *testing.T, g *gate) {
		a, b := g.connect(t), g.connect(t)
		a.do(t, "INSERT INTO shelf VALUES ('trap 48', 1)")
		for _, c := range []*session{a, b} {
			c.do(t, "BEGIN; UPDATE shelf SET height = height + 1 WHERE name = 'trap 48'")
		}
		a.do(t, "COMMIT")
		b.wantCode(t, "COMMIT", "40001")
		b.want(t, "SELECT height FROM shelf WHERE name = 'trap 48'", "2")
	}},
	{49, "a name is cut at 63 bytes wherever it stands", func(t *testing.T, g *gate) {
		c, long := g.connect(t), "trap49_"+strings.Repeat("x", 70)
		c.do(t, "CREATE TABLE "+long+" (id int8 PRIMARY KEY, c_"+long+" text)")
		c.do(t, "INSERT INTO "+long+" VALUES (1, 'a')")
		c.want(t, "SELECT q.c_"+long+" FROM "+long+" q WHERE q.c_"+long[:60]+"x = 'a' OR true", "a")
		c.want(t, "SELECT length(relname) FROM pg_class WHERE relkind = 'r' AND relname = '"+long[:63]+"'", "63")
		if r := c.ExecParams(t.Context(), "SELECT 1 AS "+long, nil, nil, nil, nil).Read(); r.FieldDescriptions[0].Name != long[:63] {
			t.Error(r.FieldDescriptions[0].Name)
		}
	}},
	{50, "a backslash in a bound text stays one", func(t *testing.T, g *gate) {
		c := g.connect(t)
		for _, text := range []string{`a\b`, `\\`, `\n`, `'\''`, `\x41`, `%\_`} {
			if got := c.query(t, "SELECT $1::text, length($1), $1 = $2", nil, text, text); got != fmt.Sprintf("%s|%d|t", text, len(text)) {
				t.Errorf("%s: %q", text, got)
			}
		}
	}},
}
