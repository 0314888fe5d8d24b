package gateway

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
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
func (o *sources) warnUnreadable(ctx context.Context, pin *resolver.Pin, t *catalog.Type, need scope.Need, files []scan.File, keys keyBounds, use *mirror.Use) ([]scan.File, error) {
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
	var literals func() []scan.KeyEqual
	if len(keys) > 0 {
		literals = keys.Literals
	}
	db := o.session.db
	counts, odd, err := db.CountUnreadable(ctx, db.History(pin), t, cols, files, literals, use)
	if err != nil {
		return nil, err
	}
	if len(cols) == 0 {
		return files, nil
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
func showsImage(need scope.Need) bool {
	_, asked := need.System[scan.Image.Name]
	return asked || slices.Contains(need.Columns, scan.Image.Name) || slices.Contains(need.Columns, "before")
}
