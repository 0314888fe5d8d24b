package compat

import (
	"fmt"
	"slices"
	"strings"
)

// value is a value for a column, a bad one rarely.
func (g *tempProgram) value(c tempColumn, bad bool) string {
	switch {
	case bad && len(c.bad) > 0:
		return pick(g.generator, c.bad)
	case g.IntN(12) == 0:
		return "DEFAULT"
	}
	return pick(g.generator, c.good)
}

// insert is an INSERT of values or of a query.
func (g *tempProgram) insert(t *tempTable) string {
	columns := t.columns
	list := ""
	if g.IntN(3) == 0 {
		columns = some(g.generator, t.columns, 1+g.IntN(len(t.columns)))
		list = " (" + names(columns) + ")"
	}
	source := ""
	switch n := g.IntN(12); {
	case n == 0:
		return "INSERT INTO " + t.name + " DEFAULT VALUES" + g.onConflict(t) + g.returning(t)
	case n == 1:
		from := g.table()
		var items []string
		for range columns {
			items = append(items, pick(g.generator, from.columns).name)
		}
		source = " SELECT " + strings.Join(items, ", ") + " FROM " + from.name + " ORDER BY " + from.order("") + " LIMIT 3"
	case n == 2:
		source = " SELECT * FROM " + t.name
	case n == 3:
		var items []string
		for _, c := range columns {
			item := pick(g.generator, c.good)
			if c.tempType.name == "int" || c.tempType.name == "bigint" || c.tempType.name == "text" {
				item = "g"
			}
			items = append(items, item)
		}
		source = " SELECT " + strings.Join(items, ", ") + " FROM generate_series(5, 8) AS g"
	default:
		rows := 1
		if g.IntN(2) == 0 {
			rows = 2 + g.IntN(3)
		}
		fault := -1
		if g.IntN(10) == 0 {
			fault, rows = g.IntN(len(columns)), 1
		}
		var lists []string
		for range rows {
			var values []string
			for i, c := range columns {
				values = append(values, g.value(c, i == fault))
			}
			lists = append(lists, "("+strings.Join(values, ", ")+")")
		}
		source = " VALUES " + strings.Join(lists, ", ")
	}
	return "INSERT INTO " + t.name + list + source + g.onConflict(t) + g.returning(t)
}

func names(columns []tempColumn) string {
	var out []string
	for _, c := range columns {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

func (g *tempProgram) onConflict(t *tempTable) string {
	if g.IntN(3) > 0 {
		return ""
	}
	if len(t.uniques) == 0 || g.IntN(4) == 0 {
		return " ON CONFLICT DO NOTHING"
	}
	target := " ON CONFLICT (" + strings.Join(pick(g.generator, t.uniques), ", ") + ")"
	if g.IntN(3) == 0 {
		return target + " DO NOTHING"
	}
	c := pick(g.generator, t.columns)
	if slices.Contains(slices.Concat(t.uniques...), c.name) {
		return target + " DO UPDATE SET " + c.name + " = excluded." + c.name
	}
	set := pick(g.generator, append([]string{"excluded.{c}", t.name + ".{c}", "coalesce(" + t.name + ".{c}, excluded.{c})", "DEFAULT"}, c.good...))
	return target + " DO UPDATE SET " + c.name + " = " + strings.ReplaceAll(set, "{c}", c.name) + pick(g.generator, []string{"", "", " WHERE " + t.name + "." + c.name + " IS NULL"})
}

func (g *tempProgram) returning(t *tempTable) string {
	if g.IntN(3) > 0 {
		return ""
	}
	c := pick(g.generator, t.columns)
	return " RETURNING " + pick(g.generator, []string{"*", "*", t.name + ".*", c.name, c.name + " AS x, 1", c.name + " IS NULL AS isnull, " + t.columns[0].name})
}

// condition is a condition on one column.
func (g *tempProgram) condition(t *tempTable, qualifier string) string {
	c := pick(g.generator, t.columns)
	forms := []string{"{c} IS NULL", "{c} IS NOT NULL", "true"}
	if !c.unordered {
		v := pick(g.generator, c.good)
		if v == "NULL" || strings.HasPrefix(v, "(SELECT") {
			v = "{c}"
		}
		if strings.HasPrefix(v, "'") || strings.HasPrefix(v, "{") {
			forms = append(forms, "{c} = "+v, "{c} <> "+v, "{c} >= "+v)
		}
		forms = append(forms, c.checks...)
	}
	return strings.ReplaceAll(pick(g.generator, forms), "{c}", qualifier+c.name)
}

// assignment is one of an UPDATE. A column of a unique constraint gets a constant, because
// PostgreSQL checks it row by row.
func (g *tempProgram) assignment(t *tempTable, qualifier string) string {
	c := pick(g.generator, t.columns)
	v := pick(g.generator, append(slices.Clone(c.good), "DEFAULT"))
	if len(c.sets) > 0 && g.IntN(2) == 0 && !slices.Contains(slices.Concat(t.uniques...), c.name) {
		v = strings.ReplaceAll(pick(g.generator, c.sets), "{c}", qualifier+c.name)
	}
	return c.name + " = " + v
}

func (g *tempProgram) update(t *tempTable) string {
	sets := g.assignment(t, "")
	if other := g.assignment(t, ""); g.IntN(3) == 0 && other[0] != sets[0] {
		sets += ", " + other
	}
	switch g.IntN(6) {
	case 0:
		a := t.columns[0]
		return "UPDATE " + t.name + " AS u SET " + g.assignment(t, "u.") + " FROM (VALUES ('1'), ('2'), ('a')) AS v(k) WHERE u." + a.name + "::text = v.k" + pick(g.generator, []string{"", " RETURNING u.*, v.k"})
	case 1:
		return "UPDATE " + t.name + " SET " + sets + g.returning(t)
	}
	return "UPDATE " + t.name + " SET " + sets + " WHERE " + g.condition(t, "") + g.returning(t)
}

func (g *tempProgram) delete(t *tempTable) string {
	u := g.table()
	switch g.IntN(6) {
	case 0:
		return "DELETE FROM " + t.name + " AS d USING (VALUES ('1'), ('b')) AS v(k) WHERE d." + t.columns[0].name + "::text = v.k" + pick(g.generator, []string{"", " RETURNING d.*, v.k"})
	case 1:
		return "DELETE FROM " + t.name + " AS d WHERE EXISTS (SELECT 1 FROM " + u.name + " AS u WHERE u." + pick(g.generator, u.columns).name + "::text = d." + pick(g.generator, t.columns).name + "::text)"
	}
	return "DELETE FROM " + t.name + " WHERE " + g.condition(t, "") + g.returning(t)
}

func (g *tempProgram) merge(t *tempTable) string {
	a := t.columns[0]
	var clauses []string
	for range 1 + g.IntN(3) {
		var columns, values []string
		for _, c := range some(g.generator, t.columns, 1+g.IntN(len(t.columns))) {
			columns, values = append(columns, c.name), append(values, g.value(c, false))
		}
		clauses = append(clauses, pick(g.generator, []string{
			"WHEN MATCHED AND v.n > 1 THEN UPDATE SET " + g.assignment(t, "m."), "WHEN MATCHED AND v.n = 1 THEN DELETE", "WHEN MATCHED AND m." + a.name + " IS NULL THEN DO NOTHING",
			"WHEN NOT MATCHED AND v.n < 3 THEN INSERT (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")", "WHEN NOT MATCHED AND v.n = 9 THEN INSERT DEFAULT VALUES", "WHEN NOT MATCHED AND v.n = 3 THEN DO NOTHING",
		}))
	}
	return "MERGE INTO " + t.name + " AS m USING (VALUES ('1', 1), ('2', 2), ('a', 3), ('b', 4)) AS v(k, n) ON m." + a.name + "::text = v.k " + strings.Join(clauses, " ")
}

// copy is a COPY FROM STDIN with its data.
func (g *tempProgram) copy() step {
	t := g.table()
	columns := some(g.generator, t.columns, 1+g.IntN(len(t.columns)))
	var lines []string
	for range 1 + g.IntN(3) {
		var cells []string
		for _, c := range columns {
			v := pick(g.generator, c.good)
			switch inner := strings.Trim(v, "'"); {
			case v == "NULL" || !strings.HasPrefix(v, "'") && strings.ContainsAny(v, "('[ :"):
				v = `\N`
			case strings.Contains(inner, "'"):
				v = "1"
			default:
				v = strings.ReplaceAll(inner, `\`, `\\`)
			}
			cells = append(cells, v)
		}
		if g.IntN(20) == 0 {
			cells = append(cells, "more")
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	s := simple(fmt.Sprintf("COPY %s (%s) FROM STDIN", t.name, names(columns)))
	s.data = strings.Join(lines, "\n") + "\n"
	return s
}

// nonsense has a fault that is found before anything runs.
func (g *tempProgram) nonsense(t *tempTable) string {
	c := pick(g.generator, t.columns).name
	return pick(g.generator, []string{
		"INSERT INTO " + t.name + " (nope) VALUES (1)", "INSERT INTO " + t.name + " (" + c + ", " + c + ") VALUES (1, 2)", "INSERT INTO " + t.name + " VALUES (1, 2, 3, 4, 5, 6, 7)", "INSERT INTO " + t.name + " (" + c + ") VALUES (1, 2)",
		"UPDATE " + t.name + " SET nope = 1", "UPDATE " + t.name + " SET " + c + " = nope", "UPDATE " + t.name + " SET " + c + " = NULL, " + c + " = NULL", "UPDATE " + t.name + " SET " + c + " = NULL WHERE 1", "DELETE FROM " + t.name + " WHERE nope", "DELETE FROM nowhere",
		"SELECT nope FROM " + t.name, "INSERT INTO " + t.name + " DEFAULT VALUES RETURNING nope", "INSERT INTO " + t.name + " DEFAULT VALUES ON CONFLICT (nope) DO NOTHING", "INSERT INTO " + t.name + " DEFAULT VALUES ON CONFLICT ON CONSTRAINT nope DO NOTHING",
		"INSERT INTO " + t.name + " DEFAULT VALUES ON CONFLICT DO UPDATE SET " + c + " = NULL", "MERGE INTO " + t.name + " USING nowhere ON true WHEN MATCHED THEN DELETE", "SELECT 1 / 0", "UPDATE " + t.name + " AS x SET " + t.name + "." + c + " = NULL", "UPDATE " + t.name + " SET (" + c + ") = (1, 2)",
		"UPDATE " + t.name + " SET " + c + " = count(" + c + ")", "DELETE FROM " + t.name + " WHERE count(*) > 0", "INSERT INTO " + t.name + " VALUES (" + c + ")", "COPY " + t.name + " (nope) FROM STDIN",
	})
}
