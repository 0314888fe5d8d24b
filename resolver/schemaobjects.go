package resolver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// schemaPrefix is the prefix of the schema objects.
const schemaPrefix = "meta/schema/"

const versionsPrefix = schemaPrefix + "versions/"

// parallel is the number of schema objects that are read at a time.
const parallel = 16

// minStableAge is the minimum age of an object at which its size and time identify its
// content. Times have a limited resolution, so two writes can have the same time.
const minStableAge = 2 * time.Second

// schemaObjects maps keys to the schema objects of a store. A map is immutable once it is
// part of a storeState.
type schemaObjects map[string]*schemaObject

type schemaObject struct {
	version  objstore.Version // of the body that was read
	size     int64            // from the listing before the body was read
	modified time.Time        // from the same listing
	read     time.Time        // start of the read of the body

	value   any   // *format.Registry, *format.Types, *format.Dropped, *format.Versions or []format.DistrustedColumn
	damaged error // why value is nil
}

// listSchema lists the schema objects. If they equal those of the earlier listing, it
// returns that listing and same=true.
func listSchema(ctx context.Context, b objstore.Bucket, earlier []objstore.Object) (listed []objstore.Object, same bool, err error) {
	l := schemaListing{earlier: earlier}
	if err := b.List(ctx, schemaPrefix, l.next); err != nil {
		return nil, false, fmt.Errorf("list schema objects: %w", err)
	}
	if l.listed != nil {
		return l.listed, false, nil
	}
	return earlier[:l.as], l.as == len(earlier) && l.as > 0, nil
}

// schemaListing compares a listing of the schema objects with an earlier one.
type schemaListing struct {
	earlier []objstore.Object
	as      int               // number of objects that equal the earlier listing so far
	listed  []objstore.Object // all wanted objects, nil while they equal the earlier listing
}

func (l *schemaListing) next(o objstore.Object) error {
	switch {
	case l.listed == nil && l.as < len(l.earlier) && sameListing(o, l.earlier[l.as]):
		l.as++
	case wanted(o.Key):
		if l.listed == nil {
			l.listed = slices.Clone(l.earlier[:l.as])
		}
		l.listed = append(l.listed, o)
	}
	return nil
}

// sameListing reports whether two listings describe the same object.
func sameListing(o, p objstore.Object) bool {
	return o.Key == p.Key && o.Size == p.Size && o.Version == p.Version && o.Modified.Equal(p.Modified)
}

func wanted(key string) bool {
	_, isVersions := versionsRef(key)
	return isVersions || key == format.RegistryKey || key == format.TypesKey || key == format.DroppedKey || key == format.DistrustKey
}

// versionsRef returns the type whose version list has the key.
func versionsRef(key string) (ontosql.TypeRef, bool) {
	rest, ok := strings.CutPrefix(key, versionsPrefix)
	if !ok {
		return ontosql.TypeRef{}, false
	}
	kind, file, _ := strings.Cut(rest, "/")
	name, ok := strings.CutSuffix(file, ".json")
	k, err := ontosql.ParseKind(kind)
	return ontosql.TypeRef{Kind: k, Name: name}, ok && err == nil
}

// diff returns the listed objects whose content may differ from m, and the keys of m that
// are no longer listed.
func (m schemaObjects) diff(listed []objstore.Object) (stale []objstore.Object, gone []string) {
	there := 0
	for _, o := range listed {
		have := m[o.Key]
		if have == nil || !have.matches(o) {
			stale = append(stale, o)
		}
		if have != nil {
			there++
		}
	}
	if there < len(m) {
		gone = m.missingFrom(listed)
	}
	return stale, gone
}

// missingFrom returns the keys of m that are not listed.
func (m schemaObjects) missingFrom(listed []objstore.Object) []string {
	left := maps.Clone(m)
	for _, o := range listed {
		delete(left, o.Key)
	}
	return slices.Collect(maps.Keys(left))
}

// matches reports whether the listed object is certainly the one that was read. If the
// store lists no versions, size and time are compared.
func (have *schemaObject) matches(o objstore.Object) bool {
	if o.Version != objstore.Absent {
		return o.Version == have.version
	}
	return o.Size == have.size && o.Modified.Equal(have.modified) && have.read.Sub(o.Modified) > minStableAge
}

// versions returns the version list at key, or nil if there is no readable one.
func (m schemaObjects) versions(key string) *format.Versions {
	if o := m[key]; o != nil {
		list, _ := o.value.(*format.Versions)
		return list
	}
	return nil
}

// refresh returns m with the stale objects read again and without the gone ones. changed
// reports whether any content differs.
func (m schemaObjects) refresh(ctx context.Context, b objstore.Bucket, stale []objstore.Object, gone []string) (fresh schemaObjects, changed bool, err error) {
	fresh, changed = maps.Clone(m), len(gone) > 0
	if fresh == nil {
		fresh = schemaObjects{}
	}
	for _, key := range gone {
		delete(fresh, key)
	}
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, o := range stale {
		g.Go(func() error {
			have := m[o.Key]
			got, err := reread(gctx, b, o, have)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, objstore.ErrNotFound):
				delete(fresh, o.Key) // removed after the listing
				changed = changed || have != nil
				return nil
			case err != nil:
				return err
			}
			changed = changed || have == nil || got.version != have.version
			fresh[o.Key] = got
			return nil
		})
	}
	return fresh, changed, g.Wait()
}

func reread(ctx context.Context, b objstore.Bucket, o objstore.Object, have *schemaObject) (*schemaObject, error) {
	got := &schemaObject{size: o.Size, modified: o.Modified, read: time.Now()}
	known := objstore.Absent
	if have != nil {
		known = have.version
	}
	body, version, changed, err := objstore.ReadIfChanged(ctx, b, o.Key, known)
	if err != nil {
		return nil, fmt.Errorf("read schema object: %w", err)
	}
	got.version = version
	if !changed {
		got.value, got.damaged = have.value, have.damaged
		return got, nil
	}
	got.value, got.damaged = decode(o.Key, body)
	if got.damaged == nil {
		return got, nil
	}
	if _, isVersions := versionsRef(o.Key); !isVersions {
		// An assumed registry could hide tables, so this is an error.
		return nil, fmt.Errorf("read schema object: %w", got.damaged)
	}
	got.value = nil
	return got, nil
}

func decode(key string, body []byte) (any, error) {
	switch key {
	case format.RegistryKey:
		return format.DecodeRegistry(key, body)
	case format.TypesKey:
		return format.DecodeTypes(key, body)
	case format.DroppedKey:
		return format.DecodeDropped(key, body)
	case format.DistrustKey:
		return format.DecodeDistrusted(key, body)
	}
	return format.DecodeVersions(key, body)
}

// addTo adds the objects to the catalog's input. The warnings name damaged version lists;
// their types have the registry's schema.
func (m schemaObjects) addTo(in *catalog.Input) (warnings []string) {
	in.Versions = map[ontosql.TypeRef]*format.Versions{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		switch v := m[key].value.(type) {
		case *format.Registry:
			in.Registry = v
		case *format.Types:
			in.Types = v
		case *format.Dropped:
			in.Dropped = v
		case []format.DistrustedColumn:
			in.Distrusted = v
		case *format.Versions:
			ref, _ := versionsRef(key)
			in.Versions[ref] = v
		case nil:
			warnings = append(warnings, fmt.Sprintf("schema versions cannot be read: %v", m[key].damaged))
		}
	}
	return warnings
}
