package datetime

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Values of type timetz are texts as PostgreSQL prints them, 10:30:00.5+02.
var timetzFunctions = []fmgr.Function{
	// A text, and the seconds east of UTC that hold where it names no zone.
	{Name: "ontosql_timetz_in", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		v, err := ReadTimeTZ(a[0].Text, a[1].Int)
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.TextValue(v), nil
	})},
	// The microseconds of a day, and seconds east of UTC.
	{Name: "ontosql_timetz_of", Args: []fmgr.Kind{fmgr.Int, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(AppendTimeTZ(nil, a[0].Int, a[1].Int))), nil
	})},
	{Name: "ontosql_timetz_micros", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		micros, _ := SplitTimeTZ(a[0].Text)
		return fmgr.Value{Int: micros}, nil
	})},
	{Name: "ontosql_timetz_offset", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		_, offset := SplitTimeTZ(a[0].Text)
		return fmgr.Value{Int: offset}, nil
	})},
	// Millionths of a field.
	{Name: "ontosql_timetz_field", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		v, err := timeTZField(strings.ToLower(a[0].Text), a[1].Text)
		return fmgr.Value{Int: v}, err
	})},
	// A number that orders as the value does: by the moment, then from east to west.
	{Name: "ontosql_timetz_order", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		micros, offset := SplitTimeTZ(a[0].Text)
		return fmgr.Value{Int: (micros-offset*MicrosPerSecond)<<18 - offset}, nil
	})},
	// The value of such a number.
	{Name: "ontosql_timetz_ordered", Args: []fmgr.Kind{fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		offset := -(a[0].Int << 46 >> 46)
		return fmgr.TextValue(string(AppendTimeTZ(nil, (a[0].Int+offset)>>18+offset*MicrosPerSecond, offset))), nil
	})},
	// The same moment seconds east of UTC.
	{Name: "ontosql_timetz_at", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		micros, offset := SplitTimeTZ(a[0].Text)
		micros += (a[1].Int - offset) * MicrosPerSecond
		return fmgr.TextValue(string(AppendTimeTZ(nil, (micros%MicrosPerDay+MicrosPerDay)%MicrosPerDay, a[1].Int))), nil
	})},
}

// AppendTimeTZ prints a time of day and its zone.
func AppendTimeTZ(dst []byte, micros, offset int64) []byte {
	return appendOffset(AppendTime(dst, micros), offset)
}

// SplitTimeTZ takes apart what AppendTimeTZ printed.
func SplitTimeTZ(s string) (micros, offset int64) {
	at := strings.LastIndexAny(s, "+-")
	if at < 0 {
		return 0, 0
	}
	var m TimeText
	if m.clock(s[:at]) != noFault {
		return 0, 0
	}
	east, _ := displacement(s[at:])
	return m.Clock(), int64(east)
}

// timeTZField is what extract(field FROM value) is, in millionths.
func timeTZField(field, value string) (int64, error) {
	micros, offset := SplitTimeTZ(value)
	switch field {
	case "epoch":
		return micros - offset*MicrosPerSecond, nil
	case "timezone":
		return offset * MicrosPerSecond, nil
	case "timezone_hour":
		return offset / 3600 * MicrosPerSecond, nil
	case "timezone_minute":
		return offset / 60 % 60 * MicrosPerSecond, nil
	}
	switch strings.TrimSuffix(field, "s") {
	case "hour":
		return micros / (3600 * MicrosPerSecond) * MicrosPerSecond, nil
	case "minute":
		return micros / (60 * MicrosPerSecond) % 60 * MicrosPerSecond, nil
	case "second":
		return micros % (60 * MicrosPerSecond), nil
	case "millisecond":
		return micros % (60 * MicrosPerSecond) * 1000, nil
	case "microsecond":
		return micros % (60 * MicrosPerSecond) * MicrosPerSecond, nil
	}
	return 0, fmgr.InvalidParameter("unit \"%s\" not recognized for type time with time zone", field)
}

// ReadTimeTZ reads the text of a timetz. Where it names no zone, it is so many seconds
// east of UTC.
func ReadTimeTZ(s string, here int64) (string, *pgerr.Error) {
	m, err := ReadTimeText(s, "timetz", MonthFirst)
	if err == nil && m.Moves() {
		err = m.error(syntaxFault)
	}
	if err != nil {
		return "", err
	}
	if east, said := m.Offset(); said {
		here = int64(east)
	}
	return string(AppendTimeTZ(nil, m.Clock(), here)), nil
}
