package compat

import (
	"fmt"
	"slices"
	"strings"
)

// The faults that one row of an INSERT may have.
const (
	badValue = iota
	nullKey
	nullRequired
	missingRequired
	noFault
)

// insert is an INSERT of listed rows.
func (g *generator) insert() string {
	tab := pick(g, shopTables)
	rows := 1
	if g.IntN(2) == 0 {
		rows += g.IntN(4)
	}
	// The columns of the statement: all keys and the required ones, some others,
	// in any order.
	columns := slices.Clone(tab.keys)
	required := false
	for _, c := range tab.columns {
		if c.required || g.IntN(2) == 0 {
			columns = append(columns, c.name)
		}
		required = required || c.required
	}
	g.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	faulty, fault := g.IntN(rows), min(g.IntN(14), noFault)
	if fault == missingRequired {
		columns, rows = slices.Clone(tab.keys), 1
	}
	// A statement with a fault has no other: its keys are new.
	fresh := fault < noFault || g.IntN(3) == 0
	lists := make([]string, rows)
	for r := range rows {
		f := noFault
		if r == faulty {
			f = fault
		}
		lists[r] = "(" + strings.Join(g.row(tab, columns, f, fresh), ", ") + ")"
	}
	conflict := g.conflict(tab, columns, fault < noFault)
	return "INSERT INTO " + tab.name + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.Join(lists, ", ") + conflict + g.returning(tab)
}

// row are the values of one row.
func (g *generator) row(tab shopTable, columns []string, fault int, fresh bool) []string {
	keys := g.key(tab, fresh)
	if fault == nullKey {
		keys[g.IntN(len(keys))] = "NULL"
	}
	bad := pick(g, columns)
	values := make([]string, len(columns))
	for i, name := range columns {
		if k := slices.Index(tab.keys, name); k >= 0 {
			values[i] = keys[k]
			continue
		}
		c := tab.column(name)
		switch {
		case fault == badValue && name == bad && len(c.bad) > 0:
			values[i] = pick(g, c.bad)
		case fault == nullRequired && c.required:
			values[i] = "NULL"
		default:
			values[i] = pick(g, c.good)
		}
	}
	return values
}

func (t shopTable) column(name string) shopColumn {
	return t.columns[slices.IndexFunc(t.columns, func(c shopColumn) bool { return c.name == name })]
}

// conflict is an ON CONFLICT, or none.
func (g *generator) conflict(tab shopTable, columns []string, faulty bool) string {
	arbiter := "(" + strings.Join(some(g, tab.keys, len(tab.keys)), ", ") + ")"
	switch g.IntN(5) {
	case 0:
		return pick(g, []string{" ON CONFLICT DO NOTHING", " ON CONFLICT " + arbiter + " DO NOTHING", " ON CONFLICT ON CONSTRAINT " + tab.name + "_pkey DO NOTHING"})
	case 1, 2:
		var sets []string
		for _, c := range some(g, tab.columns, 1+g.IntN(3)) {
			value := pick(g, []string{"excluded." + c.name, tab.name + "." + c.name, "coalesce(" + tab.name + "." + c.name + ", excluded." + c.name + ")", pick(g, c.good)})
			if c.oid == 20 && !faulty {
				value = pick(g, []string{value, "excluded." + c.name + " + 1", "coalesce(excluded." + c.name + ", 0) - " + tab.name + "." + c.name, "(SELECT count(*) FROM owns)"})
			}
			if value == "NULL" && c.required {
				value = "excluded." + c.name
			}
			sets = append(sets, c.name+" = "+value)
		}
		key := tab.keys[0]
		where := pick(g, []string{"", "", "", " WHERE " + tab.name + "." + key + " = excluded." + key, " WHERE false", " WHERE " + tab.name + "." + key + " > excluded." + key, " WHERE " + tab.name + "." + tab.columns[0].name + " IS NOT NULL"})
		return " ON CONFLICT " + arbiter + " DO UPDATE SET " + strings.Join(sets, ", ") + where
	}
	return g.settingConflict(tab, columns)
}

// settingConflict is the ON CONFLICT clause with the meaning of ontosql.on_conflict. Only
// PostgreSQL receives it, in place of the mark.
func (g *generator) settingConflict(tab shopTable, columns []string) string {
	if g.onConflict == "error" {
		return ""
	}
	var sets []string
	for _, c := range columns {
		if !slices.Contains(tab.keys, c) {
			sets = append(sets, c+" = excluded."+c)
		}
	}
	what := "DO NOTHING"
	switch {
	case g.onConflict == "nothing":
	case len(sets) == 0: // an update of nothing
		what = "(" + strings.Join(tab.keys, ", ") + ") DO UPDATE SET " + tab.keys[0] + " = " + tab.name + "." + tab.keys[0]
	default:
		what = "(" + strings.Join(tab.keys, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
	}
	return " " + conflictMark + what + "*/"
}

// insertSelect is an INSERT of what a query gives.
func (g *generator) insertSelect() string {
	g.fresh += 3
	n := g.fresh
	type form struct {
		sql     string
		table   int
		columns string
	}
	f := pick(g, []form{
		{fmt.Sprintf("SELECT %d + g, 'g' || g, g * 2 FROM generate_series(0, 2) AS g", n-2), 0, "sku title stock"},
		{fmt.Sprintf("SELECT 's' || (%d + g), count(*) FROM item, generate_series(0, 2) AS g WHERE sku < 20 GROUP BY g ORDER BY g", n-2), 1, "name height"},
		{fmt.Sprintf("SELECT 's%d', coalesce(max(height), 0) + 1, min(note) FROM shelf", n), 1, "name height note"},
		{"SELECT sku, 's1', 'a', 1 FROM item WHERE sku < 9 ORDER BY sku", 2, "left_key right_key slot places"},
		{fmt.Sprintf("SELECT %d, NULL", n), 0, "sku title"},
		{fmt.Sprintf("SELECT %d, 'x', 10 / (g - 1) FROM generate_series(1, 1) AS g", n), 0, "sku title stock"},
		{"SELECT name, height FROM shelf WHERE height = 1 ORDER BY name LIMIT 1", 1, "name height"},
		{"SELECT 'none', 1 WHERE false", 1, "name height"},
		{"SELECT right_key, min(left_key), 0.5 FROM stands GROUP BY right_key ORDER BY right_key", 3, "left_key right_key share"},
		{fmt.Sprintf("SELECT %d0000 + n, repeat('x', 600), n FROM generate_series(1, 2000) AS n", n), 0, "sku title stock"}, // more than is staged in memory
		{fmt.Sprintf("SELECT sku + %d, title, tags, raw, code, day FROM item WHERE sku < 4 ORDER BY sku", n), 0, "sku title tags raw code day"},
	})
	tab, columns := shopTables[f.table], strings.Fields(f.columns)
	with := ""
	if g.IntN(4) == 0 {
		with, f.sql = "WITH q AS ("+f.sql+") ", "SELECT * FROM q"
	}
	conflict := g.conflict(tab, columns, true)
	if conflict != "" && with == "" {
		f.sql = "(" + f.sql + ")"
	}
	return with + "INSERT INTO " + tab.name + " (" + strings.Join(columns, ", ") + ") " + f.sql + conflict + g.returning(tab)
}

// copy is a COPY of some rows, of which one may be wrong.
func (g *generator) copy() step {
	tab, columns := shopTables[1], "name, height, note"
	var data strings.Builder
	for range 1 + g.IntN(5) {
		fmt.Fprintf(&data, "%s\t%d\t%s\n", strings.Trim(g.key(tab, g.IntN(4) > 0)[0], "'"), g.IntN(9), pick(g, []string{"n", `\N`, "", `a\tb`}))
	}
	if g.IntN(4) == 0 {
		g.fresh++
		data.Reset()
		fmt.Fprintf(&data, "s%d\t1\tx\n%s\n", g.fresh, pick(g, []string{"t\thigh\tx", `t\t\N\tx`, "t\t1", `\N\t1\tx`, "t\t1\tx\ty"}))
	}
	return step{requests: []request{{sql: "COPY " + tab.name + " (" + columns + ") FROM STDIN"}}, data: data.String()}
}

// update is an UPDATE: of some rows by expressions, or one of the forms with FROM
// and subqueries, in which a row matches once at most.
func (g *generator) update() string {
	if g.IntN(3) == 0 {
		return g.updateFrom()
	}
	tab := pick(g, shopTables)
	var names, values []string
	fault := -1
	if g.IntN(5) == 0 {
		fault = 0
	}
	for i, c := range some(g, tab.columns, 1+g.IntN(3)) {
		value := pick(g, append(slices.Clone(c.sets), c.good...))
		if i == fault {
			value = pick(g, append(slices.Clone(c.badSets), g.whateverRows(c.bad)...))
		}
		if value == "NULL" && c.required && i != fault {
			value = c.name
		}
		names, values = append(names, c.name), append(values, value)
	}
	set := ""
	switch {
	case len(names) > 1 && g.IntN(4) == 0:
		set = "(" + strings.Join(names, ", ") + ") = (" + strings.Join(values, ", ") + ")"
	case g.IntN(6) == 0 && !slices.Contains(values, "DEFAULT") && fault < 0:
		casts := make([]string, len(values))
		for i, v := range values { // a subquery's literal is text
			casts[i] = v
			if strings.HasPrefix(v, "'") || v == "NULL" || v == "7" || v == "true" {
				casts[i] = names[i]
			}
		}
		set = "(" + strings.Join(names, ", ") + ") = (SELECT " + strings.Join(casts, ", ") + ")"
	default:
		for i, name := range names {
			values[i] = name + " = " + values[i]
		}
		set = strings.Join(values, ", ")
	}
	return "UPDATE " + tab.name + " SET " + set + g.where(tab) + g.returning(tab)
}

// whateverRows are the values that are refused before the first row is looked at.
// A calculation with constants is left out: PostgreSQL does it while it plans, and
// refuses it for no row.
func (g *generator) whateverRows(bad []string) []string {
	return slices.DeleteFunc(slices.Clone(bad), func(v string) bool { return strings.ContainsAny(v, "/e9") && v[0] != '\'' && v != "true" })
}

// where is a condition that names a row, one without a fault, or none.
func (g *generator) where(tab shopTable) string {
	switch g.IntN(5) {
	case 0:
		return ""
	case 1, 2:
		var parts []string
		for i, v := range g.key(tab, false) {
			parts = append(parts, tab.keys[i]+" = "+v)
		}
		return " WHERE " + strings.Join(parts, " AND ")
	}
	return " WHERE " + pick(g, tab.where)
}

func (g *generator) updateFrom() string {
	n, m := 1+g.IntN(6), g.IntN(20)
	return pick(g, []string{
		"UPDATE item SET stock = s.height, title = coalesce(s.note, title) FROM shelf s WHERE s.name = 's' || sku" + g.returning(shopTables[0]),
		"UPDATE item i SET stock = v.n, price = v.p FROM (VALUES (1, 5, 1.5), (2, NULL, 2), (77, 7, 7)) AS v(id, n, p) WHERE v.id = i.sku RETURNING i.sku, v.n, i.price",
		"UPDATE item SET title = o.title FROM item o WHERE o.sku = item.sku - 1 RETURNING item.sku, item.title, o.title AS old, o.sku AS osku",
		"UPDATE shelf SET height = x.n FROM (SELECT right_key, count(*) AS n FROM stands GROUP BY right_key) AS x WHERE x.right_key = name RETURNING shelf.*, x.n",
		"UPDATE stands SET places = i.stock FROM item i WHERE i.sku = left_key AND i.stock IS NOT NULL RETURNING stands.*, i.title",
		"UPDATE stands t SET since = i.day, places = s.height FROM item i JOIN shelf s ON true WHERE i.sku = t.left_key AND s.name = t.right_key RETURNING t.*",
		"UPDATE owns SET share = (SELECT avg(o.share) FROM owns o WHERE o.left_key <> owns.left_key)",
		"UPDATE owns o SET share = i.weight FROM item i WHERE i.sku = o.right_key AND i.weight < 100",
		"UPDATE item SET (stock, title) = (SELECT s.height, s.name FROM shelf s WHERE s.name = 's' || item.sku) WHERE EXISTS (SELECT 1 FROM shelf s WHERE s.name = 's' || item.sku) RETURNING sku, stock, title",
		"UPDATE shelf SET (height, note) = (SELECT count(*), max(title) FROM item WHERE stock < shelf.height) RETURNING *",
		fmt.Sprintf("WITH w AS (SELECT sku AS k, stock FROM item WHERE sku > %d) UPDATE item SET stock = w.stock + %d FROM w WHERE k = sku RETURNING sku, item.stock, w.stock AS was", n, m),
		fmt.Sprintf("WITH w(k) AS (VALUES (%d), (%d)) UPDATE item SET sold = NOT coalesce(sold, false) WHERE sku IN (SELECT k FROM w) RETURNING sku, sold", n, n+1),
		fmt.Sprintf("UPDATE item SET tags['k'] = to_jsonb(%d), tags['z'] = '[1]' WHERE sku = %d RETURNING tags", m, n),
		fmt.Sprintf("UPDATE item SET tags['a']['b'] = '{\"n\": %d}' WHERE sku = %d RETURNING tags", m, n),
		fmt.Sprintf("UPDATE item SET tags = jsonb_set(tags, '{b,0}', '%d') WHERE sku = %d RETURNING sku, tags", m, n),
		fmt.Sprintf("UPDATE item SET tags = tags #- '{a}', stock = (tags ->> 'a')::bigint WHERE sku = %d AND jsonb_typeof(tags -> 'a') = 'number' RETURNING tags, stock", n),
		fmt.Sprintf("UPDATE item SET sku = sku, stock = %d WHERE sku = %d RETURNING sku, stock", m, n),
		fmt.Sprintf("UPDATE item SET title = title, stock = stock WHERE sku < %d", n),
	})
}

// merge is a MERGE in which a row of the target matches once at most, save for one
// form.
func (g *generator) merge() string {
	n := 1 + g.IntN(8)
	when := func(conditions ...string) string { return pick(g, append(conditions, "")) }
	return pick(g, []string{
		"MERGE INTO shelf s USING (SELECT 's' || sku AS k, stock, title FROM item) AS i ON s.name = i.k WHEN MATCHED" + when(" AND i.stock > s.height", " AND s.note IS NULL") +
			" THEN UPDATE SET height = coalesce(i.stock, 0), note = i.title WHEN NOT MATCHED" + when(" AND i.stock > 2") + " THEN INSERT (name, height) VALUES (i.k, 7)",
		fmt.Sprintf("MERGE INTO item USING (VALUES (%d, 'm', 1), (%d, 'n', NULL), (%d, 'o', 3)) AS v(k, t, n) ON k = sku WHEN NOT MATCHED THEN INSERT (sku, title, stock) VALUES (k, t, n) WHEN MATCHED", n, n+1, n+2) +
			when(" AND stock IS NOT NULL") + " THEN UPDATE SET stock = coalesce(n, stock), title = title || t",
		"MERGE INTO item t USING item s ON t.sku = s.sku + 1 WHEN MATCHED THEN UPDATE SET (stock, price) = (s.stock, s.price) WHEN NOT MATCHED THEN DO NOTHING",
		fmt.Sprintf("WITH q AS (SELECT sku, stock FROM item WHERE sku <= %d) MERGE INTO owns o USING q ON o.right_key = q.sku AND o.left_key = 's1' WHEN MATCHED THEN UPDATE SET share = 0.75 WHEN NOT MATCHED AND q.stock IS NULL THEN DO NOTHING WHEN NOT MATCHED THEN INSERT VALUES ('s1', q.sku, q.stock)", n),
		"MERGE INTO stands USING shelf ON right_key = name AND left_key = 1 AND slot = 'a' WHEN MATCHED AND places > 3 THEN DO NOTHING WHEN MATCHED THEN UPDATE SET places = places + height WHEN NOT MATCHED THEN INSERT (left_key, right_key, slot, places) VALUES (1, name, 'a', height)",
		fmt.Sprintf("MERGE INTO shelf USING (VALUES ('s%d', 1), ('s%d', 2)) AS v(k, n) ON k = name WHEN MATCHED THEN UPDATE SET height = n WHEN NOT MATCHED THEN INSERT (name, height) VALUES (k, n)", n, n), // twice
		fmt.Sprintf("MERGE INTO shelf USING (SELECT 's%d' AS k) AS v ON k = name WHEN MATCHED THEN UPDATE SET height = NULL WHEN NOT MATCHED THEN INSERT (name) VALUES (k)", n),
		fmt.Sprintf("MERGE INTO shelf USING (SELECT 's%d' AS k) AS v ON k = name WHEN MATCHED THEN UPDATE SET height = 1 / (height - height) WHEN NOT MATCHED THEN INSERT (name, height) VALUES (k, 0)", n),
		fmt.Sprintf("MERGE INTO shelf USING (SELECT 's%d' AS k) AS v ON false WHEN NOT MATCHED THEN INSERT VALUES (k, 1, DEFAULT)", n),
		fmt.Sprintf("MERGE INTO owns USING owns AS o ON owns.left_key = o.left_key AND owns.right_key = o.right_key AND o.right_key > %d WHEN MATCHED THEN UPDATE SET share = coalesce(o.share, 0) + 0.5", n),
	})
}
