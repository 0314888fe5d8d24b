package wire

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
)

// session is the message loop of one client.
type session struct {
	srv         *Server
	handler     Session
	in          *inbox
	out         output
	stmtContext statementContext
	names       *Names
	notices     notifications
	changed     map[string]string // settings to report before the next ReadyForQuery
	reported    map[string]string // the last reported values

	protocolBroken bool // the client has violated the protocol
	simple         bool // the running statement is from a query string
	lastQuery      bool // and is the last one of the string
	failed         bool // an error since the last ReadyForQuery
	skipping       bool // messages are discarded until Sync
}

// errClientEnded ends the loop without a message, because the client has sent Terminate or has
// disconnected.
var errClientEnded = errors.New("session ended by the client")

// halfClosedGrace is the maximum time that statements run after the client has closed its side of the
// connection. The client may still read the results. It may also have disconnected.
const halfClosedGrace = time.Second

// runSession opens the session of a client that has logged in and serves it
// until it ends.
func (s *Server) runSession(ctx context.Context, c *conn, start startupPacket) {
	life, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ses := &session{
		srv:         s,
		out:         output{w: c.net, blocks: &s.blocks},
		stmtContext: statementContext{life: life},
		names:       NewNames(),

		changed:  map[string]string{},
		reported: map[string]string{},
	}
	pid, secret := s.cancels.add(func() { ses.stmtContext.cancel(ErrCancelRequest) })
	defer s.cancels.remove(pid)

	var grace *time.Timer
	ses.in = openInbox(c.net, c.in, s.opts.MaxMessage, &s.watch, func(err error) {
		if err == nil || errors.Is(err, io.EOF) {
			grace = time.AfterFunc(halfClosedGrace, func() { stop(ErrClientGone) })
			return
		}
		if e := (*pgerr.Error)(nil); !errors.As(err, &e) {
			stop(ErrClientGone)
		}
	})
	ses.notices.wake = ses.in.wake
	unheeded := context.AfterFunc(life, ses.in.wake)
	defer func() {
		unheeded()
		// The socket is closed first, because the goroutine that reads ahead may block in it.
		c.close()
		ses.in.stop()
		if grace != nil {
			grace.Stop()
		}
	}()
	ses.serve(c, start, pid, secret, stop)
}

// serve opens the handler's session, runs the loop and returns why it ended.
func (s *session) serve(c *conn, start startupPacket, pid uint32, secret []byte, stop context.CancelCauseFunc) {
	// A panic is a bug and must end this session only. The output always has whole messages, so an
	// error can follow.
	defer func() {
		if cause := recover(); cause != nil {
			s.sendEndReason(c, errInternal(s.srv.logPanic(c.raw, cause)))
		}
	}()
	meaning, settings, err := s.srv.opts.Handler.Open(s.stmtContext.begin(), Startup{
		User: start.user, Authenticated: start.authenticated, Database: start.database, Params: start.params, Options: start.options,
		Remote: c.raw.RemoteAddr(), Local: c.raw.LocalAddr(), TLS: c.tls, PID: pid,
		Notice:          func(e *pgerr.Error) { s.out.send(noticeResponse(encodeError(s.encoding(), e))) },
		ParameterStatus: func(name, value string) { s.changed[name] = value },
		Terminate:       func(e *pgerr.Error) { stop(e) },
		Cancel:          func() { s.stmtContext.cancel(ErrCancelRequest) },
		Notify:          s.notices.add,
		Names:           s.names,
		Ending:          s.ending,
		CopyIn:          s.copyIn,
	})
	if err == nil {
		s.handler = meaning
		defer s.close()
		s.sendStartup(settings, pid, secret)
		defer s.srv.logSession(c, start, pid)()
		err = s.loop()
	}
	s.sendEndReason(c, err)
}

// logSession puts the begin of a session into the log, and its end when what it returns is called.
func (s *Server) logSession(c *conn, start startupPacket, pid uint32) (end func()) {
	if !s.opts.LogConnections {
		return func() {}
	}
	log, began := s.opts.Logger.With("pid", pid, "remote", c.raw.RemoteAddr().String(), "user", start.user, "database", start.database), time.Now()
	log.Info("session began", "tls", c.tls != nil, "authenticated", start.authenticated, "application_name", start.params["application_name"])
	return func() { log.Info("session ended", "duration_ms", time.Since(began).Milliseconds()) }
}

func (s *session) sendStartup(settings []Option, pid uint32, secret []byte) {
	// Notices of Open are already in the buffer. AuthenticationOk must precede them.
	early := s.out.buf
	s.out.buf = nil
	s.out.send(&pgproto3.AuthenticationOk{})
	for _, o := range settings {
		s.parameterStatus(o.Name, o.Value)
	}
	s.out.buf = append(s.out.buf, early...)
	s.out.send(&pgproto3.BackendKeyData{ProcessID: pid, SecretKey: secret})
	s.ready()
}

// parameterStatus reports a setting, unless the client's encoding lacks a character of its
// value.
func (s *session) parameterStatus(name, value string) {
	if text, err := s.encoding().EncodeString(value); err == nil {
		s.out.send(&pgproto3.ParameterStatus{Name: name, Value: text})
	}
	s.reported[name] = value
}

// report sends ParameterStatus for the settings that have changed since the last ReadyForQuery, in
// PostgreSQL's order.
func (s *session) report() {
	if len(s.changed) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(s.changed), func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	for _, name := range names {
		if value := s.changed[name]; value != s.reported[name] {
			s.parameterStatus(name, value)
		}
	}
	clear(s.changed)
}

// sendEndReason sends the reason for the end of the session, if the client gets one.
func (s *session) sendEndReason(c *conn, err error) {
	if errors.Is(err, errClientEnded) {
		// A client may send Terminate right after its query and still read the answer.
		_ = c.raw.SetWriteDeadline(time.Now().Add(endReasonTimeout))
		_ = s.out.flush()
		return
	}
	if s.out.err != nil {
		return
	}
	if cause := context.Cause(s.stmtContext.life); cause != nil {
		err = cause
	}
	switch {
	case errors.Is(err, ErrClientGone):
		return
	case errors.Is(err, ErrShutdown):
		err = pgerr.New(pgerr.AdminShutdown, "terminating connection due to administrator command")
	}
	fatal := *s.asPgerr(err)
	fatal.Severity = severityFatal
	_ = c.raw.SetWriteDeadline(time.Now().Add(endReasonTimeout))
	s.out.send(errorResponse(encodeError(s.encoding(), &fatal)))
	_ = s.out.flush()
}

func (s *session) close() {
	s.names.drop()
	s.handler.Close()
}

// loop handles messages until the session ends, and returns why.
func (s *session) loop() error {
	for {
		f, err := s.nextFrame()
		if err != nil {
			return err
		}
		if err := s.handle(f); err != nil {
			return err
		}
		if err := s.out.flushIfFull(); err != nil {
			return err
		}
		if s.stmtContext.life.Err() != nil {
			return context.Cause(s.stmtContext.life)
		}
		if s.protocolBroken {
			return errProtocolBroken
		}
	}
}

// nextFrame returns the next message. It flushes the output before it waits.
func (s *session) nextFrame() (frame, error) {
	for {
		f, ok, err := s.in.arrived()
		if ok {
			return f, nil
		}
		s.stmtContext.end()
		if flushed := s.out.flush(); flushed != nil {
			return frame{}, flushed
		}
		if err == nil {
			if err := s.endReason(); err != nil {
				return frame{}, err
			}
			s.out.release()
			f, ok, err = s.in.wait()
			s.out.acquire()
		}
		switch e := (*pgerr.Error)(nil); {
		case ok:
			return f, nil
		case errors.As(err, &e):
			return frame{}, e
		case err != nil:
			return frame{}, errClientEnded
		}
		s.notify()
	}
}

// endReason returns the reason for which an idle session must end, nil if there is none.
func (s *session) endReason() error {
	select {
	case <-s.srv.draining:
		return ErrShutdown
	case <-s.stmtContext.life.Done():
		return context.Cause(s.stmtContext.life)
	default:
		return nil
	}
}

// ending reports whether the running statement is the last of its implicit transaction, as far as the
// messages that have arrived show.
func (s *session) ending() bool {
	if s.simple {
		return s.lastQuery
	}
	return s.in.next() == 'S'
}

// handle answers one message. An error ends the session.
func (s *session) handle(f frame) error {
	if s.skipping && f.kind != 'S' && f.kind != 'X' {
		return nil
	}
	switch f.kind {
	case 'Q':
		s.simpleQuery(f.body)
	case 'P', 'B', 'D', 'E', 'C':
		if err := s.extended(f); err != nil {
			s.fail(err)
			s.skipping = true
		}
	case 'H':
		return s.out.flush()
	case 'S':
		s.sync()
	case 'F':
		s.fail(pgerr.Unsupported("the function call protocol is not supported"))
		s.sync()
	case 'd', 'c', 'f':
		// The rest of a COPY that ended early. PostgreSQL ignores these messages too.
	case 'X':
		return errClientEnded
	default:
		return errProtocol("invalid frontend message type %d", f.kind)
	}
	return nil
}

// fail sends an error. If the session is ending, the client gets only the reason for that, from
// farewell.
func (s *session) fail(err error) {
	s.failed = true
	if s.out.err == nil && s.stmtContext.life.Err() == nil {
		s.out.send(errorResponse(encodeError(s.encoding(), s.asPgerr(err))))
	}
	// A cancel request that caused this error must not cancel the next statement.
	s.stmtContext.end()
}

// sync ends the implicit transaction and sends ReadyForQuery.
func (s *session) sync() {
	if err := s.handler.Sync(s.stmtContext.begin(), s.failed); err != nil {
		s.fail(err)
	}
	s.ready()
}

// ready sends ReadyForQuery. It does not send it if the end of the session interrupted the statement,
// because the client would treat that as success.
func (s *session) ready() {
	if s.failed && (s.stmtContext.life.Err() != nil || s.protocolBroken) {
		return
	}
	s.failed, s.skipping = false, false
	status := s.handler.Status()
	if status == Idle {
		s.names.DropBound(0)
		s.notify()
	}
	s.report()
	s.out.send(&pgproto3.ReadyForQuery{TxStatus: byte(status)})
}

// encoding returns the client encoding. Before the session is open it is UTF8, as in PostgreSQL.
func (s *session) encoding() *charset.Encoding {
	if s.handler == nil {
		return nil
	}
	return s.handler.Encoding()
}
