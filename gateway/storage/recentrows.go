package storage

import (
	"context"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/resolver"
)

// The row store is behind the head until the last commits are in it. A look-up by key meanwhile reads
// these commits beside it: in a bucket from memory, those of this gateway as they were committed and
// those of other writers from their data files, and in a database by its index.

const (
	// maxRecentRows and maxRecentFiles bound what is read in this way.
	maxRecentRows  = 200_000
	maxRecentFiles = 2048
)

// RecentByKey prepares look-ups in the commits (after, through]. find returns the versions with a
// text of the first key column as a batch of scan.StoredColumns; ok is false if the engine has to read them. It
// is nil if the engine has to read all.
func (p History) RecentByKey(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (find func(text string) (b *column.Batch, ok bool)) {
	if after+1 < t.Floor {
		return nil
	}
	after = max(after, 0)
	switch b := p.Storage.(type) {
	case *Files:
		return b.recentByKey(ctx, t, p.recentFiles(t, after, through))
	case *Tables:
		return func(text string) (*column.Batch, bool) {
			return b.recentRows(ctx, p.Pin, t, after, through, []string{text})
		}
	}
	return nil
}

// RecentRows returns all versions in the commits (after, through] as a batch of scan.StoredColumns. ok is
// false if the engine has to read them.
func (p History) RecentRows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (_ *column.Batch, ok bool) {
	if after+1 < t.Floor {
		return nil, false
	}
	after = max(after, 0)
	switch b := p.Storage.(type) {
	case *Files:
		return b.recentRows(ctx, t, p.recentFiles(t, after, through))
	case *Tables:
		return b.recentRows(ctx, p.Pin, t, after, through, nil)
	}
	return nil, false
}

// recentFiles are the data files of a type in a range of commits, nil if there are too many.
func (p History) recentFiles(t *catalog.Type, after, through ontosql.CommitID) []chain.File {
	if files, rows := p.Size(t, after, through); files > maxRecentFiles || rows > maxRecentRows {
		return nil
	}
	return p.Pin.View.Files(t.Ref, after, through)
}

func (b *Files) recentByKey(ctx context.Context, t *catalog.Type, files []chain.File) func(text string) (*column.Batch, bool) {
	if len(files) == 0 {
		return nil
	}
	b.foreign.forget(t.Ref, files[0].Commit-1)
	keyed := make([]*keyedRows, len(files))
	for i, f := range files {
		var err error
		if keyed[i], err = b.keyedRows(ctx, f, false); err != nil {
			return nil // the engine will tell
		}
	}
	return func(text string) (*column.Batch, bool) {
		var rows []format.Row
		for _, k := range keyed {
			var ok bool
			if rows, ok = k.appendOf(rows, text); !ok {
				return nil, false
			}
		}
		return b.converters.convert(t, rows)
	}
}

func (b *Files) recentRows(ctx context.Context, t *catalog.Type, files []chain.File) (_ *column.Batch, ok bool) {
	if len(files) == 0 {
		return nil, false
	}
	b.foreign.forget(t.Ref, files[0].Commit-1)
	var rows []format.Row
	for _, f := range files {
		k, err := b.keyedRows(ctx, f, true)
		if err != nil {
			return nil, false
		}
		rows = append(rows, k.rows...)
	}
	return b.converters.convert(t, rows)
}

// recentRows are the versions of a range of commits, and of some texts of the first key column if keys
// is not nil.
func (b *Tables) recentRows(ctx context.Context, pin *resolver.Pin, t *catalog.Type, after, through ontosql.CommitID, keys []string) (_ *column.Batch, ok bool) {
	cursor, err := b.Versions(ctx, pin, t, ontosql.Window{Mode: ontosql.History, Lower: after, Upper: through}, keys)
	if err != nil {
		return nil, false // the engine will tell
	}
	reader := ingest.NewReader(cursor, t)
	defer reader.Close()
	rows, many, err := reader.Few(ctx)
	if err != nil || many || reader.Damaged() != "" {
		return nil, false
	}
	return b.converters.convert(t, rows)
}

// converters convert the rows of types.
type converters struct{ known sync.Map } // *ingest.Converter by ontosql.TypeRef

// convert is ingest.Converter.Convert for rows of a type.
func (c *converters) convert(t *catalog.Type, rows []format.Row) (*column.Batch, bool) {
	if len(rows) == 0 {
		return &column.Batch{}, true
	}
	known, ok := c.known.Load(t.Ref)
	if !ok || known.(*ingest.Converter).Type() != t {
		known = ingest.NewConverter(t)
		c.known.Store(t.Ref, known)
	}
	return known.(*ingest.Converter).Convert(rows)
}
