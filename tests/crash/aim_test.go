package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// aim is the moment at which a server is to be killed: a while after a step was
// seen for the nth time, or, without a step, a while after the load began.
type aim struct {
	step  step
	n     int
	after time.Duration
	heir  bool // the next server too, while it takes over
}

// aims are taken in turn, so that a run has as many of each. The numbers bound
// how many of a step go by before.
var aims = []struct {
	step step
	most int
	heir bool
}{
	{},
	{step: folderMade, most: 30},
	{},
	{step: manifestWritten, most: 30},
	{},
	{step: headSwapped, most: 15},
	{heir: true},
	{step: indexWritten, most: 6},
	{},
	{step: lockWritten, most: 3},
}

// longest is how long a load lasts at most that is killed at any moment.
const longest = 500 * time.Millisecond

func aimOf(round int, r *rand.Rand) aim {
	a := aims[round%len(aims)]
	if a.step == "" {
		return aim{after: time.Duration(r.Int64N(int64(longest))), heir: a.heir}
	}
	out := aim{step: a.step, n: 1 + r.IntN(a.most)}
	if r.IntN(2) == 0 {
		out.after = time.Duration(r.IntN(3000)) * time.Microsecond
	}
	return out
}

func (a aim) String() string {
	if a.step == "" {
		return fmt.Sprintf("%s into the load", a.after)
	}
	return fmt.Sprintf("%s after %q no. %d", a.after, a.step, a.n)
}

// name is what figures are counted by.
func (a aim) name() string {
	switch {
	case a.heir:
		return "taking over"
	case a.step == "":
		return "any moment"
	}
	return string(a.step)
}

// tooLong is how long a step is waited for that does not come.
const tooLong = 5 * time.Second

// wait waits for the moment. A step that is not seen often enough in time is no
// error: then the moment is now.
func (a aim) wait(ctx context.Context, w *watch) error {
	if a.step != "" {
		seeing, cancel := context.WithTimeout(ctx, tooLong)
		defer cancel()
		if err := w.until(seeing, a.step, a.n); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
	if a.after > 0 {
		time.Sleep(a.after)
	}
	return nil
}
