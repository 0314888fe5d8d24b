package modify

import (
	"context"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// SetConstraints executes SET CONSTRAINTS. What is not deferred any more is checked at once.
func SetConstraints(ctx context.Context, s *session.Session, st *syntax.Statement) error {
	if !s.Tx.Block() {
		s.Notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "SET CONSTRAINTS can only be used in transaction blocks"))
	}
	set := ddlstmt.ParseSetConstraints(st)
	var ids []workspace.ConstraintID
	for _, ref := range set.Names {
		found, err := constraintsNamed(s, ref)
		if err != nil {
			return err
		}
		ids = append(ids, found...)
	}
	if set.Names == nil {
		s.Tables.Constraints.SetAllDeferred(set.Deferred)
	} else {
		s.Tables.Constraints.SetDeferred(ids, set.Deferred)
	}
	if set.Deferred {
		return nil
	}
	return checkAwaited(ctx, s, func(id workspace.ConstraintID, d workspace.Deferral) bool { return !s.Tables.Constraints.Defers(id, d) })
}

// constraintsNamed are the constraints that a name means: those of the first schema of the
// search path that has one.
func constraintsNamed(s *session.Session, ref syntax.Ref) (ids []workspace.ConstraintID, err error) {
	schemas := []string{ref.Schema}
	if ref.Schema == "" {
		schemas = s.Resolver().SearchPath()
	}
	for _, schema := range schemas {
		for _, t := range s.Tables.Of(schema).In(schema) {
			if !namespace.HasConstraint(t, ref.Name) {
				continue
			}
			if deferral(t, ref.Name) == workspace.NotDeferrable {
				return nil, pgerr.New(pgerr.WrongObjectType, "constraint %q is not deferrable", ref.Name)
			}
			ids = append(ids, workspace.ConstraintID{Schema: t.Schema, Table: t.Name, Name: ref.Name})
		}
		if ids != nil {
			return ids, nil
		}
	}
	return nil, pgerr.New(pgerr.UndefinedObject, "constraint %q does not exist", ref.Name)
}

// deferral is when a constraint of a table is checked.
func deferral(t *workspace.Table, name string) workspace.Deferral {
	if f := namespace.ForeignKey(t, name); f != nil {
		return f.Deferral
	}
	if k := t.Constraint(name); k != nil {
		return k.Deferral
	}
	return workspace.NotDeferrable
}

// CheckDeferred checks all constraints that wait for it, before the transaction commits.
func CheckDeferred(ctx context.Context, s *session.Session) error {
	return checkAwaited(ctx, s, func(workspace.ConstraintID, workspace.Deferral) bool { return true })
}

// CheckStatement checks the constraints that are not deferred, at the end of a statement whose
// parts have written.
func CheckStatement(ctx context.Context, s *session.Session) error {
	return checkOnce(ctx, s, func(id workspace.ConstraintID, d workspace.Deferral) bool { return !s.Tables.Constraints.Defers(id, d) })
}

// checkAwaited checks constraints that wait for it. It waits for transactions that have written
// what they depend on.
func checkAwaited(ctx context.Context, s *session.Session, is func(workspace.ConstraintID, workspace.Deferral) bool) error {
	for {
		again, err := Settle(ctx, s, checkOnce(ctx, s, is))
		if !again {
			return err
		}
	}
}

func checkOnce(ctx context.Context, s *session.Session, is func(workspace.ConstraintID, workspace.Deferral) bool) error {
	for _, id := range s.Tables.Constraints.Awaited() {
		t := s.Tables.Table(id.Schema, id.Table)
		if t == nil {
			continue
		}
		foreign, unique := namespace.ForeignKey(t, id.Name), t.Constraint(id.Name)
		if foreign == nil && unique == nil || !is(id, deferral(t, id.Name)) {
			continue
		}
		if len(s.Tables.IDs()) > 0 {
			if err := checkTransaction(ctx, s, t, foreign, unique); err != nil {
				return err
			}
		}
		s.Tables.Constraints.Checked(id)
	}
	return nil
}

// checkTransaction checks what the transaction has written for a foreign key, or else for a
// unique constraint.
func checkTransaction(ctx context.Context, s *session.Session, t *workspace.Table, foreign *workspace.ForeignKey, unique *workspace.Unique) error {
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	if foreign == nil {
		k := unique.Key()
		return checkUniqueRows(ctx, s, conn, t, &k)
	}
	if f := newKeyCheck(s, conn, t, foreign); f.parent != nil {
		return f.transaction(ctx)
	}
	return nil
}

// CheckNotAwaited returns an error if rows of the tables still have to be checked: a statement
// may not change the definition of such a table.
func CheckNotAwaited(s *session.Session, tables []*workspace.Table, command string) error {
	for _, id := range s.Tables.Constraints.Awaited() {
		for _, t := range tables {
			if t.Schema == id.Schema && t.Name == id.Table {
				return pgerr.New(pgerr.ObjectInUse, "cannot %s %q because it has pending trigger events", command, t.Name)
			}
		}
	}
	return nil
}
