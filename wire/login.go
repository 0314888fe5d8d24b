package wire

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/ontosql/ontosql/pgerr"
)

// conn is a connection until its session begins.
type conn struct {
	srv *Server
	raw net.Conn // the socket
	net net.Conn // raw, or TLS over it
	tls *tls.ConnectionState
	in  *bufio.Reader // reads from net after the startup packet
}

// close ends the connection. It frees the connection's place first, so that a client that has seen the
// end can connect again at once, as with PostgreSQL (socket_close in pqcomm.c). Over TLS it sends
// close_notify before the end (RFC 8446, 6.1), because libpq reports a socket that closes without it as
// an error.
func (c *conn) close() {
	c.srv.leave(c.raw)
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
	if err == nil && c.srv.opts.RequireTLS && c.tls == nil {
		err = pgerr.New(pgerr.InvalidAuthorizationSpec, "this server requires TLS, and the connection has no encryption").
			WithHint("Connect with sslmode=require or above.")
	}
	if err == nil {
		if err = c.negotiate(start); err == nil && c.srv.opts.Auth != nil {
			err = c.authenticate(start.user)
		}
	}
	if err == nil {
		return start, true
	}
	if fatal := (*pgerr.Error)(nil); errors.As(err, &fatal) {
		sendFatal(c.net, fatal)
	}
	c.srv.opts.Logger.Debug("login failed", "remote", c.raw.RemoteAddr().String(), "error", err)
	return startupPacket{}, false
}
