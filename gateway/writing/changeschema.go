package writing

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/pgerr"
)

// CarryOut carries out a schema plan under the write lock, so that no other commit makes it
// compute the rows again.
func CarryOut(ctx context.Context, s *session.Session, plan *typeddl.SchemaPlan) (*typeddl.ChangedSchema, error) {
	if !plan.DryRun {
		if err := s.Reserve(ctx); err != nil {
			return nil, err
		}
		defer s.Unreserve()
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if pin.Head.Commit != plan.Head {
		return nil, pgerr.New(pgerr.SerializationFailure, "could not serialize access because the head is not the expected one").
			WithDetail("The plan was made at commit %d, the head is commit %d.", plan.Head, pin.Head.Commit)
	}
	s.Tx.Head, s.Tx.Metadata = &plan.Head, plan.Metadata
	changed := &typeddl.ChangedSchema{}
	for i := range plan.Create {
		t := &plan.Create[i]
		if err := change(ctx, s, func(state *migration.State) error { return state.Create(&t.Schema, t.Extras) }); err != nil {
			return nil, err
		}
	}
	var read int64
	for i := range plan.Migrate {
		before := read
		migrated, err := migrate(ctx, s, &plan.Migrate[i], plan.DryRun, func(rows int64) {
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
		if err := drop(ctx, s, t, plan.Purge); err != nil {
			return nil, err
		}
	}
	defer s.Unstage(ctx)
	if plan.DryRun {
		return changed, nil
	}
	changed.Commit, err = CommitOnce(ctx, s)
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
func migrate(ctx context.Context, s *session.Session, to *typeddl.TypeMigration, dry bool, progress func(int64)) (typeddl.MigratedType, error) {
	none, ref := typeddl.MigratedType{}, to.Schema.Ref
	pin, err := s.Pin(ctx)
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
	before, err := rowjson.WriteSchema(t)
	if err != nil {
		return none, err
	}
	if err := migration.SameIdentity(before, &to.Schema); err != nil {
		return none, err
	}
	extras := typeddl.Extras(DDLSession{s}, pin, t)
	a := typeddl.NewAlteration(DDLSession{s}, t, extras, before, to)
	a.DryRun, a.Progress = dry, progress
	if err := a.Compare(before, to); err != nil {
		return none, err
	}
	m, err := migrateRows(ctx, s, pin, a, string(format.EncodeSchema(before)))
	if err != nil {
		return none, err
	}
	return typeddl.MigratedType{Type: ref, Version: m.next.SchemaID, Rows: m.rows}, nil
}
