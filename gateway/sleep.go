package gateway

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/textvalue"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/rewrite/input"
)

// OIDs of the types that the functions below take.
const (
	float8OID      = 701
	timestamptzOID = 1184
)

// sleepCall is pg_sleep(seconds), pg_sleep_for(interval) and pg_sleep_until(moment).
// The statement waits once, before it runs, whatever the number of its rows; what
// ends a statement ends the wait. ok is false for any other function.
func (e *environment) sleepCall(name string, args []string) (v rewrite.SessionValue, ok bool, err error) {
	if !strings.HasPrefix(name, "pg_sleep") {
		return v, false, nil
	}
	ctx := e.session.running.ctx
	if e.trial || ctx == nil {
		return rewrite.SessionValue{Null: true}, true, nil
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
	defer s.activity.Wait(introspect.WaitSleep)()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sleepCalls are the same functions of the engine, of a session's number and a time that a
// statement computes: for as many seconds, or until that moment in seconds since 1970. The
// engine calls them from threads of its own, for each row.
func (db *Database) sleepCalls() []pgfunc.Function {
	sleep := func(name string, seconds func(float64) float64) pgfunc.Function {
		return pgfunc.Function{
			Name: name, Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Float}, Result: pgfunc.Text, Effect: true,
			New: func() pgfunc.Call {
				return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
					of, ok := db.sessions.Load(uint64(args[0].Int))
					if !ok {
						return v, nil
					}
					s := of.(*Session)
					return v, s.sleep(s.running.ctx, inSeconds(seconds(args[1].Float)))
				}
			},
		}
	}
	return []pgfunc.Function{
		sleep("ontosql_sleep", func(s float64) float64 { return s }),
		sleep("ontosql_sleep_until", func(s float64) float64 { return s - float64(time.Now().UnixMicro())/1e6 }),
	}
}

// sleepTime is how long to wait.
func (e *environment) sleepTime(name, arg string) (time.Duration, error) {
	var seconds float64
	switch name {
	case "pg_sleep":
		read, err := input.Argument(float8OID, []byte(arg), e.session.timeInput())
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
		read, err := input.Argument(timestamptzOID, []byte(arg), e.session.timeInput())
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
	return inSeconds(seconds), nil
}

func inSeconds(seconds float64) time.Duration {
	return time.Duration(min(seconds, math.MaxInt64/2e9) * 1e9)
}
