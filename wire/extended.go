package wire

import (
	"bytes"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/pgerr"
)

// statement is a prepared statement with its portals. Parse may replace it and Close may drop
// it while a cursor still reads one of the portals.
type statement struct {
	Statement
	users int // number of references: the session's map and the portals
}

func newStatement(st Statement) *statement {
	return &statement{Statement: st, users: 1}
}

// release drops one reference. The last one closes the statement.
func (st *statement) release() {
	if st.users--; st.users == 0 {
		st.Statement.Close()
	}
}

// extended answers a message of the extended query protocol (PostgreSQL manual,
// 55.2.3). After an error the caller skips to Sync.
func (s *session) extended(f frame) error {
	switch f.kind {
	case 'P':
		return s.parse(f.body)
	case 'B':
		return s.bindMessage(f.body)
	case 'D':
		return s.describe(f.body)
	case 'E':
		return s.execute(f.body)
	}
	return s.closeMessage(f.body)
}

// decode reads a message body. A malformed body is an ordinary error, as in PostgreSQL: the
// frame is complete, so the next message can be read.
func decode(m pgproto3.FrontendMessage, body []byte) error {
	err := m.Decode(body)
	if err == nil {
		return nil
	}
	message := "insufficient data left in message"
	if bytes.IndexByte(body, 0) < 0 {
		message = "invalid string in message"
	}
	return errProtocol("%s", message).Because(fmt.Errorf("decode %T: %w", m, err))
}

// readTexts converts texts of a message to UTF-8.
func (s *session) readTexts(texts ...*string) error {
	for _, text := range texts {
		var err error
		if *text, err = s.encoding().DecodeString(*text); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) parse(body []byte) error {
	var m pgproto3.Parse
	if err := decode(&m, body); err != nil {
		return err
	}
	if err := s.readTexts(&m.Name, &m.Query); err != nil {
		return err
	}
	if m.Name == "" {
		s.names.DropStatement("") // also if the new statement fails
	}
	prepared, err := s.handler.Prepare(s.stmtContext.begin(), Query{SQL: m.Query}, m.ParameterOIDs)
	if err != nil {
		return err
	}
	if err := s.names.AddStatement(m.Name, prepared); err != nil {
		prepared.Close()
		return err
	}
	s.out.send(&pgproto3.ParseComplete{})
	return nil
}

func (s *session) bindMessage(body []byte) error {
	var m pgproto3.Bind
	if err := decode(&m, body); err != nil {
		return err
	}
	if err := s.readTexts(&m.DestinationPortal, &m.PreparedStatement); err != nil {
		return err
	}
	st, err := s.names.findStatement(m.PreparedStatement)
	if err != nil {
		return err
	}
	args, err := readParams(m, st.Params(), s.encoding())
	if err != nil {
		return err
	}
	if m.DestinationPortal == "" {
		s.names.DropPortal("")
	} else if s.names.portals[m.DestinationPortal] != nil {
		return pgerr.New(pgerr.DuplicateCursor, "cursor %q already exists", m.DestinationPortal)
	}
	p, err := s.bind(s.stmtContext.begin(), st, m.DestinationPortal, args, m.ResultFormatCodes)
	if err != nil {
		return addPortalContext(err, &m)
	}
	s.names.made++
	p.serial = s.names.made
	s.names.portals[m.DestinationPortal] = p
	s.out.send(&pgproto3.BindComplete{})
	return nil
}

func (s *session) describe(body []byte) error {
	var m pgproto3.Describe
	if err := decode(&m, body); err != nil {
		return err
	}
	if err := s.readTexts(&m.Name); err != nil {
		return err
	}
	switch m.ObjectType {
	case 'S':
		st, err := s.names.findStatement(m.Name)
		if err != nil {
			return err
		}
		if err := s.settle(st.Statement); err != nil {
			return err
		}
		s.out.send(&pgproto3.ParameterDescription{ParameterOIDs: st.Params()})
		return s.sendColumns(st.Columns(), nil)
	case 'P':
		p, err := s.names.findPortal(m.Name)
		if err != nil {
			return err
		}
		if err := s.settle(p.Portal); err != nil {
			return err
		}
		if err := p.checkFormats(); err != nil {
			return err
		}
		return s.sendColumns(p.columns(), p.formats)
	}
	return errProtocol("invalid DESCRIBE message subtype %d", m.ObjectType)
}

// settle calls Describe if described is a Describer.
func (s *session) settle(described any) error {
	if d, ok := described.(Describer); ok {
		return d.Describe(s.stmtContext.begin())
	}
	return nil
}

func (s *session) execute(body []byte) error {
	var m pgproto3.Execute
	if err := decode(&m, body); err != nil {
		return err
	}
	if err := s.readTexts(&m.Portal); err != nil {
		return err
	}
	p, err := s.names.findPortal(m.Portal)
	if err != nil {
		return err
	}
	// Zero and negative limits mean all rows, as in PostgreSQL.
	complete, err := s.run(s.stmtContext.begin(), p, uint64(max(0, int32(m.MaxRows))))
	if err != nil {
		return err
	}
	s.out.send(complete)
	if done, ok := complete.(*pgproto3.CommandComplete); ok && s.handler.Status() == Idle {
		switch string(done.CommandTag) {
		case "COMMIT", "ROLLBACK": // the transaction and its portals have ended
			s.names.DropBound(0)
		}
	}
	return nil
}

func (s *session) closeMessage(body []byte) error {
	var m pgproto3.Close
	if err := decode(&m, body); err != nil {
		return err
	}
	if err := s.readTexts(&m.Name); err != nil {
		return err
	}
	switch m.ObjectType {
	case 'S':
		s.names.DropStatement(m.Name)
	case 'P':
		s.names.DropPortal(m.Name)
	default:
		return errProtocol("invalid CLOSE message subtype %d", m.ObjectType)
	}
	s.out.send(&pgproto3.CloseComplete{})
	return nil
}
