package gateway

import (
	"context"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
)

// alterTable answers ALTER TABLE: a migration of the type, one schema version
// further (COMPAT 5.1).
func (s *Session) alterTable(ctx context.Context, st *rewrite.Statement) error {
	a, err := st.Alteration(&environment{session: s})
	if err != nil {
		return err
	}
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	r, err := s.table(pin, a.Table)
	if a.IfExists && undefined(err) {
		s.notice(notice("relation %q does not exist, skipping", a.Table.Name))
		return nil
	}
	if undefined(err) {
		return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", joined(a.Table)) // PostgreSQL gives no position
	}
	if err != nil {
		return err
	}
	schema, err := writeSchema(r.typ)
	if err != nil {
		return err
	}
	m := &alteration{session: s, typ: r.typ, schema: *schema, was: s.extrasOf(pin, r.typ), extras: s.extrasOf(pin, r.typ)}
	m.schema.Fields = slices.Clone(schema.Fields)
	for i := range a.Actions {
		if err := m.action(&a.Actions[i]); err != nil {
			return err
		}
	}
	slices.SortFunc(m.schema.Fields, func(a, b format.SchemaField) int { return strings.Compare(a.Name, b.Name) })
	return m.run(ctx, pin, &r, string(format.EncodeSchema(schema)))
}

// alteration is a type on its way from one schema to the next.
type alteration struct {
	session *Session
	typ     *catalog.Type // as it was
	schema  format.Schema
	was     format.Extras // before it
	extras  format.Extras
	made    []rewrite.MigratedColumn // the columns whose values are made anew,
	fields  []string                 // and the fields that they are stored in
	dropped []string                 // columns that lose their DEFAULT
	checked []string                 // fields that may not be NULL from now on
	gone    []string                 // fields that rows lose
	renamed map[string]string        // fields that rows keep under another name

	next  *catalog.Type // as it will be
	image *imager       // of its rows
	every bool          // every row is written again
	rows  int64         // that were

	dry      bool             // no row is read
	progress func(rows int64) // is told how many were read; nil for nobody
}

// action takes in one action.
func (m *alteration) action(a *rewrite.AlterAction) error {
	switch a.Kind {
	case rewrite.RenameTable:
		return pgerr.Unsupported("renaming a table is not supported").
			WithDetail("Data files, relations and the history name the type.").
			WithHint("Create a table of the new name and INSERT the rows into it.").At(a.Position)
	case rewrite.AddColumn:
		return m.add(a)
	case rewrite.RenameColumn:
		return m.rename(a)
	case rewrite.DropColumn:
		return m.drop(a)
	}
	old, err := m.column(a.Column)
	if err != nil {
		return err
	}
	switch a.Kind {
	case rewrite.AlterType:
		return m.retype(a, old)
	case rewrite.SetDefault:
		if old.Role != catalog.FromField && old.Role != catalog.FromEntityKey {
			return m.ofKey(a, "a default of")
		}
		return m.setDefault(a, old)
	case rewrite.DropDefault:
		extraOf(&m.extras, old.Field).Default = ""
		m.dropped = append(m.dropped, old.Name)
	case rewrite.SetNotNull, rewrite.DropNotNull:
		return m.setNull(a, old, a.Kind == rewrite.DropNotNull)
	}
	return nil
}

// column is a column that the table had before.
func (m *alteration) column(name string) (*catalog.Column, error) {
	i := columnNamed(m.typ, name)
	if i < 0 || slices.Contains(m.gone, m.typ.Columns[i].Field) {
		return nil, pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", name, m.typ.Table)
	}
	return &m.typ.Columns[i], nil
}

// field is a field of the next schema, nil for none.
func (m *alteration) field(name string) *format.SchemaField {
	i := slices.IndexFunc(m.schema.Fields, func(f format.SchemaField) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &m.schema.Fields[i]
}

// ofKey refuses what would change identities.
func (m *alteration) ofKey(a *rewrite.AlterAction, what string) error {
	return pgerr.Unsupported("%s column %q of the primary key is not supported", what, a.Column).
		WithDetail("The key identifies the rows of the whole history.").At(a.Position)
}

func (m *alteration) add(a *rewrite.AlterAction) error {
	c := &a.Definition
	i := columnNamed(m.typ, c.Name)
	if i >= 0 && !slices.Contains(m.gone, m.typ.Columns[i].Field) || i < 0 && m.field(c.Name) != nil {
		if a.Exists {
			m.session.notice(notice("column %q of relation %q already exists, skipping", c.Name, m.typ.Table))
			return nil
		}
		return pgerr.New(pgerr.DuplicateColumn, "column %q of relation %q already exists", c.Name, m.typ.Table)
	}
	field, err := newField(c)
	if err != nil {
		return err
	}
	m.schema.Fields = append(m.schema.Fields, field)
	m.declareAll()
	m.extras.Columns = append(m.extras.Columns, format.ColumnExtras{
		Field: c.Name, Default: c.Default, Type: declaredType(c.Type), NotNull: c.NotNull && isAny(&field), Quoted: catalog.Quoted(c.Name),
	})
	if c.Default != "" || c.NotNull {
		m.make(c.Name, rewrite.MigratedColumn{Column: named(c.Name, &field), Type: c.Type, Default: c.Default})
	}
	if c.NotNull {
		m.checked = append(m.checked, c.Name)
	}
	return nil
}

// declareAll gives every column an entry of the extras, so that the order of the
// columns stays as it is.
func (m *alteration) declareAll() {
	for i := range m.typ.Columns {
		if field := m.typ.Columns[i].Field; !slices.Contains(m.gone, field) {
			extraOf(&m.extras, field)
		}
	}
}

func (m *alteration) make(field string, c rewrite.MigratedColumn) {
	m.made, m.fields = append(m.made, c), append(m.fields, field)
}

func (m *alteration) drop(a *rewrite.AlterAction) error {
	old, err := m.column(a.Column)
	if err != nil && a.Exists {
		m.session.notice(notice("column %q of relation %q does not exist, skipping", a.Column, m.typ.Table))
		return nil
	}
	if err != nil {
		return err
	}
	if old.Role != catalog.FromField {
		return m.ofKey(a, "dropping")
	}
	m.gone = append(m.gone, old.Field)
	m.schema.Fields = slices.DeleteFunc(m.schema.Fields, func(f format.SchemaField) bool { return f.Name == old.Field })
	m.extras.Columns = slices.DeleteFunc(m.extras.Columns, func(c format.ColumnExtras) bool { return c.Field == old.Field })
	return nil
}

func (m *alteration) rename(a *rewrite.AlterAction) error {
	old, err := m.column(a.Column)
	if err != nil {
		return pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", a.Column)
	}
	if old.Role == catalog.FromLeftKey || old.Role == catalog.FromRightKey {
		return m.ofKey(a, "renaming")
	}
	if columnNamed(m.typ, a.To) >= 0 || m.field(a.To) != nil {
		return pgerr.New(pgerr.DuplicateColumn, "column %q of relation %q already exists", a.To, m.typ.Table)
	}
	m.declareAll()
	m.field(old.Field).Name = a.To
	extra := extraOf(&m.extras, old.Field)
	extra.Field, extra.Quoted = a.To, catalog.Quoted(a.To)
	if m.schema.InstanceKey == old.Field {
		m.schema.InstanceKey = a.To
		return nil
	}
	m.renamed = map[string]string{old.Field: a.To}
	return nil
}

func (m *alteration) retype(a *rewrite.AlterAction, old *catalog.Column) error {
	if old.Role != catalog.FromField {
		return m.ofKey(a, "changing the type of")
	}
	c := rewrite.ColumnDefinition{Name: old.Field, Type: a.Type, NotNull: old.NotNull, Position: a.Position}
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
	extra := extraOf(&m.extras, old.Field)
	extra.Type, extra.NotNull = declaredType(c.Type), c.NotNull && isAny(&field)
	m.make(old.Field, rewrite.MigratedColumn{
		Column: named(old.Name, &field), Type: c.Type, Value: a.Value, From: old.Name,
	})
	return nil
}

// setDefault is checked as if the column were declared with it.
func (m *alteration) setDefault(a *rewrite.AlterAction, old *catalog.Column) error {
	text, err := a.Value.Default(named(old.Name, m.field(old.Field)), &environment{session: m.session})
	if err == nil {
		extraOf(&m.extras, old.Field).Default = text
	}
	return err
}

func (m *alteration) setNull(a *rewrite.AlterAction, old *catalog.Column, nullable bool) error {
	if old.Role != catalog.FromField {
		if !nullable {
			return nil // it is not
		}
		return pgerr.New(pgerr.InvalidTableDefinition, "column %q is in a primary key", a.Column)
	}
	field := m.field(old.Field)
	if isAny(field) {
		extraOf(&m.extras, old.Field).NotNull = !nullable
	} else if _, was := format.ParseSpelling(field.Type); was != nullable {
		of, _ := format.ParseSpelling(field.Type)
		next := format.NewField(field.Name, of, nullable)
		next.Index = field.Index
		*field = next
	}
	if !nullable {
		m.checked = append(m.checked, old.Field)
		if !slices.Contains(m.fields, old.Field) {
			m.make(old.Field, rewrite.MigratedColumn{Column: named(old.Name, field), From: old.Name})
		}
	}
	return nil
}

// named is the column that a field is seen as.
func named(name string, f *format.SchemaField) column.Named {
	return column.Named{Name: name, Type: catalog.TypeOf(*f)}
}

// isAny reports whether the spelling of a field's type has no form without None.
func isAny(f *format.SchemaField) bool {
	of, _ := format.ParseSpelling(f.Type)
	return of == format.FieldJSON
}

// step is the change of the schema that the alteration makes.
func (m *alteration) step(before string) schemaStep {
	from, schema, was, extras := m.typ.SchemaID, m.schema, m.was, m.extras
	return func(state *migration.State) error {
		if err := state.StillDeclared(was); err != nil {
			return err
		}
		if string(format.EncodeSchema(&schema)) != before {
			if err := state.Migrate(from, &schema, migration.ReasonMigration); err != nil {
				return err
			}
		} else if actual := state.Version(schema.Ref); actual != from {
			return &migration.VersionError{Type: schema.Ref, Expected: from, Actual: actual}
		}
		return state.Describe(extras)
	}
}
