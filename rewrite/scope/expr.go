package scope

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Text is the text of the expression.
func (e Expr) Text() string {
	switch {
	case e.Printed != "" && e.Type.IsArray():
		return casts.ToText(e.Printed, types.TextArray(e.Type.ExtraDims))
	case e.Printed != "":
		return e.Printed
	case e.Row != nil:
		return casts.RowToText(e.ShownRow())
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
	if e.Type.IsWide() {
		return e.Text() + ", -1"
	}
	return "CAST(" + e.SQL + " AS VARCHAR), " + strconv.Itoa(e.Type.Digits().DisplayScale)
}

// Scaled brings a numeric, or an array of them, to a decimal of 38 digits. A wide one stays as it is.
func (e Expr) Scaled(d types.Digits) Expr {
	if e.Type.IsWide() {
		return e
	}
	duck := types.EngineDecimal(d.Frac)
	if e.Type.IsArray() {
		duck += strings.Repeat("[]", e.Type.ExtraDims+1)
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
	EngineSpelling string  // of a member's text: the same, but that the engine spells objects and arrays
	Integer        *int64  // an integer literal of any integer type
	List           string  // of a set-returning function and what is made of one: the list whose elements it returns
	// Printed is the SQL of the text that PostgreSQL prints of a numeric whose display scale
	// depends on more than its value: of a power, of branches with different scales, and of a
	// parameter, which keeps the given digits. For an array of such numerics it is the list of
	// the texts. It is "" if the value and the type determine the text.
	Printed string
	// PrintedList is what List is for Printed, "" where it is the same.
	PrintedList string
	TypeName    string     // of the result of pg_typeof: the type's name, as SQL
	SeriesArgs  []Expr     // of generate_series of integer literals: its arguments
	Truncated   *Truncated // of date_trunc of a timestamp in WHERE
	Location    int32

	means    *rowexpr.Expr
	meansSQL string // what SQL was when means was set
}

// Means is the expression as one that has the value of x, too, which is nil if it cannot be
// evaluated without the engine.
func (e Expr) Means(x *rowexpr.Expr) Expr {
	e.means, e.meansSQL = x, e.SQL
	return e
}

// Plain is the expression as it is evaluated without the engine, nil if only the engine can
// compute it: nobody has called Means since SQL was changed.
func (e Expr) Plain() *rowexpr.Expr {
	if e.meansSQL != e.SQL {
		return nil
	}
	return e.means
}

// Truncated are forms of an expression that cuts a timestamp to a unit.
type Truncated struct {
	SQL   string // the expression
	Plain string // the same for finite times, in the form that the engine compares as a range
	Of    string // the timestamp that is cut
}

// HasPrinted reports whether an expression or a field of it is printed in another way than
// its value.
func (e Expr) HasPrinted() bool {
	return e.Printed != "" || slices.ContainsFunc(e.Row, Expr.HasPrinted)
}

// ShownRow is a row as a result. It has the names of objects in place of their numbers, and
// what is printed in place of numerics: their fields are texts in its type.
func (e Expr) ShownRow() (sql string, ty types.Type) {
	cols := types.RowFields(e.Type)
	fields, changed := make([]string, len(cols)), false
	row := &types.RowType{}
	for i, c := range cols {
		var shown string
		ty := c.Type
		switch {
		case e.Row != nil && e.Row[i].Printed != "" && ty.IsArray():
			shown, ty = e.Row[i].Printed, types.TextArray(ty.ExtraDims)
		case e.Row != nil && e.Row[i].Printed != "":
			shown, ty = e.Row[i].Printed, types.Of(types.Text)
		case e.Row != nil && types.IsReg(ty.OID):
			shown = casts.ToText(e.Row[i].SQL, ty)
		case e.Row != nil && e.Row[i].Row != nil:
			shown, ty = e.Row[i].ShownRow()
		case e.Row != nil:
			shown = e.Row[i].SQL
		case types.IsReg(ty.OID):
			shown = casts.InLambda(casts.FieldAt("item", i), ty)
		default:
			shown = casts.FieldAt("item", i)
		}
		fields[i] = shown
		changed = changed || types.IsReg(ty.OID) || e.Row != nil && shown != e.Row[i].SQL
		row.Add(c.Name, ty)
	}
	ty = e.Type
	ty.Row = row
	switch shown := "row(" + strings.Join(fields, ", ") + ")"; {
	case !changed:
		return e.SQL, e.Type
	case e.RowIsNull != "":
		return "CASE WHEN NOT (" + e.RowIsNull + ") THEN " + shown + " END", ty
	case e.Row != nil:
		return shown, ty
	default:
		return "list_transform([" + e.SQL + "], lambda item: CASE WHEN item IS NOT NULL THEN " + shown + " END)[1]", ty
	}
}
