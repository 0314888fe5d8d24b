package rewrite

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// writtenCalls are the functions that this room writes out by itself and that
// answer the same whenever they are asked the same, as those of functionTable.
var writtenCalls = []string{
	"to_char", "to_date", "to_timestamp", "format", "make_interval", "pg_typeof", "like_escape",
	"percentile_cont", "percentile_disc", "mode", "row_to_json",
	"_pg_expandarray", "json_each", "jsonb_each", "json_each_text", "jsonb_each_text",
}

// repeats reports whether a function is known to answer the same whenever it is
// asked the same in the same time zone: what is on no list is not. A cast
// written as a call does.
func repeats(name string) bool {
	return len(functions[name]) > 0 && !slices.ContainsFunc(functions[name], func(s signature) bool { return s.volatile }) ||
		slices.Contains(writtenCalls, name) || typesByName[name] != nil
}

// repeatable reports whether every function that a statement calls repeats, and
// neither the session nor pg_catalog is asked for anything.
func repeatable(n *pg.Node, sc *Scoped) bool {
	asks := func(ps []piece) bool {
		return slices.ContainsFunc(ps, func(p piece) bool { return p.kind == sessionHole || p.kind == macroHole })
	}
	for _, ps := range sc.points {
		if asks(ps) {
			return false
		}
	}
	return !asks(sc.pieces) && visit(n.ProtoReflect(), func(m any) bool {
		call, ok := m.(*pg.FuncCall)
		if !ok {
			return true
		}
		names := strs(call.Funcname)
		last := len(names) - 1
		return last > 0 && names[last-1] == asOfSchema || repeats(names[last])
	})
}
