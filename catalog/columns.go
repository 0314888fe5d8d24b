package catalog

import (
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// Fields of the endpoint columns of a relation.
const (
	leftKey  = "left_key"
	rightKey = "right_key"
)

// setSchema fills what the current schema says of the type: columns, identity
// first, key and endpoints. endpoint is the column type of an entity's primary
// key by the entity's name.
func (t *Type) setSchema(s *format.Schema, endpoint func(entity string) column.Type) (warnings []string) {
	t.Left, t.Right, t.InstanceKey = s.Left, s.Right, s.InstanceKey
	identity := []Column{}
	if t.Ref.Kind == ontosql.Relation {
		identity = append(identity,
			Column{Field: leftKey, Role: FromLeftKey, Spelling: "<class 'str'>", Type: endpoint(s.Left), NotNull: true},
			Column{Field: rightKey, Role: FromRightKey, Spelling: "<class 'str'>", Type: endpoint(s.Right), NotNull: true})
	}
	var others []Column
	for _, f := range s.Fields {
		switch {
		case f.PrimaryKey:
			identity = append(identity, Column{Field: f.Name, Role: FromEntityKey, Spelling: f.Type, Type: keyType(f), NotNull: true})
		case t.Ref.Kind == ontosql.Relation && f.Name == s.InstanceKey:
			identity = append(identity, Column{Field: f.Name, Role: FromInstanceKey, Spelling: f.Type, Type: column.Type{Kind: column.Text}, NotNull: true})
		case format.Reserved(t.Ref.Kind, f.Name):
			// A field took the place of the system column in data files (COMPAT rule 11).
			// The values of neither are reliable, and a row needs its system column.
			warnings = append(warnings, fmt.Sprintf("field %q of %s is not shown: the name is reserved", f.Name, t.Ref))
		default:
			of, nullable := fieldType(f)
			others = append(others, Column{Field: f.Name, Role: FromField, Spelling: f.Type, Type: of, NotNull: !nullable})
		}
	}
	t.Key = make([]int, len(identity))
	for i := range identity {
		t.Key[i] = i
	}
	t.Columns = append(identity, others...)
	return warnings
}

// System columns (PRODUCT "Columns"). What each one holds:
var (
	commitID        = column.Named{Name: "commit_id", Type: column.Type{Kind: column.Int64}}          // the commit that wrote the row
	schemaVersionID = column.Named{Name: "schema_version_id", Type: column.Type{Kind: column.Int64}}  // of the schema it was written with
	entityKey       = column.Named{Name: "entity_key", Type: column.Type{Kind: column.Text}}          // the stored identity of an entity
	instanceKey     = column.Named{Name: "instance_key", Type: column.Type{Kind: column.Text}}        // "" in a relation without one
	fieldsJSON      = column.Named{Name: "fields_json", Type: column.Type{Kind: column.JSON}}         // the row as it is stored
	committedAt     = column.Named{Name: "committed_at", Type: column.Type{Kind: column.TimestampTZ}} // the commit's created_at
	validFrom       = column.Named{Name: "valid_from", Type: column.Type{Kind: column.TimestampTZ}}   // the same moment
	validTo         = column.Named{Name: "valid_to", Type: column.Type{Kind: column.TimestampTZ}}     // created_at of the next version's commit
	validToCommit   = column.Named{Name: "valid_to_commit", Type: column.Type{Kind: column.Int64}}    // the next version's commit
	isCurrent       = column.Named{Name: "is_current", Type: column.Type{Kind: column.Bool}}          // no later version exists
	changeKind      = column.Named{Name: "change", Type: column.Type{Kind: column.Text}}              // 'insert' or 'update'
	changedFields   = column.Named{Name: "changed_fields", Type: column.Type{Kind: column.List, Elem: &column.Type{Kind: column.Text}}}
	before          = column.Named{Name: "before", Type: column.Type{Kind: column.JSON}} // the old values, NULL for an insert
)

// SystemColumns are the columns of our own that a relation of the type has in
// a mode, in their order. Hidden in public.*, where a statement has to name
// them; ordinary columns after the fields in history.* and changes.*. A column
// of the type that has the same name takes the place of ours.
func SystemColumns(t *Type, mode ontosql.Mode) []column.Named {
	identity := entityKey
	if t.Ref.Kind == ontosql.Relation {
		identity = instanceKey
	}
	all := []column.Named{commitID, schemaVersionID, identity, fieldsJSON, committedAt}
	switch mode {
	case ontosql.History:
		all = append(all, validFrom, validTo, validToCommit, isCurrent)
	case ontosql.Changes:
		all = append(all, changeKind, changedFields, before)
	}
	names := make(map[string]bool, len(t.Columns))
	for _, c := range t.Columns {
		names[c.Name] = true
	}
	ours := all[:0]
	for _, c := range all {
		if !names[c.Name] {
			ours = append(ours, c)
		}
	}
	return ours
}

// VisibleColumns are the columns of SELECT * in a mode: those of the type and,
// in history.* and changes.*, the system columns after them. diff.* and blame.* have columns of
// their own (diffColumns, blameColumns).
func VisibleColumns(t *Type, mode ontosql.Mode) []column.Named {
	switch mode {
	case ontosql.Diff:
		return diffColumns(t)
	case ontosql.Blame:
		return blameColumns(t)
	}
	visible := make([]column.Named, 0, len(t.Columns)+9)
	for _, c := range t.Columns {
		visible = append(visible, column.Named{Name: c.Name, Type: c.Type})
	}
	if mode != ontosql.Latest {
		visible = append(visible, SystemColumns(t, mode)...)
	}
	return visible
}
