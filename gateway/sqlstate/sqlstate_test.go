package sqlstate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// told are the fields of an error that a client branches on or shows.
type told struct{ Code, Message, Detail, Hint string }

func tell(ctx context.Context, err error) told {
	e := Of(ctx, slog.New(slog.DiscardHandler), err)
	return told{e.Code, e.Message, e.Detail, e.Hint}
}

var (
	customer = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	owns     = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Owns"}
)

func unknownOutcome(reason error) error {
	return fmt.Errorf("commit: %w", &writepath.UnknownOutcomeError{Commit: 42, Attempt: "9f3c1d2e", Err: reason})
}

// TestErrorsOfCommits tells what became of a commit in every way that it can
// fail.
func TestErrorsOfCommits(t *testing.T) {
	refused := func(op string, cause error) error {
		return fmt.Errorf("upload: %w", &objstore.Error{Op: op, Bucket: "file:///srv/onto", Key: "commits/1-a/manifest.json", Err: cause})
	}
	for name, c := range map[string]struct {
		err  error
		want told
	}{
		"conflict": {
			fmt.Errorf("commit: %w", &writepath.ConflictError{Type: customer, Key: "c1", Expected: 41, Actual: 42}),
			told{
				pgerr.SerializationFailure, "could not serialize access due to concurrent update",
				`{"table_key":"entity:Customer","key":"c1","expected":41,"actual":42}`, "Retry the transaction.",
			},
		},
		"conflict over a new relation": {
			&writepath.ConflictError{Type: owns, Key: `["c1","<p>&\u00fc"]`, Actual: 7},
			told{
				pgerr.SerializationFailure, "could not serialize access due to concurrent update",
				`{"table_key":"relation:Owns","key":"[\"c1\",\"<p>&\\u00fc\"]","expected":0,"actual":7}`, "Retry the transaction.",
			},
		},
		"another head": {
			&writepath.HeadConflictError{Expected: 41, Actual: 42},
			told{
				pgerr.SerializationFailure, "could not serialize access because the head is not the expected one",
				"Expected commit 41, the head is commit 42.", "Read again, and set ontosql.expect_head to the head that was read.",
			},
		},
		"another schema": {
			&writepath.SchemaChangedError{Type: customer, Expected: 1, Actual: 2},
			told{
				pgerr.SerializationFailure, "could not serialize access due to concurrent schema change",
				"Schema of entity:Customer is version 2, expected 1.", "Retry the transaction.",
			},
		},
		"lease lost": {
			fmt.Errorf("swap head: %w", writepath.ErrLeaseLost),
			told{pgerr.SerializationFailure, "could not serialize access due to loss of the write lock", "", "Retry the transaction."},
		},
		"head moved": {
			fmt.Errorf("swap head: %w", ontosql.ErrHeadMoved),
			told{pgerr.SerializationFailure, "could not serialize access due to concurrent commits", "", "Retry the transaction."},
		},
		"lock held": {
			&writepath.LeaseHeldError{Owner: "writer-a-00000001", Until: time.Date(2026, 11, 21, 7, 25, 0, 5e8, time.FixedZone("", 3600))},
			told{
				pgerr.LockNotAvailable, "could not obtain the write lock",
				"held by writer-a-00000001 until 2026-11-21 06:25:00.5+00", "Try again, or let it wait longer with lock_timeout.",
			},
		},
		"outcome unknown": {
			unknownOutcome(errors.New("the network is gone")),
			told{
				pgerr.TransactionResolutionUnknown, "outcome of the commit is unknown",
				"Attempt 42-9f3c1d2e may be committed, wholly, or become so: the network is gone.",
				"SELECT ontosql.commit_outcome('42-9f3c1d2e') tells what became of it.",
			},
		},
		"outcome unknown because of a shutdown": {
			unknownOutcome(errors.Join(writepath.ErrClosed, writepath.ErrLeaseLost)),
			told{
				pgerr.TransactionResolutionUnknown, "outcome of the commit is unknown",
				"Attempt 42-9f3c1d2e may be committed, wholly, or become so: committer is closed\nwrite lease lost.",
				"SELECT ontosql.commit_outcome('42-9f3c1d2e') tells what became of it.",
			},
		},
		"shutdown": {
			writepath.ErrClosed,
			told{pgerr.AdminShutdown, "the gateway is shutting down, nothing was committed", "", ""},
		},
		"no room for a large transaction": {
			fmt.Errorf("write entity:Customer: %w: %w", writepath.ErrNoRoom, syscall.ENOSPC),
			told{
				pgerr.DiskFull, "no room for a large transaction in the temporary directory", "",
				"Free space below the cache directory, or move it with --cache-dir. Nothing of the transaction is visible.",
			},
		},
		"larger than an object can be": {
			refused(objstore.OpUpload, objstore.ErrTooLarge),
			told{
				pgerr.ProgramLimitExceeded, "the transaction is too large for one commit in this store",
				"Upload commits/1-a/manifest.json: object too large.", "Write the rows in several transactions.",
			},
		},
		"conditions ignored": {
			fmt.Errorf("try conditional writes: %w", writepath.ErrIgnoresConditions),
			told{
				pgerr.ObjectNotInPrerequisiteState, "the object store ignores conditional writes, nothing can be committed to it", "",
				`Writing needs a store that obeys If-Match and If-None-Match; "ontosql preflight" tries it. Reading is not affected.`,
			},
		},
		"read-only store": {
			refused(objstore.OpPut, fmt.Errorf("%w: %w", objstore.ErrDenied, syscall.EROFS)),
			told{
				pgerr.ReadOnlySQLTransaction, "the object store is read-only for this gateway",
				"Put commits/1-a/manifest.json: permission denied: read-only file system.", `Run "ontosql preflight" to see which permission is missing.`,
			},
		},
		"full store": {
			refused(objstore.OpSwap, fmt.Errorf("%w: %w", objstore.ErrFull, syscall.ENOSPC)),
			told{
				pgerr.DiskFull, "the object store is full",
				"Swap commits/1-a/manifest.json: no room in the object store: no space left on device.",
				"Free space where the ontology is kept. Nothing of the transaction is visible.",
			},
		},
		"read denied": {
			refused(objstore.OpGet, objstore.ErrDenied),
			told{pgerr.IOError, "upload: get commits/1-a/manifest.json: permission denied", "", `Run "ontosql preflight" to see which permission is missing.`},
		},
		"clocks apart": {
			refused(objstore.OpPut, objstore.ErrClockSkew),
			told{
				pgerr.IOError, "upload: put commits/1-a/manifest.json: clock differs too much from the store's: permission denied", "",
				"Set this machine's clock.",
			},
		},
		"unreachable": {
			refused(objstore.OpPut, objstore.ErrUnreachable),
			told{pgerr.IOError, "upload: put commits/1-a/manifest.json: object store unreachable", "", "Check the endpoint and the network."},
		},
	} {
		if diff := cmp.Diff(c.want, tell(t.Context(), c.err)); diff != "" {
			t.Errorf("%s: %v is told as (-want +got):\n%s", name, c.err, diff)
		}
	}
}

// TestErrorsOfThisMachine tells what the machine lacks, wherever a statement found
// it out.
func TestErrorsOfThisMachine(t *testing.T) {
	noMore := func(what syscall.Errno) error {
		return &os.PathError{Op: "open", Path: "/srv/cache/files/1.part", Err: what}
	}
	const hint = "Raise the limit of open files of the gateway (ulimit -n)."
	for name, c := range map[string]struct {
		err  error
		want told
	}{
		"files of the process": {
			fmt.Errorf("cache commits/1-a/x: %w", noMore(syscall.EMFILE)),
			told{pgerr.InsufficientResources, "cache commits/1-a/x: open 1.part: too many open files", "", hint},
		},
		"files of the system": {
			fmt.Errorf("cache commits/1-a/x: damaged file: %w", noMore(syscall.ENFILE)),
			told{pgerr.InsufficientResources, "cache commits/1-a/x: damaged file: open 1.part: too many open files in system", "", "Raise the limit of open files of the gateway's machine."},
		},
		"connections to the store": {
			&objstore.Error{Op: objstore.OpGet, Key: "meta/head.json", Bucket: "s3://onto", Err: fmt.Errorf("%w: %w", objstore.ErrUnreachable, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)})},
			told{pgerr.InsufficientResources, "get s3://onto/meta/head.json: object store unreachable: dial tcp: socket: too many open files", "", hint},
		},
		"room for the cache": {
			fmt.Errorf("%w: commits/1-a/x: %w", diskcache.ErrCacheFull, noMore(syscall.ENOSPC)),
			told{
				pgerr.DiskFull, "no space left for cached objects: commits/1-a/x: open 1.part: no space left on device", "",
				"Free space below the cache directory, or move it with --cache-dir. The store is not affected.",
			},
		},
	} {
		if diff := cmp.Diff(c.want, tell(t.Context(), c.err)); diff != "" {
			t.Errorf("%s: %v is told as (-want +got):\n%s", name, c.err, diff)
		}
	}
}

// TestErrorsOfFiles tells what befell an ontology in a SQLite file.
func TestErrorsOfFiles(t *testing.T) {
	gone := &os.PathError{Op: "stat", Path: "/srv/onto.db", Err: syscall.ENOENT}
	for name, c := range map[string]struct {
		err  error
		want told
	}{
		"locked": {
			fmt.Errorf("commit: %w: database is locked", ontosql.ErrBusy),
			told{pgerr.LockNotAvailable, "commit: another process holds the database file: database is locked", "", "Try again when the other process has let go of it."},
		},
		"full": {
			fmt.Errorf("commit: %w: disk is full", ontosql.ErrFull),
			told{pgerr.DiskFull, "commit: no room where the ontology is kept: disk is full", "", "Free space where the ontology is kept. Nothing of the transaction is visible."},
		},
		"gone": {
			fmt.Errorf("look: %w: %w", ontosql.ErrStorage, gone),
			told{pgerr.IOError, "look: storage failed: stat onto.db: no such file or directory", "", "Look whether the file is there, and what the file system says of it."},
		},
		"not writable": {
			fmt.Errorf("commit: %w", ontosql.ErrReadOnly),
			told{pgerr.ReadOnlySQLTransaction, "commit: storage is read-only", "", "Make the file and its directory writable for the gateway."},
		},
		"another history": {
			fmt.Errorf("read: %w", sqlite.ErrReplaced),
			told{pgerr.SerializationFailure, "read: " + sqlite.ErrReplaced.Error(), "", retryTransaction},
		},
		"another application's": {
			fmt.Errorf("look: %w", sqlite.ErrForeign),
			told{pgerr.ObjectNotInPrerequisiteState, "look: not an ontology", "", "Look whether the address is that of an ontology."},
		},
		"dropped by another": {
			fmt.Errorf("read: %w", &sqlite.DroppedError{Type: customer, Commit: 8}),
			told{pgerr.ObjectNotInPrerequisiteState, "the rows of entity:Customer are gone: commit 8 dropped the type", "", "Its rows were removed after the transaction began. Begin another one."},
		},
		"damaged": {
			fmt.Errorf("look: %w", ontosql.Corrupt("storage_meta", "engine_version", "v9 is unknown")),
			told{pgerr.DataCorrupted, "stored object is damaged: storage_meta: engine_version: v9 is unknown", "", ""},
		},
	} {
		if diff := cmp.Diff(c.want, tell(t.Context(), c.err)); diff != "" {
			t.Errorf("%s: %v is told as (-want +got):\n%s", name, c.err, diff)
		}
	}
}

// TestOutcomesStandAfterACancel cancels statements whose commit was decided, whose outcome is
// unknown, and whose commit had not started.
func TestOutcomesStandAfterACancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(wire.ErrCancelRequest)
	for want, err := range map[string]error{
		pgerr.TransactionResolutionUnknown: unknownOutcome(context.Cause(ctx)),
		pgerr.SerializationFailure:         &writepath.ConflictError{Type: customer, Key: "c1", Actual: 2},
		pgerr.QueryCanceled:                &objstore.Error{Op: objstore.OpGet, Key: "meta/head.json", Err: objstore.ContextError(ctx)},
	} {
		if got := tell(ctx, err); got.Code != want {
			t.Errorf("%v after a cancel request is SQLSTATE %s, want %s", err, got.Code, want)
		}
	}
}
