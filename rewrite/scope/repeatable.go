package scope

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// writtenCalls are the functions that this room writes out by itself and that
// answer the same whenever they are asked the same, as those of functionTable.
var writtenCalls = []string{
	"to_char", "to_date", "to_timestamp", "format", "make_interval", "pg_typeof", "like_escape",
	"percentile_cont", "percentile_disc", "mode", "row_to_json",
	"_pg_truetypid", "_pg_truetypmod", "_pg_expandarray",
}

// repeats reports whether a function is known to answer the same whenever it is
// asked the same in the same time zone: what is on no list is not. A cast
// written as a call does.
func repeats(name string) bool {
	return len(functions.ByName[name]) > 0 && !isVolatile(name) ||
		slices.Contains(writtenCalls, name) || types.ByName[name] != nil
}

func isVolatile(name string) bool {
	is := func(s functions.Signature) bool { return s.Volatile }
	return slices.ContainsFunc(functions.ByName[name], is) || slices.ContainsFunc(functions.Catalog[name], is)
}

// settled are the functions of the session whose values a statement is known by, as
// by its parameters (Scoped.Settled).
var settled = []string{
	"current_user", "session_user", "current_database", "current_schema", "current_schemas", "version", "getdatabaseencoding",
	"pg_client_encoding", "pg_is_in_recovery", "pg_my_temp_schema", "pg_is_other_temp_schema", "current_setting",
	"ontosql.head", "txid_current", "pg_backend_pid", "pg_postmaster_start_time", "pg_conf_load_time",
	"inet_server_addr", "inet_server_port", "inet_client_addr", "inet_client_port",
}

// IsRepeatable reports whether every function that a statement calls is repeatable, settled, or
// one of pg_catalog, and every sample is repeatable. Points are resolved at each execution.
func IsRepeatable(st *syntax.Statement, sc *Scoped) bool {
	for _, x := range sc.Points {
		if slices.ContainsFunc(x.SQL, func(p enginesql.Piece) bool {
			return p.Kind == enginesql.SessionValue || p.Kind == enginesql.CatalogMacro
		}) {
			return false
		}
	}
	unsettled := func(p enginesql.Piece) bool {
		return p.Kind == enginesql.SessionValue && !slices.Contains(settled, p.Name)
	}
	return !slices.ContainsFunc(sc.pieces, unsettled) && st.Nodes(func(n *pg.Node) bool { return repeatableCalls(n, sc) })
}

// repeatableCalls reports whether the calls and samples of a tree are repeatable.
func repeatableCalls(n *pg.Node, sc *Scoped) bool {
	return syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if sample, ok := m.(*pg.RangeTableSample); ok && sample.Repeatable == nil {
			return false
		}
		call, ok := m.(*pg.FuncCall)
		if !ok {
			return true
		}
		names := syntax.Strings(call.Funcname)
		last := len(names) - 1
		name := names[last]
		return syntax.IsOfType(names) || repeats(name) || slices.Contains(settled, name) || sc.env.Macro(name) && !isVolatile(name)
	})
}

// Settled are the values of the session's functions that a statement asks for which
// is Repeatable, in the order in which it does.
func (sc *Scoped) Settled() ([]SessionValue, error) {
	var values []SessionValue
	asked := map[string]int{}
	for _, p := range sc.pieces {
		if p.Kind != enginesql.SessionValue {
			continue
		}
		v, err := sc.sessionValue(p, asked)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}
