package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Time is a stored timestamp (COMPAT rule 2). It is written as UTC with six
// digits and "+00:00", because the original compares such texts as texts; it
// is read leniently: "Z", another offset or none (UTC), a space for the "T",
// any number of digits down to no fraction at all, which is what the original
// writes when the microseconds are 0.
type Time struct{ time.Time }

// TimeOf is t as it will be stored: in UTC, cut to microseconds.
func TimeOf(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// timeLayout is how a Time is written.
const timeLayout = "2006-01-02T15:04:05.000000-07:00"

// String is the written form.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// timeLayouts are what ParseTime reads. A layout accepts a fraction after the
// seconds whether or not it shows one.
var timeLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z07:00",
	"2006-01-02",
}

var errTime = errors.New("not a time of the form 2006-01-02T15:04:05.000000+00:00")

// ParseTime reads a stored timestamp; what is finer than a microsecond is cut
// off.
func ParseTime(s string) (Time, error) {
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		// An offset can push a year out of the four digits that are written.
		if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
			break
		}
		return TimeOf(t), nil
	}
	return Time{}, fmt.Errorf("%q: %w", s, errTime)
}

// MarshalJSON writes the String form.
func (t Time) MarshalJSON() ([]byte, error) { return AppendString(nil, t.String()), nil }

// UnmarshalJSON reads what ParseTime reads.
func (t *Time) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	parsed, err := ParseTime(s)
	if err == nil {
		*t = parsed
	}
	return err
}
