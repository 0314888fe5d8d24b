package textout

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/numeric"
)

// Style is how the settings of a session print values as text (PostgreSQL manual,
// 8.5.2, 8.5.5, 20.11). The zero value is PostgreSQL's default, in UTC. Binary
// values know no style.
type Style struct {
	Zone      *time.Location // TimeZone; nil is UTC
	Dates     DateStyle
	DayFirst  bool // DateStyle's DMY; it changes nothing of ISO and German dates
	Intervals IntervalStyle
	Escape    bool // bytea_output = escape
	// Rounded prints floats with a fixed number of significant digits, 15 of float8
	// and 6 of float4 and ExtraDigits, which is not positive, more: what
	// extra_float_digits below 1 asks for.
	Rounded     bool
	ExtraDigits int
}

// DateStyle is the first word of the setting.
type DateStyle uint8

// The styles of dates.
const (
	DatesISO DateStyle = iota
	DatesSQL
	DatesPostgres
	DatesGerman
)

// IntervalStyle is the setting.
type IntervalStyle uint8

// The styles of intervals.
const (
	IntervalPostgres IntervalStyle = iota
	IntervalVerbose
	IntervalSQL
	IntervalISO8601
)

// dateStyles and intervalStyles are the styles as the settings spell them.
var (
	dateStyles     = map[string]DateStyle{"ISO": DatesISO, "SQL": DatesSQL, "Postgres": DatesPostgres, "German": DatesGerman}
	intervalStyles = map[string]IntervalStyle{
		"postgres": IntervalPostgres, "postgres_verbose": IntervalVerbose, "sql_standard": IntervalSQL, "iso_8601": IntervalISO8601,
	}
)

// SetDates takes over a DateStyle: "SQL, DMY".
func (s *Style) SetDates(setting string) {
	dates, order, _ := strings.Cut(setting, ", ")
	s.Dates, s.DayFirst = dateStyles[dates], order == "DMY"
}

// SetIntervals takes over an IntervalStyle.
func (s *Style) SetIntervals(setting string) { s.Intervals = intervalStyles[setting] }

// styleFunctions print values in the styles that are not PostgreSQL's default.
var styleFunctions = []fmgr.Function{
	dateOut("ontosql_date_out", fmgr.Date, func(s *Style, v int64) []byte { return s.AppendDate(nil, int32(v)) }),
	dateOut("ontosql_timestamp_out", fmgr.Timestamp, func(s *Style, v int64) []byte { return s.AppendTimestamp(nil, v) }),
	// A DateStyle, a TimeZone, a moment.
	{Name: "ontosql_timestamptz_out", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.TimestampTZ}, Result: fmgr.Text, New: func() fmgr.Call {
		zones := &fmgr.Cache[*time.Location]{}
		return func(a []fmgr.Value) (v fmgr.Value, err error) {
			var s Style
			s.SetDates(a[0].Text)
			if s.Zone, err = zones.Get(a[1].Text, func() (*time.Location, error) { return time.LoadLocation(a[1].Text) }); err != nil {
				return fmgr.Null, fmgr.InvalidParameter("unknown time zone %q", a[1].Text)
			}
			return fmgr.TextValue(string(s.AppendTimestampTZ(nil, a[2].Int))), nil
		}
	}},
	// An IntervalStyle, an interval.
	{Name: "ontosql_interval_out", Args: []fmgr.Kind{fmgr.Text, fmgr.Interval}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		var s Style
		s.SetIntervals(a[0].Text)
		p := a[1].List
		return fmgr.TextValue(string(s.AppendInterval(nil, column.MonthsDaysMicros{Months: int32(p[0].Int), Days: int32(p[1].Int), Micros: p[2].Int}))), nil
	})},
	{Name: "ontosql_bytea_escaped", Args: []fmgr.Kind{fmgr.Bytes}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s := Style{Escape: true}
		return fmgr.TextValue(string(s.AppendBytes(nil, []byte(a[0].Text)))), nil
	})},
	// extra_float_digits, which is not positive, and a float.
	roundedOut("ontosql_float_rounded", 64),
	roundedOut("ontosql_real_rounded", 32),
}

// dateOut prints days or microseconds in a DateStyle.
func dateOut(name string, of fmgr.Kind, out func(s *Style, v int64) []byte) fmgr.Function {
	return fmgr.Function{Name: name, Args: []fmgr.Kind{fmgr.Text, of}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		var s Style
		s.SetDates(a[0].Text)
		return fmgr.TextValue(string(out(&s, a[1].Int))), nil
	})}
}

func roundedOut(name string, bitSize int) fmgr.Function {
	return fmgr.Function{Name: name, Args: []fmgr.Kind{fmgr.Int, fmgr.Float}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s := Style{Rounded: true, ExtraDigits: int(a[0].Int)}
		return fmgr.TextValue(string(s.AppendFloat(nil, a[1].Float, bitSize))), nil
	})}
}

// AppendFloat is C's %.*g, which PostgreSQL uses for rounded floats.
func (s *Style) AppendFloat(dst []byte, f float64, bitSize int) []byte {
	if !s.Rounded || f != f || math.IsInf(f, 0) || f == 0 {
		return numeric.AppendFloat(dst, f, bitSize)
	}
	digits := 15
	if bitSize == 32 {
		digits = 6
	}
	digits = max(digits+s.ExtraDigits, 1)
	mantissa := strconv.AppendFloat(nil, f, 'e', digits-1, 64)
	e := bytes.IndexByte(mantissa, 'e')
	exponent, _ := strconv.Atoi(string(mantissa[e+1:]))
	if exponent < -4 || exponent >= digits {
		dst = append(dst, numeric.TrimZeros(mantissa[:e])...)
		return append(dst, mantissa[e:]...)
	}
	return append(dst, numeric.TrimZeros(strconv.AppendFloat(nil, f, 'f', digits-1-exponent, 64))...)
}

// AppendBytes prints bytea.
func (s *Style) AppendBytes(dst, raw []byte) []byte {
	if !s.Escape {
		return hex.AppendEncode(append(dst, '\\', 'x'), raw)
	}
	for _, b := range raw {
		switch {
		case b == '\\':
			dst = append(dst, `\\`...)
		case b < 0x20 || b > 0x7e:
			dst = append(dst, '\\', '0'+b>>6, '0'+b>>3&7, '0'+b&7)
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// AppendDate prints a day, counted from 1970-01-01.
func (s *Style) AppendDate(dst []byte, days int32) []byte {
	if s.Dates == DatesISO || days == column.DateInfinity || days == column.DateNegInfinity {
		return datetime.AppendDate(dst, days)
	}
	year, month, day := datetime.Civil(int64(days))
	dst, bc := s.appendCivil(dst, year, month, day, s.Dates == DatesPostgres)
	return datetime.AppendEra(dst, bc)
}

// appendCivil prints a date in the order and with the separators of the style.
func (s *Style) appendCivil(dst []byte, year int64, month, day uint32, dashes bool) (out []byte, bc bool) {
	if bc = year <= 0; bc {
		year = 1 - year
	}
	first, second, separator := month, day, byte('/')
	if s.DayFirst || s.Dates == DatesGerman {
		first, second = day, month
	}
	switch {
	case s.Dates == DatesGerman:
		separator = '.'
	case dashes:
		separator = '-'
	}
	dst = append(datetime.AppendTwo(dst, int64(first)), separator)
	dst = append(datetime.AppendTwo(dst, int64(second)), separator)
	return appendYear(dst, year), bc
}

// appendYear prints a year in four digits at least.
func appendYear(dst []byte, year int64) []byte {
	for low := int64(1000); low > 1 && year < low; low /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, year, 10)
}

// AppendTimestamp prints microseconds since 1970-01-01 without a zone.
func (s *Style) AppendTimestamp(dst []byte, micros int64) []byte {
	if s.Dates == DatesISO || datetime.Infinity(micros) != "" {
		return datetime.AppendTimestamp(dst, micros)
	}
	dst, bc := s.appendMoment(dst, micros)
	return datetime.AppendEra(dst, bc)
}

// AppendTimestampTZ prints a moment, in microseconds since 1970-01-01 UTC.
func (s *Style) AppendTimestampTZ(dst []byte, micros int64) []byte {
	if s.Dates == DatesISO || datetime.Infinity(micros) != "" {
		return datetime.AppendTimestampTZ(dst, micros, s.Zone)
	}
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	name, offset := time.UnixMicro(micros).In(zone).Zone()
	dst, bc := s.appendMoment(dst, micros+int64(offset)*datetime.MicrosPerSecond)
	dst = append(append(dst, ' '), name...)
	return datetime.AppendEra(dst, bc)
}

// appendMoment prints day and time of day: 17/12/1997 07:37:16.00, or
// Wed 17 Dec 07:37:16 1997.
func (s *Style) appendMoment(dst []byte, micros int64) (out []byte, bc bool) {
	days, clock := datetime.SplitDay(micros)
	year, month, day := datetime.Civil(days)
	if s.Dates != DatesPostgres {
		dst, bc = s.appendCivil(dst, year, month, day, false)
		return datetime.AppendTime(append(dst, ' '), clock), bc
	}
	if bc = year <= 0; bc {
		year = 1 - year
	}
	weekday := time.Weekday((days%7 + 11) % 7).String()[:3] // 1970-01-01 was a Thursday
	dst = append(append(dst, weekday...), ' ')
	name := time.Month(month).String()[:3]
	if s.DayFirst {
		dst = append(datetime.AppendTwo(dst, int64(day)), ' ')
		dst = append(dst, name...)
	} else {
		dst = append(append(dst, name...), ' ')
		dst = datetime.AppendTwo(dst, int64(day))
	}
	dst = datetime.AppendTime(append(dst, ' '), clock)
	return appendYear(append(dst, ' '), year), bc
}
