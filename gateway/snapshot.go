package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// A snapshot that transactions share is a commit: they see what it and those before it
// wrote, and nothing that one of them has written and not committed, as in PostgreSQL
// (manual, 9.27.5). What reads an ontology by several connections, such as pg_dump -j,
// reads one state of it so. It is good for longer than the transaction that gave it out:
// a commit does not change.

// snapshotForm is how PostgreSQL writes a snapshot's name.
const snapshotForm = "%08X-%08X-1"

// exportSnapshot is pg_export_snapshot().
func (e *environment) exportSnapshot() (v scope.SessionValue, err error) {
	s := e.session
	if e.trial || s.running.ctx == nil {
		return scope.SessionValue{Null: true}, nil
	}
	pin, err := s.pin(s.running.ctx)
	if err != nil {
		return v, err
	}
	commit, err := s.present(pin)
	v.Text = fmt.Sprintf(snapshotForm, uint64(commit)>>32, uint32(commit))
	return v, err
}

// importSnapshot answers SET TRANSACTION SNAPSHOT.
func (s *Session) importSnapshot(ctx context.Context, st *syntax.Statement) error {
	if st.Local {
		return pgerr.New(pgerr.FeatureNotSupported, "SET LOCAL TRANSACTION SNAPSHOT is not implemented")
	}
	if !s.tx.block() {
		s.notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "SET TRANSACTION can only be used in transaction blocks"))
	}
	name := strings.Join(st.Values, "")
	switch level := s.Mode("isolation"); {
	case s.tx.queried:
		return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION SNAPSHOT must be called before any query")
	case level != "serializable" && level != "repeatable read":
		return pgerr.New(pgerr.FeatureNotSupported, "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ")
	}
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	var high, low uint32
	_, err = fmt.Sscanf(name, snapshotForm, &high, &low)
	commit := ontosql.CommitID(high)<<32 | ontosql.CommitID(low)
	if err != nil || name != fmt.Sprintf(snapshotForm, high, low) || commit > s.horizon(pin) {
		return pgerr.New(pgerr.InvalidParameterValue, "invalid snapshot identifier: %q", name)
	}
	return s.settings.Set("ontosql.as_of", fmt.Sprint(commit), true)
}
