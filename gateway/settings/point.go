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

// ReadPoint reads a point of an ontology's past: a commit id, HEAD, HEAD~n, a time as
// PostgreSQL reads a timestamptz, or the name of a tag, whether or not it exists. A number alone
// is a commit id. zone is that of a time without one. The error is a *pgerr.Error, 22023.
func ReadPoint(text string, in datetime.TimeInput, zone *time.Location) (ontosql.Point, error) {
	point, err := ontosql.ParsePoint(text)
	if err == nil {
		return point, nil
	}
	if wholeNumber.MatchString(text) { // a commit id that no commit can have
		return point, invalidPoint(err, nil)
	}
	at, fault := datetime.ReadMoment(text, in, zone)
	switch name := strings.TrimSpace(text); {
	case fault != nil && fault.Code == pgerr.InvalidDatetimeFormat && ontosql.IsTagName(name):
		return ontosql.AtTag(name), nil
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
const pointHint = "For example 42, HEAD~3, '2026-02-10', '2026-02-10 09:00 Europe/Paris' or the name of a tag of ontosql.tags."

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

// UnknownTag is the error 22023 of a tag that does not exist; any other error is returned as it is.
func UnknownTag(err error) error {
	var unknown *ontosql.BadPointError
	if errors.As(err, &unknown) {
		return invalidPoint(err, nil)
	}
	return err
}

// TagName reads the name of a new tag. A name that is also read as another point, in one of the
// orders of DateStyle, is 42602.
func TagName(text string) (string, error) {
	if ontosql.IsTagName(text) {
		isTag := true
		for _, order := range everyDateOrder {
			point, err := ReadPoint(text, datetime.TimeInput{Order: order, Now: time.Now}, time.UTC)
			_, tag := point.Tag()
			isTag = isTag && err == nil && tag
		}
		if isTag {
			return text, nil
		}
	}
	return "", pgerr.New(pgerr.InvalidName, "invalid name of a tag: %q", text).
		WithDetail("A name has at most %d bytes: letters, digits and any of \"_-.\", with at least one letter. What is read as another point, such as HEAD or a time, is no name.", ontosql.LongestTag)
}

// everyDateOrder are the orders of DateStyle.
var everyDateOrder = []datetime.DateOrder{datetime.MonthFirst, datetime.DayFirst, datetime.YearFirst}

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
	for _, order := range everyDateOrder {
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
