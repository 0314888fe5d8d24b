package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// CreateDatabase implements database.Names. The record comes first, so that of two gateways that create
// one database one wins; its config, which says where the store is, comes last, so that nobody uses a
// store that is not finished. A record that is left without a config by a gateway that died is taken
// over.
func (l *ledgers) CreateDatabase(ctx context.Context, a nameservice.Alias, from string) error {
	if l.root.backend == "" {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "the gateway has no place for new databases").
			WithHint("Start it with --nameservice-root, or register a store that exists: ontosql ns create.")
	}
	if err := a.Check(); err != nil {
		return pgerr.New(pgerr.InvalidName, "%v", err)
	}
	if a.Branch != nameservice.DefaultBranch && from == "" {
		return pgerr.New(pgerr.InvalidName, "a branch begins with what another one has").
			WithHint(`Say which with TEMPLATE "%s".`, a.Name)
	}
	parent, err := l.openTemplate(ctx, from, "template database %q does not exist")
	if err != nil {
		return err
	}
	if parent != nil {
		defer parent.close()
	}
	begun, err := l.Create(ctx, nameservice.New{Alias: a, CreatedAt: time.Now()})
	if errors.Is(err, nameservice.ErrExists) {
		r, got := l.Get(ctx, a)
		if got != nil {
			return got
		}
		if r.Retracted || r.Config.V > 0 || r.Head.V > 0 {
			return alreadyThere(a, r)
		}
	} else if err != nil {
		return err
	}
	uri, err := l.makeStore(ctx, a, parent)
	if err != nil {
		if begun != nil {
			l.abandon(a)
		}
		return err
	}
	result, err := l.Write(ctx, a, nameservice.NewPush(nameservice.Config, nameservice.Value{}, nameservice.StoredAt(uri)))
	if err != nil {
		return err
	}
	if now := result.Actual; !result.Updated && (now == nil || nameservice.StorageOf(*now) != uri) {
		l.unmake(uri)
		return alreadyThere(a, &nameservice.Record{})
	}
	if err := l.look(ctx); err != nil {
		l.Changed()
	}
	return nil
}

// unmake removes a store that this gateway has made for a database which another one made meanwhile.
func (l *ledgers) unmake(uri string) {
	ctx, cancel := context.WithTimeout(l.ctx, time.Minute)
	defer cancel()
	a, err := parseAddress(uri)
	var b objstore.Bucket // none of a SQLite file
	if err == nil && a.backend != "sqlite" {
		b, err = l.cfg.openBucket(ctx, a, false)
	}
	if err == nil {
		_, err = removeStore(ctx, a, b)
	}
	if err != nil {
		l.log.WarnContext(ctx, "a store that belongs to no database stays", "uri", uri, "error", err)
	}
}

// abandon removes the record of a database that could not be made.
func (l *ledgers) abandon(a nameservice.Alias) {
	ctx, cancel := context.WithTimeout(l.ctx, time.Minute)
	defer cancel()
	if err := l.remove(ctx, a, "it could not be made"); err != nil {
		l.log.WarnContext(ctx, "the record of a database that could not be made stays", "database", databaseName(a), "error", err)
	}
}

// remove takes a record out of service and removes it for good.
func (l *ledgers) remove(ctx context.Context, a nameservice.Alias, reason string) error {
	if err := nameservice.Retract(ctx, l, a, reason, time.Now()); err != nil {
		return err
	}
	r, err := l.Get(ctx, a)
	if err == nil {
		_, err = l.Purge(ctx, r)
	}
	return err
}

func alreadyThere(a nameservice.Alias, r *nameservice.Record) error {
	e := pgerr.New(pgerr.DuplicateDatabase, "database %q already exists", databaseName(a))
	if r.Retracted {
		return e.WithDetail("It was dropped; its record and its data are there still.").
			WithHint("Remove the record for good: ontosql ns purge %s.", a)
	}
	return e
}

// openTemplate opens what a database is made from, NAME[:BRANCH][@POINT]; nil for "". unknown is the
// message, with the name, if there is no such database.
func (l *ledgers) openTemplate(ctx context.Context, from, unknown string) (*openedBranch, error) {
	if from == "" {
		return nil, nil
	}
	name, point, pinned := strings.Cut(from, "@")
	a, err := nameservice.ParseAlias(name)
	var r *nameservice.Record
	if err == nil {
		r, err = l.record(ctx, a)
	}
	switch {
	case errors.Is(err, nameservice.ErrNotFound), errors.As(err, new(*nameservice.NameError)):
		return nil, pgerr.New(pgerr.InvalidCatalogName, unknown, name)
	case err != nil:
		return nil, err
	case storageURI(r) == "":
		return nil, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "the record of database %q does not say where its store is", name)
	}
	at := storageURI(r)
	if pinned {
		at += "@" + point
	}
	parent, err := l.openBranch(ctx, at)
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "%v", usage)
	}
	return parent, err
}

// makeStore makes an ontology below the root, empty or a branch of parent, and returns its address. A
// place that is taken, by an ontology whose record was removed, stays as it is.
func (l *ledgers) makeStore(ctx context.Context, a nameservice.Alias, parent *openedBranch) (string, error) {
	suffix := ""
	for {
		at := l.root.below(folderName(a.Name) + "/" + folderName(a.Branch) + suffix)
		made, err := l.makeStoreAt(ctx, at, parent)
		if !errors.Is(err, writepath.ErrAlreadyInitialised) && !errors.Is(err, branch.ErrTaken) {
			return made, err
		}
		suffix = "-" + strings.ToLower(rand.Text()[:8])
	}
}

// makeStoreAt makes an ontology at an address, beside which that of a SQLite file is.
func (l *ledgers) makeStoreAt(ctx context.Context, at address, parent *openedBranch) (string, error) {
	if parent == nil {
		b, err := l.cfg.openBucket(ctx, at, true)
		if err == nil {
			_, err = writepath.Init(ctx, b, writepath.InitOptions{URI: at.uri(), Prefix: at.prefix, Engine: format.EngineV1})
		}
		return at.uri(), err
	}
	if parent.address.backend == "sqlite" && at.backend == "file" {
		at = address{backend: "sqlite", path: at.path + ".db"}
		if err := os.MkdirAll(filepath.Dir(at.path), 0o755); err != nil {
			return "", err
		}
	}
	_, err := l.makeBranch(ctx, at, parent)
	if errors.Is(err, objstore.ErrNoCopy) || errors.Is(err, branch.ErrOtherKind) {
		return "", pgerr.New(pgerr.FeatureNotSupported, "%s cannot be branched to %s: they are no stores of one kind and place", parent.Address, l.root.uri()).
			WithHint("ontosql copy copies a whole history between stores of any kind.")
	}
	return at.uri(), err
}

// folderName is a name in which the characters that mean something in an address are replaced. Two names
// may become the same one.
func folderName(name string) string {
	if strings.HasPrefix(name, ".") {
		name = "_" + name // no way out, and nothing hidden
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, name)
}

// openMaintenance opens the maintenance database, which is made anew in the cache.
func (l *ledgers) openMaintenance(one *ledger, share budget) (*database.Database, error) {
	root, err := l.cfg.cacheDir()
	if err != nil {
		return nil, err
	}
	a, err := parseAddress(filepath.Join(root, "maintenance"))
	if err != nil {
		return nil, err
	}
	b, err := l.cfg.openBucket(l.ctx, a, true)
	if err != nil {
		return nil, err
	}
	if _, err := writepath.Init(l.ctx, b, writepath.InitOptions{URI: a.uri(), Engine: format.EngineV1}); err != nil && !errors.Is(err, writepath.ErrAlreadyInitialised) {
		return nil, fmt.Errorf("maintenance database: %w", err)
	}
	use := l.use
	use.mirrored, use.compacts = false, false
	o := l.options(one.name)
	o.Committer = onlyCreates{}
	return l.openNamed(l.ctx, &one.resources, namedAddress{one.name, a}, share, use, o)
}

// onlyCreates is the committer of the maintenance database (storage.Committer).
type onlyCreates struct{}

func (onlyCreates) refuse() error {
	return pgerr.New(pgerr.ReadOnlySQLTransaction, "database %q keeps nothing", maintenance).
		WithHint("Create a database with CREATE DATABASE, and connect to it.")
}

// Commit refuses.
func (c onlyCreates) Commit(context.Context, writepath.Tx) (writepath.Outcome, error) {
	return writepath.Outcome{}, c.refuse()
}

// Draft returns nil: there are none.
func (onlyCreates) Draft(writepath.Data) *writepath.Draft { return nil }

// Reserve refuses.
func (c onlyCreates) Reserve(context.Context, time.Duration) (*writepath.Reservation, error) {
	return nil, c.refuse()
}
