package session

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

// snapshotForm is how PostgreSQL writes a snapshot's name.
const snapshotForm = "%08X-%08X-1"

// exportSnapshot is pg_export_snapshot().
func (e *environment) exportSnapshot() (v scope.SessionValue, err error) {
	s := e.session
	if e.trial || s.Running.Ctx == nil {
		return scope.SessionValue{Null: true}, nil
	}
	pin, err := s.Pin(s.Running.Ctx)
	if err != nil {
		return v, err
	}
	commit, err := s.Present(pin)
	v.Text = fmt.Sprintf(snapshotForm, uint64(commit)>>32, uint32(commit))
	return v, err
}

// ImportSnapshot answers SET TRANSACTION SNAPSHOT.
func (s *Session) ImportSnapshot(ctx context.Context, st *syntax.Statement) error {
	if st.Local {
		return pgerr.New(pgerr.FeatureNotSupported, "SET LOCAL TRANSACTION SNAPSHOT is not implemented")
	}
	if !s.Tx.Block() {
		s.Notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "SET TRANSACTION can only be used in transaction blocks"))
	}
	name := strings.Join(st.Values, "")
	switch level := s.Mode("isolation"); {
	case s.Tx.Queried:
		return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION SNAPSHOT must be called before any query")
	case level != "serializable" && level != "repeatable read":
		return pgerr.New(pgerr.FeatureNotSupported, "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ")
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	var high, low uint32
	_, err = fmt.Sscanf(name, snapshotForm, &high, &low)
	commit := ontosql.CommitID(high)<<32 | ontosql.CommitID(low)
	if err != nil || name != fmt.Sprintf(snapshotForm, high, low) || commit > s.Horizon(pin) {
		return pgerr.New(pgerr.InvalidParameterValue, "invalid snapshot identifier: %q", name)
	}
	return s.Settings.Set("ontosql.as_of", fmt.Sprint(commit), true)
}
