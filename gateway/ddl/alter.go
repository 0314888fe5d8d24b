package ddl

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddl"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// alterTable answers ALTER TABLE: a migration of the type, one schema version
// further (COMPAT 5.1).
func (s *Session) alterTable(ctx context.Context, st *syntax.Statement) error {
	a, err := ddl.ParseAlteration(st, &environment{session: s})
	if err != nil {
		return err
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	t, err := changeable(s, pin, a.Table)
	if a.IfExists && absence(err) != nil {
		s.Notice(sqlstate.Notice("relation %q does not exist, skipping", a.Table.Name))
		return nil
	}
	if sqlstate.IsUndefinedTable(err) {
		return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", sqlstate.RelationName(a.Table)) // PostgreSQL gives no position
	}
	if err != nil {
		return err
	}
	schema, err := rowjson.WriteSchema(t)
	if err != nil {
		return err
	}
	was := Extras(s, pin, t)
	m := &Alteration{session: s, Type: t, schema: *schema, was: was, extras: was}
	m.schema.Fields, m.extras.Columns = slices.Clone(schema.Fields), slices.Clone(was.Columns)
	slices.SortStableFunc(a.Actions, func(a, b ddl.AlterAction) int { return cmp.Compare(pass[a.Kind], pass[b.Kind]) })
	for i := range a.Actions {
		if err := m.action(&a.Actions[i]); err != nil {
			return err
		}
	}
	if n := len(m.schema.Fields) + len(r.typ.Columns) - len(schema.Fields); n > ddl.MaxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", ddl.MaxColumns)
	}
	slices.SortFunc(m.schema.Fields, func(a, b format.SchemaField) int { return strings.Compare(a.Name, b.Name) })
	return s.Migrate(ctx, pin, m, string(format.EncodeSchema(schema)))
}

// passes orders the actions of a statement, whatever order they are written in. Dropping
// comes first, and SET DEFAULT may be for a column that the statement adds (PostgreSQL's
// AlterTablePass).
var pass = map[ddl.AlterKind]int{ddl.AlterType: 1, ddl.AddColumn: 2, ddl.SetNotNull: 3, ddl.SetDefault: 4}

// alteration is a type on its way from one schema to the next.
type alteration struct {
	session *Session
	typ     *catalog.Type // as it was
	schema  format.Schema
	was     format.Extras // before it
	extras  format.Extras
	made    []ddl.MigratedColumn // the columns whose values are made anew,
	fields  []string             // and the fields that they are stored in
	dropped []string             // columns that lose their DEFAULT
	gone    []string             // fields that rows lose
	renamed map[string]string    // fields that rows keep under another name
	added   []*ddl.ColumnDefinition

	DryRun   bool             // no row is read
	Progress func(rows int64) // is called with the number of rows read so far; may be nil
}

// action takes in one action.
func (m *alteration) action(a *ddl.AlterAction) error {
	switch a.Kind {
	case ddl.RenameTable:
		return pgerr.Unsupported("renaming a table is not supported").
			WithDetail("Data files, relations and the history name the type.").
			WithHint("Create a table of the new name and INSERT the rows into it.").At(a.Position)
	case ddl.AddColumn:
		return m.add(a)
	case ddl.RenameColumn:
		return m.rename(a)
	case ddl.DropColumn:
		return m.drop(a)
	}
	old, err := m.column(a.Column)
	if err != nil {
		return err
	}
	switch a.Kind {
	case ddl.AlterType:
		return m.retype(a, old)
	case ddl.SetDefault:
		return m.setDefault(a, old)
	case ddl.DropDefault:
		m.extra(old.Field).Default = ""
		m.dropped = append(m.dropped, old.Name)
	case ddl.SetNotNull, ddl.DropNotNull:
		return m.setNull(a, old, a.Kind == ddl.DropNotNull)
	}
	return nil
}

// column finds a column that the table had before or that the statement adds.
func (m *Alteration) column(name string) (*catalog.Column, error) {
	if c := m.addition(name); c != nil {
		return &catalog.Column{Name: name, Field: name, Role: catalog.FromField, NotNull: c.NotNull}, nil
	}
	i := m.Type.ColumnIndex(name)
	if i < 0 || slices.Contains(m.DroppedFields, m.Type.Columns[i].Field) {
		return nil, pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", name, m.Type.Table)
	}
	return &m.Type.Columns[i], nil
}

// addition is a column that was added, nil for none.
func (m *alteration) addition(name string) *ddl.ColumnDefinition {
	i := slices.IndexFunc(m.added, func(c *ddl.ColumnDefinition) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return m.added[i]
}

// field is a field of the next schema, nil for none.
func (m *Alteration) field(name string) *format.SchemaField {
	i := slices.IndexFunc(m.schema.Fields, func(f format.SchemaField) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &m.schema.Fields[i]
}

// make says that the values of a field are made anew.
func (m *alteration) make(field string, c ddl.MigratedColumn) {
	m.made, m.fields = append(m.made, c), append(m.fields, field)
}

// extra is what is declared for a field.
func (m *Alteration) extra(field string) *format.ColumnExtras {
	declareAll(&m.extras, m.Type, m.DroppedFields)
	return extraOf(&m.extras, field)
}

// named is the column of a field.
func named(name string, f *format.SchemaField) column.Named {
	return column.Named{Name: name, Type: catalog.TypeOf(*f)}
}

// isAny reports whether a field is of type Any, which always admits None.
func isAny(f *format.SchemaField) bool {
	of, _ := format.ParseSpelling(f.Type)
	return of == format.FieldJSON
}

// Step is the schema change of the alteration. before is the encoded schema before it.
func (m *Alteration) Step(before string) Step {
	from, schema, was, extras := m.Type.SchemaID, m.schema, m.was, m.extras
	changed := string(format.EncodeSchema(&schema)) != before
	if !changed {
		extras = orAsBefore(extras, was)
	}
	return func(state *migration.State) error {
		if err := state.StillDeclared(was); err != nil {
			return err
		}
		if changed {
			if err := state.Migrate(from, &schema, migration.ReasonMigration); err != nil {
				return err
			}
		} else if actual := state.Version(schema.Ref); actual != from {
			return &migration.VersionError{Type: schema.Ref, Expected: from, Actual: actual}
		}
		return state.Describe(extras)
	}
}
