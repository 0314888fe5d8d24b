package datetime

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
)

// IntervalForm is what the type of an interval says of its texts.
type IntervalForm struct {
	Bare         string // the unit of a number without one
	MinuteSecond bool   // a clock of two parts is minutes and seconds
	SQLStandard  bool   // a sign in front is that of all parts, if no other part has one
}

// intervalUnits are the units, by the names that PostgreSQL reads. Of longer names it looks
// at ten letters.
var intervalUnits = func() map[string]intervalUnit {
	units := map[string]intervalUnit{}
	for unit, names := range [...]string{
		microsecondUnit: "us usec usecs useconds microsecon",
		millisecondUnit: "ms msec msecs mseconds millisecon",
		secondUnit:      "s sec secs second seconds",
		minuteUnit:      "m min mins minute minutes",
		hourUnit:        "h hr hrs hour hours",
		dayUnit:         "d day days",
		weekUnit:        "w week weeks",
		monthUnit:       "mon mons month months",
		yearUnit:        "y yr yrs year years",
		decadeUnit:      "dec decs decade decades",
		centuryUnit:     "c cent century centuries",
		millenniumUnit:  "mil mils millennium millennia",
	} {
		for _, name := range strings.Fields(names) {
			units[name] = intervalUnit(unit)
		}
	}
	return units
}()

// IntervalUnit is the full name of a unit, "" for an unknown one.
func IntervalUnit(name string) string {
	if unit, ok := intervalUnits[name[:min(len(name), 10)]]; ok {
		return unitNames[unit]
	}
	return ""
}

var unitNames = [...]string{"microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "year", "decade", "century", "millennium"}

type intervalUnit int

const (
	microsecondUnit intervalUnit = iota
	millisecondUnit
	secondUnit
	minuteUnit
	hourUnit
	dayUnit
	weekUnit
	monthUnit
	yearUnit
	decadeUnit
	centuryUnit
	millenniumUnit
	noUnit
	agoUnit // a number without a unit, followed by ago
)

// clockUnits are those that a clock fills.
const clockUnits = 1<<microsecondUnit | 1<<millisecondUnit | 1<<secondUnit | 1<<minuteUnit | 1<<hourUnit

const (
	microsPerMinute = 60 * MicrosPerSecond
	microsPerHour   = 60 * microsPerMinute
)

// intervalText adds up the parts of a text.
type intervalText struct {
	form                IntervalForm
	years, months, days int64 // of 32 bits
	micros              int64
	seen                int  // a set of units: each may stand once
	negative            bool // as all parts are
}

// ReadInterval reads an interval as PostgreSQL does (DecodeInterval, DecodeISO8601Interval).
func ReadInterval(s string, form IntervalForm) (months, days, micros int64, err *pgerr.Error) {
	sum := intervalText{form: form}
	fault := syntaxFault
	if tokens, ok := timeTokens(s); ok {
		fault = sum.read(tokens)
	}
	if fault == syntaxFault && len(s) > 1 && s[0] == 'P' {
		sum = intervalText{form: form}
		fault = sum.iso(s[1:])
	}
	months = sum.years*12 + sum.months
	switch {
	case fault == syntaxFault:
		return 0, 0, 0, pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type interval: \"%s\"", s)
	case fault != noFault:
		return 0, 0, 0, pgerr.New("22015", "interval field value out of range: \"%s\"", s)
	case !isInt32(months):
		return 0, 0, 0, pgerr.New(pgerr.DatetimeFieldOverflow, "interval out of range")
	}
	return months, sum.days, sum.micros, nil
}

// read goes from the end, where a unit comes before its number.
func (sum *intervalText) read(tokens []timeToken) timeFault {
	unit, ago := noUnit, false
	sum.negative = sum.form.SQLStandard && len(tokens) > 0 && tokens[0].text[0] == '-' &&
		!slices.ContainsFunc(tokens[1:], func(t timeToken) bool { return t.text[0] == '-' || t.text[0] == '+' })
	for i := len(tokens) - 1; i >= 0; i-- {
		text := tokens[i].text
		var units int
		fault := noFault
		switch tokens[i].kind {
		case clockToken:
			units, fault = clockUnits, sum.clock(text)
			unit = dayUnit
		case signedToken, dateToken, numberToken:
			if tokens[i].kind == signedToken && strings.Contains(text, ":") {
				if units, fault = clockUnits, sum.clock(text); fault == noFault {
					unit = dayUnit
					break
				}
			}
			if unit == noUnit {
				if unit = secondUnit; sum.form.Bare != "" {
					unit = intervalUnits[sum.form.Bare]
				}
			}
			if units, unit, fault = sum.amount(text, unit); unit == hourUnit { // days come before hours
				unit = dayUnit
			}
		default:
			if text == "ago" {
				ago, unit = true, agoUnit
				continue
			}
			var known bool
			if unit, known = intervalUnits[text[:min(len(text), 10)]]; !known {
				return syntaxFault
			}
		}
		switch {
		case fault != noFault:
			return fault
		case sum.seen&units != 0:
			return syntaxFault
		}
		sum.seen |= units
	}
	switch {
	case sum.seen == 0:
		return syntaxFault
	case ago && (sum.micros == math.MinInt64 || sum.days == math.MinInt32 || sum.months == math.MinInt32 || sum.years == math.MinInt32):
		return fieldFault
	case ago:
		sum.years, sum.months, sum.days, sum.micros = -sum.years, -sum.months, -sum.days, -sum.micros
	}
	return noFault
}

// clock reads a time with colons, which may have a sign.
func (sum *intervalText) clock(s string) timeFault {
	unsigned := strings.TrimLeft(s, "+-")
	hour, minute, second, micros, fault := readClock(unsigned, sum.form.MinuteSecond)
	if fault != noFault {
		return fault
	}
	total := int64(micros)
	if !addProduct(&total, hour, microsPerHour) || !addProduct(&total, int64(minute), microsPerMinute) || !addProduct(&total, int64(second), MicrosPerSecond) {
		return fieldFault
	}
	if s[0] == '-' || sum.negative {
		total = -total
	}
	sum.micros = total
	return noFault
}

// amount reads a number of a unit, or years and months: 1-2.
func (sum *intervalText) amount(s string, unit intervalUnit) (units int, of intervalUnit, fault timeFault) {
	sign := chars.Prefix(s, func(c byte) bool { return c == '-' || c == '+' })
	digits := sign + chars.Prefix(s[sign:], chars.IsDigit)
	whole, err := strconv.ParseInt(s[:digits], 10, 64)
	rest, fraction := s[digits:], 0.0
	switch {
	case digits > sign && err != nil:
		return 0, unit, fieldFault
	case rest != "" && rest[0] == '-':
		months, used, err := chars.LeadingInt(rest[1:])
		switch {
		case err != nil, months < 0, months > 11:
			return 0, unit, fieldFault
		case 1+used < len(rest):
			return 0, unit, syntaxFault
		case s[0] == '-':
			months = -months
		}
		if unit = monthUnit; whole > math.MaxInt32 || whole < math.MinInt32 {
			return 0, unit, fieldFault
		}
		whole = whole*12 + int64(months)
	case rest != "":
		if fraction, fault = fractionText(rest); fault != noFault {
			return 0, unit, fault
		}
		if s[0] == '-' {
			fraction = -fraction
		}
	}
	if unit == agoUnit {
		return 0, unit, syntaxFault
	}
	if sum.negative && s[0] != '-' {
		whole, fraction = -whole, -fraction
	}
	if units = 1 << unit; unit == secondUnit && fraction != 0 {
		units = 1<<secondUnit | 1<<millisecondUnit | 1<<microsecondUnit
	}
	if !sum.add(whole, fraction, unit) {
		fault = fieldFault
	}
	return units, unit, fault
}

// add adds an amount of a unit. A fraction of a year is whole months, of a month days, of a
// day time (PostgreSQL manual, 8.5.4). ok is false where a part overflows.
func (sum *intervalText) add(whole int64, fraction float64, unit intervalUnit) (ok bool) {
	years := func(by int64) bool {
		return addInt32(&sum.years, whole, by) && addInt32(&sum.months, int64(math.RoundToEven(fraction*float64(by*12))), 1)
	}
	// days adds a fraction of so many days.
	days := func(of int64) bool {
		n := math.Trunc(fraction * float64(of))
		return addInt32(&sum.days, int64(n), 1) && sum.addMicros(fraction*float64(of)-n, MicrosPerDay)
	}
	switch unit {
	case microsecondUnit:
		return addProduct(&sum.micros, whole, 1) && sum.addMicros(fraction, 1)
	case millisecondUnit:
		return addProduct(&sum.micros, whole, 1000) && sum.addMicros(fraction, 1000)
	case secondUnit:
		return addProduct(&sum.micros, whole, MicrosPerSecond) && sum.addMicros(fraction, MicrosPerSecond)
	case minuteUnit:
		return addProduct(&sum.micros, whole, microsPerMinute) && sum.addMicros(fraction, microsPerMinute)
	case hourUnit:
		return addProduct(&sum.micros, whole, microsPerHour) && sum.addMicros(fraction, microsPerHour)
	case dayUnit:
		return addInt32(&sum.days, whole, 1) && sum.addMicros(fraction, MicrosPerDay)
	case weekUnit:
		return addInt32(&sum.days, whole, 7) && days(7)
	case monthUnit:
		return addInt32(&sum.months, whole, 1) && days(30)
	case yearUnit:
		return years(1)
	case decadeUnit:
		return years(10)
	case centuryUnit:
		return years(100)
	}
	return years(1000)
}

// addMicros adds a fraction of so many microseconds, rounded.
func (sum *intervalText) addMicros(fraction float64, of int64) bool {
	fraction *= float64(of)
	whole := math.Trunc(fraction)
	if rest := fraction - whole; rest > 0.5 {
		whole++
	} else if rest < -0.5 {
		whole--
	}
	return addProduct(&sum.micros, int64(whole), 1)
}

// addProduct adds to a sum of 64 bits; ok is false where it overflows.
func addProduct(sum *int64, n, by int64) (ok bool) {
	product := n * by
	if n != 0 && product/n != by {
		return false
	}
	total := *sum + product
	if (total > *sum) != (product > 0) && product != 0 {
		return false
	}
	*sum = total
	return true
}

// addInt32 adds to a sum of 32 bits.
func addInt32(sum *int64, n, by int64) (ok bool) {
	if !isInt32(n) || !isInt32(n*by) || !isInt32(*sum+n*by) {
		return false
	}
	*sum += n * by
	return true
}

func isInt32(n int64) bool { return n >= math.MinInt32 && n <= math.MaxInt32 }
