package reading

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql"
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

// warnUnreadable warns the client of unreadable values, which it sees as NULL though they
// are stored (decision A17), in the files and in the mirror's part of the window. It
// returns the files as the scan has to read them. narrow is relation.Relation.Narrow: if a value
// does not fit there, it is ErrWider. If narrow is nil, files may tell that all values fit.
func (o *Sources) warnUnreadable(ctx context.Context, pin *resolver.Pin, t, narrow *catalog.Type, mode ontosql.Mode, need scope.Need, files []scan.File, keys relation.KeyBounds, use *mirror.Use) ([]scan.File, error) {
	db := o.Session.DB
	learns := use == nil && len(keys) == 0 && areFiles(files)
	var shown []int
	var cols []catalog.Column
	relied := map[int]bool{} // the positions of Misfits by which the statement was planned
	for i, c := range t.Columns {
		if !shows(need, mode, c.Name) {
			continue
		}
		shown, cols = append(shown, i), append(cols, c)
		if misfit, ok := scan.Misfit(c); ok && mode != ontosql.Diff { // which is never planned with narrow numerics
			at := scan.MisfitPosition(t, i)
			relied[at] = narrow != nil && narrow.Columns[i].Type.Width < c.Type.Width
			if relied[at] || learns && db.MayNarrow(t, misfit) {
				shown, cols = append(shown, at), append(cols, misfit)
			}
		}
	}
	if showsImage(need) || mode == ontosql.Blame && slices.Contains(need.Columns, "value") {
		shown, cols = append(shown, len(t.Columns)), append(cols, scan.Image)
	}
	var literals func() []scan.KeyEqual
	if len(keys) > 0 {
		literals = keys.Literals
	}
	counts, odd, err := db.CountUnreadable(ctx, db.History(pin), t, cols, files, literals, use)
	if err != nil {
		return nil, err
	}
	if len(cols) == 0 {
		return files, nil
	}
	files = slices.Clone(files)
	for i := range files {
		files[i].NoNUL = files[i].Path != "" && !odd[files[i].Path]
	}
	var wider error
	for k, i := range shown {
		n, c := counts[k], cols[k]
		if use != nil {
			n += use.Unreadable(i)
		}
		switch _, misfit := scan.MisfitType(c); {
		case misfit && (n > 0 || use != nil && !use.AllReadable(i)):
			db.Widen(t, c)
			if relied[i] {
				wider = ErrWider
			}
		case misfit && learns:
			db.Narrow(t, c)
		case n > 0:
			w := sqlstate.Warning(pgerr.Warning, "%d stored values of column %q of %q are no %s and read as NULL", n, c.Name, t.Table, pgcatalog.TypeName(c.Type))
			w.Hint = "The system column fields_json shows what is stored."
			if c.Type.Kind == column.Text || c.Type.Kind == column.JSON { // not in PostgreSQL either
				w.Hint = "\"ontosql export\" shows what is stored."
			}
			o.warn(w)
		}
	}
	return files, wider
}

// areFiles reports whether there are rows, and all of them are in data files, which do not change.
func areFiles(files []scan.File) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f scan.File) bool { return f.Path == "" || f.Rows != "" })
}

// ErrWider: a value that the statement may read does not fit the declared type of its column, by
// which the statement was planned. Planned again it reads the column as wide as it is needed.
var ErrWider = pgerr.New(pgerr.SerializationFailure, "a stored number has more digits than its column was declared with").
	WithHint("Retry the statement.")

// ErrNarrower: the mirror or the files turned out to hold numerics as they were declared, for which the
// statement is not planned yet.
var ErrNarrower = errors.New("numerics are narrower")

// shows reports whether a statement reads a column of a type in a mode.
func shows(need scope.Need, mode ontosql.Mode, name string) bool {
	return slices.Contains(need.Columns, name) ||
		mode == ontosql.Diff && (slices.Contains(need.Columns, catalog.FromPrefix+name) || slices.Contains(need.Columns, catalog.ToPrefix+name))
}

// showsImage reports whether a statement reads rows as they are stored (fields_json).
func showsImage(need scope.Need) bool {
	_, asked := need.System[scan.Image.Name]
	return asked || slices.Contains(need.Columns, scan.Image.Name) || slices.Contains(need.Columns, "before")
}
