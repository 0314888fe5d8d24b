package cron_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus/cron"
)

const layout = "2006-01-02 15:04:05"

// TestNext has the rules of COMPAT 8. 2026-02-11 is a Wednesday.
func TestNext(t *testing.T) {
	for _, c := range []struct{ schedule, after, want string }{
		{"* * * * *", "2026-02-11 12:00:00", "2026-02-11 12:01:00"},
		{"* * * * *", "2026-02-11 12:00:59", "2026-02-11 12:01:00"},
		{"*/15 * * * *", "2026-02-11 12:00:00", "2026-02-11 12:15:00"},
		{"*/15 * * * *", "2026-02-11 12:45:30", "2026-02-11 13:00:00"},
		{"*/7 * * * *", "2026-02-11 12:56:00", "2026-02-11 13:00:00"},
		{"*/100 * * * *", "2026-02-11 12:56:00", "2026-02-11 13:00:00"},
		{"5-7 3 * * *", "2026-02-11 03:05:00", "2026-02-11 03:06:00"},
		{"5-7 3 * * *", "2026-02-11 03:07:00", "2026-02-12 03:05:00"},
		{"1,31,5-6 * * * *", "2026-02-11 12:06:00", "2026-02-11 12:31:00"},
		{"0 0 1 * *", "2026-12-31 23:59:59", "2027-01-01 00:00:00"},
		{"*/10  */6 \t* * *", "2026-02-11 06:50:00", "2026-02-11 12:00:00"},
		{"0 0 */10 * *", "2026-02-11 00:00:00", "2026-02-21 00:00:00"}, // 1, 11, 21, 31
		{"0 12 * */6 *", "2026-02-11 00:00:00", "2026-07-01 12:00:00"}, // 1 and 7
		{"0 9 * * 0", "2026-02-11 00:00:00", "2026-02-15 09:00:00"},
		{"0 9 * * 7", "2026-02-11 00:00:00", "2026-02-15 09:00:00"},
		{"0 9 * * 5-7", "2026-02-14 09:00:00", "2026-02-15 09:00:00"},
		{"0 9 * * 1-5", "2026-02-13 09:00:00", "2026-02-16 09:00:00"},
		// The day of the month and that of the week must both match.
		{"0 0 13 * 5", "2026-03-14 00:00:00", "2026-11-13 00:00:00"},
		{"0 0 29 2 *", "2026-02-11 00:00:00", "2028-02-29 00:00:00"},
		{"0 0 29 2 0", "2026-02-11 00:00:00", "2032-02-29 00:00:00"},
		{"0 0 31 4,5 *", "2026-02-11 00:00:00", "2026-05-31 00:00:00"},
	} {
		s, err := cron.Parse(c.schedule)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		after, err := time.Parse(layout, c.after)
		if err != nil {
			t.Fatal(err)
		}
		next := s.Next(after.In(time.FixedZone("far", 5*3600)))
		if got := next.Format(layout); got != c.want || !s.Matches(next) || s.Matches(after.Add(-time.Minute)) && s.Next(after.Add(-2*time.Minute)).After(after) {
			t.Errorf("%s after %s: %s, want %s", c.schedule, c.after, got, c.want)
		}
	}
}

// TestNextMatches compares Next with Matches, minute by minute.
func TestNextMatches(t *testing.T) {
	from := time.Date(2026, 2, 27, 22, 0, 0, 0, time.UTC)
	for _, text := range []string{"*/13 */5 * * *", "7 3,22 1,28 * *", "0-3 * * 2-3 6,0"} {
		s, err := cron.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		next := s.Next(from)
		for at := from.Add(time.Minute); at.Before(from.Add(7 * 24 * time.Hour)); at = at.Add(time.Minute) {
			if s.Matches(at) != at.Equal(next) {
				t.Fatalf("%s: at %v Matches is %v, and the next is %v", text, at, s.Matches(at), next)
			}
			if at.Equal(next) {
				next = s.Next(at)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 8",
		"*/0 * * * *", "*/-1 * * * *", "*/x * * * *", "*/ * * * *", "7-5 * * * *", "5-60 * * * *", "-5 * * * *", "1- * * * *", "1-2-3 * * * *", "1-9/2 * * * *",
		"1,,2 * * * *", ", * * * *", "a * * * *", "+1 * * * *", "1.5 * * * *", "* * * JAN *", "* * * * MON", "@daily", "0 0 30 2 *", "0 0 31 4,6,9,11 *",
	} {
		s, err := cron.Parse(text)
		var syntax *cron.SyntaxError
		if s != nil || !errors.As(err, &syntax) || syntax.Text != text {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("*/5 1-2 1,2 * 7")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := cron.Parse(text)
		if err != nil {
			return
		}
		again, err := cron.Parse(s.String())
		at := time.Date(2026, 2, 11, 0, 0, 0, 0, time.UTC)
		if err != nil || !again.Next(at).Equal(s.Next(at)) || !s.Matches(s.Next(at)) {
			t.Errorf("%q: %v, %v", text, s.Next(at), err)
		}
	})
}
