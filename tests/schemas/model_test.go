package schemas

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The model of an ontology is a map: what is stored of each version of each row, by the
// ids of fields, and the columns that show it today (decisions A16 and A52).

// staged is the commit id of uncommitted rows of a transaction.
const staged = 1 << 40

// fields is what is stored of a row, by the id of the field: the text of the JSON value,
// nil for null. A field that was never written is not there.
type fields map[int]*string

type version struct {
	commit int
	fields fields
	types  map[int]string // that the columns had, by the id of the field
}

type modelColumn struct {
	id        int // of the field
	name, typ string
	notNull   bool
	def       bool   // it has the DEFAULT of its type
	comment   string // on the column
}

// modelTable is a type.
type modelTable struct {
	left, right string // of a relation, the tables that it links
	columns     []modelColumn
	rows        map[string][]version // by key: "k", of a relation "l|r"
	ids         int                  // that fields have had
	comment     string
	schema      int // the schema version
	born        int // the commit that created the table
	declared    int // the commit that last changed its definition, also defaults and comments
}

func (t *modelTable) keys() []string {
	if t.left != "" {
		return []string{"left_key", "right_key"}
	}
	return []string{"id"}
}

func (t *modelTable) column(name string) int {
	return slices.IndexFunc(t.columns, func(c modelColumn) bool { return c.name == name })
}

// clone copies what statements change. Versions are only ever replaced as a whole.
func (t *modelTable) clone() *modelTable {
	c := *t
	c.columns, c.rows = slices.Clone(t.columns), maps.Clone(t.rows)
	return &c
}

// newField is a column of a field that the table has not had.
func (t *modelTable) newField(c modelColumn) modelColumn {
	t.ids++
	c.id = t.ids
	return c
}

// put stages a version.
func (t *modelTable) put(key string, f fields) {
	types := map[int]string{}
	for _, c := range t.columns {
		types[c.id] = c.typ
	}
	old := t.rows[key]
	if n := len(old); n > 0 && old[n-1].commit == staged {
		old = old[:n-1]
	}
	t.rows[key] = append(slices.Clip(old), version{staged, f, types})
}

// at is the newest version of a row at a point.
func (t *modelTable) at(key string, point int) (fields, bool) {
	versions := t.rows[key]
	for i := len(versions) - 1; i >= 0; i-- {
		if versions[i].commit <= point {
			return versions[i].fields, true
		}
	}
	return nil, false
}

// lastRow is the last commit that wrote a row.
func (t *modelTable) lastRow() (last int) {
	for _, versions := range t.rows {
		for _, v := range versions {
			if v.commit != staged {
				last = max(last, v.commit)
			}
		}
	}
	return last
}

// show is what SQL shows of the table at a point, rows in the order of keys.
func (t *modelTable) show(point int) []string {
	var rows []string
	for key := range t.rows {
		if f, there := t.at(key, point); there {
			rows = append(rows, t.line(key, f))
		}
	}
	slices.Sort(rows)
	return rows
}

// versions are all versions up to a point, with their commits.
func (t *modelTable) versions(point int) []string {
	var rows []string
	for key, versions := range t.rows {
		for _, v := range versions {
			if v.commit <= point {
				rows = append(rows, t.line(key, v.fields)+"|"+strconv.Itoa(v.commit))
			}
		}
	}
	slices.Sort(rows)
	return rows
}

// changes are all versions up to a point, with their commits, what differs from the
// version before, and what that had stored.
func (t *modelTable) changes(point int) []string {
	var rows []string
	for key, versions := range t.rows {
		for i, v := range versions {
			if v.commit > point {
				continue
			}
			var last version
			if i > 0 {
				last = versions[i-1]
			}
			var changed []string
			before := ""
			for _, c := range t.columns {
				if differs(last.fields[c.id], last.types[c.id], v.fields[c.id], v.types[c.id]) {
					changed = append(changed, c.name)
				}
				was := "NULL"
				if value := last.fields[c.id]; value != nil {
					was = *value
				}
				before += "|" + was
			}
			rows = append(rows, t.line(key, v.fields)+fmt.Sprintf("|%d|{%s}%s", v.commit, strings.Join(changed, ","), before))
		}
	}
	slices.Sort(rows)
	return rows
}

// differs compares two stored values, of columns of these types.
func differs(a *string, was string, b *string, is string) bool {
	if a == nil || b == nil {
		return a != b
	}
	x, notX := strconv.ParseFloat(*a, 64)
	y, notY := strconv.ParseFloat(*b, 64)
	if notX == nil && notY == nil && !quoted(was) && !quoted(is) {
		return x != y
	}
	return *a != *b || quoted(was) != quoted(is)
}

func (t *modelTable) line(key string, f fields) string {
	var line strings.Builder
	line.WriteString(key)
	for _, c := range t.columns {
		line.WriteByte('|')
		if v := shown(c.typ, f[c.id]); v != nil {
			line.WriteString(*v)
		} else {
			line.WriteString("NULL")
		}
	}
	return line.String()
}

// world is an ontology, or what a transaction sees of it.
type world struct {
	engine string
	// keepsRows says that no table with rows is dropped: a SQLite file deletes them, and a
	// transaction that began before does not see them any more (55000).
	keepsRows bool
	head      int
	tables    map[string]*modelTable
}

func (w *world) clone() *world {
	c := *w
	c.tables = make(map[string]*modelTable, len(w.tables))
	for name, t := range w.tables {
		c.tables[name] = t.clone()
	}
	return &c
}

// names are those of the tables of a kind.
func (w *world) names(relations bool) []string {
	var names []string
	for name, t := range w.tables {
		if (t.left != "") == relations {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func text(s string) *string { return &s }

var day = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// shown is the text of a stored value in a column of a type; nil for NULL, also for a stored
// value that the type cannot hold.
func shown(typ string, stored *string) *string {
	if stored == nil {
		return nil
	}
	number, err := strconv.ParseFloat(*stored, 64)
	switch typ {
	case "text":
		return stored
	case "bigint":
		if err == nil && number == float64(int64(number)) {
			return text(strconv.FormatInt(int64(number), 10))
		}
	case "double precision":
		if err == nil {
			return text(strconv.FormatFloat(number, 'f', -1, 64))
		}
	case "boolean":
		if *stored == "true" || *stored == "false" {
			return stored
		}
	case "date":
		if day.MatchString(*stored) {
			return stored
		}
	}
	return nil
}

// types are the column types, each with the DEFAULT that columns of it may have.
var types = []struct {
	name string
	oid  uint32
	def  string // in SQL
	val  string // as it is stored
}{
	{"text", 25, "'dflt'", "dflt"},
	{"bigint", 20, "77", "77"},
	{"double precision", 701, "7.5", "7.5"},
	{"boolean", 16, "true", "true"},
	{"date", 1082, "'2026-07-08'", "2026-07-08"},
}

func defaultOf(typ string) (sql string, stored *string) {
	for _, t := range types {
		if t.name == typ {
			return t.def, text(t.val)
		}
	}
	panic(typ)
}

// literal is value number n of a type, in SQL and as it is stored.
func literal(typ string, n int) (sql string, stored *string) {
	switch typ {
	case "text":
		if n%3 == 0 {
			return fmt.Sprintf("'%d'", 10+n), text(strconv.Itoa(10 + n))
		}
		return fmt.Sprintf("'w%d'", n), text(fmt.Sprint("w", n))
	case "bigint":
		return strconv.Itoa(10 + n), text(strconv.Itoa(10 + n))
	case "double precision":
		v := 10 + float64(n)/2
		return strconv.FormatFloat(v, 'f', -1, 64), text(float(v))
	case "boolean":
		return strconv.FormatBool(n%2 == 0), text(strconv.FormatBool(n%2 == 0))
	}
	d := fmt.Sprintf("2026-%02d-%02d", 1+n%12, 1+n%28)
	return "'" + d + "'", text(d)
}

// float is how Python writes a float.
func float(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
