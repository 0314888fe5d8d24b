package datetime

import (
	"time"

	"github.com/ontosql/ontosql/pgerr"
)

// Moment is what the text of a timestamptz means.
type Moment struct {
	Time     time.Time // in UTC, of a finite one
	Infinite int       // 1 for infinity, -1 for -infinity
}

// ReadMoment reads the text of a timestamptz. One without a zone is in zone.
func ReadMoment(s string, in TimeInput, zone *time.Location) (at Moment, err *pgerr.Error) {
	m, err := ReadTimeText(s, "timestamptz", in.Order)
	switch {
	case err != nil:
		return at, err
	case m.Moves() && in.Now == nil:
		return at, m.error(syntaxFault)
	case m.Moves():
		m.settle(in.Now())
	}
	word, err := m.text() // which checks the range
	switch {
	case err != nil:
		return at, err
	case m.word == "":
	case word == "infinity":
		return Moment{Infinite: 1}, nil
	case word == "-infinity":
		return Moment{Infinite: -1}, nil
	default: // epoch
		return Moment{Time: time.Unix(0, 0).UTC()}, nil
	}
	at.Time = time.Date(m.year, time.Month(m.month), m.day, m.hour, m.minute, m.second, m.micros*1000, time.UTC)
	offset := int64(m.offset)
	if m.seen&zonePart == 0 {
		offset = ZoneOffset(zone, at.Time.Unix())
	}
	at.Time = at.Time.Add(-time.Duration(offset) * time.Second)
	return at, nil
}
