package reading

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
)

// Mirrored is the mirror's part of a window of a type, nil if it has none. keys are those
// of storage.Search.
func (o *Sources) Mirrored(pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) *mirror.Use {
	db := o.Session.DB
	if db.Mirror == nil || o.unmirrored || o.Session.Drafted(pin) {
		return nil
	}
	// A database has an index of its own.
	indexed := len(keys) > 0 && db.Storage.Source() == storage.SourceTable
	u := db.UseMirror(pin, t, mirror.Window{Window: w, Repeated: o.Repeated, Indexed: indexed})
	if u != nil {
		o.Uses = append(o.Uses, u)
		o.Once = o.Once || o.Repeated // mirror.Window
	}
	return u
}

// errMirrorMoved: the mirror was extended after the sources were found. They are found
// again.
var errMirrorMoved = errors.New("mirror was extended")

// begin keeps the mirror's tables as they are while the engine plans and starts a
// statement over the sources. The caller calls end.
func (o *Sources) begin() (end func(), err error) {
	end, ok := mirror.Begin(o.read())
	if !ok {
		return nil, errMirrorMoved
	}
	return end, nil
}

// OverMirror finds sources like the given ones and runs a statement over them, again if
// the mirror was extended in between. If the engine cannot read the mirror, the statement
// is answered from the storage. If run fails, overMirror releases the sources; if not,
// run's result holds them.
func OverMirror[R any](ctx context.Context, like Sources, run func(src *Sources) (R, error)) (R, error) {
	var doubted []*mirror.Use
	var cause error
	made := like.Session.EventsMade()
	for {
		like.Session.DropEvents(made) // it runs again
		src := like
		src.unmirrored = cause != nil
		r, err := run(&src)
		if err == nil {
			if cause != nil {
				src.Session.DB.Mirror.Invalidate(doubted, cause)
			}
			src.Tell()
			return r, nil
		}
		src.Release(context.WithoutCancel(ctx))
		switch {
		case errors.Is(err, errMirrorMoved):
		case errors.Is(err, ErrWider), errors.Is(err, ErrNarrower):
			return r, err
		case len(src.Uses) > 0 && ctx.Err() == nil && mirror.IsReadError(err):
			doubted, cause = src.Uses, err
		default:
			if src.Spec.Confirm() == nil { // if not, the statement runs again
				src.Tell() // damaged rows may be the cause
			}
			return r, err
		}
	}
}

// Start runs SQL over the sources. The statement is nil if the session keeps it prepared;
// if not, the caller closes it after the rows.
func (o *Sources) Start(ctx context.Context, sql string, args []any) (rows *duckdb.Rows, st *duckdb.Stmt, err error) {
	if !o.shared {
		return o.start(ctx, sql, args)
	}
	conn, err := o.Session.FreeConn(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows, err = conn.OnOneSnapshot(ctx, func() (*duckdb.Rows, error) {
		var rows *duckdb.Rows
		rows, st, err = o.start(ctx, sql, args)
		return rows, err
	})
	return rows, st, err
}

func (o *Sources) start(ctx context.Context, sql string, args []any) (*duckdb.Rows, *duckdb.Stmt, error) {
	end, err := o.begin()
	if err != nil {
		return nil, nil, err
	}
	defer end()
	st, kept, err := o.Session.PrepareEngine(ctx, sql, !o.Once)
	if err != nil {
		return nil, nil, err
	}
	if o.few {
		st.ExpectShort()
	}
	rows, err := o.query(ctx, st, args, end)
	switch {
	case kept:
		return rows, nil, err
	case err != nil:
		st.Close()
		return nil, nil, err
	}
	return rows, st, nil
}

// query runs a statement that was planned since begin, and calls end.
func (o *Sources) query(ctx context.Context, st *duckdb.Stmt, args []any, end func()) (*duckdb.Rows, error) {
	rows, err := st.QueryOnSnapshot(ctx, args, end)
	if !errors.Is(err, duckdb.ErrSpuriousInterrupt) || o.shared {
		return rows, err
	}
	// The statement itself may have failed before the interrupt.
	end, err = o.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return st.Query(ctx, args)
}

// doubt handles an error in the middle of a statement's rows. If the mirror may be the cause,
// later statements read the storage.
func (o *Sources) doubt(err error) {
	if uses := o.read(); len(uses) > 0 && mirror.IsReadError(err) {
		o.Session.DB.Mirror.Invalidate(uses, err)
	}
}

// read are the uses of the mirror in all FROM items.
func (o *Sources) read() []*mirror.Use { return slices.Concat(o.Uses, o.Borrowed) }
