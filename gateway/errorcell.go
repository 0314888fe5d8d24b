package gateway

import (
	"errors"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgerr"
)

// refusedCell is a value of a listed row that the engine does not take.
type refusedCell struct {
	row, column int
	position    int // of a literal in the statement, else 0
	err         *pgerr.Error
}

// before is the order in which PostgreSQL would meet two of them: literals while
// it analyses the statement, the others when it computes row after row.
func (c *refusedCell) before(d *refusedCell) bool {
	switch {
	case (c.position > 0) != (d.position > 0):
		return c.position > 0
	case c.position > 0:
		return c.position < d.position
	}
	return c.row < d.row
}

// locateCell is locateValue for a statement that lists its rows. The engine goes column by
// column, so that it may have met another value first than PostgreSQL would:
// the error is that of the cell.
func (w *writing) locateCell(cause error, fragments []string, try func(sql string, used []int) error) error {
	var first *refusedCell
	for i := range w.typ.Columns {
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
	located.Schema, located.Table, located.Column = catalog.SchemaPublic, w.typ.Table, w.typ.Columns[first.column].Name
	located.Where = w.scoped.Where(first.row, first.column)
	if located.Position == 0 && located.Code != pgerr.StringDataRightTruncation { // which PostgreSQL finds when it stores the value
		located.Position = first.position
	}
	return &located
}

// refusedIn is the first value of a column that is refused, nil for none. It is
// found by halves, which costs about two runs over the column.
func (w *writing) refusedIn(column int, fragments []string, try func(sql string, used []int) error) *refusedCell {
	refuses := func(from, to int) error {
		sql, used, err := w.scoped.BindCells(column, from, to, fragments)
		if err != nil {
			return nil
		}
		return try(sql, used)
	}
	from, to := 0, w.scoped.ValueRows()
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
	if !errors.As(err, &e) || !valueError(e.Code) {
		return nil
	}
	return &refusedCell{row: from, column: column, position: w.scoped.Position(from, column), err: e}
}
