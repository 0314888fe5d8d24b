package session

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/textvalue"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// OIDs of the types that the functions below take.
const (
	float8OID      = 701
	timestamptzOID = 1184
)

// sleepCall is pg_sleep(seconds), pg_sleep_for(interval) and pg_sleep_until(time). The
// statement waits once, before it runs, for any number of rows; a cancel or timeout of the
// statement ends the wait. ok is false for any other function.
func (e *environment) sleepCall(name string, args []string) (v scope.SessionValue, ok bool, err error) {
	if !strings.HasPrefix(name, "pg_sleep") {
		return v, false, nil
	}
	ctx := e.session.Running.Ctx
	if e.trial || ctx == nil {
		return scope.SessionValue{Null: true}, true, nil
	}
	d, err := e.sleepTime(name, args[0])
	if err == nil {
		err = e.session.sleep(ctx, d)
	}
	return v, true, err
}

// sleep waits, until what ends a statement ends it.
func (s *Session) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	defer s.Activity.Wait(introspect.WaitSleep)()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sleepTime is how long to wait.
func (e *environment) sleepTime(name, arg string) (time.Duration, error) {
	var seconds float64
	switch name {
	case "pg_sleep":
		read, err := input.Argument(float8OID, []byte(arg), e.session.TimeInput())
		if err != nil {
			return 0, err
		}
		if seconds, err = strconv.ParseFloat(string(read), 64); err != nil {
			return 0, err
		}
	case "pg_sleep_for":
		months, days, micros, err := input.ReadInterval(arg)
		if err != nil {
			return 0, err
		}
		seconds = float64(months)*30*86400 + float64(days)*86400 + float64(micros)/1e6
	default:
		read, err := input.Argument(timestamptzOID, []byte(arg), e.session.TimeInput())
		if err != nil {
			return 0, err
		}
		reader := textvalue.TimestampReader{Zone: e.session.Zone()}
		micros, ok := reader.Read(read)
		if !ok {
			return 0, pgerr.Unsupported("a wait until %q is not supported", read).
				WithHint("Give the moment with an offset from UTC, as in 2030-01-01 00:00:00+00.")
		}
		seconds = time.Until(time.UnixMicro(micros)).Seconds()
	}
	return database.Seconds(seconds), nil
}
