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

// A time zone is a name of IANA's, which both PostgreSQL and the engine read, or an offset
// from UTC (PostgreSQL manual, B.5). The engine has zones of whole hours; for others that
// of a place stands in.

// offsetPlaces are places by their offset in minutes east of UTC, which is no whole hour.
// Each has had it since 1945 and without summer time, Kathmandu since 1986: what the engine
// computes of moments before is as the clocks of the place were.
var offsetPlaces = map[int]string{
	-570: "Pacific/Marquesas", 270: "Asia/Kabul", 330: "Asia/Kolkata", 345: "Asia/Kathmandu", 390: "Asia/Yangon", 570: "Australia/Darwin",
}

// intervalEast is an interval of hours, which count eastwards as a number of them does.
var intervalEast = regexp.MustCompile(`(?i)^interval\s*'([^']*)'\s*$`)

// offsetWest is a zone in POSIX's manner: a name, which may be left out, and an offset that
// counts westwards.
var offsetWest = regexp.MustCompile(`^([A-Za-z]{3,}|<[+-]?[A-Za-z0-9:]+>)?([+-]?)(\d{1,2})(?::(\d\d))?(?::00)?$`)

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
	if minutes := hours * 60; err == nil && minutes == math.Trunc(minutes) && offsetKnown(int(minutes)) {
		return fmt.Sprintf("<%s>%s", clockOffset(int(minutes)), clockOffset(-int(minutes))), nil
	}
	if _, ok := loadZone(v); !ok {
		if name, ok := pgfunc.ZoneSpelling(v); ok {
			return name, nil
		}
		bad := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"TimeZone\": %q", v)
		if strings.ContainsAny(v, "0123456789") {
			bad = bad.WithHint("An offset is a whole number of hours, as in '-03', or one that a place has, as in INTERVAL '05:30'; other zones have names, as America/St_Johns.")
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
	if minutes, name, ok := fromUTC(v); ok {
		return time.FixedZone(name, minutes*60), true
	}
	zone, err := time.LoadLocation(v)
	return zone, err == nil && v != ""
}

// fromUTC are the minutes that a zone in POSIX's manner is east of UTC, and its
// abbreviation.
func fromUTC(v string) (minutes int, name string, ok bool) {
	m := offsetWest.FindStringSubmatch(v)
	if m == nil {
		return 0, "", false
	}
	hours, _ := strconv.Atoi(m[3])
	minutes, _ = strconv.Atoi(m[4]) // 0 for none
	if minutes += hours * 60; m[2] != "-" {
		minutes = -minutes
	}
	return minutes, strings.Trim(m[1], "<>"), offsetKnown(minutes)
}

// offsetKnown reports whether there is a zone so many minutes east of UTC.
func offsetKnown(minutes int) bool {
	return minutes%60 == 0 && -mostWest <= minutes/60 && minutes/60 <= mostEast || offsetPlaces[minutes] != ""
}

// clockOffset is an offset as PostgreSQL writes it: +05, -03:30.
func clockOffset(minutes int) string {
	sign := '+'
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	if minutes%60 == 0 {
		return fmt.Sprintf("%c%02d", sign, minutes/60)
	}
	return fmt.Sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}

// engineZone is a zone as the engine calls it.
func engineZone(v string) string {
	minutes, _, ok := fromUTC(v)
	switch {
	case !ok:
		return v
	case offsetPlaces[minutes] != "":
		return offsetPlaces[minutes]
	}
	return fmt.Sprintf("Etc/GMT%+d", -minutes/60)
}
