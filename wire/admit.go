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

// admit moves a connection that has logged in from the pending ones to the
// sessions, if there is room.
func (s *Server) admit(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions >= s.opts.MaxConnections {
		return false
	}
	s.pending--
	s.sessions++
	s.open[conn] = true
	if !s.closed { // else the deadline is that of Shutdown
		_ = conn.SetDeadline(time.Time{})
	}
	return true
}

func errTooMany() *pgerr.Error {
	return pgerr.New(pgerr.TooManyConnections, "sorry, too many clients already")
}

// serveConn is the life of one connection, on its own goroutine.
func (s *Server) serveConn(ctx context.Context, raw net.Conn) {
	admitted := false
	c := &conn{srv: s, raw: raw, net: raw}
	defer func() {
		c.close()
		s.mu.Lock()
		delete(s.open, raw)
		if admitted {
			s.sessions--
		} else {
			s.pending--
		}
		s.mu.Unlock()
		s.conns.Done()
	}()
	// Sessions answer for panics in a handler themselves; this is for the login.
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
	if admitted = s.admit(raw); !admitted {
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

// newErrorID names one internal error in the log and to the client.
func newErrorID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
