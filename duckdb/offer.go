package duckdb

/*
#include <stdlib.h>

void ontosqlOfferBind(void *info);
void ontosqlOfferInit(void *info);
void ontosqlOfferRows(void *info, void *out);
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"sync"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// offerFunction is the table function that reads an Offer by its number. No client may
// name it (decision A23).
const offerFunction = "ontosql_offered"

// Offer is a Source that a statement of any connection reads as a relation, without a
// table between. It is read once, by one thread.
type Offer struct {
	offers *offers
	number int64
	ctx    context.Context // the statement's
	cols   []column.Named
	rows   Source
	count  int64

	batch *column.Batch // that is being given, nil before the first
	from  int           // its first row that was not
	begun bool
	err   error
}

// offers are those of an engine that were not withdrawn.
type offers struct {
	handle cgo.Handle
	mu     sync.Mutex
	last   int64
	open   map[int64]*Offer
}

// Offer offers the rows of a source, about so many, with columns of Bool, Int64,
// Float64 and Text. ctx is that of the statement which is to read them. The caller
// withdraws the offer when that has ended.
func (e *Engine) Offer(ctx context.Context, cols []column.Named, rows Source, count int64) *Offer {
	all := e.offers
	all.mu.Lock()
	defer all.mu.Unlock()
	all.last++
	o := &Offer{offers: all, number: all.last, ctx: ctx, cols: cols, rows: rows, count: count}
	all.open[o.number] = o
	return o
}

// SQL is the relation, for one statement.
func (o *Offer) SQL() string { return fmt.Sprintf("%s(%d)", offerFunction, o.number) }

// Err is the error that the source ended with, nil at its end. It is asked for when the
// statement has ended.
func (o *Offer) Err() error { return o.err }

// Withdraw ends the offer.
func (o *Offer) Withdraw() {
	o.offers.mu.Lock()
	defer o.offers.mu.Unlock()
	delete(o.offers.open, o.number)
}

// registerOffers makes the function known to every connection.
func (c *Conn) registerOffers(all *offers) error {
	fn := raw.CreateTableFunction()
	defer raw.DestroyTableFunction(&fn)
	raw.TableFunctionSetName(fn, offerFunction)
	number := raw.CreateLogicalType(raw.TypeBigInt)
	defer raw.DestroyLogicalType(&number)
	raw.TableFunctionAddParameter(fn, number)
	extra := C.malloc(C.size_t(unsafe.Sizeof(all.handle)))
	*(*cgo.Handle)(extra) = all.handle
	raw.TableFunctionSetExtraInfo(fn, extra, C.free)
	raw.TableFunctionSetBind(fn, C.ontosqlOfferBind)
	raw.TableFunctionSetInit(fn, C.ontosqlOfferInit)
	raw.TableFunctionSetFunction(fn, C.ontosqlOfferRows)
	if raw.RegisterTableFunction(c.raw, fn) == raw.StateError {
		return fmt.Errorf("define function %s: the engine refused", offerFunction)
	}
	return nil
}

// offered is the offer that a call names.
func offered(extra unsafe.Pointer, number int64) (*Offer, error) {
	all, ok := (*(*cgo.Handle)(extra)).Value().(*offers)
	if !ok {
		return nil, errors.New("no offers")
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	o := all.open[number]
	if o == nil {
		return nil, fmt.Errorf("no offer %d", number)
	}
	return o, nil
}

// recovered hands a panic to fail: it must not unwind the engine's frames.
func recovered(fail func(string)) {
	if p := recover(); p != nil {
		fail(fmt.Sprintf("%s failed: %v", offerFunction, p))
	}
}

//export ontosqlOfferBind
func ontosqlOfferBind(info unsafe.Pointer) {
	bind := raw.BindInfo{Ptr: info}
	fail := func(text string) { raw.BindSetError(bind, text) }
	defer recovered(fail)
	value := raw.BindGetParameter(bind, 0)
	number := raw.GetInt64(value)
	raw.DestroyValue(&value)
	o, err := offered(raw.BindGetExtraInfo(bind), number)
	if err != nil {
		fail(err.Error())
		return
	}
	for _, c := range o.cols {
		id, ok := offerTypes[c.Type.Kind]
		if !ok {
			fail(fmt.Sprintf("column %s of an offer is %s", c.Name, c.Type))
			return
		}
		t := raw.CreateLogicalType(id)
		raw.BindAddResultColumn(bind, c.Name, t)
		raw.DestroyLogicalType(&t)
	}
	raw.BindSetCardinality(bind, raw.IdxT(o.count), false)
	data := C.malloc(C.size_t(unsafe.Sizeof(number)))
	*(*int64)(data) = number
	raw.BindSetBindData(bind, data, C.free)
}

var offerTypes = map[column.Kind]raw.Type{
	column.Bool: raw.TypeBoolean, column.Int64: raw.TypeBigInt, column.Float64: raw.TypeDouble, column.Text: raw.TypeVarchar,
}

//export ontosqlOfferInit
func ontosqlOfferInit(info unsafe.Pointer) {
	init := raw.InitInfo{Ptr: info}
	fail := func(text string) { raw.InitSetError(init, text) }
	defer recovered(fail)
	o, err := offered(raw.InitGetExtraInfo(init), *(*int64)(raw.InitGetBindData(init)))
	switch {
	case err != nil:
		fail(err.Error())
	case o.begun:
		fail("an offer is read a second time")
	default:
		o.begun = true
		raw.InitSetMaxThreads(init, 1)
	}
}

//export ontosqlOfferRows
func ontosqlOfferRows(info, out unsafe.Pointer) {
	call := raw.FunctionInfo{Ptr: info}
	fail := func(text string) { raw.FunctionSetError(call, text) }
	defer recovered(fail)
	o, err := offered(raw.FunctionGetExtraInfo(call), *(*int64)(raw.FunctionGetBindData(call)))
	if err == nil {
		err = o.fill(raw.DataChunk{Ptr: out})
	}
	if err != nil {
		fail(err.Error())
	}
}

// fill fills a chunk with the rows that come next; none at the end.
func (o *Offer) fill(chunk raw.DataChunk) error {
	for o.batch == nil || o.from == o.batch.Len {
		if o.err != nil {
			return o.err
		}
		batch, err := o.rows.Next(o.ctx)
		if err == io.EOF {
			raw.DataChunkSetSize(chunk, 0)
			return nil
		}
		if err == nil && len(batch.Cols) != len(o.cols) {
			err = fmt.Errorf("%d columns in an offer of %d", len(batch.Cols), len(o.cols))
		}
		if err != nil {
			o.err = err
			return err
		}
		o.batch, o.from = batch, 0
	}
	n := min(o.batch.Len-o.from, int(raw.VectorSize()))
	for i := range o.batch.Cols {
		if err := write(raw.DataChunkGetVector(chunk, raw.IdxT(i)), &o.batch.Cols[i], o.from, n); err != nil {
			o.err = fmt.Errorf("column %d of an offer: %w", i+1, err)
			return o.err
		}
	}
	raw.DataChunkSetSize(chunk, raw.IdxT(n))
	o.from += n
	return nil
}
