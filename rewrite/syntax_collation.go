package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// byteOrder refuses a collation that does not order by bytes.
func byteOrder(n *pg.CollateClause) *pgerr.Error {
	names := strs(n.Collname)
	switch names[len(names)-1] {
	case "default", "C", "POSIX", "ucs_basic", "C.UTF-8", "C.utf8":
		return nil
	}
	return pgerr.New(pgerr.UndefinedObject, "collation %q for encoding \"UTF8\" does not exist", strings.Join(names, "."))
}
