package compat

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const tempTablesVar = "ONTOSQL_TEMPTABLES" // a duration: how long other programs run after those of the suite

var tempTablesSeed = flag.Uint64("temptables.seed", 0, "the one program that TestTempTables is to run")

// TestTempTables runs random programs over temporary tables beside PostgreSQL: definitions of
// all types with constraints and defaults, every kind of write, transactions, savepoints, and
// statements that fail. It compares rows, tags, notices, errors with position, detail and
// hint, and the state of the transaction.
func TestTempTables(t *testing.T) {
	answered := map[string]int{}
	var g *tempProgram
	over := false
	a := sessions{
		test: "TestTempTables", count: 30, steps: 60, only: *tempTablesSeed, env: tempTablesVar,
		theirs: postgresDatabase(t, "compat_temptables"), ours: serveShop(t),
		program: func(seed uint64) func(byte) step {
			g = &tempProgram{generator: &generator{Rand: rand.New(rand.NewPCG(seed, 12))}}
			return g.step
		},
		start: func() { over = false },
		same: func(s step, theirs, ours []string) string {
			over = over || foldedConstant(theirs, ours)
			if over {
				return ""
			}
			return sameChanges(s, theirs, ours)
		},
		done: func(s step, theirs []string) {
			g.saw(theirs)
			if word, _, _ := strings.Cut(s.text(), " "); succeeded(theirs) {
				answered[word]++
			}
		},
	}
	a.run(t)
	t.Log("statements that succeeded:", answered)
	for _, word := range []string{"CREATE", "INSERT", "UPDATE", "DELETE", "MERGE", "COPY", "TRUNCATE", "SELECT"} {
		if *tempTablesSeed == 0 && answered[word] < 10 {
			t.Errorf("%d statements %s succeeded, fewer than 10", answered[word], word)
		}
	}
}

// succeeded reports whether an answer has no error.
func succeeded(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "HINT ") || errorLine(l) != "" })
}

// errorLine is the SQLSTATE of a line that tells an error, "" for another line.
func errorLine(l string) string {
	code, _, ok := strings.Cut(l, " ")
	if !ok || len(code) != 5 || strings.Trim(code, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || !strings.Contains(l, " at ") {
		return ""
	}
	return code
}

// foldedConstant reports whether PostgreSQL refuses a constant that no row needs, such as
// 1 / 0 in an UPDATE of no rows: it computes constants when it plans. The rest of the program
// is not compared, because its transaction is in another state.
func foldedConstant(theirs, ours []string) bool {
	value := slices.ContainsFunc(theirs, func(l string) bool { return strings.HasPrefix(errorLine(l), "22") })
	return value && slices.ContainsFunc(ours, func(l string) bool {
		tag, _, _ := strings.Cut(l, ":")
		return tag == "UPDATE 0" || tag == "MERGE 0" || tag == "INSERT 0 0" || tag == "DELETE 0" || tag == "SELECT 0"
	})
}

// sameChanges compares the answers line by line. Of a statement that may change several rows
// both sides may report another of several faults in the rows: PostgreSQL checks row by row.
func sameChanges(s step, theirs, ours []string) string {
	diff := sameLines(s, theirs, ours)
	if diff == "" {
		return ""
	}
	fault := func(lines []string) string {
		for _, l := range lines {
			if c := errorLine(l); c != "" {
				return c[:2]
			}
		}
		return ""
	}
	inRows := func(class string) bool { return class == "22" || class == "23" || class == "21" }
	if oneRow(s) || !inRows(fault(theirs)) || !inRows(fault(ours)) {
		return diff
	}
	return ""
}

// oneRow reports whether a step is one INSERT of one row.
func oneRow(s step) bool {
	sql := s.text()
	return len(s.requests) == 1 && strings.HasPrefix(sql, "INSERT") && strings.Contains(sql, "VALUES (") && !strings.Contains(sql, "), (") ||
		!strings.HasPrefix(sql, "INSERT") && !strings.HasPrefix(sql, "UPDATE") && !strings.HasPrefix(sql, "MERGE") && !strings.HasPrefix(sql, "COPY") && len(s.requests) == 1
}

// tempColumn is a column of a table of a program.
type tempColumn struct {
	name string
	tempType
}

// tempTable is a table of a program. It is not changed once it is made.
type tempTable struct {
	name    string
	columns []tempColumn
	uniques [][]string // columns of the primary key and of unique constraints
	dropped bool       // at the end of the transaction
}

type tempSavepoint struct {
	name   string
	tables map[string]*tempTable
}

// tempProgram writes the steps of one program.
type tempProgram struct {
	*generator
	tables     map[string]*tempTable // that there are, as far as it is known
	before     map[string]*tempTable // when the transaction began
	savepoints []tempSavepoint
	after      func() // what the last step does to tables, if it succeeds
}

// saw takes the answer to the last step.
func (g *tempProgram) saw(lines []string) {
	if g.after != nil && succeeded(lines) {
		g.after()
	}
	g.after = nil
}

func (g *tempProgram) with(t *tempTable) func() {
	return func() {
		g.tables = cloneTables(g.tables)
		g.tables[t.name] = t
	}
}

func cloneTables(m map[string]*tempTable) map[string]*tempTable {
	out := map[string]*tempTable{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (g *tempProgram) step(status byte) step {
	g.status, g.failed = status, status == 'E'
	switch n := g.IntN(100); {
	case status == 'E' && n < 70, n < 14:
		return simple(g.transaction())
	case len(g.tables) == 0 || n < 22 && len(g.tables) < 4:
		return simple(g.create())
	case n < 25:
		return simple(g.define())
	case n < 31:
		return g.copy()
	case n < 35:
		return simple(g.statement(), g.statement())
	case n < 40:
		return step{pipeline: true, requests: []request{{sql: g.statement()}}}
	}
	return simple(g.statement())
}

func (g *tempProgram) statement() string {
	t := g.table()
	switch n := g.IntN(100); {
	case n < 34:
		return g.insert(t)
	case n < 50:
		return g.update(t)
	case n < 60:
		return g.delete(t)
	case n < 70:
		return g.merge(t)
	case n < 72:
		return "TRUNCATE " + t.name
	case n < 75:
		return g.nonsense(t)
	}
	return g.read(t)
}

// table is one of the tables.
func (g *tempProgram) table() *tempTable {
	var names []string
	for name := range g.tables {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return &tempTable{name: "t1", columns: []tempColumn{{"a", tempTypes[0]}}}
	}
	return g.tables[pick(g.generator, names)]
}

func (g *tempProgram) transaction() string {
	end := func(to map[string]*tempTable, committed bool) func() {
		return func() {
			g.tables, g.savepoints = cloneTables(to), nil
			for name, t := range g.tables {
				if committed && t.dropped {
					delete(g.tables, name)
				}
			}
		}
	}
	if g.status == 'I' {
		g.after = func() { g.before, g.savepoints = g.tables, nil }
		return pick(g.generator, []string{"BEGIN", "BEGIN", "BEGIN", "START TRANSACTION", "BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN READ ONLY"})
	}
	switch n := g.IntN(10); {
	case n < 2 && g.status == 'T':
		g.after = end(g.tables, true)
		return "COMMIT"
	case n < 4:
		g.after = end(g.before, false)
		if g.status == 'E' {
			return pick(g.generator, []string{"ROLLBACK", "COMMIT"})
		}
		return "ROLLBACK"
	case n < 7 && g.status == 'T' || len(g.savepoints) == 0:
		s := tempSavepoint{pick(g.generator, []string{"a", "b"}), g.tables}
		g.after = func() { g.savepoints = append(g.savepoints, s) }
		return "SAVEPOINT " + s.name
	}
	name := g.savepoints[len(g.savepoints)-1].name
	at := len(g.savepoints) - 1
	if g.IntN(3) == 0 {
		name = g.savepoints[0].name
		for at > 0 && g.savepoints[at].name != name {
			at--
		}
	}
	if g.status == 'T' && g.IntN(3) == 0 {
		g.after = func() { g.savepoints = g.savepoints[:at] }
		return "RELEASE " + name
	}
	g.after = func() { g.tables, g.savepoints = g.savepoints[at].tables, g.savepoints[:at+1] }
	return "ROLLBACK TO " + name
}

// read shows all rows of a table, or what is computed from them.
func (g *tempProgram) read(t *tempTable) string {
	c := pick(g.generator, t.columns)
	u := g.table()
	all := "SELECT * FROM " + t.name + " ORDER BY " + t.order("")
	return pick(g.generator, []string{
		all, all, all,
		"SELECT count(*), count(" + c.name + ") FROM " + t.name,
		"SELECT " + c.name + "::text, count(*) FROM " + t.name + " GROUP BY 1 ORDER BY 1",
		"SELECT count(*) FROM " + t.name + " WHERE " + g.condition(t, ""),
		"SELECT t.* FROM " + t.name + " AS t WHERE EXISTS (SELECT 1 FROM " + u.name + " AS u WHERE u." + pick(g.generator, u.columns).name + "::text = t." + c.name + "::text) ORDER BY " + t.order("t."),
		"SELECT pg_typeof(" + c.name + "), " + c.name + " FROM pg_temp." + t.name + " ORDER BY " + t.order("") + " LIMIT 2",
	})
}

// order is an order of all columns.
func (t *tempTable) order(qualifier string) string {
	var out []string
	for _, c := range t.columns {
		item := qualifier + c.name
		if c.unordered {
			item += "::text"
		}
		out = append(out, item)
	}
	return strings.Join(out, ", ")
}
