package gateway

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
	"github.com/ontosql/ontosql/rewrite"
)

// A time zone is a name of IANA's, which both PostgreSQL and the engine read, or a whole
// number of hours from UTC (PostgreSQL manual, B.5). Of other offsets the engine knows
// none.

// intervalEast is an interval of hours, which count eastwards as a number of them does.
var intervalEast = regexp.MustCompile(`(?i)^interval\s*'([^']*)'\s*$`)

// hoursWest is a zone in POSIX's manner: a name, which may be left out, and hours that
// count westwards.
var hoursWest = regexp.MustCompile(`^([A-Za-z]{3,}|<[+-]?[A-Za-z0-9]+>)?([+-]?\d{1,2})(?::00){0,2}$`)

// The hours that zones of the engine's are from UTC.
const (
	mostEast = 14
	mostWest = 12
)

// timeZone is the value of TimeZone that a client gives.
func timeZone(v string) (string, error) {
	hours, err := strconv.ParseFloat(strings.TrimLeft(v, " "), 64)
	if m := intervalEast.FindStringSubmatch(v); m != nil {
		months, days, micros, bad := rewrite.ReadInterval(m[1])
		if bad != nil {
			return "", bad
		}
		if hours = float64(micros) / 3600e6; months != 0 || days != 0 {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"TimeZone\": %q", v).
				WithDetail("Cannot specify months or days in time zone interval.")
		}
		err = nil
	}
	if err == nil && hours == math.Trunc(hours) && -mostWest <= hours && hours <= mostEast {
		return fmt.Sprintf("<%+03d>%+03d", int(hours), -int(hours)), nil
	}
	if _, ok := loadZone(v); !ok {
		if name, ok := pgfunc.ZoneSpelling(v); ok {
			return name, nil
		}
		bad := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"TimeZone\": %q", v)
		if strings.ContainsAny(v, "0123456789") {
			bad = bad.WithHint("An offset is a whole number of hours, as in '-03'; other zones have names, as Asia/Kolkata.")
		}
		return "", bad
	}
	if isUTC(v) {
		return "UTC", nil
	}
	return v, nil
}

// isUTC reports whether a zone is UTC, which is the server's, too.
func isUTC(v string) bool {
	return strings.EqualFold(v, "utc") || strings.EqualFold(v, "default") || strings.EqualFold(v, "local")
}

// loadZone finds a time zone.
func loadZone(v string) (*time.Location, bool) {
	if isUTC(v) {
		return time.UTC, true
	}
	if hours, name, ok := fromUTC(v); ok {
		return time.FixedZone(name, hours*3600), true
	}
	zone, err := time.LoadLocation(v)
	return zone, err == nil && v != ""
}

// fromUTC are the hours that a zone in POSIX's manner is east of UTC, and its
// abbreviation.
func fromUTC(v string) (hours int, name string, ok bool) {
	m := hoursWest.FindStringSubmatch(v)
	if m == nil {
		return 0, "", false
	}
	west, _ := strconv.Atoi(m[2])
	return -west, strings.Trim(m[1], "<>"), -mostEast <= west && west <= mostWest
}

// engineZone is a zone as the engine calls it.
func engineZone(v string) string {
	if hours, _, ok := fromUTC(v); ok {
		return fmt.Sprintf("Etc/GMT%+d", -hours)
	}
	return v
}
