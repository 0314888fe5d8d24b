package datetime

import (
	"testing"
	"time"
)

// A parameter, or the field of a COPY, may be a moment that moves.
func TestMovingTimes(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	in := TimeInput{Now: func() time.Time { return time.Date(2024, 3, 31, 21, 30, 15, 250_000_000, zone) }}
	for _, c := range []struct{ text, name, want string }{
		{"now", "timestamptz", "2024-04-01 01:30:15.250000+00"},
		{"now", "timestamp", "2024-03-31 21:30:15.250000"},
		{" NOW ", "time", "21:30:15.250000"},
		{"today", "date", "2024-03-31"},
		{"tomorrow", "date", "2024-04-01"},
		{"tomorrow 10:00", "timestamptz", "2024-04-01 14:00:00.000000+00"},
		{"yesterday 10:00 Europe/Berlin", "timestamptz", "2024-03-30 09:00:00.000000+00"},
		{"today 10:00+05:30", "timestamptz", "2024-03-31 04:30:00.000000+00"},
		{"2024-01-05", "date", "2024-01-05"},
	} {
		if got, err := ReadTime(c.text, c.name, in); err != nil || got != c.want {
			t.Errorf("ReadTime(%q, %s): got %q, %v, want %q", c.text, c.name, got, err, c.want)
		}
	}
	if got, err := ReadTime("today", "date", TimeInput{}); err == nil {
		t.Errorf("ReadTime(today) where now is not known: got %q, want an error", got)
	}
}

// IntervalStyle sql_standard is how intervals are read, too.
func TestSignOfAllParts(t *testing.T) {
	const hour = 3_600_000_000
	for _, c := range []struct {
		text               string
		days, micros       int64
		daysSQL, microsSQL int64
	}{
		{"-1 2:00", -1, 2 * hour, -1, -2 * hour},
		{"-1 +2:00", -1, 2 * hour, -1, 2 * hour},
		{"1 -2:00", 1, -2 * hour, 1, -2 * hour},
		{"-2 hours 30 min", 0, -1.5 * hour, 0, -2.5 * hour},
	} {
		_, days, micros, err := ReadInterval(c.text, IntervalForm{})
		_, daysSQL, microsSQL, errSQL := ReadInterval(c.text, IntervalForm{SQLStandard: true})
		if err != nil || errSQL != nil || days != c.days || micros != c.micros || daysSQL != c.daysSQL || microsSQL != c.microsSQL {
			t.Errorf("%q: %d days %d us, %v; as SQL has it %d days %d us, %v; want %d, %d and %d, %d",
				c.text, days, micros, err, daysSQL, microsSQL, errSQL, c.days, c.micros, c.daysSQL, c.microsSQL)
		}
	}
}
