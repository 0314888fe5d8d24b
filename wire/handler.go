package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// Causes of the cancellation of a running statement's context. The Session returns the corresponding
// error; wire sends no other one.
var (
	// ErrCancelRequest: a CancelRequest had the key of this session (57014).
	ErrCancelRequest = errors.New("canceling statement due to user request")
	// ErrClientGone: the socket closed or broke while the statement ran.
	ErrClientGone = errors.New("client closed the connection")
	// ErrShutdown: the server is stopping (57P01).
	ErrShutdown = errors.New("terminating connection due to administrator command")
)

// Startup is the startup data of a client. A Handler gets it after authentication.
type Startup struct {
	User string
	// Authenticated says that the client has proved to be User; it is false where everybody is trusted.
	Authenticated bool
	Database      string            // the name of the user if the client sent none
	Params        map[string]string // every other startup parameter, such as application_name
	Options       []Option          // settings from the "options" parameter, in order
	Remote        net.Addr
	Local         net.Addr             // the address of the server that the client connected to
	TLS           *tls.ConnectionState // nil on a plain connection
	PID           uint32               // of BackendKeyData; the result of pg_backend_pid()
	// Notice queues a NoticeResponse (Severity below ERROR) for the client. It may only be called
	// during a call of the session.
	Notice func(*pgerr.Error)
	// ParameterStatus reports the new value of a setting to the client before the next
	// ReadyForQuery. It may only be called during a call of the session.
	ParameterStatus func(name, value string)
	// Names are the prepared statements and portals of the connection, which SQL statements also
	// use. They may only be used during a call of the session.
	Names *Names
	// Ending reports whether the running statement is the last one of its implicit transaction:
	// it is the last of its query string, or a Sync has arrived after it. Such a statement may
	// commit before its completion is sent. Ending may only be called during Portal.Next.
	Ending func() bool
	// CopyIn requests the data of COPY FROM STDIN and returns the reader of its rows. The caller
	// must read to the end or to an error before Portal.Next returns. CopyIn may only be called
	// during Portal.Next.
	CopyIn func(Copy) *CopyReader
	// Terminate ends the session, for timeouts of idle sessions and pg_terminate_backend. The
	// client gets e as FATAL. The context of a running statement is cancelled with e as its cause.
	// It may be called from any goroutine.
	Terminate func(e *pgerr.Error)
	// Cancel cancels the running statement, if any, as a CancelRequest does. It may be called from
	// any goroutine.
	Cancel func()
	// Notify sends a NotificationResponse as soon as the session is idle outside of a
	// transaction. It may be called from any goroutine.
	Notify func(pid uint32, channel, payload string)
}

// Option is one "-c name=value" of the startup parameter "options".
type Option struct{ Name, Value string }

// Handler opens the sessions of a server.
type Handler interface {
	// Open starts a session. An error, preferably a *pgerr.Error such as 3D000, is sent as FATAL
	// and ends the connection. The returned settings are sent as ParameterStatus before the first
	// ReadyForQuery.
	Open(ctx context.Context, s Startup) (Session, []Option, error)
}

// TxStatus is the transaction status of a ReadyForQuery.
type TxStatus byte

// The three states.
const (
	Idle          TxStatus = 'I'
	InTransaction TxStatus = 'T'
	Failed        TxStatus = 'E'
)

// Session is the session of one client. It is used by one goroutine at a time. Errors should be
// *pgerr.Error; any other error is sent as XX000 without its text. A context is cancelled with one of
// the causes above or the error of Terminate; the session must then return soon. A context applies to
// one call only: later calls of Portal.Next may have another context than the first.
type Session interface {
	// Split parses a query string of the simple protocol into its statements, none if it is blank.
	// A syntax error anywhere in the string is returned before any statement runs.
	Split(ctx context.Context, sql string) ([]Query, error)
	// Prepare analyses one statement and determines its columns. It neither runs the statement nor
	// reads data. paramOIDs are the parameter types of the client, 0 for unknown. A statement of
	// the simple protocol has no parameters.
	Prepare(ctx context.Context, q Query, paramOIDs []uint32) (Statement, error)
	// Sync ends an implicit transaction. It is called for each Sync message and at the end of each
	// query string. failed is true if an error was sent since the last Sync.
	Sync(ctx context.Context, failed bool) error
	// Status is the transaction status to report.
	Status() TxStatus
	// Style is the style of values in the text format. It is not modified any more.
	Style() *textout.Style
	// Encoding is the current client encoding, nil for UTF8.
	Encoding() *charset.Encoding
	// Close frees everything. No call follows.
	Close()
}

// Query is one statement and its position in the query string, because error positions are counted
// from the beginning of the string.
type Query struct {
	SQL     string // the statement alone
	Offset  int    // characters before it in Whole
	Simple  bool   // it was sent by the simple protocol
	Several bool   // the query string has other statements: PostgreSQL's implicit transaction block
}

// Column describes one result column (RowDescription).
type Column struct {
	Name     string
	OID      uint32 // PostgreSQL type
	Size     int16  // pg_type.typlen
	Typmod   int32  // -1 for none
	Scale    int    // minimum number of digits after the decimal point of numerics
	TableOID uint32 // 0 when the column is no plain column of a table
	Attnum   int16
	Fields   []Column // of a record, and of the records of an array: their types, without names
}

// Statement is a prepared statement. It lives until Close.
type Statement interface {
	// Params are the types of $1, $2, ...
	Params() []uint32
	// Columns describes the rows; nil for a statement that returns none.
	Columns() []Column
	// Bind creates a portal with the given parameters in the text format, nil for NULL;
	// len(args) == len(Params()). It does not execute the portal. A text that is not valid for its
	// type is a *ParameterError.
	Bind(ctx context.Context, args [][]byte) (Portal, error)
	Close()
}

// Portal is a bound statement. The first Next executes it.
type Portal interface {
	// Columns describes the rows as Statement.Columns does. They differ only if the columns of the
	// statement are unknown before execution (EXECUTE).
	Columns() []Column
	// Next returns the next batch, with one vector for each column. It is valid until the
	// following call. The error is io.EOF after the last batch. A statement without rows is
	// executed by the first Next, which returns io.EOF.
	Next(ctx context.Context) (*column.Batch, error)
	// Tag returns the command tag without a row count ("SELECT", "BEGIN"), and whether wire must
	// append the number of rows sent. It is valid after io.EOF. An empty tag means
	// EmptyQueryResponse.
	Tag() (tag string, countRows bool)
	Close()
}

// Binary is a Statement that may request the binary format for its rows in the simple protocol, in
// which the client cannot choose a format: FETCH from a binary cursor.
type Binary interface{ Binary() bool }

// Gathered is a Statement that is executed to its end before the client gets the description of
// its rows, in the simple protocol, so that an error is the only answer. In PostgreSQL these
// are all statements except SELECT.
type Gathered interface{ Gathered() bool }

// Movable is a Portal that FETCH and MOVE position without Names.Take. wire requests no more rows than
// it sends, so that the position of the portal is exact.
type Movable interface {
	Portal
	// NextRows is Next for at most limit rows.
	NextRows(ctx context.Context, limit int64) (*column.Batch, error)
}

// Describer is a Statement or Portal whose description may change until the client gets it.
type Describer interface {
	// Describe is called before the client gets the description. Afterwards Params and Columns
	// do not change.
	Describe(ctx context.Context) error
}

// CopyOut is a Portal of COPY TO STDOUT. Its batches are sent as COPY data, and Columns is nil.
type CopyOut interface {
	Portal
	// Copy returns the columns of the batches and the options of COPY. It is valid after the first
	// successful Next.
	Copy() Copy
	// Copied is called after each batch with the number of rows that were sent, and the bytes of
	// their data.
	Copied(rows uint64, bytes int64)
}

// Accountant is a Portal that records the rows and bytes that were sent.
type Accountant interface {
	// Sent is called once for each Execute, after its last Next, with the number of rows and the
	// bytes of their messages, and the error that ended the Execute, nil for none.
	Sent(rows uint64, bytes int64, err error)
}
