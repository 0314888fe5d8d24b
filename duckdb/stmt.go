package duckdb

import (
	"context"
	"fmt"
	"time"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// Stmt is a prepared statement of one connection. It can be run many times, one
// after the other, until Close.
type Stmt struct {
	conn   *Conn
	raw    raw.PreparedStatement
	cols   []column.Named
	params int
	short  bool // RunAlone
	// background says that the thread that runs the statement waits for the others asleep.
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

// Columns are the result columns as far as they are known before the statement
// runs. If a result type hangs on a parameter that nothing types, DuckDB knows
// none of them and there is a single Invalid column with an empty Name;
// Rows.Columns tells them. A type that column cannot hold is Invalid with
// DuckDB's word for it as Name ("struct", "map", ...), and Query refuses it.
func (s *Stmt) Columns() []column.Named { return s.cols }

// Params is the number of parameters, the greatest n of $n.
func (s *Stmt) Params() int { return s.params }

// Close frees the statement. An open Rows of it stays readable.
func (s *Stmt) Close() { raw.DestroyPrepare(&s.raw) }

// ExpectShort says that the statement is over few rows: the engine's other threads are called
// only when it takes long.
func (s *Stmt) ExpectShort() { s.short = true }

// Query runs the statement. args are nil, bool, int64, float64, string, []byte
// or, for an array, []any of one of these; there are Params of them. The first
// rows exist when it returns, the others are computed as Next asks for them
// (decision A24); a statement that is no query has taken effect. The caller
// closes the Rows, and until then the connection answers everything else with
// ErrBusy.
func (s *Stmt) Query(ctx context.Context, args []any) (*Rows, error) {
	return s.query(ctx, args, nil)
}

// QueryOnSnapshot is Query, and calls settled as soon as it is settled what the
// statement sees: it will meet nothing that is committed from then on. This is
// long before Query returns where the first row takes a while. An error may come
// before it; ErrCutOff comes after it, and the statement can be run again then.
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
			if called {
				return nil, ErrSpuriousInterrupt
			}
			continue
		}
		return r, err
	}
}

// run starts the statement with what is bound.
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

// pollTasks runs the statement's tasks until its first rows are there or it fails, which
// ExecutePending tells then. Where all that is left to do is done by other threads,
// ExecutePending would ask for more without a pause, and keep a processor from them.
func pollTasks(pending raw.PendingResult) {
	var idle time.Time // since when there has been no task
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

// busyPollLimit is how long a statement asks for tasks without a pause.
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
			return fmt.Errorf("parameter $%d: no value of type %T can be bound", i+1, arg)
		}
		if state == raw.StateError {
			return s.conn.engine.newError(raw.PrepareError(s.raw))
		}
	}
	return nil
}

// listValue makes a list of the type of its first element that is not nil, of
// text when there is none: DuckDB casts it to what the statement wants.
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
			return raw.Value{}, fmt.Errorf("no list element of type %T can be bound", e)
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
