package settings

import (
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// Zone is TimeZone, in which timestamps are printed and read.
func (s *Values) Zone() *time.Location { return s.Style().Zone }

// Style is how values are printed as text. The caller does not modify it.
func (s *Values) Style() *textout.Style {
	if s.derived.style == nil {
		s.derived.style = s.newStyle()
	}
	return s.derived.style
}

func (s *Values) newStyle() *textout.Style {
	zone, ok := LoadZone(s.Value("timezone"))
	if !ok {
		zone = time.UTC
	}
	style := &textout.Style{Zone: zone, Escape: s.Value("bytea_output") == "escape"}
	style.SetDates(s.Value("datestyle"))
	style.SetIntervals(s.Value("intervalstyle"))
	if digits, err := strconv.Atoi(s.Value("extra_float_digits")); err == nil && digits < 1 {
		style.Rounded, style.ExtraDigits = true, digits
	}
	return style
}

// TimeInput is how texts of dates, times and intervals are read. now is the time that
// the words now, today, tomorrow and yesterday are relative to.
func (s *Values) TimeInput(now func() time.Time) datetime.TimeInput {
	return datetime.TimeInput{Order: s.DateOrder(), SQLIntervals: s.Value("intervalstyle") == "sql_standard", Now: now}
}

// DateOrder is the order of day, month and year in dates that consist of numbers: the
// second word of DateStyle.
func (s *Values) DateOrder() datetime.DateOrder {
	_, order, _ := strings.Cut(s.Value("datestyle"), ", ")
	return dateOrders[order]
}

var dateOrders = map[string]datetime.DateOrder{"MDY": datetime.MonthFirst, "DMY": datetime.DayFirst, "YMD": datetime.YearFirst}

// outputSettings are the settings that the text of a value depends on, planSettings those that the
// plan of a statement does.
var (
	outputSettings = []string{"timezone", "datestyle", "intervalstyle", "bytea_output", "extra_float_digits"}
	planSettings   = []string{"search_path", OnConflict, "datestyle"}
)

// OutputKey are the values of outputSettings in one text. Two sessions with the same text
// print and read values in the same way.
func (s *Values) OutputKey() string {
	if s.derived.outputKey == "" {
		s.derived.outputKey = s.together(outputSettings)
	}
	return s.derived.outputKey
}

// PlanKey are the values of planSettings in one text.
func (s *Values) PlanKey() string {
	if s.derived.planKey == "" {
		s.derived.planKey = s.together(planSettings)
	}
	return s.derived.planKey
}

func (s *Values) together(names []string) (text string) {
	for _, name := range names {
		text += s.Value(name) + "\x00"
	}
	return text
}
