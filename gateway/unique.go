package gateway

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
)

// duplicate is PostgreSQL's error of a unique index (_bt_check_unique).
func (g *staging) duplicate(r *format.Row) error {
	constraint := pgcatalog.PrimaryKeyName(g.typ.Table)
	e := pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", constraint).
		WithDetail("%s already exists.", keyOf(g.typ, r))
	e.Schema, e.Table, e.Constraint = schemaPublic, g.typ.Table, constraint
	return e
}

// keyOf names a row by its key: Key (id)=(c1).
func keyOf(t *catalog.Type, r *format.Row) string {
	var names, texts []string
	for _, k := range t.Key {
		c := t.Columns[k]
		names = append(names, c.Name)
		texts = append(texts, map[catalog.Role]string{
			catalog.FromEntityKey: r.Key, catalog.FromLeftKey: r.Left, catalog.FromRightKey: r.Right, catalog.FromInstanceKey: r.Instance,
		}[c.Role])
	}
	return fmt.Sprintf("Key (%s)=(%s)", strings.Join(names, ", "), strings.Join(texts, ", "))
}
