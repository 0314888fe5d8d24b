package datetime

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

var isoNumber = regexp.MustCompile(`^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`)

// iso reads the text after the P of ISO 8601: 1Y2M3DT4H5M6S, 0001-02-03T04:05:06 or
// 00010203T040506.
func (sum *intervalText) iso(s string) timeFault {
	inTime, begun := false, false
	number := func() (whole int64, fraction float64, digits int, fault timeFault) {
		text := isoNumber.FindString(s)
		value, err := strconv.ParseFloat(text, 64)
		switch {
		case text == "":
			return 0, 0, 0, syntaxFault
		case err != nil, math.Abs(value) > 1e15:
			return 0, 0, 0, fieldFault
		}
		s = s[len(text):]
		return int64(value), value - math.Trunc(value), chars.Prefix(strings.TrimPrefix(text, "-"), chars.IsDigit), noFault
	}
	for s != "" {
		if s[0] == 'T' {
			s, inTime, begun = s[1:], true, false
			continue
		}
		whole, fraction, digits, fault := number()
		if fault != noFault {
			return fault
		}
		var letter byte
		if s != "" {
			letter = s[0]
		}
		unit, ok := isoUnits[inTime][letter]
		switch {
		case ok:
			if s = s[1:]; !sum.add(whole, fraction, unit) {
				return fieldFault
			}
			begun = true
			continue
		case !inTime && letter != '-' && letter != 'T' && letter != 0, inTime && letter != ':' && letter != 0, begun:
			return syntaxFault
		}
		parts, delimiter, joined := []intervalUnit{yearUnit, monthUnit, dayUnit}, byte('-'), 8
		if inTime {
			parts, delimiter, joined = []intervalUnit{hourUnit, minuteUnit, secondUnit}, ':', 6
		}
		if letter != delimiter && digits == joined {
			if !sum.add(whole/10000, 0, parts[0]) || !sum.add(whole/100%100, 0, parts[1]) || !sum.add(whole%100, fraction, parts[2]) {
				return fieldFault
			}
			continue
		}
		for i, part := range parts {
			if i > 0 {
				if whole, fraction, _, fault = number(); fault != noFault {
					return fault
				}
			}
			if !sum.add(whole, fraction, part) {
				return fieldFault
			}
			if s == "" || s[0] == 'T' && !inTime {
				break
			}
			if s[0] != delimiter || i == 2 {
				return syntaxFault
			}
			s = s[1:]
		}
	}
	return noFault
}

// isoUnits are the letters before and behind the T.
var isoUnits = map[bool]map[byte]intervalUnit{
	false: {'Y': yearUnit, 'M': monthUnit, 'W': weekUnit, 'D': dayUnit},
	true:  {'H': hourUnit, 'M': minuteUnit, 'S': secondUnit},
}
