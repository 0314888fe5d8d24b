package gateway

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
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
	if err != nil || d <= 0 {
		return v, true, err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	defer e.session.activity.waiting(waitSleep)()
	select {
	case <-timer.C:
		return v, true, nil
	case <-ctx.Done():
		return v, true, context.Cause(ctx)
	}
}

// sleepTime is how long to wait.
func (e *environment) sleepTime(name, arg string) (time.Duration, error) {
	var seconds float64
	switch name {
	case "pg_sleep":
		read, err := rewrite.Argument(float8OID, []byte(arg), e.session.timeInput())
		if err != nil {
			return 0, err
		}
		if seconds, err = strconv.ParseFloat(string(read), 64); err != nil {
			return 0, err
		}
	case "pg_sleep_for":
		months, days, micros, err := rewrite.ReadInterval(arg)
		if err != nil {
			return 0, err
		}
		seconds = float64(months)*30*86400 + float64(days)*86400 + float64(micros)/1e6
	default:
		read, err := rewrite.Argument(timestamptzOID, []byte(arg), e.session.timeInput())
		if err != nil {
			return 0, err
		}
		reader := momentReader{e.session.Zone()}
		micros, ok := reader.read(read)
		if !ok {
			return 0, pgerr.Unsupported("a wait until %q is not supported", read).
				WithHint("Give the moment with an offset from UTC, as in 2030-01-01 00:00:00+00.")
		}
		seconds = time.Until(time.UnixMicro(micros)).Seconds()
	}
	return time.Duration(min(seconds, math.MaxInt64/2e9) * 1e9), nil
}
