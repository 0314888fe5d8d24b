package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/dynamodb"
	"github.com/ontosql/ontosql/nameservice/objects"
	"github.com/ontosql/ontosql/nameservice/replica"
	"github.com/ontosql/ontosql/objstore"
)

// nameserviceOptions say how openNameservice opens one.
type nameserviceOptions struct {
	create bool           // makes what is missing: the directory or the table
	layout objects.Layout // of new records in files
	folder string         // below the address; "" is the address itself
	states bool           // a table that is made gets the index of states
}

// openNameservice opens the name service at a URI. It is the only place that knows the kinds of them.
func (p *program) openNameservice(ctx context.Context, uri string, o nameserviceOptions) (nameservice.Service, error) {
	if strings.HasPrefix(uri, "dynamodb:") {
		return p.openTable(ctx, uri, o)
	}
	a, err := parseAddress(uri)
	if err != nil {
		return nil, err
	}
	switch a.backend {
	case "file", "s3":
		bucket, err := p.cfg.openBucket(ctx, a.below(o.folder), o.create)
		if err != nil {
			return nil, err
		}
		return objects.Open(objects.Options{Bucket: bucket, Layout: o.layout, Damaged: p.damagedRecord(ctx)}), nil
	}
	return nil, usagef("%s is a SQLite file: want a name service in a bucket, a directory or a table of DynamoDB", a.text)
}

// damagedRecord logs each damage of a record once: a gateway lists the records every second.
func (p *program) damagedRecord(ctx context.Context) func(error) {
	var told sync.Map
	return func(err error) {
		if _, again := told.LoadOrStore(err.Error(), true); !again {
			p.log.WarnContext(ctx, "a damaged record of the name service is left out", "error", err)
		}
	}
}

// openTable opens a name service in a table of DynamoDB.
func (p *program) openTable(ctx context.Context, uri string, o nameserviceOptions) (nameservice.Service, error) {
	options, err := dynamodb.ParseURI(uri)
	switch {
	case err != nil:
		return nil, &usageError{err}
	case o.folder != "":
		return nil, usagef("--nameservice is the table %s: with an upstream it must be in a bucket or a directory", options.Table)
	case o.layout != objects.LayoutB:
		return nil, usagef("--file-per-concern: the name service is a table, which has no files")
	}
	options.Damaged = p.damagedRecord(ctx)
	s, err := dynamodb.Open(ctx, options)
	if err == nil && o.create {
		_, err = s.Init(ctx, o.states)
	}
	if err != nil {
		return nil, &openError{err}
	}
	return s, nil
}

// knownFolder is where a name service in files keeps what it knows of its upstream.
const knownFolder = "upstream"

// openNames opens the name service of a command: a replica if there is an upstream.
func (p *program) openNames(ctx context.Context, o nameserviceOptions) (nameservice.Service, error) {
	if p.cfg.Nameservice == "" {
		return nil, usagef("no name service given: --nameservice says where it is")
	}
	local, err := p.openNameservice(ctx, p.cfg.Nameservice, o)
	if err != nil || p.cfg.NameserviceUp == "" {
		return local, err
	}
	upstream, err := p.openNameservice(ctx, p.cfg.NameserviceUp, nameserviceOptions{})
	if err != nil {
		return nil, err
	}
	known, err := p.openNameservice(ctx, p.cfg.Nameservice, nameserviceOptions{create: true, folder: knownFolder})
	if err != nil {
		return nil, err
	}
	return replica.Open(replica.Options{Local: local, Upstream: upstream, Known: known, Logger: p.log}), nil
}

// withNames runs the work of a command on its name service.
func (p *program) withNames(ctx context.Context, work func(s nameservice.Service) error) error {
	s, err := p.openNames(ctx, nameserviceOptions{})
	if err != nil {
		return err
	}
	return namesError(work(s))
}

// namesError says what an error of the name service is to a command.
func namesError(err error) error {
	var usage *usageError
	var conflict *conflictError
	var safety *dropSafetyError
	var name *nameservice.NameError
	var lost *nameservice.ConflictError
	var held *nameservice.LockHeldError
	switch {
	case err == nil, errors.As(err, &usage), errors.As(err, &conflict), errors.As(err, &safety):
		return err
	case errors.As(err, &name), errors.Is(err, nameservice.ErrType), errors.Is(err, nameservice.ErrPayload), errors.Is(err, nameservice.ErrHolder):
		return &usageError{err}
	case errors.As(err, &lost), errors.As(err, &held), errors.Is(err, nameservice.ErrExists), errors.Is(err, nameservice.ErrLockLost):
		return &conflictError{err}
	case errors.Is(err, objstore.ErrNoBucket), errors.Is(err, dynamodb.ErrDenied), errors.Is(err, dynamodb.ErrUnreachable):
		return &openError{err}
	}
	return &executionError{err}
}
