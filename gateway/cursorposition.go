package gateway

import (
	"math"

	"github.com/ontosql/ontosql/rewrite/syntax"
)

// position is where a cursor stands.
type position struct {
	at    int64 // the row that was fetched last, from 1; 0 is before the first
	total int64 // rows of the whole result, where ended tells it
	ended bool  // total is known
}

// reach is which rows a FETCH gives, from one to the other, both included, and where
// the cursor stands afterwards. No row is from 1 to 0.
type reach struct {
	from, to int64
	back     bool // in the opposite order
	at       int64
}

// reach is the range of rows that a FETCH or MOVE passes, as in PostgreSQL's DoPortalRunFetch.
// total is math.MaxInt64-1 while the number of rows is unknown.
func (p position) reach(o syntax.CursorOptions) (r reach) {
	total := int64(math.MaxInt64 - 1)
	if p.ended {
		total = p.total
	}
	one := func(row int64) reach {
		row = min(max(row, 0), total+1)
		if row == 0 || row > total {
			return reach{from: 1, at: row}
		}
		return reach{from: row, to: row, at: row}
	}
	n, back := o.Count, o.Direction == "backward"
	switch o.Direction {
	case "absolute":
		if n < 0 {
			n += total + 1
		}
		return one(n)
	case "relative":
		return one(p.at + n)
	}
	if n < 0 {
		n, back = -n, !back
	}
	switch {
	case n == 0:
		return one(p.at)
	case back:
		low := max(p.at-min(n, p.at), 0)
		return reach{from: max(low, 1), to: p.at - 1, back: true, at: low}
	}
	high := total + 1
	if n <= total-p.at {
		high = p.at + n
	}
	return reach{from: p.at + 1, to: min(high, total), at: high}
}

// onRow reports whether the cursor is on a row, and neither before the first nor behind
// the last.
func (p position) onRow() bool { return p.at > 0 && !(p.ended && p.at > p.total) }

// backwards reports whether a FETCH or MOVE goes back, as PostgreSQL's DoPortalRunFetch
// does it: a cursor without SCROLL refuses it even where there is no row to go back to.
func (p position) backwards(o syntax.CursorOptions, move bool) bool {
	n, back := o.Count, false
	switch o.Direction {
	case "absolute":
		return n < 0 || n <= p.at && p.at > 0
	case "forward", "relative":
		back = n < 0
	case "backward":
		back = n >= 0
	}
	switch {
	case n == 0 && p.onRow():
		return true // the row is fetched again
	case move && o.Direction == "backward" && n == syntax.FetchAll:
		return p.at > 0 // which only rewinds
	}
	return back
}
