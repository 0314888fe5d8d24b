package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/syntax"
)

// markPath finds a cast to jsonpath where a path stands: paths are texts here.
func (b *exprBinder) markPath(n *pg.Node) {
	if c := n.GetTypeCast(); c != nil && len(c.TypeName.ArrayBounds) == 0 {
		names := syntax.Strings(c.TypeName.Names)
		b.paths[c] = names[len(names)-1] == "jsonpath"
	}
}
