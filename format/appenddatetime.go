package format

import "time"

// appendTimestamp appends a timestamp in the form of Time. It is several times faster than
// time.Time.Format with timeLayout.
func appendTimestamp(dst []byte, micros int64) []byte {
	t := time.UnixMicro(micros).UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	fraction := t.Nanosecond() / 1000
	dst = appendTwoDigits(appendTwoDigits(dst, year/100), year%100)
	dst = appendTwoDigits(append(dst, '-'), int(month))
	dst = appendTwoDigits(append(dst, '-'), day)
	dst = appendTwoDigits(append(dst, 'T'), hour)
	dst = appendTwoDigits(append(dst, ':'), minute)
	dst = appendTwoDigits(append(dst, ':'), second)
	dst = appendTwoDigits(append(dst, '.'), fraction/10_000)
	dst = appendTwoDigits(appendTwoDigits(dst, fraction/100%100), fraction%100)
	return append(dst, "+00:00"...)
}

// appendTwoDigits appends n, which is below 100, as two digits.
func appendTwoDigits(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
