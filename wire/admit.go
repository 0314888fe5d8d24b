package wire

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"runtime/debug"
	"time"

	"github.com/ontosql/ontosql/pgerr"
)

// accept starts the goroutine of a connection, unless too many are logging in.
func (s *Server) accept(ctx context.Context, conn net.Conn) {
	keepAlive(conn)
	s.mu.Lock()
	full := s.pending >= s.opts.MaxConnections
	if !full && !s.closed {
		s.pending++
		s.open[conn] = false
		s.conns.Add(1)
		s.mu.Unlock()
		go s.serveConn(ctx, conn)
		return
	}
	s.mu.Unlock()
	if full {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		sendFatal(conn, errTooMany())
	}
	conn.Close()
}

// admit moves a connection that has logged in from the pending connections to the sessions, unless
// there are too many.
func (s *Server) admit(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions >= s.opts.MaxConnections {
		return false
	}
	s.pending--
	s.sessions++
	s.open[conn] = true
	if !s.closed { // otherwise Shutdown has set the deadline
		_ = conn.SetDeadline(time.Time{})
	}
	return true
}

// leave frees the place of a connection, once.
func (s *Server) leave(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	loggedIn, open := s.open[conn]
	switch {
	case !open:
		return
	case loggedIn:
		s.sessions--
	default:
		s.pending--
	}
	delete(s.open, conn)
}

func errTooMany() *pgerr.Error {
	return pgerr.New(pgerr.TooManyConnections, "sorry, too many clients already")
}

// serveConn serves one connection in its own goroutine.
func (s *Server) serveConn(ctx context.Context, raw net.Conn) {
	c := &conn{srv: s, raw: raw, net: raw}
	defer s.conns.Done()
	defer c.close()
	// Sessions recover from panics of the handler. This is for panics during login.
	defer func() {
		if cause := recover(); cause != nil {
			s.logPanic(raw, cause)
		}
	}()
	_ = raw.SetDeadline(time.Now().Add(s.opts.StartupTimeout))
	start, ok := c.logIn()
	if !ok {
		return
	}
	if !s.admit(raw) {
		sendFatal(c.net, errTooMany())
		return
	}
	s.runSession(ctx, c, start)
}

func (s *Server) logPanic(conn net.Conn, cause any) (id string) {
	id = newErrorID()
	s.opts.Logger.Error("panic in a session", "error_id", id, "remote", conn.RemoteAddr().String(),
		"panic", cause, "stack", string(debug.Stack()))
	return id
}

// newErrorID returns an id that identifies an internal error in the log and for the client.
func newErrorID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
