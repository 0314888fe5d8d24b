package gateway

import (
	"context"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// lock answers LOCK TABLE. The modes that keep nobody from reading or writing rows hold
// of themselves; the others would make writers wait, and here nobody waits for a
// transaction that is open.
func (s *Session) lock(ctx context.Context, st *syntax.Statement) error {
	if err := s.tx.inBlock(st.Tag); err != nil {
		return err
	}
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	for _, table := range st.Lock.Tables {
		if _, err := s.Resolver().Named(pin, table); err != nil {
			return err
		}
	}
	if !st.Lock.Weak {
		return pgerr.Unsupported("LOCK TABLE in %s mode is not supported", st.Lock.Mode).
			WithDetail("Transactions hold no locks while they run: at COMMIT the first committer of each row wins.").
			WithHint("Use SERIALIZABLE, which checks at COMMIT that nothing the transaction read has changed, or SET ontosql.expect_head.")
	}
	return nil
}
