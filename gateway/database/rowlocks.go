package database

import "github.com/ontosql/ontosql/pgfunc"

// rowLockFunctions are the functions of SELECT FOR UPDATE and its like: of the session, the number
// of the lock in the statement and the id of the row, -1 for none.
func (db *Database) rowLockFunctions() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_row_lock", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Int, pgfunc.Int}, Result: pgfunc.Int, Effect: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				if c, ok := db.caller(args); ok && args[2].Int >= 0 {
					c.LockRow(int(args[1].Int), args[2].Int)
				}
				v.Int = 1
				return v, nil
			}
		},
	}}
}
