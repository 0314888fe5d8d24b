package compat

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A form is a text with parts in braces: {int} is an expression of that kind, {any} of any
// kind, {int@t,u} one whose columns are those of the aliases t and u, {int@-} one without
// columns. The expression of a part has columns of the same aliases, unless the part names
// others.
//
// The elements of a kind are in the file of its subject: grammar and atoms in
// randomvalues_test.go, texts, times and documents in the files named after them. A family
// holds the queries of one subject, with common forms and one comparison.
type family struct {
	name  string
	forms []string
	held  string // how far answers may differ, as a paragraph of differences.txt says it
	plain bool   // statements that do not read the table
}

var families = []family{
	{name: "select", forms: selectForms},
	{name: "join", forms: joinForms, held: "numbers"},
	{name: "subquery", forms: subqueryForms},
	{name: "set", forms: setForms, held: "numbers"},
	{name: "with", forms: withForms},
	{name: "group", forms: groupForms},
	{name: "window", forms: windowForms},
	{name: "array", forms: arrayForms, held: "numbers"},
	{name: "document", forms: documentForms, held: "numbers"},
	{name: "cast", forms: castForms, plain: true},
}

// randomTables is the one table of the statements, of columns of each kind.
const randomTables = `tables AS (SELECT c.id, c.tier, c.active AS ok, c.created AS tz, c.birth AS d, c.attrs AS j, p.id::int AS i, p.stock AS b, round(p.price, 2) AS n
	FROM customer AS c LEFT JOIN product AS p ON p.id = length(c.id) + ascii(right(c.id, 1)) - 50)
`

var (
	part    = regexp.MustCompile(`\{[a-z]+(@[a-z,-]+)?\}`)
	columns = regexp.MustCompile(`^\.[a-z]+$`)
)

// written is a form with expressions in the place of its parts, nested so deep at most.
func written(r *rand.Rand, form string, depth int, aliases string) string {
	return part.ReplaceAllStringFunc(form, func(p string) string {
		kind, of, other := strings.Cut(strings.Trim(p, "{}"), "@")
		if !other {
			of = aliases
		}
		if kind == "any" {
			kind = kinds[r.IntN(len(kinds))]
		}
		if len(atoms[kind]) == 0 {
			return p // the braces of an array
		}
		if depth == 0 || r.IntN(4) == 0 || len(grammar[kind]) == 0 {
			return atom(r, kind, of)
		}
		return written(r, grammar[kind][r.IntN(len(grammar[kind]))], depth-1, of)
	})
}

// atom is an expression without parts: a column of one of the aliases, or a constant.
func atom(r *rand.Rand, kind, aliases string) string {
	a := atoms[kind][r.IntN(len(atoms[kind]))]
	for aliases == "-" && columns.MatchString(a) {
		a = atoms[kind][r.IntN(len(atoms[kind]))]
	}
	if !columns.MatchString(a) {
		return a
	}
	if aliases == "" {
		return a[1:]
	}
	all := strings.Split(aliases, ",")
	return all[r.IntN(len(all))] + a
}

// statement is a whole one of the family.
func (f family) statement(r *rand.Rand) string {
	sql := written(r, f.forms[r.IntN(len(f.forms))], 3, "")
	if f.plain {
		return sql
	}
	if with, ok := strings.CutPrefix(sql, "WITH RECURSIVE "); ok {
		return "WITH RECURSIVE " + randomTables + ", " + with
	}
	if with, ok := strings.CutPrefix(sql, "WITH "); ok {
		return "WITH " + randomTables + ", " + with
	}
	return "WITH " + randomTables + sql
}

// TestRandomStatements asks both sides statements made at random. None ends the session
// or is an internal error, and where both have an answer it is the same. An error in a
// value (class 22) may come on one side alone, unless the statement is one expression of
// constants: the order in which parts are computed, and whether they are, is either's
// own. ONTOSQL_TORTURE=10m makes ever new statements for so long.
func TestRandomStatements(t *testing.T) {
	ctx := t.Context()
	real := postgresTables(t, "compat_random", tables)
	ours := connect(t, start(t, tables))
	first, until := uint64(0), time.Now()
	if text := os.Getenv("ONTOSQL_TORTURE"); text != "" {
		torture, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal("ONTOSQL_TORTURE:", err)
		}
		first, until = uint64(until.UnixNano())%1_000_000_000, until.Add(torture)
	}
	answered := map[string]int{}
	for seed := first; seed < first+1000 || time.Now().Before(until); seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		f := families[seed%uint64(len(families))]
		sql := f.statement(r)
		want, got := ask(ctx, real, sql), ask(ctx, ours, sql)
		diff := compare(want, got, ordered(sql))
		if diff != "" && f.held != "" {
			diff = breach(f.held, want, got, ordered(sql))
		}
		value := !f.plain && (strings.HasPrefix(want.code, "22") || strings.HasPrefix(got.code, "22"))
		switch {
		case diff == "":
			answered[f.name]++
		case got.code == "XX000", got.code == "connection", !value:
			t.Errorf("statement %d: %s\n%s", seed, sql, diff)
		}
		if got.code == "connection" {
			t.Fatal("the session has ended")
		}
	}
	for _, f := range families {
		if answered[f.name] < 50 {
			t.Errorf("%d statements of family %s have an answer, fewer than 50", answered[f.name], f.name)
		}
	}
	t.Log("statements with the same answer:", answered)
}
