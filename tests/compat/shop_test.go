package compat

// shopTable is a table as the programs write it, with its key columns left out:
// keys are made.
type shopTable struct {
	name    string
	keys    []string
	columns []shopColumn
	shown   []string // RETURNING lists
	where   []string // conditions without a fault
}

// shopColumn is a column with the values that may be assigned to it. A good value is valid in
// every row; a bad one may be invalid, because the fault that PostgreSQL reports first is
// undefined.
type shopColumn struct {
	name      string
	oid       uint32
	good, bad []string // of an INSERT: no column in them
	sets      []string // additional good values of an UPDATE
	badSets   []string // additional bad values
	texts     []string // of a parameter
	badTexts  []string
	required  bool
}

var shopTables = []shopTable{
	{
		name: "item", keys: []string{"sku"},
		columns: []shopColumn{
			{
				name: "title", oid: 25, required: true,
				good:    []string{"'Anvil'", "''", "'Groß 東'", "'it''s'", "upper('x') || 'y'", "7", "true", "E'a\\nb'"},
				sets:    []string{"left(title, 6) || '!'", "title || sku", "coalesce(title, '-')", "CASE WHEN sold THEN 'sold' ELSE title END", "reverse(title)"},
				badSets: []string{"NULL", "nope", "title + 1", "sum(sku)", "DEFAULT"},
				texts:   []string{"Bolt", "", "Öse\t1", "a'b\"c"},
			},
			{
				name: "price", oid: 1700,
				good:    []string{"1.5", "'12.50'", "NULL", "-0.25", "1e3", "7", "'0.000001'", "2 * 1.25", "DEFAULT"},
				bad:     []string{"'x'", "1 / 0", "true", "'1.2.3'"},
				sets:    []string{"price + 0.25", "coalesce(price, 0) - 1", "-price", "round(price, 1)", "sku"},
				badSets: []string{"1.0 / (sku - sku)", "title"},
				texts:   []string{"0", "12.5", "-0.000001", "123456789012345.678"}, badTexts: []string{"abc", ""},
			},
			{
				name: "weight", oid: 701,
				good:    []string{"0.1", "'NaN'", "'-Infinity'", "'1e300'", "1e20", "5", "1.5::numeric", "NULL", "-0.0"},
				bad:     []string{"'heavy'", "true", "1.0 / 0"},
				sets:    []string{"weight / 2", "-weight", "sku", "sku + 0.5", "abs(weight)"},
				badSets: []string{"1.5 / (sku - sku)", "sold"},
				texts:   []string{"1.5", "-0", "NaN", "1e-300"}, badTexts: []string{"abc", "1e999"},
			},
			{
				name: "sold", oid: 16,
				good:    []string{"true", "'f'", "1 = 1", "NULL", "'yes'", "NOT true"},
				bad:     []string{"1", "'perhaps'"},
				sets:    []string{"NOT sold", "stock > 3", "title LIKE 'A%'", "price IS NULL", "sku IN (1, 3, 5)", "EXISTS (SELECT 1 FROM stands WHERE left_key = sku)"},
				badSets: []string{"title", "stock", "(sku / (sku - sku)) > 0"},
				texts:   []string{"t", "f"}, badTexts: []string{"perhaps"},
			},
			{
				name: "added", oid: 1184,
				good:    []string{"'2024-02-29 10:00:00+00'", "'2024-02-29 23:59:59.123456+05:30'", "'2024-03-01'", "'2024-01-01'::date", "NULL"},
				bad:     []string{"'soon'", "'2024-02-30 00:00:00'", "5", "'2024-01-01 25:00:00'"},
				sets:    []string{"added + interval '1 day'", "added - interval '1 hour'", "day", "date_trunc('day', added)"},
				badSets: []string{"stock"},
				texts:   []string{"2024-02-29 10:00:00+00", "1999-12-31 23:59:59.999999+00"}, badTexts: []string{"soon"},
			},
			{
				name: "day", oid: 1082,
				good:    []string{"'2024-02-29'", "'1999-12-31'", "'2024-06-01 10:00:00'::timestamp", "NULL", "'2024-01-31'::date + 1"},
				bad:     []string{"'2023-02-29'", "'tomorrowish'", "'2024-13-01'", "12"},
				sets:    []string{"day + 1", "added", "day - 7", "day - interval '1 day'"},
				badSets: []string{"sku", "day * 2"},
				texts:   []string{"2024-02-29", "0044-03-15"}, badTexts: []string{"2023-02-29"},
			},
			{
				name: "code", oid: 2950,
				good:    []string{"'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12'", "NULL"},
				bad:     []string{"'a0eebc99'", "'zzeebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "5"},
				sets:    []string{"code", "coalesce(code, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a13')"},
				badSets: []string{"title"},
				texts:   []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a14"}, badTexts: []string{"a0eebc99"},
			},
			{
				name: "raw", oid: 17,
				good:    []string{`'\xdeadbeef'`, `'\x'`, "'abc'", "NULL"},
				bad:     []string{"5", "'a'::text"},
				sets:    []string{"raw", "CASE WHEN sold THEN raw END"},
				badSets: []string{"title"},
				texts:   []string{`\x00ff`, `\x`}, badTexts: []string{`\xabc`},
			},
			{
				name: "tags", oid: 3802,
				good:    []string{`'{"a":1,"b":[true,null,"x"]}'`, "'[]'", `'"s"'`, "'1.5'", "NULL", "jsonb_build_object('k', 1)"},
				bad:     []string{"'{'", "'nope'", "5", `'{"a":NaN}'`},
				sets:    []string{`tags || '{"n": 1}'`, "coalesce(tags, '{}')", "jsonb_build_object('t', title, 's', sku)", "to_jsonb(title)"},
				badSets: []string{"tags - 'a'", "jsonb_set(tags, '{a}', to_jsonb(sku))", "tags #- '{b,0}'", "title", "to_jsonb(1 / (sku - sku))"},
				texts:   []string{`{"a": [1, {"b": null}]}`, `"x"`, `[]`}, badTexts: []string{`{"a"`},
			},
			{
				name: "stock", oid: 20,
				good:    []string{"0", "3", "'42'", "2.5", "NULL", "3::smallint", "(SELECT count(*) FROM shelf WHERE false)"},
				bad:     []string{"'4 2'", "9223372036854775808", "'99999999999999999999'", "true", "1e25", "''"},
				sets:    []string{"stock + 1", "coalesce(stock, 0) + sku", "length(title)", "stock / 2", "stock % 7", "(SELECT count(*) FROM stands WHERE left_key = sku)", "(SELECT max(height) FROM shelf)", "CASE WHEN stock > 5 THEN 100 / stock ELSE 0 END"},
				badSets: []string{"10 / (stock - 3)", "9223372036854775807 + sku", "(stock + 1) * 9223372036854775807", "title", "(SELECT height FROM shelf WHERE height > sku)"},
				texts:   []string{"0", "-9223372036854775808", "42"}, badTexts: []string{"4 2", "9223372036854775808"},
			},
		},
		shown: []string{"*", "sku", "sku + 1 AS next, length(title)", "item.title, price IS NULL", "(SELECT count(*) FROM shelf WHERE height < 0), sku", "sku, tags, raw, code", "stock * 2 AS twice, sku, sold, day, added"},
		where: []string{
			"sku < 5", "sku > 3", "stock > 2", "stock IS NULL", "sold", "title LIKE 'A%'", "sku IN (SELECT left_key FROM stands)", "sku % 2 = 0", "price IS NOT NULL AND price > 1",
			"NOT EXISTS (SELECT 1 FROM stands s WHERE s.left_key = item.sku)", "tags IS NULL", "tags ->> 'a' = '1'", "day < '2024-02-01'", "false", "stock = (SELECT max(stock) FROM item)",
		},
	},
	{
		name: "shelf", keys: []string{"name"},
		columns: []shopColumn{
			{
				name: "height", oid: 20, required: true,
				good: []string{"1", "'2'", "3.4", "-5", "abs(-6)"}, bad: []string{"'high'", "true", "1 / 0"},
				sets:    []string{"height + 1", "length(name)", "-height", "(SELECT count(*) FROM stands WHERE right_key = name)", "coalesce((SELECT min(stock) FROM item), 1)"},
				badSets: []string{"NULL", "12 / (height - 2)", "note", "(SELECT stock FROM item WHERE sku = 1)", "DEFAULT"},
				texts:   []string{"7", "-1"}, badTexts: []string{"high"},
			},
			{
				name: "note", oid: 25,
				good: []string{"'n'", "NULL", "5", "'x' || 1", "lower('ABC')"},
				sets: []string{"left(note, 5) || '+'", "name || height", "coalesce(note, name)", "(SELECT min(title) FROM item)"}, badSets: []string{"missing", "note - 1"},
				texts: []string{"n", "ä", ""},
			},
		},
		shown: []string{"*", "name, height * 2", "shelf.*, 'x'", "name, (SELECT count(*) FROM item WHERE stock > height)"},
		where: []string{"height > 1", "note IS NULL", "name IN ('s1', 's3', 's5')", "name LIKE 's%'", "height < (SELECT avg(height) FROM shelf)", "EXISTS (SELECT 1 FROM stands WHERE right_key = name)", "note ~ '^n'"},
	},
	{
		name: "stands", keys: []string{"left_key", "right_key", "slot"},
		columns: []shopColumn{
			{
				name: "since", oid: 1082, good: []string{"'2024-02-29'", "NULL", "'2024-05-05'"}, bad: []string{"'never'", "'2024-02-30'"},
				sets: []string{"since + 1", "(SELECT max(day) FROM item WHERE sku = left_key)"}, badSets: []string{"left_key"},
				texts: []string{"2024-01-01"}, badTexts: []string{"never"},
			},
			{
				name: "places", oid: 20, required: true, good: []string{"1", "'12'", "2 + 2"}, bad: []string{"'few'", "1e19"},
				sets: []string{"places + 1", "left_key * 2", "length(slot || right_key)"}, badSets: []string{"NULL", "100 / (places - 4)", "slot"},
				texts: []string{"3"}, badTexts: []string{"few", "1.5"},
			},
		},
		shown: []string{"*", "slot", "left_key, right_key, slot || '!'", "left_key + 1, places, since"},
		where: []string{"left_key < 3", "right_key = 's1'", "slot = 'a'", "places > 2", "since IS NULL", "left_key IN (SELECT sku FROM item WHERE stock > 0)", "(left_key, right_key) IN (SELECT 1, 's1')"},
	},
	{
		name: "owns", keys: []string{"left_key", "right_key"},
		columns: []shopColumn{
			{
				name: "share", oid: 701, good: []string{"0.5", "NULL", "1", "'0.25'"}, bad: []string{"'half'"},
				sets: []string{"share / 2", "1 - share", "right_key"}, badSets: []string{"1.5 / (right_key - right_key)", "left_key"},
				texts: []string{"0.5", "1"}, badTexts: []string{"half"},
			},
		},
		shown: []string{"*", "left_key, share", "left_key || right_key AS both"},
		where: []string{"right_key > 2", "left_key = 's1'", "share IS NULL", "share > 0.3", "left_key IN (SELECT name FROM shelf)"},
	},
}
