package rewrite

import (
	"github.com/ontosql/ontosql/rewrite/types"
	"strconv"
	"strings"
)

// What prints values as texts in the styles that PostgreSQL has by default, by types.
// Bind puts another function in its place where the session's settings ask for one.
var outputMacros = map[uint32]string{
	types.Date: macro("date_out"), types.Timestamp: macro("timestamp_out"), types.TimestampTZ: macro("timestamptz_out"),
	types.Interval: macro("interval_out"), types.Bytea: macro("bytea_out"), types.Float8: macro("float_out"), types.Float4: macro("real_out"),
}

// outputMark begins a call of one of outputMacros. It stands for the bracket too,
// because a style is an argument more.
func outputMark(name string) string { return "\x00" + string(outputHole) + "\x01" + name + "\x01(\x00" }

// outputCalled is the name of outputMacros that a mark calls.
func outputCalled(mark string) (name string, ok bool) {
	name, ok = strings.CutPrefix(mark, "\x00"+string(outputHole)+"\x01")
	return strings.TrimSuffix(name, "\x01(\x00"), ok
}

// inDefaultStyle is SQL in which values become texts in the default styles whatever the
// session's are.
func inDefaultStyle(sql string) string {
	for _, name := range outputMacros {
		sql = strings.ReplaceAll(sql, outputMark(name), name+"(")
	}
	return sql
}

// outputCall begins the call that stands in the place of one of outputMacros.
func outputCall(name string, setting func(string) string) string {
	switch name {
	case macro("date_out"), macro("timestamp_out"), macro("timestamptz_out"):
		style := setting("DateStyle")
		if style == "" || strings.HasPrefix(style, "ISO,") {
			break
		}
		call := "ontosql_" + strings.TrimPrefix(name, macro("")) + "(" + literal(style) + ", "
		if name == macro("timestamptz_out") {
			call += "current_setting('TimeZone'), "
		}
		return call
	case macro("interval_out"):
		if style := setting("IntervalStyle"); style != "" && style != "postgres" {
			return "ontosql_interval_out(" + literal(style) + ", "
		}
	case macro("bytea_out"):
		if setting("bytea_output") == "escape" {
			return "ontosql_bytea_escaped("
		}
	case macro("float_out"), macro("real_out"):
		if digits, err := strconv.Atoi(setting("extra_float_digits")); err == nil && digits < 1 {
			return "ontosql_" + strings.TrimSuffix(strings.TrimPrefix(name, macro("")), "out") + "rounded(" + strconv.Itoa(digits) + ", "
		}
	}
	return name + "("
}
