package tables

import (
	"context"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// DropOwned executes DROP OWNED in the workspace: what the roles own is dropped, and their privileges on
// the rest are revoked, default privileges too.
func DropOwned(ctx context.Context, s *session.Session, roles []string, cascade bool, by InUse) error {
	if err := namespace.CheckShared(s, "DROP OWNED"); err != nil {
		return err
	}
	found, err := lockedBelongings(ctx, s, database.AccessExclusive, ownedBy(roles))
	if err != nil {
		return err
	}
	if err := found.drop(ctx, s, cascade, by); err != nil {
		return err
	}
	if err := revokeAll(ctx, s, roles); err != nil {
		return err
	}
	return dropDefaults(ctx, s, roles)
}

// drop drops the objects, which are locked, with what depends on them if cascade is set.
func (b belongings) drop(ctx context.Context, s *session.Session, cascade bool, by InUse) error {
	of := namespace.NewDependents(s)
	what := b.what(of)
	b.addContents(s, of)
	b.addViews(s, of)
	owned := sequences.AddOwned(s, of, b.tables)
	b.sequences = slices.DeleteFunc(b.sequences, func(q *workspace.Sequence) bool { return slices.Contains(owned, q) })
	sequences.AddUses(s, of, b.sequences, b.tables)
	of.AddReferences(b.tables)
	if err := of.Report(what, cascade); err != nil {
		return err
	}
	if err := checkNotInUse(b.tables, by, "DROP TABLE"); err != nil {
		return err
	}
	if err := modify.CheckNotAwaited(s, b.tables, "DROP TABLE"); err != nil {
		return err
	}
	if err := of.DropKeys(ctx); err != nil {
		return err
	}
	for _, q := range append(owned, b.sequences...) {
		if err := sequences.Remove(ctx, s, q); err != nil {
			return err
		}
	}
	for _, v := range append(b.views, of.Views...) {
		if err := namespace.LockView(ctx, s, v); err != nil {
			return err
		}
		s.Tables.RemoveView(v)
	}
	for _, t := range b.tables {
		if err := namespace.Lock(ctx, s, t, database.AccessExclusive); err != nil {
			return err
		}
		s.Tables.Remove(t)
	}
	for _, d := range b.schemas {
		s.Tables.DropSchema(d.Name)
	}
	return nil
}

// addContents adds what others own in the schemas to what is dropped.
func (b *belongings) addContents(s *session.Session, of *namespace.Dependents) {
	for _, d := range b.schemas {
		on := "schema " + namespace.QuotedName("", d.Name)
		for _, t := range s.Tables.Shared().In(d.Name) {
			if !slices.Contains(b.tables, t) {
				of.Describe(t.Kind()+" "+of.Shown(t.Schema, t.Name), on)
				b.tables = append(b.tables, t)
			}
		}
		for _, v := range s.Tables.Shared().Views() {
			if v.Schema == d.Name && !v.Materialized && !slices.Contains(b.views, v) {
				of.Describe("view "+of.Shown(v.Schema, v.Name), on)
				b.views = append(b.views, v)
			}
		}
		for _, q := range s.Tables.Shared().Sequences() {
			if q.Schema == d.Name && q.Owner == (workspace.Owner{}) && !slices.Contains(b.sequences, q) {
				of.Describe("sequence "+of.Shown(q.Schema, q.Name), on)
				b.sequences = append(b.sequences, q)
			}
		}
	}
}

// addViews adds the views of others that depend on the tables and views.
func (b *belongings) addViews(s *session.Session, of *namespace.Dependents) {
	add := func(kind, schema, name string) {
		for _, v := range s.Tables.Everything().Dependents(schema, name) {
			named := slices.Contains(b.views, v.View) || slices.ContainsFunc(b.tables, func(t *workspace.Table) bool { return t.View == v.View })
			if !named {
				of.AddDependent(v, kind, schema, name)
			}
		}
	}
	for _, t := range b.tables {
		add(t.Kind(), t.Schema, t.Name)
	}
	for _, v := range b.views {
		add("view", v.Schema, v.Name)
	}
}

// what is the end of the error that something depends on the objects.
func (b *belongings) what(of *namespace.Dependents) string {
	var names []string
	for _, d := range b.schemas {
		names = append(names, "schema "+namespace.QuotedName("", d.Name))
	}
	for _, t := range b.tables {
		names = append(names, t.Kind()+" "+of.Shown(t.Schema, t.Name))
	}
	for _, v := range b.views {
		names = append(names, "view "+of.Shown(v.Schema, v.Name))
	}
	for _, q := range b.sequences {
		names = append(names, "sequence "+of.Shown(q.Schema, q.Name))
	}
	if len(names) == 1 {
		return strings.Join(names, "") + " because other objects depend on it"
	}
	return "desired object(s) because other objects depend on them"
}

// revokeAll revokes the privileges of the roles on what others own, as far as the session's role may.
func revokeAll(ctx context.Context, s *session.Session, roles []string) error {
	governed, err := s.Governed(ctx)
	if err != nil {
		return err
	}
	found, err := lockedBelongings(ctx, s, database.ShareUpdateExclusive, grantedTo(roles))
	if err != nil {
		return err
	}
	left := func(o access.Object) (grants acl.Grants) {
		letters := o.All
		if governed && err == nil {
			var warning *pgerr.Error
			if _, letters, warning, err = s.Role().Grantor(o, o.All, true); warning != nil {
				s.Notice(warning)
			}
		}
		grants = o.Grants
		for _, role := range roles {
			grants = grants.Without(role, letters)
		}
		return grants
	}
	for _, d := range found.schemas {
		giveSchema(s, d, d.Owner, left(access.OfSchema(d, d.Name)))
	}
	for _, t := range found.tables {
		next := *t
		next.Grants = left(access.OfTable(t))
		s.Tables.Put(&next)
	}
	for _, v := range found.views {
		giveView(s, v, v.Owner, left(access.OfView(v)))
	}
	for _, q := range found.sequences {
		sequences.Give(s, q, q.Role, left(access.OfSequence(q)))
	}
	return err
}

// dropDefaults drops the default privileges of the roles, and revokes theirs in those of others.
func dropDefaults(ctx context.Context, s *session.Session, roles []string) error {
	for _, schema := range append(s.Tables.Shared().Schemas(), "") {
		for _, d := range s.Tables.Shared().Defaults(schema) {
			owns := slices.Contains(roles, d.Role)
			if !owns && !slices.ContainsFunc(roles, d.Grants.Concern) {
				continue
			}
			conn, err := s.FreeConn(ctx)
			if err != nil {
				return err
			}
			if err := namespace.LockSchema(ctx, s, schema, database.ShareUpdateExclusive); err != nil {
				return err
			}
			for _, role := range roles {
				d.Grants = d.Grants.Without(role, access.TableLetters+access.SequenceLetters+access.SchemaLetters)
			}
			if owns || schema != "" && len(d.Grants) == 0 || schema == "" && isOwn(d) {
				d.Grants = nil
			}
			if err := s.Tables.PutDefault(ctx, conn, schema, d); err != nil {
				return namespace.Unavailable(err)
			}
		}
	}
	return nil
}

// isOwn reports whether default privileges are those that there are without them.
func isOwn(d workspace.DefaultGrants) bool {
	letters := map[byte]string{'r': access.TableLetters, 'S': access.SequenceLetters, 'n': access.SchemaLetters}[d.Kind]
	return slices.Equal(d.Grants, access.OwnGrants(d.Role, letters)) || slices.Equal(d.Grants, access.OwnGrants("", letters))
}
