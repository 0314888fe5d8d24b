package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
)

// NameService is the name service of the gateway. The error is that of a gateway without one.
func (db *Database) NameService() (Names, error) {
	if db.Names == nil {
		return nil, pgerr.Unsupported("the gateway has no name service").WithHint("Start it with --nameservice.")
	}
	return db.Names, nil
}

// NamesChanged is called after a record of the name service may have been written from here: the
// gateway and the sessions that listen look at once.
func (db *Database) NamesChanged() {
	db.Names.Changed()
	db.records.forgetComments()
	db.watch.poke(fromNames)
}

// Is reports whether the database is that of an alias.
func (db *Database) Is(a nameservice.Alias) bool {
	own, err := nameservice.ParseAlias(db.Name)
	return err == nil && own == a
}

// records are what the sessions of a database know of the name service.
type records struct {
	sync.Mutex
	settings map[string]string // of the last session that could ask
	asked    bool
	comments map[string]string // by the names of databases, nil if they were not read yet
	read     time.Time         // when the comments were
}

// askTime bounds a question to the name service from where there is no context: the start of a
// session, and the engine's threads.
const askTime = 10 * time.Second

// StartSettings are the parameters that a session begins with (ALTER DATABASE ... SET), by their names.
// While the name service cannot be asked they are those of the session before.
func (db *Database) StartSettings() (map[string]string, error) {
	if db.Names == nil {
		return nil, nil
	}
	a, err := nameservice.ParseAlias(db.Name)
	if err != nil { // no record has this name
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	r, err := db.Names.Get(ctx, a)
	if errors.Is(err, nameservice.ErrNotFound) {
		r, err = new(nameservice.Record), nil
	}
	known := &db.records
	known.Lock()
	defer known.Unlock()
	if err == nil {
		known.settings, known.asked = nameservice.SettingsOf(r.Config), true
	} else if known.asked {
		err = nil
	}
	return known.settings, err
}

// Comments are what is said about databases, by their names. They are at most as old as the interval
// in which the gateway looks for what others have changed.
func (db *Database) Comments(ctx context.Context) (map[string]string, error) {
	known := &db.records
	known.Lock()
	defer known.Unlock()
	if db.Names == nil || known.comments != nil && time.Since(known.read) < db.watch.interval {
		return known.comments, nil
	}
	began := time.Now()
	list, err := db.Names.List(ctx, nameservice.Ledger)
	if err != nil {
		return nil, err
	}
	comments := map[string]string{}
	for _, r := range list {
		text := nameservice.CommentOf(r.Config)
		if text == "" || r.Retracted {
			continue
		}
		comments[r.Alias.String()] = text
		if r.Branch == nameservice.DefaultBranch {
			comments[r.Name] = text
		}
	}
	known.comments, known.read = comments, began
	return comments, nil
}

func (r *records) forgetComments() {
	r.Lock()
	defer r.Unlock()
	r.comments = nil
}

// comment is what is said about a database, for the engine's threads.
func (db *Database) comment(database string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	comments, err := db.Comments(ctx)
	if err != nil {
		return "", sqlstate.Of(ctx, db.watch.log, err)
	}
	return comments[database], nil
}
