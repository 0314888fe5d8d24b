package objects

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

// parallel is the number of files that a List reads at a time.
const parallel = 16

// settled is how old a file must have been when it was read for its date and size to tell that it is the
// same one. A younger one may have been replaced within a tick of the store's clock.
const settled = 2 * time.Second

// unchanged reports whether a file is what a listing shows.
func (f *file) unchanged(o *objstore.Object) bool {
	if o.Version != objstore.Absent {
		return f.version == o.Version
	}
	return f.size == o.Size && f.modified.Equal(o.Modified) && f.read.Sub(f.modified) > settled
}

// List implements nameservice.Service. Files that have not changed since the last List are not read
// again.
func (s *Service) List(ctx context.Context, kind string) ([]*nameservice.Record, error) {
	var objects []objstore.Object
	err := s.bucket.List(ctx, Prefix, func(o objstore.Object) error {
		if _, _, ok := splitKey(o.Key); ok {
			objects = append(objects, o)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	found, bad, err := s.readListed(ctx, objects)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var list []*nameservice.Record
	for stem, files := range found {
		if bad[stem] != nil {
			continue
		}
		switch st, err := assemble(stem, *files); {
		case err != nil:
			bad[stem] = err
		case st == nil:
			bad[stem] = orphan(files)
		case kind == "" || st.Type == kind:
			list = append(list, st.Record)
		}
	}
	s.report(bad)
	slices.SortFunc(list, func(a, b *nameservice.Record) int { return strings.Compare(a.Alias.String(), b.Alias.String()) })
	return list, nil
}

// report tells of damaged records, by stem. One that is nil has vanished.
func (s *Service) report(bad map[string]error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stem := range slices.Sorted(maps.Keys(bad)) {
		if bad[stem] != nil {
			s.damaged(bad[stem])
		}
	}
}

// orphan is the damage of files without the one that every record has; nil if there are none.
func orphan(files *[partCount]file) error {
	for p := range files {
		if f := &files[p]; f.exists() {
			return ontosql.Corrupt(f.key, "", "belongs to no record: there is neither %s nor %s",
				strings.Replace(f.key, infixes[p]+extension, extension, 1), strings.Replace(f.key, infixes[p], infixes[headPart], 1))
		}
	}
	return nil
}

// readListed reads files, and returns them and what is damaged by stem.
func (s *Service) readListed(ctx context.Context, objects []objstore.Object) (found map[string]*[partCount]file, bad map[string]error, err error) {
	s.mu.Lock()
	before := s.listed
	s.mu.Unlock()
	files, damage := make([]file, len(objects)), make([]error, len(objects))
	g, reading := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, o := range objects {
		if known, ok := before[o.Key]; ok && known.unchanged(&o) {
			files[i] = known
			continue
		}
		g.Go(func() (err error) {
			read := time.Now()
			files[i], err = s.readFile(reading, o.Key)
			files[i].size, files[i].modified, files[i].read = o.Size, o.Modified, read
			var corrupt *ontosql.CorruptError
			if errors.As(err, &corrupt) {
				damage[i], err = err, nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	found, bad = map[string]*[partCount]file{}, map[string]error{}
	now := make(map[string]file, len(objects))
	for i, o := range objects {
		stem, p, _ := splitKey(o.Key)
		if damage[i] != nil {
			bad[stem] = damage[i]
			continue
		}
		if found[stem] == nil {
			found[stem] = new([partCount]file)
		}
		found[stem][p], now[o.Key] = files[i], files[i]
	}
	s.mu.Lock()
	s.listed = now
	s.mu.Unlock()
	return found, bad, nil
}
