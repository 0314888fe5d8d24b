package gateway

import (
	"context"

	"github.com/ontosql/ontosql/gateway/databaseddl"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/roleddl"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// command runs a statement without rows and returns its tag.
func (s *Session) command(ctx context.Context, p *statement) (string, error) {
	switch st := p.st; st.Kind {
	case syntax.Empty:
		return "", nil
	case syntax.Begin:
		return s.begin(st)
	case syntax.Commit:
		return s.commit(ctx, st)
	case syntax.Rollback:
		return s.rollback(ctx, st)
	case syntax.Savepoint:
		return st.Tag, s.savepoint(st)
	case syntax.Release:
		return st.Tag, s.releaseSavepoint(st)
	case syntax.RollbackTo:
		return st.Tag, s.rollbackTo(ctx, st)
	case syntax.PrepareTransaction:
		return s.prepareTransaction(ctx, st)
	case syntax.FinishPrepared:
		return "", s.finishPrepared(st)
	case syntax.Set:
		return st.Tag, s.setCommand(ctx, st)
	case syntax.Reset:
		return st.Tag, s.resetCommand(ctx, st)
	case syntax.Prepare:
		inner, err := p.nested(ctx)
		if err != nil {
			return "", err
		}
		inner.account = p.account
		return st.Tag, s.names.AddStatement(st.Name, inner)
	case syntax.Deallocate:
		return st.Tag, s.deallocate(st)
	case syntax.CloseCursor:
		return st.Tag, s.closeCursor(st)
	case syntax.Listen, syntax.Unlisten:
		return st.Tag, s.Listen(ctx, st)
	case syntax.Lock:
		if ours, err := namespace.LockTables(ctx, s.Session, st); ours || err != nil {
			return st.Tag, err
		}
		return st.Tag, s.LockTables(ctx, st)
	case syntax.Constraints:
		return st.Tag, modify.SetConstraints(ctx, s.Session, st)
	case syntax.Vacuum:
		return st.Tag, tables.Vacuum(ctx, s.Session, st)
	case syntax.Reindex:
		return st.Tag, tables.Reindex(ctx, s.Session, st)
	case syntax.OnDatabase:
		if name, _, ours, err := ddlstmt.RequireGrants(st); ours || err != nil {
			if err == nil && name != s.DB.Name {
				err = pgerr.Unsupported("ontosql.require_grants of another database cannot be set").WithHint("Connect to %q to set it.", name)
			}
			if err == nil {
				err = p.define(ctx, nil)
			}
			return st.Tag, err
		}
		return st.Tag, databaseddl.Run(ctx, s.Session, st)
	case syntax.OnRole:
		return st.Tag, s.onRole(ctx, st)
	case syntax.Notify:
		return st.Tag, s.Notify(st.Name, st.Values[0])
	}
	return p.st.Tag, s.discard(ctx, p.st)
}

// onRole runs a statement on roles. Alone it is committed before its completion is sent.
func (s *Session) onRole(ctx context.Context, st *syntax.Statement) error {
	if err := roleddl.Run(ctx, s.Session, st); err != nil || !s.Alone() {
		return err
	}
	return s.CommitRoles(ctx, func() error { return nil })
}

// refuse answers a statement that this version does not run.
func (s *Session) refuse(st *syntax.Statement) error {
	switch st.Kind {
	case syntax.Truncate:
		return planner.RefuseRemoval(st.Tag)
	case syntax.CreateIndex, syntax.DefineSequence, syntax.Grant, syntax.DDL:
		if err := s.CheckWrites(st.Tag); err != nil {
			return err
		}
	}
	return sqlstate.NotSupportedYet(st.Tag)
}
