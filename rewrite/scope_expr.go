package rewrite

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/types"
)

// out is the text of the expression.
func (e expr) out() string {
	switch {
	case e.printed != "":
		return e.printed
	case e.row != nil:
		return casts.RowToText(shownRow(e), e.t)
	}
	return casts.ToText(e.sql, e.t)
}

// output is the text that a client would be sent.
func (e expr) output() string {
	if e.printed != "" || e.row != nil {
		return e.out()
	}
	return casts.ToOutput(e.sql, e.t)
}

// operand is the expression as functions of Go take a numeric: its text, and how many of
// the digits behind the point are shown, be they zeros; -1 for all that are there.
func (e expr) operand() string {
	if e.printed != "" {
		return e.printed + ", -1"
	}
	return "CAST(" + e.sql + " AS VARCHAR), " + strconv.Itoa(e.t.Digits().DisplayScale)
}

// scaled brings a numeric, or an array of them, to a decimal of 38 digits.
func (e expr) scaled(d types.Digits) expr {
	duck := types.EngineDecimal(d.Frac)
	if e.t.IsArray() {
		duck += "[]"
	}
	e.sql, e.t.Numeric = "CAST("+e.sql+" AS "+duck+")", d
	return e
}

// expr is a resolved expression: its text for the engine and its type.
type expr struct {
	sql     string
	t       types.Type
	lit     *string // a string literal that has no type yet
	null    bool    // NULL that has no type yet
	param   int     // a parameter that has no type yet
	field   *field  // the column it is, unchanged
	agg     bool    // contains an aggregate of its own level
	set     bool    // returns several rows
	row     []expr  // the fields of a row
	absent  string  // when the row is NULL, and not one of NULLs; "" for never
	built   bool    // by a row constructor
	wide    string  // a numeric literal of more digits than a numeric of the engine has
	spelled string  // of a member's text: the same, but that the engine spells objects and arrays
	int     *int64  // an integer literal, in whatever integer type
	list    string  // of a set-returning function and what is made of one: the list whose elements it returns
	// printed is the text that PostgreSQL prints of a numeric whose digits hang on more
	// than its value, as SQL: of a power, of branches that show different digits, and of
	// a parameter, which shows those that it was given.
	printed string
	name    string // of the result of pg_typeof: the type's name, as SQL
	count   []expr // of generate_series of integer literals: its arguments
	loc     int32
}

// shownRow is a row as a result: what has names of objects has them in place of numbers.
func shownRow(e expr) string {
	cols := types.RowFields(e.t)
	fields, named := make([]string, len(cols)), false
	for i, c := range cols {
		named = named || types.IsReg(c.Type.OID)
		switch {
		case e.row != nil && types.IsReg(c.Type.OID):
			fields[i] = casts.ToText(e.row[i].sql, c.Type)
		case e.row != nil:
			fields[i] = e.row[i].sql
		case types.IsReg(c.Type.OID):
			fields[i] = casts.InLambda(casts.FieldAt("item", i), c.Type)
		default:
			fields[i] = casts.FieldAt("item", i)
		}
	}
	switch row := "row(" + strings.Join(fields, ", ") + ")"; {
	case !named:
		return e.sql
	case e.row != nil:
		return row
	default:
		return "list_transform([" + e.sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + row + " END)[1]"
	}
}
