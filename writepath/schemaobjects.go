package writepath

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// schemaObjects caches the objects to which the schema is projected. Other writers change
// them, so an object cached while the lock was held earlier is confirmed before it is used.
type schemaObjects struct {
	bucket objstore.Bucket

	mu       sync.Mutex
	known    map[string]*schemaObject
	listed   bool // schemaPrefix was listed at least once
	complete bool // objects below schemaPrefix that are not cached do not exist, since the lock was taken
	edition  int  // number of cached objects found to be outdated
}

// schemaObject is one content of one key.
type schemaObject struct {
	version objstore.Version // Absent if there is no object
	value   any              // decoded; an absent object is decoded as empty; not modified
	damaged error            // the decoding error, instead of value
	fresh   bool             // read or written since the lock was taken
}

func newSchemaObjects(b objstore.Bucket) *schemaObjects {
	return &schemaObjects{bucket: b, known: map[string]*schemaObject{}}
}

// schemaPrefix is the prefix of the objects that other writers share.
const schemaPrefix = "meta/schema/"

const versionsPrefix = schemaPrefix + "versions/"

// schemaDecoder returns the decoder for a key; nil if it is not one of these objects.
func schemaDecoder(key string) func(key string, body []byte) (any, error) {
	switch key {
	case format.RegistryKey:
		return decoder(format.DecodeRegistry)
	case format.TypesKey:
		return decoder(format.DecodeTypes)
	case format.DroppedKey:
		return decoder(format.DecodeDropped)
	case format.LayoutsKey:
		return decoder(format.DecodeLayouts)
	case format.ExtrasKey:
		return decoder(format.DecodeDeclaredTypes)
	}
	if !strings.HasPrefix(key, versionsPrefix) {
		return nil
	}
	return decoder(format.DecodeVersions)
}

func decoder[T any](decode func(string, []byte) (T, error)) func(string, []byte) (any, error) {
	return func(key string, body []byte) (any, error) { return decode(key, body) }
}

// begin marks all objects as unconfirmed, when the lock is taken.
func (o *schemaObjects) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.complete = false
	for _, known := range o.known {
		known.fresh = false
	}
}

// invalidate marks an object as unconfirmed.
func (o *schemaObjects) invalidate(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if known := o.known[key]; known != nil {
		known.fresh = false
	}
}

// get returns an object, which is read at most once while the lock is held: no other writer
// changes it then. Damage is returned as an error with the version.
func get[T any](ctx context.Context, o *schemaObjects, key string) (value T, version objstore.Version, err error) {
	known, err := o.confirmed(ctx, key)
	if err != nil {
		return value, objstore.Absent, err
	}
	if known.damaged != nil {
		return value, known.version, known.damaged
	}
	return known.value.(T), known.version, nil
}

func (o *schemaObjects) confirmed(ctx context.Context, key string) (*schemaObject, error) {
	o.mu.Lock()
	known := o.known[key]
	if known == nil && o.complete && strings.HasPrefix(key, schemaPrefix) {
		known = newSchemaObject(key, objstore.Absent, noObject)
		known.fresh = true
		o.known[key] = known
	}
	fresh := known != nil && known.fresh
	o.mu.Unlock()
	if fresh {
		return known, nil
	}
	return o.reread(ctx, key, known)
}

// cached returns an object without a request. An object that is not cached did not exist at
// the last refresh.
func cached[T any](o *schemaObjects, key string) (value T, err error) {
	o.mu.Lock()
	known := o.known[key]
	o.mu.Unlock()
	if known == nil {
		known = newSchemaObject(key, objstore.Absent, noObject)
	}
	if known.damaged != nil {
		return value, known.damaged
	}
	return known.value.(T), nil
}

// noObject is the content of a missing object.
var noObject = []byte("{}")

// reread reads an object; known is its cached state, or nil.
func (o *schemaObjects) reread(ctx context.Context, key string, known *schemaObject) (now *schemaObject, err error) {
	before := objstore.Absent
	if known != nil {
		before = known.version
	}
	body, version, changed, err := objstore.ReadIfChanged(ctx, o.bucket, key, before)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		body, version, changed = noObject, objstore.Absent, before != objstore.Absent
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", key, err)
	case !changed:
		now = &schemaObject{version: version, value: known.value, damaged: known.damaged}
	}
	if now == nil {
		now = newSchemaObject(key, version, body)
	}
	o.keep(key, now)
	if changed {
		o.mu.Lock()
		o.edition++
		o.mu.Unlock()
	}
	return now, nil
}

func newSchemaObject(key string, version objstore.Version, body []byte) *schemaObject {
	value, err := schemaDecoder(key)(key, body)
	return &schemaObject{version: version, value: value, damaged: err}
}

func (o *schemaObjects) keep(key string, now *schemaObject) {
	now.fresh = true
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known[key] = now
}

// swap replaces the version of an object that was read. After an error its state is unknown,
// and it is read again when needed.
func (o *schemaObjects) swap(ctx context.Context, key string, want objstore.Version, body []byte) error {
	version, err := o.bucket.Swap(ctx, key, want, body)
	if err != nil {
		o.mu.Lock()
		o.known[key] = newSchemaObject(key, objstore.Absent, noObject)
		o.mu.Unlock()
		return fmt.Errorf("write %s: %w", key, err)
	}
	o.keep(key, newSchemaObject(key, version, body))
	return nil
}

// currentEdition returns the edition of the cache.
func (o *schemaObjects) currentEdition() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.edition
}

// refresh confirms all objects below schemaPrefix by listing them, and reads the changed ones.
func (o *schemaObjects) refresh(ctx context.Context) error {
	listed := map[string]objstore.Version{}
	err := o.bucket.List(ctx, schemaPrefix, func(object objstore.Object) error {
		if schemaDecoder(object.Key) != nil {
			listed[object.Key] = object.Version
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list schema objects: %w", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for key, known := range o.outdated(listed) {
		g.Go(func() error {
			_, err := o.reread(ctx, key, known)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listed, o.complete = true, true
	return nil
}

// outdated returns the objects whose listed version differs from the cached one, with their
// cached state, and those without a listed version. All others are confirmed.
func (o *schemaObjects) outdated(listed map[string]objstore.Version) map[string]*schemaObject {
	o.mu.Lock()
	defer o.mu.Unlock()
	unlike := map[string]*schemaObject{}
	for key, version := range listed {
		known := o.known[key]
		if known == nil || version == objstore.Absent || version != known.version {
			unlike[key] = known
			continue
		}
		known.fresh = true
	}
	for key, known := range o.known {
		if _, there := listed[key]; there || !strings.HasPrefix(key, schemaPrefix) {
			continue
		}
		if known.version != objstore.Absent {
			unlike[key] = known
			continue
		}
		known.fresh = true
	}
	return unlike
}
