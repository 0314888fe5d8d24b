package datetime

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// A POSIX zone specification names no entry of the time zone database but says its offset
// and its rules for daylight-saving time: EST5EDT,M3.2.0,M11.1.0 (PostgreSQL manual, B.5).
// PostgreSQL's tzparse is lenient: the abbreviations may be any text, the first of them may
// be missing, and a zone with a second one but without rules has those of the United States.

// defaultRules are the rules of a specification that has none (TZDEFRULESTRING).
const defaultRules = "M3.2.0,M11.1.0"

// posixSpec reads a POSIX zone specification from left to right.
type posixSpec struct{ rest string }

// posixZone makes the zone of a POSIX specification; ok is false for an invalid one.
func posixZone(name string) (zone *time.Location, ok bool) {
	p := posixSpec{name}
	if !p.abbreviation() || p.rest == "" {
		return nil, false
	}
	west, ok := p.offset()
	if !ok {
		return nil, false
	}
	if p.rest == "" {
		return time.FixedZone(name, -west), true
	}
	before := p.rest
	if !p.abbreviation() || p.rest == before {
		return nil, false
	}
	summer := west - 3600
	if p.rest != "" && p.rest[0] != ',' && p.rest[0] != ';' {
		if summer, ok = p.offset(); !ok {
			return nil, false
		}
	}
	rules := defaultRules
	if p.rest != "" {
		if rules, ok = p.rules(); !ok {
			return nil, false
		}
	}
	return ruledZone(name, west, summer, rules)
}

// abbreviation skips an abbreviation, which may be empty.
func (p *posixSpec) abbreviation() bool {
	if inner, quoted := strings.CutPrefix(p.rest, "<"); quoted {
		_, rest, closed := strings.Cut(inner, ">")
		p.rest = rest
		return closed
	}
	p.rest = p.rest[chars.Prefix(p.rest, func(c byte) bool { return !chars.IsDigit(c) && c != ',' && c != '-' && c != '+' }):]
	return true
}

// number reads an integer between least and most.
func (p *posixSpec) number(least, most int) (int, bool) {
	used := chars.Prefix(p.rest, chars.IsDigit)
	n, err := strconv.Atoi(p.rest[:used])
	p.rest = p.rest[used:]
	return n, err == nil && least <= n && n <= most
}

// offset reads [+-]hh[:mm[:ss]], in seconds.
func (p *posixSpec) offset() (seconds int, ok bool) {
	sign := 1
	if p.rest != "" && (p.rest[0] == '+' || p.rest[0] == '-') {
		if p.rest[0] == '-' {
			sign = -1
		}
		p.rest = p.rest[1:]
	}
	n, ok := p.number(0, 24*7-1)
	seconds = n * 3600
	for _, part := range []struct{ most, unit int }{{59, 60}, {60, 1}} {
		if !ok || p.rest == "" || p.rest[0] != ':' {
			break
		}
		p.rest = p.rest[1:]
		n, ok = p.number(0, part.most)
		seconds += n * part.unit
	}
	return sign * seconds, ok
}

// rules reads the rules for the start and the end of daylight-saving time, behind a comma or
// a semicolon, and returns them in the standard spelling.
func (p *posixSpec) rules() (string, bool) {
	p.rest = p.rest[1:]
	start, ok := p.rule()
	if !ok || !strings.HasPrefix(p.rest, ",") {
		return "", false
	}
	p.rest = p.rest[1:]
	end, ok := p.rule()
	return start + "," + end, ok && p.rest == ""
}

// rule reads Jn, n or Mm.w.d with an optional /time.
func (p *posixSpec) rule() (text string, ok bool) {
	var n int
	switch {
	case p.rest == "":
		return "", false
	case p.rest[0] == 'j' || p.rest[0] == 'J':
		p.rest = p.rest[1:]
		n, ok = p.number(1, 365)
		text = "J" + strconv.Itoa(n)
	case p.rest[0] == 'm' || p.rest[0] == 'M':
		ok = true
		for i, part := range []struct {
			before      string
			least, most int
		}{{"M", 1, 12}, {".", 1, 5}, {".", 0, 6}} {
			if !ok || p.rest == "" || i > 0 && p.rest[0] != '.' {
				return "", false
			}
			p.rest = p.rest[1:]
			n, ok = p.number(part.least, part.most)
			text += part.before + strconv.Itoa(n)
		}
	default:
		n, ok = p.number(0, 365)
		text = strconv.Itoa(n)
	}
	if ok && strings.HasPrefix(p.rest, "/") {
		p.rest = p.rest[1:]
		var at int
		at, ok = p.offset()
		text += "/" + posixTime(at)
	}
	return text, ok
}

// posixTime spells seconds as [-]hh:mm:ss.
func posixTime(seconds int) string {
	sign := ""
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	return fmt.Sprintf("%s%d:%02d:%02d", sign, seconds/3600, seconds/60%60, seconds%60)
}

// ruledZone is a zone with daylight-saving time by rules. The offsets are in seconds west
// of UTC. Package time reads rules in the footer of a time zone file only (RFC 8536), so
// one is made that has nothing else.
func ruledZone(name string, west, summer int, rules string) (*time.Location, bool) {
	var file []byte
	for range 2 { // a block of version 1, which is not read, and one of version 2
		file = append(file, "TZif2"...)
		file = append(file, make([]byte, 15)...)
		for _, count := range []uint32{0, 0, 0, 0, 1, 2} { // one local time type, two bytes of abbreviations
			file = binary.BigEndian.AppendUint32(file, count)
		}
		file = binary.BigEndian.AppendUint32(file, uint32(int32(-west)))
		file = append(file, 0, 0, 'S', 0) // no daylight-saving time, abbreviation 0
	}
	file = append(file, fmt.Sprintf("\n<STD>%s<DST>%s,%s\n", posixTime(west), posixTime(summer), rules)...)
	zone, err := time.LoadLocationFromTZData(name, file)
	return zone, err == nil
}
