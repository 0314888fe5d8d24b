package duckdb

/*
#include <stdlib.h>

void ontosqlRegisteredBind(void *info);
void ontosqlRegisteredInit(void *info);
void ontosqlRegisteredRows(void *info, void *out);
void ontosqlRegisteredEnd(void *data);
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// registeredFunction is the table function that reads RegisteredRows by their number. Clients
// cannot call it (decision A23).
const registeredFunction = "ontosql_registered"

// RegisteredRows are Go rows that a statement of any connection of the engine reads as a
// relation. They are read once, by one thread, without a table in between.
type RegisteredRows struct {
	registry *registry
	number   int64
	ctx      context.Context // of scans
	cols     []column.Named
	count    int64
	open     func() (Source, error) // begins a scan
	err      error
}

// VirtualTable is a relation whose rows can be replaced between statements (decision A44).
// It can be scanned any number of times. Replacing its rows does not invalidate prepared
// statements, which recreating a table would.
type VirtualTable struct {
	*RegisteredRows
	rows atomic.Pointer[column.Batch]
}

// scanState is one scan of RegisteredRows.
type scanState struct {
	of     *RegisteredRows
	rows   Source
	batch  *column.Batch  // being returned, nil before the first
	from   int            // its first row that was not returned yet
	pinned runtime.Pinner // the batch's texts, until the engine asks for the next batch
	err    error
}

// registry holds the rows that are registered with an engine.
type registry struct {
	handle cgo.Handle
	mu     sync.Mutex
	last   int64
	open   map[int64]*RegisteredRows
}

// RegisterRows registers the rows of a source for one scan. count is an estimate of their
// number, for the planner. ctx is that of the statement that scans them. The caller calls
// Unregister after that statement has ended.
func (e *Engine) RegisterRows(ctx context.Context, cols []column.Named, rows Source, count int64) *RegisteredRows {
	o := &RegisteredRows{ctx: ctx, cols: cols, count: count}
	begun := false
	o.open = func() (Source, error) {
		if begun {
			return nil, errors.New("registered rows are scanned a second time")
		}
		begun = true
		return rows, nil
	}
	e.registered.add(o)
	return o
}

// NewVirtualTable registers a virtual table, which is empty until SetRows. count is an
// estimate of the number of rows, for the planner. The caller calls Unregister when no
// statement will read the table again.
func (e *Engine) NewVirtualTable(cols []column.Named, count int64) *VirtualTable {
	o := &VirtualTable{RegisteredRows: &RegisteredRows{ctx: context.Background(), cols: cols, count: count}}
	o.open = func() (Source, error) {
		if rows := o.rows.Load(); rows != nil {
			return &batches{rows}, nil
		}
		return &batches{}, nil
	}
	e.registered.add(o.RegisteredRows)
	return o
}

// SetRows replaces the rows for the scans that begin from now on.
func (o *VirtualTable) SetRows(rows *column.Batch) { o.rows.Store(rows) }

func (all *registry) add(o *RegisteredRows) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.last++
	o.registry, o.number = all, all.last
	all.open[o.number] = o
}

// SQL is the relation as an item of a FROM clause.
func (o *RegisteredRows) SQL() string { return fmt.Sprintf("%s(%d)", registeredFunction, o.number) }

// Err is the error with which the source ended, nil if it reached its end. It is valid
// after the statement has ended.
func (o *RegisteredRows) Err() error { return o.err }

// Unregister removes the rows from the engine.
func (o *RegisteredRows) Unregister() {
	o.registry.mu.Lock()
	defer o.registry.mu.Unlock()
	delete(o.registry.open, o.number)
}

// defineRegisteredFunction defines registeredFunction in the engine of c.
func (c *Conn) defineRegisteredFunction(all *registry) error {
	fn := raw.CreateTableFunction()
	defer raw.DestroyTableFunction(&fn)
	raw.TableFunctionSetName(fn, registeredFunction)
	number := raw.CreateLogicalType(raw.TypeBigInt)
	defer raw.DestroyLogicalType(&number)
	raw.TableFunctionAddParameter(fn, number)
	extra := C.malloc(C.size_t(unsafe.Sizeof(all.handle)))
	*(*cgo.Handle)(extra) = all.handle
	raw.TableFunctionSetExtraInfo(fn, extra, C.free)
	raw.TableFunctionSetBind(fn, C.ontosqlRegisteredBind)
	raw.TableFunctionSetInit(fn, C.ontosqlRegisteredInit)
	raw.TableFunctionSetFunction(fn, C.ontosqlRegisteredRows)
	if raw.RegisterTableFunction(c.raw, fn) == raw.StateError {
		return fmt.Errorf("define function %s: DuckDB returned an error", registeredFunction)
	}
	return nil
}

// registered finds the rows that a call of the function names.
func registered(extra unsafe.Pointer, number int64) (*RegisteredRows, error) {
	all, ok := (*(*cgo.Handle)(extra)).Value().(*registry)
	if !ok {
		return nil, errors.New("no registered rows")
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	o := all.open[number]
	if o == nil {
		return nil, fmt.Errorf("no registered rows %d", number)
	}
	return o, nil
}

// recovered turns a panic into an error of the engine. A panic must not unwind C++ frames.
func recovered(fail func(string)) {
	if p := recover(); p != nil {
		fail(fmt.Sprintf("%s failed: %v", registeredFunction, p))
	}
}

//export ontosqlRegisteredBind
func ontosqlRegisteredBind(info unsafe.Pointer) {
	bind := raw.BindInfo{Ptr: info}
	fail := func(text string) { raw.BindSetError(bind, text) }
	defer recovered(fail)
	value := raw.BindGetParameter(bind, 0)
	number := raw.GetInt64(value)
	raw.DestroyValue(&value)
	o, err := registered(raw.BindGetExtraInfo(bind), number)
	if err != nil {
		fail(err.Error())
		return
	}
	for _, c := range o.cols {
		t := logicalTypeOf(c.Type)
		raw.BindAddResultColumn(bind, c.Name, t)
		raw.DestroyLogicalType(&t)
	}
	raw.BindSetCardinality(bind, raw.IdxT(o.count), false)
	data := C.malloc(C.size_t(unsafe.Sizeof(number)))
	*(*int64)(data) = number
	raw.BindSetBindData(bind, data, C.free)
}

//export ontosqlRegisteredInit
func ontosqlRegisteredInit(info unsafe.Pointer) {
	init := raw.InitInfo{Ptr: info}
	fail := func(text string) { raw.InitSetError(init, text) }
	defer recovered(fail)
	o, err := registered(raw.InitGetExtraInfo(init), *(*int64)(raw.InitGetBindData(init)))
	var rows Source
	if err == nil {
		rows, err = o.open()
	}
	if err != nil {
		fail(err.Error())
		return
	}
	data := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(data) = cgo.NewHandle(&scanState{of: o, rows: rows})
	raw.InitSetInitData(init, data, C.ontosqlRegisteredEnd)
	raw.InitSetMaxThreads(init, 1)
}

//export ontosqlRegisteredRows
func ontosqlRegisteredRows(info, out unsafe.Pointer) {
	call := raw.FunctionInfo{Ptr: info}
	fail := func(text string) { raw.FunctionSetError(call, text) }
	defer recovered(fail)
	r := (*(*cgo.Handle)(raw.FunctionGetInitData(call))).Value().(*scanState)
	if err := r.fill(raw.DataChunk{Ptr: out}); err != nil {
		r.err, r.of.err = err, err
		fail(err.Error())
	}
}

// ontosqlRegisteredEnd is called by the engine when a scan has ended.
//
//export ontosqlRegisteredEnd
func ontosqlRegisteredEnd(data unsafe.Pointer) {
	(*(*cgo.Handle)(data)).Value().(*scanState).pinned.Unpin()
	ontosqlForget(data)
}

// fill writes the next rows into chunk. At the end it writes none.
func (r *scanState) fill(chunk raw.DataChunk) error {
	for r.batch == nil || r.from == r.batch.Len {
		if r.err != nil {
			return r.err
		}
		batch, err := r.rows.Next(r.of.ctx)
		if err == io.EOF {
			raw.DataChunkSetSize(chunk, 0)
			return nil
		}
		if err == nil && len(batch.Cols) != len(r.of.cols) {
			err = fmt.Errorf("%d columns in registered rows of %d", len(batch.Cols), len(r.of.cols))
		}
		if err != nil {
			return err
		}
		r.pinned.Unpin()
		if batch.Texts != nil {
			r.pinned.Pin(unsafe.SliceData(batch.Texts))
		}
		r.batch, r.from = batch, 0
	}
	n := min(r.batch.Len-r.from, int(raw.VectorSize()))
	for i := range r.batch.Cols {
		if err := write(raw.DataChunkGetVector(chunk, raw.IdxT(i)), &r.batch.Cols[i], r.from, n, r.batch.Texts); err != nil {
			return fmt.Errorf("column %d of registered rows: %w", i+1, err)
		}
	}
	raw.DataChunkSetSize(chunk, raw.IdxT(n))
	r.from += n
	return nil
}
