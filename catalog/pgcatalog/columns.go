package pgcatalog

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// ownComments explain the columns that are ours and no field's.
var ownComments = map[string]string{
	"commit_id":         "The commit that wrote this version.",
	"schema_version_id": "The schema version the row was written under.",
	"entity_key":        "The row's identity as it is stored.",
	"instance_key":      "The instance key as it is stored; empty in a relation without one.",
	"fields_json":       "The fields as they are stored.",
	"committed_at":      "When the commit was made.",
	"valid_from":        "When this version became the row's latest.",
	"valid_to":          "When the next version replaced it; NULL for the latest.",
	"valid_to_commit":   "The commit of the next version; NULL for the latest.",
	"is_current":        "Whether this is the row's latest version.",
	"change":            "'insert' for a row's first version, else 'update'.",
	"changed_fields":    "The names of the fields that differ from the version before.",
	"before":            "The old values of all fields; NULL for an insert.",
}

// blameComments explain the columns of blame.<type>.
var blameComments = map[string]string{
	"column_name":  "The column.",
	"value":        "The value that the column has, as JSON.",
	"commit_id":    "The commit that set it.",
	"committed_at": "When the commit was made.",
	"actor":        "Who asked for the commit.",
	"message":      "What the commit says of itself.",
}

// fieldAttrs are the columns of SELECT * of public.<type>. The comment on a column without a
// comment of its own is the field's name, if SQL spells it differently.
func fieldAttrs(t *catalog.Type) []attr {
	var attrs []attr
	for i := range t.Columns {
		c := &t.Columns[i]
		a := attr{name: c.Name, notNull: c.NotNull, comment: c.Comment}
		a.typ, a.typmod = ColumnType(c)
		if c.Comment == "" && c.Name != c.Field {
			a.comment = c.Field
		}
		a.defaultExpr = defaultText(c.Default, a.typ, a.typmod)
		attrs = append(attrs, a)
	}
	return attrs
}

// systemAttrs are the columns of ours that the type's relation has in a mode.
func systemAttrs(t *catalog.Type, mode ontosql.Mode) []attr {
	var attrs []attr
	for _, c := range catalog.SystemColumns(t, mode) {
		attrs = append(attrs, newAttr(c, ownComments[c.Name]))
	}
	return attrs
}

// viewAttrs are the columns of history.<type> or changes.<type>. PostgreSQL
// knows neither NOT NULL nor DEFAULT of a view's columns.
func viewAttrs(t *catalog.Type, mode ontosql.Mode) []attr {
	attrs := fieldAttrs(t)
	for i := range attrs {
		attrs[i].notNull, attrs[i].defaultExpr = false, ""
	}
	return append(attrs, systemAttrs(t, mode)...)
}

func newAttr(c column.Named, comment string) attr {
	return attr{name: c.Name, typ: TypeOID(c.Type), typmod: Typmod(c.Type), comment: comment}
}
