package duckdb

/*
#include <stdlib.h>

void ontosqlOfferBind(void *info);
void ontosqlOfferInit(void *info);
void ontosqlOfferRows(void *info, void *out);
void ontosqlOfferEnd(void *data);
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

// offerFunction is the table function that reads an Offer by its number. No client may
// name it (decision A23).
const offerFunction = "ontosql_offered"

// Offer is rows that a statement of any connection reads as a relation, without a table
// between, by one thread.
type Offer struct {
	offers *offers
	number int64
	ctx    context.Context // of readings
	cols   []column.Named
	count  int64
	begin  func() (Source, error) // a reading
	err    error
}

// StandingOffer is an Offer whose rows may be others for each statement (decision A44).
// They are read as often as statements like, and no statement has to be planned anew for
// them, as it would be for a table that is made anew.
type StandingOffer struct {
	*Offer
	rows atomic.Pointer[column.Batch]
}

// reading is of an offer.
type reading struct {
	offer *Offer
	rows  Source
	batch *column.Batch  // that is being given, nil before the first
	from  int            // its first row that was not
	lent  runtime.Pinner // the batch's texts: the engine has done with them when it asks for the next
	err   error
}

// offers are those of an engine that were not withdrawn.
type offers struct {
	handle cgo.Handle
	mu     sync.Mutex
	last   int64
	open   map[int64]*Offer
}

// Offer offers the rows of a source, about so many, for one reading. ctx is that of the
// statement which is to read them. The caller withdraws the offer when that has ended.
func (e *Engine) Offer(ctx context.Context, cols []column.Named, rows Source, count int64) *Offer {
	o := &Offer{ctx: ctx, cols: cols, count: count}
	begun := false
	o.begin = func() (Source, error) {
		if begun {
			return nil, errors.New("an offer is read a second time")
		}
		begun = true
		return rows, nil
	}
	e.offers.add(o)
	return o
}

// StandingOffer offers rows, of which there are none before Renew, about so many. The
// caller withdraws it when no statement over it will be executed.
func (e *Engine) StandingOffer(cols []column.Named, count int64) *StandingOffer {
	o := &StandingOffer{Offer: &Offer{ctx: context.Background(), cols: cols, count: count}}
	o.begin = func() (Source, error) {
		if rows := o.rows.Load(); rows != nil {
			return &batches{rows}, nil
		}
		return &batches{}, nil
	}
	e.offers.add(o.Offer)
	return o
}

// Renew gives the rows for the readings that begin from now on.
func (o *StandingOffer) Renew(rows *column.Batch) { o.rows.Store(rows) }

func (all *offers) add(o *Offer) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.last++
	o.offers, o.number = all, all.last
	all.open[o.number] = o
}

// SQL is the relation.
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
		t := logicalTypeOf(c.Type)
		raw.BindAddResultColumn(bind, c.Name, t)
		raw.DestroyLogicalType(&t)
	}
	raw.BindSetCardinality(bind, raw.IdxT(o.count), false)
	data := C.malloc(C.size_t(unsafe.Sizeof(number)))
	*(*int64)(data) = number
	raw.BindSetBindData(bind, data, C.free)
}

//export ontosqlOfferInit
func ontosqlOfferInit(info unsafe.Pointer) {
	init := raw.InitInfo{Ptr: info}
	fail := func(text string) { raw.InitSetError(init, text) }
	defer recovered(fail)
	o, err := offered(raw.InitGetExtraInfo(init), *(*int64)(raw.InitGetBindData(init)))
	var rows Source
	if err == nil {
		rows, err = o.begin()
	}
	if err != nil {
		fail(err.Error())
		return
	}
	data := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(data) = cgo.NewHandle(&reading{offer: o, rows: rows})
	raw.InitSetInitData(init, data, C.ontosqlOfferEnd)
	raw.InitSetMaxThreads(init, 1)
}

//export ontosqlOfferRows
func ontosqlOfferRows(info, out unsafe.Pointer) {
	call := raw.FunctionInfo{Ptr: info}
	fail := func(text string) { raw.FunctionSetError(call, text) }
	defer recovered(fail)
	r := (*(*cgo.Handle)(raw.FunctionGetInitData(call))).Value().(*reading)
	if err := r.fill(raw.DataChunk{Ptr: out}); err != nil {
		r.err, r.offer.err = err, err
		fail(err.Error())
	}
}

// ontosqlOfferEnd is what the engine calls when a reading has ended.
//
//export ontosqlOfferEnd
func ontosqlOfferEnd(data unsafe.Pointer) {
	(*(*cgo.Handle)(data)).Value().(*reading).lent.Unpin()
	ontosqlForget(data)
}

// fill fills a chunk with the rows that come next; none at the end.
func (r *reading) fill(chunk raw.DataChunk) error {
	for r.batch == nil || r.from == r.batch.Len {
		if r.err != nil {
			return r.err
		}
		batch, err := r.rows.Next(r.offer.ctx)
		if err == io.EOF {
			raw.DataChunkSetSize(chunk, 0)
			return nil
		}
		if err == nil && len(batch.Cols) != len(r.offer.cols) {
			err = fmt.Errorf("%d columns in an offer of %d", len(batch.Cols), len(r.offer.cols))
		}
		if err != nil {
			return err
		}
		r.lent.Unpin()
		if batch.Texts != nil {
			r.lent.Pin(unsafe.SliceData(batch.Texts))
		}
		r.batch, r.from = batch, 0
	}
	n := min(r.batch.Len-r.from, int(raw.VectorSize()))
	for i := range r.batch.Cols {
		if err := write(raw.DataChunkGetVector(chunk, raw.IdxT(i)), &r.batch.Cols[i], r.from, n, r.batch.Texts); err != nil {
			return fmt.Errorf("column %d of an offer: %w", i+1, err)
		}
	}
	raw.DataChunkSetSize(chunk, raw.IdxT(n))
	r.from += n
	return nil
}
