package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
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

// constraintsNamed are the foreign keys that a name means: those of the first schema of the
// search path that has one.
func constraintsNamed(s *session.Session, ref syntax.Ref) (ids []workspace.ConstraintID, err error) {
	schemas := []string{ref.Schema}
	if ref.Schema == "" {
		schemas = s.Resolver().SearchPath()
	}
	for _, schema := range schemas {
		for _, t := range s.Tables.Of(schema).In(schema) {
			if !hasConstraint(t, ref.Name) {
				continue
			}
			if k := foreignKey(t, ref.Name); k == nil || k.Deferral == workspace.NotDeferrable {
				return nil, pgerr.New(pgerr.WrongObjectType, "constraint %q is not deferrable", ref.Name)
			}
			ids = append(ids, workspace.ConstraintID{Schema: t.Schema, Table: t.Name, Name: ref.Name})
		}
		if ids != nil {
			return ids, nil
		}
	}
	return nil, pgerr.New(pgerr.UndefinedObject, "constraint %q does not exist", sqlstate.RelationName(ref))
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
		k := foreignKey(t, id.Name)
		if k == nil || !is(id, k.Deferral) {
			continue
		}
		conn, err := s.FreeConn(ctx)
		if err != nil {
			return err
		}
		if f := newKeyCheck(s, conn, t, k); f.parent != nil && len(s.Tables.IDs()) > 0 {
			if err := f.transaction(ctx); err != nil {
				return err
			}
		}
		s.Tables.Constraints.Checked(id)
	}
	return nil
}

// checkNotAwaited is the error of a statement that changes tables whose rows have to be checked
// yet.
func checkNotAwaited(s *session.Session, tables []*workspace.Table, command string) error {
	for _, id := range s.Tables.Constraints.Awaited() {
		for _, t := range tables {
			if t.Schema == id.Schema && t.Name == id.Table {
				return pgerr.New(pgerr.ObjectInUse, "cannot %s %q because it has pending trigger events", command, t.Name)
			}
		}
	}
	return nil
}

// truncated adds the tables that reference those of a TRUNCATE with CASCADE, or returns the error
// of one without.
func truncated(ctx context.Context, s *session.Session, st *syntax.Statement, tables []*workspace.Table) ([]*workspace.Table, error) {
	cascade := ddlstmt.TruncatesCascade(st)
	for i := 0; i < len(tables); i++ {
		for _, r := range s.Tables.Of(tables[i].Schema).ReferencesTo(tables[i].Schema, tables[i].Name) {
			named := func(t *workspace.Table) bool { return t.Schema == r.Table.Schema && t.Name == r.Table.Name }
			switch {
			case slices.ContainsFunc(tables, named):
				continue
			case !cascade:
				return nil, pgerr.Unsupported("cannot truncate a table referenced in a foreign key constraint").
					WithDetail("Table %q references %q.", r.Table.Name, tables[i].Name).
					WithHint("Truncate table %q at the same time, or use TRUNCATE ... CASCADE.", r.Table.Name)
			}
			s.Notice(sqlstate.Notice("truncate cascades to table %q", r.Table.Name))
			if err := Lock(ctx, s, r.Table, database.AccessExclusive); err != nil {
				return nil, err
			}
			if t := s.Tables.Table(r.Table.Schema, r.Table.Name); t != nil {
				tables = append(tables, t)
			}
		}
	}
	return tables, nil
}
