package enginesql

import (
	"strconv"

	"github.com/ontosql/ontosql/rewrite/types"
)

// The kinds of placeholders in printed SQL, which Bind fills. A client's text contains no
// NUL, so that it cannot contain a placeholder.
const (
	Source           = 'R' // the source of a reference
	Param            = 'P' // a parameter with its final type
	ParamText        = 'T' // a parameter as the text that is bound
	ParamList        = 'L' // a query for parameters of one type
	SessionValue     = 'S' // the value of a session function
	CatalogMacro     = 'M' // a function of pg_catalog that a cast calls
	Output           = 'O' // begins a call that prints a value as text, in the session's style
	DateOrder        = 'D' // the DateOrder in which texts are read
	IntervalStandard = 'I' // 1 where intervals are read as IntervalStyle sql_standard has it
	KeyCondition     = 'K' // begins a WHERE clause that says the same as Need.KeyEquals of a reference
	KeyConditionEnd  = 'E' // ends it
)

// Placeholder is a placeholder of a kind, for number n of it.
func Placeholder(kind byte, n int) string { return "\x00" + string(kind) + strconv.Itoa(n) + "\x00" }

// ListPlaceholder is the placeholder of a query of the values of parameters of one type.
func ListPlaceholder(ty types.Type, params []int) string {
	mark := append([]byte{0, ParamList}, strconv.FormatUint(uint64(ty.OID), 10)...)
	for _, n := range params {
		mark = strconv.AppendInt(append(mark, '\x01'), int64(n), 10)
	}
	return string(append(mark, 0))
}

// SessionPlaceholder is the placeholder of a session function's value: its name, its arguments
// and the OID of its result. Arguments from a client's text may contain any character, so they
// are quoted.
func SessionPlaceholder(name string, args []Operand, oid uint32) string {
	mark := "\x00S" + strconv.FormatUint(uint64(oid), 10) + "\x01" + name
	for _, a := range args {
		if a.Param > 0 {
			mark += "\x01$" + strconv.Itoa(a.Param)
		} else {
			mark += "\x01" + strconv.Quote(a.Text)
		}
	}
	return mark + "\x00"
}

// MacroPlaceholder is the placeholder of a function that the catalog defines and a cast needs.
// Scope asks the session whether it exists.
func MacroPlaceholder(name string) string { return "\x00" + string(CatalogMacro) + name + "\x00" }

// Operand is a value of the statement: a literal in PostgreSQL's text form or a
// parameter.
type Operand struct {
	Text  string
	Param int // 0 for a literal
}
