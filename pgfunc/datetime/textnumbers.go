package datetime

import (
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// The meaning of a number in the text of a moment depends on its length and on the parts before
// it.

// numberAt reads a number without a unit.
func (m *TimeText) numberAt(tokens []timeToken, i int) (timeParts, timeFault) {
	text := tokens[i].text
	point := strings.IndexByte(text, '.')
	switch {
	case m.timeOfDay && point >= 0 && i == 0 && len(tokens) >= 2 && tokens[len(tokens)-1].kind == dateToken,
		!m.timeOfDay && point >= 0 && m.seen&datePart == 0:
		return m.date(text)
	case point > 2,
		m.timeOfDay && point < 0 && len(text) > 4,
		!m.timeOfDay && len(text) >= 6 && (m.seen&datePart == 0 || m.seen&clockPart == 0):
		return m.joined(text, m.dated())
	case m.timeOfDay && point >= 0:
		return 0, syntaxFault
	}
	return m.number(text, m.textMonth, m.dated())
}

// labelled reads a number behind its unit.
func (m *TimeText) labelled(text string) (parts timeParts, fault timeFault) {
	unit := m.unit
	m.unit, m.word = 0, ""
	value, used, err := chars.LeadingInt(text)
	rest := text[used:]
	switch {
	case err != nil:
		return 0, fieldFault
	case rest != "" && (rest[0] != '.' || strings.IndexByte("jts", unit) < 0):
		return 0, syntaxFault
	}
	switch unit {
	case 'y':
		m.year = value
		return yearPart, noFault
	case 'm':
		if m.seen&(monthPart|hourPart) == monthPart|hourPart {
			m.minute = value
			return minutePart, noFault
		}
		m.month = value
		return monthPart, noFault
	case 'd':
		m.day = value
		return dayPart, noFault
	case 'h':
		m.hour = value
		return hourPart, noFault
	case 'i':
		m.minute = value
		return minutePart, noFault
	case 's':
		if m.second = value; rest == "" {
			return secondPart, noFault
		}
		m.micros, fault = fractionOfSecond(rest)
		return secondPart | fractionPart, fault
	case 'j':
		if m.setJulian(value); rest == "" {
			return datePart, noFault
		}
		fraction, fault := fractionText(rest)
		us := int(fraction * MicrosPerDay)
		m.hour, m.minute, m.second, m.micros = us/3600e6, us/60e6%60, us/1e6%60, us%1e6
		return datePart | clockPart, fault
	case 't':
		if parts, fault = m.joined(text, m.seen|datePart); fault == noFault && parts != clockPart {
			fault = syntaxFault
		}
		return parts, fault
	}
	return 0, syntaxFault
}

// date reads a date with delimiters, or what looks like one.
func (m *TimeText) date(s string) (parts timeParts, fault timeFault) {
	seen, textMonth := m.seen, false
	var numbers []string
	for s != "" {
		s = s[chars.Prefix(s, chars.IsPunctuation):]
		if s == "" {
			return 0, syntaxFault
		}
		of := chars.IsDigit
		if chars.IsLetter(s[0]) {
			of = chars.IsLetter
		}
		field := s[:chars.Prefix(s, of)]
		if s = s[len(field):]; s != "" { // with any character
			s = s[1:]
		}
		if chars.IsDigit(field[0]) {
			numbers = append(numbers, field)
			continue
		}
		word, known := timeWords[field]
		switch {
		case known && word.kind == ignoredWord:
			continue
		case word.kind != monthWord, seen&monthPart != 0:
			return 0, syntaxFault
		}
		m.month, textMonth = word.value, true
		seen |= monthPart
		parts |= monthPart
	}
	for _, field := range numbers {
		found, fault := m.number(field, textMonth, seen)
		switch {
		case fault != noFault:
			return 0, fault
		case seen&found != 0:
			return 0, syntaxFault
		}
		seen |= found
		parts |= found
	}
	if seen&^(yearDayPart|zonePart) != datePart {
		return 0, syntaxFault
	}
	return parts, noFault
}

// number reads a part of a date by its place, or a time of day in one number.
func (m *TimeText) number(s string, textMonth bool, seen timeParts) (timeParts, timeFault) {
	value, used, err := chars.LeadingInt(s)
	rest := s[used:]
	switch {
	case err != nil:
		return 0, fieldFault
	case used == 0, rest != "" && rest[0] != '.':
		return 0, syntaxFault
	case rest != "" && used > 2:
		return m.joined(s, seen|datePart)
	case rest != "":
		var fault timeFault
		if m.micros, fault = fractionOfSecond(rest); fault != noFault {
			return 0, fault
		}
	case len(s) == 3 && seen&datePart == yearPart && value >= 1 && value <= 366:
		m.yearDay = value
		return yearDayPart | monthPart | dayPart, noFault
	}
	year := func() (timeParts, timeFault) {
		m.year, m.shortYear = value, len(s) <= 2
		return yearPart, noFault
	}
	month := func() (timeParts, timeFault) {
		m.month = value
		return monthPart, noFault
	}
	day := func() (timeParts, timeFault) {
		m.day = value
		return dayPart, noFault
	}
	switch seen & datePart {
	case 0:
		switch {
		case len(s) >= 3 || m.order == YearFirst:
			return year()
		case m.order == DayFirst:
			return day()
		}
		return month()
	case yearPart, dayPart:
		return month()
	case monthPart:
		if textMonth && (len(s) >= 3 || m.order == YearFirst) {
			return year()
		}
		return day()
	case yearPart | monthPart:
		if textMonth && len(s) >= 3 && m.shortYear { // what was taken for a year is the day
			m.day, m.year, m.shortYear = m.year, value, false
			return dayPart, noFault
		}
		return day()
	case monthPart | dayPart:
		return year()
	case datePart:
		return m.joined(s, seen)
	}
	return 0, syntaxFault
}

// joined reads a date or a time of day in one number: 20240517, 101530.5.
func (m *TimeText) joined(s string, seen timeParts) (timeParts, timeFault) {
	digits, fraction, pointed := strings.Cut(s, ".")
	two := func(at int) int { return digitsOf(digits[at : at+2]) }
	n := len(digits)
	switch {
	case pointed:
		f, err := strconv.ParseFloat("0."+fraction[:chars.Prefix(fraction, chars.IsDigit)], 64)
		if err != nil && fraction != "" {
			return 0, syntaxFault
		}
		m.micros = int(math.RoundToEven(f * 1e6))
	case seen&datePart != datePart && n >= 6:
		m.year, m.month, m.day = digitsOf(digits[:n-4]), two(n-4), two(n-2)
		m.shortYear = m.shortYear || n == 6
		return datePart, noFault
	}
	switch {
	case seen&clockPart == clockPart || n != 6 && n != 4:
		return 0, syntaxFault
	case n == 6:
		m.second = two(4)
	default:
		m.second = 0
	}
	m.hour, m.minute = two(0), two(2)
	return clockPart, noFault
}

// clock reads a time of day with colons.
func (m *TimeText) clock(s string) (fault timeFault) {
	hour, minute, second, micros, fault := readClock(s, false)
	if fault == noFault && hour > math.MaxInt32 {
		fault = fieldFault
	}
	m.hour, m.minute, m.second, m.micros = int(hour), minute, second, micros
	return fault
}

// readClock reads hours and minutes, or hours, minutes and seconds. Two parts are minutes
// and seconds where short says so, or a fraction is behind them.
func readClock(s string, short bool) (hour int64, minute, second, micros int, fault timeFault) {
	digits := chars.Prefix(s, chars.IsDigit)
	hour, err := strconv.ParseInt(s[:digits], 10, 64)
	rest := s[digits:]
	var used int
	switch {
	case err != nil && digits > 0:
		return 0, 0, 0, 0, fieldFault
	case rest == "" || rest[0] != ':':
		return 0, 0, 0, 0, syntaxFault
	}
	if minute, used, err = chars.LeadingInt(rest[1:]); err != nil {
		return 0, 0, 0, 0, fieldFault
	}
	rest = rest[1+used:]
	switch {
	case rest == "" && !short:
	case rest == "" || rest[0] == '.':
		if rest != "" {
			if _, fault = fractionText(rest); fault != noFault {
				return 0, 0, 0, 0, fault
			}
		}
		if hour > math.MaxInt32 {
			return 0, 0, 0, 0, fieldFault
		}
		hour, minute, second = 0, int(hour), minute
	case rest[0] == ':':
		if second, used, err = chars.LeadingInt(rest[1:]); err != nil {
			return 0, 0, 0, 0, fieldFault
		}
		rest = rest[1+used:]
	default:
		return 0, 0, 0, 0, syntaxFault
	}
	if rest != "" {
		if micros, fault = fractionOfSecond(rest); fault != noFault {
			return 0, 0, 0, 0, fault
		}
	}
	if minute > 59 || second > 60 {
		fault = fieldFault
	}
	return hour, minute, second, micros, fault
}

// fractionText reads a point and digits, which may be none.
func fractionText(s string) (float64, timeFault) {
	if s == "." {
		return 0, noFault
	}
	if s[0] != '.' {
		return 0, syntaxFault
	}
	f, err := strconv.ParseFloat("0"+s, 64)
	if err != nil {
		return 0, syntaxFault
	}
	return f, noFault
}

// fractionOfSecond reads a fraction in microseconds.
func fractionOfSecond(s string) (int, timeFault) {
	f, fault := fractionText(s)
	return int(math.RoundToEven(f * 1e6)), fault
}
