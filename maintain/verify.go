package maintain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// parallel is the number of objects read at a time.
const parallel = 16

// Options configures Check.
type Options struct {
	// Data also checks the contents of data files (checksums, row counts, schemas and keys),
	// and not only that they exist.
	Data bool
	// Progress, if not nil, is called with the number of files read, from one goroutine at a
	// time.
	Progress func(done, total int)
	// Log, if not nil, is the log of the bucket that gets the chain. One without a directory
	// has the chain as the store has it.
	Log *chain.Log
}

// Verify is Check with Data, for a store at rest.
func Verify(ctx context.Context, b objstore.Bucket) (Report, error) {
	return Check(ctx, b, Options{Data: true})
}

// Check reads every object reachable from the head, the chain, the schema objects and the
// indexes of a store, and checks it against the rules. If the store is written to during the
// check, false problems may be reported; the Report says whether the head changed. Unreachable
// objects, such as those of failed attempts, are not checked.
//
// Problems of the store are in the Report. The error is ontosql.ErrNotInitialised if there is
// no ontology, otherwise the bucket's: the store could not be read.
func Check(ctx context.Context, b objstore.Bucket, o Options) (Report, error) {
	v := &verifier{
		bucket:  b,
		options: o,
		engine:  format.EngineV1,
		types:   map[ontosql.TypeRef]*knownType{},
		seed:    maphash.MakeSeed(),
		digests: map[string]digest{},

		contradicting: map[format.DistrustedColumn]bool{},
	}
	if err := v.run(ctx); err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	moved, err := v.moved(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	return Report{
		Head: v.headID(), Engine: v.engine, Moved: moved,
		Files: v.found.files, Rows: v.found.rows,
		Problems: v.found.sorted(), Contradicting: slices.SortedFunc(maps.Keys(v.contradicting), format.CompareDistrusted),
	}, nil
}

// verifier is one run of Check.
type verifier struct {
	bucket  objstore.Bucket
	options Options
	found   findings

	began  []byte                  // the head object at the start
	meta   map[string]format.Value // well-formed JSON objects under meta/
	bodies map[string][]byte       // of meta
	engine string
	head   *format.Head
	view   *chain.View // nil if the head has no complete chain

	types     map[ontosql.TypeRef]*knownType
	halfBlind bool // a schema object cannot be decoded, so types may be unknown although they exist
	change    *format.SchemaChange
	changedBy ontosql.CommitID

	seed maphash.Seed
	mu   sync.Mutex
	// distrusted are the columns that readers do not use, contradicting those that they should
	// not use.
	distrusted, contradicting map[format.DistrustedColumn]bool

	digests map[string]digest // rows of each commit file that could be read

	there map[string]bool // without Options.Data: existing objects below commits/ and snapshots/
	done  int             // number of files read
}

func (v *verifier) run(ctx context.Context) error {
	if err := v.readMeta(ctx); err != nil {
		return err
	}
	if len(v.bodies) == 0 && len(v.found.problems) == 0 {
		return ontosql.ErrNotInitialised
	}
	v.checkEngine()
	v.checkLock()
	v.readDistrusted()
	if err := v.checkRecoveries(ctx); err != nil {
		return err
	}
	if err := v.checkChain(ctx); err != nil {
		return err
	}
	if err := v.checkManifests(ctx); err != nil {
		return err
	}
	v.checkSchemas()
	v.checkLayouts()
	if !v.options.Data {
		if err := v.listFiles(ctx); err != nil {
			return err
		}
	}
	if err := v.checkFiles(ctx); err != nil {
		return err
	}
	return v.checkIndexes(ctx)
}

// moved reports whether the head differs from that at the start.
func (v *verifier) moved(ctx context.Context) (bool, error) {
	body, _, err := v.bucket.Get(ctx, format.HeadKey)
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return false, fmt.Errorf("read head: %w", err)
	}
	return !bytes.Equal(body, v.began), nil
}

func (v *verifier) headID() ontosql.CommitID {
	if v.head == nil {
		return 0
	}
	return v.head.CommitID
}

// checkEngine checks the marker against rule 1. A store without one is v1.
func (v *verifier) checkEngine() {
	body, there := v.bodies[format.EngineKey]
	if !there {
		return
	}
	e, err := format.DecodeEngine(format.EngineKey, body)
	if err != nil {
		v.found.corrupt(RuleEngine, format.EngineKey, err)
		return
	}
	v.engine = e.EngineVersion
	if e.Backend != "s3" {
		v.found.add(RuleEngine, Error, format.EngineKey, "backend is %q, want \"s3\"", e.Backend)
	}
}

// checkLock checks the lock object against what waiting writers expect.
func (v *verifier) checkLock() {
	body, there := v.bodies[format.LockKey]
	if !there {
		return
	}
	lock, err := format.DecodeLock(format.LockKey, body)
	switch {
	case err != nil:
		v.found.corrupt(LockForm, format.LockKey, err)
	case lock.OwnerID == "":
		v.found.add(LockForm, Error, format.LockKey, "nobody owns it")
	case lock.LeaseTTLms <= 0:
		v.found.add(LockForm, Error, format.LockKey, "lease_ttl_ms is %d", lock.LeaseTTLms)
	case lock.ExpiresAt.Before(lock.AcquiredAt.Time):
		v.found.add(LockForm, Error, format.LockKey, "it expires before it was acquired")
	}
}

// missing is the message for an object that another one names.
const missing = "does not exist, and %s names it"

// get reads an object that by names; a missing one violates I4 and is not an error of Verify.
func (v *verifier) get(ctx context.Context, key, by string) (body []byte, there bool, err error) {
	body, _, err = v.bucket.Get(ctx, key)
	switch {
	case errors.Is(err, objstore.ErrNotFound), errors.Is(err, objstore.ErrInvalidKey):
		v.found.add(I4, Error, key, missing, by)
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return body, true, nil
}
