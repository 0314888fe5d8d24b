package gateway_test

import (
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// Sequelize begins each connection with SET timezone = '+00:00', or an interval. Hours alone count
// eastwards, POSIX's zones westwards (PostgreSQL manual, B.5).
func TestZonesOfWholeHours(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, c := range []struct{ set, shown, noon string }{
		{"SET timezone = '+00:00'", "+00:00", "2024-01-01 12:00:00+00"},
		{"SET timezone = '+02:00'", "+02:00", "2024-01-01 10:00:00-02"},
		{"SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE", "<+02>-02", "2024-01-01 14:00:00+02"},
		{"SET TIME ZONE INTERVAL '-3 hours'", "<-03>+03", "2024-01-01 09:00:00-03"},
		{"SET TIME ZONE INTERVAL '4' HOUR", "<+04>-04", "2024-01-01 16:00:00+04"},
		{"SET timezone = 'interval ''PT1H'''", "<+01>-01", "2024-01-01 13:00:00+01"},
		{"SET TIME ZONE 5", "<+05>-05", "2024-01-01 17:00:00+05"},
		{"SET TIME ZONE -7", "<-07>+07", "2024-01-01 05:00:00-07"},
		{"SET timezone = 'UTC+3'", "UTC+3", "2024-01-01 09:00:00-03"},
		{"SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE", "<+05:30>-05:30", "2024-01-01 17:30:00+05:30"},
		{"SET TIME ZONE 5.5", "<+05:30>-05:30", "2024-01-01 17:30:00+05:30"},
		{"SET timezone = '-05:45'", "-05:45", "2024-01-01 17:45:00+05:45"},
		{"SET TIME ZONE -9.5", "<-09:30>+09:30", "2024-01-01 02:30:00-09:30"},
		{"SET timezone = 'asia/kolkata'", "Asia/Kolkata", "2024-01-01 17:30:00+05:30"},
		{"SET timezone = 'Asia/Kolkata'", "Asia/Kolkata", "2024-01-01 17:30:00+05:30"},
	} {
		must(t, s, c.set)
		if got := must(t, s, "SHOW timezone"); got[0] != c.shown {
			t.Errorf("%s: shows %s, want %s", c.set, got[0], c.shown)
		}
		if got := must(t, s, "SELECT (timestamptz '2024-01-01 12:00+00')::text"); got[0] != c.noon {
			t.Errorf("%s: %s, want %s", c.set, got[0], c.noon)
		}
	}
	for _, set := range []string{"SET timezone = '+05:30'", "SET TIME ZONE INTERVAL '-03:30'", "SET TIME ZONE 5.1", "SET TIME ZONE 99", "SET TIME ZONE INTERVAL '1 day'", "SET TIME ZONE INTERVAL '1'", "SET timezone = '5 hours'", "SET timezone = 'AB5'"} {
		refused(t, s, pgerr.InvalidParameterValue, set)
	}
}
