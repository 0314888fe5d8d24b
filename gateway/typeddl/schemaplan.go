package typeddl

import (
	"cmp"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
)

// SchemaPlan is a change of the schema in one commit that is worked out outside of a
// session, by the commands migrate and schema.
type SchemaPlan struct {
	// Head is the commit at which the plan was made. The plan fails if it is no longer the
	// head.
	Head    ontosql.CommitID
	User    string            // the commit's actor
	Create  []TypeCreation    // entity types before the relation types that link them
	Migrate []TypeMigration   // of one type each
	Drop    []ontosql.TypeRef // relation types before the entity types that they link
	Purge   bool              // rows are dropped with their types
	// Metadata is the commit's.
	Metadata map[string]string
	// DryRun checks the plan as far as that is possible without reading rows, and changes
	// nothing.
	DryRun bool
	// Progress is called with the number of rows read so far, of all types. It may be nil.
	Progress func(rows int64)
}

// TypeCreation is the creation of one type.
type TypeCreation struct {
	Schema format.Schema
	Extras format.Extras // what SQL declares of it
}

// TypeMigration is the migration of one type.
type TypeMigration struct {
	From   int64         // the schema version that it starts from
	Schema format.Schema // the next one
	// Extras are what SQL declares of the type; those of new fields are taken over.
	// What is declared of the others stays as far as it fits.
	Extras format.Extras
	// Declared says that Extras are all that is declared of the type, also of the
	// fields that it has: see Redeclared.
	Declared bool
	// Values are SQL expressions over the columns as they were, by the field that
	// they are for. Fields without one keep their values, cast by assignment where
	// the type is another; new ones have their default, else NULL.
	Values map[string]string
}

// ChangedSchema is what became of a SchemaPlan.
type ChangedSchema struct {
	Commit ontosql.CommitID
	Types  []MigratedType // in the order of the plan
}

// MigratedType is what became of a TypeMigration.
type MigratedType struct {
	Type    ontosql.TypeRef
	Version int64 // the schema version that it has now
	Rows    int64 // that were written again
}

// NewAlteration is the alteration of a type that a plan asks for. was is what is declared of
// the type before, before its schema.
func NewAlteration(s Session, t *catalog.Type, was format.Extras, before *format.Schema, to *TypeMigration) *Alteration {
	return &Alteration{session: s, Type: t, schema: to.Schema, was: was, extras: was.After(before, &to.Schema)}
}

// Compare works out what is to be done with the fields of the rows.
func (m *Alteration) Compare(before *format.Schema, to *TypeMigration) error {
	for _, f := range before.Fields {
		if m.field(f.Name) == nil {
			m.DroppedFields = append(m.DroppedFields, f.Name)
		}
	}
	checked := map[string]bool{}
	if to.Declared {
		checked = m.redeclare(&to.Extras)
	}
	for i := range m.schema.Fields {
		f := &m.schema.Fields[i]
		old := m.Type.FieldIndex(f.Name)
		made := ddlstmt.MigratedColumn{Column: m.named(f.Name, f)}
		if old < 0 {
			made.Default = m.declareNew(f.Name, &to.Extras)
		}
		switch text, given := to.Values[f.Name]; {
		case given:
			var err error
			if made.Value, err = defaults.ParseExpression(text); err != nil {
				return err
			}
		case old < 0 && made.Default == "" && catalog.Nullable(*f):
			continue
		case old >= 0 && m.keeps(old, f.Type) && !checked[f.Name]:
			continue
		case old >= 0:
			made.From = m.Type.Columns[old].Name
		}
		if old >= 0 && m.Type.Columns[old].Role != catalog.FromField {
			return pgerr.Unsupported("changing field %q of the identity of %s is not supported", f.Name, m.Type.Ref)
		}
		m.make(f.Name, made)
	}
	return nil
}

// declareNew takes over what is declared of a new field, and gives its DEFAULT.
func (m *Alteration) declareNew(field string, declared *format.Extras) string {
	i := slices.IndexFunc(declared.Columns, func(c format.ColumnExtras) bool { return c.Field == field })
	if i < 0 {
		return ""
	}
	*m.extra(field) = declared.Columns[i]
	return declared.Columns[i].Default
}

// Redeclared are the declarations of a column that a type has, before and after a plan with
// complete Extras. The types of key columns do not change, because the keys of the whole
// history would have to be checked.
func Redeclared(c *catalog.Column, was, declared *format.Extras) (before, after format.ColumnExtras) {
	before, after = declaredOf(was, c.Field), declaredOf(declared, c.Field)
	if after.Quoted = before.Quoted; c.Role != catalog.FromField {
		after.Type, after.NotNull = before.Type, before.NotNull
	}
	return before, after
}

// declaredOf is what is declared of a field.
func declaredOf(e *format.Extras, field string) format.ColumnExtras {
	if i := slices.IndexFunc(e.Columns, func(c format.ColumnExtras) bool { return c.Field == field }); i >= 0 {
		return e.Columns[i]
	}
	return format.ColumnExtras{Field: field}
}

// redeclare takes over what is declared of the type and of the columns that it keeps.
// It returns the fields whose values have to be looked at for it.
func (m *Alteration) redeclare(declared *format.Extras) map[string]bool {
	checked := map[string]bool{}
	m.extras.Comment = declared.Comment
	for i := range m.Type.Columns {
		c := &m.Type.Columns[i]
		if slices.Contains(m.DroppedFields, c.Field) {
			continue
		}
		before, after := Redeclared(c, &m.was, declared)
		if declaredOf(&m.extras, c.Field) != after {
			*m.extra(c.Field) = after
		}
		m.DroppedDefaults = append(m.DroppedDefaults, c.Name) // the plan says whether there is another DEFAULT
		checked[c.Field] = after.Type != "" && after.Type != before.Type || after.NotNull && !before.NotNull
	}
	return checked
}

// DeclareComputed gives the values that a plan makes the types that their columns are
// declared to have: a length and a scale hold for them, too.
func (m *Alteration) DeclareComputed(next *catalog.Type) (err error) {
	for i := range m.Computed {
		if m.Computed[i].Type.OID != 0 {
			continue // a statement said it
		}
		c := &next.Columns[next.FieldIndex(m.ComputedFields[i])]
		if m.Computed[i].Type, err = ddlstmt.DeclareType(c.Name, pgcatalog.TypeOID(c.Type), cmp.Or(c.Typmod, -1)); err != nil {
			return err
		}
	}
	return nil
}

// keeps reports whether every value of an old column is one of a spelling as well.
func (m *Alteration) keeps(old int, spelling string) bool {
	c := &m.Type.Columns[old]
	was, _ := format.ParseSpelling(c.Spelling)
	is, nullable := format.ParseSpelling(spelling)
	return c.Spelling == spelling || was == is && nullable && is != format.FieldJSON
}
