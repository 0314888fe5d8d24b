package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/ontosql/ontosql/pgerr"
)

const (
	// maxHandshake is the maximum number of bytes of a client's TLS handshake. It usually has 2 kB,
	// or 4 kB if the server requests another key. crypto/tls accepts a ClientHello of 64 kB and
	// allocates several times that.
	maxHandshake = 10_000
	alpnProtocol = "postgresql"
	tlsHandshake = 0x16 // first byte of a TLS record that holds a ClientHello
)

// startTLS performs the TLS handshake. seen has the bytes of it that were already read.
func (c *conn) startTLS(seen []byte) error {
	under := &handshakeConn{Conn: c.net, seen: seen, left: maxHandshake}
	secure := tls.Server(under, c.access.TLS)
	c.handshake = true
	if err := secure.Handshake(); err != nil {
		return fmt.Errorf("tls handshake: %w", err)
	}
	under.done = true
	state := secure.ConnectionState()
	c.net, c.tls, c.handshake = secure, &state, false
	return nil
}

// startDirectTLS starts TLS without an SSLRequest (sslnegotiation=direct of PostgreSQL 17). seen has the
// bytes that were already read.
func (c *conn) startDirectTLS(seen []byte) error {
	if err := c.startTLS(seen); err != nil {
		return err
	}
	if c.tls.NegotiatedProtocol != alpnProtocol {
		return pgerr.New(pgerr.ProtocolViolation,
			"received direct SSL connection request without ALPN protocol negotiation extension")
	}
	return nil
}

// handshakeConn is the connection during a TLS handshake. It first returns the bytes that were already
// read, and limits the number of bytes of the handshake.
type handshakeConn struct {
	net.Conn
	seen []byte
	left int // bytes that may still be read before the handshake is done
	done bool
}

var errLongHandshake = errors.New("handshake is too long")

func (c *handshakeConn) Read(p []byte) (int, error) {
	if len(c.seen) > 0 {
		n := copy(p, c.seen)
		c.seen = c.seen[n:]
		return n, nil
	}
	if c.done {
		return c.Conn.Read(p)
	}
	if c.left == 0 {
		return 0, errLongHandshake
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
