package compat

import (
	"fmt"
	"slices"
	"strings"
)

// pipeline is what is sent up to one Sync.
func (g *generator) pipeline(n int) step {
	s := step{pipeline: true}
	for range n {
		s.requests = append(s.requests, g.request(n > 1)...)
	}
	return s
}

// request is a statement of the extended protocol, or two, of which the first
// prepares the second.
func (g *generator) request(several bool) []request {
	binary := g.IntN(4) == 0
	switch k := g.IntN(10); {
	case k < 2 && several:
		return []request{{sql: g.control(), binary: binary}}
	case k < 5:
		return []request{{sql: g.statement(), binary: binary}}
	case k == 5 && len(g.prepared) > 0:
		return []request{pick(g, g.prepared)}
	}
	sql, args := g.withArgs()
	if g.IntN(3) > 0 || len(args) == 0 {
		return []request{{sql: sql, args: args, binary: binary}}
	}
	name := fmt.Sprintf("p%d", g.fresh)
	g.fresh++
	execute := request{name: name, args: args, binary: binary}
	g.prepared = append(g.prepared, execute)
	return []request{{sql: sql, name: name, prepare: true, args: args}, execute}
}

// withArgs is a statement with parameters of the types of its columns.
func (g *generator) withArgs() (sql string, args []arg) {
	tab := pick(g, shopTables)
	param := func(c shopColumn, bad bool) string {
		a := arg{oid: c.oid, text: pick(g, c.texts), told: g.IntN(2) == 0, binary: g.IntN(2) == 0, null: !c.required && g.IntN(8) == 0}
		if bad && len(c.badTexts) > 0 {
			a.text, a.binary, a.null = pick(g, c.badTexts), false, false
		}
		args = append(args, a)
		return fmt.Sprintf("$%d", len(args))
	}
	bad := g.IntN(8) == 0
	columns := some(g, tab.columns, 1+g.IntN(4))
	switch g.IntN(4) {
	case 0:
		names, values := slices.Clone(tab.keys), g.keyParams(tab, bad, &args)
		for _, c := range tab.columns {
			if c.required || slices.ContainsFunc(columns, func(x shopColumn) bool { return x.name == c.name }) {
				names, values = append(names, c.name), append(values, param(c, bad && c.name == columns[0].name))
			}
		}
		conflict := g.settingConflict(tab, names)
		if g.IntN(2) == 0 {
			conflict = " ON CONFLICT (" + strings.Join(tab.keys, ", ") + ") DO UPDATE SET " + columns[0].name + " = coalesce(excluded." + columns[0].name + ", " + param(columns[0], false) + ")"
		}
		return "INSERT INTO " + tab.name + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")" + conflict + g.returning(tab), args
	case 1:
		var where []string
		for i, p := range g.keyParams(tab, false, &args) {
			where = append(where, tab.keys[i]+" = "+p)
		}
		return "SELECT * FROM " + tab.name + " WHERE " + strings.Join(where, " AND "), args
	case 2:
		c := columns[0]
		if c.oid == 3802 || c.oid == 17 { // nothing to compare by
			return "SELECT " + param(c, bad) + "::" + map[uint32]string{3802: "jsonb", 17: "bytea"}[c.oid] + " AS v", args
		}
		return "SELECT count(*) FROM " + tab.name + " WHERE " + c.name + " = " + param(c, bad) + " OR " + c.name + " IS NULL", args
	}
	var sets, where []string
	for i, c := range columns {
		sets = append(sets, c.name+" = "+param(c, bad && i == 0))
	}
	for i, p := range g.keyParams(tab, false, &args) {
		where = append(where, tab.keys[i]+" = "+p)
	}
	return "UPDATE " + tab.name + " SET " + strings.Join(sets, ", ") + " WHERE " + strings.Join(where, " AND ") + g.returning(tab), args
}

// keyParams are parameters for the key of a row.
func (g *generator) keyParams(tab shopTable, fresh bool, args *[]arg) (out []string) {
	for _, v := range g.key(tab, fresh) {
		a := arg{oid: 20, text: v, told: g.IntN(2) == 0, binary: g.IntN(2) == 0}
		if text, ok := strings.CutPrefix(v, "'"); ok {
			a.oid, a.text = 25, strings.TrimSuffix(text, "'")
		}
		*args = append(*args, a)
		out = append(out, fmt.Sprintf("$%d", len(*args)))
	}
	return out
}
