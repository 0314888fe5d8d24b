package schemas

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// keyOf is key number n of a table, and the same in SQL.
func (t *modelTable) keyOf(n int) (key, sql string) {
	if t.left == "" {
		return fmt.Sprint("k", n%12), fmt.Sprintf("'k%d'", n%12)
	}
	return fmt.Sprintf("k%d|k%d", n%5, n%3), fmt.Sprintf("'k%d', 'k%d'", n%5, n%3)
}

// rowsFor are some rows with their values: columns that are left out take their
// DEFAULT.
func rowsFor(t *modelTable, o op) (columns string, values []string, rows map[string]fields) {
	rows = map[string]fields{}
	named := t.keys()
	for i, c := range t.columns {
		if (o.N+i)%4 > 0 || c.notNull && !c.def {
			named = append(named, c.name)
		}
	}
	for r := range 1 + o.B%4 {
		key, sql := t.keyOf(o.N + r)
		if rows[key] != nil {
			continue
		}
		f := fields{}
		for i, c := range t.columns {
			_, def := defaultOf(c.typ)
			switch n := o.N*7 + r*5 + i; {
			case slices.Contains(named, c.name) && n%5 == 0 && !c.notNull:
				f[c.id], sql = nil, sql+", NULL"
			case slices.Contains(named, c.name):
				text, v := literal(c.typ, n%60)
				f[c.id], sql = v, sql+", "+text
			case c.def:
				f[c.id] = def
			default:
				f[c.id] = nil
			}
		}
		rows[key], values = f, append(values, "("+sql+")")
	}
	return strings.Join(named, ", "), values, rows
}

// written is a step that puts rows.
func written(name, sql string, rows map[string]fields) *step {
	return &step{sql: sql, apply: func(w *world, touched func(string, touch)) {
		t := w.tables[name]
		for key, f := range rows {
			t.put(key, f)
		}
		if len(rows) > 0 {
			touched(name, touch{rows: true})
		}
	}}
}

func insert(t *modelTable, name string, o op) *step {
	columns, values, rows := rowsFor(t, o)
	sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES %s", name, columns, strings.Join(values, ", "))
	for key := range rows {
		if t.rows[key] != nil {
			return &step{sql: sql, state: pgerr.UniqueViolation}
		}
	}
	return written(name, sql, rows)
}

// upsert sets one column of the rows that are there, if the table has one.
func upsert(t *modelTable, name string, o op) *step {
	columns, values, rows := rowsFor(t, o)
	sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES %s ON CONFLICT (%s) DO ", name, columns, strings.Join(values, ", "), strings.Join(t.keys(), ", "))
	set := 0 // the field
	if len(t.columns) > 0 && o.A%3 > 0 {
		c := t.columns[o.A%len(t.columns)]
		set = c.id
		sql += fmt.Sprintf("UPDATE SET %[1]s = excluded.%[1]s", c.name)
	} else {
		sql += "NOTHING"
	}
	put := map[string]fields{}
	for key, f := range rows {
		old, there := t.at(key, staged)
		switch {
		case !there:
			put[key] = f
		case set > 0:
			if next, changed := assigned(old, set, f[set]); changed {
				put[key] = next
			}
		}
	}
	return written(name, sql, put)
}

// assigned is a row with a value assigned, and whether that changes it.
func assigned(f fields, id int, v *string) (fields, bool) {
	before, there := f[id]
	if !there && v == nil || there && same(before, v) {
		return f, false
	}
	next := maps.Clone(f)
	next[id] = v
	return next, true
}

func update(t *modelTable, name string, o op) *step {
	if len(t.columns) == 0 {
		return insert(t, name, o)
	}
	c := t.columns[o.B%len(t.columns)]
	sql, v := literal(c.typ, o.N%60)
	if o.N%7 == 0 && !c.notNull {
		sql, v = "NULL", nil
	}
	sql = fmt.Sprintf("UPDATE %s SET %s = %s", name, c.name, sql)
	only := ""
	if o.N%3 > 0 {
		only = fmt.Sprint("k", o.N%12)
		if t.left != "" {
			only = fmt.Sprint("k", o.N%5)
		}
		sql += fmt.Sprintf(" WHERE %s = '%s'", t.keys()[0], only)
	}
	put := map[string]fields{}
	for key := range t.rows {
		first, _, _ := strings.Cut(key, "|")
		if only != "" && first != only {
			continue
		}
		f, _ := t.at(key, staged)
		if next, changed := assigned(f, c.id, v); changed {
			put[key] = next
		}
	}
	return written(name, sql, put)
}
