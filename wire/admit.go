package wire

import (
	"container/list"
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"runtime/debug"
	"time"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/pgerr"
)

// place is what a connection takes of the server's room: it is half-open until it has logged in,
// and then a session.
type place struct {
	conn     net.Conn
	halfOpen *list.Element // in Server.halfOpen; nil for a session, and after it was pushed out
	role     string        // of a session
	session  bool
	left     chan struct{} // closed when the connection must end before it has logged in
}

// endLogin ends the login of a half-open connection, whatever it waits for. The server's mutex is
// held.
func (s *Server) endLogin(p *place) {
	s.halfOpen.Remove(p.halfOpen)
	p.halfOpen = nil
	close(p.left)
	_ = p.conn.SetDeadline(time.Now())
}

// accept starts the goroutine of a connection. If too many are half-open, the oldest of them is
// pushed out, so that clients that fall silent keep nobody out.
func (s *Server) accept(ctx context.Context, conn net.Conn) {
	keepAlive(conn)
	_ = conn.SetDeadline(time.Now().Add(s.opts.StartupTimeout))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		conn.Close()
		return
	}
	if s.halfOpen.Len() >= s.opts.MaxHalfOpen {
		oldest := s.halfOpen.Front().Value.(*place)
		s.endLogin(oldest)
		s.pushedOut.add("remote", oldest.conn.RemoteAddr().String(), "limit", s.opts.MaxHalfOpen)
	}
	p := &place{conn: conn, left: make(chan struct{})}
	p.halfOpen = s.halfOpen.PushBack(p)
	s.open[conn] = p
	s.conns.Add(1)
	go s.serveConn(ctx, p)
}

// admit makes a session of a connection that has logged in, unless there are too many.
func (s *Server) admit(p *place, role roles.Role) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errShuttingDown()
	case p.halfOpen == nil, s.sessions >= s.opts.MaxConnections:
		return errTooMany()
	case role.Superuser:
	case s.sessions >= s.opts.MaxConnections-s.opts.Reserved:
		return pgerr.New(pgerr.TooManyConnections, "remaining connection slots are reserved for non-replication superuser connections")
	case role.ConnectionLimit >= 0 && s.sessionsOf[role.Name] >= role.ConnectionLimit:
		return pgerr.New(pgerr.TooManyConnections, "too many connections for role %q", role.Name)
	}
	s.halfOpen.Remove(p.halfOpen)
	p.halfOpen, p.session, p.role = nil, true, role.Name
	s.sessions++
	s.sessionsOf[role.Name]++
	_ = p.conn.SetDeadline(time.Time{})
	return nil
}

// leave frees the place of a connection, once.
func (s *Server) leave(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.open[p.conn]; !open {
		return
	}
	if p.session {
		s.sessions--
		if s.sessionsOf[p.role]--; s.sessionsOf[p.role] == 0 {
			delete(s.sessionsOf, p.role)
		}
	} else if p.halfOpen != nil {
		s.halfOpen.Remove(p.halfOpen)
		p.halfOpen = nil
	}
	delete(s.open, p.conn)
}

// errLeave is what a connection is told that must end before it has logged in.
func (s *Server) errLeave() *pgerr.Error {
	if s.isClosed() {
		return errShuttingDown()
	}
	return errTooMany()
}

func errShuttingDown() *pgerr.Error {
	return pgerr.New(pgerr.CannotConnectNow, "the database system is shutting down")
}

func errTooMany() *pgerr.Error {
	return pgerr.New(pgerr.TooManyConnections, "sorry, too many clients already")
}

// serveConn serves one connection in its own goroutine.
func (s *Server) serveConn(ctx context.Context, p *place) {
	c := &conn{srv: s, place: p, raw: p.conn, net: p.conn, address: addressOf(p.conn.RemoteAddr()), access: s.access.Load()}
	defer s.conns.Done()
	defer c.close()
	// Sessions recover from panics of the handler. This is for panics during login.
	defer func() {
		if cause := recover(); cause != nil {
			s.logPanic(p.conn, cause)
		}
	}()
	start, ok := c.logIn()
	if !ok {
		return
	}
	if err := s.admit(p, start.role); err != nil {
		c.refuse(err)
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
