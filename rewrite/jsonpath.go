package rewrite

import (
	"github.com/ontosql/ontosql/rewrite/syntax"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// markPath finds a cast to jsonpath where a path stands: paths are texts here.
func (b *binder) markPath(n *pg.Node) {
	if c := n.GetTypeCast(); c != nil && len(c.TypeName.ArrayBounds) == 0 {
		names := syntax.Strings(c.TypeName.Names)
		b.paths[c] = names[len(names)-1] == "jsonpath"
	}
}
