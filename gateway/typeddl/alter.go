package typeddl

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// AlterTable executes ALTER TABLE: it migrates the type to its next schema version.
func AlterTable(ctx context.Context, s Session, st *syntax.Statement) error {
	if to := ddlstmt.NewOwners(st); to != nil {
		return giveTable(ctx, s, st, to)
	}
	a, err := ddlstmt.ParseAlteration(st, s.Env())
	if err != nil {
		return ofAction(ctx, s, st, err)
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	t, err := changeable(s, pin, a.Table)
	if absence(err) != nil {
		return missingTable(s, a.Table, a.IfExists, err)
	}
	if err != nil {
		return err
	}
	schema, err := rowjson.WriteSchema(t)
	if err != nil {
		return err
	}
	was := Extras(s, pin, t)
	m := &Alteration{session: s, Type: t, schema: *schema, was: was, extras: was, continues: migration.Continues{}}
	m.schema.Fields, m.extras.Columns = slices.Clone(schema.Fields), slices.Clone(was.Columns)
	slices.SortStableFunc(a.Actions, func(a, b ddlstmt.AlterAction) int { return cmp.Compare(passes[a.Kind], passes[b.Kind]) })
	for i := range a.Actions {
		if err := m.action(&a.Actions[i]); err != nil {
			return err
		}
	}
	if n := len(m.schema.Fields) + len(t.Columns) - len(schema.Fields); n > ddlstmt.MaxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", ddlstmt.MaxColumns)
	}
	slices.SortFunc(m.schema.Fields, func(a, b format.SchemaField) int { return strings.Compare(a.Name, b.Name) })
	return s.Migrate(ctx, pin, m, string(format.EncodeSchema(schema)))
}

// ofAction is the outcome of an ALTER TABLE with an action that no type has: PostgreSQL looks for
// the table first.
func ofAction(ctx context.Context, s Session, st *syntax.Statement, refused error) error {
	var e *pgerr.Error
	if !errors.As(refused, &e) || e.Code != pgerr.FeatureNotSupported || st.Target == nil {
		return refused
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	if _, err := changeable(s, pin, *st.Target); absence(err) != nil {
		return missingTable(s, *st.Target, ddlstmt.IfExists(st), err)
	}
	return refused
}

// missingTable is the outcome of an ALTER TABLE whose table does not exist: a notice if the
// statement says IF EXISTS.
func missingTable(s Session, ref syntax.Ref, ifExists bool, err error) error {
	switch {
	case ifExists:
		s.Notice(sqlstate.Notice("relation %q does not exist, skipping", ref.Name))
		return nil
	case sqlstate.IsUndefinedTable(err):
		return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", sqlstate.RelationName(ref)) // PostgreSQL gives no position
	}
	return err
}

// passes orders the actions of a statement, whatever order they are written in. Dropping
// comes first, and SET DEFAULT may be for a column that the statement adds (PostgreSQL's
// AlterTablePass).
var passes = map[ddlstmt.AlterKind]int{ddlstmt.AlterType: 1, ddlstmt.AddColumn: 2, ddlstmt.SetNotNull: 3, ddlstmt.SetDefault: 4}

// Alteration is the change of a type from one schema version to the next.
type Alteration struct {
	session         Session
	Type            *catalog.Type // before the change
	schema          format.Schema
	was             format.Extras // declared before the change
	extras          format.Extras
	Computed        []ddlstmt.MigratedColumn // the columns whose values are computed,
	ComputedFields  []string                 // and the fields that they are stored in
	DroppedDefaults []string                 // columns that lose their DEFAULT
	DroppedFields   []string                 // fields that are removed from rows
	Renamed         map[string]string        // fields of rows that get another name
	added           []*ddlstmt.ColumnDefinition
	// continues are the fields that continue another one than that of their name.
	continues migration.Continues

	DryRun   bool             // no row is read
	Progress func(rows int64) // is called with the number of rows read so far; may be nil
}

// action applies one action.
func (m *Alteration) action(a *ddlstmt.AlterAction) error {
	switch a.Kind {
	case ddlstmt.RenameTable:
		return pgerr.Unsupported("renaming a table is not supported").
			WithDetail("Data files, relations and the history name the type.").
			WithHint("Create a table of the new name and INSERT the rows into it.").At(a.Position)
	case ddlstmt.AddColumn:
		return m.add(a)
	case ddlstmt.RenameColumn:
		return m.rename(a)
	case ddlstmt.DropColumn:
		return m.drop(a)
	}
	old, err := m.column(a.Column)
	if err != nil {
		return err
	}
	switch a.Kind {
	case ddlstmt.AlterType:
		return m.retype(a, old)
	case ddlstmt.SetDefault:
		return m.setDefault(a, old)
	case ddlstmt.DropDefault:
		m.extra(old.Field).Default = ""
		m.DroppedDefaults = append(m.DroppedDefaults, old.Name)
	case ddlstmt.SetNotNull, ddlstmt.DropNotNull:
		return m.setNull(a, old, a.Kind == ddlstmt.DropNotNull)
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

// addition finds a column that the statement adds, nil for none.
func (m *Alteration) addition(name string) *ddlstmt.ColumnDefinition {
	i := slices.IndexFunc(m.added, func(c *ddlstmt.ColumnDefinition) bool { return c.Name == name })
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

// make adds a field whose values are computed.
func (m *Alteration) make(field string, c ddlstmt.MigratedColumn) {
	m.Computed, m.ComputedFields = append(m.Computed, c), append(m.ComputedFields, field)
}

// extra is what is declared for a field.
func (m *Alteration) extra(field string) *format.ColumnExtras {
	declareAll(&m.extras, m.Type, m.DroppedFields)
	return extraOf(&m.extras, field)
}

// named is the column of a field.
func (m *Alteration) named(name string, f *format.SchemaField) column.Named {
	return column.Named{Name: name, Type: catalog.DeclaredType(*f, m.extra(f.Name).Type)}
}

// isAny reports whether a field is of type Any, which always admits None.
func isAny(f *format.SchemaField) bool {
	of, _ := format.ParseSpelling(f.Type)
	return of == format.FieldJSON
}

// Step is the schema change of the alteration. before is the encoded schema before it.
func (m *Alteration) Step(before string) Step {
	from, schema, was, extras, continues := m.Type.SchemaID, m.schema, m.was, m.extras, m.continues
	changed := string(format.EncodeSchema(&schema)) != before || len(continues) > 0
	if !changed {
		extras = orAsBefore(extras, was)
	}
	return func(state *migration.State) error {
		if err := state.StillDeclared(was); err != nil {
			return err
		}
		if changed {
			if err := state.Migrate(from, &schema, continues, migration.ReasonMigration); err != nil {
				return err
			}
		} else if actual := state.Version(schema.Ref); actual != from {
			return &migration.VersionError{Type: schema.Ref, Expected: from, Actual: actual}
		}
		return state.Describe(extras)
	}
}
