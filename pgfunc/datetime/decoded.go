package datetime

import (
	"fmt"
	"time"

	"github.com/ontosql/ontosql/pgerr"
)

// Moves reports whether the moment depends on when it is read.
func (m *TimeText) Moves() bool { return m.word == "" && (m.Now || m.ByDay) }

// settle makes a moment that moves the one that it is now.
func (m *TimeText) settle(now time.Time) {
	if m.Now {
		m.hour, m.minute, m.second = now.Clock()
		m.micros = now.Nanosecond() / 1000
		_, m.offset = now.Zone()
		m.seen |= zonePart
	}
	m.year, m.month, m.day = now.Year(), int(now.Month()), now.Day()+m.Days // of which time.Date makes a day
	zone := m.zone
	if m.seen&zonePart == 0 {
		zone, m.seen = now.Location(), m.seen|zonePart
	}
	if zone != nil && !m.Now {
		m.offset = int(ZoneOffset(zone, time.Date(m.year, time.Month(m.month), m.day, m.hour, m.minute, m.second, 0, time.UTC).Unix()))
	}
	m.Now, m.ByDay = false, false
}

// Clock is the time of day in microseconds.
func (m *TimeText) Clock() int64 {
	return int64(m.hour*3600+m.minute*60+m.second)*MicrosPerSecond + int64(m.micros)
}

// Offset is the offset from UTC that the text says, in seconds to the east.
func (m *TimeText) Offset() (seconds int, said bool) { return m.offset, m.seen&zonePart != 0 }

// Zone is the name of the zone that the text says, "" for none and for a zone that has one
// offset ever.
func (m *TimeText) Zone() string {
	if m.zone == nil || isFixed(m.zone) {
		return ""
	}
	return m.zone.String()
}

// The first moment, which is that of the Julian day 0, and those behind the last.
var (
	firstMoment    = time.Date(-4713, 11, 24, 0, 0, 0, 0, time.UTC)
	afterTimestamp = time.Date(294277, 1, 1, 0, 0, 0, 0, time.UTC)
	afterDate      = time.Date(5874898, 1, 1, 0, 0, 0, 0, time.UTC)
)

// text writes the moment as the engine reads it. A second 60 and a fraction that
// rounds up are the next second.
func (m *TimeText) text() (string, *pgerr.Error) {
	if m.word != "" {
		return m.word, nil
	}
	if m.timeOfDay {
		us := m.Clock()
		return fmt.Sprintf("%02d:%02d:%02d.%06d", us/3600e6, us/60e6%60, us/1e6%60, us%1e6), nil
	}
	at := time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC)
	zone := ""
	if m.name != "date" {
		at = time.Date(m.year, time.Month(m.month), m.day, m.hour, m.minute, m.second, m.micros*1000, time.UTC)
	}
	if m.name == "timestamptz" && m.seen&zonePart != 0 {
		at, zone = at.Add(-time.Duration(m.offset)*time.Second), "+00"
	}
	word, after := "timestamp", afterTimestamp
	if m.name == "date" {
		word, after = "date", afterDate
	}
	if at.Before(firstMoment) || !at.Before(after) {
		return "", pgerr.New(pgerr.DatetimeFieldOverflow, "%s out of range: \"%s\"", word, m.whole)
	}
	year, era := at.Year(), ""
	if year < 1 {
		year, era = 1-year, " (BC)"
	}
	text := fmt.Sprintf("%04d-%02d-%02d%s", year, at.Month(), at.Day(), era)
	if m.name == "date" {
		return text, nil
	}
	return text + at.Format(" 15:04:05.000000") + zone, nil
}
