package textout

import (
	"strconv"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/numeric"
)

// intervalParts are the fields of an interval, each with a sign of its own.
type intervalParts struct {
	years, months, days, hours, minutes, seconds, micros int64
}

func partsOf(v column.MonthsDaysMicros) intervalParts {
	seconds := v.Micros / datetime.MicrosPerSecond
	return intervalParts{
		int64(v.Months / 12), int64(v.Months % 12), int64(v.Days),
		seconds / 3600, seconds / 60 % 60, seconds % 60, v.Micros % datetime.MicrosPerSecond,
	}
}

// AppendInterval prints an interval.
func (s *Style) AppendInterval(dst []byte, v column.MonthsDaysMicros) []byte {
	switch p := partsOf(v); s.Intervals {
	case IntervalVerbose:
		return p.appendVerbose(dst)
	case IntervalSQL:
		return p.appendSQL(dst)
	case IntervalISO8601:
		return p.appendISO(dst)
	}
	return datetime.AppendInterval(dst, v)
}

// appendSeconds prints seconds and their fraction without a sign.
func (p *intervalParts) appendSeconds(dst []byte, twoDigits bool) []byte {
	seconds := numeric.Abs(p.seconds)
	if twoDigits {
		dst = datetime.AppendTwo(dst, seconds)
	} else {
		dst = strconv.AppendInt(dst, seconds, 10)
	}
	return datetime.AppendFraction(dst, numeric.Abs(p.micros))
}

// appendVerbose is postgres_verbose: @ 1 year 2 mons -3 days 4 hours ago.
func (p *intervalParts) appendVerbose(dst []byte) []byte {
	dst = append(dst, '@')
	zero, before := true, false
	for _, f := range []struct {
		n    int64
		unit string
	}{{p.years, "year"}, {p.months, "mon"}, {p.days, "day"}, {p.hours, "hour"}, {p.minutes, "min"}} {
		switch {
		case f.n == 0:
			continue
		case zero:
			before, f.n = f.n < 0, numeric.Abs(f.n)
		case before:
			f.n = -f.n
		}
		dst = strconv.AppendInt(append(dst, ' '), f.n, 10)
		dst = append(append(dst, ' '), f.unit...)
		if f.n != 1 {
			dst = append(dst, 's')
		}
		zero = false
	}
	if p.seconds != 0 || p.micros != 0 {
		dst = append(dst, ' ')
		negative := p.seconds < 0 || p.micros < 0
		switch {
		case negative && zero:
			before = true
		case negative != before:
			dst = append(dst, '-')
		}
		dst = append(p.appendSeconds(dst, false), " sec"...)
		if numeric.Abs(p.seconds) != 1 || p.micros != 0 {
			dst = append(dst, 's')
		}
		zero = false
	}
	if zero {
		dst = append(dst, " 0"...)
	}
	if before {
		dst = append(dst, " ago"...)
	}
	return dst
}

// appendISO is iso_8601: P1Y2M-3DT4H5M6S.
func (p *intervalParts) appendISO(dst []byte) []byte {
	if *p == (intervalParts{}) {
		return append(dst, "PT0S"...)
	}
	part := func(n int64, unit byte) {
		if n != 0 {
			dst = append(strconv.AppendInt(dst, n, 10), unit)
		}
	}
	dst = append(dst, 'P')
	part(p.years, 'Y')
	part(p.months, 'M')
	part(p.days, 'D')
	if p.hours == 0 && p.minutes == 0 && p.seconds == 0 && p.micros == 0 {
		return dst
	}
	dst = append(dst, 'T')
	part(p.hours, 'H')
	part(p.minutes, 'M')
	if p.seconds == 0 && p.micros == 0 {
		return dst
	}
	if p.seconds < 0 || p.micros < 0 {
		dst = append(dst, '-')
	}
	return append(p.appendSeconds(dst, false), 'S')
}

// appendSQL is sql_standard: 1-2 or 3 4:05:06, and where SQL has no such interval
// all fields with their signs, +1-2 -3 +4:05:06.
func (p *intervalParts) appendSQL(dst []byte) []byte {
	negative, positive := false, false
	for _, n := range []int64{p.years, p.months, p.days, p.hours, p.minutes, p.seconds, p.micros} {
		negative, positive = negative || n < 0, positive || n > 0
	}
	months := p.years != 0 || p.months != 0
	clock := p.days != 0 || p.hours != 0 || p.minutes != 0 || p.seconds != 0 || p.micros != 0
	standard := !(negative && positive) && !(months && clock)
	sign := func(negative bool) {
		if negative {
			dst = append(dst, '-')
		} else {
			dst = append(dst, '+')
		}
	}
	number := func(n int64, behind byte) { dst = append(strconv.AppendInt(dst, numeric.Abs(n), 10), behind) }
	time := func() {
		number(p.hours, ':')
		dst = append(datetime.AppendTwo(dst, numeric.Abs(p.minutes)), ':')
		dst = p.appendSeconds(dst, true)
	}
	switch {
	case !negative && !positive:
		return append(dst, '0')
	case !standard:
		sign(p.years < 0 || p.months < 0)
		number(p.years, '-')
		number(p.months, ' ')
		sign(p.days < 0)
		number(p.days, ' ')
		sign(p.hours < 0 || p.minutes < 0 || p.seconds < 0 || p.micros < 0)
		time()
		return dst
	}
	if negative {
		dst = append(dst, '-')
	}
	switch {
	case months:
		number(p.years, '-')
		return strconv.AppendInt(dst, numeric.Abs(p.months), 10)
	case p.days != 0:
		number(p.days, ' ')
	}
	time()
	return dst
}
