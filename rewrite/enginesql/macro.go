package enginesql

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// longText is the length of an expression from which on mentionOnce names it.
const longText = 80

// EvaluateOnceIfLong prints SQL that is no call of a macro (onceEach) and mentions a value more
// than once: a long one would double at each step.
func EvaluateOnceIfLong(sql string, call func(x string) string) string {
	if len(sql) <= longText {
		return call(sql)
	}
	return EvaluateOnce(sql, call)
}

// EvaluateOnce prints SQL about a value that is computed once, however often the SQL mentions
// it.
func EvaluateOnce(sql string, call func(x string) string) string {
	return "list_transform([" + sql + "], lambda item: " + call("item") + ")[1]"
}

// ExpandMacroNames writes the names of macros in their bodies: @name is one of Macros.
func ExpandMacroNames(bodies []string) []string {
	out := make([]string, len(bodies))
	for i, m := range bodies {
		var s strings.Builder
		for j := 0; j < len(m); j++ {
			if m[j] == '@' && j+1 < len(m) && m[j+1] >= 'a' && m[j+1] <= 'z' {
				s.WriteString(MacroSchema + ".rw_")
				continue
			}
			s.WriteByte(m[j])
		}
		out[i] = s.String()
	}
	return out
}

// MacroSchema holds what the printed SQL calls beside the engine's builtins.
const MacroSchema = "ontosql_catalog"

// Macro is one of Macros; the prefix keeps them apart from the functions of
// pg_catalog in the same schema.
func Macro(name string) string { return MacroSchema + ".rw_" + name }

// DetailSeparator stands between the message, the detail, the context and the hint of an error
// that a macro raises. The engine hands on a line of its message.
const DetailSeparator = "\x1f"

var raised = regexp.MustCompile(`(?s)^\[([0-9A-Z]{5})(?:@([0-9]+))?\] (.*)$`)

// Raised reads the text of an error that one of Macros raised; ok is false for any
// other.
func Raised(text string) (err *pgerr.Error, ok bool) {
	m := raised.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	position, _ := strconv.Atoi(m[2]) // 0 for none
	var parts [4]string
	copy(parts[:], strings.SplitN(m[3], DetailSeparator, len(parts)))
	return &pgerr.Error{Code: m[1], Position: position, Message: parts[0], Detail: parts[1], Where: parts[2], Hint: parts[3]}, true
}
