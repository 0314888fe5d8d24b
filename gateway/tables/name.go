package tables

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
)

// constraintName is the name of a constraint of a table that has none: the table's, those of
// columns and a label, which are the parts, with a number if the name is taken (PostgreSQL's
// ChooseConstraintName).
func constraintName(taken map[string]bool, table string, parts []string) string {
	columns, label := strings.Join(parts[:len(parts)-1], "_"), parts[len(parts)-1]
	name := pgcatalog.GeneratedName(table, columns, label)
	for n := 1; taken[name]; n++ {
		name = pgcatalog.GeneratedName(table, columns, label+strconv.Itoa(n))
	}
	return name
}
