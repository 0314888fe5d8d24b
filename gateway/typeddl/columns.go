package typeddl

import (
	"errors"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// add executes ADD COLUMN.
func (m *Alteration) add(a *ddlstmt.AlterAction) error {
	c := &a.Definition
	i := m.Type.ColumnIndex(c.Name)
	if i >= 0 && !slices.Contains(m.DroppedFields, m.Type.Columns[i].Field) || i < 0 && m.field(c.Name) != nil {
		if a.Exists {
			m.session.Notice(sqlstate.Skipped(pgerr.DuplicateColumn, "column %q of relation %q already exists, skipping", c.Name, m.Type.Table))
			return nil
		}
		return pgerr.New(pgerr.DuplicateColumn, "column %q of relation %q already exists", c.Name, m.Type.Table)
	}
	field, err := newField(c)
	if err != nil {
		return err
	}
	m.schema.Fields = append(m.schema.Fields, field)
	m.added = append(m.added, c)
	if i >= 0 { // the statement drops a column of that name, which is another one
		m.continues[c.Name] = ""
	}
	*m.extra(c.Name) = newExtra(c, &field)
	if c.Default != "" || c.NotNull {
		m.make(c.Name, ddlstmt.MigratedColumn{Column: m.named(c.Name, &field), Type: c.Type, Default: c.Default})
	}
	return nil
}

// drop executes DROP COLUMN.
func (m *Alteration) drop(a *ddlstmt.AlterAction) error {
	old, err := m.column(a.Column)
	if err != nil && a.Exists {
		m.session.Notice(sqlstate.Notice("column %q of relation %q does not exist, skipping", a.Column, m.Type.Table))
		return nil
	}
	if err != nil {
		return err
	}
	if old.Role != catalog.FromField {
		return m.ofKey(a, "dropping")
	}
	m.DroppedFields = append(m.DroppedFields, old.Field)
	m.schema.Fields = slices.DeleteFunc(m.schema.Fields, func(f format.SchemaField) bool { return f.Name == old.Field })
	m.extras.Columns = slices.DeleteFunc(m.extras.Columns, func(c format.ColumnExtras) bool { return c.Field == old.Field })
	return nil
}

// rename executes RENAME COLUMN.
func (m *Alteration) rename(a *ddlstmt.AlterAction) error {
	old, err := m.column(a.Column)
	if err != nil {
		return pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", a.Column)
	}
	if old.Role == catalog.FromLeftKey || old.Role == catalog.FromRightKey {
		return m.ofKey(a, "renaming")
	}
	if m.Type.ColumnIndex(a.To) >= 0 || m.field(a.To) != nil {
		return pgerr.New(pgerr.DuplicateColumn, "column %q of relation %q already exists", a.To, m.Type.Table)
	}
	m.field(old.Field).Name = a.To
	extra := m.extra(old.Field)
	extra.Field, extra.Quoted = a.To, catalog.Quoted(a.To)
	m.extras.Grants = slices.Clone(m.extras.Grants)
	for i := range m.extras.Grants {
		if g := &m.extras.Grants[i]; g.Field == old.Field {
			g.Field = a.To
		}
	}
	m.continues = migration.Continues{a.To: old.Field}
	if m.schema.InstanceKey == old.Field {
		m.schema.InstanceKey = a.To
		return nil
	}
	m.Renamed = map[string]string{old.Field: a.To}
	return nil
}

// retype executes ALTER COLUMN TYPE.
func (m *Alteration) retype(a *ddlstmt.AlterAction, old *catalog.Column) error {
	if old.Role != catalog.FromField {
		return m.ofKey(a, "changing the type of")
	}
	c := ddlstmt.ColumnDefinition{Name: old.Field, Type: a.Type, NotNull: old.NotNull, Position: a.Position}
	field, err := newField(&c)
	if err != nil {
		return err
	}
	before := m.field(old.Field)
	if was, _ := format.ParseSpelling(before.Type); was == fieldTypes[c.Type.OID] && was != format.FieldJSON {
		field.Type, field.TypeSpec = before.Type, before.TypeSpec
	}
	field.Index = before.Index
	*before = field
	extra := m.extra(old.Field)
	extra.Type, extra.NotNull = declaredType(c.Type), c.NotNull && isAny(&field)
	m.make(old.Field, ddlstmt.MigratedColumn{
		Column: m.named(old.Name, &field), Type: c.Type, Value: a.Value, From: old.Name,
	})
	return nil
}

// setDefault checks the default as if the column were declared with it.
func (m *Alteration) setDefault(a *ddlstmt.AlterAction, old *catalog.Column) error {
	if old.Role != catalog.FromField && old.Role != catalog.FromEntityKey {
		return m.ofKey(a, "a default of")
	}
	text, err := a.Value.Default(m.named(old.Name, m.field(old.Field)), m.session.Env())
	var e *pgerr.Error
	if errors.As(err, &e) {
		unplaced := *e
		unplaced.Position = 0 // PostgreSQL gives none
		return &unplaced
	}
	if err == nil {
		m.extra(old.Field).Default = text
	}
	return err
}

// setNull executes SET NOT NULL and DROP NOT NULL.
func (m *Alteration) setNull(a *ddlstmt.AlterAction, old *catalog.Column, nullable bool) error {
	if old.Role != catalog.FromField {
		if !nullable {
			return nil // it is not
		}
		return pgerr.New(pgerr.InvalidTableDefinition, "column %q is in a primary key", a.Column)
	}
	field := m.field(old.Field)
	if isAny(field) {
		m.extra(old.Field).NotNull = !nullable
	} else if _, was := format.ParseSpelling(field.Type); was != nullable {
		of, _ := format.ParseSpelling(field.Type)
		next := format.NewField(field.Name, of, nullable)
		next.Index = field.Index
		*field = next
	}
	if !nullable && !slices.Contains(m.ComputedFields, old.Field) {
		made := ddlstmt.MigratedColumn{Column: m.named(old.Name, field), From: old.Name}
		if c := m.addition(old.Name); c != nil {
			made.From, made.Type = "", c.Type
		}
		m.make(old.Field, made)
	}
	return nil
}

// ofKey is the error of an action that would change identities.
func (m *Alteration) ofKey(a *ddlstmt.AlterAction, what string) error {
	return pgerr.Unsupported("%s column %q of the primary key is not supported", what, a.Column).
		WithDetail("The key identifies the rows of the whole history.").At(a.Position)
}
