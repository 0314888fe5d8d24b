package textvalue

import (
	"testing"
	"time"
)

// TestReadMoment reads what package time prints: random moments of every year that
// can be stored, in several zones.
func TestReadMoment(t *testing.T) {
	rng := seeded(t)
	first, last := time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		m := TimestampReader{Zone: zone}
		for range 20_000 {
			at := time.Unix(first+rng.Int64N(last-first), rng.Int64N(1e6)*1000).In(zone)
			if days, rest, ok := readDate([]byte(at.Format("2006-01-02"))); !ok || len(rest) > 0 || time.Unix(days*secondsPerDay, 0).UTC().Format(time.DateOnly) != at.Format(time.DateOnly) {
				t.Fatalf("the date of %s is read as day %d, %v", at, days, ok)
			}
			for _, layout := range []string{"2006-01-02 15:04:05.000000Z07:00", "2006-01-02T15:04:05.999999Z07:00", "2006-01-02 15:04:05.999999-07"} {
				text := at.UTC().Format(layout)
				if got, ok := m.Read([]byte(text)); !ok || got != at.UnixMicro() {
					t.Fatalf("%s is read as %s, %v", text, time.UnixMicro(got).UTC(), ok)
				}
			}
			text := at.Format("2006-01-02 15:04:05.000000")
			got, ok := m.Read([]byte(text))
			if back := time.UnixMicro(got).In(zone); !ok || back.Format("2006-01-02 15:04:05.000000") != text {
				t.Fatalf("%s in %s is read as %s, %v", text, name, back, ok)
			}
		}
	}
	for _, text := range []string{
		"", "2024-02-30", "2023-02-29", "2024-13-01", "0000-01-01", "2024-1-1", "20240101", "2024-01-01x", "2024-01-01 ", "2024-01-01 1:00", "2024-01-01 24:00",
		"2024-01-01 12:60", "2024-01-01 12:00:60", "2024-01-01 12:00:00.1234567", "2024-01-01 12:00+1", "2024-01-01 12:00+16", "2024-01-01 12:00+01:60", "infinity",
	} {
		if got, ok := (&TimestampReader{Zone: time.UTC}).Read([]byte(text)); ok {
			t.Errorf("%q is read as %s", text, time.UnixMicro(got).UTC())
		}
	}
}
