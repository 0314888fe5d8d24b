package gateway

import (
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/pgerr"
)

// duplicate is PostgreSQL's error of a unique index (_bt_check_unique).
func (g *staging) duplicate(r *format.Row) error {
	constraint := pgcatalog.PrimaryKeyName(g.typ.Table)
	e := pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", constraint).
		WithDetail("%s already exists.", rowjson.Key(g.typ, r))
	e.Schema, e.Table, e.Constraint = catalog.SchemaPublic, g.typ.Table, constraint
	return e
}
