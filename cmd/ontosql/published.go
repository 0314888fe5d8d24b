package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/publish"
	"github.com/ontosql/ontosql/writepath"
)

// published tells the name service what a gateway does with an ontology. Nil is an ontology that has
// no record.
type published struct {
	*publish.Publisher
	holder nameservice.Holder // of soft locks
	alias  nameservice.Alias
	store  storage.Store // set before the first commit
	log    *slog.Logger
	ended  sync.Once
}

// publishing begins to tell of an ontology. The caller sets the store when it is open, and closes what
// it gets after the writer.
func (p *program) publishing(service nameservice.Service, a nameservice.Alias, uri string) *published {
	d := &published{holder: nameservice.Holder{Service: service, Name: p.cfg.RuntimeID}, alias: a, log: p.log}
	d.Publisher = publish.New(publish.Options{Service: service, Alias: a, StorageURI: uri, Manifest: d.manifest, Logger: p.log})
	return d
}

// manifest is the path of a commit's manifest.
func (d *published) manifest(ctx context.Context, id ontosql.CommitID) (string, error) {
	pin, err := d.store.PinFresh(ctx)
	if err != nil {
		return "", err
	}
	if commit := pin.View.Commit(id); commit != nil {
		return commit.Path, nil
	}
	return "", nil
}

// committed is the function that a committer calls with its commits, where landed is what it calls
// without a name service.
func (d *published) committed(landed func(writepath.LocalCommit)) func(writepath.LocalCommit) {
	if d == nil {
		return landed
	}
	return func(c writepath.LocalCommit) {
		landed(c)
		d.Committed(publish.Commit{ID: c.Commit, Manifest: c.Path, Took: c.Took, Queued: c.Queued})
	}
}

// indexed is the function that a committer calls with the commit that the indexes reach.
func (d *published) indexed() func(ontosql.CommitID) {
	if d == nil {
		return nil
	}
	return d.Indexed
}

// maintains makes the automatic compaction of a gateway take the soft lock and tell of the indexes.
func (d *published) maintains(s *compaction.Store) {
	if d == nil {
		return
	}
	s.OnIndex = d.Rebuilt
	s.Under = func(ctx context.Context, head ontosql.CommitID, work func(context.Context) error) error {
		err := publish.Under(ctx, d.holder, d.alias, nameservice.IndexLock, int64(head), work)
		var held *nameservice.LockHeldError
		if errors.As(err, &held) {
			return &writepath.LeaseHeldError{Owner: held.Lock.Holder, Until: time.Unix(held.Lock.ExpiresAt, 0)}
		}
		return err
	}
}

// follows says where the ontology is.
func (d *published) follows(s storage.Store) {
	if d != nil {
		d.store = s
	}
}

// end tells the rest. It may be called again.
func (d *published) end(ctx context.Context) {
	if d == nil {
		return
	}
	d.ended.Do(func() {
		if err := d.Close(context.WithoutCancel(ctx)); err != nil {
			d.log.WarnContext(ctx, "not told to the name service before the end", "error", err)
		}
	})
}
