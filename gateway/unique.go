package gateway

import (
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
)

// duplicate is PostgreSQL's error of a unique index (_bt_check_unique).
func (g *staging) duplicate(r *format.Row) error {
	var names, texts []string
	for _, k := range g.typ.Key {
		c := g.typ.Columns[k]
		names = append(names, c.Name)
		texts = append(texts, map[catalog.Role]string{
			catalog.FromEntityKey: r.Key, catalog.FromLeftKey: r.Left, catalog.FromRightKey: r.Right, catalog.FromInstanceKey: r.Instance,
		}[c.Role])
	}
	constraint := pgcatalog.PrimaryKeyName(g.typ.Table)
	e := pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", constraint).
		WithDetail("Key (%s)=(%s) already exists.", strings.Join(names, ", "), strings.Join(texts, ", "))
	e.Schema, e.Table, e.Constraint = schemaPublic, g.typ.Table, constraint
	return e
}
