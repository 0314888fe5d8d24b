package duckdb

/*
#include <stdlib.h>

void ontosqlCall(void *info, void *chunk, void *out);
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// functions are what pgfunc adds to those of the engine. The engine is told the
// place of a function here, because it may keep no pointer to one.
var functions = pgfunc.All()

// register makes the functions of pgfunc known to every connection.
func (c *Conn) register() error {
	for i := range functions {
		if err := c.registerFunction(&functions[i], i); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conn) registerFunction(f *pgfunc.Function, place int) error {
	fn := raw.CreateScalarFunction()
	defer raw.DestroyScalarFunction(&fn)
	raw.ScalarFunctionSetName(fn, f.Name)
	for _, k := range f.Args {
		t := logicalType(k)
		raw.ScalarFunctionAddParameter(fn, t)
		raw.DestroyLogicalType(&t)
	}
	t := logicalType(f.Result)
	raw.ScalarFunctionSetReturnType(fn, t)
	raw.DestroyLogicalType(&t)
	if f.Nulls {
		raw.ScalarFunctionSetSpecialHandling(fn)
	}
	extra := C.malloc(C.size_t(unsafe.Sizeof(place)))
	*(*int)(extra) = place
	raw.ScalarFunctionSetExtraInfo(fn, extra, C.free)
	raw.ScalarFunctionSetFunction(fn, C.ontosqlCall)
	if raw.RegisterScalarFunction(c.raw, fn) == raw.StateError {
		return fmt.Errorf("define function %s: the engine refused", f.Name)
	}
	return nil
}

func logicalType(k pgfunc.Kind) raw.LogicalType {
	var inner raw.LogicalType
	switch k {
	case pgfunc.Int:
		return raw.CreateLogicalType(raw.TypeBigInt)
	case pgfunc.Float:
		return raw.CreateLogicalType(raw.TypeDouble)
	case pgfunc.Bytes:
		return raw.CreateLogicalType(raw.TypeBlob)
	case pgfunc.Texts:
		inner = logicalType(pgfunc.Text)
	case pgfunc.Rows:
		inner = logicalType(pgfunc.Texts)
	default:
		return raw.CreateLogicalType(raw.TypeVarchar)
	}
	defer raw.DestroyLogicalType(&inner)
	return raw.CreateListType(inner)
}

// ontosqlCall is what the engine calls for one batch of rows.
//
//export ontosqlCall
func ontosqlCall(info, chunk, out unsafe.Pointer) {
	call := raw.FunctionInfo{Ptr: info}
	// A panic must not unwind the engine's frames.
	defer func() {
		if p := recover(); p != nil {
			raw.ScalarFunctionSetError(call, fmt.Sprintf("[%s] a function failed: %v", pgerr.InternalError, p))
		}
	}()
	f := &functions[*(*int)(raw.ScalarFunctionGetExtraInfo(call))]
	if err := callRows(f, raw.DataChunk{Ptr: chunk}, raw.Vector{Ptr: out}); err != nil {
		raw.ScalarFunctionSetError(call, raisedText(err))
	}
}

// raisedText is an error in the form that the macros' errors have, which rewrite
// reads back.
func raisedText(err error) string {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := "[" + e.Code + "] " + e.Message
	if e.Detail != "" {
		text += "\x1f" + e.Detail
	}
	return text
}

func callRows(f *pgfunc.Function, chunk raw.DataChunk, out raw.Vector) error {
	n := int(raw.DataChunkGetSize(chunk))
	cols := make([][]pgfunc.Value, len(f.Args))
	for i, k := range f.Args {
		cols[i] = readValues(raw.DataChunkGetVector(chunk, raw.IdxT(i)), k, n)
	}
	call := f.New()
	args := make([]pgfunc.Value, len(f.Args))
	results := make([]pgfunc.Value, n)
	for row := range n {
		missing := false
		for i := range cols {
			args[i] = cols[i][row]
			missing = missing || args[i].Null
		}
		if missing && !f.Nulls {
			results[row].Null = true
			continue
		}
		v, err := call(args)
		if err != nil {
			return err
		}
		results[row] = v
	}
	return writeValues(out, f.Result, results, 0)
}

// readValues copies the first n values of a vector.
func readValues(vec raw.Vector, k pgfunc.Kind, n int) []pgfunc.Value {
	out := make([]pgfunc.Value, n)
	if n == 0 {
		return out
	}
	data := raw.VectorGetData(vec)
	if mask := raw.VectorGetValidity(vec); mask != nil {
		valid := view[uint64](mask, (n+63)/64)
		for i := range out {
			out[i].Null = valid[i/64]&(1<<(i%64)) == 0
		}
	}
	var items []pgfunc.Value
	var lists [][2]uint64
	if k == pgfunc.Texts {
		lists = view[[2]uint64](data, n)
		items = readValues(raw.ListVectorGetChild(vec), pgfunc.Text, int(raw.ListVectorGetSize(vec)))
	}
	for i := range out {
		if out[i].Null {
			continue
		}
		switch k {
		case pgfunc.Int:
			out[i].Int = view[int64](data, n)[i]
		case pgfunc.Float:
			out[i].Float = view[float64](data, n)[i]
		case pgfunc.Texts:
			out[i].List = items[lists[i][0] : lists[i][0]+lists[i][1]]
		default:
			out[i].Text = string(view[stringT](data, n)[i].value())
		}
	}
	return out
}

// writeValues writes values into a vector from one of its places on.
func writeValues(vec raw.Vector, k pgfunc.Kind, values []pgfunc.Value, from int) error {
	if k == pgfunc.Texts || k == pgfunc.Rows {
		return writeListValues(vec, k, values, from)
	}
	end := from + len(values)
	data := raw.VectorGetData(vec)
	for i, v := range values {
		at := from + i
		switch {
		case v.Null:
			setNull(vec, at)
		case k == pgfunc.Int:
			view[int64](data, end)[at] = v.Int
		case k == pgfunc.Float:
			view[float64](data, end)[at] = v.Float
		case k == pgfunc.Bytes:
			raw.VectorAssignStringElementLen(vec, raw.IdxT(at), []byte(v.Text))
		default:
			raw.VectorAssignStringElement(vec, raw.IdxT(at), v.Text)
		}
	}
	return nil
}

func writeListValues(vec raw.Vector, k pgfunc.Kind, values []pgfunc.Value, from int) error {
	inner := pgfunc.Text
	if k == pgfunc.Rows {
		inner = pgfunc.Texts
	}
	start := int(raw.ListVectorGetSize(vec))
	var items []pgfunc.Value
	for _, v := range values {
		items = append(items, v.List...)
	}
	size := raw.IdxT(start + len(items))
	if raw.ListVectorReserve(vec, size) == raw.StateError || raw.ListVectorSetSize(vec, size) == raw.StateError {
		return errors.New("write list: the engine refused")
	}
	lists := view[[2]uint64](raw.VectorGetData(vec), from+len(values))
	at := uint64(start)
	for i, v := range values {
		lists[from+i] = [2]uint64{at, uint64(len(v.List))}
		at += uint64(len(v.List))
		if v.Null {
			setNull(vec, from+i)
		}
	}
	if len(items) == 0 {
		return nil
	}
	return writeValues(raw.ListVectorGetChild(vec), inner, items, start)
}

func setNull(vec raw.Vector, at int) {
	raw.VectorEnsureValidityWritable(vec)
	valid := view[uint64](raw.VectorGetValidity(vec), at/64+1)
	valid[at/64] &^= 1 << (at % 64)
}
