package session

import (
	"context"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// LockTables executes LOCK TABLE. A mode that blocks neither reads nor writes of rows needs no
// lock. The other modes are refused, because transactions take no locks before COMMIT.
func (s *Session) LockTables(ctx context.Context, st *syntax.Statement) error {
	if err := s.Tx.InBlock(st.Tag); err != nil {
		return err
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	for _, table := range st.Lock.Tables {
		r, err := s.Resolver().Named(pin, table)
		if err != nil {
			return err
		}
		if r.Stored != nil && r.Stored.View != nil {
			return pgerr.New(pgerr.WrongObjectType, "cannot lock relation %q", table.Name).WithDetail("This operation is not supported for materialized views.")
		}
	}
	if !st.Lock.Weak {
		return pgerr.Unsupported("LOCK TABLE in %s mode is not supported", st.Lock.Mode).
			WithDetail("Transactions hold no locks while they run: at COMMIT the first committer of each row wins.").
			WithHint("Use SERIALIZABLE, which checks at COMMIT that nothing the transaction read has changed, or SET ontosql.expect_head.")
	}
	return nil
}
