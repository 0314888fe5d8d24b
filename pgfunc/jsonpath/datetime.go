package jsonpath

import (
	"cmp"
	"errors"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/formatting"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

// kindDatetime is the kind of the values of datetime(). Text is what they are as a result.
const kindDatetime = "datetime"

// isoTemplates are the templates that datetime() without an argument tries in turn
// (executeDateTimeMethod in PostgreSQL).
var isoTemplates = parseTemplates(
	"yyyy-mm-dd",
	"HH24:MI:SS.USTZH:TZM", "HH24:MI:SS.USTZH", "HH24:MI:SSTZH:TZM", "HH24:MI:SSTZH",
	"HH24:MI:SS.US", "HH24:MI:SS",
	"yyyy-mm-dd HH24:MI:SS.USTZH:TZM", "yyyy-mm-dd HH24:MI:SS.USTZH", "yyyy-mm-dd HH24:MI:SSTZH:TZM", "yyyy-mm-dd HH24:MI:SSTZH",
	`yyyy-mm-dd"T"HH24:MI:SS.USTZH:TZM`, `yyyy-mm-dd"T"HH24:MI:SS.USTZH`, `yyyy-mm-dd"T"HH24:MI:SSTZH:TZM`, `yyyy-mm-dd"T"HH24:MI:SSTZH`,
	"yyyy-mm-dd HH24:MI:SS.US", "yyyy-mm-dd HH24:MI:SS",
	`yyyy-mm-dd"T"HH24:MI:SS.US`, `yyyy-mm-dd"T"HH24:MI:SS`,
)

func parseTemplates(texts ...string) []*formatting.Template {
	templates := make([]*formatting.Template, len(texts))
	for i, text := range texts {
		templates[i], _ = formatting.ParseTemplate(text)
	}
	return templates
}

// datetime applies datetime().
func (r *pathRun) datetime(n *pathNode, v *jsonb.Value, emit func(*jsonb.Value) error) error {
	if v.Kind != "string" {
		return pathError("22031", "jsonpath item method .datetime() can only be applied to a string")
	}
	d, err := readDatetime(n, v.Text)
	if err != nil {
		return err
	}
	found := &jsonb.Value{Kind: kindDatetime, Text: d.String()}
	if r.times == nil {
		r.times = map[*jsonb.Value]formatting.Datetime{}
	}
	r.times[found] = d
	return emit(found)
}

// readDatetime reads a value by the template of the method, or by the first of isoTemplates
// that it has the form of.
func readDatetime(n *pathNode, text string) (formatting.Datetime, error) {
	if n.right != nil {
		template, err := formatting.ParseTemplate(n.right.text)
		if err != nil {
			return formatting.Datetime{}, err
		}
		d, err := template.Read(text)
		if e := (*pgerr.Error)(nil); errors.As(err, &e) {
			err = e.Because(errPath)
		}
		return d, err
	}
	for _, template := range isoTemplates {
		if d, err := template.Read(text); err == nil {
			return d, nil
		}
	}
	return formatting.Datetime{}, pgerr.New("22031", "datetime format is not recognized: %q", text).
		WithHint("Use a datetime template argument to specify the input data format.").Because(errPath)
}

// compareDatetimes compares two values of datetime(). known is false for types that cannot be
// compared. Where one type has a zone and the other does not, only the _tz functions compare
// (compareDatetime in PostgreSQL).
func (r *pathRun) compareDatetimes(a, b formatting.Datetime) (order int, known bool, err error) {
	switch {
	case a.Dated != b.Dated:
		return 0, false, nil
	case a.Zoned == b.Zoned:
	case r.zone == nil:
		from, to := a, b
		if a.Zoned {
			from, to = b, a
		}
		return 0, false, pgerr.Unsupported("cannot convert value from %s to %s without time zone usage", from.Type(), to.Type()).
			WithHint("Use *_tz() function for time zone support.")
	case a.Zoned:
		b.Offset = r.offsetAt(b)
	default:
		a.Offset = r.offsetAt(a)
	}
	moment := func(d formatting.Datetime) int64 { return d.Micros - d.Offset*datetime.MicrosPerSecond }
	order = cmp.Compare(moment(a), moment(b))
	if order == 0 && !a.Dated { // of a timetz, the zone counts, too
		order = cmp.Compare(b.Offset, a.Offset)
	}
	return order, true, nil
}

// offsetAt is the offset of the session's zone at a local time, of today for a time of day.
func (r *pathRun) offsetAt(d formatting.Datetime) int64 {
	if !d.Dated {
		_, offset := time.Now().In(r.zone).Zone()
		return int64(offset)
	}
	day, clock := datetime.SplitDay(d.Micros)
	return datetime.ZoneOffset(r.zone, day*24*60*60+clock/datetime.MicrosPerSecond)
}
