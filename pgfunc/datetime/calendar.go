package datetime

import (
	"strconv"
	"time"

	"github.com/ontosql/ontosql/column"
)

// The text forms of dates and times under DateStyle ISO, as EncodeDateTime of
// PostgreSQL prints them.

// AppendDate prints a day, counted from 1970-01-01, in ISO style.
func AppendDate(dst []byte, days int32) []byte {
	switch days {
	case column.DateInfinity:
		return append(dst, "infinity"...)
	case column.DateNegInfinity:
		return append(dst, "-infinity"...)
	}
	dst, bc := appendDay(dst, int64(days))
	return AppendEra(dst, bc)
}

// AppendTime prints a time of day, 24:00:00 included.
func AppendTime(dst []byte, micros int64) []byte {
	seconds := uint64(micros / MicrosPerSecond)
	dst = append(dst, "00:00:00"...)
	text := dst[len(dst)-8:]
	*(*[2]byte)(text) = twoDigits[seconds/3600%100]
	*(*[2]byte)(text[3:]) = twoDigits[seconds/60%60]
	*(*[2]byte)(text[6:]) = twoDigits[seconds%60]
	return AppendFraction(dst, micros%MicrosPerSecond)
}

// AppendTimestamp prints microseconds since 1970-01-01 without a zone, in ISO style.
func AppendTimestamp(dst []byte, micros int64) []byte {
	if infinite := Infinity(micros); infinite != "" {
		return append(dst, infinite...)
	}
	day, clock := SplitDay(micros)
	dst, bc := appendDay(dst, day)
	dst = AppendTime(append(dst, ' '), clock)
	return AppendEra(dst, bc)
}

// AppendTimestampTZ prints a moment in zone, nil for UTC.
func AppendTimestampTZ(dst []byte, micros int64, zone *time.Location) []byte {
	if infinite := Infinity(micros); infinite != "" {
		return append(dst, infinite...)
	}
	offset := 0
	if zone != nil && zone != time.UTC {
		_, offset = time.UnixMicro(micros).In(zone).Zone()
	}
	// Shifted after the split: near the last timestamp the sum would overflow.
	day, clock := SplitDay(micros)
	shift, clock := SplitDay(clock + int64(offset)*MicrosPerSecond)
	dst, bc := appendDay(dst, day+shift)
	dst = AppendTime(append(dst, ' '), clock)
	dst = appendOffset(dst, int64(offset))
	return AppendEra(dst, bc)
}

// Infinity is "infinity" or "-infinity" if the microseconds mean one, else "".
func Infinity(micros int64) string {
	switch micros {
	case column.TimestampInfinity:
		return "infinity"
	case column.TimestampNegInfinity:
		return "-infinity"
	}
	return ""
}

// SplitDay splits microseconds since 1970-01-01 into days and the microseconds of the day.
func SplitDay(micros int64) (day, clock int64) {
	day = micros / MicrosPerDay
	clock = micros % MicrosPerDay
	if clock < 0 {
		day, clock = day-1, clock+MicrosPerDay
	}
	return day, clock
}

// appendOffset prints a zone's offset from UTC with the minutes and seconds it
// needs: +00, +05:30, -00:01:15.
func appendOffset(dst []byte, seconds int64) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = AppendTwo(append(dst, sign), seconds/3600)
	if seconds%3600 != 0 {
		dst = AppendTwo(append(dst, ':'), seconds/60%60)
		if seconds%60 != 0 {
			dst = AppendTwo(append(dst, ':'), seconds%60)
		}
	}
	return dst
}

// appendDay prints year, month and day of the proleptic Gregorian calendar;
// there is no year 0, the year before 0001 is 0001 BC.
func appendDay(dst []byte, days int64) (out []byte, bc bool) {
	year, month, day := Civil(days)
	if bc = year <= 0; bc {
		year = 1 - year
	}
	if year < 10_000 {
		dst = append(dst, "0000"...)
		*(*[2]byte)(dst[len(dst)-4:]) = twoDigits[year/100]
		*(*[2]byte)(dst[len(dst)-2:]) = twoDigits[year%100]
	} else {
		dst = strconv.AppendInt(dst, year, 10)
	}
	dst = append(dst, "-00-00"...)
	*(*[2]byte)(dst[len(dst)-5:]) = twoDigits[month]
	*(*[2]byte)(dst[len(dst)-2:]) = twoDigits[day]
	return dst, bc
}

// AppendEra appends " BC", if bc.
func AppendEra(dst []byte, bc bool) []byte {
	if bc {
		return append(dst, " BC"...)
	}
	return dst
}

// Civil turns days since 1970-01-01 into a date, counting in eras of 400 years
// that begin in March (Howard Hinnant, "chrono-Compatible Low-Level Date
// Algorithms").
func Civil(days int64) (year int64, month, day uint32) {
	days += 719_468
	era := days / 146_097
	if days < 0 {
		era = (days - 146_096) / 146_097
	}
	dayOfEra := uint32(days - era*146_097)
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36_524 - dayOfEra/146_096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	march := (5*dayOfYear + 2) / 153
	day = dayOfYear - (153*march+2)/5 + 1
	month = march + 3
	if march >= 10 {
		month = march - 9
	}
	year = int64(yearOfEra) + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// twoDigits are the numbers below 100.
var twoDigits = func() (all [100][2]byte) {
	for n := range all {
		all[n] = [2]byte{byte('0' + n/10), byte('0' + n%10)}
	}
	return all
}()

// AppendTwo prints n in two digits at least.
func AppendTwo(dst []byte, n int64) []byte {
	if n < 100 {
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	}
	return strconv.AppendInt(dst, n, 10)
}

// AppendFraction prints microseconds without trailing zeros.
func AppendFraction(dst []byte, micros int64) []byte {
	if micros == 0 {
		return dst
	}
	digits := [7]byte{'.'}
	for i := 6; i > 0; i-- {
		digits[i] = byte('0' + micros%10)
		micros /= 10
	}
	end := 7
	for digits[end-1] == '0' {
		end--
	}
	return append(dst, digits[:end]...)
}

// AppendInterval prints IntervalStyle postgres: "1 year 2 mons -3 days +04:05:06".
func AppendInterval(dst []byte, v column.MonthsDaysMicros) []byte {
	start, before := len(dst), false
	part := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if before && n > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, n, 10)
		dst = append(append(dst, ' '), unit...)
		if n != 1 {
			dst = append(dst, 's')
		}
		before = n < 0
	}
	part(int64(v.Months/12), "year")
	part(int64(v.Months%12), "mon")
	part(int64(v.Days), "day")
	if v.Micros == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	micros := uint64(v.Micros)
	switch {
	case v.Micros < 0:
		dst = append(dst, '-')
		micros = -micros
	case before:
		dst = append(dst, '+')
	}
	seconds := int64(micros / MicrosPerSecond)
	dst = AppendTwo(dst, seconds/3600)
	dst = AppendTwo(append(dst, ':'), seconds/60%60)
	dst = AppendTwo(append(dst, ':'), seconds%60)
	return AppendFraction(dst, int64(micros%MicrosPerSecond))
}
