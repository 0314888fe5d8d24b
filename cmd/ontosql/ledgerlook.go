package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/replica"
	"github.com/ontosql/ontosql/pgerr"
)

// start keeps the databases in step with the records, for sessions of a gateway.
func (l *ledgers) start(g *gateway.Gateway) {
	l.handler = g
	var ctx context.Context
	ctx, l.stop = context.WithCancel(l.ctx)
	var others sync.WaitGroup
	if r, ok := l.Service.(*replica.Replica); ok {
		others.Go(func() { l.keepInStep(ctx, r) })
	}
	go func() {
		defer close(l.ended)
		defer others.Wait()
		tick := time.NewTicker(lookInterval)
		defer tick.Stop()
		failed := false
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			case <-l.changed:
			}
			limited, cancel := context.WithTimeout(ctx, time.Minute)
			err := l.look(limited)
			if err == nil {
				l.follow(limited)
				l.heal(limited)
			}
			cancel()
			if err != nil && !failed && ctx.Err() == nil {
				l.log.WarnContext(ctx, "the name service does not answer: the databases stay as they are known", "error", err)
			}
			failed = err != nil
		}
	}()
}

// end stops looking and does something with what all databases rest on: it ends their writers, or
// closes them.
func (l *ledgers) end(ctx context.Context, how func(*resources, context.Context)) {
	if l.stop != nil {
		l.stop()
		<-l.ended
		l.stop = nil
	}
	l.mu.Lock()
	var all, leaving []*ledger
	for _, one := range l.opened {
		if one.ending = true; one.leaving {
			leaving = append(leaving, one)
		} else {
			one.leaving = true
			all = append(all, one)
		}
	}
	l.mu.Unlock()
	for _, one := range leaving {
		<-one.closed
	}
	var each sync.WaitGroup
	for _, one := range all {
		each.Go(func() {
			<-one.opened
			how(&one.resources, ctx)
		})
	}
	each.Wait()
}

// look lists the records.
func (l *ledgers) look(ctx context.Context) error {
	records, err := l.List(ctx, nameservice.Ledger)
	if err != nil {
		return err
	}
	live := make(map[string]*nameservice.Record, len(records))
	names := make([]string, 0, len(records))
	for _, r := range records {
		if !r.Retracted {
			name := databaseName(r.Alias)
			live[name] = r
			if storageURI(r) != "" {
				names = append(names, name)
			}
		}
	}
	if live[maintenance] == nil {
		names = append(names, maintenance)
	}
	slices.Sort(names)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live = live
	if !slices.Equal(names, l.names) {
		l.names = names
		l.version++
	}
	return nil
}

// follow ends the databases that were taken out of service, and closes those that nobody uses.
func (l *ledgers) follow(ctx context.Context) {
	l.mu.Lock()
	var doubtful []*ledger
	for name, one := range l.opened {
		r := l.live[name]
		switch {
		case one.ending:
		case one.alias.Name == "" && r == nil: // the maintenance database
		case r == nil || storageURI(r) != one.uri:
			doubtful = append(doubtful, one)
		case one.users == 0 && time.Since(one.since) > idleTime:
			l.retire(one)
		}
	}
	l.mu.Unlock()
	for _, one := range doubtful {
		if l.gone(ctx, one) {
			l.mu.Lock()
			if one.ending = true; one.users == 0 && !one.leaving {
				l.retire(one)
			}
			l.mu.Unlock()
		}
	}
	l.terminate()
}

// terminate ends the sessions of databases that were taken out of service. Those of a database that is
// still being opened, and those that are about to begin, are ended by the next look.
func (l *ledgers) terminate() {
	var ending []*ledger
	l.mu.Lock()
	for _, one := range l.opened {
		if one.ending && !one.leaving {
			ending = append(ending, one)
		}
	}
	l.mu.Unlock()
	for _, one := range ending {
		select {
		case <-one.opened:
		default:
			continue
		}
		if one.db != nil {
			l.handler.Terminate(one.db, pgerr.New(pgerr.AdminShutdown, "terminating connection because database %q was taken out of service", one.name))
		}
	}
}

// gone reports whether an open database is no longer that of its record. A record that was only left
// out of the list, because it cannot be read at the moment, ends nothing.
func (l *ledgers) gone(ctx context.Context, one *ledger) bool {
	if one.alias.Name == "" {
		return true // an ontology has taken the name of the maintenance database
	}
	r, err := l.Get(ctx, one.alias)
	if err != nil {
		return errors.Is(err, nameservice.ErrNotFound)
	}
	return r.Retracted || storageURI(r) != one.uri
}

// heal tells the name service of the heads of databases in use whose records are behind: other writers
// may have committed that know no name service, or have died.
func (l *ledgers) heal(ctx context.Context) {
	heads := map[*ledger]int64{}
	l.mu.Lock()
	for name, one := range l.opened {
		if r := l.live[name]; r != nil && (one.users > 0 || one.used) && !one.ending {
			one.used = one.users > 0
			heads[one] = r.Head.V
		}
	}
	l.mu.Unlock()
	var each sync.WaitGroup
	for one, known := range heads {
		select {
		case <-one.opened:
		default:
			continue // it is being opened
		}
		if one.db == nil || one.published == nil {
			continue
		}
		each.Go(func() {
			// Who reads the store is told of an error.
			if pin, err := one.db.Pin(ctx); err == nil && int64(pin.Head.Commit) > known {
				one.published.Heal(pin.Head)
			}
		})
	}
	each.Wait()
}

// retire begins to close a database that nobody uses. The caller holds the lock.
func (l *ledgers) retire(one *ledger) {
	one.ending, one.leaving = true, true
	go func() {
		<-one.opened
		one.close(l.ctx)
		l.mu.Lock()
		delete(l.opened, one.name)
		l.mu.Unlock()
		close(one.closed)
	}()
}
