package format_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
)

func TestTime(t *testing.T) {
	tests := []struct{ text, want string }{
		{"2026-11-20T23:55:04.259080+00:00", "2026-11-20T23:55:04.259080+00:00"},
		{"2026-11-20T23:55:04+00:00", "2026-11-20T23:55:04.000000+00:00"}, // Python, when the microseconds are 0
		{"2026-11-20T23:55:04Z", "2026-11-20T23:55:04.000000+00:00"},
		{"2026-11-20T23:55:04.5Z", "2026-11-20T23:55:04.500000+00:00"},
		{"2026-11-20T23:55:04.259080", "2026-11-20T23:55:04.259080+00:00"},
		{"2026-11-20 23:55:04", "2026-11-20T23:55:04.000000+00:00"}, // SQLite's datetime('now')
		{"2026-11-20 23:55:04.1+00:00", "2026-11-20T23:55:04.100000+00:00"},
		{"2026-11-21T01:55:04.259080+02:00", "2026-11-20T23:55:04.259080+00:00"},
		{"2026-11-20T18:55:04.259080-0500", "2026-11-20T23:55:04.259080+00:00"},
		{"2026-11-20T23:55:04.259080999Z", "2026-11-20T23:55:04.259080+00:00"},
		{"2026-11-20", "2026-11-20T00:00:00.000000+00:00"},
		{"0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00.000000+00:00"},
	}
	for _, test := range tests {
		got, err := format.ParseTime(test.text)
		if err != nil || got.String() != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"", "now", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "1767225600", "9999-12-31T23:59:59-12:00"} {
		if got, err := format.ParseTime(text); err == nil {
			t.Errorf("%q: got %s, want an error", text, got)
		}
	}
}

func TestTimeInJSON(t *testing.T) {
	in := format.TimeOf(time.Date(2026, 2, 10, 13, 0, 0, 1999, time.FixedZone("", 3600)))
	text, err := json.Marshal(in)
	if err != nil || string(text) != `"2026-02-10T12:00:00.000001+00:00"` {
		t.Fatalf("got %s, %v", text, err)
	}
	var out format.Time
	if err := json.Unmarshal(text, &out); err != nil || !out.Equal(in.Time) {
		t.Errorf("written %s, read %s, %v", in, out, err)
	}
	if err := json.Unmarshal([]byte(`"soon"`), &out); err == nil {
		t.Error("soon is no time")
	}
}

func TestLockStates(t *testing.T) {
	at := func(s string) format.Time {
		parsed, err := format.ParseTime(s)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	now := at("2026-01-01T00:00:10Z").Time
	tests := []struct {
		name              string
		lock              format.Lock
		expired, released bool
	}{
		{"held", format.Lock{AcquiredAt: at("2026-01-01T00:00:00Z"), ExpiresAt: at("2026-01-01T00:00:30Z")}, false, false},
		{"expired", format.Lock{AcquiredAt: at("2026-01-01T00:00:00Z"), ExpiresAt: at("2026-01-01T00:00:10Z")}, true, false},
		{"given back", format.Lock{AcquiredAt: at("2026-01-01T00:00:05Z"), ExpiresAt: at("2026-01-01T00:00:05Z")}, true, true},
		{"unreadable times", format.Lock{}, true, true},
	}
	for _, test := range tests {
		if e, r := test.lock.Expired(now), test.lock.Released(); e != test.expired || r != test.released {
			t.Errorf("%s: expired %t, released %t; want %t, %t", test.name, e, r, test.expired, test.released)
		}
	}
}
