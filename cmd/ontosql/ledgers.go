package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
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

// databaseName is the name under which clients know an ontology.
func databaseName(a nameservice.Alias) string {
	if a.Branch == nameservice.DefaultBranch {
		return a.Name
	}
	return a.Name + ":" + a.Branch
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
			WithHint("Set storage_uri in its config: ontosql ns push %s config.", a)
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

// storageURI is where the store of an ontology is, "" if its record does not say so.
func storageURI(r *nameservice.Record) string { return nameservice.StorageOf(r.Config) }

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
	if one.err == nil {
		if _, err := one.db.Pin(l.ctx); errors.Is(err, ontosql.ErrNotInitialised) {
			one.err = err // nobody can do anything in it
		}
	}
	if errors.Is(one.err, ontosql.ErrNotInitialised) || errors.Is(one.err, objstore.ErrNoBucket) {
		one.err = pgerr.New(pgerr.InvalidCatalogName, "the store of database %q does not exist", one.name).
			WithDetail("Its record says that it is at %s.", a.uri()).
			WithHint("Restore it, or say in the record where it is: ontosql ns push %s config.", one.alias)
	}
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
