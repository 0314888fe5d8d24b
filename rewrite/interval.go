package rewrite

import (
	"math"
)

// Bits of the fields of an interval's type modifier, and the modifier's parts
// (PostgreSQL's timestamp.h).
const (
	fieldMonth  = 1 << 1
	fieldYear   = 1 << 2
	fieldDay    = 1 << 3
	fieldHour   = 1 << 10
	fieldMinute = 1 << 11
	fieldSecond = 1 << 12
	allFields   = 0x7FFF
	allDigits   = 0xFFFF
)

// intervalMod is the type modifier of interval with fields and digits of a second.
func intervalMod(fields, digits int32) int32 { return fields<<16 | digits }

// intervalFields are the fields that a modifier keeps, and the digits of a second
// as a number of microseconds, 1 for all.
func intervalFields(mod int32) (fields int32, unit int64) {
	if mod < 0 {
		return allFields, 1
	}
	unit = 1
	if digits := mod & allDigits; digits < 6 {
		unit = int64(math.Pow10(6 - int(digits)))
	}
	return mod >> 16 & allFields, unit
}

// lastField is what a bare number means in an interval of some fields, and the
// months and microseconds that the value is cut to; 0 microseconds cut off all time.
func lastField(fields int32) (unit string, months, micros int64) {
	switch {
	case fields == allFields || fields&fieldSecond != 0:
		return "second", 1, 1
	case fields&fieldMinute != 0:
		return "minute", 1, 60e6
	case fields&fieldHour != 0:
		return "hour", 1, 3600e6
	case fields&fieldDay != 0:
		return "day", 1, 0
	case fields&fieldMonth != 0:
		return "month", 1, 0
	}
	return "year", 12, 0
}

// bareNumbers reports whether a text of an interval of these fields may mean other
// units than the text says.
func bareNumbers(to typ) bool {
	if to.oid != intervalOID || to.mod < 0 {
		return false
	}
	fields, _ := intervalFields(to.mod)
	unit, _, _ := lastField(fields)
	return unit != "second"
}
