package settings

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/input"
)

// A time zone is an IANA name, which PostgreSQL and the engine both read, or an offset
// from UTC (PostgreSQL manual, B.5). The engine has zones for whole hours only. For other
// offsets it uses the zone of a place that has that offset.

// offsetPlaces are places by their offset in minutes east of UTC, where that is no whole
// hour. Each place has had its offset since 1945, Kathmandu since 1986, and no summer
// time. For timestamps before that the engine uses the local time of the place.
var offsetPlaces = map[int]string{
	-570: "Pacific/Marquesas", 270: "Asia/Kabul", 330: "Asia/Kolkata", 345: "Asia/Kathmandu", 390: "Asia/Yangon", 570: "Australia/Darwin",
}

// intervalZone matches INTERVAL '...'. Its hours count eastwards, as those of a bare number.
var intervalZone = regexp.MustCompile(`(?i)^interval\s*'([^']*)'\s*$`)

// posixZone matches a POSIX zone: an optional abbreviation and an offset that counts
// westwards.
var posixZone = regexp.MustCompile(`^([A-Za-z]{3,}|<[+-]?[A-Za-z0-9:]+>)?([+-]?)(\d{1,2})(?::(\d\d))?(?::00)?$`)

// The range of the engine's zones of whole hours, in hours from UTC.
const (
	mostEast = 14
	mostWest = 12
)

// timeZone checks and normalises a value of TimeZone.
func timeZone(v string) (string, error) {
	hours, err := strconv.ParseFloat(strings.TrimLeft(v, " "), 64)
	if m := intervalZone.FindStringSubmatch(v); m != nil {
		months, days, micros, bad := input.ReadInterval(m[1])
		if bad != nil {
			return "", bad
		}
		if hours = float64(micros) / 3600e6; months != 0 || days != 0 {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"TimeZone\": %q", v).
				WithDetail("Cannot specify months or days in time zone interval.")
		}
		err = nil
	}
	if minutes := hours * 60; err == nil && minutes == math.Trunc(minutes) && validOffset(int(minutes)) {
		return fmt.Sprintf("<%s>%s", formatOffset(int(minutes)), formatOffset(-int(minutes))), nil
	}
	if _, ok := LoadZone(v); !ok {
		if name, ok := datetime.ZoneSpelling(v); ok {
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

// isUTC reports whether a zone is UTC, which is also the default and the local zone.
func isUTC(v string) bool {
	return strings.EqualFold(v, "utc") || strings.EqualFold(v, "default") || strings.EqualFold(v, "local")
}

// LoadZone finds the zone of a value of TimeZone; ok is false for an unknown one.
func LoadZone(v string) (*time.Location, bool) {
	if isUTC(v) {
		return time.UTC, true
	}
	if minutes, name, ok := posixOffset(v); ok {
		return time.FixedZone(name, minutes*60), true
	}
	zone, err := time.LoadLocation(v)
	return zone, err == nil && v != ""
}

// posixOffset reads a POSIX zone: its offset in minutes east of UTC and its abbreviation.
func posixOffset(v string) (minutes int, name string, ok bool) {
	m := posixZone.FindStringSubmatch(v)
	if m == nil {
		return 0, "", false
	}
	hours, _ := strconv.Atoi(m[3])
	minutes, _ = strconv.Atoi(m[4]) // 0 for none
	if minutes += hours * 60; m[2] != "-" {
		minutes = -minutes
	}
	return minutes, strings.Trim(m[1], "<>"), validOffset(minutes)
}

// validOffset reports whether the engine has a zone with this offset, in minutes east of
// UTC.
func validOffset(minutes int) bool {
	return minutes%60 == 0 && -mostWest <= minutes/60 && minutes/60 <= mostEast || offsetPlaces[minutes] != ""
}

// formatOffset prints an offset as PostgreSQL does: +05, -03:30.
func formatOffset(minutes int) string {
	sign := '+'
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	if minutes%60 == 0 {
		return fmt.Sprintf("%c%02d", sign, minutes/60)
	}
	return fmt.Sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}

// EngineZone is the engine's name for a value of TimeZone.
func EngineZone(v string) string {
	minutes, _, ok := posixOffset(v)
	switch {
	case !ok:
		return v
	case offsetPlaces[minutes] != "":
		return offsetPlaces[minutes]
	}
	return fmt.Sprintf("Etc/GMT%+d", -minutes/60)
}
