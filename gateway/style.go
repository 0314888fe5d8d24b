package gateway

import (
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgfunc"
)

// location is TimeZone, in which timestamps are printed and read.
func (s *settings) location() *time.Location {
	zone, ok := loadZone(s.value("TimeZone"))
	if !ok {
		return time.UTC
	}
	return zone
}

// style is how values are printed as text.
func (s *settings) style() pgfunc.Style {
	style := pgfunc.Style{Zone: s.location(), Escape: s.value("bytea_output") == "escape"}
	style.SetDates(s.value("DateStyle"))
	style.SetIntervals(s.value("IntervalStyle"))
	if digits, err := strconv.Atoi(s.value("extra_float_digits")); err == nil && digits < 1 {
		style.Rounded, style.ExtraDigits = true, digits
	}
	return style
}

// timeInput is how texts of dates, times and intervals are read. now is the time that
// the words now, today, tomorrow and yesterday are relative to.
func (s *settings) timeInput(now func() time.Time) pgfunc.TimeInput {
	return pgfunc.TimeInput{Order: s.dateOrder(), SQLIntervals: s.value("IntervalStyle") == "sql_standard", Now: now}
}

// dateOrder is the order of day, month and year in dates that consist of numbers: the
// second word of DateStyle.
func (s *settings) dateOrder() pgfunc.DateOrder {
	_, order, _ := strings.Cut(s.value("DateStyle"), ", ")
	return dateOrders[order]
}

var dateOrders = map[string]pgfunc.DateOrder{"MDY": pgfunc.MonthFirst, "DMY": pgfunc.DayFirst, "YMD": pgfunc.YearFirst}

// outputSettings are the settings that the text of a value depends on.
var outputSettings = []string{"timezone", "datestyle", "intervalstyle", "bytea_output", "extra_float_digits"}

// styles are the values of outputSettings in one text. Two sessions with the same text
// print and read values in the same way.
func (s *settings) styles() string {
	if s.styled == "" {
		for _, name := range outputSettings {
			s.styled += s.value(name) + "\x00"
		}
	}
	return s.styled
}
