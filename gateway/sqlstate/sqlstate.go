package sqlstate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/wire"
)

// ErrStatementTimeout is the cause of a context that statement_timeout ended.
var ErrStatementTimeout = errors.New("canceling statement due to statement timeout")

// states maps sentinel errors of other packages to SQLSTATEs. The first match counts.
// Causes of a cancelled context come first, because a cancelled request looks like an
// unreachable store.
var states = []struct {
	err        error
	code, hint string
}{
	{wire.ErrCancelRequest, pgerr.QueryCanceled, ""},
	{ErrStatementTimeout, pgerr.QueryCanceled, ""},
	{wire.ErrShutdown, pgerr.AdminShutdown, ""},
	{wire.ErrClientGone, pgerr.ConnectionFailure, ""},
	{ontosql.ErrNotInitialised, pgerr.ObjectNotInPrerequisiteState, "Run \"ontosql init\" to create an ontology at this address."},
	{syscall.EMFILE, pgerr.InsufficientResources, "Raise the limit of open files of the gateway (ulimit -n)."}, // before ErrUnreachable, which it is too
	{syscall.ENFILE, pgerr.InsufficientResources, "Raise the limit of open files of the gateway's machine."},
	{diskcache.ErrCacheFull, pgerr.DiskFull, "Free space below the cache directory, or move it with --cache-dir. The store is not affected."},
	{diskcache.ErrChanged, pgerr.SerializationFailure, "A compaction replaced a snapshot while it was read. Retry the statement."},
	{objstore.ErrClockSkew, pgerr.IOError, "Set this machine's clock."}, // before ErrDenied, which it is too
	{objstore.ErrDenied, pgerr.IOError, "Run \"ontosql preflight\" to see which permission is missing."},
	{objstore.ErrNoBucket, pgerr.IOError, ""},
	{objstore.ErrUnreachable, pgerr.IOError, "Check the endpoint and the network."},
	{ontosql.ErrBusy, pgerr.LockNotAvailable, "Try again when the other process has let go of it."},
	{ontosql.ErrFull, pgerr.DiskFull, "Free space where the ontology is kept. Nothing of the transaction is visible."},
	{ontosql.ErrReadOnly, pgerr.ReadOnlySQLTransaction, "Make the file and its directory writable for the gateway."},
	{sqlite.ErrForeign, pgerr.ObjectNotInPrerequisiteState, "Look whether the address is that of an ontology."}, // before ErrStorage, which it may be too
	{sqlite.ErrEngine, pgerr.ObjectNotInPrerequisiteState, "A newer version of ontosql may know it."},
	{ontosql.ErrStorage, pgerr.IOError, "Look whether the file is there, and what the file system says of it."},
	{eventbus.ErrTooDeep, pgerr.StatementTooComplex, "Handlers that cause each other's events for ever are stopped by this limit."},
	{eventbus.ErrPayload, pgerr.InvalidParameterValue, "The payload of an event is a JSON object."},
	{eventbus.ErrNoEvent, pgerr.UndefinedObject, "Look for it in ontosql.events; it may be in another namespace."},
	{sqlite.ErrReplaced, pgerr.SerializationFailure, retryTransaction},
}

// Of turns any error into the one that the client gets. A *pgerr.Error in the chain is
// returned unchanged. An unknown error is XX000 and is logged with an id that the client
// gets too. ctx is the statement's; the cause of its end explains errors that follow from
// it.
func Of(ctx context.Context, log *slog.Logger, err error) *pgerr.Error {
	if err == nil {
		return nil
	}
	var said *pgerr.Error
	if errors.As(err, &said) {
		return withoutObject(said)
	}
	// The outcome of a commit counts even if its statement was cancelled meanwhile: an
	// unknown outcome must never be reported as a failure.
	if e := ofCommit(err); e != nil {
		return e
	}
	if limit, ok := errors.AsType[*LimitError](err); ok {
		return limit.said().Because(err)
	}
	if ctx.Err() != nil {
		if limit, ok := errors.AsType[*LimitError](context.Cause(ctx)); ok {
			return limit.said().Because(err)
		}
	}
	if event := OfEvent(err); errors.As(event, &said) {
		return said
	}
	if e := ofBranch(err); e != nil {
		return e
	}
	var store *objstore.Error
	if errors.As(err, &store) {
		if e := ofStore(store); e != nil {
			return e.Because(err)
		}
	}
	for _, s := range states {
		if errors.Is(err, s.err) || ctx.Err() != nil && errors.Is(context.Cause(ctx), s.err) {
			return &pgerr.Error{Code: s.code, Message: firstLine(s.err, err), Hint: s.hint, Err: err}
		}
	}
	var corrupt *ontosql.CorruptError
	var point *ontosql.BadPointError
	var engine *duckdb.Error
	var dropped *sqlite.DroppedError
	var name *eventbus.NameError
	switch {
	case errors.As(err, &dropped):
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "%v", dropped).
			WithHint("Its rows were removed after the transaction began. Begin another one.").Because(err)
	case errors.As(err, &name):
		return pgerr.New(pgerr.InvalidParameterValue, "invalid %s of the event bus: %q", name.What, name.Name).WithDetail("%s.", Sentence(name.Err)).Because(err)
	case errors.As(err, &corrupt):
		e := pgerr.New(pgerr.DataCorrupted, "stored object is damaged: %s", ClientText(corrupt)).Because(err)
		switch corrupt.Key {
		case format.RecoveriesKey:
			e = e.WithHint("Nobody writes it until it is whole or gone. Keep a copy of it and remove it; the next recovery begins it anew.")
		case sqlite.DatabaseFile:
			e = e.WithHint("\"ontosql fsck\" says what is damaged. If the file was written over while programs had it open, end them and put the copy in its place by mv.")
		}
		return e
	case errors.As(err, &point):
		return pgerr.New(pgerr.InvalidParameterValue, "%v", point).Because(err)
	case errors.As(err, &engine):
		return OfEngine(engine)
	case errors.As(err, &store):
		return pgerr.New(pgerr.IOError, "%s", ClientText(store)).Because(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return pgerr.New(pgerr.QueryCanceled, "canceling statement").Because(err)
	}
	id := errorID()
	log.ErrorContext(ctx, "statement failed for no known reason", "error_id", id, "error", err)
	return pgerr.New(pgerr.InternalError, "internal error %s", id).Because(err).
		WithHint("The log says more under this id.")
}

// withoutObject takes the names of a table and a column from an error of a value, class 22.
// PostgreSQL names them for a constraint only; the context of ours says where the value
// was to be stored.
func withoutObject(e *pgerr.Error) *pgerr.Error {
	if !strings.HasPrefix(e.Code, "22") || e.Schema == "" && e.Table == "" && e.Column == "" {
		return e
	}
	out := *e
	out.Schema, out.Table, out.Column = "", "", ""
	return &out
}

// firstLine is the message for a sentinel error: its own text if that is PostgreSQL's,
// else the text of the whole chain, which says which step failed.
func firstLine(condition, err error) string {
	text := condition.Error()
	if strings.HasPrefix(text, "canceling") || strings.HasPrefix(text, "terminating") {
		return text
	}
	return ClientText(err)
}

func errorID() string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// UndefinedTable is the error of a relation that does not exist, 42P01.
func UndefinedTable(name string, position int) *pgerr.Error {
	return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", name).At(position)
}

// NotSupportedYet is the error of a statement that ontosql does not have yet, 0A000.
func NotSupportedYet(what string) *pgerr.Error {
	return pgerr.Unsupported("%s is not supported yet", what)
}

// ReadOnly is PostgreSQL's error of a write in a read-only session or transaction, 25006.
func ReadOnly(tag string) *pgerr.Error {
	return pgerr.New(pgerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", tag)
}

// Notice is a message of severity NOTICE.
func Notice(format string, args ...any) *pgerr.Error {
	return &pgerr.Error{Severity: "NOTICE", Code: pgerr.SuccessfulCompletion, Message: fmt.Sprintf(format, args...)}
}

// Skipped is PostgreSQL's notice of an object that IF NOT EXISTS finds, with the SQLSTATE
// that the error would have.
func Skipped(code, format string, args ...any) *pgerr.Error {
	n := Notice(format, args...)
	n.Code = code
	return n
}

// NameTruncated is PostgreSQL's notice of an identifier that is too long.
func NameTruncated(c syntax.Cut) *pgerr.Error {
	n := Notice("identifier %q will be truncated to %q", c.Name, c.To)
	n.Code = pgerr.NameTooLong
	return n
}

// Warning is a message of severity WARNING.
func Warning(code, format string, args ...any) *pgerr.Error {
	return &pgerr.Error{Severity: "WARNING", Code: code, Message: fmt.Sprintf(format, args...)}
}

// TwoWorlds is the error of a transaction that writes both the ontology and the workspace.
func TwoWorlds() *pgerr.Error {
	return pgerr.Unsupported("a transaction that writes both the ontology and the workspace is not supported").
		WithDetail("They are kept in different places, which cannot commit together.").WithHint("Use a transaction for each.")
}

// UndefinedSchema is the error of a schema that does not exist, 3F000.
func UndefinedSchema(name string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidSchemaName, "schema %q does not exist", name)
}

// IsUndefinedTable reports whether an error says that a relation does not exist.
func IsUndefinedTable(err error) bool {
	var e *pgerr.Error
	return errors.As(err, &e) && e.Code == pgerr.UndefinedTable
}

// RelationName is the name of a relation as errors show it: catalog.schema.name.
func RelationName(ref syntax.Ref) string {
	var parts []string
	for _, p := range []string{ref.Catalog, ref.Schema, ref.Name} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ".")
}
