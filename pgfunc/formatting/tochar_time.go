package formatting

import (
	"fmt"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/numeric"
)

// timeKeywords are the keywords of patterns of dates and times (manual, table
// 9.28), in upper and in lower case, in the order in which they are tried.
var timeKeywords = withLower([]string{
	"A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "CC", "DAY", "DDD", "DD", "DY", "Day", "Dy", "D", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "FX",
	"HH24", "HH12", "HH", "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I", "J", "MI", "MM", "MONTH", "MON", "MS", "Month", "Mon", "OF",
	"P.M.", "PM", "Q", "RM", "SSSSS", "SSSS", "SS", "TZH", "TZM", "TZ", "US", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y",
})

func withLower(keys []string) []string {
	out := append([]string{}, keys...)
	for _, k := range keys {
		if k == strings.ToUpper(k) && k != strings.ToLower(k) {
			out = append(out, strings.ToLower(k))
		}
	}
	return out
}

var (
	monthNames = []string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
	}
	dayNames     = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	romanMonths  = []string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}
	timeFunction = []fmgr.Kind{fmgr.Int, fmgr.Int, fmgr.Text, fmgr.Text}
)

// timeFunctions write and read dates and times by patterns.
var timeFunctions = []fmgr.Function{
	// The microseconds of a local time since 1970, the seconds its zone is east of
	// UTC, the zone's name, a pattern.
	{Name: "ontosql_time_chars", Args: timeFunction, Result: fmgr.Text, New: func() fmgr.Call {
		patterns, zones := &fmgr.Cache[[]node]{}, &fmgr.Cache[*time.Location]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			return timeChars(a[3].Text, patterns, localMoment(a[0].Int, a[1].Int, abbreviation(a[2].Text, a[0].Int, a[1].Int, zones)))
		}
	}},
	// The months, days and microseconds of an interval, a pattern.
	{Name: "ontosql_interval_chars", Args: []fmgr.Kind{fmgr.Int, fmgr.Int, fmgr.Int, fmgr.Text}, Result: fmgr.Text, New: func() fmgr.Call {
		patterns := &fmgr.Cache[[]node]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			return timeChars(a[3].Text, patterns, span(a[0].Int, a[1].Int, a[2].Int))
		}
	}},
	// A text and a pattern: the microseconds of the local time since 1970.
	{Name: "ontosql_parse_time", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Int, New: func() fmgr.Call {
		patterns := &fmgr.Cache[[]node]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			micros, _, _, err := parseTime(a[0].Text, a[1].Text, patterns)
			return fmgr.Value{Int: micros}, err
		}
	}},
	// A text and a pattern: the seconds its zone is east of UTC, NULL for no zone.
	{Name: "ontosql_parse_zone", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Int, New: func() fmgr.Call {
		patterns := &fmgr.Cache[[]node]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			_, zone, given, err := parseTime(a[0].Text, a[1].Text, patterns)
			return fmgr.Value{Null: !given, Int: int64(zone)}, err
		}
	}},
}

// abbreviation is what a zone calls itself at a local time, the zone's own name if
// that is unknown.
func abbreviation(zone string, micros, offset int64, zones *fmgr.Cache[*time.Location]) string {
	if zone == "" {
		return ""
	}
	at, err := zones.Get(zone, func() (*time.Location, error) { return time.LoadLocation(zone) })
	if err != nil {
		return zone
	}
	short, _ := time.UnixMicro(micros - offset*1_000_000).In(at).Zone()
	return short
}

// moment is a time taken apart. Of an interval the fields may be negative, and
// yearDay is its length in days.
type moment struct {
	year, month, day   int
	hour, minute       int
	second, micro      int
	weekday, yearDay   int
	offset             int
	zone               string
	interval           bool
	isoYear, week, doy int
}

func localMoment(micros, offset int64, zone string) moment {
	day := numeric.FloorDiv(micros, datetime.MicrosPerDay)
	rest := int(micros - day*datetime.MicrosPerDay)
	jd := int(day) + datetime.UnixEpochDay
	m := moment{offset: int(offset), zone: zone, weekday: datetime.Weekday(jd)}
	m.year, m.month, m.day = datetime.CivilDate(jd)
	m.yearDay = jd - datetime.JulianDay(m.year, 1, 1) + 1
	m.isoYear, m.week, m.doy = datetime.IsoWeek(m.year, m.month, m.day)
	m.clock(rest)
	return m
}

func span(months, days, micros int64) moment {
	m := moment{interval: true, year: int(months / 12), month: int(months % 12), day: int(days), yearDay: int(months*30 + days)}
	m.clock(int(micros))
	return m
}

func (m *moment) clock(micros int) {
	m.hour = micros / (3600 * datetime.MicrosPerSecond)
	m.minute = micros / (60 * datetime.MicrosPerSecond) % 60
	m.second = micros / datetime.MicrosPerSecond % 60
	m.micro = micros % datetime.MicrosPerSecond
}

// bcYear is the year as it is written, which has no year 0.
func (m *moment) bcYear(year int) int {
	if m.interval || year > 0 {
		return year
	}
	return 1 - year
}

// timeChars is to_char of a time. An empty pattern gives NULL.
func timeChars(pattern string, patterns *fmgr.Cache[[]node], m moment) (fmgr.Value, error) {
	if pattern == "" {
		return fmgr.Null, nil
	}
	nodes, err := patterns.Get(pattern, func() ([]node, error) { return parsePattern(pattern, timeKeywords, true), nil })
	if err != nil {
		return fmgr.Null, err
	}
	var out strings.Builder
	for _, n := range nodes {
		if n.key == "" {
			out.WriteString(n.char)
			continue
		}
		if err := m.write(&out, n); err != nil {
			return fmgr.Null, err
		}
	}
	return fmgr.TextValue(out.String()), nil
}

// write appends the text of a keyword.
func (m *moment) write(out *strings.Builder, n node) error {
	if m.interval && calendarOnly(strings.ToUpper(n.key)) {
		return pgerr.New(pgerr.InvalidDatetimeFormat, "invalid format specification for an interval value").
			WithHint("Intervals are not tied to specific calendar dates.")
	}
	if digits, ok := m.digits(n); ok {
		if n.th != "" {
			digits += ordinal(digits, n.th)
		}
		out.WriteString(digits)
		return nil
	}
	out.WriteString(m.name(n))
	return nil
}

// calendarOnly reports of a keyword that it means nothing of an interval.
func calendarOnly(key string) bool {
	switch key {
	case "MONTH", "MON", "DAY", "DY", "D", "ID", "TZ", "TZH", "TZM", "OF", "A.D.", "AD", "B.C.", "BC":
		return true
	}
	return false
}

// digits is what a keyword of a number writes.
func (m *moment) digits(n node) (string, bool) {
	padded := func(v, width int) (string, bool) {
		if n.fill {
			width = 0
		} else if v < 0 {
			width++
		}
		return fmt.Sprintf("%0*d", width, v), true
	}
	// The width of a day counts the sign.
	fixed := func(v, width int) (string, bool) {
		if n.fill {
			width = 0
		}
		return fmt.Sprintf("%0*d", width, v), true
	}
	key := strings.ToUpper(n.key)
	switch key {
	case "HH", "HH12":
		v := m.hour % 12
		if v == 0 {
			v = 12
		}
		if m.hour < 0 && !n.fill {
			return fmt.Sprintf("%03d", v), true
		}
		return padded(v, 2)
	case "HH24":
		return padded(m.hour, 2)
	case "MI":
		return padded(m.minute, 2)
	case "SS":
		return padded(m.second, 2)
	case "MS", "FF3":
		return fmt.Sprintf("%03d", m.micro/1000), true
	case "US", "FF6":
		return fmt.Sprintf("%06d", m.micro), true
	case "FF1", "FF2", "FF4", "FF5":
		digits := int(key[2] - '0')
		v := m.micro
		for range 6 - digits {
			v /= 10
		}
		return fmt.Sprintf("%0*d", digits, v), true
	case "SSSS", "SSSSS":
		return fmt.Sprint(m.hour*3600 + m.minute*60 + m.second), true
	case "MM":
		return padded(m.month, 2)
	case "DDD":
		return fixed(m.yearDay, 3)
	case "IDDD":
		return padded(m.doy, 3)
	case "DD":
		return fixed(m.day, 2)
	case "D":
		return fmt.Sprint(m.weekday + 1), true
	case "ID":
		return fmt.Sprint((m.weekday+6)%7 + 1), true
	case "WW":
		return fixed((m.yearDay-1)/7+1, 2)
	case "IW":
		return padded(m.week, 2)
	case "W":
		return fmt.Sprint((m.day-1)/7 + 1), true
	case "Q":
		if m.month == 0 {
			return "", false
		}
		return fmt.Sprint((m.month-1)/3 + 1), true
	case "J":
		return fmt.Sprint(datetime.JulianDay(m.year, m.month, m.day)), true
	case "CC":
		return m.century(n)
	case "Y,YYY":
		y := m.bcYear(m.year)
		return fmt.Sprintf("%d,%03d", y/1000, y%1000), true
	case "YYYY", "YYY", "YY", "Y":
		return padded(lastDigits(m.bcYear(m.year), len(key)), len(key))
	case "IYYY", "IYY", "IY", "I":
		return padded(lastDigits(m.bcYear(m.isoYear), len(key)), len(key))
	}
	return "", false
}

func lastDigits(year, digits int) int {
	switch digits {
	case 1:
		return year % 10
	case 2:
		return year % 100
	case 3:
		return year % 1000
	}
	return year
}

func (m *moment) century(n node) (string, bool) {
	c := m.year / 100
	switch {
	case m.interval:
	case m.year > 0:
		c = (m.year-1)/100 + 1
	default:
		c--
	}
	width := 2
	if n.fill || c > 99 || c < -99 {
		width = 0
	} else if c < 0 {
		width = 3
	}
	return fmt.Sprintf("%0*d", width, c), true
}

// name is what a keyword of words writes.
func (m *moment) name(n node) string {
	width := func(w int, s string) string {
		if n.fill || n.local {
			return s
		}
		return fmt.Sprintf("%-*s", w, s)
	}
	half := "a"
	if ((m.hour%24)+24)%24 >= 12 && m.hour >= 0 {
		half = "p"
	}
	switch key := n.key; strings.ToUpper(key) {
	case "AM", "PM":
		return likeCase(half+"m", key)
	case "A.M.", "P.M.":
		return likeCase(half+".m.", key)
	case "AD", "BC", "A.D.", "B.C.":
		era := "ad"
		if m.year <= 0 {
			era = "bc"
		}
		if len(key) > 2 {
			era = era[:1] + "." + era[1:] + "."
		}
		return likeCase(era, key)
	case "MONTH":
		return width(9, likeCase(monthNames[m.month-1], key))
	case "MON":
		return likeCase(monthNames[m.month-1][:3], key)
	case "DAY":
		return width(9, likeCase(dayNames[m.weekday], key))
	case "DY":
		return likeCase(dayNames[m.weekday][:3], key)
	case "RM":
		if m.month == 0 && m.year == 0 {
			return ""
		}
		return width(4, likeCase(romanMonths[m.roman()], key))
	case "TZ":
		return likeCase(m.zone, key)
	case "TZH":
		return fmt.Sprintf("%c%02d", sign(m.offset), numeric.Abs(m.offset)/3600)
	case "TZM":
		return fmt.Sprintf("%02d", numeric.Abs(m.offset)%3600/60)
	case "OF":
		return m.offsetChars(n)
	}
	return ""
}

func (m *moment) roman() int {
	switch {
	case m.month == 0 && m.year >= 0:
		return 11
	case m.month == 0:
		return 0
	case m.month < 0:
		return 12 + m.month
	}
	return m.month - 1
}

func (m *moment) offsetChars(n node) string {
	width := 2
	if n.fill {
		width = 0
	}
	s := fmt.Sprintf("%c%0*d", sign(m.offset), width, numeric.Abs(m.offset)/3600)
	if minutes := numeric.Abs(m.offset) % 3600 / 60; minutes != 0 {
		s += fmt.Sprintf(":%02d", minutes)
	}
	return s
}

func sign(n int) rune {
	if n < 0 {
		return '-'
	}
	return '+'
}

// likeCase writes a word in upper or lower case, or with a capital, as a keyword is
// written.
func likeCase(word, key string) string {
	switch key {
	case strings.ToUpper(key):
		return strings.ToUpper(word)
	case strings.ToLower(key):
		return strings.ToLower(word)
	}
	return word
}
