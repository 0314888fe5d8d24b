package wire

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/ontosql/ontosql/pgerr"
)

// conn is a connection until its session begins.
type conn struct {
	srv     *Server
	place   *place
	access  *access    // of the server when the connection began
	address netip.Addr // of the client, invalid if it has none
	raw     net.Conn   // the socket
	net     net.Conn   // raw, or TLS over it
	tls     *tls.ConnectionState
	in      *bufio.Reader // reads from net after the startup packet

	handshake bool // TLS has begun and is not complete
}

// close ends the connection. It frees the connection's place first, so that a client that has seen the
// end can connect again at once, as with PostgreSQL (socket_close in pqcomm.c). Over TLS it sends
// close_notify before the end (RFC 8446, 6.1), because libpq reports a socket that closes without it as
// an error.
func (c *conn) close() {
	c.srv.leave(c.place)
	if secured, ok := c.net.(*tls.Conn); ok {
		_ = c.raw.SetWriteDeadline(time.Now().Add(endReasonTimeout))
		_ = secured.CloseWrite()
	}
	c.raw.Close()
}

// logIn negotiates encryption, reads the startup packet and authenticates. If it returns false, the
// client has been answered and the connection must be closed.
func (c *conn) logIn() (startupPacket, bool) {
	body, err := c.readStartup()
	if err == nil && body == nil {
		return startupPacket{}, false
	}
	c.in = bufio.NewReaderSize(c.net, 8<<10)
	var start startupPacket
	if err == nil {
		start, err = parseStartup(body)
	}
	if err == nil {
		err = c.negotiate(start)
	}
	if err == nil {
		err = c.authenticate(&start)
	}
	if err == nil {
		return start, true
	}
	if c.mustLeave() {
		c.refuse(c.srv.errLeave())
		return startupPacket{}, false
	}
	c.srv.logFailure(c, start, err)
	if fatal := (*pgerr.Error)(nil); errors.As(err, &fatal) {
		sendFatal(c.net, fatal)
	}
	return startupPacket{}, false
}

// mustLeave reports whether the connection has to end, for newer ones or a shutdown.
func (c *conn) mustLeave() bool {
	select {
	case <-c.place.left:
		return true
	default:
		return false
	}
}

// refuse tells a client why it must leave, though its deadline may be over. In the midst of a
// handshake it could not read that.
func (c *conn) refuse(err error) {
	fatal := (*pgerr.Error)(nil)
	if c.handshake || !errors.As(err, &fatal) {
		return
	}
	_ = c.raw.SetWriteDeadline(time.Now().Add(endReasonTimeout))
	sendFatal(c.net, fatal)
}

// logFailure logs why a client that has shown a certificate or named a user is not let in: the message that it gets, and
// the cause of a failed password, which it does not get. Neither has anything that the client has
// sent but its names.
func (s *Server) logFailure(c *conn, start startupPacket, err error) {
	remote := c.raw.RemoteAddr().String()
	fatal := (*pgerr.Error)(nil)
	unverified := (*tls.CertificateVerificationError)(nil)
	switch {
	case errors.As(err, &unverified):
		s.failedLogins.add("remote", remote, "reason", "client certificate: "+unverified.Err.Error())
	case errors.As(err, &fatal) && start.user != "":
		s.failedLogins.add("remote", remote, "user", shortened(start.user), "database", shortened(start.database),
			"reason", failureReason(fatal))
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.failedLogins.add("remote", remote, "user", shortened(start.user), "database", shortened(start.database),
			"reason", "authentication timed out")
	default: // port scanners, and clients that ask their user for the password first
		s.opts.Logger.Debug("connection ended before login", "remote", remote, "error", err)
	}
}

// maxLoggedName is the length of PostgreSQL's names.
const maxLoggedName = 63

func shortened(name string) string {
	if len(name) > maxLoggedName {
		return name[:maxLoggedName] + "..."
	}
	return name
}
