package wire

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// close ends the connection. Over TLS it sends close_notify first (RFC 8446, 6.1), because
// libpq reports a socket that closes without it as an error.
func (c *conn) close() {
	if secured, ok := c.net.(*tls.Conn); ok {
		_ = c.raw.SetWriteDeadline(time.Now().Add(endReasonTimeout))
		_ = secured.CloseWrite()
	}
	c.raw.Close()
}

// Request codes, sent instead of the protocol version of a startup packet (PostgreSQL manual, 55.7).
const (
	cancelRequestCode = 80877102
	sslRequestCode    = 80877103
	gssEncRequestCode = 80877104
)

const (
	// maxStartup is MAX_STARTUP_PACKET_LENGTH of PostgreSQL.
	maxStartup = 10_000
	// maxHandshake is the maximum number of bytes of a client's TLS handshake. It usually has 2 kB,
	// or 4 kB if the server requests another key. crypto/tls accepts a ClientHello of 64 kB and
	// allocates several times that.
	maxHandshake = 10_000
	alpnProtocol = "postgresql"
	tlsHandshake = 0x16 // first byte of a TLS record that holds a ClientHello
)

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

// readStartup answers the requests that may come before the startup packet, each once, and
// returns the packet's body; nil after a CancelRequest, which gets no answer. It reads no byte
// beyond these messages, so that no plain text can become part of the encrypted stream.
func (c *conn) readStartup() ([]byte, error) {
	var sslDone, gssDone bool
	for first := true; ; first = false {
		var header [4]byte
		if _, err := io.ReadFull(c.net, header[:]); err != nil {
			return nil, fmt.Errorf("read startup packet: %w", err)
		}
		if first && header[0] == tlsHandshake && c.srv.opts.TLS != nil {
			if err := c.startDirectTLS(header[:]); err != nil {
				return nil, err
			}
			sslDone, gssDone = true, true
			continue
		}
		length := int64(binary.BigEndian.Uint32(header[:])) - 4
		if length < 4 || length > maxStartup {
			// No answer, as in PostgreSQL, because most of these clients are port scanners.
			return nil, fmt.Errorf("invalid length of startup packet: %d", length)
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(c.net, body); err != nil {
			return nil, fmt.Errorf("read startup packet: %w", err)
		}
		switch code := binary.BigEndian.Uint32(body); {
		case code == cancelRequestCode:
			if len(body) == 8+secretLen {
				c.srv.cancels.cancel(binary.BigEndian.Uint32(body[4:]), body[8:])
			}
			return nil, nil
		case code == sslRequestCode && !sslDone:
			sslDone = true
			if err := c.answerSSL(); err != nil {
				return nil, err
			}
			gssDone = gssDone || c.tls != nil
		case code == gssEncRequestCode && !gssDone:
			gssDone = true
			if _, err := c.net.Write([]byte{'N'}); err != nil {
				return nil, fmt.Errorf("answer GSSENCRequest: %w", err)
			}
		default:
			return body, nil
		}
	}
}

func (c *conn) answerSSL() error {
	answer := byte('N')
	if c.srv.opts.TLS != nil {
		answer = 'S'
	}
	if _, err := c.net.Write([]byte{answer}); err != nil {
		return fmt.Errorf("answer SSLRequest: %w", err)
	}
	if answer == 'N' {
		return nil
	}
	return c.startTLS(nil)
}

// startTLS performs the TLS handshake. seen has the bytes of it that were already read.
func (c *conn) startTLS(seen []byte) error {
	under := &handshakeConn{Conn: c.net, seen: seen, left: maxHandshake}
	secure := tls.Server(under, c.srv.opts.TLS)
	if err := secure.Handshake(); err != nil {
		return fmt.Errorf("tls handshake: %w", err)
	}
	under.done = true
	state := secure.ConnectionState()
	c.net, c.tls = secure, &state
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
