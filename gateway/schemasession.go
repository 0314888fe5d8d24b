package gateway

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/gateway/ddl"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// schemaSession is a session as DDL sees it.
type schemaSession struct{ s *Session }

var _ ddl.Session = schemaSession{}

// Pin, Resolve and the others are documented in ddlSession.
func (d schemaSession) Pin(ctx context.Context) (*resolver.Pin, error) { return d.s.pin(ctx) }

func (d schemaSession) Resolve(pin *resolver.Pin, ref syntax.Ref) (ddl.Relation, error) {
	r, err := d.s.Resolver().Resolve(pin, ref)
	return ddlRelation(&r), err
}

func (d schemaSession) Named(pin *resolver.Pin, ref syntax.Ref) (ddl.Relation, error) {
	r, err := d.s.Resolver().Named(pin, ref)
	return ddlRelation(&r), err
}

// ddlRelation is the relation as DDL sees it.
func ddlRelation(r *relation.Relation) ddl.Relation {
	return ddl.Relation{Type: r.Type, Mode: r.Mode, Schema: r.Shape.Schema, Name: r.Shape.Table, System: r.Catalog != nil}
}

func (d schemaSession) InDatabase(ref syntax.Ref) error { return d.s.Resolver().InDatabase(ref) }

func (d schemaSession) SearchPath() []string { return d.s.Resolver().NamedPath() }

func (d schemaSession) Env() scope.Env { return &environment{session: d.s} }

func (d schemaSession) Notice(n *pgerr.Error) { d.s.notice(n) }

func (d schemaSession) Started() time.Time { return d.s.txStarted() }

func (d schemaSession) PurgeHistory() bool { return d.s.settings.Value(settings.PurgeHistory) == "on" }

func (d schemaSession) HasRows(pin *resolver.Pin, t *catalog.Type) bool { return d.s.hasRows(pin, t) }

func (d schemaSession) Change(ctx context.Context, step ddl.Step, dependsOn ...ontosql.TypeRef) error {
	return d.s.change(ctx, step, dependsOn...)
}

func (d schemaSession) Drop(ctx context.Context, t *catalog.Type, purge bool) error {
	return d.s.drop(ctx, t, purge)
}

func (d schemaSession) Migrate(ctx context.Context, pin *resolver.Pin, m *ddl.Alteration, before string) error {
	_, err := d.s.migrateRows(ctx, pin, m, before)
	return err
}

// change adds a step to the transaction's schema: from now on its statements see the
// catalog with it.
func (s *Session) change(ctx context.Context, step ddl.Step, hangs ...ontosql.TypeRef) error {
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	next := s.tx.schema.With(pin, step, hangs...)
	drafted, err := next.Overlay(s.txStarted(), fmt.Sprintf("+%d.%d", s.serial, s.drafts))
	if err != nil {
		return err
	}
	s.drafts++
	s.tx.schema, s.tx.pin = next, drafted
	return nil
}

// drop removes a type from the schema of the transaction, with the rows that the
// transaction wrote of it.
func (s *Session) drop(ctx context.Context, t *catalog.Type, purge bool) error {
	ref := t.Ref
	err := s.change(ctx, func(state *migration.State) error { return state.Drop(ref, purge) }, ref)
	if err == nil {
		s.tx.schema.RemoveMigrated(ref)
		s.restage(ctx, ref, nil)
	}
	return err
}

// hasRows reports whether a version of any row of a type is stored, or staged.
func (s *Session) hasRows(pin *resolver.Pin, t *catalog.Type) bool {
	if g := s.tx.stagingOf(t.Ref); g != nil && g.Count() > 0 {
		return true
	}
	_, rows := pin.View.Count(t.Ref, t.Floor, pin.Head.Commit)
	return rows > 0
}

// drafted reports whether a pin shows the transaction's own change of the schema,
// which nobody else may see.
func (s *Session) drafted(pin *resolver.Pin) bool {
	return s.tx.schema != nil && pin != s.tx.schema.Base
}

// restage puts a staging in the place of what the transaction has staged of a type,
// nil for none.
func (s *Session) restage(ctx context.Context, ref ontosql.TypeRef, g *staging.Rows) {
	if old := s.tx.stagingOf(ref); old != nil {
		if len(s.tx.savepoints) > 0 {
			s.tx.retired = append(s.tx.retired, old)
		} else {
			old.Close(context.WithoutCancel(ctx))
		}
		s.tx.staged = slices.DeleteFunc(s.tx.staged, func(g *staging.Rows) bool { return g == old })
	}
	if g != nil {
		s.tx.staged = append(s.tx.staged, g)
	}
}
