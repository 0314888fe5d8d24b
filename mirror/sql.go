package mirror

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// The catalog tables of the file.
const (
	typesTable      = attached + ".main.types"
	unreadableTable = attached + ".main.unreadable"
)

// queryInt returns the single BIGINT of a query, or 0 for NULL.
func queryInt(ctx context.Context, conn *duckdb.Conn, sql string) (n int64, err error) {
	err = conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
		if !b.Cols[0].IsNull(i) {
			n = b.Cols[0].I64[i]
		}
	})
	return n, err
}

// inTransaction runs change in a transaction. If commit is not nil, it is called to run the
// COMMIT.
func inTransaction(ctx context.Context, conn *duckdb.Conn, change func() error, commit func(end func() error) error) error {
	if err := conn.Exec(ctx, "BEGIN"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	end := func() error {
		// COMMIT is not cancelled, because its outcome would be unknown.
		if err := conn.Exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		return nil
	}
	err := change()
	if err == nil {
		if commit == nil {
			return end()
		}
		return commit(end)
	}
	return errors.Join(err, conn.Exec(context.WithoutCancel(ctx), "ROLLBACK"))
}
