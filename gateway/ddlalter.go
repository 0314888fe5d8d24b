package gateway

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
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// alterTable answers ALTER TABLE: a migration of the type, one schema version
// further (COMPAT 5.1).
func (s *Session) alterTable(ctx context.Context, st *syntax.Statement) error {
	a, err := rewrite.ParseAlteration(st, &environment{session: s})
	if err != nil {
		return err
	}
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	r, err := s.table(pin, a.Table)
	if a.IfExists && absence(err) != nil {
		s.notice(sqlstate.Notice("relation %q does not exist, skipping", a.Table.Name))
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
	was := s.extrasOf(pin, r.typ)
	m := &alteration{session: s, typ: r.typ, schema: *schema, was: was, extras: was}
	m.schema.Fields, m.extras.Columns = slices.Clone(schema.Fields), slices.Clone(was.Columns)
	slices.SortStableFunc(a.Actions, func(a, b rewrite.AlterAction) int { return cmp.Compare(pass[a.Kind], pass[b.Kind]) })
	for i := range a.Actions {
		if err := m.action(&a.Actions[i]); err != nil {
			return err
		}
	}
	if n := len(m.schema.Fields) + len(r.typ.Columns) - len(schema.Fields); n > rewrite.MaxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", rewrite.MaxColumns)
	}
	slices.SortFunc(m.schema.Fields, func(a, b format.SchemaField) int { return strings.Compare(a.Name, b.Name) })
	return m.run(ctx, pin, &r, string(format.EncodeSchema(schema)))
}

// pass is when an action has its turn, in whatever order they are written: what goes
// comes first, and SET DEFAULT may be of a column that the statement adds (PostgreSQL's
// AlterTablePass).
var pass = map[rewrite.AlterKind]int{rewrite.AlterType: 1, rewrite.AddColumn: 2, rewrite.SetNotNull: 3, rewrite.SetDefault: 4}

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
	gone    []string                 // fields that rows lose
	renamed map[string]string        // fields that rows keep under another name
	added   []*rewrite.ColumnDefinition

	next  *catalog.Type    // as it will be
	image *rowjson.Encoder // of its rows
	every bool             // every row is written again
	rows  int64            // that were

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
		return m.setDefault(a, old)
	case rewrite.DropDefault:
		m.extra(old.Field).Default = ""
		m.dropped = append(m.dropped, old.Name)
	case rewrite.SetNotNull, rewrite.DropNotNull:
		return m.setNull(a, old, a.Kind == rewrite.DropNotNull)
	}
	return nil
}

// column is a column that the table had before, or has had added.
func (m *alteration) column(name string) (*catalog.Column, error) {
	if c := m.addition(name); c != nil {
		return &catalog.Column{Name: name, Field: name, Role: catalog.FromField, NotNull: c.NotNull}, nil
	}
	i := m.typ.ColumnIndex(name)
	if i < 0 || slices.Contains(m.gone, m.typ.Columns[i].Field) {
		return nil, pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", name, m.typ.Table)
	}
	return &m.typ.Columns[i], nil
}

// addition is a column that was added, nil for none.
func (m *alteration) addition(name string) *rewrite.ColumnDefinition {
	i := slices.IndexFunc(m.added, func(c *rewrite.ColumnDefinition) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return m.added[i]
}

// field is a field of the next schema, nil for none.
func (m *alteration) field(name string) *format.SchemaField {
	i := slices.IndexFunc(m.schema.Fields, func(f format.SchemaField) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &m.schema.Fields[i]
}

// make says that the values of a field are made anew.
func (m *alteration) make(field string, c rewrite.MigratedColumn) {
	m.made, m.fields = append(m.made, c), append(m.fields, field)
}

// extra is what is declared of a field.
func (m *alteration) extra(field string) *format.ColumnExtras {
	declareAll(&m.extras, m.typ, m.gone)
	return extraOf(&m.extras, field)
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
