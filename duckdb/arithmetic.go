package duckdb

// #include "arithmetic.h"
import "C"

import (
	"fmt"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// arithmetic lists operators with PostgreSQL's semantics, implemented in C, which is as fast
// as DuckDB's own. Each takes two values of one type and returns one of that type.
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

// defineArithmetic registers the functions of arithmetic for all connections.
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
			return fmt.Errorf("define function %s: DuckDB returned an error", f.name)
		}
	}
	return nil
}
