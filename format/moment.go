package format

import "time"

// appendMoment appends a moment in the form of Time, which timeLayout takes several
// times as long for.
func appendMoment(dst []byte, micros int64) []byte {
	t := time.UnixMicro(micros).UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	fraction := t.Nanosecond() / 1000
	dst = appendPair(appendPair(dst, year/100), year%100)
	dst = appendPair(append(dst, '-'), int(month))
	dst = appendPair(append(dst, '-'), day)
	dst = appendPair(append(dst, 'T'), hour)
	dst = appendPair(append(dst, ':'), minute)
	dst = appendPair(append(dst, ':'), second)
	dst = appendPair(append(dst, '.'), fraction/10_000)
	dst = appendPair(appendPair(dst, fraction/100%100), fraction%100)
	return append(dst, "+00:00"...)
}

// appendPair appends a number of two digits.
func appendPair(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
