package pgfunc

import (
	"regexp"
	"strings"
	"time"
)

// ZoneOffset is the offset of a zone, in seconds east of UTC, at a local time in seconds
// since 1970. Where a clock is put forward or back the one before or after counts, as in
// PostgreSQL (DetermineTimeZoneOffset).
func ZoneOffset(zone *time.Location, local int64) int64 {
	const day = 24 * 60 * 60
	at := func(moment int64) int64 {
		_, offset := time.Unix(moment, 0).In(zone).Zone()
		return int64(offset)
	}
	before, after := at(local-day), at(local+day)
	if before == after || at(local-after) == after {
		return after
	}
	return before
}

// abbreviationOffset is the offset that an abbreviation of a zone stands for at a local
// time: that of the last time before it when the zone went by it, or of the first after it.
func abbreviationOffset(zone *time.Location, abbreviation string, local int64) int64 {
	offset := ZoneOffset(zone, local)
	moment := time.Unix(local-offset, 0).In(zone)
	for _, back := range []bool{true, false} {
		for at := moment; ; {
			if name, there := at.Zone(); strings.EqualFold(name, abbreviation) {
				return int64(there)
			}
			start, end := at.ZoneBounds()
			if back && start.IsZero() || !back && (end.IsZero() || end.Year() > 2037) {
				break
			}
			if at = end; back {
				at = start.Add(-time.Second)
			}
		}
	}
	return offset
}

// isFixed reports whether a zone has had one offset ever.
func isFixed(zone *time.Location) bool {
	start, end := time.Unix(0, 0).In(zone).ZoneBounds()
	return start.IsZero() && end.IsZero()
}

// offsetWest is a zone in POSIX's manner: a name and an offset that counts westwards.
var offsetWest = regexp.MustCompile(`^(?:[a-z]+|<[a-z0-9+-]+>)([+-]?)(\d{1,3})(?::(\d{1,2})(?::(\d{1,2}))?)?$`)

// ZoneSpelling is the name of IANA's that a name in other letters is.
func ZoneSpelling(name string) (string, bool) {
	zone, ok := zoneNamed(lowerASCII(name))
	if !ok {
		return "", false
	}
	_, err := time.LoadLocation(zone.String())
	return zone.String(), err == nil
}

// zoneNamed finds a zone by a name in small letters.
func zoneNamed(name string) (*time.Location, bool) {
	for _, spelled := range []string{name, strings.ToUpper(name), zoneSpelling(name)} {
		if zone, err := time.LoadLocation(spelled); err == nil && name != "" && name != "local" {
			return zone, true
		}
	}
	if m := offsetWest.FindStringSubmatch(name); m != nil {
		offset := digitsOf(m[2])*3600 + digitsOf(m[3])*60 + digitsOf(m[4])
		if m[1] != "-" {
			offset = -offset
		}
		return time.FixedZone(name, offset), offset > -168*3600 && offset < 168*3600
	}
	return nil, false
}

// zoneSpelling spells a name of small letters as IANA does, of whose names most have a
// capital in each word.
func zoneSpelling(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("/_-+", r) })
	at := 0
	var out strings.Builder
	for _, word := range words {
		start := at + strings.Index(name[at:], word)
		out.WriteString(name[at:start])
		at = start + len(word)
		switch {
		case zoneWords[word] != "":
			word = zoneWords[word]
		default:
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		out.WriteString(word)
	}
	return out.String() + name[at:]
}

// zoneWords are those that are spelled otherwise.
var zoneWords = map[string]string{
	"au": "au", "es": "es", "of": "of", "gmt": "GMT", "utc": "UTC", "us": "US", "nsw": "NSW", "act": "ACT", "lhi": "LHI",
	"mcmurdo": "McMurdo", "dumontdurville": "DumontDUrville", "easterisland": "EasterIsland", "bajanorte": "BajaNorte",
	"bajasur": "BajaSur", "denoronha": "DeNoronha", "msk": "MSK", "su": "SU",
}

// displacement reads +hh, +hhmm or +hh:mm:ss, in seconds east of UTC.
func displacement(s string) (offset int, fault timeFault) {
	hours, used, err := leadingInt(s[1:])
	parts, rest := [3]int{hours}, s[1+used:]
	if rest == "" && len(s) > 3 {
		parts[0], parts[1] = hours/100, hours%100
	}
	for i := 1; i < 3 && err == nil && rest != "" && rest[0] == ':'; i++ {
		parts[i], used, err = leadingInt(rest[1:])
		rest = rest[1+used:]
	}
	switch {
	case err != nil, parts[0] < 0, parts[0] > 15, parts[1] < 0, parts[1] > 59, parts[2] < 0, parts[2] > 59:
		return 0, zoneFault
	case rest != "":
		return 0, syntaxFault
	}
	offset = parts[0]*3600 + parts[1]*60 + parts[2]
	if s[0] == '-' {
		offset = -offset
	}
	return offset, noFault
}
