package rowexpr

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
)

// Expr is an expression. It is immutable. The functions that make one of others return nil if
// another is nil, or if they do not know the operation for its type.
type Expr struct {
	// Type is the type of the values. It has no Name.
	Type column.Type
	// Column is the engine's SQL of the column that the expression is, unchanged; "" for any other.
	Column string

	op       op
	operands []*Expr
	constant Value
	param    int
	most     int // characters of a Fitted
}

// op is what an expression does with its operands.
type op uint8

const (
	isConstant op = iota
	isParam
	isColumn
	opAdd
	opSubtract
	opMultiply
	opEqual
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opDistinct
	opAnd
	opOr
	opNot
	opIsNull
	opCoalesce
	opConcat
	opWiden
	opNumeric
	opDocument
	opJSONB
	opFitted
)

// operators are the operators of SQL that take two operands of one type.
var operators = map[string]op{
	"+": opAdd, "-": opSubtract, "*": opMultiply,
	"=": opEqual, "<>": opNotEqual, "<": opLess, "<=": opLessEqual, ">": opGreater, ">=": opGreaterEqual,
	"||": opConcat,
}

// Constant is a value that is the same for each row, as Read has it.
func Constant(k column.Kind, v Value) *Expr {
	return &Expr{Type: typeOf(k), op: isConstant, constant: v}
}

// Truth is TRUE or FALSE.
func Truth(b bool) *Expr { return Constant(column.Bool, truth(b)) }

// Null is a NULL of a type, nil for a type whose values are not evaluated.
func Null(t column.Type) *Expr {
	if !holds(t.Kind) {
		return nil
	}
	t.Name = ""
	return &Expr{Type: t, op: isConstant, constant: Value{Null: true}}
}

// exactDigits are the decimal digits that double precision holds: every reader gives a number of so
// many the same double precision number.
const exactDigits = 15

// Decimal is a numeric constant, nil for one of more than exactDigits.
func Decimal(text string) *Expr {
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || len(digits) > exactDigits {
		return nil
	}
	wide := column.Int128{Lo: uint64(n), Hi: n >> 63}
	return &Expr{Type: column.Type{Kind: column.Numeric, Scale: uint8(len(fraction))}, op: isConstant, constant: Value{Wide: wide}}
}

// Param is parameter $n as a value of a kind; nil for a kind whose texts are not read here.
func Param(n int, k column.Kind) *Expr {
	switch k {
	case column.Bool, column.Int16, column.Int32, column.Int64, column.Float64, column.Text,
		column.Date, column.Timestamp, column.TimestampTZ, column.UUID, column.Numeric, column.JSON:
		return &Expr{Type: typeOf(k), op: isParam, param: n}
	}
	return nil
}

// Column is the value of a column by its name in the engine's SQL; nil for a type whose values
// are not evaluated.
func Column(name string, t column.Type) *Expr {
	if !holds(t.Kind) {
		return nil
	}
	t.Name = ""
	return &Expr{Type: t, Column: name, op: isColumn}
}

// Operator is an operator between two operands of one type.
func Operator(symbol string, left, right *Expr) *Expr {
	o, known := operators[symbol]
	operands := oneScale([]*Expr{left, right})
	if !known || operands == nil {
		return nil
	}
	k := left.Type.Kind
	switch {
	case o == opConcat && k == column.Text, o <= opMultiply && (isInteger(k) || k == column.Float64):
	case k == column.Numeric && (o == opAdd || o == opSubtract):
		t := operands[0].Type
		t.Width = mostDigits
		return &Expr{Type: t, op: o, operands: operands}
	case o >= opEqual && o <= opGreaterEqual && compares(k):
		k = column.Bool
	default:
		return nil
	}
	return of(k, o, operands...)
}

// Distinct is left IS DISTINCT FROM right.
func Distinct(left, right *Expr) *Expr {
	operands := oneScale([]*Expr{left, right})
	if operands == nil || !compares(left.Type.Kind) {
		return nil
	}
	return of(column.Bool, opDistinct, operands...)
}

// And is AND of all conditions.
func And(conditions ...*Expr) *Expr { return logical(opAnd, conditions...) }

// Or is OR of all conditions.
func Or(conditions ...*Expr) *Expr { return logical(opOr, conditions...) }

// Not is NOT of a condition.
func Not(condition *Expr) *Expr { return logical(opNot, condition) }

func logical(o op, conditions ...*Expr) *Expr {
	if slices.ContainsFunc(conditions, func(c *Expr) bool { return c == nil || c.Type.Kind != column.Bool }) {
		return nil
	}
	return of(column.Bool, o, conditions...)
}

// IsNull is IS NULL.
func IsNull(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	return of(column.Bool, opIsNull, e)
}

// Coalesce is the first of some operands that is not NULL.
func Coalesce(operands ...*Expr) *Expr {
	operands = oneScale(operands)
	if operands == nil {
		return nil
	}
	t := operands[0].Type
	if t.Kind == column.Numeric {
		t.Width = mostDigits
	}
	return &Expr{Type: t, op: opCoalesce, operands: slices.Clone(operands)}
}

// Document is what is stored of a document: JSON's null is NULL.
func Document(e *Expr) *Expr {
	if e == nil || e.Type.Kind != column.JSON {
		return nil
	}
	return of(column.JSON, opDocument, e)
}

// JSONB is a json as a jsonb.
func JSONB(e *Expr) *Expr {
	if e == nil || e.Type.Kind != column.JSON {
		return nil
	}
	return of(column.JSON, opJSONB, e)
}

// Fitted is a text that has at most n characters. A longer one is ErrUndecided.
func Fitted(e *Expr, n int) *Expr {
	if e == nil || e.Type.Kind != column.Text {
		return nil
	}
	return &Expr{Type: e.Type, op: opFitted, operands: []*Expr{e}, most: n}
}

// Widen is a number as one of a kind that holds all of its values, or a whole number or a numeric
// constant of at most exactDigits as double precision.
func Widen(e *Expr, k column.Kind) *Expr {
	if e != nil && e.op == isConstant && e.Type.Kind == column.Numeric && !e.constant.Null && k == column.Float64 {
		if size, _ := magnitudeOf(e.constant.Wide); !size.less(tenTo(exactDigits)) {
			return nil
		}
		return Constant(k, Value{Float: float64(int64(e.constant.Wide.Lo)) / math.Pow10(int(e.Type.Scale))})
	}
	if e == nil || !isInteger(e.Type.Kind) || k != column.Float64 && (!isInteger(k) || k < e.Type.Kind) {
		return nil
	}
	if k == e.Type.Kind {
		return e
	}
	return of(k, opWiden, e)
}

func of(k column.Kind, o op, operands ...*Expr) *Expr {
	return &Expr{Type: column.Type{Kind: k}, op: o, operands: slices.Clone(operands)}
}

func isInteger(k column.Kind) bool {
	return k == column.Int16 || k == column.Int32 || k == column.Int64
}

// compares reports whether values of a kind are compared as the engine does.
func compares(k column.Kind) bool {
	switch k {
	case column.Bool, column.Int16, column.Int32, column.Int64, column.Float64, column.Numeric, column.Text, column.Date, column.Timestamp, column.TimestampTZ:
		return true
	}
	return false
}
