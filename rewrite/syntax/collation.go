package syntax

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// CheckCollation refuses a collation that does not order by bytes.
func CheckCollation(n *pg.CollateClause) *pgerr.Error {
	names := Strings(n.Collname)
	switch names[len(names)-1] {
	case "default", "C", "POSIX", "ucs_basic", "C.UTF-8", "C.utf8":
		return nil
	}
	return pgerr.New(pgerr.UndefinedObject, "collation %q for encoding \"UTF8\" does not exist", strings.Join(names, "."))
}
