package types

import (
	"math"
)

// Bits of the fields of an interval's type modifier, and the modifier's parts
// (PostgreSQL's timestamp.h).
const (
	IntervalMonth     = 1 << 1
	IntervalYear      = 1 << 2
	IntervalDay       = 1 << 3
	IntervalHour      = 1 << 10
	IntervalMinute    = 1 << 11
	IntervalSecond    = 1 << 12
	AllIntervalFields = 0x7FFF
	AllIntervalDigits = 0xFFFF
)

// IntervalTypmod is the type modifier of interval with fields and digits of a second.
func IntervalTypmod(fields, digits int32) int32 { return fields<<16 | digits }

// IntervalFields are the fields that a modifier keeps, and the digits of a second
// as a number of microseconds, 1 for all.
func IntervalFields(mod int32) (fields int32, unit int64) {
	if mod < 0 {
		return AllIntervalFields, 1
	}
	unit = 1
	if digits := mod & AllIntervalDigits; digits < 6 {
		unit = int64(math.Pow10(6 - int(digits)))
	}
	return mod >> 16 & AllIntervalFields, unit
}

// LastIntervalField is what a bare number means in an interval of some fields, and the
// months and microseconds that the value is cut to; 0 microseconds cut off all time.
func LastIntervalField(fields int32) (unit string, months, micros int64) {
	switch {
	case fields == AllIntervalFields || fields&IntervalSecond != 0:
		return "second", 1, 1
	case fields&IntervalMinute != 0:
		return "minute", 1, 60e6
	case fields&IntervalHour != 0:
		return "hour", 1, 3600e6
	case fields&IntervalDay != 0:
		return "day", 1, 0
	case fields&IntervalMonth != 0:
		return "month", 1, 0
	}
	return "year", 12, 0
}

// UnitDependsOnFields reports whether a text of an interval of these fields may mean other
// units than the text says.
func UnitDependsOnFields(to Type) bool {
	if to.OID != Interval || to.Typmod < 0 {
		return false
	}
	fields, _ := IntervalFields(to.Typmod)
	unit, _, _ := LastIntervalField(fields)
	return unit != "second"
}
