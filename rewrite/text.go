package rewrite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// parseArray reads PostgreSQL's text form of a one-dimensional array; nil items
// are NULL.
func parseArray(s string) (items []*string, ok bool) {
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		return nil, false
	}
	s = s[1 : len(s)-1]
	if strings.TrimSpace(s) == "" {
		return nil, true
	}
	for i := 0; i <= len(s); {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		var item strings.Builder
		quoted := i < len(s) && s[i] == '"'
		if quoted {
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' && i+1 < len(s) {
					i++
				}
				item.WriteByte(s[i])
			}
			if i >= len(s) {
				return nil, false
			}
			i++
		} else {
			for ; i < len(s) && s[i] != ','; i++ {
				if s[i] == '{' || s[i] == '"' {
					return nil, false
				}
				if s[i] == '\\' && i+1 < len(s) {
					i++
				}
				item.WriteByte(s[i])
			}
		}
		text := item.String()
		if !quoted {
			text = strings.TrimRight(text, " ")
		}
		switch {
		case !quoted && text == "":
			return nil, false
		case !quoted && strings.EqualFold(text, "null"):
			items = append(items, nil)
		default:
			items = append(items, &text)
		}
		for i < len(s) && s[i] == ' ' {
			i++
		}
		if i < len(s) && s[i] != ',' {
			return nil, false
		}
		i++
	}
	return items, true
}

var (
	zoneSuffix  = regexp.MustCompile(`(\d:\d\d(:\d\d(\.\d+)?)?)\s*(Z|z|UTC|[+-]\d\d(:?\d\d)?)$`)
	dateAndTime = regexp.MustCompile(`^(\d{4,}-\d{1,2}-\d{1,2})[T ].*$`)
	isoInterval = regexp.MustCompile(`^P(?:(-?[\d.]+)Y)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)W)?(?:(-?[\d.]+)D)?(?:T(?:(-?[\d.]+)H)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)S)?)?$`)
	clockText   = regexp.MustCompile(`^([+-]?)(\d+):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?$`)
	amountUnit  = regexp.MustCompile(`^([+-]?[\d.]+)\s*([a-z]+)?`)
)

// withoutZone drops the zone of a timestamp literal, which PostgreSQL ignores.
func withoutZone(s string) string { return zoneSuffix.ReplaceAllString(s, "$1") }

// dateOnly drops the time of day of a date literal.
func dateOnly(s string) string { return dateAndTime.ReplaceAllString(s, "$1") }

// intervalUnits are months, days and microseconds of one unit, by the names
// PostgreSQL accepts.
var intervalUnits = map[string][3]float64{
	"microsecond": {0, 0, 1}, "us": {0, 0, 1}, "usec": {0, 0, 1}, "millisecond": {0, 0, 1e3}, "ms": {0, 0, 1e3}, "msec": {0, 0, 1e3},
	"second": {0, 0, 1e6}, "sec": {0, 0, 1e6}, "s": {0, 0, 1e6}, "minute": {0, 0, 6e7}, "min": {0, 0, 6e7}, "m": {0, 0, 6e7},
	"hour": {0, 0, 36e8}, "hr": {0, 0, 36e8}, "h": {0, 0, 36e8}, "day": {0, 1, 0}, "d": {0, 1, 0}, "week": {0, 7, 0}, "w": {0, 7, 0},
	"month": {1, 0, 0}, "mon": {1, 0, 0}, "quarter": {3, 0, 0}, "year": {12, 0, 0}, "yr": {12, 0, 0}, "y": {12, 0, 0},
	"decade": {120, 0, 0}, "century": {1200, 0, 0}, "c": {1200, 0, 0}, "millennium": {12000, 0, 0}, "mil": {12000, 0, 0},
	"dec": {120, 0, 0}, "cent": {1200, 0, 0},
}

// parseInterval reads an interval literal in PostgreSQL's verbose, sql-standard
// and ISO 8601 forms.
func parseInterval(s string) (months, days, micros int64, ok bool) {
	s = lower(strings.TrimSpace(s))
	if s == "" {
		return 0, 0, 0, false
	}
	var m, d, us float64
	add := func(amount float64, unit [3]float64) {
		// A fraction of a month is days, of a day is time (PostgreSQL manual 8.5.4).
		whole := float64(int64(amount * unit[0]))
		m += whole
		dd := (amount*unit[0]-whole)*30 + amount*unit[1]
		wholeDays := float64(int64(dd))
		d += wholeDays
		us += (dd-wholeDays)*86400e6 + amount*unit[2]
	}
	if p := isoInterval.FindStringSubmatch(strings.ToUpper(s)); p != nil && len(s) > 1 {
		units := []string{"year", "month", "week", "day", "hour", "minute", "second"}
		for i, u := range units {
			if p[i+1] != "" {
				f, err := strconv.ParseFloat(p[i+1], 64)
				if err != nil {
					return 0, 0, 0, false
				}
				add(f, intervalUnits[u])
			}
		}
		return int64(m), int64(d), int64(us), true
	}
	s = strings.TrimPrefix(s, "@")
	sign := 1.0
	if strings.HasSuffix(s, " ago") {
		sign, s = -1, strings.TrimSuffix(s, " ago")
	}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeft(s, " ,") {
		word, _, _ := strings.Cut(s, " ")
		if p := clockText.FindStringSubmatch(word); p != nil {
			h, _ := strconv.ParseFloat(p[2], 64)
			mi, _ := strconv.ParseFloat(p[3], 64)
			sec, _ := strconv.ParseFloat("0"+p[4], 64)
			v := h*36e8 + mi*6e7 + sec*1e6
			if p[1] == "-" {
				v = -v
			}
			us += v
			s = s[len(word):]
			continue
		}
		p := amountUnit.FindStringSubmatch(s)
		if p == nil {
			return 0, 0, 0, false
		}
		f, err := strconv.ParseFloat(p[1], 64)
		if err != nil {
			return 0, 0, 0, false
		}
		var unit [3]float64
		var known bool
		if p[2] == "" {
			unit = intervalUnits["second"]
		} else if unit, known = intervalUnits[p[2]]; !known {
			if unit, known = intervalUnits[strings.TrimSuffix(p[2], "s")]; !known {
				switch p[2] {
				case "centuries":
					unit = intervalUnits["century"]
				case "millennia":
					unit = intervalUnits["millennium"]
				default:
					return 0, 0, 0, false
				}
			}
		}
		add(f, unit)
		s = s[len(p[0]):]
	}
	return int64(sign * m), int64(sign * d), int64(sign * us), true
}

func intervalLiteral(months, days, micros int64) string {
	return fmt.Sprintf("CAST('%d months %d days %d microseconds' AS INTERVAL)", months, days, micros)
}
