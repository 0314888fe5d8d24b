package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/replica"
	"github.com/ontosql/ontosql/pgerr"
)

// Times of the databases of a name service.
const (
	// lookInterval is how often the records are listed: how long a new ontology may be unknown, and
	// one that was taken out of service be served.
	lookInterval = time.Second
	// startTime is how long a gateway waits for the first list before it answers clients.
	startTime = 300 * time.Millisecond
	// idleTime is how long a database stays open without sessions.
	idleTime = 5 * time.Minute
	// fewShare is the number of databases in use for which the memory is shared out. It is a bound of
	// each engine, and most databases of many are idle.
	fewShare = 8
)

// ledgers are the databases of a gateway that has a name service: its live ontologies, each opened
// when it is first used. It is the gateway.Directory and the database.Names of the gateway.
type ledgers struct {
	nameservice.Service
	*program
	ctx    context.Context // of what outlives a session; it has no end
	budget budget
	use    gatewayUse
	root   address // below which new ontologies are made; without a backend there is none

	handler *gateway.Gateway
	changed chan struct{} // look at the records now
	stop    context.CancelFunc
	ended   chan struct{} // closed when nobody looks any more

	mu      sync.Mutex
	live    map[string]*nameservice.Record // by the name of the database
	names   []string                       // of live, in order
	version uint64                         // counts changes of names
	opened  map[string]*ledger
}

// ledger is a database that is open, or is being opened or closed.
type ledger struct {
	name   string
	alias  nameservice.Alias // not of the maintenance database
	uri    string
	opened chan struct{} // closed when the fields below are set
	closed chan struct{} // closed when all it rests on is closed
	db     *database.Database
	resources
	err error

	// Guarded by ledgers.mu.
	users   int       // sessions, and callers that wait for it
	since   time.Time // when the last one left
	ending  bool      // no new session gets it
	leaving bool      // it is being closed
	used    bool      // since heal has looked at it
}

// maintenance is the database that is there before all others: empty, and only good to create them. An
// ontology of this name takes its place.
const maintenance = "postgres"

// newLedgers opens the name service. Its records are read when one is asked for.
func (p *program) newLedgers(ctx context.Context) (*ledgers, error) {
	service, err := p.openNames(ctx, nameserviceOptions{})
	if err != nil {
		return nil, err
	}
	l := &ledgers{
		Service: service, program: p, ctx: context.WithoutCancel(ctx),
		changed: make(chan struct{}, 1), ended: make(chan struct{}), opened: map[string]*ledger{},
	}
	if p.cfg.NameserviceRoot != "" {
		if l.root, err = parseAddress(p.cfg.NameserviceRoot); err != nil {
			return nil, err
		}
		if l.root.backend == "sqlite" {
			return nil, usagef("--nameservice-root %s is a SQLite file: want a bucket or a directory, in which new ontologies are made", p.cfg.NameserviceRoot)
		}
	}
	return l, nil
}

// openLedgers reads the records of the name service. The caller starts and ends the ledgers.
func (p *program) openLedgers(ctx context.Context, b budget, use gatewayUse) (*ledgers, error) {
	l, err := p.newLedgers(ctx)
	if err != nil {
		return nil, err
	}
	l.budget, l.use = b, use
	// Of many records the list takes a while. What is not known yet is read when a client asks for it.
	looked := make(chan error, 1)
	go func() { looked <- l.look(l.ctx) }()
	select {
	case err := <-looked:
		if err != nil {
			return nil, &openError{fmt.Errorf("name service: %w", err)}
		}
	case <-time.After(startTime):
	}
	return l, nil
}

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

// databaseName is the name under which clients know an ontology.
func databaseName(a nameservice.Alias) string {
	if a.Branch == nameservice.DefaultBranch {
		return a.Name
	}
	return a.Name + ":" + a.Branch
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
			one.ending = true
			if one.users == 0 && !one.leaving {
				l.retire(one)
			}
			l.mu.Unlock()
			<-one.opened
			if one.db != nil {
				l.handler.Terminate(one.db, pgerr.New(pgerr.AdminShutdown, "terminating connection because database %q was taken out of service", one.name))
			}
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

// Acquire implements gateway.Directory.
func (l *ledgers) Acquire(ctx context.Context, name, branch string) (*database.Database, func(), error) {
	a := nameservice.Alias{Name: name, Branch: branch}
	if branch == "" {
		a.Branch = nameservice.DefaultBranch
	}
	r, err := l.record(ctx, a)
	unknown := errors.Is(err, nameservice.ErrNotFound) || errors.As(err, new(*nameservice.NameError))
	switch {
	case unknown && databaseName(a) == maintenance:
		return l.acquire(ctx, maintenance, nameservice.Alias{}, "")
	case unknown && branch != "" && l.isLive(name):
		return nil, nil, gateway.NoBranch(name, branch)
	case unknown:
		return nil, nil, gateway.NoDatabase(name)
	case err != nil:
		return nil, nil, err
	}
	uri := storageURI(r)
	if uri == "" {
		return nil, nil, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "the record of database %q does not say where its store is", databaseName(a)).
			WithHint("Set storage_uri in its config: ontosql ns push --concern config.")
	}
	return l.acquire(ctx, databaseName(a), a, uri)
}

func (l *ledgers) isLive(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live[name] != nil
}

// record is the live record of an alias. One that is not known yet is read.
func (l *ledgers) record(ctx context.Context, a nameservice.Alias) (*nameservice.Record, error) {
	l.mu.Lock()
	r := l.live[databaseName(a)]
	l.mu.Unlock()
	if r != nil && storageURI(r) != "" {
		return r, nil
	}
	r, err := l.Get(ctx, a)
	if err == nil && r.Retracted {
		return nil, nameservice.ErrNotFound
	}
	return r, err
}

// storedAt says in the config of a record where the store is.
func storedAt(uri string) func(*nameservice.Record) (json.RawMessage, error) {
	return func(r *nameservice.Record) (json.RawMessage, error) {
		config := map[string]json.RawMessage{}
		if r.Config.Payload != nil {
			if err := json.Unmarshal(r.Config.Payload, &config); err != nil {
				return nil, err
			}
		}
		text, err := json.Marshal(uri)
		if err != nil {
			return nil, err
		}
		config["storage_uri"] = text
		return json.Marshal(config)
	}
}

// storageURI is where the store of an ontology is, "" if its record does not say so.
func storageURI(r *nameservice.Record) string {
	var config struct {
		StorageURI string `json:"storage_uri"`
	}
	_ = json.Unmarshal(r.Config.Payload, &config) // an address of another kind is none
	return config.StorageURI
}

// acquire opens a database, unless it is open.
func (l *ledgers) acquire(ctx context.Context, name string, a nameservice.Alias, uri string) (*database.Database, func(), error) {
	for {
		l.mu.Lock()
		one := l.opened[name]
		if one == nil {
			one = &ledger{name: name, alias: a, uri: uri, opened: make(chan struct{}), closed: make(chan struct{}), resources: resources{log: l.log}}
			l.opened[name] = one
			share := l.budget.share(max(1, min(len(l.live), fewShare)))
			go l.open(one, share)
		}
		leaving := one.ending
		if !leaving {
			one.users++
			one.used = true
		}
		l.mu.Unlock()
		wait, release := one.opened, sync.OnceFunc(func() { l.release(one) })
		if leaving {
			wait, release = one.closed, func() {}
		}
		select {
		case <-wait:
		case <-ctx.Done():
			release()
			return nil, nil, context.Cause(ctx)
		}
		switch {
		case leaving:
		case one.err != nil:
			release()
			return nil, nil, one.err
		default:
			return one.db, release, nil
		}
	}
}

// release ends the use of a database by one session.
func (l *ledgers) release(one *ledger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.users--
	one.since = time.Now()
	if one.users == 0 && !one.leaving && (one.ending || one.err != nil) {
		l.retire(one)
	}
}

// open opens a database.
func (l *ledgers) open(one *ledger, share budget) {
	defer close(one.opened)
	if one.alias.Name == "" {
		one.db, one.err = l.openMaintenance(one, share)
		return
	}
	a, err := parseAddress(one.uri)
	if err != nil {
		one.err = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "the record of database %q does not say where its store is: %v", one.name, err)
		return
	}
	one.published = l.publishing(l.Service, one.alias, a.uri())
	one.db, one.err = l.openNamed(l.ctx, &one.resources, namedAddress{one.name, a}, share, l.use, l.options(one.name))
}

// options are those of a database of the name service.
func (l *ledgers) options(name string) database.Options {
	return database.Options{Names: l, Peers: func() ([]string, uint64) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return slices.DeleteFunc(slices.Clone(l.names), func(n string) bool { return n == name }), l.version
	}}
}

// Changed implements database.Names.
func (l *ledgers) Changed() {
	select {
	case l.changed <- struct{}{}:
	default: // it will look anyway
	}
}
