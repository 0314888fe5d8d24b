package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
)

// Request codes, sent instead of the protocol version of a startup packet (PostgreSQL manual, 55.7).
const (
	cancelRequestCode = 80877102
	sslRequestCode    = 80877103
	gssEncRequestCode = 80877104
)

// maxStartup is MAX_STARTUP_PACKET_LENGTH of PostgreSQL.
const maxStartup = 10_000

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
		if first && header[0] == tlsHandshake && c.access.TLS != nil {
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
	if c.access.TLS != nil {
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

// startupPacket is a parsed StartupMessage.
type startupPacket struct {
	user, database string
	params         map[string]string
	options        []Option
	negotiate      bool       // the client asked for more than protocol 3.0
	unknown        []string   // protocol options "_pq_.*", none of which is supported
	role           roles.Role // of the user; set by authentication
	authenticated  bool       // by a password or a certificate
}

// parseStartup reads the body of a StartupMessage (PostgreSQL manual, 55.7).
func parseStartup(body []byte) (startupPacket, error) {
	var p startupPacket
	version := binary.BigEndian.Uint32(body)
	if version>>16 != 3 {
		return p, pgerr.Unsupported("unsupported frontend protocol %d.%d: server supports 3.0 to 3.0",
			version>>16, version&0xffff)
	}
	p.negotiate = version&0xffff != 0
	p.params = map[string]string{}
	var replication string
	for rest := body[4:]; ; {
		name, after, ok := cutString(rest)
		if !ok {
			return p, errStartupLayout()
		}
		if name == "" {
			if len(after) != 0 {
				return p, errStartupLayout()
			}
			break
		}
		value, after, ok := cutString(after)
		if !ok {
			return p, errStartupLayout()
		}
		for _, text := range []string{name, value} {
			if err := charset.Check([]byte(text)); err != nil {
				return p, err
			}
		}
		switch {
		case name == "user":
			p.user = value
		case name == "database":
			p.database = value
		case name == "replication":
			replication = value
		case name == "options":
			options, err := parseOptions(value)
			if err != nil {
				return p, err
			}
			p.options = options
		case strings.HasPrefix(name, "_pq_."):
			p.unknown = append(p.unknown, name)
			p.negotiate = true
		default:
			p.params[name] = value
		}
		rest = after
	}
	switch strings.ToLower(replication) {
	case "", "0", "off", "false", "no", "f", "n":
	default:
		return p, pgerr.Unsupported("replication connections are not supported")
	}
	if p.user == "" {
		return p, pgerr.New(pgerr.InvalidAuthorizationSpec, "no PostgreSQL user name specified in startup packet")
	}
	if p.database == "" {
		p.database = p.user
	}
	return p, nil
}

func errStartupLayout() *pgerr.Error {
	return pgerr.New(pgerr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
}

func cutString(b []byte) (text string, rest []byte, ok bool) {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return "", nil, false
	}
	return string(b[:i]), b[i+1:], true
}

// negotiate sends NegotiateProtocolVersion with 3.0 to a client that requested a newer protocol.
func (c *conn) negotiate(p startupPacket) error {
	if !p.negotiate {
		return nil
	}
	return send(c.net, &pgproto3.NegotiateProtocolVersion{
		// The manual says "newest minor version"; PostgreSQL sends and libpq expects the
		// whole version number.
		NewestMinorProtocol: pgproto3.ProtocolVersion30,
		UnrecognizedOptions: p.unknown,
	})
}

// send encodes and writes one message, for the phases before a session.
func send(conn net.Conn, m pgproto3.BackendMessage) error {
	buf, err := m.Encode(nil)
	if err == nil {
		_, err = conn.Write(buf)
	}
	if err != nil {
		return fmt.Errorf("send %T: %w", m, err)
	}
	return nil
}

// sendFatal sends the reason for the end of the connection. Write errors are ignored, because the
// client may have disconnected.
func sendFatal(conn net.Conn, e *pgerr.Error) {
	fatal := *e
	fatal.Severity = severityFatal
	_ = send(conn, errorResponse(&fatal))
}
