package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ddl"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// ChangeSchema carries out a plan; of a dry run the commit is 0. Errors are *pgerr.Error.
func (g *Gateway) ChangeSchema(ctx context.Context, database string, plan *ddl.SchemaPlan) (*ddl.ChangedSchema, error) {
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
func (s *Session) carryOut(ctx context.Context, plan *ddl.SchemaPlan) (*ddl.ChangedSchema, error) {
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
	changed := &ddl.ChangedSchema{}
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
func (s *Session) migrate(ctx context.Context, to *ddl.TypeMigration, dry bool, progress func(int64)) (ddl.MigratedType, error) {
	none, ref := ddl.MigratedType{}, to.Schema.Ref
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
	before, err := rowjson.WriteSchema(t)
	if err != nil {
		return none, err
	}
	if err := migration.SameIdentity(before, &to.Schema); err != nil {
		return none, err
	}
	extras := ddl.Extras(schemaSession{s}, pin, t)
	a := ddl.NewAlteration(schemaSession{s}, t, extras, before, to)
	a.DryRun, a.Progress = dry, progress
	if err := a.Compare(before, to); err != nil {
		return none, err
	}
	m, err := s.migrateRows(ctx, pin, a, string(format.EncodeSchema(before)))
	if err != nil {
		return none, err
	}
	return ddl.MigratedType{Type: ref, Version: m.next.SchemaID, Rows: m.rows}, nil
}
