package staging

import (
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/pgerr"
)

// DuplicateError is PostgreSQL's error of a unique index (_bt_check_unique).
func (g *Rows) DuplicateError(r *format.Row) error {
	constraint := pgcatalog.PrimaryKeyName(g.Type.Table)
	return pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", constraint).
		WithDetail("%s already exists.", rowjson.Key(g.Type, r)).
		WithConstraint(catalog.SchemaPublic, g.Type.Table, constraint)
}
