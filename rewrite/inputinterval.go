package rewrite

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// parseInterval reads an interval of some fields, of which the last is what a bare number
// means.
func parseInterval(text string, fields int32, sqlStandard bool) (months, days, micros int64, err *pgerr.Error) {
	form := pgfunc.IntervalForm{MinuteSecond: fields == fieldMinute|fieldSecond, SQLStandard: sqlStandard}
	form.Bare, _, _ = lastField(fields)
	return pgfunc.ReadInterval(text, form)
}

// ReadInterval reads an interval. An error is a *pgerr.Error.
func ReadInterval(text string) (months, days, micros int64, err error) {
	months, days, micros, bad := parseInterval(text, allFields, false)
	return months, days, micros, asError(bad)
}

func intervalInput(s string, to typ, in pgfunc.TimeInput) (string, *pgerr.Error) {
	fields, _ := intervalFields(to.mod)
	months, days, micros, err := parseInterval(s, fields, in.SQLIntervals)
	return pgfunc.IntervalText(months, days, micros), err
}
