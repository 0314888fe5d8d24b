package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Time is a stored timestamp (COMPAT rule 2). It is written as UTC with six digits and "+00:00",
// because the original compares the texts. Reading is lenient: it accepts "Z", other offsets, no
// offset (UTC), a space instead of "T", and any number of fractional digits. The original omits the
// fraction if the microseconds are 0.
type Time struct{ time.Time }

// TimeOf returns t in UTC, truncated to microseconds.
func TimeOf(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// timeLayout is the layout in which a Time is written.
const timeLayout = "2006-01-02T15:04:05.000000-07:00"

// String returns the stored text.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// timeLayouts are the layouts that ParseTime accepts. time.Parse accepts a fraction after the
// seconds even if the layout has none.
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

// ParseTime parses a stored timestamp. It truncates to microseconds.
func ParseTime(s string) (Time, error) {
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		// The offset can move the time to a year that does not have four digits.
		if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
			break
		}
		return TimeOf(t), nil
	}
	return Time{}, fmt.Errorf("%q: %w", s, errTime)
}

// MarshalJSON writes the text of String.
func (t Time) MarshalJSON() ([]byte, error) { return AppendString(nil, t.String()), nil }

// UnmarshalJSON accepts the texts that ParseTime accepts.
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
