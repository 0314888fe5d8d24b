package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// writer is a way to commit customers. Its clients, numbered from 0, may commit
// at the same time.
type writer interface {
	// insert returns when the customer is committed, in a commit of its own.
	insert(ctx context.Context, client int, c customer) error
	// find reads a customer over the same connection, or fails with errNoReader.
	find(client int, id string) error
	// processor is the processor time that the writer took in a process of its
	// own, 0 when it has none.
	processor() time.Duration
	close(ctx context.Context) error
}

// alone is a Committer in this process: the commit protocol without SQL and wire.
type alone struct {
	committer *writepath.Committer
	log       *chain.Log
	pin       atomic.Int64 // the last commit that a session has seen
}

// openAlone opens a Committer whose manifest log knows the whole chain, as that
// of a gateway that has answered its first question.
func openAlone(ctx context.Context, r *remote, bucket string) (writer, error) {
	b, err := r.far(ctx, bucket)
	if err != nil {
		return nil, err
	}
	head, err := r.head(ctx, bucket)
	if err != nil {
		return nil, err
	}
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return nil, err
	}
	if _, err := log.At(ctx, head); err != nil {
		return nil, err
	}
	a := &alone{committer: writepath.Open(writepath.Options{Bucket: b, RuntimeID: "bench-alone", Log: log}), log: log}
	a.pin.Store(int64(head.CommitID))
	return a, nil
}

func (a *alone) insert(ctx context.Context, _ int, c customer) error {
	rows := func(yield func(format.Row) bool) { yield(c.row()) }
	out, err := a.committer.Commit(ctx, insertion(rows, ontosql.CommitID(a.pin.Load())))
	if err == nil {
		raise(&a.pin, int64(out.Commit))
	}
	return err
}

var errNoReader = errors.New("a Committer does not read")

func (*alone) find(int, string) error   { return errNoReader }
func (*alone) processor() time.Duration { return 0 }

func (a *alone) close(ctx context.Context) error {
	return errors.Join(a.committer.Close(ctx), a.log.Close())
}

// insertion is the transaction that writes customers who were not there.
func insertion(customers iter.Seq[format.Row], pin ontosql.CommitID) writepath.Tx {
	rows := func(yield func(writepath.Row, error) bool) {
		for r := range customers {
			if !yield(writepath.Row{Row: r}, nil) {
				return
			}
		}
	}
	return writepath.Tx{Pin: pin, Data: []writepath.Data{{
		Type: customerType, Fields: format.DataFields(schemas()[0].Fields), SchemaVersion: writepath.FirstVersion, Rows: rows,
	}}}
}

// overWire is ontosql as users have it: a gateway process, and a connection for
// each client.
type overWire struct {
	gateway *gateway
	cache   string
	clients []wireClient
}

type wireClient struct {
	*client
	insert, find *statement
}

func openWire(ctx context.Context, l *lab, endpoint, bucket string) (writer, error) {
	cache, err := l.newDir("cache")
	if err != nil {
		return nil, err
	}
	w := &overWire{cache: cache}
	if w.gateway, err = l.serve(ctx, "--storage-uri", "s3://"+bucket, "--s3-endpoint-url", endpoint, "--cache-dir", cache); err != nil {
		return nil, err
	}
	if err := w.gateway.mirrored(ctx, "customer"); err != nil {
		return nil, errors.Join(err, w.close(ctx))
	}
	for range crowdClients {
		if err := w.connect(ctx); err != nil {
			return nil, errors.Join(err, w.close(ctx))
		}
	}
	return w, nil
}

func (w *overWire) connect(ctx context.Context) error {
	c, err := dial(ctx, w.gateway.dsn)
	if err != nil {
		return err
	}
	one := wireClient{client: c}
	w.clients = append(w.clients, one)
	if one.insert, err = c.prepare(insertOne, formatBinary); err != nil {
		return err
	}
	if one.find, err = c.prepare(byKey, formatBinary); err != nil {
		return err
	}
	w.clients[len(w.clients)-1] = one
	return nil
}

func (w *overWire) insert(_ context.Context, client int, c customer) error {
	return w.clients[client].insert.expect(0, c.id, c.name, c.tier, fmt.Sprint(c.balance), fmt.Sprint(c.visits))
}

func (w *overWire) find(client int, id string) error { return w.clients[client].find.expect(1, id) }

func (w *overWire) processor() time.Duration { return processorTime(w.gateway.cmd.Process.Pid) }

func (w *overWire) close(context.Context) error {
	for _, c := range w.clients {
		c.close()
	}
	w.gateway.stop()
	return os.RemoveAll(w.cache)
}
