package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/nameservice"
)

// statusInterval is how often the figures of an ontology are pushed, if they change.
const statusInterval = 10 * time.Second

// pushes are what a gateway has told the name service of one of its databases. One goroutine has it.
type pushes struct {
	head     int64 // the greatest watermark that was pushed or seen
	diverged bool  // it was logged
	failed   bool  // so was that a push failed
	status   time.Time
	figures  figures
}

// figures are what the status of an ontology has of its commits.
type figures struct{ queueDepth, lastCommitMS int64 }

// push tells the name service of the commits of the databases that are in use, one push for all of a
// second: no commit waits for it, and what a gateway that died has not told the next one does.
func (l *ledgers) push(ctx context.Context) {
	l.mu.Lock()
	type used struct {
		*ledger
		record *nameservice.Record
	}
	var all []used
	for name, one := range l.opened {
		r := l.live[name]
		if r != nil && one.alias.Name != "" && !one.leaving && (one.users > 0 || one.used) {
			one.used = one.users > 0
			all = append(all, used{one, r})
		}
	}
	l.mu.Unlock()
	var each sync.WaitGroup
	for _, one := range all {
		select {
		case <-one.opened:
		default:
			continue // it is being opened
		}
		if one.db == nil {
			continue
		}
		each.Go(func() {
			err := l.pushHead(ctx, one.ledger, one.record)
			if err == nil {
				err = l.pushStatus(ctx, one.ledger, one.record)
			}
			if err != nil && !one.pushed.failed && ctx.Err() == nil {
				l.log.WarnContext(ctx, "push to the name service", "database", one.name, "error", err)
			}
			one.pushed.failed = err != nil
			if err != nil {
				l.mu.Lock()
				one.used = true // the next look tries again
				l.mu.Unlock()
			}
		})
	}
	each.Wait()
}

// pushHead pushes the head of a store, if the record is behind it. A record that has another commit of
// this number, or a later one, is of another history: that is told, and nothing is overwritten.
func (l *ledgers) pushHead(ctx context.Context, one *ledger, r *nameservice.Record) error {
	pin, err := one.db.Pin(ctx)
	if err != nil || pin.Head.Commit == 0 {
		return nil // of the store: who asks it is told
	}
	t := int64(pin.Head.Commit)
	address := one.db.URI
	if pin.Head.ManifestPath != "" {
		address = strings.TrimSuffix(address, "/") + "/" + pin.Head.ManifestPath
	}
	payload, err := json.Marshal(struct {
		Address string `json:"address"`
		T       int64  `json:"t"`
	}{address, t})
	if err != nil {
		return err
	}
	next := nameservice.Value{V: t, Payload: payload}
	actual := &r.Head
	if r.Head.V < t && one.pushed.head < t {
		result, err := nameservice.PushWithRetry(ctx, l, one.alias, nameservice.Head, next)
		if err != nil {
			return err
		}
		if result.Updated {
			one.pushed.head, one.pushed.diverged = t, false
			return nil
		}
		if actual = result.Actual; actual == nil {
			return nil // the record was removed
		}
	}
	behind := actual.V > max(t, one.pushed.head)
	if other := actual.V == t && !actual.Equal(next); (other || behind) && !one.pushed.diverged {
		one.pushed.diverged = true
		l.log.WarnContext(ctx, "the record of an ontology and its store have diverged", "database", one.name, "record_head", actual.V, "record", string(actual.Payload), "store_head", t, "store", address)
	}
	return nil
}

// pushStatus pushes the figures of the commits, and leaves the rest of the status as it is.
func (l *ledgers) pushStatus(ctx context.Context, one *ledger, r *nameservice.Record) error {
	var now figures
	now.queueDepth, now.lastCommitMS = one.db.Commits.Figures()
	if now == one.pushed.figures || time.Since(one.pushed.status) < statusInterval || r.Retracted {
		return nil
	}
	_, err := nameservice.Revise(ctx, l, one.alias, nameservice.Status, func(r *nameservice.Record) (json.RawMessage, error) {
		status := map[string]json.RawMessage{}
		if r.Status.Payload != nil {
			if err := json.Unmarshal(r.Status.Payload, &status); err != nil {
				return nil, err
			}
		}
		for name, n := range map[string]int64{"queue_depth": now.queueDepth, "last_commit_ms": now.lastCommitMS} {
			text, err := json.Marshal(n)
			if err != nil {
				return nil, err
			}
			status[name] = text
		}
		return json.Marshal(status)
	})
	if err == nil {
		one.pushed.figures, one.pushed.status = now, time.Now()
	}
	return err
}
