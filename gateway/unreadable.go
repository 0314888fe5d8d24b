package gateway

import (
	"context"
	"slices"
	"sync"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
)

// unreadable remembers how many stored values of a file are none of a column's
// type, so that a file, which never changes, is asked once.
type unreadable struct {
	mu     sync.Mutex
	counts map[fileColumn]int64
}

// fileColumn is a column of a file, but for the rows of other schema versions.
type fileColumn struct{ path, column, others string }

// warnUnreadable tells the client of values that it sees as NULL though they
// are stored (decision A17).
func (o *sources) warnUnreadable(ctx context.Context, t *catalog.Type, need rewrite.Need, files []scan.File, use *mirror.Use) error {
	for i, c := range t.Columns {
		if !slices.Contains(need.Columns, c.Name) {
			continue
		}
		n, err := o.session.db.countUnreadable(ctx, t, c, files)
		if err != nil {
			return err
		}
		if use != nil {
			n += use.Unreadable(i)
		}
		if n > 0 {
			w := warning(pgerr.Warning, "%d stored values of column %q of %q are no %s and read as NULL", n, c.Name, t.Table, pgcatalog.TypeName(c.Type))
			w.Hint = "The system column fields_json shows what is stored."
			o.warn(w)
		}
	}
	return nil
}

// countUnreadable is the number of such values in files.
func (db *Database) countUnreadable(ctx context.Context, t *catalog.Type, c catalog.Column, files []scan.File) (int64, error) {
	known, others := &db.unreadable, scan.OtherVersions(t, c)
	var total int64
	var ask []scan.File
	known.mu.Lock()
	for _, f := range files {
		if !scan.Doubtful(c, f.Facts) {
			continue
		}
		n, seen := known.counts[fileColumn{f.Path, c.Spelling + c.Field, others}]
		if !seen {
			ask = append(ask, f)
		}
		total += n
	}
	known.mu.Unlock()
	if len(ask) == 0 {
		return total, nil
	}
	counted, err := db.askUnreadable(ctx, t, c, ask)
	if err != nil {
		return 0, err
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	for _, f := range ask {
		known.counts[fileColumn{f.Path, c.Spelling + c.Field, others}] = counted[f.Path]
		total += counted[f.Path]
	}
	return total, nil
}

func (db *Database) askUnreadable(ctx context.Context, t *catalog.Type, c catalog.Column, files []scan.File) (map[string]int64, error) {
	sql, err := scan.Unreadable(t, c, files)
	if err != nil {
		return nil, err
	}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	counted := map[string]int64{}
	err = conn.Each(ctx, sql, nil, func(b *column.Batch, i int) { counted[string(b.Cols[0].Str[i])] = b.Cols[1].I64[i] })
	return counted, err
}
