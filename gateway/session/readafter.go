package session

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
)

// The limits of the wait of SET ontosql.read_after. It polls the head with a growing delay.
const (
	readAfterLimit   = 10 * time.Second // where there is no statement_timeout
	readAfterFirst   = 5 * time.Millisecond
	readAfterSlowest = 200 * time.Millisecond
)

// errReadAfterLimit is the cause with which a wait without statement_timeout ends.
var errReadAfterLimit = errors.New("timed out waiting for a commit")

// readAfter executes SET ontosql.read_after: it waits until the gateway sees the commit. Later
// statements read the commit too, because the head of a gateway never goes back.
func (s *Session) readAfter(ctx context.Context, value string) error {
	value, err := settings.CommitIDText(settings.ReadAfter)(value)
	if err != nil || value == "" {
		return err
	}
	if s.Tx.Pin != nil {
		return pgerr.New(pgerr.ActiveSQLTransaction, "SET %s must be called before any query", settings.ReadAfter).
			WithDetail("The transaction reads commit %d throughout.", s.Tx.Pin.Head.Commit)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return err
	}
	return s.await(ctx, ontosql.CommitID(n))
}

// await waits for a commit, for statement_timeout or readAfterLimit at most.
func (s *Session) await(ctx context.Context, id ontosql.CommitID) error {
	limit, cause := readAfterLimit, errReadAfterLimit
	if d := s.Settings.Timeout("statement_timeout"); d > 0 {
		limit, cause = d, sqlstate.ErrStatementTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, cause)
	defer cancel()
	newest := ontosql.CommitID(-1)
	for delay := readAfterFirst; ; delay = min(delay*3/2, readAfterSlowest) {
		s.DB.Storage.Expire()
		pin, err := s.DB.Pin(ctx)
		switch {
		case err == nil && pin.Head.Commit >= id:
			return nil
		case err == nil:
			newest = pin.Head.Commit
		case ctx.Err() == nil:
			return err
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return notSeen(context.Cause(ctx), id, newest)
		}
	}
}

// notSeen is the error of a wait that ended before the commit was seen. It is 57014, as for
// PostgreSQL's wait for a position of the write-ahead log.
func notSeen(cause error, id, newest ontosql.CommitID) error {
	var e *pgerr.Error
	switch {
	case errors.Is(cause, errReadAfterLimit):
		e = pgerr.New(pgerr.QueryCanceled, "timed out while waiting for commit %d", id)
	case errors.Is(cause, sqlstate.ErrStatementTimeout):
		e = pgerr.New(pgerr.QueryCanceled, "%v", cause)
	default:
		return cause
	}
	if newest < 0 {
		return e.WithDetail("Commit %d was waited for; the head could not be read in time.", id)
	}
	return e.WithDetail("Commit %d was waited for; the newest commit seen is %d.", id, newest)
}

// StartReadAfter waits for the commit that the connection's options name.
func (s *Session) StartReadAfter(ctx context.Context) error {
	return s.readAfter(ctx, s.Settings.Value(settings.ReadAfter))
}

// isReadAfter reports whether a setting is ontosql.read_after, in any case.
func isReadAfter(name string) bool { return strings.EqualFold(name, settings.ReadAfter) }
