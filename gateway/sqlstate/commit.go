package sqlstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

const retryTransaction = "Retry the transaction."

// ofCommit is the client's error for the outcome of a commit, nil if err is about
// something else.
func ofCommit(err error) *pgerr.Error {
	var unknown *writepath.UnknownOutcomeError
	var conflict *writepath.ConflictError
	var read *writepath.ReadConflictError
	var head *writepath.HeadConflictError
	var schema *writepath.SchemaChangedError
	var tag *writepath.TagConflictError
	var held *writepath.LeaseHeldError
	var e *pgerr.Error
	switch {
	// First, because the cause of an unknown outcome may be any of the others.
	case errors.As(err, &unknown):
		e = pgerr.New(pgerr.TransactionResolutionUnknown, "%v", ontosql.ErrOutcomeUnknown).
			WithDetail("Attempt %s may be committed, wholly, or become so: %s.", unknown.Text(), ClientText(unknown.Err)).
			WithHint("SELECT ontosql.commit_outcome('%s') tells what became of it.", unknown.Text())
	case errors.Is(err, ontosql.ErrOutcomeUnknown):
		e = pgerr.New(pgerr.TransactionResolutionUnknown, "%s", ClientText(err)).
			WithHint("Look for the commit before retrying.")
	case errors.As(err, &conflict):
		e = serializationFailure("due to concurrent update").WithDetail("%s", conflictDetail(conflict))
	case errors.As(err, &read) && read.Altered:
		e = SchemaChanged().WithDetail("Commit %d changed the schema of type %q, which was read at commit %d.", read.Actual, read.Type.Name, read.Pin)
	case errors.As(err, &read):
		e = serializationFailure("due to read/write dependencies among transactions").WithDetail("%s", readDetail(read))
	case errors.As(err, &head):
		e = serializationFailure("because the head is not the expected one").
			WithDetail("Expected commit %d, the head is commit %d.", head.Expected, head.Actual).
			WithHint("Read again, and set %s to the head that was read.", settings.ExpectHead)
	case errors.As(err, &schema):
		e = SchemaChanged().WithDetail("%s.", Sentence(schema))
	case errors.As(err, &tag):
		e = serializationFailure("due to concurrent change of tags").WithDetail("%s.", Sentence(tag))
	case errors.As(err, &held):
		e = pgerr.New(pgerr.LockNotAvailable, "could not obtain the write lock").
			WithDetail("held by %s until %s", held.Owner, Timestamp(held.Until)).
			WithHint("Try again, or let it wait longer with lock_timeout.")
	case errors.Is(err, writepath.ErrLeaseLost):
		e = serializationFailure("due to loss of the write lock")
	case errors.Is(err, ontosql.ErrHeadMoved):
		e = serializationFailure("due to concurrent commits")
	case errors.Is(err, writepath.ErrClosed):
		e = pgerr.New(pgerr.AdminShutdown, "the gateway is shutting down, nothing was committed")
	case errors.Is(err, writepath.ErrNoRoom):
		e = pgerr.New(pgerr.DiskFull, "%v", writepath.ErrNoRoom).
			WithHint("Free space below the cache directory, or move it with --cache-dir. Nothing of the transaction is visible.")
	case errors.Is(err, writepath.ErrIgnoresConditions):
		e = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "%v, nothing can be committed to it", writepath.ErrIgnoresConditions).
			WithHint("Writing needs a store that obeys If-Match and If-None-Match; \"ontosql preflight\" tries it. Reading is not affected.")
	default:
		return OfDefinition(err)
	}
	return e.Because(err)
}

// serializationFailure is the error of a transaction that may succeed when it is run again.
func serializationFailure(why string) *pgerr.Error {
	return pgerr.New(pgerr.SerializationFailure, "could not serialize access %s", why).WithHint(retryTransaction)
}

// SchemaChanged is the serialization failure of a transaction that began at another schema
// version.
func SchemaChanged() *pgerr.Error { return serializationFailure("due to concurrent schema change") }

// conflictDetail names the identity and both commits in a form that programs can
// read (PRODUCT "Writing").
func conflictDetail(c *writepath.ConflictError) string {
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	_ = out.Encode(struct {
		TableKey string           `json:"table_key"`
		Key      string           `json:"key"`
		Expected ontosql.CommitID `json:"expected"`
		Actual   ontosql.CommitID `json:"actual"`
	}{c.Type.String(), c.Key, c.Expected, c.Actual}) // a Builder takes everything
	return strings.TrimSuffix(b.String(), "\n")
}

// Sentence is the text of an error for clients (ClientText), with a capital letter.
func Sentence(err error) string {
	text := ClientText(err)
	return strings.ToUpper(text[:1]) + text[1:]
}

// readDetail names the type that was read and the commit that wrote to it.
func readDetail(e *writepath.ReadConflictError) string {
	if e.Type == (ontosql.TypeRef{}) {
		return fmt.Sprintf("Commit %d came after commit %d, at which the ontology's own records were read.", e.Actual, e.Pin)
	}
	return fmt.Sprintf("Commit %d wrote rows of type %q, which was read at commit %d.", e.Actual, e.Type.Name, e.Pin)
}

// ofStore is the client's error for a write that the object store rejected, nil for every
// other error of the store.
func ofStore(e *objstore.Error) *pgerr.Error {
	switch e.Op {
	case objstore.OpPut, objstore.OpUpload, objstore.OpSwap, objstore.OpDelete, objstore.OpDeleteIf:
	default:
		return nil
	}
	switch {
	case errors.Is(e, objstore.ErrClockSkew):
		return nil
	case errors.Is(e, objstore.ErrDenied):
		return pgerr.New(pgerr.ReadOnlySQLTransaction, "the object store is read-only for this gateway").
			WithDetail("%s.", Sentence(e)).
			WithHint("Run \"ontosql preflight\" to see which permission is missing.")
	case errors.Is(e, objstore.ErrTooLarge):
		return pgerr.New(pgerr.ProgramLimitExceeded, "the transaction is too large for one commit in this store").
			WithDetail("%s.", Sentence(e)).
			WithHint("Write the rows in several transactions.")
	case errors.Is(e, objstore.ErrFull):
		return pgerr.New(pgerr.DiskFull, "the object store is full").
			WithDetail("%s.", Sentence(e)).
			WithHint("Free space where the ontology is kept. Nothing of the transaction is visible.")
	}
	return nil
}

// Timestamp is a time in the text form of timestamptz.
func Timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02 15:04:05.999999+00")
}
