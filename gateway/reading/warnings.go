package reading

import (
	"context"
	"errors"
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

// warnUnreadable warns the client of unreadable values, which it sees as NULL though they
// are stored (decision A17), in the files and in the mirror's part of the window. It
// returns the files as the scan has to read them. narrow is relation.Relation.Narrow: if a value
// does not fit there, it is ErrWider.
func (o *Sources) warnUnreadable(ctx context.Context, pin *resolver.Pin, t, narrow *catalog.Type, need scope.Need, files []scan.File, keys relation.KeyBounds, use *mirror.Use) ([]scan.File, error) {
	var shown []int
	var cols []catalog.Column
	for i, c := range t.Columns {
		if !slices.Contains(need.Columns, c.Name) {
			continue
		}
		shown, cols = append(shown, i), append(cols, c)
		if misfit, ok := scan.Misfit(c); ok && narrow != nil && narrow.Columns[i].Type.Width < c.Type.Width {
			shown, cols = append(shown, scan.MisfitPosition(t, i)), append(cols, misfit)
		}
	}
	if showsImage(need) {
		shown, cols = append(shown, len(t.Columns)), append(cols, scan.Image)
	}
	var literals func() []scan.KeyEqual
	if len(keys) > 0 {
		literals = keys.Literals
	}
	db := o.Session.DB
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
		case n > 0 && misfit:
			db.Widen(t, c)
			wider = ErrWider
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

// ErrWider: a value that the statement may read does not fit the declared type of its column, by
// which the statement was planned. Planned again it reads the column as wide as it is needed.
var ErrWider = pgerr.New(pgerr.SerializationFailure, "a stored number has more digits than its column was declared with").
	WithHint("Retry the statement.")

// ErrNarrower: the mirror turned out to hold numerics as they were declared, for which the statement
// is not planned yet.
var ErrNarrower = errors.New("numerics are narrower")

// showsImage reports whether a statement reads rows as they are stored (fields_json).
func showsImage(need scope.Need) bool {
	_, asked := need.System[scan.Image.Name]
	return asked || slices.Contains(need.Columns, scan.Image.Name) || slices.Contains(need.Columns, "before")
}
