package datetime

import (
	"fmt"
	"math"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// intervalFunctions compute with intervals.
var intervalFunctions = []fmgr.Function{
	// An interval and a number.
	{Name: "ontosql_interval_mul", Args: []fmgr.Kind{fmgr.Interval, fmgr.Float}, Result: fmgr.Interval, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		by := a[1].Float
		return scaled(a[0], func(part float64) float64 { return part * by })
	})},
	{Name: "ontosql_interval_div", Args: []fmgr.Kind{fmgr.Interval, fmgr.Float}, Result: fmgr.Interval, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		by := a[1].Float
		if by == 0 {
			return fmgr.Null, pgerr.New(pgerr.DivisionByZero, "division by zero")
		}
		return scaled(a[0], func(part float64) float64 { return part / by })
	})},
	// A text, which the statement reads as an interval when it runs, and 1 where IntervalStyle
	// is sql_standard: the interval as the engine reads it.
	{Name: "ontosql_read_interval", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		months, days, micros, err := ReadInterval(a[0].Text, IntervalForm{SQLStandard: a[1].Int != 0})
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.TextValue(IntervalText(months, days, micros)), nil
	})},
	// The months, days and microseconds of an interval and what is justified: hours,
	// days or all. The result is a text that the engine reads as an interval.
	{Name: "ontosql_justify", Args: []fmgr.Kind{fmgr.Int, fmgr.Int, fmgr.Int, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		months, days, micros := justify(a[0].Int, a[1].Int, a[2].Int, a[3].Text)
		return fmgr.TextValue(IntervalText(months, days, micros)), nil
	})},
}

// IntervalText is an interval as the engine reads it. The hours stand apart, because it
// reads amounts as floats, which would round the microseconds of centuries.
func IntervalText(months, days, micros int64) string {
	const hour = 3_600_000_000
	return fmt.Sprintf("%d months %d days %d hours %d microseconds", months, days, micros/hour, micros%hour)
}

// justify carries 24 hours into a day and 30 days into a month, and gives all parts
// the same sign, as PostgreSQL does.
func justify(months, days, micros int64, what string) (m, d, u int64) {
	if what != "days" {
		days, micros = days+micros/MicrosPerDay, micros%MicrosPerDay
	}
	if what != "hours" {
		months, days = months+days/30, days%30
	}
	if what != "hours" {
		switch rest := what == "all" && days == 0; {
		case months > 0 && (days < 0 || rest && micros < 0):
			days += 30
			months--
		case months < 0 && (days > 0 || rest && micros > 0):
			days -= 30
			months++
		}
	}
	if what != "days" {
		switch {
		case days > 0 && micros < 0:
			micros += MicrosPerDay
			days--
		case days < 0 && micros > 0:
			micros -= MicrosPerDay
			days++
		}
	}
	return months, days, micros
}

// scaled multiplies or divides each part of an interval. A fraction of months becomes days of
// 30 per month, a fraction of days becomes seconds, and both are rounded to a millionth before,
// as PostgreSQL does (interval_mul, interval_div).
func scaled(interval fmgr.Value, scale func(part float64) float64) (fmgr.Value, error) {
	whole := func(part int64) (cut, exact float64, err error) {
		exact = scale(float64(part))
		if cut = math.Trunc(exact); !(cut >= math.MinInt32 && cut <= math.MaxInt32) {
			err = outOfRange()
		}
		return cut, exact, err
	}
	months, exactMonths, err := whole(interval.List[0].Int)
	if err != nil {
		return fmgr.Null, err
	}
	days, exactDays, err := whole(interval.List[1].Int)
	if err != nil {
		return fmgr.Null, err
	}
	const secondsPerDay = MicrosPerDay / 1_000_000
	fromMonths := millionths((exactMonths - months) * 30)
	seconds := millionths((exactDays - days + fromMonths - math.Trunc(fromMonths)) * secondsPerDay)
	carried := math.Trunc(seconds / secondsPerDay)
	seconds -= carried * secondsPerDay
	days += carried + math.Trunc(fromMonths)
	micros := math.RoundToEven(scale(float64(interval.List[2].Int)) + seconds*1_000_000)
	if !(days >= math.MinInt32 && days <= math.MaxInt32) || !(micros >= math.MinInt64 && micros < math.MaxInt64) {
		return fmgr.Null, outOfRange()
	}
	return fmgr.Value{List: []fmgr.Value{{Int: int64(months)}, {Int: int64(days)}, {Int: int64(micros)}}}, nil
}

func outOfRange() error { return pgerr.New(pgerr.DatetimeFieldOverflow, "interval out of range") }

func millionths(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }
