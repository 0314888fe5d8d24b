package datetime

import (
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// ZoneOffset is the offset of a zone, in seconds east of UTC, at a local time in seconds
// since 1970. In the gap when the clock is put forward it is the offset before, in the hour
// that occurs twice it is the offset after (PostgreSQL's DetermineTimeZoneOffset).
func ZoneOffset(zone *time.Location, local int64) int64 {
	const day = 24 * 60 * 60
	start := time.Unix(local-day, 0).In(zone)
	_, offset := start.Zone()
	before := int64(offset)
	_, boundary := start.ZoneBounds()
	if boundary.IsZero() {
		return before
	}
	_, offset = boundary.Zone()
	after := int64(offset)
	switch at := boundary.Unix(); {
	case local-before < at && local-after < at:
		return before
	case local-before > at && local-after >= at:
		return after
	}
	if after > before { // in the gap
		return before
	}
	return after
}

// abbreviationOffset is the offset that an abbreviation of a zone means at a local time, in
// seconds east of UTC (PostgreSQL's DetermineTimeZoneAbbrevOffset).
func abbreviationOffset(zone *time.Location, abbreviation string, local int64) int64 {
	offset := ZoneOffset(zone, local)
	if its, ok := abbreviationAt(time.Unix(local-offset, 0).In(zone), abbreviation); ok {
		return its
	}
	return offset
}

// abbreviationAt is the offset that an abbreviation means in its zone at an instant: that of
// the last period up to the instant in which the zone used the abbreviation, else of the first
// period after it.
func abbreviationAt(moment time.Time, abbreviation string) (offset int64, ok bool) {
	for _, back := range []bool{true, false} {
		for at := moment; ; {
			if name, its := at.Zone(); strings.EqualFold(name, abbreviation) {
				return int64(its), true
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
	return 0, false
}

// isFixed reports whether a zone has had one offset ever.
func isFixed(zone *time.Location) bool {
	start, end := time.Unix(0, 0).In(zone).ZoneBounds()
	return start.IsZero() && end.IsZero()
}

// ZoneSpelling is the name of IANA's that a name in other letters is.
func ZoneSpelling(name string) (string, bool) {
	zone, ok := zoneNamed(chars.LowerASCII(name))
	if !ok {
		return "", false
	}
	_, err := time.LoadLocation(zone.String())
	return zone.String(), err == nil
}

// zoneNamed finds a zone by its name or POSIX specification, in small letters.
func zoneNamed(name string) (*time.Location, bool) {
	for _, spelled := range []string{name, strings.ToUpper(name), zoneSpelling(name)} {
		if zone, err := time.LoadLocation(spelled); err == nil && name != "" && name != "local" {
			return zone, true
		}
	}
	return posixZone(name)
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
	hours, used, err := chars.LeadingInt(s[1:])
	parts, rest := [3]int{hours}, s[1+used:]
	if rest == "" && len(s) > 3 {
		parts[0], parts[1] = hours/100, hours%100
	}
	for i := 1; i < 3 && err == nil && rest != "" && rest[0] == ':'; i++ {
		parts[i], used, err = chars.LeadingInt(rest[1:])
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
