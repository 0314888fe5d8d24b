package main

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/typeddl"
)

// commentOfType is the name under which a plan has the comment of a table among its
// fields.
const commentOfType = "__comment__"

// declared compares the declarations of SQL models, such as defaults and comments, with those
// of the existing types: one Diff for each type that differs, of the fields that it keeps.
func (m *models) declared(c *catalog.Catalog, state *migration.State) []migration.Diff {
	var diffs []migration.Diff
	for i := range m.types {
		to := &m.types[i]
		t, ok := c.Type(to.schema.Ref)
		if !m.sql || !ok {
			continue
		}
		d := migration.Diff{Type: t.Ref, Stored: state.Version(t.Ref), Changed: map[string]migration.FieldChange{}}
		is := state.Extras[t.Ref]
		addDeclared(&d, commentOfType, format.ColumnExtras{Comment: is.Comment}, format.ColumnExtras{Comment: to.extras.Comment})
		for k := range t.Columns {
			column := &t.Columns[k]
			if column.Role == catalog.FromField && fieldOf(&to.schema, column.Field) == nil {
				continue // it is dropped
			}
			before, after := typeddl.Redeclared(column, &is, &to.extras)
			addDeclared(&d, column.Field, before, after)
		}
		if len(d.Changed) > 0 {
			diffs = append(diffs, d)
		}
	}
	return diffs
}

// addDeclared adds what is declared of a field otherwise than before.
func addDeclared(d *migration.Diff, name string, is, to format.ColumnExtras) {
	var stored, code []format.Member
	for _, member := range []struct{ name, is, to string }{{"default", is.Default, to.Default}, {"comment", is.Comment, to.Comment}, {"type", is.Type, to.Type}} {
		if member.is != member.to {
			stored = appendDeclared(stored, member.name, member.is)
			code = appendDeclared(code, member.name, member.to)
		}
	}
	if is.NotNull != to.NotNull {
		stored = append(stored, format.Member{Name: "not_null", Value: format.Bool(is.NotNull)})
		code = append(code, format.Member{Name: "not_null", Value: format.Bool(to.NotNull)})
	}
	if len(stored)+len(code) > 0 {
		d.Changed[name] = migration.FieldChange{
			Stored: format.Object(stored...).Append(nil, format.Canonical),
			Code:   format.Object(code...).Append(nil, format.Canonical),
		}
	}
}

// appendDeclared adds what is declared, null for nothing.
func appendDeclared(members []format.Member, name, text string) []format.Member {
	value := format.Null()
	if text != "" {
		value = format.String(text)
	}
	return append(members, format.Member{Name: name, Value: value})
}

// declare adds the new declarations of types to the plan, to the migration of the type if there
// is one, else to a migration that leaves the schema as it is.
func (plan *migrationPlan) declare(c *catalog.Catalog, diffs []migration.Diff, m *models, count func(*catalog.Type) (int64, error)) error {
	for i := range plan.change.Migrate {
		plan.change.Migrate[i].Declared = m.sql
	}
	for i := range diffs {
		d := &diffs[i]
		plan.Declared = append(plan.Declared, shown(d))
		if slices.ContainsFunc(plan.change.Migrate, func(t typeddl.TypeMigration) bool { return t.Schema.Ref == d.Type }) {
			continue
		}
		t, _ := c.Type(d.Type)
		rows, err := count(t)
		if err != nil {
			return err
		}
		plan.EstimatedRows[t.Ref.Name] = rows
		plan.change.Migrate = append(plan.change.Migrate, typeddl.TypeMigration{
			From: t.SchemaID, Schema: m.of(d.Type).schema, Extras: m.of(d.Type).extras, Declared: true,
		})
	}
	return nil
}
