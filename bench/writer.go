package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/writepath"
)

// writer is a way to commit customers. Its clients, numbered from 0, may commit
// at the same time.
type writer interface {
	// insert returns when the customer is committed, in a commit of its own.
	insert(ctx context.Context, client int, c customer) error
	// find reads a customer's name, over the same connection.
	find(ctx context.Context, client int, id string) (name string, err error)
	// processor is the processor time that the writer took in a process of its
	// own, 0 when it has none.
	processor() time.Duration
	close(ctx context.Context) error
}

// alone is a Committer in this process: the commit protocol without SQL and wire.
type alone struct {
	committer *writepath.Committer
	log       *chain.Log
	pin       atomic.Int64 // the last commit that anybody saw
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
	out, err := a.committer.Commit(ctx, insertion(c, ontosql.CommitID(a.pin.Load())))
	if err == nil {
		a.saw(int64(out.Commit))
	}
	return err
}

func (a *alone) saw(commit int64) {
	for old := a.pin.Load(); old < commit && !a.pin.CompareAndSwap(old, commit); old = a.pin.Load() {
	}
}

func (*alone) find(context.Context, int, string) (string, error) { return "", errNoReader }
func (*alone) processor() time.Duration                          { return 0 }

func (a *alone) close(ctx context.Context) error {
	err := a.committer.Close(ctx)
	a.log.Close()
	return err
}

var errNoReader = fmt.Errorf("a Committer does not read")

// insertion is the transaction that writes one customer who was not there.
func insertion(c customer, pin ontosql.CommitID) writepath.Tx {
	rows := func(yield func(writepath.Row, error) bool) { yield(writepath.Row{Row: c.row()}, nil) }
	return writepath.Tx{Pin: pin, Data: []writepath.Data{{
		Type: customerType, Fields: customerSchema().Fields, SchemaVersion: writepath.FirstVersion, Rows: iter.Seq2[writepath.Row, error](rows),
	}}}
}

// wire is ontosql as users have it: a gateway process, and a connection for each
// client.
type wire struct {
	gateway *gatewayProcess
	cache   string
	clients []*pgx.Conn
}

func openWire(ctx context.Context, b *bench, r *remote, bucket string, clients int) (writer, error) {
	cache, err := os.MkdirTemp(b.dir, "cache-")
	if err != nil {
		return nil, err
	}
	w := &wire{cache: cache}
	w.gateway, err = startGateway(ctx, b.binary, "--storage-uri", "s3://"+bucket, "--s3-endpoint-url", r.proxy.endpoint(), "--cache-dir", cache)
	if err != nil {
		os.RemoveAll(cache)
		return nil, err
	}
	for range clients {
		c, err := pgx.Connect(ctx, w.gateway.dsn)
		if err != nil {
			_ = w.close(ctx)
			return nil, err
		}
		w.clients = append(w.clients, c)
	}
	return w, nil
}

func (w *wire) insert(ctx context.Context, client int, c customer) error {
	_, err := w.clients[client].Exec(ctx, "INSERT INTO customer (id, name, tier, balance, visits) VALUES ($1, $2, $3, $4, $5)",
		c.id, c.name, c.tier, c.balance, c.visits)
	return err
}

func (w *wire) find(ctx context.Context, client int, id string) (name string, err error) {
	err = w.clients[client].QueryRow(ctx, "SELECT name FROM customer WHERE id = $1", id).Scan(&name)
	return name, err
}

func (w *wire) processor() time.Duration { return processorTime(w.gateway.cmd.Process.Pid) }

func (w *wire) close(ctx context.Context) error {
	for _, c := range w.clients {
		c.Close(ctx)
	}
	w.gateway.stop()
	return os.RemoveAll(w.cache)
}
