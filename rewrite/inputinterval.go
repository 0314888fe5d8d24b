package rewrite

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

var (
	isoInterval = regexp.MustCompile(`^P(?:(-?[\d.]+)Y)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)W)?(?:(-?[\d.]+)D)?(?:T(?:(-?[\d.]+)H)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)S)?)?$`)
	clockText   = regexp.MustCompile(`^([+-]?)(\d+):(\d{1,2})(?::(\d{1,2}(?:\.\d*)?))?(?: |$)`)
	yearMonth   = regexp.MustCompile(`^([+-]?)(\d+)-(\d{1,2})(?: |$)`)
	bareNumber  = regexp.MustCompile(`^[+-]?[\d.]+$`)
	dateText    = regexp.MustCompile(`^[+-]?\d+-\d+-`)
	amountUnit  = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+))(?: *([a-z]+))?(?: |,|$|[+-])`)
	isoUnits    = []string{"year", "month", "week", "day", "hour", "minute", "second"}
)

// intervalUnits are months, days and microseconds of one unit, by the names
// PostgreSQL accepts.
var intervalUnits = map[string][3]float64{
	"microsecond": {0, 0, 1}, "us": {0, 0, 1}, "usec": {0, 0, 1}, "millisecond": {0, 0, 1e3}, "ms": {0, 0, 1e3}, "msec": {0, 0, 1e3},
	"second": {0, 0, 1e6}, "sec": {0, 0, 1e6}, "s": {0, 0, 1e6}, "minute": {0, 0, 6e7}, "min": {0, 0, 6e7}, "m": {0, 0, 6e7},
	"hour": {0, 0, 36e8}, "hr": {0, 0, 36e8}, "h": {0, 0, 36e8}, "day": {0, 1, 0}, "d": {0, 1, 0}, "week": {0, 7, 0}, "w": {0, 7, 0},
	"month": {1, 0, 0}, "mon": {1, 0, 0}, "quarter": {3, 0, 0}, "year": {12, 0, 0}, "yr": {12, 0, 0}, "y": {12, 0, 0},
	"decade": {120, 0, 0}, "century": {1200, 0, 0}, "c": {1200, 0, 0}, "millennium": {12000, 0, 0}, "mil": {12000, 0, 0},
	"dec": {120, 0, 0}, "cent": {1200, 0, 0},
}

// intervalSum adds up the parts of an interval text.
type intervalSum struct {
	months, days, micros float64
	whole                int64               // microseconds beside micros, which would round so many
	seen                 map[[3]float64]bool // the units so far: each may stand once
	bare                 string              // the unit of a number without one
	short                bool                // a clock of two parts is minutes and seconds
}

// add takes an amount of a unit. A fraction of a month is days, of a day is time
// (PostgreSQL manual 8.5.4).
func (s *intervalSum) add(amount float64, unit [3]float64) (ok bool) {
	whole := math.Trunc(amount * unit[0])
	s.months += whole
	days := (amount*unit[0]-whole)*30 + amount*unit[1]
	s.days += math.Trunc(days)
	s.micros += (days - math.Trunc(days)) * 86400e6
	if n := math.Trunc(amount); math.Abs(n*unit[2])+math.Abs(float64(s.whole)) < math.MaxInt64-1e16 {
		s.whole += int64(n) * int64(unit[2])
		amount -= n
	}
	s.micros += amount * unit[2]
	return s.once(unit)
}

func (s *intervalSum) once(unit [3]float64) (first bool) {
	first = !s.seen[unit]
	s.seen[unit] = true
	return first
}

// parseInterval reads an interval literal of some fields in PostgreSQL's verbose, sql-standard
// and ISO 8601 forms.
func parseInterval(text string, fields int32) (months, days, micros int64, err *pgerr.Error) {
	sum := &intervalSum{seen: map[[3]float64]bool{}, short: fields == fieldMinute|fieldSecond}
	sum.bare, _, _ = lastField(fields)
	sign := 1.0
	s := lower(strings.Trim(text, blanks))
	if p := isoInterval.FindStringSubmatch(strings.ToUpper(s)); p != nil && len(s) > 1 {
		for i, u := range isoUnits {
			if p[i+1] == "" {
				continue
			}
			f, bad := strconv.ParseFloat(p[i+1], 64)
			if bad != nil {
				return 0, 0, 0, badInterval(text)
			}
			sum.add(f, intervalUnits[u])
		}
	} else if sign, err = sum.words(s, text); err != nil {
		return 0, 0, 0, err
	}
	if math.Abs(sum.months) > math.MaxInt32 || math.Abs(sum.days) > math.MaxInt32 || math.Abs(sum.micros+float64(sum.whole)) >= math.MaxInt64 {
		return 0, 0, 0, intervalOverflow(text)
	}
	return int64(sign * sum.months), int64(sign * sum.days), int64(sign) * (sum.whole + int64(math.Round(sum.micros))), nil
}

func badInterval(s string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type interval: \"%s\"", s)
}

func intervalOverflow(s string) *pgerr.Error {
	return pgerr.New("22015", "interval field value out of range: \"%s\"", s)
}

// words reads amounts with units, years-months and a clock; sign is -1 with "ago".
func (sum *intervalSum) words(s, text string) (sign float64, err *pgerr.Error) {
	s = strings.TrimPrefix(s, "@")
	s, ago := strings.CutSuffix(s, " ago")
	if s = strings.Trim(s, blanks); s == "" || ago && bareNumber.MatchString(s) {
		return 0, badInterval(text)
	}
	for ; s != ""; s = strings.TrimLeft(s, " ,") {
		if p := clockText.FindStringSubmatch(s); p != nil {
			h, _ := strconv.ParseFloat(p[1]+p[2], 64)
			mi, _ := strconv.ParseFloat(p[1]+p[3], 64)
			sec, _ := strconv.ParseFloat(p[1]+"0"+p[4], 64)
			if sum.short && p[4] == "" {
				h, mi, sec = 0, h, mi
			}
			if math.Abs(mi) > 59 || math.Abs(sec) > 60 {
				return 0, intervalOverflow(text)
			}
			ok := sum.add(h, intervalUnits["hour"])
			if !sum.add(mi, intervalUnits["minute"]) || !sum.add(sec, intervalUnits["second"]) || !ok {
				return 0, badInterval(text)
			}
			s = s[len(p[0]):]
			continue
		}
		if p := yearMonth.FindStringSubmatch(s); p != nil {
			y, _ := strconv.ParseFloat(p[1]+p[2], 64)
			mo, _ := strconv.ParseFloat(p[1]+p[3], 64)
			if math.Abs(mo) > 11 {
				return 0, intervalOverflow(text)
			}
			if ok := sum.add(y, intervalUnits["year"]); !sum.add(mo, intervalUnits["month"]) || !ok {
				return 0, badInterval(text)
			}
			s = s[len(p[0]):]
			continue
		}
		p := amountUnit.FindStringSubmatch(s)
		if p == nil || dateText.MatchString(s) {
			return 0, badInterval(text)
		}
		rest := strings.TrimLeft(s[len(strings.TrimRight(p[0], " ,+-")):], " ,")
		unit, known := unitOf(p[2])
		if p[2] == "" {
			unit = intervalUnits[sum.bare]
		}
		if p[2] == "" && clockText.MatchString(rest) {
			unit, known = intervalUnits["day"], true
		}
		f, bad := strconv.ParseFloat(p[1], 64)
		if bad != nil || !known || !sum.add(f, unit) {
			return 0, badInterval(text)
		}
		s = rest
	}
	if ago {
		return -1, nil
	}
	return 1, nil
}

// unitOf finds a unit by its name, seconds by none.
func unitOf(name string) (unit [3]float64, known bool) {
	switch name {
	case "":
		name = "second"
	case "centuries":
		name = "century"
	case "millennia":
		name = "millennium"
	}
	if unit, known = intervalUnits[name]; !known {
		unit, known = intervalUnits[strings.TrimSuffix(name, "s")]
	}
	return unit, known
}

// ReadInterval reads an interval. An error is a *pgerr.Error.
func ReadInterval(text string) (months, days, micros int64, err error) {
	months, days, micros, bad := parseInterval(text, allFields)
	return months, days, micros, asError(bad)
}

func intervalInput(s string, to typ) (string, *pgerr.Error) {
	fields, _ := intervalFields(to.mod)
	months, days, micros, err := parseInterval(s, fields)
	return pgfunc.IntervalText(months, days, micros), err
}
