package formatting

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/datetime"
)

// Template is a parsed datetime template of SQL/JSON. It has the keywords of to_timestamp, but
// the input must contain each separator of the template.
type Template struct {
	nodes               []node
	dated, timed, zoned bool
}

// Datetime is a value that a Template has read. Which of its parts count is what the
// template has keywords of.
type Datetime struct {
	Dated, Timed, Zoned bool
	Micros              int64 // of the local time since 1970, of the day if it is not Dated
	Offset              int64 // of the zone, in seconds east of UTC
}

// ParseTemplate parses a template (DCH_FLAG | STD_FLAG in PostgreSQL's formatting.c).
func ParseTemplate(text string) (*Template, error) {
	t := &Template{nodes: parsePattern(text, timeKeywords, true)}
	for _, n := range t.nodes {
		if n.key == "" && !n.quoted && !isStandardSeparator(n.char) {
			return nil, pgerr.New(pgerr.InvalidDatetimeFormat, "invalid datetime format separator: %q", n.char)
		}
		switch key := strings.ToUpper(n.key); key {
		case "", "FX":
		case "A.M.", "AM", "P.M.", "PM", "HH", "HH12", "HH24", "MI", "SS", "MS", "US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "SSSS", "SSSSS":
			t.timed = true
		case "TZ", "OF", "TZH", "TZM":
			t.zoned = true
		default:
			t.dated = true
		}
	}
	return t, nil
}

func isStandardSeparator(c string) bool { return len(c) == 1 && strings.Contains("-./,':; ", c) }

// Read reads a value, all of the text (parse_datetime).
func (t *Template) Read(s string) (Datetime, error) {
	d := Datetime{Dated: t.dated, Timed: t.timed, Zoned: t.zoned}
	r := &timeReader{whole: s, rest: s, nodes: t.nodes, fixed: true, standard: true}
	if err := r.read(); err != nil {
		return d, err
	}
	if r.at < len(r.nodes) {
		return d, pgerr.New(pgerr.InvalidDatetimeFormat, "input string is too short for datetime format")
	}
	if strings.TrimLeft(r.rest, " \t\n\v\f\r") != "" {
		return d, pgerr.New(pgerr.InvalidDatetimeFormat, "trailing characters remain in input string after datetime format")
	}
	micros, offset, given, err := r.result()
	switch {
	case err != nil:
		return d, err
	case !t.dated && !t.timed:
		return d, pgerr.New(pgerr.InvalidDatetimeFormat, "datetime format is not dated and not timed")
	case !t.timed && t.zoned:
		return d, pgerr.New(pgerr.InvalidDatetimeFormat, "datetime format is zoned but not timed")
	case t.zoned && !given:
		return d, pgerr.New(pgerr.InvalidDatetimeFormat, "missing time zone in input string for type %s", d.Type())
	}
	if !t.dated {
		_, micros = datetime.SplitDay(micros)
	}
	d.Micros, d.Offset = micros, int64(offset)
	return d, nil
}

// Type is the name of the type that the value is of, as PostgreSQL's messages about casts
// have it.
func (d Datetime) Type() string {
	name := "date"
	switch {
	case d.Dated && d.Timed:
		name = "timestamp"
	case d.Timed:
		name = "time"
	}
	if d.Zoned {
		name += "tz"
	}
	return name
}

// String is the value as ISO 8601 (JsonEncodeDateTime).
func (d Datetime) String() string {
	var text string
	switch d.Type() {
	case "date":
		day, _ := datetime.SplitDay(d.Micros)
		return string(datetime.AppendDate(nil, int32(day)))
	case "time", "timetz":
		text = string(datetime.AppendTime(nil, d.Micros))
	default:
		text = strings.Replace(string(datetime.AppendTimestamp(nil, d.Micros)), " ", "T", 1)
	}
	if !d.Zoned {
		return text
	}
	text, era := strings.CutSuffix(text, " BC")
	sign, east := '+', d.Offset
	if east < 0 {
		sign, east = '-', -east
	}
	text += fmt.Sprintf("%c%02d:%02d", sign, east/3600, east/60%60)
	if era {
		text += " BC"
	}
	return text
}

// separate reads a literal character of a template, which the input must contain.
func (r *timeReader) separate(n node) error {
	c, rest := chars.First(r.rest)
	if c != n.char {
		what := "separator"
		if n.quoted {
			what = "character"
		}
		return pgerr.New(pgerr.InvalidDatetimeFormat, "unmatched format %s %q", what, n.char)
	}
	r.rest = rest
	return nil
}
