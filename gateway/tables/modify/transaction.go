package modify

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/rowlock"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/workspace"
)

// Commit commits what the session's transaction has changed of the workspace. If that fails, the
// transaction is rolled back by End.
func Commit(ctx context.Context, s *session.Session) error {
	if !s.Tables.Wrote() {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	return s.Tables.CommitStore(ctx, conn)
}

// RollbackTo takes back what was written since a savepoint.
func RollbackTo(ctx context.Context, s *session.Session, m workspace.Mark) error {
	ended, err := s.Tables.RollbackTo(ctx, s.LateConn(), m)
	for _, id := range ended {
		s.DB.Locks.ReleaseTag(&s.Client, rowlock.TransactionTag(id))
	}
	return err
}

// End ends the session's transaction for its ordinary tables. Rows that the engine cannot
// remove after a commit stay in its memory.
func End(ctx context.Context, s *session.Session, committed bool) error {
	if s.Tables.Idle() {
		s.Tables.Leave()
	}
	if s.Tables.Idle() {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	if !committed {
		return s.Tables.Rollback(ctx, conn)
	}
	if err := s.Tables.Commit(ctx, conn); err != nil {
		s.Log.WarnContext(ctx, "rows of temporary tables stay in memory", "error", err)
	}
	return nil
}

// CountRows is the number of rows of a table of the engine.
func CountRows(ctx context.Context, conn *duckdb.Conn, table string) (n int64, err error) {
	err = conn.Each(ctx, "SELECT count(*) FROM "+table, nil, func(b *column.Batch, i int) { n = b.Cols[0].I64[i] })
	return n, err
}
