package input

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ParseInterval reads an interval of some fields, of which the last is what a bare number
// means.
func ParseInterval(text string, fields int32, sqlStandard bool) (months, days, micros int64, err *pgerr.Error) {
	form := datetime.IntervalForm{MinuteSecond: fields == types.IntervalMinute|types.IntervalSecond, SQLStandard: sqlStandard}
	form.Bare, _, _ = types.LastIntervalField(fields)
	return datetime.ReadInterval(text, form)
}

// ReadInterval reads an interval. An error is a *pgerr.Error.
func ReadInterval(text string) (months, days, micros int64, err error) {
	months, days, micros, bad := ParseInterval(text, types.AllIntervalFields, false)
	return months, days, micros, asError(bad)
}

func intervalInput(s string, to types.Type, in datetime.TimeInput) (string, *pgerr.Error) {
	fields, _ := types.IntervalFields(to.Typmod)
	months, days, micros, err := ParseInterval(s, fields, in.SQLIntervals)
	return datetime.IntervalText(months, days, micros), err
}
