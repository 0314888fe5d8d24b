package compat

import (
	"fmt"
	"strings"
)

// create is a CREATE TEMP TABLE of columns, of a query, or like another table.
func (g *tempProgram) create() string {
	name := pick(g.generator, []string{"t1", "t2", "t3", "t4", `"T 5"`})
	switch n := g.IntN(10); {
	case n == 0 && len(g.tables) > 0:
		return g.createAs(name)
	case n == 1 && len(g.tables) > 0:
		like := g.table()
		t := *like
		t.name = name
		g.after = g.with(&t)
		options := pick(g.generator, []string{"", " INCLUDING ALL", " INCLUDING DEFAULTS INCLUDING CONSTRAINTS", " INCLUDING INDEXES"})
		if !strings.Contains(options, "ALL") && !strings.Contains(options, "INDEXES") {
			t.uniques = nil
		}
		return "CREATE TEMP TABLE " + name + " (LIKE " + like.name + options + ")"
	}
	t := &tempTable{name: name}
	var items []string
	keyed := false
	for i := range 1 + g.IntN(5) {
		c := tempColumn{string(rune('a' + i)), pick(g.generator, tempTypes)}
		if i == 0 && g.IntN(2) == 0 {
			c.tempType = tempTypes[g.IntN(4)]
		}
		t.columns = append(t.columns, c)
		item := c.name + " " + c.tempType.name
		if len(c.defaults) > 0 && g.IntN(3) == 0 {
			item += " DEFAULT " + pick(g.generator, c.defaults)
		}
		if g.IntN(6) == 0 {
			item += " NOT NULL"
		}
		if len(c.checks) > 0 && g.IntN(5) == 0 {
			item += pick(g.generator, []string{"", "", " CONSTRAINT positive_" + c.name}) + " CHECK (" + strings.ReplaceAll(pick(g.generator, c.checks), "{c}", c.name) + ")"
		}
		switch n := g.IntN(10); {
		case c.unordered:
		case n == 0 && !keyed, i == 0 && !keyed && n < 4:
			keyed = true
			item += pick(g.generator, []string{" PRIMARY KEY", " PRIMARY KEY", " CONSTRAINT the_key PRIMARY KEY"})
			t.uniques = append(t.uniques, []string{c.name})
		case n == 9:
			item += " UNIQUE"
			t.uniques = append(t.uniques, []string{c.name})
		}
		items = append(items, item)
	}
	if n := len(t.columns); n > 1 && g.IntN(5) == 0 {
		a, b := t.columns[0], t.columns[n-1]
		if !a.unordered && !b.unordered {
			items = append(items, "UNIQUE ("+a.name+", "+b.name+")")
			t.uniques = append(t.uniques, []string{a.name, b.name})
		}
	}
	if c := pick(g.generator, t.columns); len(c.checks) > 0 && g.IntN(8) == 0 {
		items = append(items, "CONSTRAINT named CHECK ("+strings.ReplaceAll(pick(g.generator, c.checks), "{c}", c.name)+" OR "+t.columns[0].name+" IS NULL)")
	}
	end := pick(g.generator, []string{"", "", "", "", " ON COMMIT PRESERVE ROWS", " ON COMMIT DELETE ROWS", " ON COMMIT DROP"})
	t.dropped = strings.HasSuffix(end, "DROP")
	if t.dropped && g.status == 'I' {
		end, t.dropped = "", false
	}
	g.after = g.with(t)
	return "CREATE " + pick(g.generator, []string{"TEMP", "TEMP", "TEMPORARY", "LOCAL TEMP"}) + " TABLE " + name + " (" + strings.Join(items, ", ") + ")" + end
}

// createAs is CREATE TEMP TABLE AS or SELECT INTO of columns of a table.
func (g *tempProgram) createAs(name string) string {
	from := g.table()
	t := &tempTable{name: name}
	var items []string
	for i, c := range some(g.generator, from.columns, 3) {
		c.tempType.checks = nil
		items = append(items, c.name+fmt.Sprintf(" AS c%d", i))
		c.name = fmt.Sprintf("c%d", i)
		t.columns = append(t.columns, c)
	}
	g.after = g.with(t)
	if g.IntN(3) == 0 {
		return "SELECT " + strings.Join(items, ", ") + " INTO TEMP " + name + " FROM " + from.name
	}
	return "CREATE TEMP TABLE " + name + " AS SELECT " + strings.Join(items, ", ") + " FROM " + from.name + pick(g.generator, []string{"", "", " WITH NO DATA"})
}

// define changes which tables there are, or tries to.
func (g *tempProgram) define() string {
	t := g.table()
	drop := func() {
		g.tables = cloneTables(g.tables)
		delete(g.tables, t.name)
	}
	switch g.IntN(8) {
	case 0, 1:
		g.after = drop
		return "DROP TABLE " + t.name
	case 2:
		g.after = drop
		return "DROP TABLE IF EXISTS " + t.name + ", nowhere"
	case 3:
		return pick(g.generator, []string{"DROP TABLE nowhere", "DROP TABLE " + t.name + ", nowhere", "TRUNCATE nowhere", "TRUNCATE " + t.name + ", " + g.table().name})
	case 4:
		return "CREATE TEMP TABLE " + t.name + " (a int)"
	case 5:
		return "CREATE TEMP TABLE IF NOT EXISTS " + t.name + " (a int)"
	case 6:
		return pick(g.generator, []string{
			"CREATE TEMP TABLE bad (a int, a text)", "CREATE TEMP TABLE bad (a nosuch)", "CREATE TEMP TABLE bad (a int PRIMARY KEY, b int PRIMARY KEY)", "CREATE TEMP TABLE bad (a int, UNIQUE (b))",
			"CREATE TEMP TABLE bad (a int DEFAULT 'x')", "CREATE TEMP TABLE bad (a int DEFAULT b)", "CREATE TEMP TABLE bad (a int CHECK (b > 0))", "CREATE TEMP TABLE bad (a int CHECK (a))", "CREATE TEMP TABLE bad (a int CHECK (a > 'x'))",
			"CREATE TEMP TABLE bad (a json UNIQUE)", "CREATE TEMP TABLE bad (a int DEFAULT 1 DEFAULT 2)", "CREATE TEMP TABLE bad (a int NULL NOT NULL)", "CREATE TEMP TABLE bad (a varchar(0))",
			"CREATE TEMP TABLE bad (a int CHECK ((SELECT true)))", "CREATE TEMP TABLE bad (a int CHECK (sum(a) > 0))", "CREATE TEMP TABLE bad (a int DEFAULT (SELECT 1))", "CREATE TEMP TABLE bad (LIKE nowhere)", "CREATE TEMP TABLE bad (a int, CONSTRAINT c CHECK (a > 0), CONSTRAINT c CHECK (a < 9))",
			"CREATE TEMP TABLE bad (a int, PRIMARY KEY (a, a))", "CREATE TEMP TABLE bad (a int DEFAULT max(1))", "CREATE TEMP TABLE bad (xmin int)", "CREATE TEMP TABLE bad AS SELECT 1 AS a, 2 AS a", "CREATE TEMP TABLE bad AS SELECT nope", "CREATE TEMP TABLE bad (a) AS SELECT 1, 2", "CREATE TEMP TABLE bad (a, b, c) AS SELECT 1, 2",
		})
	}
	g.after = func() { g.tables = map[string]*tempTable{} }
	return "DISCARD TEMP"
}
