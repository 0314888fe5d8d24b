package schemas

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// op is one operation of a history as it was drawn: numbers, which mean something
// on every state of the world. So a history from which operations were taken out
// is one again.
type op struct {
	Who  int // which client
	What int
	A, B int // which table and column, or how many rows
	N    int // which value
}

// step is what an operation comes to.
type step struct {
	sql   string
	state string // the SQLSTATE that it is refused with, "" for none
	// apply makes of the world what the statement makes of it, and says of which
	// tables it changed what.
	apply func(w *world, touched func(table string, what touch))
}

// touch is what a transaction changes of a table. Under an altered schema all its
// rows are written, also those that came to be what is stored.
type touch struct{ rows, schema, declared, altered bool }

// stepOf gives an operation its meaning, nil where it has none now.
func stepOf(w *world, o op) *step {
	switch o.What % 20 {
	case 0:
		return createEntity(w, o)
	case 1:
		return createRelation(w, o)
	case 2:
		return createAs(w, o)
	case 3:
		return drop(w, o)
	}
	names := append(w.names(false), w.names(true)...)
	if len(names) == 0 {
		return createEntity(w, o)
	}
	name := names[o.A%len(names)]
	t := w.tables[name]
	switch o.What % 20 {
	case 4, 5:
		return addColumn(t, name, o)
	case 6:
		return comment(t, name, o)
	case 7, 8, 9:
		return update(t, name, o)
	case 10, 11, 12, 13:
		return insert(t, name, o)
	case 14:
		return upsert(t, name, o)
	}
	if len(t.columns) == 0 {
		return addColumn(t, name, o)
	}
	switch o.What % 20 {
	case 15:
		return dropColumn(t, name, o)
	case 16:
		return renameColumn(t, name, o)
	case 17:
		return alterType(t, name, o)
	case 18:
		return setDefault(t, name, o)
	}
	return setNotNull(t, name, o)
}

// tableName is one of few, so that tables come back.
func tableName(prefix string, o op) string { return fmt.Sprint(prefix, o.A%3) }

func typeOf(n int) string { return types[n%len(types)].name }

func newColumns(t *modelTable, o op) (declared string) {
	for i := range o.B % 4 {
		c := modelColumn{name: fmt.Sprint("c", (o.N+i*3)%8), typ: typeOf(o.N + i), def: (o.N+i)%3 == 0}
		if t.column(c.name) >= 0 {
			continue
		}
		t.columns = append(t.columns, t.newField(c))
		declared += fmt.Sprintf(", %s %s", c.name, c.typ)
		if c.def {
			sql, _ := defaultOf(c.typ)
			declared += " DEFAULT " + sql
		}
	}
	return declared
}

// created is a step that makes a table.
func created(w *world, name, sql string, t *modelTable) *step {
	if w.tables[name] != nil {
		return &step{sql: sql, state: pgerr.DuplicateTable}
	}
	return &step{sql: sql, apply: func(w *world, touched func(string, touch)) {
		t.schema, t.born, t.declared = 1, staged, staged
		w.tables[name] = t
		touched(name, touch{schema: true, rows: len(t.rows) > 0})
	}}
}

func createEntity(w *world, o op) *step {
	name := tableName("e", o)
	t := &modelTable{rows: map[string][]version{}}
	declared := newColumns(t, o)
	return created(w, name, fmt.Sprintf("CREATE TABLE %s (id text PRIMARY KEY%s)", name, declared), t)
}

func createRelation(w *world, o op) *step {
	ends := w.names(false)
	if len(ends) == 0 {
		return createEntity(w, o)
	}
	name, left, right := tableName("r", o), ends[o.N%len(ends)], ends[o.B%len(ends)]
	t := &modelTable{left: left, right: right, rows: map[string][]version{}}
	declared := newColumns(t, o)
	sql := fmt.Sprintf("CREATE TABLE %s (left_key text REFERENCES %s, right_key text REFERENCES %s%s, PRIMARY KEY (left_key, right_key))", name, left, right, declared)
	return created(w, name, sql, t)
}

func createAs(w *world, o op) *step {
	from := w.names(false)
	if len(from) == 0 {
		return createEntity(w, o)
	}
	source := w.tables[from[o.N%len(from)]]
	name := tableName("e", o)
	t := &modelTable{rows: map[string][]version{}}
	for _, c := range source.columns {
		t.columns = append(t.columns, t.newField(modelColumn{name: c.name, typ: c.typ}))
	}
	for key := range source.rows {
		f, _ := source.at(key, staged)
		copied := fields{}
		for i, c := range source.columns {
			id := t.columns[i].id
			if v := shown(c.typ, f[c.id]); v != nil {
				copied[id] = text(stored(c.typ, *v))
			} else {
				copied[id] = nil
			}
		}
		t.put(key, copied)
	}
	return created(w, name, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM %s", name, from[o.N%len(from)]), t)
}

func drop(w *world, o op) *step {
	names := append(w.names(false), w.names(true)...)
	if len(names) == 0 {
		return nil
	}
	name := names[o.A%len(names)]
	gone := []string{name}
	for _, r := range w.names(true) {
		if t := w.tables[r]; t.left == name || t.right == name {
			gone = append(gone, r)
		}
	}
	rows := false
	for _, n := range gone {
		rows = rows || len(w.tables[n].rows) > 0
	}
	sql := "DROP TABLE " + name
	switch cascade := o.B%4 > 0; {
	case len(gone) > 1 && !cascade:
		return &step{sql: sql, state: pgerr.DependentObjectsStillExist}
	case cascade:
		sql += " CASCADE"
	}
	if rows && (o.N%4 == 0 || w.keepsRows) {
		return &step{sql: "SET ontosql.purge_history = off; " + sql, state: pgerr.ObjectNotInPrerequisiteState}
	}
	return &step{sql: "SET ontosql.purge_history = on; " + sql, apply: func(w *world, touched func(string, touch)) {
		for _, n := range gone {
			delete(w.tables, n)
			touched(n, touch{schema: true})
		}
	}}
}

// migrated is a step that gives a table another schema version. change changes the
// columns and the stored fields of a latest row, and reports whether it did; a row
// that another statement of the transaction wrote is written again anyway.
func migrated(name, sql string, version bool, columns func(*modelTable), change func(fields) bool) *step {
	return &step{sql: sql, apply: func(w *world, touched func(string, touch)) {
		t := w.tables[name]
		if version {
			t.schema++
		}
		t.declared = staged
		every := version && w.engine == "v2"
		columns(t)
		for _, key := range slices.Collect(maps.Keys(t.rows)) {
			f, _ := t.at(key, staged)
			f = maps.Clone(f)
			if change != nil && change(f) || every {
				t.put(key, f)
			}
		}
		touched(name, touch{schema: version || change != nil, declared: true, altered: !strings.HasPrefix(sql, "COMMENT")})
	}}
}

func addColumn(t *modelTable, name string, o op) *step {
	c := modelColumn{name: fmt.Sprint("c", o.B%8), typ: typeOf(o.N), def: o.N%2 == 0}
	sql := fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", name, c.name, c.typ)
	var change func(fields) bool
	id := t.ids + 1
	if c.def {
		text, value := defaultOf(c.typ)
		sql += " DEFAULT " + text
		if o.N%4 == 0 {
			c.notNull = true
			sql += " NOT NULL"
		}
		change = func(f fields) bool { f[id] = value; return true }
	}
	if t.column(c.name) >= 0 {
		return &step{sql: sql, state: pgerr.DuplicateColumn}
	}
	return migrated(name, sql, true, func(t *modelTable) { t.columns = append(t.columns, t.newField(c)) }, change)
}

func dropColumn(t *modelTable, name string, o op) *step {
	at := o.B % len(t.columns)
	gone := t.columns[at]
	sql, added := fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", name, gone.name), modelColumn{name: gone.name, typ: typeOf(o.N)}
	again := o.N%3 == 0 // the same statement adds another column of that name
	if again {
		sql += fmt.Sprintf(", ADD COLUMN %s %s", added.name, added.typ)
	}
	return migrated(name, sql, true,
		func(t *modelTable) {
			t.columns = slices.Delete(slices.Clone(t.columns), at, at+1)
			if again {
				t.columns = append(t.columns, t.newField(added))
			}
		},
		func(f fields) bool { _, there := f[gone.id]; delete(f, gone.id); return there })
}

func renameColumn(t *modelTable, name string, o op) *step {
	at := o.B % len(t.columns)
	from, to := t.columns[at].name, fmt.Sprint("c", o.N%8)
	sql := fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", name, from, to)
	if t.column(to) >= 0 {
		return &step{sql: sql, state: pgerr.DuplicateColumn}
	}
	id := t.columns[at].id
	return migrated(name, sql, true, func(t *modelTable) { t.columns[at].name = to }, func(f fields) bool {
		_, there := f[id]
		return there
	})
}

// alterType also meets columns with a DEFAULT, which have to lose it first, and
// NOT NULL, which may be broken.
func alterType(t *modelTable, name string, o op) *step {
	at := o.B % len(t.columns)
	c, to := t.columns[at], typeOf(o.N)
	how := convert(c.typ, to)
	sql := fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s", name, c.name, to)
	if how.using != "" {
		sql += " USING " + strings.ReplaceAll(strings.ReplaceAll(how.using, "%s", c.name), "%%", "%")
	}
	if c.def && c.typ != to {
		sql = fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s DROP DEFAULT, %s", name, c.name, strings.TrimPrefix(sql, "ALTER TABLE "+name+" "))
	}
	for key := range t.rows {
		if f, _ := t.at(key, staged); c.notNull && how.make(shown(c.typ, f[c.id])) == nil {
			return &step{sql: sql, state: pgerr.NotNullViolation}
		}
	}
	return migrated(name, sql, c.typ != to,
		func(t *modelTable) { t.columns[at].typ, t.columns[at].def = to, c.def && c.typ == to },
		func(f fields) bool {
			before, there := f[c.id]
			after := how.make(shown(c.typ, before))
			if !there && after == nil {
				return false
			}
			f[c.id] = after
			return !there || !same(before, after) || before != nil && quoted(c.typ) != quoted(to)
		})
}

// quoted reports whether the values of a type are JSON strings.
func quoted(typ string) bool { return typ == "text" || typ == "date" }

func same(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func setDefault(t *modelTable, name string, o op) *step {
	at := o.B % len(t.columns)
	sql, _ := defaultOf(t.columns[at].typ)
	on := o.N%3 > 0
	action := "SET DEFAULT " + sql
	if !on {
		action = "DROP DEFAULT"
	}
	return migrated(name, fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s %s", name, t.columns[at].name, action), false,
		func(t *modelTable) { t.columns[at].def = on }, nil)
}

func setNotNull(t *modelTable, name string, o op) *step {
	at := o.B % len(t.columns)
	c, on := t.columns[at], o.N%3 > 0
	action := "DROP NOT NULL"
	if on {
		action = "SET NOT NULL"
	}
	sql := fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s %s", name, c.name, action)
	for key := range t.rows {
		if f, _ := t.at(key, staged); on && shown(c.typ, f[c.id]) == nil {
			return &step{sql: sql, state: pgerr.NotNullViolation}
		}
	}
	return migrated(name, sql, c.notNull != on, func(t *modelTable) { t.columns[at].notNull = on }, nil)
}

func comment(t *modelTable, name string, o op) *step {
	words := fmt.Sprint("said ", o.N)
	if len(t.columns) == 0 || o.B%2 == 0 {
		return migrated(name, fmt.Sprintf("COMMENT ON TABLE %s IS '%s'", name, words), false, func(t *modelTable) { t.comment = words }, nil)
	}
	at := o.B % len(t.columns)
	return migrated(name, fmt.Sprintf("COMMENT ON COLUMN %s.%s IS '%s'", name, t.columns[at].name, words), false, func(t *modelTable) { t.columns[at].comment = words }, nil)
}
