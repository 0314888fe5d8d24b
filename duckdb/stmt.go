package duckdb

import (
	"context"
	"fmt"
	"time"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// Stmt is a prepared statement of one connection. It can be run many times, one run at a time,
// until Close.
type Stmt struct {
	conn   *Conn
	raw    raw.PreparedStatement
	cols   []column.Named
	params int
	short  bool // set by ExpectShort
	// background: the calling thread sleeps while others run the statement's tasks.
	background bool
}

func (s *Stmt) describe() {
	s.params = int(raw.NParams(s.raw))
	s.cols = make([]column.Named, raw.PreparedStatementColumnCount(s.raw))
	for i := range s.cols {
		t := raw.PreparedStatementColumnLogicalType(s.raw, raw.IdxT(i))
		s.cols[i] = column.Named{
			Name: raw.PreparedStatementColumnName(s.raw, raw.IdxT(i)),
			Type: newVectorReader(t).typ,
		}
		raw.DestroyLogicalType(&t)
	}
}

// Columns returns the result columns as far as they are known before the statement runs. If a
// result type depends on an untyped parameter, DuckDB knows none of them and there is a single
// Invalid column with an empty Name; use Rows.Columns. A type that column cannot hold is
// Invalid with DuckDB's type name as Name ("struct", "map", ...), and Query returns an error
// for it.
func (s *Stmt) Columns() []column.Named { return s.cols }

// Params returns the number of parameters: the greatest n of $n.
func (s *Stmt) Params() int { return s.params }

// Close frees the statement. An open Rows of it stays readable.
func (s *Stmt) Close() { raw.DestroyPrepare(&s.raw) }

// ExpectShort declares that the statement processes few rows: worker threads are started only
// if it takes long.
func (s *Stmt) ExpectShort() { s.short = true }

// Query runs the statement. args are nil, bool, int64, float64, string, []byte or, for an
// array, []any of one of these; there must be Params of them. When Query returns, the first
// rows have been computed; the others are computed as Next is called (decision A24). A
// statement that is not a query has taken effect. The caller closes the Rows; until then other
// statements of the connection return ErrBusy.
func (s *Stmt) Query(ctx context.Context, args []any) (*Rows, error) {
	return s.query(ctx, args, nil)
}

// QueryOnSnapshot is Query, and calls settled as soon as the statement's snapshot is fixed: it
// will not see anything that commits afterwards. That can be long before Query returns. Errors
// may occur before settled is called; after it, ErrSpuriousInterrupt may occur, and the
// statement can then be run again.
func (s *Stmt) QueryOnSnapshot(ctx context.Context, args []any, settled func()) (*Rows, error) {
	return s.query(ctx, args, settled)
}

func (s *Stmt) query(ctx context.Context, args []any, settled func()) (*Rows, error) {
	if s.conn.open != nil {
		return nil, ErrBusy
	}
	if err := s.bind(args); err != nil {
		return nil, err
	}
	called := false
	tell := func() {
		if settled != nil {
			called = true
			settled()
		}
	}
	for try := 0; ; try++ {
		r, err := s.run(ctx, tell)
		if spuriousInterrupt(ctx, err) && try < maxReruns {
			if called || s.conn.transaction { // an error has aborted the transaction
				return nil, ErrSpuriousInterrupt
			}
			continue
		}
		return r, err
	}
}

// run starts the statement with the bound parameters.
func (s *Stmt) run(ctx context.Context, settled func()) (*Rows, error) {
	r := &Rows{conn: s.conn, stmt: s, releaseWorkers: s.conn.engine.workers.acquire(s.short)}
	err := s.conn.interruptible(ctx, func() error {
		var pending raw.PendingResult
		defer raw.DestroyPending(&pending)
		if raw.PendingPreparedStreaming(s.raw, &pending) == raw.StateError {
			return s.conn.engine.newError(raw.PendingError(pending))
		}
		settled()
		if s.background {
			pollTasks(pending)
		}
		if raw.ExecutePending(pending, &r.result) == raw.StateError {
			return s.conn.engine.newError(raw.ResultError(&r.result))
		}
		return nil
	})
	if err == nil {
		err = r.describe()
	}
	if err != nil {
		r.release()
		return nil, err
	}
	s.conn.open = r
	return r, nil
}

// pollTasks runs the statement's tasks until its first rows are computed or it fails;
// ExecutePending then returns the result. While only other threads have work, ExecutePending
// would poll without a pause and occupy a processor.
func pollTasks(pending raw.PendingResult) {
	var idle time.Time // when the tasks ran out
	for {
		switch raw.PendingExecuteTask(pending) {
		case raw.PendingStateResultNotReady:
			idle = time.Time{}
		case raw.PendingStateNoTasksAvailable:
			if idle.IsZero() {
				idle = time.Now()
			}
			if waited := time.Since(idle); waited > busyPollLimit {
				time.Sleep(min(waited/16, time.Millisecond))
			}
		default:
			return
		}
	}
}

// busyPollLimit is how long to poll for tasks without a pause.
const busyPollLimit = 200 * time.Microsecond

func (s *Stmt) bind(args []any) error {
	if len(args) != s.params {
		return &Error{
			Type: InvalidInput, Position: -1,
			Message: fmt.Sprintf("statement has %d parameters and got %d", s.params, len(args)),
		}
	}
	for i, arg := range args {
		n := raw.IdxT(i + 1)
		var state raw.State
		switch v := arg.(type) {
		case nil:
			state = raw.BindNull(s.raw, n)
		case bool:
			state = raw.BindBoolean(s.raw, n, v)
		case int64:
			state = raw.BindInt64(s.raw, n, v)
		case float64:
			state = raw.BindDouble(s.raw, n, v)
		case string:
			state = raw.BindVarchar(s.raw, n, v)
		case []byte:
			state = raw.BindBlob(s.raw, n, v)
		case []any:
			list, err := listValue(v)
			if err != nil {
				return fmt.Errorf("parameter $%d: %w", i+1, err)
			}
			state = raw.BindValue(s.raw, n, list)
			raw.DestroyValue(&list)
		default:
			return fmt.Errorf("parameter $%d: cannot bind a value of type %T", i+1, arg)
		}
		if state == raw.StateError {
			return s.conn.engine.newError(raw.PrepareError(s.raw))
		}
	}
	return nil
}

// listValue converts a list. Its element type is that of the first element that is not nil, or
// text; DuckDB casts it to the required type.
func listValue(elems []any) (raw.Value, error) {
	elemType := raw.TypeVarchar
	for _, e := range elems {
		if e != nil {
			elemType = scalarType(e)
			break
		}
	}
	values := make([]raw.Value, 0, len(elems))
	defer func() {
		for i := range values {
			raw.DestroyValue(&values[i])
		}
	}()
	for i, e := range elems {
		var v raw.Value
		switch e := e.(type) {
		case nil:
			v = raw.CreateNullValue()
		case bool:
			v = raw.CreateBool(e)
		case int64:
			v = raw.CreateInt64(e)
		case float64:
			v = raw.CreateDouble(e)
		case string:
			v = raw.CreateVarchar(e)
		case []byte:
			v = raw.CreateBlob(e)
		default:
			return raw.Value{}, fmt.Errorf("cannot bind a list element of type %T", e)
		}
		values = append(values, v)
		if e != nil && scalarType(e) != elemType {
			return raw.Value{}, fmt.Errorf("list element %d is a %T and an earlier one is not", i+1, e)
		}
	}
	t := raw.CreateLogicalType(elemType)
	defer raw.DestroyLogicalType(&t)
	return raw.CreateListValue(t, values), nil
}

func scalarType(v any) raw.Type {
	switch v.(type) {
	case bool:
		return raw.TypeBoolean
	case int64:
		return raw.TypeBigInt
	case float64:
		return raw.TypeDouble
	case []byte:
		return raw.TypeBlob
	}
	return raw.TypeVarchar
}
