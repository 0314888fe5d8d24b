package storage

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ingest"
)

// The row store is behind the head until the last commits are in it. A look-up by key meanwhile reads
// these commits from memory, those of this gateway as they were committed and those of other writers
// from their data files.

const (
	// maxRecentRows and maxRecentFiles bound what is read in this way.
	maxRecentRows  = 200_000
	maxRecentFiles = 2048
)

// recentFiles are the data files of a type in a range of commits, nil if they cannot be read by
// key: because the rows are in a database, or there are too many.
func (p History) recentFiles(t *catalog.Type, after, through ontosql.CommitID) (*Files, []chain.File) {
	b, ok := p.Storage.(*Files)
	if !ok {
		return nil, nil
	}
	if files, rows := p.Size(t, after, through); files > maxRecentFiles || rows > maxRecentRows || after+1 < t.Floor {
		return nil, nil
	}
	b.foreign.forget(t.Ref, after)
	return b, p.Pin.View.Files(t.Ref, max(after, 0), through)
}

// RecentByKey prepares look-ups in the commits (after, through]. find returns the versions with a
// text of the first key column as a batch of scan.StoredColumns; ok is false if the engine has to read them. It
// is nil if the engine has to read all.
func (p History) RecentByKey(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (find func(text string) (b *column.Batch, ok bool)) {
	b, files := p.recentFiles(t, after, through)
	if b == nil {
		return nil
	}
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
		if len(rows) == 0 {
			return &column.Batch{}, true
		}
		return b.converterOf(t).Convert(rows)
	}
}

// RecentRows returns all versions in the commits (after, through] as a batch of scan.StoredColumns. ok is
// false if the engine has to read them.
func (p History) RecentRows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (_ *column.Batch, ok bool) {
	b, files := p.recentFiles(t, after, through)
	if b == nil {
		return nil, false
	}
	var rows []format.Row
	for _, f := range files {
		k, err := b.keyedRows(ctx, f, true)
		if err != nil {
			return nil, false
		}
		rows = append(rows, k.rows...)
	}
	return b.converterOf(t).Convert(rows)
}

// converterOf is the converter of the rows of a type.
func (b *Files) converterOf(t *catalog.Type) *ingest.Converter {
	if known, ok := b.converters.Load(t.Ref); ok && known.(*ingest.Converter).Type() == t {
		return known.(*ingest.Converter)
	}
	c := ingest.NewConverter(t)
	b.converters.Store(t.Ref, c)
	return c
}
