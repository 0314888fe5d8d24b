package sqlconn

import (
	"fmt"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// Each runs a statement, which stays prepared, and calls visit for each row. visit may be
// nil. Arguments are string, int64, ontosql.CommitID or nil.
func Each(c *lite.Conn, query string, visit func(row *lite.Stmt) error, args ...any) error {
	stmt, err := c.Prepare(query)
	if err != nil {
		return err
	}
	Bind(stmt, args)
	return EachRow(stmt, visit)
}

// EachRow is Each for a statement whose parameters are bound.
func EachRow(stmt *lite.Stmt, visit func(row *lite.Stmt) error) error {
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
		if visit == nil {
			continue
		}
		if err := visit(stmt); err != nil {
			_ = stmt.Reset() // its rows are not wanted any more
			return err
		}
	}
}

// Bind sets a statement's parameters, from the first on. Their types are those of Each.
func Bind(stmt *lite.Stmt, args []any) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			stmt.BindText(i+1, arg)
		case int64:
			stmt.BindInt64(i+1, arg)
		case ontosql.CommitID:
			stmt.BindInt64(i+1, int64(arg))
		case nil:
			stmt.BindNull(i + 1)
		default:
			panic(fmt.Sprintf("sqlite: no parameter can be %T", arg))
		}
	}
}

// BusyTimeout is how long SQLite itself waits for a lock before a transaction has begun.
// It is short, because the caller's context is not looked at meanwhile.
const BusyTimeout = 20 * time.Millisecond

// Pragma is the integer value of a pragma.
func Pragma(c *lite.Conn, name string) (n int64, err error) {
	err = Each(c, "PRAGMA "+name, func(row *lite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	return n, nil
}
