package planner

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgerr"
)

// refusedCell is a value in a VALUES list that the engine does not accept.
type refusedCell struct {
	row, column int
	position    int // of a literal in the statement, else 0
	err         *pgerr.Error
}

// before reports whether PostgreSQL would find c before d: it checks literals when it analyses
// the statement, and other values when it computes row by row.
func (c *refusedCell) before(d *refusedCell) bool {
	switch {
	case (c.position > 0) != (d.position > 0):
		return c.position > 0
	case c.position > 0:
		return c.position < d.position
	}
	return c.row < d.row
}

// locateCell is LocateValue for a statement with a VALUES list. The engine computes column by
// column, so it may find another bad value first than PostgreSQL. The result is the error of
// the value that PostgreSQL would find first.
func (w *Write) locateCell(cause error, fragments []string, try func(sql string, used []int) error) error {
	var first *refusedCell
	for i := range w.Type.Columns {
		if !w.given(i) {
			continue
		}
		c := w.refusedIn(i, fragments, try)
		if c != nil && (first == nil || c.before(first)) {
			first = c
		}
	}
	if first == nil {
		return cause
	}
	located := *first.err
	located.WithColumn(catalog.SchemaPublic, w.Type.Table, w.Type.Columns[first.column].Name).Within(w.Scoped.Where(first.row, first.column))
	if located.Position == 0 && !fitted(&located) {
		located.Position = first.position
	}
	return &located
}

// fitted reports whether an error is of a value that is too long or has too many digits for
// its column. PostgreSQL finds it when it stores the value, and gives no position.
func fitted(e *pgerr.Error) bool {
	return e.Code == pgerr.StringDataRightTruncation || e.Code == pgerr.NumericValueOutOfRange && strings.HasPrefix(e.Detail, "A field with precision")
}

// refusedIn finds the first bad value of a column by bisection, nil for none. That costs about
// two runs over the column.
func (w *Write) refusedIn(column int, fragments []string, try func(sql string, used []int) error) *refusedCell {
	refuses := func(from, to int) error {
		sql, used, err := w.Scoped.BindCells(column, from, to, fragments)
		if err != nil {
			return nil
		}
		return try(sql, used)
	}
	from, to := 0, w.Scoped.ValueRows()
	err := refuses(from, to)
	for err != nil && to-from > 1 {
		middle := from + (to-from)/2
		if half := refuses(from, middle); half != nil {
			to, err = middle, half
		} else {
			from, err = middle, refuses(middle, to)
		}
	}
	var e *pgerr.Error
	if !errors.As(err, &e) || !IsValueError(e.Code) {
		return nil
	}
	return &refusedCell{row: from, column: column, position: w.Scoped.Position(from, column), err: e}
}

// LocateValue adds the column to an error of the engine about a value. The engine does not
// name it, so the columns are tried one by one, and the rows of a VALUES list too. try runs a
// query and returns its error.
func (w *Write) LocateValue(cause error, fragments []string, try func(sql string, used []int) error) error {
	var e *pgerr.Error
	if !errors.As(cause, &e) || !IsValueError(e.Code) {
		return cause
	}
	if w.Scoped.ValueRows() > 0 {
		return w.locateCell(cause, fragments, try)
	}
	var failed []string
	given := 0
	for i, c := range w.Type.Columns {
		if !w.given(i) {
			continue
		}
		given++
		sql, used, err := w.Scoped.BindColumn(i, fragments)
		if err != nil {
			return cause
		}
		if try(sql, used) != nil {
			failed = append(failed, c.Name)
		}
	}
	if len(failed) == 0 || len(failed) == given && given > 1 {
		return cause // it was no value of a column
	}
	located := *e
	located.WithColumn(catalog.SchemaPublic, w.Type.Table, failed[0]).Within(fmt.Sprintf(`column "%s" of the rows for "%s"`, strings.Join(failed, `", "`), w.Type.Table))
	return &located
}

// IsValueError reports whether a SQLSTATE is about a value: class 22, data exception.
func IsValueError(code string) bool { return strings.HasPrefix(code, "22") }
