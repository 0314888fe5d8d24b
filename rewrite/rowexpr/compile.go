package rowexpr

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

// Row is what an expression is evaluated over: one row of some vectors, and the arguments of the
// statement as input.Argument has read them, nil for NULL.
type Row struct {
	Cols []column.Vector
	At   int // the number of the row in the vectors
	Args [][]byte
}

// Func computes an expression for one row. The value may refer to memory of the row. After an
// error the engine has to compute the expression.
type Func func(r *Row) (Value, error)

// Compile makes the function of an expression. place is the number of the vector of a column, by
// its name in the engine's SQL, -1 if the row does not have it; then Compile returns nil, as for a
// nil expression.
func Compile(e *Expr, place func(column string) int) Func {
	if e == nil {
		return nil
	}
	switch e.op {
	case isConstant:
		v := e.constant
		return func(*Row) (Value, error) { return v, nil }
	case isParam:
		n, k := e.param-1, e.Type.Kind
		return func(r *Row) (Value, error) { return readArgument(r.Args[n], k) }
	case isColumn:
		at := place(e.Column)
		if at < 0 {
			return nil
		}
		if e.Type.Kind == column.Numeric {
			return numericColumn(at, e.Type)
		}
		return func(r *Row) (Value, error) { return Of(&r.Cols[at], r.At), nil }
	}
	operands := make([]Func, len(e.operands))
	for i, o := range e.operands {
		if operands[i] = Compile(o, place); operands[i] == nil {
			return nil
		}
	}
	return compileOperation(e, operands)
}

func compileOperation(e *Expr, operands []Func) Func {
	k := e.operands[0].Type.Kind
	switch e.op {
	case opAnd:
		return junction(operands, false)
	case opOr:
		return junction(operands, true)
	case opNot:
		return strict(operands[0], func(v Value) (Value, error) { return truth(v.Int == 0), nil })
	case opIsNull:
		return func(r *Row) (Value, error) {
			v, err := operands[0](r)
			return truth(v.Null), err
		}
	case opCoalesce:
		return coalesce(operands)
	case opWiden:
		if e.Type.Kind != column.Float64 {
			return operands[0]
		}
		return strict(operands[0], func(v Value) (Value, error) { return Value{Float: float64(v.Int)}, nil })
	case opNumeric:
		return strict(operands[0], rescale(e.operands[0].Type, e.Type, true))
	case opDocument:
		return strict(operands[0], func(v Value) (Value, error) {
			if string(bytes.Trim(v.Bytes, " \t\n\r")) == "null" {
				return Value{Null: true}, nil
			}
			return v, nil
		})
	case opJSONB:
		return strict(operands[0], func(v Value) (Value, error) {
			if jsonb.SyntaxError(string(v.Bytes), true) != nil {
				return v, ErrUndecided
			}
			return Value{Bytes: []byte(jsonb.UniqueKeys(string(v.Bytes)))}, nil
		})
	case opFitted:
		most := e.most
		return strict(operands[0], func(v Value) (Value, error) {
			if utf8.RuneCount(v.Bytes) > most {
				return v, ErrUndecided
			}
			return v, nil
		})
	case opDistinct:
		return both(operands, func(a, b Value) (Value, error) {
			if a.Null || b.Null {
				return truth(a.Null != b.Null), nil
			}
			return truth(compare(k, a, b) != 0), nil
		})
	case opConcat:
		return strictBoth(operands, func(a, b Value) (Value, error) { return Value{Bytes: slices.Concat(a.Bytes, b.Bytes)}, nil })
	case opAdd, opSubtract, opMultiply:
		return strictBoth(operands, arithmetic(e.op, k))
	}
	return strictBoth(operands, comparison(e.op, k))
}

// numericColumn is the column of a number as a numeric of a type, which need not be that of the
// vector: a value that has more digits than the type says is ErrUndecided.
func numericColumn(at int, t column.Type) Func {
	return func(r *Row) (Value, error) {
		of := &r.Cols[at]
		v := Of(of, r.At)
		if v.Null || of.Type.Width == t.Width && of.Type.Scale == t.Scale {
			return v, nil
		}
		return rescale(of.Type, t, false)(v)
	}
}

// strict applies a function to a value that is not NULL; of NULL it makes NULL.
func strict(operand Func, apply func(v Value) (Value, error)) Func {
	return func(r *Row) (Value, error) {
		v, err := operand(r)
		if err != nil || v.Null {
			return v, err
		}
		return apply(v)
	}
}

// both applies a function to the values of two operands.
func both(operands []Func, apply func(a, b Value) (Value, error)) Func {
	left, right := operands[0], operands[1]
	return func(r *Row) (Value, error) {
		a, err := left(r)
		if err != nil {
			return a, err
		}
		b, err := right(r)
		if err != nil {
			return b, err
		}
		return apply(a, b)
	}
}

// strictBoth is both, and NULL if one of the values is.
func strictBoth(operands []Func, apply func(a, b Value) (Value, error)) Func {
	return both(operands, func(a, b Value) (Value, error) {
		if a.Null || b.Null {
			return Value{Null: true}, nil
		}
		return apply(a, b)
	})
}

// junction is AND or OR: deciding is the value of one operand that determines the result.
func junction(operands []Func, deciding bool) Func {
	return func(r *Row) (Value, error) {
		decided, unknown := false, false
		for _, operand := range operands {
			v, err := operand(r)
			if err != nil {
				return v, err
			}
			unknown = unknown || v.Null
			decided = decided || !v.Null && (v.Int != 0) == deciding
		}
		switch {
		case decided:
			return truth(deciding), nil
		case unknown:
			return Value{Null: true}, nil
		}
		return truth(!deciding), nil
	}
}

func coalesce(operands []Func) Func {
	return func(r *Row) (Value, error) {
		first := Value{Null: true}
		for _, operand := range operands {
			v, err := operand(r)
			if err != nil {
				return v, err
			}
			if first.Null {
				first = v
			}
		}
		return first, nil
	}
}

func comparison(o op, k column.Kind) func(a, b Value) (Value, error) {
	holds := map[op]func(order int) bool{
		opEqual:        func(order int) bool { return order == 0 },
		opNotEqual:     func(order int) bool { return order != 0 },
		opLess:         func(order int) bool { return order < 0 },
		opLessEqual:    func(order int) bool { return order <= 0 },
		opGreater:      func(order int) bool { return order > 0 },
		opGreaterEqual: func(order int) bool { return order >= 0 },
	}[o]
	return func(a, b Value) (Value, error) { return truth(holds(compare(k, a, b))), nil }
}
