package sqlite

import (
	"context"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Layouts returns the layout catalog of engine v2, ordered by type and version; empty if there
// is none. Rows with an invalid kind are skipped.
func (db *DB) Layouts(ctx context.Context) ([]format.Layout, error) {
	var all []format.Layout
	err := db.read(ctx, func(c *conn) error {
		all = nil
		t, err := dbschema.Read(c.Conn)
		if err != nil || t[dbschema.LayoutCatalog.Name] == nil {
			return err
		}
		return sqlconn.Each(c.Conn, `SELECT type_kind, type_name, schema_version_id, activation_commit_id, is_current
			FROM type_layout_catalog ORDER BY type_kind, type_name, schema_version_id`, func(row *lite.Stmt) error {
			if _, err := ontosql.ParseKind(row.ColumnText(0)); err != nil {
				return nil //nolint:nilerr // no reader takes it for a type
			}
			all = append(all, format.Layout{
				TypeKind: row.ColumnText(0), TypeName: row.ColumnText(1), SchemaVersionID: row.ColumnInt64(2),
				ActivationCommitID: ontosql.CommitID(row.ColumnInt64(3)), IsCurrent: row.ColumnInt64(4) != 0,
			})
			return nil
		})
	})
	return all, sqlconn.StorageError("read layouts", err)
}
