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

// Causes with which the context of a running statement ends. A Session turns
// them into the error it returns; wire adds none of its own.
var (
	// ErrCancelRequest: a CancelRequest named this session's key (57014).
	ErrCancelRequest = errors.New("canceling statement due to user request")
	// ErrClientGone: the socket closed or broke while the statement ran.
	ErrClientGone = errors.New("client closed the connection")
	// ErrShutdown: the server is stopping (57P01).
	ErrShutdown = errors.New("terminating connection due to administrator command")
)

// Startup is the startup data of a client. A Handler gets it after authentication.
type Startup struct {
	User     string
	Database string            // the user's name when the client gave none
	Params   map[string]string // every other startup parameter, such as application_name
	Options  []Option          // settings from the "options" parameter, in order
	Remote   net.Addr
	Local    net.Addr             // the address of the server that the client connected to
	TLS      *tls.ConnectionState // nil on a plain connection
	PID      uint32               // of BackendKeyData; what pg_backend_pid() answers
	// Notice queues a NoticeResponse (Severity below ERROR) for the client. It
	// may be called from within the session's own calls only.
	Notice func(*pgerr.Error)
	// ParameterStatus reports the new value of a setting to the client before the next
	// ReadyForQuery. It may be called from within the session's own calls only.
	ParameterStatus func(name, value string)
	// Names are the connection's prepared statements and portals, which SQL reaches
	// too. They may be used from within the session's own calls only.
	Names *Names
	// Ending reports whether nothing but the end of its implicit transaction
	// follows the statement that runs: it is the last of its query string, or a
	// Sync has arrived behind it. Such a statement may commit before its
	// completion is sent. It may be called from within Portal.Next only.
	Ending func() bool
	// CopyIn asks the client for the data of COPY FROM STDIN and returns the
	// reader of its rows, which is the caller's to read to its end or an error
	// before Next returns. It may be called from within Portal.Next only.
	CopyIn func(Copy) *CopyReader
	// Terminate ends the session from any goroutine, for timeouts of idle
	// sessions and pg_terminate_backend: the client gets e as FATAL, the context
	// of a running statement ends with e as its cause.
	Terminate func(e *pgerr.Error)
	// Cancel ends the statement that runs, if one does, as a CancelRequest would.
	// It may be called from any goroutine.
	Cancel func()
	// Notify sends a NotificationResponse as soon as the session is idle outside of a
	// transaction. It may be called from any goroutine.
	Notify func(pid uint32, channel, payload string)
}

// Option is one "-c name=value" of the startup parameter "options".
type Option struct{ Name, Value string }

// Handler opens the sessions of a server.
type Handler interface {
	// Open starts a session. The error, best a *pgerr.Error such as 3D000, is
	// sent as FATAL and ends the connection. The returned settings are sent as
	// ParameterStatus before the first ReadyForQuery.
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

// Session is one client's session. Calls are made from one goroutine at a time.
// Every error is a *pgerr.Error; any other is sent as XX000 without its text.
// A context ends with one of the causes above (or the error of Terminate); the
// session must then return soon. It rules the call it was given to and no later
// one: a portal's rows may be asked for under another context than its first.
type Session interface {
	// Split parses a simple-query string into its statements, none for a blank
	// one. A syntax error anywhere in it is returned before any statement runs.
	Split(ctx context.Context, sql string) ([]Query, error)
	// Prepare analyses one statement and learns its columns without running it
	// and without reading data. paramOIDs are the client's types, 0 for unknown. One
	// that came by the simple protocol has no parameters.
	Prepare(ctx context.Context, q Query, paramOIDs []uint32) (Statement, error)
	// Sync ends an implicit transaction: it is called at each Sync message and
	// at the end of each simple query. failed says that a statement of it, or
	// wire itself, answered with an error.
	Sync(ctx context.Context, failed bool) error
	// Status is the transaction status to report.
	Status() TxStatus
	// Style is how values are printed as text.
	Style() textout.Style
	// Encoding is the encoding of the client's texts from now on, nil for UTF8.
	Encoding() *charset.Encoding
	// Close frees everything. No call follows.
	Close()
}

// Query is one statement with its place in the string it came in, so that
// error positions can be counted from the beginning of that string.
type Query struct {
	SQL     string // the statement alone
	Offset  int    // characters before it in Whole
	Simple  bool   // it came by the simple protocol,
	Several bool   // and not alone: PostgreSQL's implicit transaction block
}

// Column describes one result column (RowDescription).
type Column struct {
	Name     string
	OID      uint32 // PostgreSQL type
	Size     int16  // pg_type.typlen
	Typmod   int32  // -1 for none
	Scale    int    // digits behind the point that every numeric of the column is shown with, more where it has them
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
	// Bind makes a portal with the given parameters, in PostgreSQL's text form,
	// nil for NULL; len(args) == len(Params()). It does not execute. A text that is no
	// value of its type is a *ParameterError.
	Bind(ctx context.Context, args [][]byte) (Portal, error)
	Close()
}

// Portal is a bound statement. The first Next executes it.
type Portal interface {
	// Columns describes the rows as Statement.Columns does; they may differ from
	// those only where the statement's do not exist before execution (EXECUTE).
	Columns() []Column
	// Next returns the next batch, with one vector for each column, valid until
	// the following call; io.EOF when there is none. Statements without rows
	// return io.EOF at once, after they took effect.
	Next(ctx context.Context) (*column.Batch, error)
	// Tag is the command tag without a row count ("SELECT", "BEGIN") and
	// whether wire must append the number of rows sent; valid after io.EOF. An
	// empty tag means EmptyQueryResponse.
	Tag() (tag string, countRows bool)
	Close()
}

// Binary is a Statement that may ask for its rows in binary where the client chose no
// format: FETCH from a binary cursor, in the simple protocol.
type Binary interface{ Binary() bool }

// Gathered is a Statement that is executed to its end before the client gets the description of
// its rows, in the simple protocol, so that an error is the only answer. In PostgreSQL these
// are all statements except SELECT.
type Gathered interface{ Gathered() bool }

// Movable is a Portal that FETCH and MOVE position without Names.Take. It knows which row comes
// next, so it is asked for no more rows than are sent.
type Movable interface {
	Portal
	// NextRows is Next for limit rows at most.
	NextRows(ctx context.Context, limit int64) (*column.Batch, error)
}

// Describer is a Statement or Portal whose description may change until the client gets it.
type Describer interface {
	// Describe is called before the client gets the description. Afterwards Params and Columns
	// do not change.
	Describe(ctx context.Context) error
}

// CopyOut is a Portal of COPY TO STDOUT: its batches go to the client as COPY
// data. Its own Columns are nil.
type CopyOut interface {
	Portal
	// Copy is what the batches consist of and the form in which they are sent;
	// valid after the first Next, unless that failed.
	Copy() Copy
}

// Accountant is a Portal that accounts for the rows and bytes that were sent of it.
type Accountant interface {
	// Sent is called once for each Execute, after its last Next: the rows that
	// were written for the client, the bytes of the messages that bore them, and
	// the error that ended it, nil for none.
	Sent(rows uint64, bytes int64, err error)
}
