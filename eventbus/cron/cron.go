// Package cron reads the times of a schedule: five fields, in UTC, by the rules of the original
// library (COMPAT 8). They differ from those of the Unix program: a day must match both the day of
// the month and the day of the week. It keeps no clock.
package cron

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Schedule is a set of minutes.
type Schedule struct {
	text     string
	minutes  set
	hours    set
	days     set
	months   set
	weekdays set // 0 is Sunday, and so is 7
}

// set has bit n for the value n.
type set uint64

func (s set) has(n int) bool { return s>>n&1 == 1 }

// SyntaxError is a text that is no schedule.
type SyntaxError struct {
	Text string
	Err  error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("schedule %q: %v", e.Text, e.Err) }

func (e *SyntaxError) Unwrap() error { return e.Err }

var (
	errFields = errors.New("want five fields: minute, hour, day of the month, month, day of the week")
	errNever  = errors.New("no day matches")
)

// Parse reads minute, hour, day of the month, month and day of the week, each *, */n, a-b, a number
// or a list of these. The error is a *SyntaxError, also for a schedule that no minute matches.
func Parse(text string) (*Schedule, error) {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return nil, &SyntaxError{text, errFields}
	}
	s := &Schedule{text: strings.Join(fields, " ")}
	for i, f := range []struct {
		name        string
		least, most int
		to          *set
	}{
		{"minute", 0, 59, &s.minutes},
		{"hour", 0, 23, &s.hours},
		{"day of the month", 1, 31, &s.days},
		{"month", 1, 12, &s.months},
		{"day of the week", 0, 7, &s.weekdays},
	} {
		var err error
		if *f.to, err = parseField(fields[i], f.least, f.most); err != nil {
			return nil, &SyntaxError{text, fmt.Errorf("%s: %w", f.name, err)}
		}
	}
	if s.weekdays.has(7) {
		s.weekdays |= 1
	}
	if s.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, &SyntaxError{text, errNever}
	}
	return s, nil
}

// parseField reads one field, whose values are least to most.
func parseField(text string, least, most int) (values set, err error) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, step := least, most, 1
		if every, ok := strings.CutPrefix(part, "*/"); ok {
			if step, err = number(every, 1, 1<<30); err != nil {
				return 0, err
			}
		} else if part != "*" {
			from, to, isRange := strings.Cut(part, "-")
			if low, err = number(from, least, most); err != nil {
				return 0, err
			}
			if high = low; isRange {
				if high, err = number(to, least, most); err != nil {
					return 0, err
				}
			}
			if low > high {
				return 0, fmt.Errorf("%q ends before it begins", part)
			}
		}
		for n := low; n <= high; n += step {
			values |= 1 << n
		}
	}
	return values, nil
}

func number(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || text[0] == '+' || text[0] == '-' {
		return 0, fmt.Errorf("%q is no number, *, */n, a-b or list of these", text)
	}
	if n < least || n > most {
		return 0, fmt.Errorf("%d is not within %d and %d", n, least, most)
	}
	return n, nil
}

// String is the schedule with one space between its fields.
func (s *Schedule) String() string { return s.text }

// Matches reports whether the minute of t belongs to the schedule.
func (s *Schedule) Matches(t time.Time) bool {
	t = t.UTC()
	return s.matchesDay(t) && s.hours.has(t.Hour()) && s.minutes.has(t.Minute())
}

func (s *Schedule) matchesDay(t time.Time) bool {
	return s.months.has(int(t.Month())) && s.days.has(t.Day()) && s.weekdays.has(int(t.Weekday()))
}

// horizon is the number of days after which every pair of date and weekday has come: February 29 is
// a given weekday every 28 years, or 40 where a century has no leap year.
const horizon = 41 * 366

// Next is the first minute of the schedule after t; zero if there is none.
func (s *Schedule) Next(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Minute).Add(time.Minute)
	for range horizon {
		if s.matchesDay(t) {
			for day := t.Day(); t.Day() == day; t = t.Add(time.Minute) {
				if s.hours.has(t.Hour()) && s.minutes.has(t.Minute()) {
					return t
				}
			}
			continue // t is the next day
		}
		t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
	}
	return time.Time{}
}
