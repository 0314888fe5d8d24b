package compat

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// table is a table of the corpus, made on both sides.
type table struct {
	name    string
	key     []string
	columns []tableColumn
	rows    []string // the values of one row, as literals that both sides read
	ddl     string   // its CREATE TABLE, where the columns alone do not say it
}

type tableColumn struct {
	name     string
	postgres string
	typ      column.Type
}

var (
	text      = column.Type{Kind: column.Text}
	bigint    = column.Type{Kind: column.Int64}
	double    = column.Type{Kind: column.Float64}
	boolean   = column.Type{Kind: column.Bool}
	numeric   = column.Type{Kind: column.Numeric, Width: 38, Scale: 12}
	date      = column.Type{Kind: column.Date}
	timestamp = column.Type{Kind: column.TimestampTZ}
	jsonb     = column.Type{Kind: column.JSON}
)

var tables = []table{
	{
		name: "customer", key: []string{"id"},
		columns: []tableColumn{
			{"id", "text", text},
			{"name", "text", text},
			{"tier", "text", text},
			{"balance", "double precision", double},
			{"age", "bigint", bigint},
			{"active", "boolean", boolean},
			{"created", "timestamptz", timestamp},
			{"birth", "date", date},
			{"credit", "numeric", numeric},
			{"attrs", "jsonb", jsonb},
		},
		rows: []string{
			`'c1', 'Ada Lovelace', 'gold', 1250.5, 36, true, '2024-01-15 10:30:00+00', '1985-12-10', 100.25, '{"city": "London", "n": 1, "tags": ["a", "b"], "deep": {"x": 10}}'`,
			`'c2', 'Grace Hopper', 'silver', 300, 85, true, '2024-02-29 23:59:59.5+00', '1940-12-09', 0.5, '{"city": "New York", "n": 2.5, "tags": []}'`,
			`'c3', 'Alan Turing', 'gold', 0, 41, false, '2024-03-01 00:00:00+00', '1983-06-23', 7, '{"city": null, "n": 3}'`,
			`'c4', 'Édith Piaf', NULL, -75.25, NULL, NULL, '2023-12-31 12:00:00+00', NULL, NULL, NULL`,
			`'c5', 'O''Brien %_', 'bronze', 1e20, 20, true, '2024-03-15 08:00:00+00', '2004-02-29', 12345678.123456789, '{"city": "Cork", "tags": ["b", "c"], "n": -1}'`,
			`'c6', '', 'silver', 0.1, 50, false, '2024-06-30 18:45:10.123456+00', '1974-01-01', -3.5, '{}'`,
		},
	},
	{
		name: "product", key: []string{"id"},
		columns: []tableColumn{
			{"id", "bigint", bigint}, {"name", "text", text}, {"category", "text", text}, {"price", "numeric", numeric}, {"stock", "bigint", bigint}, {"launched", "date", date},
		},
		rows: []string{
			`1, 'Basic', 'plan', 9.99, 100, '2020-01-01'`, `2, 'Pro', 'plan', 29.5, 50, '2021-06-15'`, `3, 'Team', 'plan', 99, 0, '2022-03-31'`,
			`4, 'Sticker', 'goods', 0.75, 1000, '2023-11-05'`, `5, 'Mug', 'goods', NULL, 7, NULL`,
		},
	},
	{
		name: "subscription", key: []string{"left_key", "right_key"},
		columns: []tableColumn{
			{"left_key", "text", text}, {"right_key", "bigint", bigint}, {"since", "date", date}, {"quantity", "bigint", bigint}, {"note", "text", text},
		},
		rows: []string{
			`'c1', 1, '2024-01-20', 3, 'first'`, `'c1', 2, '2024-02-01', 1, NULL`, `'c2', 1, '2024-03-05', 2, 'renewed'`,
			`'c3', 3, '2024-03-06', 1, 'team'`, `'c5', 2, '2024-04-10', 10, 'bulk'`, `'c9', 4, '2024-05-01', 4, 'dangling'`,
		},
	},
	{
		name: "sale", key: []string{"id"},
		columns: []tableColumn{{"id", "bigint", bigint}, {"price", "numeric", numeric}, {"rate", "numeric", numeric}, {"free", "numeric", numeric}, {"n", "bigint", bigint}},
		rows: []string{
			`1, 1.50, 0.125, 1.5, 2`, `2, 2.00, 1.000, 100, 1`, `3, NULL, 0.1, 0.001, 3`, `4, -3.25, 2, NULL, 0`, `5, 12345.60, 12.3456, 2, 7`,
		},
		ddl: "CREATE TABLE sale (id bigint PRIMARY KEY, price numeric(10,2), rate numeric(8,4), free numeric, n bigint)",
	},
}

func (t table) shape() scope.Shape {
	s := scope.Shape{Schema: "public", Table: t.name, Key: t.key, Unique: true, System: []column.Named{{Name: "commit_id", Type: bigint}}}
	for _, c := range t.columns {
		s.Columns = append(s.Columns, column.Named{Name: c.name, Type: c.typ})
	}
	if t.ddl != "" {
		t.define(&s)
	}
	return s
}

// define adds to a shape what the CREATE TABLE says of its columns.
func (t table) define(s *scope.Shape) {
	st, err := syntax.Analyze(t.ddl)
	if err != nil {
		panic(err)
	}
	d, err := ddlstmt.ParseDefinition(st, env{})
	if err != nil {
		panic(err)
	}
	s.Defaults, s.Typmods = map[string]string{}, map[string]int32{}
	for _, c := range d.Columns {
		s.Defaults[c.Name], s.Typmods[c.Name] = c.Default, c.Type.Typmod
	}
}

// create is the DDL and the rows of one side.
func (t table) create(name string, typeOf func(tableColumn) string) []string {
	var cols []string
	for _, c := range t.columns {
		cols = append(cols, strconv.Quote(c.name)+" "+typeOf(c))
	}
	out := []string{fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(cols, ", "))}
	for _, r := range t.rows {
		out = append(out, fmt.Sprintf("INSERT INTO %s VALUES (%s)", name, r))
	}
	return out
}

func (t table) engine() []string {
	return t.create("data."+t.name, func(c tableColumn) string {
		return map[string]string{
			"text": "VARCHAR", "bigint": "BIGINT", "double precision": "DOUBLE", "boolean": "BOOLEAN", "timestamptz": "TIMESTAMPTZ",
			"date": "DATE", "numeric": "DECIMAL(38,12)", "jsonb": "JSON",
		}[c.postgres]
	})
}

func (t table) postgres() []string {
	if t.ddl != "" {
		out := t.create(t.name, func(c tableColumn) string { return c.postgres })
		out[0] = t.ddl
		return out
	}
	return append(t.create(t.name, func(c tableColumn) string { return c.postgres }),
		fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (%s)", t.name, strings.Join(t.key, ", ")))
}
