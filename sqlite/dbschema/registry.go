package dbschema

import (
	"fmt"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// RegisteredSchema is the stored schema_json of a type in schema_registry, "" for none.
// Text that is no JSON is a *ontosql.CorruptError.
func RegisteredSchema(w *sqlconn.Writer, ref ontosql.TypeRef) (string, error) {
	text := ""
	err := w.Each("SELECT schema_json, rowid FROM schema_registry WHERE type_kind = ? AND type_name = ?", func(row *lite.Stmt) error {
		text = row.ColumnText(0)
		if _, err := format.ParseJSON([]byte(text)); err != nil {
			return &ontosql.CorruptError{Key: RowPlace("schema_registry", row.ColumnInt64(1)), Field: "schema_json", Err: err}
		}
		return nil
	}, ref.Kind.String(), ref.Name)
	return text, err
}

// AddVersion inserts a row into schema_versions.
func AddVersion(w *sqlconn.Writer, kind, name string, v *format.SchemaVersion) error {
	return w.Exec(`INSERT INTO schema_versions
		(type_kind, type_name, schema_version_id, schema_json, schema_hash, created_at, runtime_id, reason)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		kind, name, v.SchemaVersionID, v.SchemaJSON, v.SchemaHash, v.CreatedAt.String(), textOrNull(v.RuntimeID), textOrNull(v.Reason))
}

func textOrNull(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// RefOf is the type that the first two columns of a row name: type_kind and type_name.
func RefOf(row *lite.Stmt) (ontosql.TypeRef, error) {
	kind, err := ontosql.ParseKind(row.ColumnText(0))
	return ontosql.TypeRef{Kind: kind, Name: row.ColumnText(1)}, err
}

// TextOrNil is the text of a column, nil for NULL.
func TextOrNil(row *lite.Stmt, column int) *string {
	if row.ColumnIsNull(column) {
		return nil
	}
	text := row.ColumnText(column)
	return &text
}

// RowPlace names a row in an error message.
func RowPlace(table string, id int64) string { return fmt.Sprintf("%s row %d", table, id) }
