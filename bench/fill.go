package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rowstore"
)

// fillLaps is how often native copies are made at most, which takes minutes.
const fillLaps = 2

// firstFills compares the first fill of the row store with that of the mirror, and both at once with
// the mirror alone. A gateway makes both for a type that is looked up and scanned; here each has an
// engine of its own in this process, so that it can be made without the other.
func (l *lab) firstFills(ctx context.Context, r *result) error {
	store, err := l.history(ctx)
	if err != nil {
		return err
	}
	l.stopServer() // it may be busy with copies
	fill := func(mirrored, rows bool) func(int) ([]time.Duration, error) {
		return func(int) ([]time.Duration, error) {
			took, err := l.firstFill(ctx, store, mirrored, rows)
			return []time.Duration{took}, err
		}
	}
	all := []contender{{"mirror", fill(true, false)}, {"row store", fill(false, true)}, {"both", fill(true, true)}}
	found := make([]samples, len(all))
	for lap := range min(l.laps, fillLaps) {
		for i, c := range all {
			took, err := c.turn(lap)
			if err != nil {
				return fmt.Errorf("fill of %s: %w", c.name, err)
			}
			found[i] = append(found[i], took...)
		}
	}
	r.atMost("first fill, row store / mirror", found[1].over(found[0]), "x", 2)
	r.atMost("first fill, both / mirror", found[2].over(found[0]), "x", 1.5)
	r.times("first fill: ", all, found)
	return nil
}

// firstFill is how long it takes until the customers are in new native copies.
func (l *lab) firstFill(ctx context.Context, store string, mirrored, rows bool) (took time.Duration, err error) {
	root, err := l.newDir("fill")
	if err != nil {
		return 0, err
	}
	files, copies := filepath.Join(root, "files"), filepath.Join(root, "copies")
	engine, err := duckdb.Open(ctx, duckdb.Options{TempDir: filepath.Join(root, "spill"), ReadDirs: []string{files, copies}})
	if err != nil {
		return 0, err
	}
	defer engine.Close()
	if err := database.Define(ctx, engine); err != nil {
		return 0, err
	}
	plain, err := dir.Open(store, dir.Options{})
	if err != nil {
		return 0, err
	}
	bucket := metered.New(plain, metered.Options{})
	cache, err := diskcache.Open(files, diskcache.Options{Budget: 1 << 40, Inspect: format.InspectEncoded})
	if err != nil {
		return 0, err
	}
	log, err := chain.Open("", chain.Options{Bucket: bucket, Checkpoint: true})
	if err != nil {
		return 0, err
	}
	resolved := resolver.Open(resolver.Options{Bucket: bucket, Log: log})
	defer resolved.Close()
	backend := storage.NewFiles(storage.FilesOptions{Bucket: bucket, Store: resolved, Cache: cache, Own: &storage.RecentCommits{}})
	pin, err := backend.Pin(ctx)
	if err != nil {
		return 0, err
	}
	customer := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	typ, ok := pin.Catalog.Type(customer)
	if !ok {
		return 0, fmt.Errorf("the history has no %s", customer)
	}
	h := storage.History{Storage: backend, Engine: engine, Pin: pin}

	began := time.Now()
	var ready []func() (bool, error)
	if mirrored {
		m := mirror.Open(ctx, mirror.Options{Engine: engine, Dir: copies, Budget: 1 << 40})
		defer m.Close()
		m.Follow(h)
		ready = append(ready, func() (bool, error) { return mirrorHas(m, h, typ) })
	}
	if rows {
		s, err := rowstore.Open(ctx, rowstore.Options{Engine: engine, Dir: copies, Budget: 1 << 40, Memory: 512 << 20})
		if err != nil {
			return 0, err
		}
		defer s.Close()
		s.Follow(h)
		ready = append(ready, func() (bool, error) { return rowStoreHas(s, h, typ) })
	}
	for len(ready) > 0 {
		switch done, err := ready[0](); {
		case err != nil:
			return 0, err
		case done:
			ready = ready[1:]
			continue
		case time.Since(began) > patience:
			return 0, fmt.Errorf("not filled after %s", patience)
		}
		if err := moment(ctx); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// mirrorHas reads a type, which is what a copy is made for, and reports whether it is complete.
func mirrorHas(m *mirror.Mirror, h storage.History, typ *catalog.Type) (bool, error) {
	if use := m.Use(h, typ, mirror.Window{Window: ontosql.Window{Upper: h.Head()}}); use != nil {
		use.Release()
	}
	for _, s := range m.Status() {
		if s.Type == typ.Ref && s.State == "none" && s.Reason != nil && s.Used.IsZero() {
			return false, s.Reason
		}
		if s.Type == typ.Ref && s.State == "ready" && s.Through == h.Head() {
			return true, nil
		}
	}
	return false, nil
}

// rowStoreHas is mirrorHas of the row store.
func rowStoreHas(rows *rowstore.Store, h storage.History, typ *catalog.Type) (bool, error) {
	use := rows.Use(h, typ)
	if use == nil {
		return false, nil
	}
	defer use.Release()
	return use.Through == h.Head(), nil
}
