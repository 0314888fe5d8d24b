package settings

import (
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// Zone is TimeZone, in which timestamps are printed and read.
func (s *Values) Zone() *time.Location {
	zone, ok := LoadZone(s.Value("TimeZone"))
	if !ok {
		return time.UTC
	}
	return zone
}

// Style is how values are printed as text.
func (s *Values) Style() textout.Style {
	style := textout.Style{Zone: s.Zone(), Escape: s.Value("bytea_output") == "escape"}
	style.SetDates(s.Value("DateStyle"))
	style.SetIntervals(s.Value("IntervalStyle"))
	if digits, err := strconv.Atoi(s.Value("extra_float_digits")); err == nil && digits < 1 {
		style.Rounded, style.ExtraDigits = true, digits
	}
	return style
}

// TimeInput is how texts of dates, times and intervals are read. now is the time that
// the words now, today, tomorrow and yesterday are relative to.
func (s *Values) TimeInput(now func() time.Time) datetime.TimeInput {
	return datetime.TimeInput{Order: s.DateOrder(), SQLIntervals: s.Value("IntervalStyle") == "sql_standard", Now: now}
}

// DateOrder is the order of day, month and year in dates that consist of numbers: the
// second word of DateStyle.
func (s *Values) DateOrder() datetime.DateOrder {
	_, order, _ := strings.Cut(s.Value("DateStyle"), ", ")
	return dateOrders[order]
}

var dateOrders = map[string]datetime.DateOrder{"MDY": datetime.MonthFirst, "DMY": datetime.DayFirst, "YMD": datetime.YearFirst}

// outputSettings are the settings that the text of a value depends on.
var outputSettings = []string{"timezone", "datestyle", "intervalstyle", "bytea_output", "extra_float_digits"}

// OutputKey are the values of outputSettings in one text. Two sessions with the same text
// print and read values in the same way.
func (s *Values) OutputKey() string {
	if s.outputKey == "" {
		for _, name := range outputSettings {
			s.outputKey += s.Value(name) + "\x00"
		}
	}
	return s.outputKey
}
