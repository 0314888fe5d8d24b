package duckdb

// #include "arithmetic.h"
import "C"

import (
	"fmt"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// arithmetic are operators as PostgreSQL has them, in C: they are as quick as the
// engine's. Each takes two values of one type, and makes one of it.
var arithmetic = []struct {
	name string
	of   map[raw.Type]unsafe.Pointer
}{
	{"ontosql_div", map[raw.Type]unsafe.Pointer{
		raw.TypeSmallInt: C.ontosqlDivide16, raw.TypeInteger: C.ontosqlDivide32, raw.TypeBigInt: C.ontosqlDivide64,
		raw.TypeFloat: C.ontosqlDivideFloat, raw.TypeDouble: C.ontosqlDivideDouble,
	}},
	{"ontosql_add", map[raw.Type]unsafe.Pointer{raw.TypeFloat: C.ontosqlAddFloat, raw.TypeDouble: C.ontosqlAddDouble}},
	{"ontosql_sub", map[raw.Type]unsafe.Pointer{raw.TypeFloat: C.ontosqlSubtractFloat, raw.TypeDouble: C.ontosqlSubtractDouble}},
	{"ontosql_mul", map[raw.Type]unsafe.Pointer{raw.TypeFloat: C.ontosqlMultiplyFloat, raw.TypeDouble: C.ontosqlMultiplyDouble}},
	{"ontosql_mod", map[raw.Type]unsafe.Pointer{
		raw.TypeSmallInt: C.ontosqlRemain16, raw.TypeInteger: C.ontosqlRemain32, raw.TypeBigInt: C.ontosqlRemain64,
	}},
}

// defineArithmetic adds the functions of arithmetic to those of every connection.
func (c *Conn) defineArithmetic() error {
	for _, f := range arithmetic {
		set := raw.CreateScalarFunctionSet(f.name)
		for of, call := range f.of {
			fn := raw.CreateScalarFunction()
			raw.ScalarFunctionSetName(fn, f.name)
			t := raw.CreateLogicalType(of)
			raw.ScalarFunctionAddParameter(fn, t)
			raw.ScalarFunctionAddParameter(fn, t)
			raw.ScalarFunctionSetReturnType(fn, t)
			raw.DestroyLogicalType(&t)
			raw.ScalarFunctionSetFunction(fn, call)
			raw.AddScalarFunctionToSet(set, fn)
			raw.DestroyScalarFunction(&fn)
		}
		state := raw.RegisterScalarFunctionSet(c.raw, set)
		raw.DestroyScalarFunctionSet(&set)
		if state == raw.StateError {
			return fmt.Errorf("define function %s: the engine refused", f.name)
		}
	}
	return nil
}
