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

// schemaObjects are the objects that the schema is projected to, as they were read
// or written last. What is known of them from earlier tenures is confirmed before
// anything rests on it: they have other writers.
type schemaObjects struct {
	bucket objstore.Bucket

	mu       sync.Mutex
	known    map[string]*schemaObject
	listed   bool // at all below schemaPrefix, once
	complete bool // what is not known below schemaPrefix was not there in this tenure
	edition  int  // counts the objects that turned out to be others than was known
}

// schemaObject is one content of one key.
type schemaObject struct {
	version objstore.Version // Absent where there is no object
	value   any              // decoded, an absent one like an empty one; nobody changes it
	damaged error            // instead of value
	fresh   bool             // read or written in this tenure
}

func newSchemaObjects(b objstore.Bucket) *schemaObjects {
	return &schemaObjects{bucket: b, known: map[string]*schemaObject{}}
}

// schemaPrefix is where the objects lie that other writers know, too.
const schemaPrefix = "meta/schema/"

const versionsPrefix = schemaPrefix + "versions/"

// schemaDecoder decodes the objects of a key, nil for a key that is none of them.
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

// begin is the begin of a tenure: nothing is sure any more.
func (o *schemaObjects) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.complete = false
	for _, known := range o.known {
		known.fresh = false
	}
}

// invalidate makes what is known of an object be confirmed before it is used.
func (o *schemaObjects) invalidate(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if known := o.known[key]; known != nil {
		known.fresh = false
	}
}

// get is an object as it stands, which is read once in a tenure: while we hold the
// lock nobody else changes it. Damage is an error beside its version.
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

// cached is an object as it is known, without a request: one that is not known is not
// there, as far as the last look says.
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

// noObject is what a missing object is read as.
var noObject = []byte("{}")

// reread reads an object of which something is known already, nil for nothing.
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

// swap writes an object in the place of the version that was read. What became of a
// write that failed is not known: the object is read again when it is asked for.
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

// currentEdition is the edition of what is known.
func (o *schemaObjects) currentEdition() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.edition
}

// refresh makes sure of all objects below schemaPrefix by listing them, and reads those
// again that are others than is known.
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

// outdated are the objects that are others than is known, with what is known, and
// those of a store that lists no versions. The rest is as it is.
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
