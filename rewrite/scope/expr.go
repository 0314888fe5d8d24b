package scope

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Text is the text of the expression.
func (e Expr) Text() string {
	switch {
	case e.Printed != "":
		return e.Printed
	case e.Row != nil:
		return casts.RowToText(RowWithRegNames(e), e.Type)
	}
	return casts.ToText(e.SQL, e.Type)
}

// Output is the text that a client would be sent.
func (e Expr) Output() string {
	if e.Printed != "" || e.Row != nil {
		return e.Text()
	}
	return casts.ToOutput(e.SQL, e.Type)
}

// NumericArgs is the expression as functions of Go take a numeric: its text, and how many of
// the digits behind the point are shown, be they zeros; -1 for all that are there.
func (e Expr) NumericArgs() string {
	if e.Printed != "" {
		return e.Printed + ", -1"
	}
	return "CAST(" + e.SQL + " AS VARCHAR), " + strconv.Itoa(e.Type.Digits().DisplayScale)
}

// Scaled brings a numeric, or an array of them, to a decimal of 38 digits.
func (e Expr) Scaled(d types.Digits) Expr {
	duck := types.EngineDecimal(d.Frac)
	if e.Type.IsArray() {
		duck += "[]"
	}
	e.SQL, e.Type.Numeric = "CAST("+e.SQL+" AS "+duck+")", d
	return e
}

// Expr is a resolved expression: its text for the engine and its type.
type Expr struct {
	SQL            string
	Type           types.Type
	Literal        *string // a string literal that has no type yet
	UntypedNull    bool    // NULL that has no type yet
	UntypedParam   int     // a parameter that has no type yet
	Column         *Column // the column it is, unchanged
	HasAggs        bool    // contains an aggregate of its own level
	ReturnsSet     bool    // returns several rows
	Row            []Expr  // the fields of a row
	RowIsNull      string  // when the row is NULL, and not one of NULLs; "" for never
	RowConstructor bool    // by a row constructor
	WideNumber     string  // a numeric literal of more digits than a numeric of the engine has
	EngineSpelling string  // of a member's text: the same, but that the engine spells objects and arrays
	Integer        *int64  // an integer literal, in whatever integer type
	List           string  // of a set-returning function and what is made of one: the list whose elements it returns
	// printed is the text that PostgreSQL prints of a numeric whose digits hang on more
	// than its value, as SQL: of a power, of branches that show different digits, and of
	// a parameter, which shows those that it was given.
	Printed    string
	TypeName   string // of the result of pg_typeof: the type's name, as SQL
	SeriesArgs []Expr // of generate_series of integer literals: its arguments
	Location   int32
}

// RowWithRegNames is a row as a result: what has names of objects has them in place of numbers.
func RowWithRegNames(e Expr) string {
	cols := types.RowFields(e.Type)
	fields, named := make([]string, len(cols)), false
	for i, c := range cols {
		named = named || types.IsReg(c.Type.OID)
		switch {
		case e.Row != nil && types.IsReg(c.Type.OID):
			fields[i] = casts.ToText(e.Row[i].SQL, c.Type)
		case e.Row != nil:
			fields[i] = e.Row[i].SQL
		case types.IsReg(c.Type.OID):
			fields[i] = casts.InLambda(casts.FieldAt("item", i), c.Type)
		default:
			fields[i] = casts.FieldAt("item", i)
		}
	}
	switch row := "row(" + strings.Join(fields, ", ") + ")"; {
	case !named:
		return e.SQL
	case e.Row != nil:
		return row
	default:
		return "list_transform([" + e.SQL + "], lambda item: CASE WHEN item IS NOT NULL THEN " + row + " END)[1]"
	}
}
