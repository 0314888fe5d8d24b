package main

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/publish"
	"github.com/ontosql/ontosql/resolver"
)

// softly runs the work of a command that maintains the ontology. If there is a name service that has a
// record of the ontology, the soft lock keeps others from doing the same work up to the head, and work
// gets the record to tell of it, else nil.
func (p *program) softly(ctx context.Context, kind nameservice.LockKind, pin func(context.Context) (*resolver.Pin, error), work func(context.Context, *published) error) error {
	if p.cfg.Nameservice == "" {
		return work(ctx, nil)
	}
	a, err := p.cfg.oneAddress()
	if err != nil {
		return err
	}
	names, err := p.openNames(ctx, nameserviceOptions{})
	if err != nil {
		return err
	}
	alias, err := aliasOf(ctx, names, a)
	if errors.Is(err, nameservice.ErrNotFound) {
		p.log.WarnContext(ctx, "no record of the name service is of this ontology: no soft lock is taken", "storage_uri", a.uri())
		return work(ctx, nil)
	}
	if err != nil {
		return namesError(err)
	}
	head, err := pin(ctx)
	if err != nil {
		return &openError{err}
	}
	d := p.publishing(names, alias, a.uri())
	defer d.end(ctx)
	var failed error // of the work
	err = publish.Under(ctx, d.holder, alias, kind, int64(head.Head.Commit), func(ctx context.Context) error {
		failed = work(ctx, d)
		return failed
	})
	if failed != nil && !errors.Is(err, nameservice.ErrLockLost) {
		return failed
	}
	return namesError(err)
}

// aliasOf is the alias of the live record whose store is at an address, else the error is
// nameservice.ErrNotFound.
func aliasOf(ctx context.Context, s nameservice.Service, a address) (nameservice.Alias, error) {
	records, err := s.List(ctx, nameservice.Ledger)
	if err != nil {
		return nameservice.Alias{}, err
	}
	for _, r := range records {
		if stored, err := parseAddress(storageURI(r)); err == nil && !r.Retracted && stored.uri() == a.uri() {
			return r.Alias, nil
		}
	}
	return nameservice.Alias{}, nameservice.ErrNotFound
}
