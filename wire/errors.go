package wire

import (
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/pgerr"
)

const (
	severityError = "ERROR"
	severityFatal = "FATAL"
)

func errorResponse(e *pgerr.Error) *pgproto3.ErrorResponse {
	severity := e.Severity
	if severity == "" {
		severity = severityError
	}
	return &pgproto3.ErrorResponse{
		Severity: severity, SeverityUnlocalized: severity, Code: e.Code, Message: e.Message,
		Detail: e.Detail, Hint: e.Hint, Position: int32(e.Position), Where: e.Where,
		SchemaName: e.Schema, TableName: e.Table, ColumnName: e.Column, DataTypeName: e.DataType,
		ConstraintName: e.Constraint, Routine: e.Routine,
	}
}

func noticeResponse(e *pgerr.Error) *pgproto3.NoticeResponse {
	n := pgproto3.NoticeResponse(*errorResponse(e))
	if e.Severity == "" {
		n.Severity, n.SeverityUnlocalized = "NOTICE", "NOTICE"
	}
	return &n
}

// errInternal is the error that a client gets for a bug.
func errInternal(id string) *pgerr.Error {
	return pgerr.New(pgerr.InternalError, "internal error %s", id).
		WithDetail("The server's log has the cause under this id.")
}

func errProtocol(format string, args ...any) *pgerr.Error {
	return pgerr.New(pgerr.ProtocolViolation, format, args...)
}

// asPgerr is the error that a client gets for err. An error that is not a *pgerr.Error is
// logged with an id, and the client gets the id only.
func (s *session) asPgerr(err error) *pgerr.Error {
	if e := (*pgerr.Error)(nil); errors.As(err, &e) {
		return e
	}
	id := newErrorID()
	s.srv.opts.Logger.Error("internal error", "error_id", id, "error", err)
	return errInternal(id)
}
