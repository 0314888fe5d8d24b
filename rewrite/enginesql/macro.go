package enginesql

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// longText is the length of an expression from which EvaluateOnceIfLong binds it.
const longText = 80

// EvaluateOnceIfLong prints SQL that mentions a value more than once. A long value is bound
// by a lambda, because nested expressions would double their text at each level. So is one that
// takes the next value of a sequence or sends an event.
func EvaluateOnceIfLong(sql string, call func(x string) string) string {
	if len(sql) <= longText && !strings.Contains(sql, SequenceFunction) && !strings.Contains(sql, EnqueueFunction) {
		return call(sql)
	}
	return EvaluateOnce(sql, call)
}

// EvaluateOnce prints SQL that mentions a value more than once and computes it once.
func EvaluateOnce(sql string, call func(x string) string) string {
	return "list_transform([" + sql + "], lambda item: " + call("item") + ")[1]"
}

// SequenceFunction is the engine's function for nextval and the like.
const SequenceFunction = "ontosql_sequence"

// EnqueueFunction is the engine's function for ontosql.enqueue.
const EnqueueFunction = "ontosql_enqueue"

// RowLockFunction is the engine's function that is told which rows a statement locks: of the
// session, the number of the lock (scope.RowLock) and the id of the row, -1 for none. It
// returns 1.
const RowLockFunction = "ontosql_row_lock"

// ExpandMacroNames replaces @name by the full name of the macro in SQL texts.
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

// MacroSchema is the schema of ontosql's own functions in printed SQL.
const MacroSchema = "ontosql_catalog"

// Macro is the full name of a macro of package macros. The prefix tells these macros from
// the functions of pg_catalog in the same schema.
func Macro(name string) string { return MacroSchema + ".rw_" + name }

// DetailSeparator separates the message, the detail, the context and the hint of an error
// that a macro raises: the engine passes on one text.
const DetailSeparator = "\x1f"

var raised = regexp.MustCompile(`(?s)^\[([0-9A-Z]{5})(?:@([0-9]+))?\] (.*)$`)

// Raised reads the text of an error that a macro raised. ok is false for any other error.
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
