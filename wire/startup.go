package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
)

// startupPacket is a parsed StartupMessage.
type startupPacket struct {
	user, database string
	params         map[string]string
	options        []Option
	negotiate      bool     // the client asked for more than protocol 3.0
	unknown        []string // protocol options "_pq_.*", none of which is supported
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
