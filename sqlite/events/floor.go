package events

import (
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// floors are, by namespace, types and handler, the rows up to which all events are done, so that a
// claim does not look at them again.
type floors struct {
	at    map[[3]string]floor
	since time.Time // when the first one was found
}

// Bounds of what is remembered: a floor that is forgotten costs one search from the first row.
const (
	maxFloors = 256
	// floorTime is how long floors are believed. Nothing in SQLite tells that a file was restored
	// with claims of an earlier time.
	floorTime = 5 * time.Minute
)

// floor is a row of the table events. New events get greater row ids as long as it is there with its
// id: VACUUM, which gives rows other ids, and a removal of the last rows are noticed by it.
type floor struct {
	row int64
	id  string
}

// raiseFloor returns the greatest row up to which all events of a request are done, 0 for none.
func (b *Bus) raiseFloor(w *sqlconn.Writer, r *eventbus.Request, types string, now time.Time) (int64, error) {
	if age := now.Sub(b.floors.since); b.floors.at == nil || age > floorTime || age < 0 || len(b.floors.at) > maxFloors {
		b.floors = floors{at: map[[3]string]floor{}, since: now}
	}
	name := [3]string{r.Namespace, types, r.Handler}
	from := b.floors.at[name]
	if there, err := rowAt(w, "SELECT rowid, id FROM events WHERE rowid = ?", from.row); err != nil {
		return 0, err
	} else if there != from {
		from = floor{}
	}
	first, found, err := w.Int64("SELECT e.rowid"+byRow+" ORDER BY e.rowid LIMIT 1", r.Namespace, types, r.Handler, from.row)
	if err != nil {
		return 0, err
	}
	if found {
		from, err = rowAt(w, "SELECT rowid, id FROM events WHERE rowid < ? ORDER BY rowid DESC LIMIT 1", first)
	} else {
		from, err = rowAt(w, "SELECT rowid, id FROM events WHERE rowid > ? ORDER BY rowid DESC LIMIT 1", int64(0))
	}
	if err != nil {
		return 0, err
	}
	b.floors.at[name] = from
	return from.row, nil
}

// rowAt is the row that a query finds, zero for none.
func rowAt(w *sqlconn.Writer, query string, arg int64) (f floor, err error) {
	err = w.Each(query, func(row *lite.Stmt) error {
		f = floor{row.ColumnInt64(0), row.ColumnText(1)}
		return nil
	}, arg)
	return f, err
}
