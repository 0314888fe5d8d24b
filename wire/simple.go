package wire

import (
	"bytes"
	"context"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"
)

// simpleQuery handles a Query message (PostgreSQL manual, 55.2.2). It has any number of statements,
// which are answered by one ReadyForQuery.
func (s *session) simpleQuery(body []byte) {
	s.names.DropStatement("") // a simple query drops the unnamed statement and the unnamed portal
	ctx := s.stmtContext.begin()
	s.simple = true
	tag, err := s.runString(ctx, body)
	s.simple = false
	if err != nil {
		s.fail(err)
	}
	// The command tag of the last statement is sent after its implicit transaction has been
	// committed, so that a client never reads "INSERT 0 1" before the error of the commit.
	switch err := s.handler.Sync(s.stmtContext.begin(), s.failed); {
	case err != nil:
		s.fail(err)
	case !s.failed:
		s.out.send(tag)
	}
	s.ready()
}

// runString runs the statements of a query string. It returns the completion of the last one without
// sending it.
func (s *session) runString(ctx context.Context, body []byte) (pgproto3.BackendMessage, error) {
	text, rest, ok := bytes.Cut(body, []byte{0})
	if !ok {
		return nil, errProtocol("invalid string in message")
	}
	if len(rest) > 0 {
		return nil, errProtocol("invalid message format")
	}
	text, err := s.encoding().Decode(text)
	if err != nil {
		return nil, err
	}
	queries, err := s.handler.Split(ctx, string(text))
	if err != nil {
		return nil, err
	}
	var tag pgproto3.BackendMessage = &pgproto3.EmptyQueryResponse{}
	for i, q := range queries {
		if i > 0 {
			s.out.send(tag)
		}
		q.Simple, q.Several = true, len(queries) > 1
		s.lastQuery = i == len(queries)-1
		if tag, err = s.runSimple(ctx, q); err != nil {
			return nil, err
		}
	}
	return tag, nil
}

func (s *session) runSimple(ctx context.Context, q Query) (pgproto3.BackendMessage, error) {
	prepared, err := s.handler.Prepare(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	s.names.DropPortal("")
	st := newStatement(prepared)
	defer st.release()
	var formats []int16
	if b, ok := prepared.(Binary); ok && b.Binary() {
		formats = []int16{pgproto3.BinaryFormat}
	}
	p, err := s.bind(ctx, st, "", nil, formats)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if g, ok := prepared.(Gathered); ok && g.Gathered() && p.columns() != nil {
		err := s.nextBatch(ctx, p, 0)
		if err != nil && err != io.EOF {
			return nil, err
		}
		p.atEnd = err == io.EOF
	}
	if columns := p.columns(); columns != nil {
		if err := s.sendColumns(columns, p.formats); err != nil {
			return nil, err
		}
	}
	return s.run(ctx, p, 0)
}
