package gateway

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// SchemaPlan is a change of the schema in one commit that was worked out outside
// of a session: what the commands migrate and schema drop do (COMPAT 5.1 and 7).
type SchemaPlan struct {
	// Head is the commit at which it was worked out. The change is made only where
	// it is still the head.
	Head    ontosql.CommitID
	User    string            // the commit's actor
	Create  []TypeCreation    // entity types before the relation types that link them
	Migrate []TypeMigration   // of one type each
	Drop    []ontosql.TypeRef // relation types before the entity types that they link
	Purge   bool              // rows are dropped with their types
	// Metadata is the commit's.
	Metadata map[string]string
	// DryRun says that nothing is done: rows are not read, but everything that can be
	// known without them is checked.
	DryRun bool
	// Progress is told how many rows were read so far, of all types; nil for nobody.
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

// ChangeSchema carries out a plan; of a dry run the commit is 0. Errors are *pgerr.Error.
func (g *Gateway) ChangeSchema(ctx context.Context, database string, plan *SchemaPlan) (*ChangedSchema, error) {
	db := g.databases[database]
	s, err := g.newSession(ctx, db, wire.Startup{Database: database, User: plan.User})
	if err != nil {
		return nil, sqlstate.Of(ctx, g.log, err)
	}
	defer s.Close()
	s.tx.explicit, s.tx.planned, s.tx.began = true, true, time.Now()
	changed, err := s.carryOut(ctx, plan)
	if err != nil {
		return nil, sqlstate.Of(ctx, g.log, err)
	}
	return changed, nil
}

// carryOut does everything under the lock, so that what is worked out from many
// rows is not in vain.
func (s *Session) carryOut(ctx context.Context, plan *SchemaPlan) (*ChangedSchema, error) {
	if !plan.DryRun {
		if err := s.reserve(ctx); err != nil {
			return nil, err
		}
		defer s.unreserve()
	}
	pin, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	if pin.Head.Commit != plan.Head {
		return nil, pgerr.New(pgerr.SerializationFailure, "could not serialize access because the head is not the expected one").
			WithDetail("The plan was made at commit %d, the head is commit %d.", plan.Head, pin.Head.Commit)
	}
	s.tx.head, s.tx.metadata = &plan.Head, plan.Metadata
	changed := &ChangedSchema{}
	for i := range plan.Create {
		t := &plan.Create[i]
		if err := s.change(ctx, func(state *migration.State) error { return state.Create(&t.Schema, t.Extras) }); err != nil {
			return nil, err
		}
	}
	var read int64
	for i := range plan.Migrate {
		before := read
		migrated, err := s.migrate(ctx, &plan.Migrate[i], plan.DryRun, func(rows int64) {
			if read = before + rows; plan.Progress != nil {
				plan.Progress(read)
			}
		})
		if err != nil {
			return nil, ofMigration(err, plan.Migrate[i].Schema.Ref)
		}
		changed.Types = append(changed.Types, migrated)
	}
	for _, ref := range plan.Drop {
		t, ok := pin.Catalog.Type(ref)
		if !ok {
			return nil, &migration.MissingError{Type: ref}
		}
		if err := s.drop(ctx, t, plan.Purge); err != nil {
			return nil, err
		}
	}
	defer s.unstage(ctx)
	if plan.DryRun {
		return changed, nil
	}
	changed.Commit, err = s.commitOnce(ctx)
	return changed, err
}

// ofMigration says which migration of a plan an error is of.
func ofMigration(err error, ref ontosql.TypeRef) error {
	var e *pgerr.Error
	if errors.As(err, &e) && e.Where == "" {
		e.Where = "migration of " + ref.String()
	}
	return err
}

// migrate carries out the migration of one type. A dry one reads no rows.
func (s *Session) migrate(ctx context.Context, to *TypeMigration, dry bool, progress func(int64)) (MigratedType, error) {
	none, ref := MigratedType{}, to.Schema.Ref
	pin, err := s.pin(ctx)
	if err != nil {
		return none, err
	}
	t, ok := pin.Catalog.Type(ref)
	if !ok {
		return none, &migration.MissingError{Type: ref}
	}
	if t.SchemaID != to.From {
		return none, &migration.VersionError{Type: ref, Expected: to.From, Actual: t.SchemaID}
	}
	before, err := writeSchema(t)
	if err != nil {
		return none, err
	}
	if err := migration.SameIdentity(before, &to.Schema); err != nil {
		return none, err
	}
	extras := s.extrasOf(pin, t)
	m := &alteration{session: s, typ: t, schema: to.Schema, was: extras, extras: extras.After(before, &to.Schema), dry: dry, progress: progress}
	if err := m.difference(before, to); err != nil {
		return none, err
	}
	r := typeRelation(syntax.Ref{Schema: catalog.SchemaPublic, Name: t.Table}, catalog.SchemaPublic, t)
	if err := m.run(ctx, pin, &r, string(format.EncodeSchema(before))); err != nil {
		return none, err
	}
	return MigratedType{Type: ref, Version: m.next.SchemaID, Rows: m.rows}, nil
}

// difference works out what is to be done with the fields of the rows.
func (m *alteration) difference(before *format.Schema, to *TypeMigration) error {
	for _, f := range before.Fields {
		if m.field(f.Name) == nil {
			m.gone = append(m.gone, f.Name)
		}
	}
	checked := map[string]bool{}
	if to.Declared {
		checked = m.redeclare(&to.Extras)
	}
	for i := range m.schema.Fields {
		f := &m.schema.Fields[i]
		old := m.typ.FieldIndex(f.Name)
		made := rewrite.MigratedColumn{Column: named(f.Name, f)}
		if old < 0 {
			made.Default = m.declareNew(f.Name, &to.Extras)
		}
		switch text, given := to.Values[f.Name]; {
		case given:
			var err error
			if made.Value, err = rewrite.ParseExpression(text); err != nil {
				return err
			}
		case old < 0 && made.Default == "" && catalog.Nullable(*f):
			continue
		case old >= 0 && m.keeps(old, f.Type) && !checked[f.Name]:
			continue
		case old >= 0:
			made.From = m.typ.Columns[old].Name
		}
		if old >= 0 && m.typ.Columns[old].Role != catalog.FromField {
			return pgerr.Unsupported("changing field %q of the identity of %s is not supported", f.Name, m.typ.Ref)
		}
		m.make(f.Name, made)
	}
	return nil
}

// declareNew takes over what is declared of a new field, and gives its DEFAULT.
func (m *alteration) declareNew(field string, declared *format.Extras) string {
	i := slices.IndexFunc(declared.Columns, func(c format.ColumnExtras) bool { return c.Field == field })
	if i < 0 {
		return ""
	}
	*m.extra(field) = declared.Columns[i]
	return declared.Columns[i].Default
}

// Redeclared is what is declared of a column that a type has, before and after a plan
// whose Extras are complete. The types of key columns stay: nobody looks through the
// keys of the whole history.
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
func (m *alteration) redeclare(declared *format.Extras) map[string]bool {
	checked := map[string]bool{}
	m.extras.Comment = declared.Comment
	for i := range m.typ.Columns {
		c := &m.typ.Columns[i]
		if slices.Contains(m.gone, c.Field) {
			continue
		}
		before, after := Redeclared(c, &m.was, declared)
		if declaredOf(&m.extras, c.Field) != after {
			*m.extra(c.Field) = after
		}
		m.dropped = append(m.dropped, c.Name) // the plan says whether there is another DEFAULT
		checked[c.Field] = after.Type != "" && after.Type != before.Type || after.NotNull && !before.NotNull
	}
	return checked
}

// declareMade gives the values that a plan makes the types that their columns are
// declared to have: a length and a scale hold for them, too.
func (m *alteration) declareMade() (err error) {
	for i := range m.made {
		if m.made[i].Type.OID != 0 {
			continue // a statement said it
		}
		c := &m.next.Columns[m.next.FieldIndex(m.fields[i])]
		if m.made[i].Type, err = rewrite.DeclareType(c.Name, pgcatalog.TypeOID(c.Type), cmp.Or(c.Typmod, -1)); err != nil {
			return err
		}
	}
	return nil
}

// keeps reports whether every value of an old column is one of a spelling as well.
func (m *alteration) keeps(old int, spelling string) bool {
	c := &m.typ.Columns[old]
	was, _ := format.ParseSpelling(c.Spelling)
	is, nullable := format.ParseSpelling(spelling)
	return c.Spelling == spelling || was == is && nullable && is != format.FieldJSON
}
