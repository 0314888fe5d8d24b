package compat

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// program writes statements as a client of the shop may send them: in and out
// of transactions, good ones and bad ones. A statement has one fault at most,
// because the order in which several are found is nobody's promise.
type program struct {
	*rand.Rand
	fresh int // keys given out
}

// shopColumn is a column that a program writes, with spellings of values.
type shopColumn struct {
	name      string
	good, bad []string
	required  bool
}

// shopTable is a table with its key columns left out: keys are made.
type shopTable struct {
	name    string
	keys    []string
	columns []shopColumn
}

var shopTables = []shopTable{
	{"item", []string{"sku"}, []shopColumn{
		{"title", []string{"'Anvil'", "''", "'Groß 東'", "'it''s'", "upper('x') || 'y'", "7", "true", "E'a\\nb'"}, nil, true},
		{"price", []string{"1.5", "'12.50'", "NULL", "-0.25", "1e3", "7", "'0.000001'", "2 * 1.25", "DEFAULT"}, []string{"'x'", "1 / 0", "true", "'1.2.3'"}, false},
		{"weight", []string{"0.1", "'NaN'", "'-Infinity'", "'1e300'", "1e20", "5", "1.5::numeric", "NULL", "-0.0"}, []string{"'heavy'", "true", "1.0 / 0"}, false},
		{"sold", []string{"true", "'f'", "1 = 1", "NULL", "'yes'", "NOT true"}, []string{"1", "'perhaps'"}, false},
		{"added", []string{"'2024-02-29 10:00:00+00'", "'2024-02-29 23:59:59.123456+05:30'", "'2024-03-01'", "'2024-01-01'::date", "NULL"}, []string{"'soon'", "'2024-02-30 00:00:00'", "5", "'2024-01-01 25:00:00'"}, false},
		{"day", []string{"'2024-02-29'", "'1999-12-31'", "'2024-06-01 10:00:00'::timestamp", "NULL", "'2024-01-31'::date + 1"}, []string{"'2023-02-29'", "'tomorrowish'", "'2024-13-01'", "12"}, false},
		{"code", []string{"'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12'", "NULL"}, []string{"'a0eebc99'", "'zzeebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "5"}, false},
		{"raw", []string{`'\xdeadbeef'`, `'\x'`, "'abc'", "NULL"}, []string{"5", "'a'::text"}, false},
		{"tags", []string{`'{"a":1,"b":[true,null,"x"]}'`, "'[]'", `'"s"'`, "'1.5'", "NULL", "jsonb_build_object('k', 1)"}, []string{"'{'", "'nope'", "5", `'{"a":NaN}'`}, false},
		{"stock", []string{"0", "-9223372036854775808", "'42'", "2.5", "NULL", "3::smallint", "(SELECT count(*) FROM shelf WHERE false)"}, []string{"'4 2'", "9223372036854775808", "'99999999999999999999'", "true", "1e25", "''"}, false},
	}},
	{"shelf", []string{"name"}, []shopColumn{
		{"height", []string{"1", "'2'", "3.4", "-5", "abs(-6)"}, []string{"'high'", "true", "1 / 0"}, true},
		{"note", []string{"'n'", "NULL", "5", "'x' || 1", "lower('ABC')"}, nil, false},
	}},
	{"stands", []string{"left_key", "right_key", "slot"}, []shopColumn{
		{"since", []string{"'2024-02-29'", "NULL", "'2024-05-05'"}, []string{"'never'", "'2024-02-30'"}, false},
		{"places", []string{"1", "'12'", "2 + 2"}, []string{"'few'", "1e19"}, true},
	}},
}

// pick is one of the values.
func pick[T any](p *program, from []T) T { return from[p.IntN(len(from))] }

// statement is the next thing a client sends: one statement, or a few in one
// string.
func (p *program) statement() string {
	switch n := p.IntN(100); {
	case n < 10:
		return pick(p, []string{"BEGIN", "BEGIN WORK", "START TRANSACTION"})
	case n < 19:
		return pick(p, []string{"COMMIT", "COMMIT", "END"})
	case n < 23:
		return pick(p, []string{"ROLLBACK", "ABORT"})
	case n < 40:
		return p.read()
	case n < 44:
		return pick(p, []string{
			"SELECT 1 / 0", "SELECT nope FROM item", "INSERT INTO nowhere VALUES (1)", "SELEC 1", "INSERT INTO item (sku, nope) VALUES (1, 2)",
			"INSERT INTO shelf VALUES ('a', 1, 'b', 'c')", "INSERT INTO shelf (name, name) VALUES ('a', 'b')", "INSERT INTO shelf (name, height) VALUES ('a')",
			"INSERT INTO shelf (name, height) VALUES ('v', 1), ('w')", "SHOW transaction_isolation_", "",
		})
	case n < 52:
		parts := make([]string, 2+p.IntN(3))
		for i := range parts {
			if p.IntN(3) == 0 {
				parts[i] = p.read()
			} else {
				parts[i] = p.insert()
			}
		}
		return strings.Join(parts, "; ")
	case n < 60:
		return p.insertSelect()
	}
	return p.insert()
}

// read sees what the transaction wrote and what others committed.
func (p *program) read() string {
	return pick(p, []string{
		"SELECT * FROM item ORDER BY sku DESC LIMIT 5",
		"SELECT count(*), count(price), sum(stock), min(title), max(day) FROM item",
		"SELECT * FROM shelf ORDER BY name DESC LIMIT 5",
		"SELECT count(*), sum(height), max(note) FROM shelf",
		"SELECT i.title, s.height, t.places FROM stands t JOIN item i ON i.sku = t.left_key JOIN shelf s ON s.name = t.right_key ORDER BY 1, 2, 3 LIMIT 5",
		"WITH tall AS (SELECT name FROM shelf WHERE height > 2) SELECT count(*) FROM tall",
		"SELECT left_key, right_key, slot, places, since FROM stands ORDER BY 1 DESC, 2, 3 LIMIT 5",
		"SELECT sku FROM item i WHERE NOT EXISTS (SELECT 1 FROM stands s WHERE s.left_key = i.sku) ORDER BY sku LIMIT 3",
		"SELECT sold, count(*) FROM item GROUP BY sold ORDER BY sold",
	})
}

// insert is an INSERT of listed rows.
func (p *program) insert() string {
	tab := pick(p, shopTables)
	rows := 1
	if p.IntN(2) == 0 {
		rows += p.IntN(4)
	}
	// The columns of the statement: all keys and the required ones, some others,
	// in any order.
	columns := append([]string{}, tab.keys...)
	at := map[string]shopColumn{}
	for _, c := range tab.columns {
		if c.required || p.IntN(2) == 0 {
			columns = append(columns, c.name)
		}
		at[c.name] = c
	}
	p.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	faulty, kind := p.IntN(rows), p.IntN(12) // most statements have no fault
	lists := make([]string, rows)
	for r := range rows {
		fault := -1
		if r == faulty {
			fault = kind
		}
		lists[r] = "(" + strings.Join(p.row(tab, columns, at, fault), ", ") + ")"
	}
	named := " (" + strings.Join(columns, ", ") + ")"
	if kind == 5 && rows == 1 { // a required column is missing
		named, lists = p.keysOnly(tab)
	}
	return "INSERT INTO " + tab.name + named + " VALUES " + strings.Join(lists, ", ") + p.returning(tab)
}

// The faults of a row.
const (
	badValue = iota
	twice
	twiceToo
	nullKey
	nullRequired
)

// row are the values of one row.
func (p *program) row(tab shopTable, columns []string, at map[string]shopColumn, fault int) []string {
	keys := p.key(tab, fault == twice || fault == twiceToo)
	if fault == nullKey {
		keys[p.IntN(len(keys))] = "NULL"
	}
	values := make([]string, len(columns))
	bad := ""
	if fault == badValue {
		bad = pick(p, columns)
	}
	for i, name := range columns {
		c, field := at[name]
		for k := range tab.keys {
			if tab.keys[k] == name {
				values[i] = keys[k]
			}
		}
		switch {
		case !field:
		case name == bad && len(c.bad) > 0:
			values[i] = pick(p, c.bad)
		case fault == nullRequired && c.required:
			values[i] = "NULL"
		default:
			values[i] = pick(p, c.good)
		}
	}
	return values
}

// keysOnly is an INSERT without the columns that are required.
func (p *program) keysOnly(tab shopTable) (named string, lists []string) {
	return " (" + strings.Join(tab.keys, ", ") + ")", []string{"(" + strings.Join(p.key(tab, false), ", ") + ")"}
}

// key are the key values of a new row, or of one that was there before.
func (p *program) key(tab shopTable, again bool) []string {
	p.fresh++
	n := p.fresh
	if again {
		n = max(1, n-1-p.IntN(12))
	}
	switch tab.name {
	case "item":
		return []string{fmt.Sprint(n)}
	case "shelf":
		return []string{fmt.Sprintf("'s%d'", n)}
	}
	// Endpoints that are there, mostly.
	return []string{fmt.Sprint(1 + n*7%(n+1)), fmt.Sprintf("'s%d'", 1+n*5%(n+1)), fmt.Sprintf("'slot %d'", n)}
}

// insertSelect is an INSERT of what a query gives.
func (p *program) insertSelect() string {
	p.fresh += 3
	n := p.fresh
	sql := pick(p, []string{
		fmt.Sprintf("INSERT INTO item (sku, title, stock) SELECT %d + g, 'g' || g, g * 2 FROM generate_series(0, 2) AS g", n-2),
		fmt.Sprintf("INSERT INTO shelf (name, height) SELECT 's' || (%d + g), count(*) FROM item, generate_series(0, 2) AS g WHERE sku < 20 GROUP BY g ORDER BY g", n-2),
		fmt.Sprintf("INSERT INTO shelf SELECT 's%d', coalesce(max(height), 0) + 1, min(note) FROM shelf", n),
		fmt.Sprintf("WITH two AS (SELECT %d AS a UNION ALL SELECT %d) INSERT INTO item (title, sku) SELECT 'cte', a FROM two ORDER BY a", n, n-1),
		fmt.Sprintf("INSERT INTO stands (left_key, right_key, slot, places) SELECT sku, 's1', 'mass %d', 1 FROM item WHERE sku < 9 ORDER BY sku", n),
		fmt.Sprintf("INSERT INTO item (sku, title) SELECT %d, NULL", n),
		fmt.Sprintf("INSERT INTO item (sku, title, stock) SELECT %d, 'x', 10 / (g - 1) FROM generate_series(1, 1) AS g", n),
		"INSERT INTO shelf SELECT name, height FROM shelf WHERE height = 1 ORDER BY name LIMIT 1",
		"INSERT INTO shelf SELECT 'none', 1 WHERE false",
	})
	for _, tab := range shopTables {
		if strings.Contains(sql, "INSERT INTO "+tab.name+" ") {
			sql += p.returning(tab)
		}
	}
	return sql
}

// returning is a RETURNING, or none.
func (p *program) returning(tab shopTable) string {
	shown := map[string][]string{
		"item":   {"*", "sku", "sku + 1 AS next, length(title)", "item.title, price IS NULL", "(SELECT count(*) FROM shelf WHERE height < 0), sku"},
		"shelf":  {"*", "name, height * 2", "shelf.*, 'x'"},
		"stands": {"*", "slot", "left_key, right_key, slot || '!'"},
	}[tab.name]
	if p.IntN(3) > 0 {
		return ""
	}
	return " RETURNING " + pick(p, shown)
}
