package resolver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// storeState is one consistent reading of a store's head and schema objects. It is
// immutable; refresh derives the next one from it.
type storeState struct {
	began       time.Time // before the first request for it
	head        *format.Head
	headVersion objstore.Version // Absent if the head was not read from the store
	view        *chain.View
	objects     schemaObjects
	listing     []objstore.Object // the listing that confirmed objects; nil if none has
	engine      string
	inputs      string // digest of what the catalog was built from
	pin         *Pin
}

// refresh reads what has changed since known. If nothing has, it costs two parallel
// requests: the head, and a listing of the schema objects, because the original
// registers types without a commit (decision A13).
func (s *Store) refresh(ctx context.Context, known *storeState) (*storeState, error) {
	now := *known
	now.began = time.Now()
	listed, same, err := s.readHeadAndList(ctx, &now, known)
	if err != nil {
		return nil, err
	}
	var stale []objstore.Object
	var gone []string
	if !same {
		if stale, gone = known.objects.diff(listed); len(stale) > 0 || len(gone) > 0 {
			listed = nil
		}
		now.listing = listed
	}
	if known.pin != nil && now.head == known.head && len(stale) == 0 && len(gone) == 0 {
		now.pin = known.pin // nothing else differs
		return &now, nil
	}
	changed, err := s.catchUp(ctx, &now, known, stale, gone)
	if err != nil {
		return nil, err
	}
	if changed {
		// A schema that was read after the head may belong to a later commit.
		// The head of now is not before it (I6).
		before := now.head
		if err := s.readHead(ctx, &now); err != nil {
			return nil, err
		}
		if now.head != before {
			if now.view, err = s.log.At(ctx, now.head); err != nil {
				return nil, err
			}
		}
	}
	if err := now.buildPin(known); err != nil {
		return nil, err
	}
	return &now, nil
}

// readHeadAndList reads the head and lists the schema objects (listSchema). The requests
// run in parallel unless the store is local.
func (s *Store) readHeadAndList(ctx context.Context, now, known *storeState) (listed []objstore.Object, same bool, err error) {
	if objstore.IsLocal(s.bucket) {
		if err := s.readHead(ctx, now); err != nil {
			return nil, false, err
		}
		return listSchema(ctx, s.bucket, known.listing)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.readHead(gctx, now) })
	listed, same, err = listSchema(gctx, s.bucket, known.listing)
	if err != nil {
		g.Go(func() error { return err }) // also cancels the read of the head
	}
	return listed, same, g.Wait()
}

// readHead reads the head unless its version is the one that now has.
func (s *Store) readHead(ctx context.Context, now *storeState) error {
	body, version, changed, err := objstore.ReadIfChanged(ctx, s.bucket, format.HeadKey, now.headVersion)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		return fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)
	case err != nil:
		return fmt.Errorf("read head: %w", err)
	case !changed:
		return nil
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return fmt.Errorf("read head: %w", err)
	}
	now.head, now.headVersion = head, version
	return nil
}

// catchUp reads in parallel the manifests below a new head and the schema objects that
// may have changed. It reports whether a schema object has.
func (s *Store) catchUp(ctx context.Context, now, known *storeState, stale []objstore.Object, gone []string) (changed bool, err error) {
	g, gctx := errgroup.WithContext(ctx)
	if now.head != known.head {
		g.Go(func() (err error) {
			now.view, err = s.log.At(gctx, now.head)
			return err
		})
	}
	// init writes the registry whenever it writes the engine marker (COMPAT 3.2).
	if known.pin == nil || slices.ContainsFunc(stale, func(o objstore.Object) bool { return o.Key == format.RegistryKey }) {
		g.Go(func() (err error) {
			now.engine, err = s.readEngine(gctx)
			return err
		})
	}
	g.Go(func() (err error) {
		now.objects, changed, err = known.objects.refresh(gctx, s.bucket, stale, gone)
		return err
	})
	return changed, g.Wait()
}

// readEngine reads the engine marker; a store without one is v1 (COMPAT 3.5).
func (s *Store) readEngine(ctx context.Context) (string, error) {
	body, _, err := s.bucket.Get(ctx, format.EngineKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return format.EngineV1, nil
	}
	if err != nil {
		return "", fmt.Errorf("read engine marker: %w", err)
	}
	engine, err := format.DecodeEngine(format.EngineKey, body)
	if err != nil {
		return "", fmt.Errorf("read engine marker: %w", err)
	}
	return engine.EngineVersion, nil
}

// buildPin makes the pin. It reuses the catalog of known if its inputs are unchanged, so
// that a commit of rows invalidates no plan.
func (l *storeState) buildPin(known *storeState) error {
	change, changedBy, err := l.view.LastSchemaChange(l.head.CommitID)
	if err != nil {
		return fmt.Errorf("read schema change: %w", err)
	}
	in := catalog.Input{Head: l.head.CommitID, Change: change, ChangedBy: changedBy, Floor: l.view.Floor}
	if change != nil {
		in.ChangedAt = l.view.Commit(changedBy).Manifest.CreatedAt.Time
	}
	warnings := l.objects.addTo(&in)
	in.Superseded = func(ref ontosql.TypeRef) bool { return l.view.Superseded(ref, changedBy, in.Versions[ref]) }
	l.inputs = digest(&in, l)
	in.Version = l.inputs
	pin := &Pin{Head: l.head.Pin(), View: l.view, Engine: l.engine}
	if known.pin != nil && known.inputs == l.inputs {
		pin.Catalog, pin.Warnings = known.pin.Catalog, known.pin.Warnings
	} else {
		var more []string
		pin.Catalog, more = catalog.Build(in)
		if known.pin != nil {
			pin.Catalog.After(known.pin.Catalog)
		}
		pin.Warnings = append(warnings, more...)
	}
	l.pin = pin
	return nil
}

// digest identifies the inputs of a catalog: the versions of the schema objects, the
// schema change, the drops, and which marks of dropped types the head has reached.
func digest(in *catalog.Input, l *storeState) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(l.objects)) {
		fmt.Fprintf(h, "%s %s\n", key, l.objects[key].version)
	}
	if in.Change != nil {
		fmt.Fprintf(h, "change %s\n", l.view.Commit(in.ChangedBy).Path)
	}
	for _, ref := range in.Refs() {
		fmt.Fprintf(h, "%s floor %d superseded %t\n", ref, l.view.Floor(ref), in.Superseded(ref))
	}
	if in.Dropped != nil {
		for _, marks := range []map[string]format.DroppedType{in.Dropped.Entity, in.Dropped.Relation} {
			for _, name := range slices.Sorted(maps.Keys(marks)) {
				fmt.Fprintf(h, "%s marked %t\n", name, marks[name].CommitID <= l.head.CommitID)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
