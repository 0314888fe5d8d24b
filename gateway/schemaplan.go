package gateway

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/wire"
)

// SchemaPlan is a change of the schema in one commit that was worked out outside
// of a session: what the commands migrate and schema drop do (COMPAT 5.1 and 7).
type SchemaPlan struct {
	// Head is the commit at which it was worked out. The change is made only where
	// it is still the head.
	Head    ontosql.CommitID
	User    string          // the commit's actor
	Create  []format.Schema // entity types before the relation types that link them
	Extras  []format.Extras // of those; of the others, what they have stays as far as it fits
	Migrate []TypeMigration
	Drop    []ontosql.TypeRef // relation types before the entity types that they link
	Purge   bool              // rows are dropped with their types
	// Metadata is the commit's. That of a migration is added to it.
	Metadata map[string]string
	// Progress is told how many rows were read so far, of all types; nil for nobody.
	Progress func(rows int64)
}

// TypeMigration is the migration of one type.
type TypeMigration struct {
	From   int64         // the schema version that it starts from
	Schema format.Schema // the next one
	// Values are SQL expressions over the columns as they were, by the field that
	// they are for. Fields without one keep their values, cast by assignment where
	// the type is another; new ones are NULL.
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

// ChangeSchema carries out a plan. Errors are *pgerr.Error.
func (g *Gateway) ChangeSchema(ctx context.Context, database string, plan *SchemaPlan) (*ChangedSchema, error) {
	db := g.databases[database]
	s, err := g.newSession(ctx, db, wire.Startup{Database: database, User: plan.User})
	if err != nil {
		return nil, sqlError(ctx, g.log, err)
	}
	defer s.Close()
	s.tx.explicit, s.tx.began = true, time.Now()
	changed, err := s.carryOut(ctx, plan)
	if err != nil {
		return nil, sqlError(ctx, g.log, err)
	}
	return changed, nil
}

func (s *Session) carryOut(ctx context.Context, plan *SchemaPlan) (*ChangedSchema, error) {
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
		schema, extras := &plan.Create[i], format.Extras{}
		if k := slices.IndexFunc(plan.Extras, func(e format.Extras) bool { return e.Kind == schema.Ref.Kind.String() && e.Type == schema.Ref.Name }); k >= 0 {
			extras = plan.Extras[k]
		}
		if err := s.change(ctx, func(state *migration.State) error { return state.Create(schema, extras) }); err != nil {
			return nil, err
		}
	}
	var read int64
	for i := range plan.Migrate {
		before := read
		migrated, err := s.migrate(ctx, &plan.Migrate[i], func(rows int64) {
			if read = before + rows; plan.Progress != nil {
				plan.Progress(read)
			}
		})
		if err != nil {
			return nil, err
		}
		changed.Types = append(changed.Types, migrated)
	}
	if len(plan.Migrate) > 0 {
		s.tx.metadata = migrationMetadata(plan, changed)
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
	changed.Commit, err = s.commitOnce(ctx)
	return changed, err
}

// migrationMetadata is what the original says of a migration (COMPAT 5.7), with
// the list as text: the metadata of our commits are strings.
func migrationMetadata(plan *SchemaPlan, changed *ChangedSchema) map[string]string {
	items := make([]format.Value, len(changed.Types))
	for i, t := range changed.Types {
		items[i] = format.Object(
			format.Member{Name: "type_kind", Value: format.String(t.Type.Kind.String())},
			format.Member{Name: "type_name", Value: format.String(t.Type.Name)},
			format.Member{Name: "from_schema_version_id", Value: format.Int(plan.Migrate[i].From)},
			format.Member{Name: "to_schema_version_id", Value: format.Int(t.Version)},
			format.Member{Name: "rows_rewritten", Value: format.Int(t.Rows)},
		)
	}
	metadata := map[string]string{"kind": "migration", "migrated_types": string(format.Array(items...).Append(nil, format.Spaced))}
	maps.Copy(metadata, plan.Metadata)
	return metadata
}

// migrate carries out the migration of one type.
func (s *Session) migrate(ctx context.Context, to *TypeMigration, progress func(int64)) (MigratedType, error) {
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
	m := &alteration{session: s, typ: t, schema: to.Schema, was: extras, extras: extras.After(before, &to.Schema), progress: progress}
	if err := m.difference(before, to.Values); err != nil {
		return none, err
	}
	r := typeRelation(rewrite.Ref{Schema: schemaPublic, Name: t.Table}, schemaPublic, t)
	if err := m.run(ctx, pin, &r, string(format.EncodeSchema(before))); err != nil {
		return none, err
	}
	return MigratedType{Type: ref, Version: m.next.SchemaID, Rows: m.rows}, nil
}

// difference works out what is to be done with the fields of the rows.
func (m *alteration) difference(before *format.Schema, values map[string]string) error {
	for _, f := range before.Fields {
		if m.field(f.Name) == nil {
			m.gone = append(m.gone, f.Name)
		}
	}
	for i := range m.schema.Fields {
		f := &m.schema.Fields[i]
		old := slices.IndexFunc(m.typ.Columns, func(c catalog.Column) bool { return c.Field == f.Name })
		made := rewrite.MigratedColumn{Column: named(f.Name, f)}
		_, nullable := format.ParseSpelling(f.Type)
		switch text, given := values[f.Name]; {
		case given:
			var err error
			if made.Value, err = rewrite.ParseExpression(text); err != nil {
				return err
			}
		case old < 0 && nullable:
			continue
		case old >= 0 && m.keeps(old, f.Type):
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

// keeps reports whether every value of an old column is one of a spelling as well.
func (m *alteration) keeps(old int, spelling string) bool {
	c := &m.typ.Columns[old]
	was, _ := format.ParseSpelling(c.Spelling)
	is, nullable := format.ParseSpelling(spelling)
	return c.Spelling == spelling || was == is && nullable && is != format.FieldJSON
}
