package database

import (
	"math"
	"slices"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// Caller is the session that executes a statement, for functions that the engine calls for
// each row. The engine calls them from threads of its own.
type Caller interface {
	// Signal is pg_cancel_backend or pg_terminate_backend, by the function's name. It
	// reports whether there is a session with the PID.
	Signal(name string, pid int64) (bool, error)
	// SetConfig notes a setting that is changed when the statement ends, and returns its
	// future value. With reset it gets its default.
	SetConfig(name, value string, reset, local bool) (string, error)
	// Notify notes a notification, which is sent when the transaction is committed.
	Notify(n Notification) error
	// Enqueue makes an event, which is sent when the transaction is committed, and returns its
	// id.
	Enqueue(call EnqueueCall) (id string, err error)
	// Sleep waits, until the statement is cancelled.
	Sleep(d time.Duration) error
	// HasRole is pg_has_role, by the name of a role or its OID in decimal digits; an empty user is the
	// current one.
	HasRole(user, role, privilege string) (bool, error)
	// HasPrivilege is has_table_privilege and its like. null says that there is no such object.
	HasPrivilege(call pgcatalog.PrivilegeCall) (yes, null bool, err error)
	// Sequence is a function of sequences. null says that its value is NULL.
	Sequence(call SequenceCall) (value int64, null bool, err error)
	// Advisory takes or releases an advisory lock, by the function's name, and reports
	// whether it did.
	Advisory(name string, key LockTag) (bool, error)
	// LockRow notes a row that the statement locks. lock is the number of the lock in the
	// statement.
	LockRow(lock int, row int64)
}

// Enter makes a session known to the functions under a number (pgcatalog.SessionVariable),
// until Leave.
func (db *Database) Enter(session uint64, c Caller) { db.callers.Store(session, c) }

// Leave ends what Enter began.
func (db *Database) Leave(session uint64) {
	db.callers.Delete(session)
	db.catalog.views.Delete(int64(session))
}

// caller is the session of a number, which is the first argument of the functions.
func (db *Database) caller(args []pgfunc.Value) (Caller, bool) {
	c, ok := db.callers.Load(uint64(args[0].Int))
	if !ok {
		return nil, false
	}
	return c.(Caller), true
}

// functions are the engine's functions that act on a session. Their first argument is the
// number of the session.
func (db *Database) functions() []pgfunc.Function {
	return slices.Concat(pgcatalog.Calls(db.view), db.signalFunctions(), db.settingFunctions(), db.notifyFunctions(), db.enqueueFunctions(), db.sleepFunctions(), db.lockFunctions(), db.sequenceFunctions(), db.rowLockFunctions(), []pgfunc.Function{pgcatalog.DatabaseComment(db.view, db.comment), pgcatalog.HasRole(db.hasRole), pgcatalog.HasPrivilege(db.hasPrivilege)})
}

// signalFunctions are pg_cancel_backend and pg_terminate_backend with a PID that a
// statement computes: of the session, the function's name and the PID.
func (db *Database) signalFunctions() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_signal", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Int}, Result: pgfunc.Int, Effect: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				c, ok := db.caller(args)
				if !ok {
					return v, nil
				}
				there, err := c.Signal(args[1].Text, args[2].Int)
				if there {
					v.Int = 1
				}
				return v, err
			}
		},
	}}
}

// settingFunctions are set_config(name, value, is_local) of a session.
func (db *Database) settingFunctions() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_set", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text, pgfunc.Int}, Result: pgfunc.Text, Effect: true, Nulls: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (pgfunc.Value, error) {
				c, ok := db.caller(args)
				if !ok {
					return pgfunc.Value{Null: true}, nil
				}
				if args[1].Null {
					return pgfunc.Value{}, pgerr.New("22004", "SET requires parameter name")
				}
				value, err := c.SetConfig(args[1].Text, args[2].Text, args[2].Null, args[3].Int != 0)
				return pgfunc.Value{Text: value}, err
			}
		},
	}}
}

// notifyFunctions are pg_notify(channel, payload) of a session.
func (db *Database) notifyFunctions() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_notify", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text}, Result: pgfunc.Text, Effect: true, Nulls: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				c, ok := db.caller(args)
				if !ok {
					return v, nil
				}
				return v, c.Notify(Notification{args[1].Text, args[2].Text})
			}
		},
	}}
}

// sleepFunctions are pg_sleep and its variants with a time that a statement computes: of
// the session, and of a number of seconds or a moment in seconds since 1970.
func (db *Database) sleepFunctions() []pgfunc.Function {
	sleep := func(name string, seconds func(float64) float64) pgfunc.Function {
		return pgfunc.Function{
			Name: name, Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Float}, Result: pgfunc.Text, Effect: true,
			New: func() pgfunc.Call {
				return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
					c, ok := db.caller(args)
					if !ok {
						return v, nil
					}
					return v, c.Sleep(Seconds(seconds(args[1].Float)))
				}
			},
		}
	}
	return []pgfunc.Function{
		sleep("ontosql_sleep", func(s float64) float64 { return s }),
		sleep("ontosql_sleep_until", func(s float64) float64 { return s - float64(time.Now().UnixMicro())/1e6 }),
	}
}

// hasRole is pg_has_role of a session.
func (db *Database) hasRole(session int64, user, role, privilege string) (bool, error) {
	c, ok := db.callers.Load(uint64(session))
	if !ok {
		return false, nil
	}
	return c.(Caller).HasRole(user, role, privilege)
}

// hasPrivilege is has_table_privilege and its like of a session.
func (db *Database) hasPrivilege(call pgcatalog.PrivilegeCall) (yes, null bool, err error) {
	c, ok := db.callers.Load(uint64(call.Session))
	if !ok {
		return false, true, nil
	}
	return c.(Caller).HasPrivilege(call)
}

// lockFunctions are the functions of advisory locks with keys that a statement computes:
// of the session, the function's name, the number of keys, and two keys, of which the
// first is unused if the number is one.
func (db *Database) lockFunctions() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_advisory", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Int, pgfunc.Int, pgfunc.Int}, Result: pgfunc.Int, Effect: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				c, ok := db.caller(args)
				if !ok {
					return v, nil
				}
				done, err := c.Advisory(args[1].Text, LockTag{Two: args[2].Int == 2, First: args[3].Int, Last: args[4].Int})
				if done {
					v.Int = 1
				}
				return v, err
			}
		},
	}}
}

// Seconds is a number of seconds as a duration, at most half of the longest.
func Seconds(seconds float64) time.Duration {
	return time.Duration(min(seconds, math.MaxInt64/2e9) * 1e9)
}
