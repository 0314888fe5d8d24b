package gateway

import (
	"context"
	"slices"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
)

// unreadable remembers how many stored values of a file are none of a column's
// type, so that a file, which never changes, is asked once.
type unreadable struct {
	mu     sync.Mutex
	counts map[fileColumn]int64
	clean  map[ontosql.TypeRef]clean
}

// fileColumn is a column of a file, but for the rows of other schema versions.
type fileColumn struct{ path, column, others string }

// clean is what the mirror knew of a type when a statement was last read from it: up
// to a commit the files have no such value in these columns. When the type changes,
// the mirror gives up all that it has, and most columns are what they were.
type clean struct {
	through ontosql.CommitID
	mark    string              // of the history at through (mirror.History)
	columns map[fileColumn]bool // without a path
}

// mostWaited is how many rows of files a look-up by key waits to have counted. While
// the mirror is on its way to a larger file, which takes it long enough, only the
// rows of the keys are: the mirror knows of the others when it has got there.
const mostWaited = 10_000

// warnUnreadable tells the client of values that it sees as NULL though they
// are stored (decision A17): those in the files, and in the mirror before them. It
// returns the files as they are to be read.
func (o *sources) warnUnreadable(ctx context.Context, pin *resolver.Pin, t *catalog.Type, need rewrite.Need, files []scan.File, keys keyBounds, use *mirror.Use) ([]scan.File, error) {
	db := o.session.db
	history := storage.History{Storage: db.storage, Engine: db.engine, Pin: pin}
	if use != nil {
		db.unreadable.learn(history, t, use)
	}
	var shown []int
	var cols []catalog.Column
	for i, c := range t.Columns {
		if slices.Contains(need.Columns, c.Name) {
			shown, cols = append(shown, i), append(cols, c)
		}
	}
	if showsImage(need) {
		shown, cols = append(shown, len(t.Columns)), append(cols, scan.Image)
	}
	if len(cols) == 0 {
		return files, nil
	}
	counts, odd, err := db.countUnreadable(ctx, history, t, cols, files, keys)
	if err != nil {
		return nil, err
	}
	files = slices.Clone(files)
	for i := range files {
		files[i].Clear = files[i].Path != "" && !odd[files[i].Path]
	}
	for k, i := range shown {
		n, c := counts[k], cols[k]
		if use != nil {
			n += use.Unreadable(i)
		}
		if n > 0 {
			w := sqlstate.Warning(pgerr.Warning, "%d stored values of column %q of %q are no %s and read as NULL", n, c.Name, t.Table, pgcatalog.TypeName(c.Type))
			w.Hint = "The system column fields_json shows what is stored."
			if c.Type.Kind == column.Text || c.Type.Kind == column.JSON { // it is none of PostgreSQL's there either
				w.Hint = "\"ontosql export\" shows what is stored."
			}
			o.warn(w)
		}
	}
	return files, nil
}

// showsImage reports whether a statement reads rows as they are stored.
func showsImage(need rewrite.Need) bool {
	_, asked := need.System[scan.Image.Name]
	return asked || slices.Contains(need.Columns, scan.Image.Name) || slices.Contains(need.Columns, "before")
}

// countUnreadable is the number of such values in files, for each of some columns, and
// the paths of the files that have some in columns of text.
func (db *Database) countUnreadable(ctx context.Context, h storage.History, t *catalog.Type, cols []catalog.Column, files []scan.File, keys keyBounds) (total []int64, odd map[string]bool, err error) {
	known := &db.unreadable
	total, odd = make([]int64, len(cols)), map[string]bool{}
	ask, rows := known.add(total, odd, h, t, cols, files)
	if len(ask) == 0 {
		return total, odd, nil
	}
	var only []scan.KeyEqual
	if rows > mostWaited && len(keys) > 0 && db.mirror != nil && db.mirror.Coming(t.Ref) {
		only = keys.literals()
	}
	counted, err := db.askUnreadable(ctx, t, cols, ask, only)
	if err != nil {
		return nil, nil, err
	}
	for path, counts := range counted {
		sum(total, odd, path, cols, counts)
	}
	if only == nil {
		known.put(t, cols, ask, counted)
	}
	return total, odd, nil
}

// sum adds what was counted in a file.
func sum(total []int64, odd map[string]bool, path string, cols []catalog.Column, counts []int64) {
	for i, n := range counts {
		total[i] += n
		if n > 0 && cols[i].Type.Kind == column.Text {
			odd[path] = true
		}
	}
}

// add adds to a total of each column what is known of files, and to odd their paths.
// The others are to be asked, which have so many rows.
func (u *unreadable) add(total []int64, odd map[string]bool, h storage.History, t *catalog.Type, cols []catalog.Column, files []scan.File) (ask []scan.File, rows int64) {
	if len(files) == 0 {
		return nil, 0
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	clean := u.clean[t.Ref]
	if h.Mark(clean.through) != clean.mark {
		clean.through = 0
	}
	names, counts := make([]fileColumn, len(cols)), make([]int64, len(cols))
	for i, c := range cols {
		names[i] = columnOf(t, c)
	}
	for _, f := range files {
		seen := true
		for i, c := range cols {
			counts[i] = 0
			if !scan.Doubtful(c, f.Facts) || f.Max <= clean.through && clean.columns[names[i]] {
				continue
			}
			n, known := u.counts[names[i].of(f)]
			counts[i], seen = n, seen && known
		}
		if !seen {
			ask, rows = append(ask, f), rows+f.Facts.Rows
			continue
		}
		sum(total, odd, f.Path, cols, counts)
	}
	return ask, rows
}

// mostCounted bounds the memory: of a table, which grows, each state is counted anew.
const mostCounted = 1 << 19

// put remembers what was counted.
func (u *unreadable) put(t *catalog.Type, cols []catalog.Column, files []scan.File, counted map[string][]int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.counts) > mostCounted {
		clear(u.counts)
	}
	for _, f := range files {
		if f.Path == "" { // it is no file, and what it has is other rows next time
			continue
		}
		for i, c := range cols {
			n := int64(0)
			if of := counted[f.Path]; of != nil {
				n = of[i]
			}
			u.counts[columnOf(t, c).of(f)] = n
		}
	}
}

// learn takes down of which columns the mirror knows that they are clean, where it
// has got further since the last time.
func (u *unreadable) learn(h storage.History, t *catalog.Type, use *mirror.Use) {
	through := use.Source.Through
	u.mu.Lock()
	defer u.mu.Unlock()
	if before, known := u.clean[t.Ref]; known && before.through == through && before.mark == h.Mark(through) || through > h.Head() {
		return
	}
	now := clean{through: through, mark: h.Mark(through), columns: map[fileColumn]bool{}}
	for i, c := range t.Columns {
		if use.Clean(i) {
			now.columns[columnOf(t, c)] = true
		}
	}
	u.clean[t.Ref] = now
}

func columnOf(t *catalog.Type, c catalog.Column) fileColumn {
	of := fileColumn{column: c.Spelling + c.Field}
	if c.Role == catalog.FromField { // a key is read the same in all versions
		of.others = scan.OtherVersions(t, c)
	}
	return of
}

func (c fileColumn) of(f scan.File) fileColumn {
	c.path = f.Path
	return c
}

// askUnreadable counts such values in files, by path and for each of some columns.
func (db *Database) askUnreadable(ctx context.Context, t *catalog.Type, cols []catalog.Column, files []scan.File, keys []scan.KeyEqual) (map[string][]int64, error) {
	sql, err := scan.Unreadable(t, cols, files, keys)
	if err != nil {
		return nil, err
	}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	counted := map[string][]int64{}
	err = conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
		path := string(b.Cols[0].Str[i])
		if counted[path] == nil {
			counted[path] = make([]int64, len(cols))
		}
		counted[path][b.Cols[1].I64[i]] += b.Cols[2].I64[i]
	})
	return counted, err
}
