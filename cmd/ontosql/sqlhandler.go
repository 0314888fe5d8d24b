package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/wire"
)

// sqlHandler handles events by statements in sessions of a gateway of its own, one for each event that
// is handled at the same time.
type sqlHandler struct {
	p          *program
	statements []string
	gateway    *openedGateway
	file       *sqlite.DB // of the gateway; nil for a bucket
	pipe       *pipeListener
	server     *wire.Server
	served     chan error
	sessions   chan *pgconn.PgConn // that nobody uses; nil for one to be opened
}

// openSQLHandler reads the file of statements and opens the gateway. The caller closes the handler.
func (p *program) openSQLHandler(ctx context.Context, a address, o *workOptions, settings []introspect.Option) (*sqlHandler, error) {
	text, err := sqlFile(o.sql)
	if err != nil {
		return nil, err
	}
	parts, err := syntax.Split(text)
	if err != nil {
		return nil, usagef("--sql %s: %w", o.sql, err)
	}
	h := &sqlHandler{p: p, pipe: newPipeListener(), served: make(chan error, 1), sessions: make(chan *pgconn.PgConn, o.concurrency)}
	for i := range parts {
		if sql := strings.TrimSpace(parts[i].SQL); sql != "" {
			h.statements = append(h.statements, sql)
		}
	}
	if h.gateway, err = p.openSole(ctx, a, gatewayUse{mirrored: true, settings: settings}); err != nil {
		return nil, err
	}
	h.file, _ = h.gateway.stores[0].(*sqlite.DB)
	h.server = wire.New(wire.Options{Handler: h.gateway.handler, Logger: h.gateway.log})
	go func() { h.served <- h.server.Serve(context.WithoutCancel(ctx), h.pipe) }()
	for range o.concurrency {
		h.sessions <- nil
	}
	return h, nil
}

// close ends the sessions and the gateway.
func (h *sqlHandler) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for range cap(h.sessions) {
		if conn := <-h.sessions; conn != nil {
			conn.Close(ctx)
		}
	}
	_ = h.server.Shutdown(ctx)
	<-h.served
	h.gateway.close(ctx)
}

// conflictRetries is how often the statements are run again after a conflict with another writer,
// before that is a failed attempt.
const conflictRetries = 5

// lockPatience is how long the statements are run again while somebody has the write lock: longer than a
// process that was killed keeps it, so that this is no failed attempt of the others' events.
const lockPatience = time.Minute

// Handle implements worker.Handler: all statements are one transaction.
func (h *sqlHandler) Handle(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
	conn := <-h.sessions
	defer func() { h.sessions <- conn }()
	began := time.Now()
	for retries := 0; ; {
		if conn == nil || conn.IsClosed() {
			var err error
			if conn, err = h.p.connect(ctx, h.pipe, ""); err != nil {
				conn = nil
				return nil, err
			}
		}
		err := h.run(ctx, conn, d)
		var said *pgconn.PgError
		switch {
		case !errors.As(err, &said):
			return nil, err
		case said.Code == pgerr.LockNotAvailable && time.Since(began) < lockPatience && ctx.Err() == nil:
		case (said.Code == pgerr.SerializationFailure || said.Code == pgerr.DeadlockDetected) && retries < conflictRetries:
			retries++
		default:
			return nil, err
		}
	}
}

// idle is the status of a session without a transaction (ReadyForQuery).
const idle = 'I'

// run runs the statements. After an error nothing of the transaction is left.
func (h *sqlHandler) run(ctx context.Context, conn *pgconn.PgConn, d *eventbus.Delivery) (err error) {
	if err := conn.Exec(ctx, "BEGIN").Close(); err != nil {
		return err
	}
	defer func() {
		if err != nil && !conn.IsClosed() && conn.TxStatus() != idle {
			err = errors.Join(err, conn.Exec(context.WithoutCancel(ctx), "ROLLBACK").Close())
		}
	}()
	args := [][]byte{d.Payload, []byte(d.Type), []byte(d.ID)}
	types := []uint32{pgtype.JSONBOID, pgtype.TextOID, pgtype.UUIDOID}
	if _, err := uuid.Parse(d.ID); err != nil {
		types[2] = pgtype.TextOID // of a sender that is neither the original nor this program
	}
	for i, sql := range h.statements {
		if _, err := conn.ExecParams(ctx, sql, args, types, nil, nil).Close(); err != nil {
			return fmt.Errorf("statement %d: %w", i+1, err)
		}
	}
	return conn.Exec(ctx, "COMMIT").Close()
}
