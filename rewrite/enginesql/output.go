package enginesql

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/types"
)

// OutputMacros are the macros that print values as texts in PostgreSQL's default styles, by
// the OID of the type. Bind calls another function where the session's settings ask for
// another style.
var OutputMacros = map[uint32]string{
	types.Date: Macro("date_out"), types.Timestamp: Macro("timestamp_out"), types.TimestampTZ: Macro("timestamptz_out"),
	types.Interval: Macro("interval_out"), types.Bytea: Macro("bytea_out"), types.Float8: Macro("float_out"), types.Float4: Macro("real_out"),
}

// OutputPlaceholder begins a call of one of OutputMacros. It includes the opening
// parenthesis, because a style is one more argument.
func OutputPlaceholder(name string) string {
	return "\x00" + string(Output) + "\x01" + name + "\x01(\x00"
}

// OutputMacroOf is the macro that an OutputPlaceholder calls. ok is false for other texts.
func OutputMacroOf(mark string) (name string, ok bool) {
	name, ok = strings.CutPrefix(mark, "\x00"+string(Output)+"\x01")
	return strings.TrimSuffix(name, "\x01(\x00"), ok
}

// InDefaultStyle makes SQL print values in the default styles instead of the session's.
func InDefaultStyle(sql string) string {
	for _, name := range OutputMacros {
		sql = strings.ReplaceAll(sql, OutputPlaceholder(name), name+"(")
	}
	return sql
}

// OutputCall begins the call of one of OutputMacros, or of the function that prints in the
// session's style. setting returns the value of a setting.
func OutputCall(name string, setting func(string) string) string {
	switch name {
	case Macro("date_out"), Macro("timestamp_out"), Macro("timestamptz_out"):
		style := setting("DateStyle")
		if style == "" || strings.HasPrefix(style, "ISO,") {
			break
		}
		call := "ontosql_" + strings.TrimPrefix(name, Macro("")) + "(" + Literal(style) + ", "
		if name == Macro("timestamptz_out") {
			call += "current_setting('TimeZone'), "
		}
		return call
	case Macro("interval_out"):
		if style := setting("IntervalStyle"); style != "" && style != "postgres" {
			return "ontosql_interval_out(" + Literal(style) + ", "
		}
	case Macro("bytea_out"):
		if setting("bytea_output") == "escape" {
			return "ontosql_bytea_escaped("
		}
	case Macro("float_out"), Macro("real_out"):
		if digits, err := strconv.Atoi(setting("extra_float_digits")); err == nil && digits < 1 {
			return "ontosql_" + strings.TrimSuffix(strings.TrimPrefix(name, Macro("")), "out") + "rounded(" + strconv.Itoa(digits) + ", "
		}
	}
	return name + "("
}
