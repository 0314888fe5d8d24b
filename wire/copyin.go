package wire

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/pgerr"
)

// errProtocolBroken ends a session whose client sends another message while COPY data is expected,
// as in PostgreSQL.
var errProtocolBroken = errProtocol("terminating connection because protocol synchronization was lost")

// copyIn asks the client for the data of COPY FROM STDIN (PostgreSQL manual,
// 55.2.6).
func (s *session) copyIn(c Copy) *CopyReader {
	overall, formats := c.formats()
	s.out.send(&pgproto3.CopyInResponse{OverallFormat: overall, ColumnFormatCodes: formats})
	return NewCopyReader(c, s.copyData)
}

// copyData returns the data of the next CopyData message, io.EOF after CopyDone.
func (s *session) copyData(ctx context.Context) ([]byte, error) {
	for {
		f, err := s.copyFrame(ctx)
		if err != nil {
			return nil, err
		}
		switch f.kind {
		case 'd':
			return f.body, nil
		case 'c':
			return nil, io.EOF
		case 'f':
			reason, _, _ := bytes.Cut(f.body, []byte{0})
			if reason, err = s.encoding().Decode(reason); err != nil {
				return nil, err
			}
			return nil, pgerr.New(pgerr.QueryCanceled, "COPY from stdin failed: %s", reason)
		case 'H', 'S':
			// A client sends these if it does not know that the command is COPY.
		default:
			s.protocolBroken = true
			return nil, errProtocol("unexpected message type 0x%02X during COPY from stdin", f.kind)
		}
	}
}

// copyFrame is nextFrame during a statement. It returns early if ctx ends.
func (s *session) copyFrame(ctx context.Context) (frame, error) {
	for {
		if ctx.Err() != nil {
			return frame{}, context.Cause(ctx)
		}
		f, ok, err := s.in.arrived()
		if !ok && err == nil {
			if err := s.out.flush(); err != nil {
				return frame{}, err
			}
			heed := context.AfterFunc(ctx, s.in.wake)
			f, ok, err = s.in.wait()
			heed()
		}
		if e := (*pgerr.Error)(nil); err != nil && !errors.As(err, &e) {
			err = pgerr.New(pgerr.ConnectionFailure, "unexpected EOF on client connection with an open transaction").Because(err)
		}
		if ok || err != nil {
			return f, err
		}
	}
}
