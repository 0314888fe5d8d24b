package copydata

import "slices"

// Lines tells which line of the data a row begins on. Row and line numbers differ only after
// rows of csv that span several lines, so few steps are stored.
type Lines struct {
	steps []step
	rows  int64 // up to which the lines are known
}

// step says that from row on, the line is row + ahead.
type step struct{ row, ahead int64 }

// mostSteps limits the memory. The lines of rows after the last step are not known.
const mostSteps = 1 << 16

// Add records the line of the next row.
func (l *Lines) Add(row, line int64) {
	if n := len(l.steps); n == 0 || l.steps[n-1].ahead != line-row {
		if n == mostSteps || l.rows < row-1 {
			return
		}
		l.steps = append(l.steps, step{row, line - row})
	}
	if l.rows == row-1 {
		l.rows = row
	}
}

// Line is the line of a row, 0 if it is not known.
func (l *Lines) Line(row int64) int64 {
	if row > l.rows {
		return 0
	}
	i, found := slices.BinarySearchFunc(l.steps, row, func(s step, row int64) int { return int(s.row - row) })
	if !found {
		i--
	}
	return row + l.steps[i].ahead
}
