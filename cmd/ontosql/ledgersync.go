package main

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/nameservice/replica"
)

// syncLimit bounds one synchronisation with an upstream.
const syncLimit = 30 * time.Second

// keepInStep brings a local name service in step with its upstream, until ctx ends: what was written
// while the upstream was away is pushed when it is back. It is apart from the look at the records, which
// does not wait for the upstream. Failures are logged when they begin, divergences when they are new.
func (l *ledgers) keepInStep(ctx context.Context, r *replica.Replica) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	failed, told := false, map[string]bool{}
	for {
		limited, cancel := context.WithTimeout(ctx, syncLimit)
		report, err := r.Sync(limited)
		cancel()
		if err != nil && !failed && ctx.Err() == nil {
			l.log.WarnContext(ctx, "the upstream name service does not answer: the local one goes on alone", "error", err)
		}
		if err == nil && failed {
			l.log.InfoContext(ctx, "the upstream name service answers again", "pushed", report.Pushed, "pulled", report.Pulled)
		}
		failed = err != nil
		diverged := map[string]bool{}
		for _, d := range report.Diverged {
			if diverged[d.String()] = true; !told[d.String()] {
				l.log.WarnContext(ctx, "a record of the name service has diverged from its upstream", "record", d.Alias.String(), "divergence", d.String())
			}
		}
		if err == nil {
			told = diverged
		}
		if report.Pulled > 0 {
			l.Changed()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
