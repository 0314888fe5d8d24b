package duckdb

/*
#include <stdlib.h>
#include "function.h"

void ontosqlCall(void *info, void *chunk, void *out);
void ontosqlForget(void *extra);
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// Define registers scalar functions for all connections of the engine.
func (c *Conn) Define(functions []pgfunc.Function) error {
	for _, f := range functions {
		if err := c.define(f); err != nil {
			return err
		}
	}
	return nil
}

// scalarFunction is a registered function and its engine.
type scalarFunction struct {
	pgfunc.Function
	engine *Engine
}

func (c *Conn) define(f pgfunc.Function) error {
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
	if f.Effect {
		raw.ScalarFunctionSetVolatile(fn)
	}
	if f.Nulls {
		raw.ScalarFunctionSetSpecialHandling(fn)
	}
	// DuckDB must not keep Go pointers: it gets a handle, which ontosqlForget deletes.
	extra := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(extra) = cgo.NewHandle(scalarFunction{f, c.engine})
	raw.ScalarFunctionSetExtraInfo(fn, extra, C.ontosqlForget)
	C.ontosqlKnowCaller(fn.Ptr)
	raw.ScalarFunctionSetFunction(fn, C.ontosqlCall)
	if raw.RegisterScalarFunction(c.raw, fn) == raw.StateError {
		return fmt.Errorf("define function %s: DuckDB returned an error", f.Name)
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
	case pgfunc.Date:
		return raw.CreateLogicalType(raw.TypeDate)
	case pgfunc.Timestamp:
		return raw.CreateLogicalType(raw.TypeTimestamp)
	case pgfunc.TimestampTZ:
		return raw.CreateLogicalType(raw.TypeTimestampTZ)
	case pgfunc.Interval:
		return raw.CreateLogicalType(raw.TypeInterval)
	default:
		return raw.CreateLogicalType(raw.TypeVarchar)
	}
	defer raw.DestroyLogicalType(&inner)
	return raw.CreateListType(inner)
}

// ontosqlCall computes one batch of rows. DuckDB calls it.
//
//export ontosqlCall
func ontosqlCall(info, chunk, out unsafe.Pointer) {
	call := raw.FunctionInfo{Ptr: info}
	// A panic must not unwind C++ frames.
	defer func() {
		if p := recover(); p != nil {
			raw.ScalarFunctionSetError(call, fmt.Sprintf("[%s] panic in a function: %v", pgerr.InternalError, p))
		}
	}()
	f := (*(*cgo.Handle)(raw.ScalarFunctionGetExtraInfo(call))).Value().(scalarFunction)
	in := cancelled{engine: f.engine, conn: int64(C.ontosqlCaller(info))}
	if err := callRows(&f.Function, raw.DataChunk{Ptr: chunk}, raw.Vector{Ptr: out}, &in); err != nil {
		raw.ScalarFunctionSetError(call, raisedText(err))
	}
}

// ontosqlForget deletes a handle. DuckDB calls it when it destroys the function or scan.
//
//export ontosqlForget
func ontosqlForget(extra unsafe.Pointer) {
	(*(*cgo.Handle)(extra)).Delete()
	C.free(extra)
}

// raisedText formats an error like those that macros raise, which rewrite parses.
func raisedText(err error) string {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	code := e.Code
	if e.Position > 0 {
		code += "@" + strconv.Itoa(e.Position)
	}
	return "[" + code + "] " + strings.TrimRight(strings.Join([]string{e.Message, e.Detail, e.Where, e.Hint}, "\x1f"), "\x1f")
}

// cancelled tells a function whether the call for which it computes is cancelled. The rows of a
// stream are computed ahead: the call that wanted the first of a batch may have returned, and its
// context ended with it, before another call wants the rest.
type cancelled struct {
	engine *Engine
	conn   int64
	done   <-chan struct{} // of the last known call, nil for none
}

func (c *cancelled) yes() bool {
	if c.done == nil {
		c.done = c.engine.doneOf(c.conn)
	}
	select {
	case <-c.done:
	default:
		return false
	}
	of := c.done
	c.done = c.engine.doneOf(c.conn)
	return c.done == of
}

// callRows computes the results of one batch, until the statement is cancelled.
func callRows(f *pgfunc.Function, chunk raw.DataChunk, out raw.Vector, by *cancelled) error {
	n := int(raw.DataChunkGetSize(chunk))
	in := make([]input, len(f.Args))
	for i, k := range f.Args {
		in[i] = newInput(raw.DataChunkGetVector(chunk, raw.IdxT(i)), k, n)
	}
	call := f.New()
	args := make([]pgfunc.Value, len(f.Args))
	w := writer{}
	for row := range n {
		if by.yes() {
			return errInterrupted
		}
		missing := false
		for i := range in {
			args[i] = in[i].value(row)
			missing = missing || args[i].Null
		}
		result := []pgfunc.Value{{Null: true}}
		if !missing || f.Nulls {
			var err error
			if result[0], err = call(args); err != nil {
				return err
			}
		}
		if err := w.write(out, f.Result, result, row); err != nil {
			return err
		}
	}
	return nil
}

// errInterrupted ends a cancelled call. The statement's error is the cause of its context.
var errInterrupted = pgerr.New(pgerr.QueryCanceled, "interrupted")

// input reads one argument of a batch.
type input struct {
	kind  pgfunc.Kind
	valid []uint64 // validity mask; nil if no row is NULL
	data  unsafe.Pointer
	n     int
	items *input // elements of Texts

	last *byte // address of the last text read
	text string
}

func newInput(vec raw.Vector, k pgfunc.Kind, n int) input {
	in := input{kind: k, data: raw.VectorGetData(vec), n: n}
	if mask := raw.VectorGetValidity(vec); mask != nil {
		in.valid = view[uint64](mask, (n+63)/64)
	}
	if k == pgfunc.Texts {
		items := newInput(raw.ListVectorGetChild(vec), pgfunc.Text, int(raw.ListVectorGetSize(vec)))
		in.items = &items
	}
	return in
}

// value returns a copy of the value of a row.
func (in *input) value(row int) (v pgfunc.Value) {
	if v.Null = in.valid != nil && in.valid[row/64]&(1<<(row%64)) == 0; v.Null {
		return v
	}
	switch in.kind {
	case pgfunc.Int, pgfunc.Timestamp, pgfunc.TimestampTZ:
		v.Int = view[int64](in.data, in.n)[row]
	case pgfunc.Date:
		v.Int = int64(view[int32](in.data, in.n)[row])
	case pgfunc.Interval:
		i := view[column.MonthsDaysMicros](in.data, in.n)[row]
		v.List = []pgfunc.Value{{Int: int64(i.Months)}, {Int: int64(i.Days)}, {Int: i.Micros}}
	case pgfunc.Float:
		v.Float = view[float64](in.data, in.n)[row]
	case pgfunc.Texts:
		list := view[column.Span](in.data, in.n)[row]
		v.List = make([]pgfunc.Value, list.Length)
		for i := range v.List {
			v.List[i] = in.items.value(int(list.Offset) + i)
		}
	default:
		v.Text = in.textOf(row)
	}
	return v
}

// textOf returns a copy of a text. Consecutive rows with the same text, as of a constant,
// share one copy.
func (in *input) textOf(row int) string {
	t := view[stringT](in.data, in.n)[row].value()
	if at := unsafe.SliceData(t); at != in.last || len(t) != len(in.text) {
		in.last, in.text = at, string(t)
	}
	return in.text
}

// maxResultBytes limits the size of a function's results for one batch: DuckDB does not count
// them in a statement's memory.
const maxResultBytes = 256 << 20

var errResultTooLarge = pgerr.New(pgerr.ProgramLimitExceeded, "results of a function for neighbouring rows exceed 256 MiB").
	WithHint("Ask for fewer rows, or for shorter texts.")

// writer writes the results of one batch into a vector.
type writer struct{ written int }

// reserve counts bytes to be written, and returns an error above maxResultBytes.
func (w *writer) reserve(bytes int) error {
	if w.written += bytes; w.written > maxResultBytes {
		return errResultTooLarge
	}
	return nil
}

// write writes values to a vector, starting at element from.
func (w *writer) write(vec raw.Vector, k pgfunc.Kind, values []pgfunc.Value, from int) error {
	data := raw.VectorGetData(vec)
	end := from + len(values)
	for i, v := range values {
		at := from + i
		if v.Null {
			setNull(vec, at)
		}
		var err error
		switch k {
		case pgfunc.Int:
			view[int64](data, end)[at] = v.Int
		case pgfunc.Float:
			view[float64](data, end)[at] = v.Float
		case pgfunc.Interval:
			if !v.Null {
				view[column.MonthsDaysMicros](data, end)[at] = column.MonthsDaysMicros{Months: int32(v.List[0].Int), Days: int32(v.List[1].Int), Micros: v.List[2].Int}
			}
		case pgfunc.Texts:
			view[column.Span](data, end)[at], err = w.writeList(vec, pgfunc.Text, v.List)
		case pgfunc.Rows:
			view[column.Span](data, end)[at], err = w.writeList(vec, pgfunc.Texts, v.List)
		default:
			err = w.writeText(vec, &view[stringT](data, end)[at], v.Text, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) writeText(vec raw.Vector, out *stringT, text string, at int) error {
	if len(text) <= len(out.bytes) && utf8.ValidString(text) {
		*out = stringT{length: uint32(len(text))}
		copy(out.bytes[:], text)
		return nil
	}
	if err := w.reserve(len(text)); err != nil {
		return err
	}
	return assign(vec, at, unsafe.Slice(unsafe.StringData(text), len(text)), false)
}

// writeList appends the elements of one list to the child vector.
func (w *writer) writeList(vec raw.Vector, inner pgfunc.Kind, items []pgfunc.Value) (column.Span, error) {
	start := int(raw.ListVectorGetSize(vec))
	span := column.Span{Offset: uint64(start), Length: uint64(len(items))}
	if len(items) == 0 {
		return span, nil
	}
	if err := w.reserve(len(items) * int(unsafe.Sizeof(stringT{}))); err != nil {
		return span, err
	}
	if err := resize(vec, start+len(items)); err != nil {
		return span, err
	}
	return span, w.write(raw.ListVectorGetChild(vec), inner, items, start)
}

func setNull(vec raw.Vector, at int) {
	raw.VectorEnsureValidityWritable(vec)
	valid := view[uint64](raw.VectorGetValidity(vec), at/64+1)
	valid[at/64] &^= 1 << (at % 64)
}
