package settings

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
)

// now is the clock of the tests: a Friday in winter.
func now() time.Time { return time.Date(2026, 11, 27, 16, 20, 30, 0, time.UTC) }

// TestReadPoint reads texts as PostgreSQL 15 reads a timestamptz in the zone Europe/Oslo,
// but for numbers and HEAD.
func TestReadPoint(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		order      datetime.DateOrder
		text, want string
	}{
		{text: "42", want: "42"},
		{text: "20261127", want: "20261127"},
		{text: "HEAD~3", want: "HEAD~3"},
		{text: "infinity", want: "HEAD"},
		{text: "-infinity", want: "0"},
		{text: "2026-02-10T12:00:00Z", want: "2026-02-10T12:00:00Z"},
		{text: "2026-02-10 12:00:00.123456+02:00", want: "2026-02-10T10:00:00.123456Z"},
		{text: "2026-02-10 12:00:00+02", want: "2026-02-10T10:00:00Z"},
		{text: "2026-02-10 12:00+00", want: "2026-02-10T12:00:00Z"},
		{text: "2026-02-10T12:00Z", want: "2026-02-10T12:00:00Z"},
		{text: "2026-02-10 12:00:00 +02:00", want: "2026-02-10T10:00:00Z"},
		{text: "2026-02-10T12:00:00+0200", want: "2026-02-10T10:00:00Z"},
		{text: "2026-02-10 12:00:00.5", want: "2026-02-10T11:00:00.5Z"},
		{text: "2026-02-10 12:00", want: "2026-02-10T11:00:00Z"},
		{text: "2026-07-10 12:00", want: "2026-07-10T10:00:00Z"},
		{text: "2026-02-10", want: "2026-02-09T23:00:00Z"},
		{text: "2026-11-27 04:00 America/New_York", want: "2026-11-27T09:00:00Z"},
		{text: "2026-11-27 04:00 EST", want: "2026-11-27T09:00:00Z"},
		{text: "11/27/2026", want: "2026-11-26T23:00:00Z"},
		{order: datetime.DayFirst, text: "27/11/2026", want: "2026-11-26T23:00:00Z"},
		{order: datetime.YearFirst, text: "26/11/27", want: "2026-11-26T23:00:00Z"},
		{text: "20261127T040000Z", want: "2026-11-27T04:00:00Z"},
		{text: "2026-331", want: "2026-11-26T23:00:00Z"},
		{text: "2026.331", want: "2026-11-26T23:00:00Z"},
		{text: "J2461372", want: "2026-11-26T23:00:00Z"},
		{text: "Nov 27 2026 4:00 PM", want: "2026-11-27T15:00:00Z"},
		{text: "now", want: "2026-11-27T16:20:30Z"},
		{text: "today", want: "2026-11-26T23:00:00Z"},
		{text: "yesterday", want: "2026-11-25T23:00:00Z"},
		{text: "tomorrow 04:00", want: "2026-11-28T03:00:00Z"},
		{text: "epoch", want: "1970-01-01T00:00:00Z"},
	} {
		in := datetime.TimeInput{Order: c.order, Now: func() time.Time { return now().In(oslo) }}
		if p, err := ReadPoint(c.text, in, oslo); err != nil || p.String() != c.want {
			t.Errorf("ReadPoint(%q) = %v, %v; want %s", c.text, p, err, c.want)
		}
	}
}

// TestReadPointRefuses: the error has a SQLSTATE, a hint, and a detail where the text is
// almost a time.
func TestReadPointRefuses(t *testing.T) {
	for text, want := range map[string]struct{ detail, hint string }{
		"":                             {"", pointHint},
		"non sense":                    {"", pointHint},
		"HEAD~x":                       {"", pointHint},
		"04:00":                        {"", pointHint},
		"99999999999999999999":         {"", pointHint},
		"2026-02-30":                   {`Date/time field value out of range: "2026-02-30".`, pointHint},
		"2026-13-01":                   {`Date/time field value out of range: "2026-13-01".`, `Perhaps you need a different "datestyle" setting.`},
		"2026-02-10 25:00":             {`Date/time field value out of range: "2026-02-10 25:00".`, pointHint},
		"2026-02-10 00:00 Nowhere/Far": {`Time zone "nowhere/far" not recognized.`, pointHint},
		"2026-02-10 00:00+99":          {`Time zone displacement out of range: "2026-02-10 00:00+99".`, pointHint},
	} {
		_, err := ReadPoint(text, datetime.TimeInput{Now: now}, time.UTC)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != pgerr.InvalidParameterValue || e.Detail != want.detail || e.Hint != want.hint {
			t.Errorf("ReadPoint(%q): %#v; want detail %q, hint %q", text, e, want.detail, want.hint)
		}
		if bad := (*ontosql.BadPointError)(nil); !errors.As(err, &bad) || bad.Text != text {
			t.Errorf("ReadPoint(%q): %v is no BadPointError of the text", text, err)
		}
	}
}

// TestTagNames: what has the form of a name and is no other point is the name of a tag, also
// when a point is read.
func TestTagNames(t *testing.T) {
	for text, ok := range map[string]bool{
		"v1": true, "2026-Q1": true, "release_1.2-rc": true, "_x": true, "Été": true, "headline": true, "a": true, strings.Repeat("a", 63): true,
		"": false, " v1": false, "a b": false, "42": false, "1.5": false, "1_000": false, "HEAD": false, "head": false, "HEAD~1": false, "-v1": false, ".v1": false, "a@b": false, "a/b": false, "a:b": false,
		"now": false, "today": false, "yesterday": false, "epoch": false, "infinity": false, "-infinity": false, "2026-02-10": false, "2026-02-30": false, "20261127T040000Z": false,
		"10-Feb-2026": false, "30-13-2026": false, "a\x00b": false, "a\xff": false, strings.Repeat("a", 64): false, strings.Repeat("é", 32): false,
	} {
		name, err := TagName(text)
		var e *pgerr.Error
		if (err == nil) != ok || ok && name != text || !ok && (!errors.As(err, &e) || e.Code != pgerr.InvalidName) {
			t.Errorf("TagName(%q) = %q, %v; want it to be a name: %t", text, name, err, ok)
		}
		if !ok {
			continue
		}
		if p, err := ReadPoint(" "+text, datetime.TimeInput{Now: now}, time.UTC); err != nil || p != ontosql.AtTag(text) || p.String() != text {
			t.Errorf("ReadPoint(%q) = %v, %v", text, p, err)
		}
	}
}

// TestFixPoint: a time that depends on settings or the clock becomes a moment, anything
// else stays as it was written.
func TestFixPoint(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " ": "", "42": "42", "HEAD~2": "HEAD~2", "2026-02-10": "2026-02-10", "2026-02-10 12:00:00+02": "2026-02-10 12:00:00+02",
		"11/27/2026": "2026-11-27T00:00:00Z", "yesterday": "2026-11-26T00:00:00Z", "now": "2026-11-27T16:20:30Z", "2026-11-27 04:00 EST": "2026-11-27T09:00:00Z",
		"infinity": "HEAD", "-infinity": "0", "v1": "v1",
	} {
		if got, err := FixPoint(text, datetime.TimeInput{Now: now}, time.UTC); err != nil || got != want {
			t.Errorf("FixPoint(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}
