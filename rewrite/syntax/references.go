package syntax

import (
	"cmp"
	"maps"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The schemas of functions that read a type: as_of.<type>(point) and diff.<type>(since, point).
const (
	AsOfSchema = "as_of"
	DiffSchema = "diff"
)

// DiffStat is the name of the function that compares all types at two points.
var DiffStat = [2]string{"ontosql", "diff_stat"}

// refFinder walks a statement by reflection, so that table names are found in nodes of every
// kind.
type refFinder struct {
	t    *Tree
	st   *Statement
	vars []*pg.RangeVar
	late map[*pg.RangeVar]bool // those of vars that a later WITH query is called as
	// parts are those of vars that name a part of the statement, by its number from 1.
	parts   map[*pg.RangeVar]int
	fns     []*pg.RangeFunction
	skip    *pg.RangeVar   // the target of a write
	without *pg.WithClause // a WITH clause that is not looked into
	err     error
}

// findRefs fills st.Refs with the relations below n that the session must
// resolve. ctes are the names that a WITH clause around n defines.
func findRefs(t *Tree, st *Statement, n *pg.Node, target *pg.RangeVar, ctes names) error {
	f := &refFinder{t: t, st: st, skip: target, late: map[*pg.RangeVar]bool{}, parts: map[*pg.RangeVar]int{}}
	f.walk(n.ProtoReflect(), ctes)
	if f.err != nil {
		return f.err
	}
	type found struct {
		loc int32
		v   *pg.RangeVar
		fn  *pg.RangeFunction
	}
	var all []found
	for _, v := range f.vars {
		all = append(all, found{loc: v.Location, v: v})
	}
	for _, fn := range f.fns {
		all = append(all, found{loc: FunctionCall(fn).Location, fn: fn})
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.loc, b.loc) })
	st.RangeRefs = map[*pg.RangeVar]int{}
	st.CallRefs = map[*pg.RangeFunction]int{}
	for i, x := range all {
		r := Ref{ID: i, Position: t.Position(x.loc)}
		if x.v != nil {
			r.Catalog, r.Schema, r.Name = x.v.Catalogname, x.v.Schemaname, x.v.Relname
			if c := t.clauseOf(x.v); c != nil {
				r.Point, r.All = c.point, c.all
				if r.Point != nil {
					if err := t.pointQuery(r.Point); err != nil {
						return err
					}
				}
			}
			r.LaterWith, r.Part = f.late[x.v], f.parts[x.v]
			st.RangeRefs[x.v] = i
		} else {
			if err := t.readCall(FunctionCall(x.fn), &r); err != nil {
				return err
			}
			st.CallRefs[x.fn] = i
		}
		st.Refs = append(st.Refs, r)
	}
	return nil
}

// clauseOf finds the FOR SYSTEM_TIME clause behind a table name.
func (t *Tree) clauseOf(v *pg.RangeVar) *clause {
	for i := range t.Clauses {
		if c := &t.Clauses[i]; c.name == v.Location && c.name >= 0 {
			c.used = true
			return c
		}
	}
	return nil
}

// names are those that WITH clauses define: the ones that can be seen, and the ones of
// queries that come later. parts are those of the statement's parts that can be seen unless
// seen has the name, too.
type names struct {
	seen, later []string
	parts       map[string]int
}

// walk visits every message below m. ctes are the names that WITH clauses
// around it define.
func (f *refFinder) walk(m protoreflect.Message, ctes names) {
	if f.err != nil {
		return
	}
	switch n := m.Interface().(type) {
	case *pg.RangeVar:
		if n == f.skip || n.Schemaname == "" && slices.Contains(ctes.seen, n.Relname) && f.t.clauseOf(n) == nil {
			return
		}
		if k := ctes.parts[n.Relname]; k > 0 && n.Schemaname == "" && n.Catalogname == "" && f.t.clauseOf(n) == nil {
			f.parts[n] = k
		} else if n.Schemaname == "" && slices.Contains(ctes.later, n.Relname) {
			f.late[n] = true
		}
		f.vars = append(f.vars, n)
		return
	case *pg.Node:
		if n.GetAConst() != nil {
			return
		}
		if v := viewOf(n.GetRangeFunction()); v != nil {
			n.Node = &pg.Node_RangeVar{RangeVar: v}
		}
	case *pg.RangeFunction:
		if readsType(n) {
			f.fns = append(f.fns, n)
			if slices.ContainsFunc(FunctionCall(n).Args, readsRelations) {
				return // which is a statement of its own
			}
		}
	case *pg.IntoClause: // names a table to be made
		return
	case *pg.LockingClause: // names aliases (locking.go)
		return
	case *pg.MultiAssignRef: // each column of (a, b) = ... has a copy of the one source
		if n.Colno > 1 {
			return
		}
	}
	var with *pg.WithClause
	if h, ok := m.Interface().(interface{ GetWithClause() *pg.WithClause }); ok {
		if with = h.GetWithClause(); with != nil && with != f.without {
			ctes = f.walkWith(with, ctes)
		}
	}
	VisitChildren(m, func(field protoreflect.Name, child protoreflect.Message) bool {
		if with == nil || field != "with_clause" {
			f.walk(child, ctes)
		}
		return f.err == nil
	})
}

// walkWith visits the queries of a WITH clause, each with the names it can see,
// and returns the names its statement sees.
func (f *refFinder) walkWith(with *pg.WithClause, ctes names) names {
	all := ctes.with(f.st, with.Ctes)
	for i, n := range with.Ctes {
		in := all
		if !with.Recursive {
			in = ctes.with(f.st, with.Ctes[:i])
			in.later = slices.Concat(ctes.later, queryNames(with.Ctes[i:]))
		}
		c := n.GetCommonTableExpr()
		if !f.st.IsPart(c) {
			f.walk(c.ProtoReflect(), in)
		} else if err := f.st.findPartRefs(f.st.Parts[f.st.partOf[c]-1], in); err != nil && f.err == nil {
			f.err = err
		}
	}
	return all
}

// with are the names that can be seen behind some queries of a WITH clause.
func (n names) with(st *Statement, queries []*pg.Node) names {
	out := names{seen: slices.Clone(n.seen), later: n.later, parts: maps.Clone(n.parts)}
	for _, q := range queries {
		c := q.GetCommonTableExpr()
		if !st.IsPart(c) {
			out.seen = append(out.seen, c.Ctename)
			continue
		}
		if out.parts == nil {
			out.parts = map[string]int{}
		}
		out.parts[c.Ctename] = st.partOf[c]
	}
	return out
}

// queryNames are the names of queries of a WITH clause.
func queryNames(queries []*pg.Node) (names []string) {
	for _, q := range queries {
		names = append(names, q.GetCommonTableExpr().Ctename)
	}
	return names
}

// Strings are the texts of a list of String nodes.
func Strings(nodes []*pg.Node) []string {
	out := make([]string, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, n.GetString_().GetSval())
	}
	return out
}

// Location is where a node starts, -1 where the parser did not say.
func Location(n *pg.Node) int32 {
	if n == nil || n.Node == nil {
		return -1
	}
	m := n.ProtoReflect()
	inner := m.Get(m.WhichOneof(m.Descriptor().Oneofs().Get(0))).Message()
	switch x := inner.Interface().(type) {
	case *pg.A_Indirection:
		return Location(x.Arg)
	case *pg.A_Expr:
		if l := Location(x.Lexpr); l >= 0 && l < x.Location {
			return l
		}
	case *pg.TypeCast:
		if l := Location(x.Arg); l >= 0 && (x.Location < 0 || l < x.Location) {
			return l
		}
	}
	if fd := inner.Descriptor().Fields().ByName("location"); fd != nil {
		return int32(inner.Get(fd).Int())
	}
	return -1
}

// viewFunctions are functions without arguments, or with one that says of which
// session, that return the rows of a relation of the catalog.
var viewFunctions = map[string]string{
	"pg_available_extensions": "pg_available_extensions", "pg_available_extension_versions": "pg_available_extension_versions",
	"pg_config": "pg_config", "pg_cursor": "pg_cursors", "pg_hba_file_rules": "pg_hba_file_rules",
	"pg_get_replication_slots": "pg_replication_slots", "pg_lock_status": "pg_locks", "pg_prepared_statement": "pg_prepared_statements",
	"pg_prepared_xact": "pg_prepared_xacts", "pg_show_all_file_settings": "pg_file_settings", "pg_show_all_settings": "pg_settings",
	"pg_timezone_abbrevs": "pg_timezone_abbrevs", "pg_timezone_names": "pg_timezone_names",
}

// viewOf is the relation with the rows of a call of one of viewFunctions, nil for anything
// else.
func viewOf(n *pg.RangeFunction) *pg.RangeVar {
	if n == nil {
		return nil
	}
	call := FunctionCall(n)
	if call == nil || len(call.Args) > 0 || n.Ordinality || len(n.Coldeflist) > 0 {
		return nil
	}
	names := Strings(call.Funcname)
	name := names[len(names)-1]
	relation := viewFunctions[name]
	if relation == "" || len(names) > 1 && names[0] != "pg_catalog" {
		return nil
	}
	v := &pg.RangeVar{Schemaname: "pg_catalog", Relname: relation, Inh: true, Relpersistence: "p", Alias: n.Alias, Location: call.Location}
	if v.Alias == nil {
		v.Alias = &pg.Alias{Aliasname: name}
	}
	return v
}
