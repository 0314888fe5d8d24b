package syntax

import pg "github.com/pganalyze/pg_query_go/v6"

// Calls reports whether the statement calls a function by a name that is one of those asked for.
func (s *Statement) Calls(is func(name string) bool) (found bool) {
	if s.Node == nil {
		return false
	}
	s.Nodes(func(n *pg.Node) bool {
		Visit(n.ProtoReflect(), func(m any) bool {
			if call, ok := m.(*pg.FuncCall); ok {
				names := Strings(call.Funcname)
				found = found || is(names[len(names)-1])
			}
			return !found
		})
		return !found
	})
	return found
}
