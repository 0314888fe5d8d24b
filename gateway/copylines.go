package gateway

import "slices"

// copyLines tells the line that a row stands on without keeping all of them: rows
// and lines run side by side but where csv spreads a row over several lines.
type copyLines struct {
	steps []copyStep
	rows  int64 // as far as lines are known
}

// copyStep says that from a row on, lines are that much ahead of rows.
type copyStep struct{ row, ahead int64 }

// mostSteps bounds the memory for lines; those of the rows behind are not known.
const mostSteps = 1 << 16

// add takes in the next row.
func (l *copyLines) add(row, line int64) {
	if n := len(l.steps); n == 0 || l.steps[n-1].ahead != line-row {
		if n == mostSteps || l.rows < row-1 {
			return
		}
		l.steps = append(l.steps, copyStep{row, line - row})
	}
	if l.rows == row-1 {
		l.rows = row
	}
}

// line is that of a row, 0 where it is not known.
func (l *copyLines) line(row int64) int64 {
	if row > l.rows {
		return 0
	}
	i, found := slices.BinarySearchFunc(l.steps, row, func(s copyStep, row int64) int { return int(s.row - row) })
	if !found {
		i--
	}
	return row + l.steps[i].ahead
}
