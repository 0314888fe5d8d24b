package datetime

import (
	"math"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// AT TIME ZONE and its like, over microseconds since 1970. Each function takes the zone's
// text and a time.
var zoneFunctions = []fmgr.Function{
	// The moment of a local time: timezone(text, timestamp).
	{Name: "ontosql_zone_to_utc", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Int, New: converting(findZone, sqlZone.toUTC)},
	// The local time of a moment: timezone(text, timestamptz).
	{Name: "ontosql_zone_from_utc", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Int, New: converting(findZone, sqlZone.fromUTC)},
	// The moment of a local time, where an offset counts to the east: make_timestamptz.
	{Name: "ontosql_offset_to_utc", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Int, New: converting(findOffset, sqlZone.toUTC)},
}

// sqlZone is the meaning of a zone's text. An abbreviation with several offsets in its zone has
// both (PostgreSQL's DYNTZ).
type sqlZone struct {
	location     *time.Location
	abbreviation string // "" for none, and for one of a single offset
}

func converting(find func(string) (sqlZone, error), convert func(sqlZone, int64) int64) func() fmgr.Call {
	return func() fmgr.Call {
		var zones fmgr.Cache[sqlZone]
		return func(a []fmgr.Value) (fmgr.Value, error) {
			text := a[0].Text[:min(len(a[0].Text), longestZone)]
			zone, err := zones.Get(text, func() (sqlZone, error) { return find(text) })
			if err != nil {
				return fmgr.Null, err
			}
			us := convert(zone, a[1].Int)
			if us < firstMoment.UnixMicro() || us == math.MaxInt64 { // which is infinity for the engine
				return fmgr.Null, pgerr.New(pgerr.DatetimeFieldOverflow, "timestamp out of range")
			}
			return fmgr.Value{Int: us}, nil
		}
	}
}

// longestZone is the length in bytes at which PostgreSQL cuts the text of a zone
// (TZ_STRLEN_MAX).
const longestZone = 255

// findZone finds a zone as AT TIME ZONE does: an abbreviation, else a name or a POSIX
// specification.
func findZone(text string) (sqlZone, error) {
	if a, ok := ZoneAbbreviation(text); ok {
		if a.Name == "" {
			return sqlZone{location: time.FixedZone(text, a.Offset)}, nil
		}
		location, err := time.LoadLocation(a.Name)
		return sqlZone{location, text}, err
	}
	location, ok := zoneNamed(chars.LowerASCII(text))
	if !ok {
		return sqlZone{}, unknownZone(text)
	}
	return sqlZone{location: location}, nil
}

// findOffset finds a zone as make_timestamptz does (parse_sane_timezone): an offset that
// counts to the east comes first.
func findOffset(text string) (sqlZone, error) {
	switch {
	case text == "":
	case chars.IsDigit(text[0]):
		return sqlZone{}, pgerr.New(pgerr.InvalidParameterValue, "invalid input syntax for type numeric time zone: \"%s\"", text).
			WithHint(`Numeric time zones must have "-" or "+" as first character.`)
	case text[0] == '+' || text[0] == '-':
		offset, fault := displacement(text)
		switch fault {
		case noFault:
			return sqlZone{location: time.FixedZone(text, offset)}, nil
		case zoneFault:
			return sqlZone{}, pgerr.New(pgerr.InvalidParameterValue, "numeric time zone \"%s\" out of range", text)
		}
	}
	return findZone(text)
}

func unknownZone(name string) error {
	return pgerr.New(pgerr.InvalidParameterValue, "time zone \"%s\" not recognized", name)
}

// toUTC is the moment of a local time.
func (z sqlZone) toUTC(local int64) int64 {
	seconds := floorSeconds(local)
	if z.abbreviation != "" {
		return shifted(local, -abbreviationOffset(z.location, z.abbreviation, seconds))
	}
	return shifted(local, -ZoneOffset(z.location, seconds))
}

// fromUTC is the local time of a moment.
func (z sqlZone) fromUTC(moment int64) int64 {
	at := time.Unix(floorSeconds(moment), 0).In(z.location)
	if z.abbreviation != "" {
		if offset, ok := abbreviationAt(at, z.abbreviation); ok {
			return shifted(moment, offset)
		}
	}
	_, offset := at.Zone()
	return shifted(moment, int64(offset))
}

func floorSeconds(micros int64) int64 { return time.UnixMicro(micros).Unix() }

// shifted moves a time by seconds. A time beyond all timestamps stays there.
func shifted(micros, seconds int64) int64 {
	sum := micros + seconds*MicrosPerSecond
	if (sum < micros) != (seconds < 0) && seconds != 0 {
		return math.MaxInt64
	}
	return sum
}
