package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/workspace"
)

// belongings are objects of the workspace.
type belongings struct {
	schemas   []*workspace.Schema
	tables    []*workspace.Table // materialized views, too
	views     []*workspace.View
	sequences []*workspace.Sequence
}

// belongingsOf are the objects of the workspace that a condition holds for.
func belongingsOf(s *session.Session, has func(access.Object) bool) (out belongings) {
	shared := s.Tables.Shared()
	for _, name := range shared.Schemas() {
		if d := shared.Schema(name); has(access.OfSchema(d, name)) {
			out.schemas = append(out.schemas, d)
		}
	}
	for _, t := range shared.All() {
		if has(access.OfTable(t)) {
			out.tables = append(out.tables, t)
		}
	}
	for _, v := range shared.Views() {
		if !v.Materialized && has(access.OfView(v)) { // those are among the tables
			out.views = append(out.views, v)
		}
	}
	for _, q := range shared.Sequences() {
		if has(access.OfSequence(q)) {
			out.sequences = append(out.sequences, q)
		}
	}
	return out
}

// lock locks the objects until the end of the transaction.
func (b belongings) lock(ctx context.Context, s *session.Session, mode database.LockMode) error {
	for _, d := range b.schemas {
		if err := namespace.LockSchema(ctx, s, d.Name, mode); err != nil {
			return err
		}
	}
	for _, t := range b.tables {
		if err := namespace.Lock(ctx, s, t, mode); err != nil {
			return err
		}
	}
	for _, v := range b.views {
		if err := namespace.LockView(ctx, s, v); err != nil {
			return err
		}
	}
	for _, q := range b.sequences {
		if err := namespace.LockName(ctx, s, q.Schema, q.Name); err != nil {
			return err
		}
	}
	return nil
}

// lockedBelongings finds objects and locks them. They are found again after the wait, which may have been for a
// transaction that changed them.
func lockedBelongings(ctx context.Context, s *session.Session, mode database.LockMode, has func(access.Object) bool) (belongings, error) {
	found := belongingsOf(s, has)
	if err := found.lock(ctx, s, mode); err != nil {
		return belongings{}, err
	}
	again := belongingsOf(s, has)
	return again, again.lock(ctx, s, mode)
}

// ownedBy is the condition that one of the roles owns an object.
func ownedBy(roles []string) func(access.Object) bool {
	return func(o access.Object) bool { return slices.Contains(roles, o.Owner) }
}

// grantedTo is the condition that one of the roles has or has granted privileges on an object of others.
func grantedTo(roles []string) func(access.Object) bool {
	return func(o access.Object) bool {
		return !slices.Contains(roles, o.Owner) && slices.ContainsFunc(roles, o.Grants.Concern)
	}
}

// Concern reports whether one of the roles owns something in the workspace or, with grants, has or has
// granted privileges in it, or has default privileges.
func Concern(s *session.Session, roles []string, grants bool) (bool, error) {
	if err := s.Tables.Err(); err != nil {
		return false, namespace.Unavailable(err)
	}
	found := false
	belongingsOf(s, func(o access.Object) bool {
		found = found || ownedBy(roles)(o) || grants && grantedTo(roles)(o)
		return false
	})
	for _, schema := range append(s.Tables.Shared().Schemas(), "") {
		for _, d := range s.Tables.Shared().Defaults(schema) {
			found = found || grants && (slices.Contains(roles, d.Role) || slices.ContainsFunc(roles, d.Grants.Concern))
		}
	}
	return found, nil
}

// Reassign executes REASSIGN OWNED in the workspace: what the roles own gets another owner. Default
// privileges stay, as in PostgreSQL.
func Reassign(ctx context.Context, s *session.Session, tag string, from []string, to string) error {
	if err := namespace.CheckShared(s, tag); err != nil {
		return err
	}
	found, err := lockedBelongings(ctx, s, database.AccessExclusive, ownedBy(from))
	if err != nil {
		return err
	}
	for _, d := range found.schemas {
		if err := ownSchema(ctx, s, d, ddlstmt.Role{Name: to}); err != nil {
			return err
		}
	}
	for _, t := range found.tables {
		given(access.OfTable(t), to, func(owner string, grants acl.Grants) { giveTable(s, t, owner, grants) })
	}
	for _, v := range found.views {
		given(access.OfView(v), to, func(owner string, grants acl.Grants) { giveView(s, v, owner, grants) })
	}
	for _, q := range found.sequences {
		if q.Owner == (workspace.Owner{}) { // the others follow their tables
			given(access.OfSequence(q), to, func(owner string, grants acl.Grants) { sequences.Give(s, q, owner, grants) })
		}
	}
	return nil
}

// given calls set with what an object has of another owner.
func given(o access.Object, to string, set func(owner string, grants acl.Grants)) {
	o = o.Given(to)
	set(o.Owner, o.Grants)
}
