package settings

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
)

// ReadPoint reads a point of an ontology's past: a commit id, HEAD, HEAD~n, or a time as
// PostgreSQL reads a timestamptz. A number alone is a commit id. zone is that of a time
// without one. The error is a *pgerr.Error, 22023.
func ReadPoint(text string, in datetime.TimeInput, zone *time.Location) (ontosql.Point, error) {
	point, err := ontosql.ParsePoint(text)
	if err == nil {
		return point, nil
	}
	if wholeNumber.MatchString(text) { // a commit id that no commit can have
		return point, invalidPoint(err, nil)
	}
	at, fault := datetime.ReadMoment(text, in, zone)
	switch {
	case fault != nil:
		return point, invalidPoint(err, fault)
	case at.Infinite > 0:
		return ontosql.AtHead(), nil
	case at.Infinite < 0:
		return ontosql.AtCommit(0), nil
	}
	return ontosql.AtTime(at.Time), nil
}

// pointHint tells how a point is written.
const pointHint = "For example 42, HEAD~3, '2026-02-10' or '2026-02-10 09:00 Europe/Paris'."

var wholeNumber = regexp.MustCompile(`^\s*[+-]?\d+\s*$`)

// invalidPoint is the error 22023 of a text that is not a point. time is the error of reading
// it as a time, nil for none; its message becomes the detail if it is more than a syntax error.
func invalidPoint(err error, time *pgerr.Error) error {
	out := pgerr.New(pgerr.InvalidParameterValue, "%s", err.Error()).WithHint(pointHint).Because(err)
	if time != nil && time.Code != pgerr.InvalidDatetimeFormat {
		out = out.WithDetail("%s.", strings.ToUpper(time.Message[:1])+time.Message[1:])
		if time.Hint != "" {
			out = out.WithHint("%s", time.Hint)
		}
	}
	return out
}

// isoPoint matches a time that is read in the same way whatever DateStyle and the clock say.
var isoPoint = regexp.MustCompile(`^\s*\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?\s*(Z|[+-]\d\d(:?\d\d)?)?\s*$`)

// FixPoint is the value that the setting ontosql.as_of has once it is set to a text: the text
// itself, but for a time that depends on DateStyle, on the clock or on the name of a zone,
// which becomes the moment that it is now.
func FixPoint(text string, in datetime.TimeInput, zone *time.Location) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	point, err := ReadPoint(text, in, zone)
	if err != nil {
		return "", err
	}
	if _, parsed := ontosql.ParsePoint(text); parsed == nil || isoPoint.MatchString(text) {
		return text, nil
	}
	return point.String(), nil
}

// pointText accepts a text that is a point in one of the orders of DateStyle: the session
// reads it again when its other settings are known.
func pointText(v string) (string, error) {
	if strings.TrimSpace(v) == "" {
		return "", nil
	}
	var first error
	for _, order := range []datetime.DateOrder{datetime.MonthFirst, datetime.DayFirst, datetime.YearFirst} {
		_, err := ReadPoint(v, datetime.TimeInput{Order: order, Now: time.Now}, time.UTC)
		if err == nil {
			return v, nil
		}
		if first == nil {
			first = err
		}
	}
	var e *pgerr.Error
	if errors.As(first, &e) {
		return "", e
	}
	return "", first
}
