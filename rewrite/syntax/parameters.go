package syntax

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// NoParameters is the error of a statement with parameters that is executed without values
// (42P02, at the first parameter); nil for a statement without parameters.
func (s *Statement) NoParameters() error {
	var first *pg.ParamRef
	find := func(m any) bool {
		if p, ok := m.(*pg.ParamRef); ok && (first == nil || p.Location < first.Location) {
			first = p
		}
		return true
	}
	Visit(s.Node.ProtoReflect(), find)
	for _, r := range s.Refs {
		for _, p := range r.Points() {
			if p.Argument != nil {
				Visit(p.Argument.ProtoReflect(), find)
			}
		}
	}
	if first == nil {
		return nil
	}
	return pgerr.New(pgerr.UndefinedParameter, "there is no parameter $%d", first.Number).At(s.Tree.Position(first.Location))
}
