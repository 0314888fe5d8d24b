package datetime

import (
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
)

// TimeText is what the text of a date, time or timestamp says.
type TimeText struct {
	whole, name string // the text, and its type
	order       DateOrder
	timeOfDay   bool // the type has no date

	year, month, day     int // year 0 is 1 BC
	yearDay              int
	hour, minute, second int
	micros               int // 1000000 when the fraction rounds up
	offset               int // east of UTC in seconds, of what is zoned
	word                 string

	// Now tells that the text is the time of the transaction, ByDay that its date is so many
	// Days from today.
	Now, ByDay bool
	Days       int

	seen         timeParts
	unit         byte // of the number that is read next
	textMonth    bool
	julian       bool
	shortYear    bool
	beforeChrist bool
	half         int // of the day: 12 in the afternoon
	zone         *time.Location
	abbreviation string // of the zone
	unknownZone  string
}

// timeParts are parts of a moment. None may be said twice.
type timeParts uint16

const (
	yearPart timeParts = 1 << iota
	monthPart
	dayPart
	yearDayPart
	hourPart
	minutePart
	secondPart
	fractionPart
	zonePart
	summerPart
	halfPart
	eraPart
	weekdayPart
	wordPart
	datePart  = yearPart | monthPart | dayPart
	clockPart = hourPart | minutePart | secondPart | fractionPart
)

// timeFault is the fault of a text that is no date or time.
type timeFault uint8

const (
	noFault       timeFault = iota
	syntaxFault             // a syntax error
	fieldFault              // a part is out of range
	dayFault                // a month or a day is, perhaps for the order of the parts
	zoneFault               // an offset is
	zoneNameFault           // there is no such zone
)

// ReadTimeText reads the text of a date, time, timetz, timestamp or timestamptz, which name
// says, as PostgreSQL does (DecodeDateTime, DecodeTimeOnly; manual, B.1).
func ReadTimeText(s, name string, order DateOrder) (TimeText, *pgerr.Error) {
	m := TimeText{whole: s, name: name, order: order, timeOfDay: name == "time" || name == "timetz", half: -1}
	tokens, ok := timeTokens(s)
	fault := syntaxFault
	if ok {
		fault = m.read(tokens)
	}
	if fault == noFault && m.word == "" {
		fault = m.finish()
	}
	return m, m.error(fault)
}

func (m *TimeText) error(fault timeFault) *pgerr.Error {
	switch fault {
	case syntaxFault:
		called := strings.NewReplacer("timestamptz", "timestamp with time zone", "timetz", "time with time zone").Replace(m.name)
		return pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", called, m.whole)
	case fieldFault:
		return pgerr.New(pgerr.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", m.whole)
	case dayFault:
		return m.error(fieldFault).WithHint(`Perhaps you need a different "datestyle" setting.`)
	case zoneFault:
		return pgerr.New("22009", "time zone displacement out of range: \"%s\"", m.whole)
	case zoneNameFault:
		return pgerr.New(pgerr.InvalidParameterValue, "time zone \"%s\" not recognized", m.unknownZone)
	}
	return nil
}

func (m *TimeText) read(tokens []timeToken) timeFault {
	for i := range tokens {
		parts, fault := m.token(tokens, i)
		switch {
		case fault != noFault:
			return fault
		case parts&m.seen != 0:
			return syntaxFault
		}
		m.seen |= parts
	}
	if len(tokens) == 0 {
		return syntaxFault
	}
	return noFault
}

// token reads one part of the text.
func (m *TimeText) token(tokens []timeToken, i int) (timeParts, timeFault) {
	text := tokens[i].text
	switch tokens[i].kind {
	case dateToken:
		return m.dateOrZone(tokens, i)
	case clockToken:
		if m.unit != 0 && m.unit != 't' {
			return 0, syntaxFault
		}
		m.unit = 0
		fault := m.clock(text)
		if fault == noFault && !m.timeOfDay && m.clockOverflows() {
			fault = fieldFault
		}
		return clockPart, fault
	case signedToken:
		var fault timeFault
		m.offset, fault = displacement(text)
		return zonePart, fault
	case numberToken:
		if m.unit != 0 {
			return m.labelled(text)
		}
		return m.numberAt(tokens, i)
	}
	return m.wordAt(tokens, i)
}

// dateOrZone reads a date, the name of a zone, or digits of a time of day with an offset.
func (m *TimeText) dateOrZone(tokens []timeToken, i int) (timeParts, timeFault) {
	text := tokens[i].text
	isDate := m.unit == 0 && m.seen&(monthPart|dayPart) != monthPart|dayPart
	if m.timeOfDay {
		isDate = i == 0 && len(tokens) >= 2 && (tokens[len(tokens)-1].kind == dateToken || tokens[1].kind == clockToken)
	}
	switch {
	case isDate:
		return m.date(text)
	case m.unit == 'j' && !m.timeOfDay:
		day, used, err := chars.LeadingInt(text)
		if err != nil {
			return 0, fieldFault
		}
		m.setJulian(day)
		m.unit = 0
		var fault timeFault
		m.offset, fault = displacement(text[used:])
		return datePart | clockPart | zonePart, fault
	case !chars.IsDigit(text[0]) && (m.unit == 0 || m.timeOfDay):
		return zonePart, m.namedZone(text)
	case m.unit != 0 && m.unit != 't' && !m.timeOfDay, m.seen&clockPart == clockPart:
		return 0, syntaxFault
	}
	if !m.timeOfDay {
		m.unit = 0
	}
	digits, _, ok := strings.Cut(text, "-")
	if !ok {
		return 0, syntaxFault
	}
	var fault timeFault
	if m.offset, fault = displacement(text[len(digits):]); fault != noFault {
		return 0, fault
	}
	parts, fault := m.joined(digits, m.dated())
	return parts | zonePart, fault
}

// dated returns the parts of the text so far, and the date if no part of it follows.
func (m *TimeText) dated() timeParts {
	if m.timeOfDay {
		return m.seen | datePart
	}
	return m.seen
}

func (m *TimeText) namedZone(name string) timeFault {
	zone, ok := zoneNamed(name)
	if !ok {
		m.unknownZone = name
		return zoneNameFault
	}
	m.zone, m.abbreviation = zone, ""
	return noFault
}

func (m *TimeText) setJulian(day int) {
	m.year, m.month, m.day = CivilDate(day)
	m.julian = true
}

// wordAt reads a word. Abbreviations of zones go before other words.
func (m *TimeText) wordAt(tokens []timeToken, i int) (timeParts, timeFault) {
	text := tokens[i].text
	if a, ok := ZoneAbbreviation(text); ok {
		if m.offset = a.Offset; a.Name != "" {
			if fault := m.namedZone(strings.ToLower(a.Name)); fault != noFault {
				return 0, fault
			}
			m.abbreviation = text
		}
		return zonePart, noFault
	}
	word, known := timeWords[text]
	if !known {
		if m.namedZone(text) != noFault {
			return 0, syntaxFault
		}
		return zonePart, noFault
	}
	switch word.kind {
	case ignoredWord:
		return 0, noFault
	case halfWord:
		m.half = word.value
		return halfPart, noFault
	case eraWord:
		m.beforeChrist = word.value == 1
		return eraPart, noFault
	case unitWord:
		m.unit = word.unit
		return 0, noFault
	case summerWord:
		m.offset += 3600
		return summerPart, noFault
	case zeroWord:
		m.hour, m.minute, m.second, m.offset, m.word = 0, 0, 0, 0, ""
		return clockPart | zonePart, noFault
	case nowWord:
		m.Now, m.word = true, ""
		if m.timeOfDay {
			return clockPart, noFault
		}
		return datePart | clockPart | zonePart, noFault
	case isoTimeWord:
		if !m.timeOfDay && m.seen&datePart != datePart || i+1 == len(tokens) || tokens[i+1].kind > clockToken {
			return 0, syntaxFault
		}
		m.unit = 't'
		return 0, noFault
	}
	if m.timeOfDay {
		return 0, syntaxFault
	}
	switch word.kind {
	case monthWord:
		parts := monthPart
		if m.seen&(monthPart|dayPart) == monthPart && !m.textMonth && m.month >= 1 && m.month <= 31 { // which was the day
			m.day, parts = m.month, dayPart
		}
		m.month, m.textMonth = word.value, true
		return parts, noFault
	case weekdayWord:
		return weekdayPart, noFault
	case dayWord:
		m.ByDay, m.Days, m.word = true, word.value, ""
		return datePart, noFault
	}
	m.word = text
	return wordPart, noFault
}

// finish checks what was read, and finds the offset of a zone.
func (m *TimeText) finish() timeFault {
	if fault := m.checkDate(); fault != noFault {
		return fault
	}
	switch {
	case m.half >= 0 && m.hour > 12:
		return fieldFault
	case m.half >= 0:
		m.hour = m.hour%12 + m.half
	}
	day := m.seen & datePart
	switch {
	case m.timeOfDay && m.clockOverflows():
		return fieldFault
	case m.timeOfDay && m.seen&clockPart != clockPart, !m.timeOfDay && day != datePart:
		return syntaxFault
	case m.seen&summerPart != 0 && (m.zone != nil || m.seen&zonePart == 0):
		return syntaxFault
	case m.zone == nil && (m.seen&zonePart != 0 || day == 0 || day == datePart):
		return noFault
	case day != datePart && (day != 0 || m.abbreviation == "" && !isFixed(m.zone)): // the offset depends on the day
		return syntaxFault
	}
	at := time.Date(m.year, time.Month(m.month), m.day, m.hour, m.minute, m.second, 0, time.UTC)
	if day == 0 {
		at = time.Date(2025, 1, 1, m.hour, m.minute, m.second, 0, time.UTC)
	}
	if m.abbreviation != "" {
		m.offset = int(abbreviationOffset(m.zone, m.abbreviation, at.Unix()))
	} else {
		m.offset = int(ZoneOffset(m.zone, at.Unix()))
	}
	return noFault
}

// checkDate checks the date, and completes a year of two digits and the day of a year.
func (m *TimeText) checkDate() timeFault {
	if m.ByDay || m.Now {
		if m.seen&eraPart != 0 {
			return syntaxFault
		}
		return noFault
	}
	if m.seen&yearPart != 0 && !m.julian {
		switch {
		case m.year <= 0 && (m.beforeChrist || !m.shortYear): // there is no year 0
			return fieldFault
		case m.beforeChrist:
			m.year = 1 - m.year
		case m.shortYear && m.year < 70:
			m.year += 2000
		case m.shortYear && m.year < 100:
			m.year += 1900
		}
	}
	if m.seen&yearDayPart != 0 {
		m.setJulian(JulianDay(m.year, 1, 1) + m.yearDay - 1)
	}
	switch {
	case m.seen&monthPart != 0 && (m.month < 1 || m.month > 12), m.seen&dayPart != 0 && (m.day < 1 || m.day > 31):
		return dayFault
	case m.seen&datePart == datePart && m.day > DaysOfMonth(m.year, m.month):
		return fieldFault
	}
	return noFault
}

func (m *TimeText) clockOverflows() bool {
	return m.hour < 0 || m.hour > 24 || m.minute < 0 || m.minute > 59 || m.second < 0 || m.second > 60 ||
		m.micros > MicrosPerSecond || m.Clock() > MicrosPerDay
}
