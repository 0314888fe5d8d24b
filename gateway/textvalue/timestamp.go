package textvalue

import (
	"time"

	"github.com/ontosql/ontosql/pgfunc/datetime"
)

// readDate reads YYYY-MM-DD at the start of a text as days since 1970.
func readDate(text []byte) (days int64, rest []byte, ok bool) {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return 0, nil, false
	}
	year, a := numberOf(text[:4])
	month, b := numberOf(text[5:7])
	day, c := numberOf(text[8:10])
	if !a || !b || !c || year < 1 {
		return 0, nil, false
	}
	if month < 1 || month > 12 || day < 1 || day > daysOf(year, month) {
		return 0, nil, false
	}
	return int64(dayNumber(year, month, day)), text[10:], true
}

// daysOf is the number of days of a month.
func daysOf(year, month int) int {
	if month == 2 && (year%4 != 0 || year%100 == 0 && year%400 != 0) {
		return 28
	}
	return [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
}

// dayNumber is the number of days from 1970 to a day of year 1 or later. Years begin in
// March here, so that a leap day is their last day: the first n months have
// (153 * n + 2) / 5 days.
func dayNumber(year, month, day int) int {
	if month <= 2 {
		year--
	}
	const epoch = 719_468 // days from March of year 0 to 1970
	return year*365 + year/4 - year/100 + year/400 + (153*((month+9)%12)+2)/5 + day - 1 - epoch
}

// numberOf reads a few digits.
func numberOf(text []byte) (n int, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(text) > 0
}

// TimestampReader reads timestamps with time zone. A text without an offset is in Zone.
type TimestampReader struct{ Zone *time.Location }

const (
	microsPerSecond = 1_000_000
	secondsPerDay   = 86_400
)

// Read reads YYYY-MM-DD, HH:MM[:SS[.ffffff]] and an offset, as microseconds since 1970 UTC.
// The time of day and the offset may be missing.
func (m *TimestampReader) Read(text []byte) (micros int64, ok bool) {
	days, rest, ok := readDate(text)
	if !ok {
		return 0, false
	}
	second, fraction := int64(0), int64(0)
	if len(rest) > 0 {
		if rest[0] != ' ' && rest[0] != 'T' {
			return 0, false
		}
		if second, fraction, rest, ok = readClock(rest[1:]); !ok {
			return 0, false
		}
	}
	local := days*secondsPerDay + second
	offset, zoned, ok := readOffset(rest)
	switch {
	case !ok:
		return 0, false
	case !zoned:
		offset = datetime.ZoneOffset(m.Zone, local)
	}
	return (local-offset)*microsPerSecond + fraction, true
}

// readClock reads HH:MM, seconds and their fraction: seconds of the day and
// microseconds.
func readClock(text []byte) (second, fraction int64, rest []byte, ok bool) {
	if len(text) < 5 || text[2] != ':' {
		return 0, 0, nil, false
	}
	hour, a := numberOf(text[:2])
	minute, b := numberOf(text[3:5])
	if !a || !b || hour > 23 || minute > 59 {
		return 0, 0, nil, false
	}
	second, rest = int64(hour*3600+minute*60), text[5:]
	if len(rest) == 0 || rest[0] != ':' {
		return second, 0, rest, true
	}
	if len(rest) < 3 {
		return 0, 0, nil, false
	}
	seconds, a := numberOf(rest[1:3])
	if !a || seconds > 59 {
		return 0, 0, nil, false
	}
	second, rest = second+int64(seconds), rest[3:]
	if len(rest) == 0 || rest[0] != '.' {
		return second, 0, rest, true
	}
	unit := int64(microsPerSecond)
	for rest = rest[1:]; len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'; rest = rest[1:] {
		if unit /= 10; unit == 0 {
			return 0, 0, nil, false // more than six digits need rounding, which input.Argument does
		}
		fraction += int64(rest[0]-'0') * unit
	}
	return second, fraction, rest, true
}

// readOffset reads Z, +HH or +HH:MM: seconds east of UTC.
func readOffset(text []byte) (seconds int64, zoned, ok bool) {
	switch {
	case len(text) == 0:
		return 0, false, true
	case string(text) == "Z":
		return 0, true, true
	case text[0] != '+' && text[0] != '-' || len(text) != 3 && (len(text) != 6 || text[3] != ':'):
		return 0, false, false
	}
	hour, ok := numberOf(text[1:3])
	minute := 0
	if len(text) == 6 && ok {
		minute, ok = numberOf(text[4:6])
	}
	if !ok || hour > 15 || minute > 59 {
		return 0, false, false
	}
	seconds = int64(hour*3600 + minute*60)
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, true, true
}
