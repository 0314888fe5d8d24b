package writing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql/gateway/access"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// DDLSession is a session as DDL sees it.
type DDLSession struct{ Session *session.Session }

var _ typeddl.Session = DDLSession{}

// Pin and the other methods are documented in typeddl.Session.
func (d DDLSession) Pin(ctx context.Context) (*resolver.Pin, error) { return d.Session.Pin(ctx) }

func (d DDLSession) Resolve(pin *resolver.Pin, ref syntax.Ref) (typeddl.Relation, error) {
	r, err := d.Session.Resolver().Resolve(pin, ref)
	return ddlRelation(&r), err
}

func (d DDLSession) Named(pin *resolver.Pin, ref syntax.Ref) (typeddl.Relation, error) {
	r, err := d.Session.Resolver().Named(pin, ref)
	return ddlRelation(&r), err
}

// ddlRelation is the relation as DDL sees it.
func ddlRelation(r *relation.Relation) typeddl.Relation {
	return typeddl.Relation{Type: r.Type, Mode: r.Mode, Schema: r.Shape.Schema, Name: r.Shape.Table, System: r.Catalog != nil}
}

func (d DDLSession) InDatabase(ref syntax.Ref) error { return d.Session.Resolver().InDatabase(ref) }

func (d DDLSession) SearchPath() []string { return d.Session.Resolver().NamedPath() }

func (d DDLSession) Env() scope.Env { return d.Session.NewEnv() }

func (d DDLSession) Notice(n *pgerr.Error) { d.Session.Notice(n) }

func (d DDLSession) Role() access.Role { return d.Session.Role() }

func (d DDLSession) RoleName(r ddlstmt.Role) (string, error) { return d.Session.RoleName(r) }

func (d DDLSession) Started() time.Time { return d.Session.TxStarted() }

func (d DDLSession) PurgeHistory() bool {
	return d.Session.Settings.Value(settings.PurgeHistory) == "on"
}

func (d DDLSession) HasRows(pin *resolver.Pin, t *catalog.Type) bool {
	return hasRows(d.Session, pin, t)
}

func (d DDLSession) Change(ctx context.Context, step typeddl.Step, dependsOn ...ontosql.TypeRef) error {
	return change(ctx, d.Session, step, dependsOn...)
}

func (d DDLSession) Drop(ctx context.Context, t *catalog.Type, purge bool) error {
	return drop(ctx, d.Session, t, purge)
}

func (d DDLSession) Migrate(ctx context.Context, pin *resolver.Pin, m *typeddl.Alteration, before string) error {
	_, err := migrateRows(ctx, d.Session, pin, m, before)
	return err
}

// change adds a step to the schema of the transaction. Its later statements see the changed
// catalog.
func change(ctx context.Context, s *session.Session, step typeddl.Step, hangs ...ontosql.TypeRef) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	next := s.Tx.Schema.With(pin, step, hangs...)
	drafted, err := next.Overlay(s.TxStarted(), fmt.Sprintf("+%d.%d", s.Serial, s.Drafts))
	if err != nil {
		return err
	}
	s.Drafts++
	s.Tx.Schema, s.Tx.Pin = next, drafted
	return nil
}

// drop removes a type from the schema of the transaction, with the rows that the
// transaction wrote of it.
func drop(ctx context.Context, s *session.Session, t *catalog.Type, purge bool) error {
	ref := t.Ref
	err := change(ctx, s, func(state *migration.State) error { return state.Drop(ref, purge) }, ref)
	if err == nil {
		s.Tx.Schema.RemoveMigrated(ref)
		restage(ctx, s, ref, nil)
	}
	return err
}

// hasRows reports whether a version of any row of a type is stored, or staged.
func hasRows(s *session.Session, pin *resolver.Pin, t *catalog.Type) bool {
	if g := s.Tx.StagingOf(t.Ref); g != nil && g.Count() > 0 {
		return true
	}
	return pin.View.HasFiles(t.Ref, max(t.Floor-1, 0), pin.Head.Commit) // the commit of a drop may have rows (A14)
}

// restage replaces what the transaction has staged of a type by g, nil for nothing.
func restage(ctx context.Context, s *session.Session, ref ontosql.TypeRef, g *staging.Rows) {
	if old := s.Tx.StagingOf(ref); old != nil {
		if len(s.Tx.Savepoints) > 0 {
			s.Tx.Retired = append(s.Tx.Retired, old)
		} else {
			old.Close(context.WithoutCancel(ctx))
		}
		s.Tx.Staged = slices.DeleteFunc(s.Tx.Staged, func(g *staging.Rows) bool { return g == old })
	}
	if g != nil {
		s.Tx.Staged = append(s.Tx.Staged, g)
	}
}
