package datetime

import (
	"strconv"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// DateOrder is how a date of numbers is read whose year comes last (PostgreSQL manual,
// DateStyle).
type DateOrder uint8

// The orders of DateStyle.
const (
	MonthFirst DateOrder = iota // MDY
	DayFirst                    // DMY
	YearFirst                   // YMD
)

// TimeInput is what a session says of how dates, times and intervals are read.
type TimeInput struct {
	Order DateOrder
	// SQLIntervals tells that IntervalStyle is sql_standard: the sign in front of an interval
	// is that of all of its parts where no other has one.
	SQLIntervals bool
	// Now is the time of the transaction in the session's time zone. A word for a moment that
	// moves is no text of a type where it is not known.
	Now func() time.Time
}

// timeInputFunctions read texts that a statement casts when it runs.
var timeInputFunctions = []fmgr.Function{
	// A text, the name of a type, a DateOrder.
	{Name: "ontosql_read_time", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if a[1].Text != "time" && isoDate(a[0].Text) {
			return a[0], nil
		}
		s, err := ReadTime(a[0].Text, a[1].Text, TimeInput{Order: DateOrder(a[2].Int)})
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.TextValue(s), nil
	})},
}

// isoDate reports whether a text is a day as it is mostly written: 2024-05-07.
func isoDate(s string) bool {
	if len(s) != len("2024-05-07") || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range len(s) {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	year, month, day := digitsOf(s[:4]), digitsOf(s[5:7]), digitsOf(s[8:])
	return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= DaysOfMonth(year, month)
}

// ReadTime reads the text of a date, time, timestamp or timestamptz, which name says, and
// writes it as the engine reads it.
func ReadTime(s, name string, in TimeInput) (string, *pgerr.Error) {
	m, err := ReadTimeText(s, name, in.Order)
	switch {
	case err != nil:
		return "", err
	case m.Moves() && in.Now == nil:
		return "", m.error(syntaxFault)
	case m.Moves():
		m.settle(in.Now())
	}
	return m.text()
}

// digitsOf reads digits; there are few of them.
func digitsOf(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
