package formatting

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// timeReader is a text that is read by a pattern, as PostgreSQL's DCH_from_char
// does it.
type timeReader struct {
	whole    string
	rest     string
	nodes    []node
	at       int // of the node being read
	fixed    bool
	standard bool // by a Template
	extra    int  // blanks skipped beyond those of the pattern

	year, month, day, yearDay        int
	hour, minute, second, millis     int
	micros, daySecond                int
	digits                           int // of a second, that are kept; 0 for all
	week, monthWeek, century, julian int
	weekday, yearDigits              int
	zoneSign, zoneHour, zoneMinute   int
	pm, bc, twelve, iso, gregorian   bool
}

// parseTime is to_timestamp and to_date: the microseconds of the local time since
// 1970, and the seconds east of UTC where the text says so.
func parseTime(s, pattern string, patterns *fmgr.Cache[[]node]) (micros int64, zone int, given bool, err error) {
	nodes, err := patterns.Get(pattern, func() ([]node, error) { return parsePattern(pattern, timeKeywords, true), nil })
	if err != nil {
		return 0, 0, false, err
	}
	r := &timeReader{whole: s, rest: s, nodes: nodes}
	if err := r.read(); err != nil {
		return 0, 0, false, err
	}
	return r.result()
}

func (r *timeReader) read() error {
	for r.at = 0; r.at < len(r.nodes) && r.rest != ""; r.at++ {
		n := r.nodes[r.at]
		if !r.fixed && (n.key != "" || r.at == 0) {
			r.skipBlanks()
		}
		switch {
		case n.key == "" && r.standard:
			if err := r.separate(n); err != nil {
				return err
			}
			continue
		case n.key == "" && n.separator && !r.fixed:
			r.extra--
			if r.rest != "" && (chars.IsSpace(r.rest[0]) || chars.IsSeparator(r.rest[0])) {
				r.rest = r.rest[1:]
				r.extra++
			}
			continue
		case n.key == "":
			if !r.fixed && !n.separator && r.extra > 0 {
				r.extra--
			} else if r.rest != "" {
				_, r.rest = chars.First(r.rest)
			}
			continue
		}
		if err := r.field(n); err != nil {
			return err
		}
		if !r.fixed {
			r.extra = 0
			r.skipBlanks()
		}
	}
	return nil
}

func (r *timeReader) skipBlanks() {
	for r.rest != "" && chars.IsSpace(r.rest[0]) {
		r.rest = r.rest[1:]
		r.extra++
	}
}

// field reads the value of a keyword.
func (r *timeReader) field(n node) error {
	key := strings.ToUpper(n.key)
	if err := r.convention(key); err != nil {
		return err
	}
	number := func(dest *int, width int) error {
		_, err := r.number(dest, width, n)
		return err
	}
	switch key {
	case "FX":
		r.fixed = true
	case "AM", "PM", "A.M.", "P.M.":
		v, err := r.word(n, "am", "pm", "a.m.", "p.m.")
		r.pm, r.twelve = v%2 == 1, true
		return err
	case "AD", "BC", "A.D.", "B.C.":
		v, err := r.word(n, "ad", "bc", "a.d.", "b.c.")
		r.bc = v%2 == 1
		return err
	case "HH", "HH12":
		r.twelve = true
		return number(&r.hour, 2)
	case "HH24":
		return number(&r.hour, 2)
	case "MI":
		return number(&r.minute, 2)
	case "SS":
		return number(&r.second, 2)
	case "MS":
		return r.fraction(&r.millis, 3, n)
	case "US":
		return r.fraction(&r.micros, 6, n)
	case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		r.digits = int(key[2] - '0')
		return r.fractionOf(&r.micros, r.digits, 6, n)
	case "SSSS", "SSSSS":
		return number(&r.daySecond, len(key))
	case "TZ", "OF":
		return pgerr.Unsupported("formatting field %q is only supported in to_char", n.key)
	case "TZH":
		r.sign()
		return number(&r.zoneHour, 2)
	case "TZM":
		if r.zoneSign == 0 {
			r.zoneSign = 1
		}
		return number(&r.zoneMinute, 2)
	case "MONTH":
		return r.name(&r.month, n, monthNames, 0)
	case "MON":
		return r.name(&r.month, n, monthNames, 3)
	case "DAY":
		return r.name(&r.weekday, n, dayNames, 0)
	case "DY":
		return r.name(&r.weekday, n, dayNames, 3)
	case "RM":
		return r.romanMonth(n)
	case "MM":
		return number(&r.month, 2)
	case "DDD":
		return number(&r.yearDay, 3)
	case "IDDD":
		return number(&r.yearDay, 4)
	case "DD":
		return number(&r.day, 2)
	case "D":
		return number(&r.weekday, 1)
	case "ID":
		err := number(&r.weekday, 1)
		r.weekday++
		if r.weekday > 7 {
			r.weekday = 1
		}
		return err
	case "WW", "IW":
		return number(&r.week, 2)
	case "W":
		return number(&r.monthWeek, 1)
	case "Q":
		return number(new(int), 1)
	case "CC":
		return number(&r.century, 2)
	case "J":
		return number(&r.julian, 1)
	case "Y,YYY":
		return r.longYear(n)
	default:
		return r.shortYear(len(key), n)
	}
	return nil
}

// convention refuses a mix of Gregorian and ISO week dates.
func (r *timeReader) convention(key string) error {
	switch key {
	case "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I":
		r.iso = true
	case "DDD", "DD", "D", "MM", "MONTH", "MON", "RM", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y":
		r.gregorian = true
	}
	if r.iso && r.gregorian {
		return pgerr.New(pgerr.InvalidDatetimeFormat, "invalid combination of date conventions").
			WithHint("Do not mix Gregorian and ISO week date conventions in a formatting template.")
	}
	return nil
}

// number reads an integer: all its digits if the pattern continues with something other than a
// digit, else as many as the keyword is wide. read counts the characters.
func (r *timeReader) number(dest *int, width int, n node) (read int, err error) {
	before := r.rest
	r.rest = strings.TrimLeft(r.rest, " \t\n\v\f\r")
	part := r.rest[:min(width, len(r.rest))]
	var used int
	var v int
	if n.fill || r.nextIsSeparator() {
		v, used, err = chars.LeadingInt(r.rest)
	} else {
		if len(part) < width {
			return 0, pgerr.New(pgerr.InvalidDatetimeFormat, "source string too short for %q formatting field", n.key).
				WithDetail("Field requires %d characters, but only %d remain.", width, len(part)).
				WithHint(`If your source string is not fixed-width, try using the "FM" modifier.`)
		}
		v, used, err = chars.LeadingInt(part)
		if used > 0 && used < width {
			return 0, pgerr.New(pgerr.InvalidDatetimeFormat, "invalid value %q for %q", part, n.key).
				WithDetail("Field requires %d characters, but only %d could be parsed.", width, used).
				WithHint(`If your source string is not fixed-width, try using the "FM" modifier.`)
		}
	}
	if used == 0 {
		return 0, pgerr.New(pgerr.InvalidDatetimeFormat, "invalid value %q for %q", part, n.key).WithDetail("Value must be an integer.")
	}
	if err != nil {
		return 0, pgerr.New(pgerr.DatetimeFieldOverflow, "value for %q in source string is out of range", n.key).
			WithDetail("Value must be in the range -2147483648 to 2147483647.")
	}
	r.rest = r.rest[used:]
	read = len(before) - len(r.rest)
	if err := set(dest, v, n); err != nil {
		return 0, err
	}
	if n.th != "" {
		r.rest = r.rest[min(2, len(r.rest)):]
	}
	return read, nil
}

func set(dest *int, v int, n node) error {
	if *dest != 0 && *dest != v {
		return pgerr.New(pgerr.InvalidDatetimeFormat, "conflicting values for %q field in formatting string", n.key).
			WithDetail("This value contradicts a previous setting for the same field type.")
	}
	*dest = v
	return nil
}

// nextIsSeparator reports that what follows in the pattern takes no digit.
func (r *timeReader) nextIsSeparator() bool {
	if r.nodes[r.at].th != "" || r.at+1 == len(r.nodes) {
		return true
	}
	next := r.nodes[r.at+1]
	if next.key == "" {
		return !chars.IsDigit(next.char[0])
	}
	switch strings.ToUpper(next.key) {
	case "A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "DAY", "DY", "FX", "MONTH", "MON", "OF", "P.M.", "PM", "RM", "TZH", "TZ":
		return true
	}
	return false
}

func (r *timeReader) fraction(dest *int, digits int, n node) error {
	return r.fractionOf(dest, digits, digits, n)
}

// fractionOf reads the digits behind a decimal point, of which a unit has full.
func (r *timeReader) fractionOf(dest *int, width, full int, n node) error {
	read, err := r.number(dest, width, n)
	for ; read < full; read++ {
		*dest *= 10
	}
	return err
}

func (r *timeReader) sign() {
	r.zoneSign = 1
	before := r.whole[:len(r.whole)-len(r.rest)]
	switch {
	case r.rest != "" && strings.IndexByte("+- ", r.rest[0]) >= 0:
		if r.rest[0] == '-' {
			r.zoneSign = -1
		}
		r.rest = r.rest[1:]
	case r.extra > 0 && strings.HasSuffix(before, "-"): // taken for a separator
		r.zoneSign = -1
	}
}

// word reads one of several words, and says which.
func (r *timeReader) word(n node, words ...string) (int, error) {
	for i, w := range words {
		if len(r.rest) >= len(w) && strings.EqualFold(r.rest[:len(w)], w) {
			r.rest = r.rest[len(w):]
			return i, nil
		}
	}
	return 0, badName(r.rest, n)
}

func badName(s string, n node) error {
	if i := strings.IndexAny(s, " \t\n"); i >= 0 {
		s = s[:i]
	}
	return pgerr.New(pgerr.InvalidDatetimeFormat, "invalid value %q for %q", s, n.key).
		WithDetail("The given value did not match any of the allowed values for this field.")
}

// name reads one of several names, or as many letters of it, and counts from 1.
func (r *timeReader) name(dest *int, n node, names []string, length int) error {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = name
		if length > 0 {
			words[i] = name[:length]
		}
	}
	v, err := r.word(n, words...)
	if err != nil {
		return err
	}
	return set(dest, v+1, n)
}

func (r *timeReader) romanMonth(n node) error {
	longestFirst := []int{8, 7, 6, 5, 4, 9, 3, 2, 12, 11, 10, 1}
	words := make([]string, len(longestFirst))
	for i, m := range longestFirst {
		words[i] = romanMonths[m-1]
	}
	i, err := r.word(n, words...)
	if err != nil {
		return err
	}
	return set(&r.month, longestFirst[i], n)
}

func (r *timeReader) longYear(n node) error {
	var thousands, year int
	if count, err := fmt.Sscanf(r.rest, "%d,%3d", &thousands, &year); count < 2 || err != nil {
		return pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input string for \"Y,YYY\"")
	}
	at := strings.IndexByte(r.rest, ',') + 1
	for i := 0; i < 3 && at < len(r.rest) && chars.IsDigit(r.rest[at]); i++ {
		at++
	}
	if r.rest, r.yearDigits = r.rest[at:], 4; n.th != "" {
		r.rest = r.rest[min(2, len(r.rest)):]
	}
	return set(&r.year, thousands*1000+year, n)
}

func (r *timeReader) shortYear(digits int, n node) error {
	year := 0
	read, err := r.number(&year, digits, n)
	if err != nil {
		return err
	}
	if read < 4 && digits < 4 {
		switch { // the year nearest to 2020
		case year < 70:
			year += 2000
		case year < 100:
			year += 1900
		case year < 520:
			year += 2000
		case year < 1000:
			year += 1000
		}
	}
	r.yearDigits = digits
	return set(&r.year, year, n)
}
