package pgfunc

import "fmt"

// intervalFunctions compute with intervals.
var intervalFunctions = []Function{
	// The months, days and microseconds of an interval and what is justified: hours,
	// days or all. The result is a text that the engine reads as an interval.
	{Name: "ontosql_justify", Args: []Kind{Int, Int, Int, Text}, Result: Text, New: plain(func(a []Value) (Value, error) {
		months, days, micros := justify(a[0].Int, a[1].Int, a[2].Int, a[3].Text)
		return text(fmt.Sprintf("%d months %d days %d microseconds", months, days, micros)), nil
	})},
}

// justify carries 24 hours into a day and 30 days into a month, and gives all parts
// the same sign, as PostgreSQL does.
func justify(months, days, micros int64, what string) (m, d, u int64) {
	if what != "days" {
		days, micros = days+micros/microsPerDay, micros%microsPerDay
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
			micros += microsPerDay
			days--
		case days < 0 && micros > 0:
			micros -= microsPerDay
			days++
		}
	}
	return months, days, micros
}
