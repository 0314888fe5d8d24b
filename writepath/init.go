package writepath

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// ErrAlreadyInitialised is returned if there is an ontology already.
var ErrAlreadyInitialised = errors.New("storage is already initialised")

// ErrWrongToken is returned for a forced init without the token of its plan.
var ErrWrongToken = errors.New("wrong or missing force token")

// InitOptions configures Init.
type InitOptions struct {
	URI    string // as given by the user; the force token depends on it
	Prefix string // of the keys in the plan; "" for a directory
	Engine string // format.EngineV1 or format.EngineV2
	DryRun bool
	Force  bool   // reset an existing ontology
	Token  string // the plan's ForceToken, required with Force
	Now    func() time.Time
}

// InitPlan describes what Init did or would do; its JSON is the original's (COMPAT 3.2).
type InitPlan struct {
	StorageURI         string   `json:"storage_uri"`
	AlreadyInitialized bool     `json:"already_initialized"`
	PlannedObjects     []string `json:"planned_objects"`
	ForceToken         string   `json:"force_token"`
	EngineVersion      string   `json:"engine_version"`
}

// ForceToken is the token that confirms a forced init of the store at uri
// (COMPAT 3.2).
func ForceToken(uri string) string {
	sum := sha256.Sum256([]byte(uri + ":force-init"))
	return hex.EncodeToString(sum[:])[:16]
}

// Init creates an empty ontology: the engine marker, empty schema objects and finally the
// head, which makes it one. With Force it resets an existing ontology: the head is set to
// commit 0 first, then the objects under meta/ about the old types are removed. Old commits
// remain but are unreachable. Errors: ErrAlreadyInitialised, ErrWrongToken, *LeaseHeldError,
// and those of the bucket. The plan is also returned with ErrAlreadyInitialised and
// ErrWrongToken.
func Init(ctx context.Context, b objstore.Bucket, o InitOptions) (*InitPlan, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	_, version, err := b.Get(ctx, format.HeadKey)
	exists := err == nil
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return nil, fmt.Errorf("read head: %w", err)
	}
	plan := &InitPlan{
		StorageURI:         o.URI,
		AlreadyInitialized: exists,
		ForceToken:         ForceToken(o.URI),
		EngineVersion:      o.Engine,
	}
	for _, key := range []string{format.HeadKey, format.RegistryKey, format.TypesKey, format.EngineKey} {
		plan.PlannedObjects = append(plan.PlannedObjects, strings.TrimPrefix(o.Prefix+"/"+key, "/"))
	}
	switch {
	case o.DryRun:
		return plan, nil
	case exists && !o.Force:
		return plan, ErrAlreadyInitialised
	case exists && o.Token != plan.ForceToken:
		return plan, ErrWrongToken
	}
	if err := refuseUnderLease(ctx, b, o.Now()); err != nil {
		return plan, err
	}
	if err := ProbeConditionalWrites(ctx, b); err != nil {
		return plan, err
	}
	if exists {
		return plan, reset(ctx, b, version, o)
	}
	return plan, create(ctx, b, o)
}

// refuseUnderLease returns an error if another writer may be active.
func refuseUnderLease(ctx context.Context, b objstore.Bucket, now time.Time) error {
	body, _, err := b.Get(ctx, format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read lock: %w", err)
	}
	lock, err := format.DecodeLock(format.LockKey, body)
	if err != nil {
		return err
	}
	if lock.Expired(now) || lock.Released() {
		return nil
	}
	return heldBy(lock)
}

// create writes the objects of a new ontology, the head last: until then there is no ontology,
// and of two concurrent writers one wins.
func create(ctx context.Context, b objstore.Bucket, o InitOptions) error {
	if err := putEmptySchema(ctx, b, o); err != nil {
		return err
	}
	_, err := b.Swap(ctx, format.HeadKey, objstore.Absent, emptyHead(o.Now()))
	if errors.Is(err, objstore.ErrPreconditionFailed) {
		return ErrAlreadyInitialised
	}
	if err != nil {
		return fmt.Errorf("write head: %w", err)
	}
	return nil
}

// reset resets an ontology. The head is written first: if the reset is interrupted after it,
// there is an empty ontology with stale schema objects, and running the command again
// completes it.
func reset(ctx context.Context, b objstore.Bucket, head objstore.Version, o InitOptions) error {
	_, err := b.Swap(ctx, format.HeadKey, head, emptyHead(o.Now()))
	if errors.Is(err, objstore.ErrPreconditionFailed) {
		return fmt.Errorf("write head: another writer committed meanwhile: %w", err)
	}
	if err != nil {
		return fmt.Errorf("write head: %w", err)
	}
	if err := putEmptySchema(ctx, b, o); err != nil {
		return err
	}
	// The compaction lock stays: it is of a gateway, not of a history.
	stale := []string{format.DroppedKey, format.LayoutsKey, format.ExtrasKey, format.RecoveriesKey, format.CheckpointKey, format.CopyMarkKey}
	for _, prefix := range []string{format.VersionsPrefix, format.IndicesPrefix} {
		err := b.List(ctx, prefix, func(obj objstore.Object) error {
			stale = append(stale, obj.Key)
			return nil
		})
		if err != nil {
			return fmt.Errorf("list old schema objects: %w", err)
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for _, key := range stale {
		g.Go(func() error {
			if err := b.Delete(ctx, key); err != nil {
				return fmt.Errorf("remove old schema object: %w", err)
			}
			return nil
		})
	}
	return g.Wait()
}

func putEmptySchema(ctx context.Context, b objstore.Bucket, o InitOptions) error {
	now := format.TimeOf(o.Now())
	registry, err := format.EncodeRegistry(&format.Registry{UpdatedAt: now})
	if err != nil {
		return fmt.Errorf("encode registry: %w", err)
	}
	for _, object := range []struct {
		key  string
		body []byte
	}{
		{format.EngineKey, format.EncodeEngine(&format.Engine{Backend: "s3", CreatedAt: now, EngineVersion: o.Engine})},
		{format.RegistryKey, registry},
		{format.TypesKey, format.EncodeTypes(&format.Types{UpdatedAt: now})},
	} {
		if _, err := b.Put(ctx, object.key, object.body); err != nil {
			return fmt.Errorf("write schema objects: %w", err)
		}
	}
	return nil
}

// initRuntime is the runtime id of the head that Init writes (COMPAT 3.1).
const initRuntime = "onto-init"

func emptyHead(now time.Time) []byte {
	return format.EncodeHead(&format.Head{RuntimeID: initRuntime, UpdatedAt: format.TimeOf(now)})
}
