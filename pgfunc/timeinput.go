package pgfunc

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgerr"
)

// DateOrder is how a date of numbers is read whose year comes last (PostgreSQL manual,
// DateStyle).
type DateOrder uint8

// The orders of DateStyle.
const (
	MonthFirst DateOrder = iota // MDY
	DayFirst                    // DMY
	YearFirst                   // YMD: no such date is read
)

// timeInputFunctions read texts that a statement casts when it runs.
var timeInputFunctions = []Function{
	// A text, the name of a type, a DateOrder.
	{Name: "ontosql_read_time", Args: []Kind{Text, Text, Int}, Result: Text, New: plain(func(a []Value) (Value, error) {
		if a[1].Text != "time" && isoDate(a[0].Text) {
			return a[0], nil
		}
		s, err := ReadTime(a[0].Text, a[1].Text, DateOrder(a[2].Int))
		if err != nil {
			return null, err
		}
		return text(s), nil
	})},
}

// written is what a text of a date or time type says.
type written struct {
	year, month, day     int // year 0 is 1 BC
	hour, minute, second int
	micros               int // 1000000 when the fraction rounds up
	zoned                bool
	offset               int // east of UTC in seconds
}

const (
	monthName = `([A-Za-z]{3,9})`
	clockForm = `(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d*))?)?(?:\s*(?P<half>[AaPp][Mm])\b)?`
	// aloneForm is a zone behind a date without a time of day, as pgjdbc writes dates. A minus
	// right behind it would be one more part of the date.
	aloneForm = `\s*(?P<alone>[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|(?:\+|\s-)\d{1,2}(?::?\d{2}(?::?\d{2})?)?|\s[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)`
	zoneForm  = `(?:\s*(?P<zone>[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|[+-]\d{1,2}(?::?\d{2}(?::?\d{2})?)?|\s[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+|[A-Za-z]{3,6}))?`
)

var numbersToYear = regexp.MustCompile(`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})`)

// dateForms are the spellings of a date, with the order of their parts. One of numbers
// with the year at its end begins with the month, unless DateStyle says otherwise.
var dateForms = []struct {
	form             *regexp.Regexp
	year, month, day int
}{
	{regexp.MustCompile(`^(\d{4,7})-(\d{1,2})-(\d{1,2})`), 1, 2, 3},
	{regexp.MustCompile(`^(\d{4})/(\d{1,2})/(\d{1,2})`), 1, 2, 3},
	{regexp.MustCompile(`^(\d{4})\.(\d{1,2})\.(\d{1,2})`), 1, 2, 3},
	{regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})`), 1, 2, 3},
	{numbersToYear, 3, 1, 2},
	{regexp.MustCompile(`^(\d{4})-` + monthName + `-(\d{1,2})`), 1, 2, 3},
	{regexp.MustCompile(`^` + weekdayText + `?` + monthName + ` +(\d{1,2}),? +(\d{4})`), 3, 1, 2},
	{regexp.MustCompile(`^` + weekdayText + `?(\d{1,2})[ -]` + monthName + `[ -](\d{4})`), 3, 2, 1},
	{regexp.MustCompile(`^(\d{4}) ` + monthName + ` (\d{1,2})\b`), 1, 2, 3},
}

// clockAmid are the spellings in which the time of day does not stand behind the date,
// and what puts it there: Tue May 07 10:00:00 2024 EDT, as the program date prints it.
var clockAmid = []struct {
	form      *regexp.Regexp
	dateFirst string
}{
	{regexp.MustCompile(`^(` + weekdayText + `?(?:[A-Za-z]{3,9} +\d{1,2}|\d{1,2}[ -][A-Za-z]{3,9})) +(` + clockText + `) +(\d{4})\b`), "$1 $3 $2"},
	{regexp.MustCompile(`^(` + clockText + `) +(` + weekdayText + `?(?:[A-Za-z]{3,9} +\d{1,2},?|\d{1,2}[ -][A-Za-z]{3,9})[ -]+\d{4})\b`), "$2 $1"},
}

const (
	weekdayText = `(?:(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)`
	clockText   = `\d{1,2}:\d{1,2}(?::\d{1,2}(?:\.\d*)?)?(?:\s*[AaPp][Mm]\b)?`
)

var (
	afterDate   = regexp.MustCompile(`^(?:(?:[Tt]|\s+)(?:` + clockForm + `|(?P<compact>\d{6})(?:\.(?P<compactfraction>\d*))?)` + zoneForm + `|` + aloneForm + `)?(?:\s+(?P<era>[Bb][Cc]|[Aa][Dd]))?$`)
	compactTime = regexp.MustCompile(`^(\d\d)(\d\d)(\d\d)?`)
	timeOfDay   = regexp.MustCompile(`^` + clockForm + zoneForm + `$`)
	monthList   = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
)

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
	return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month)
}

// ReadTime reads the text of a date, time, timestamp or timestamptz, which name says, and writes it as the engine reads it. Of words for moments it knows those
// that do not move.
func ReadTime(s, name string, order DateOrder) (string, *pgerr.Error) {
	text := strings.Trim(s, blank)
	if name == "time" {
		if strings.EqualFold(text, "allballs") {
			return "00:00:00", nil
		}
		if p := compactTime.FindStringSubmatch(text); p != nil {
			text = p[1] + ":" + p[2] + ":" + cmp.Or(p[3], "00") + text[len(p[0]):]
		}
	}
	if word := strings.ToLower(text); name != "time" && (word == "epoch" || word == "infinity" || word == "-infinity") {
		return word, nil
	}
	var m written
	if err := m.read(s, text, name, order); err != nil {
		return "", err
	}
	return m.text(s, name)
}

const blank = " \t\n\v\f\r"

// read reads text, which is s without the blanks around it, as a value of the type that
// name says.
func (m *written) read(s, text, name string, order DateOrder) *pgerr.Error {
	isTime := name == "time" || name == "timetz"
	called := strings.NewReplacer("timestamptz", "timestamp with time zone", "timetz", "time with time zone").Replace(name)
	syntax := pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", called, s)
	rest, pattern := text, timeOfDay
	if !isTime {
		var ok bool
		if rest, ok = m.date(text, order); !ok {
			for _, amid := range clockAmid {
				text = amid.form.ReplaceAllString(text, amid.dateFirst)
			}
			if rest, ok = m.date(text, order); !ok {
				return syntax
			}
		}
		pattern = afterDate
	}
	p := pattern.FindStringSubmatch(rest)
	if p == nil {
		return syntax
	}
	get := func(name string) string {
		if i := pattern.SubexpIndex(name); i >= 0 {
			return p[i]
		}
		return ""
	}
	fraction := get("fraction")
	m.hour, m.minute, m.second = digitsOf(get("hour")), digitsOf(get("minute")), digitsOf(get("second"))
	if c := get("compact"); c != "" {
		m.hour, m.minute, m.second, fraction = digitsOf(c[:2]), digitsOf(c[2:4]), digitsOf(c[4:]), get("compactfraction")
	}
	field := pgerr.New(pgerr.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", s)
	if half := strings.ToLower(get("half")); half != "" {
		if m.hour < 1 && half == "pm" || m.hour > 12 {
			return field
		}
		m.hour = m.hour%12 + map[string]int{"pm": 12}[half]
	}
	if !isTime {
		if m.year != 0 && (m.month < 1 || m.month > 12 || m.day < 1 || m.day > 31) {
			return field.WithHint(`Perhaps you need a different "datestyle" setting.`)
		}
		if m.year == 0 {
			return field
		}
		if strings.ToLower(get("era")) == "bc" {
			m.year = 1 - m.year
		}
		if m.day > time.Date(m.year, time.Month(m.month)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
			return field
		}
	}
	if f, err := strconv.ParseFloat("0."+fraction, 64); err == nil {
		m.micros = int(math.RoundToEven(f * 1e6))
	}
	if m.minute > 59 || m.second > 60 || m.hour > 24 || m.hour == 24 && m.minute+m.second+m.micros > 0 {
		return field
	}
	zone := strings.TrimSpace(get("zone") + get("alone"))
	if err := m.zone(zone, s); err != nil {
		return err
	}
	if zone != "" && !m.zoned || name == "timetz" && strings.Contains(zone, "/") { // whose offset hangs on the day
		return syntax
	}
	return nil
}

// digitsOf reads digits; there are few of them.
func digitsOf(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// date reads the date at the beginning of a text.
func (m *written) date(s string, order DateOrder) (rest string, ok bool) {
	for _, f := range dateForms {
		p := f.form.FindStringSubmatch(s)
		if p == nil {
			continue
		}
		m.year, m.month, m.day = digitsOf(p[f.year]), digitsOf(p[f.month]), digitsOf(p[f.day])
		switch {
		case f.form != numbersToYear:
		case order == DayFirst:
			m.month, m.day = m.day, m.month
		case order == YearFirst:
			m.month = 0
		}
		for i, name := range monthList {
			if word := strings.ToLower(p[f.month]); len(word) == 3 && strings.HasPrefix(name, word) || word == name {
				m.month = i + 1
			}
		}
		if m.month == 0 && p[f.month][0] > '9' {
			continue
		}
		return s[len(p[0]):], true
	}
	return "", false
}

// ZoneOffset is the offset of a zone, in seconds east of UTC, at a local time in seconds
// since 1970. Where a clock is put forward or back the one before or after counts, as in
// PostgreSQL (DetermineTimeZoneOffset).
func ZoneOffset(zone *time.Location, local int64) int64 {
	const day = 24 * 60 * 60
	at := func(moment int64) int64 {
		_, offset := time.Unix(moment, 0).In(zone).Zone()
		return int64(offset)
	}
	before, after := at(local-day), at(local+day)
	if before == after || at(local-after) == after {
		return after
	}
	return before
}

// zone reads a zone, "" for none: a name's offset is the one of the moment.
func (m *written) zone(zone, s string) *pgerr.Error {
	m.zoned = zone != ""
	switch {
	case zone == "":
		return nil
	case strings.ContainsAny(zone, "/"):
		l, err := time.LoadLocation(zone)
		if err != nil {
			return pgerr.New(pgerr.InvalidParameterValue, "time zone \"%s\" not recognized", strings.ToLower(zone))
		}
		m.offset = int(ZoneOffset(l, time.Date(m.year, time.Month(m.month), m.day, m.hour, m.minute, m.second, 0, time.UTC).Unix()))
		return nil
	case zone[0] != '+' && zone[0] != '-':
		a, ok := ZoneAbbreviation(zone)
		if a.Name != "" {
			return m.zone(a.Name, s)
		}
		m.zoned, m.offset = ok, a.Offset
		return nil
	}
	digits := strings.ReplaceAll(zone[1:], ":", "")
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	digits += "0000"
	h, mi, sec := digitsOf(digits[:2]), digitsOf(digits[2:4]), digitsOf(digits[4:6])
	if h > 15 || mi > 59 || sec > 59 {
		return pgerr.New("22009", "time zone displacement out of range: \"%s\"", s)
	}
	m.offset = h*3600 + mi*60 + sec
	if zone[0] == '-' {
		m.offset = -m.offset
	}
	return nil
}

// clock is the time of day in microseconds.
func (m *written) clock() int64 {
	return int64(m.hour*3600+m.minute*60+m.second)*microsPerSecond + int64(m.micros)
}

// text writes the moment as the engine reads it. A second 60 and a fraction that
// rounds up are the next second.
func (m *written) text(s, name string) (string, *pgerr.Error) {
	if name == "time" {
		us := m.clock()
		return fmt.Sprintf("%02d:%02d:%02d.%06d", us/3600e6, us/60e6%60, us/1e6%60, us%1e6), nil
	}
	at := time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC)
	zone := ""
	if name != "date" {
		at = time.Date(m.year, time.Month(m.month), m.day, m.hour, m.minute, m.second, m.micros*1000, time.UTC)
	}
	if name == "timestamptz" && m.zoned {
		at, zone = at.Add(-time.Duration(m.offset)*time.Second), "+00"
	}
	word, last := "timestamp", 294276
	if name == "date" {
		word, last = "date", 5874897
	}
	if at.Year() > last || at.Year() < -4713 {
		return "", pgerr.New(pgerr.DatetimeFieldOverflow, "%s out of range: \"%s\"", word, s)
	}
	year, era := at.Year(), ""
	if year < 1 {
		year, era = 1-year, " (BC)"
	}
	text := fmt.Sprintf("%04d-%02d-%02d%s", year, at.Month(), at.Day(), era)
	if name == "date" {
		return text, nil
	}
	return text + at.Format(" 15:04:05.000000") + zone, nil
}
