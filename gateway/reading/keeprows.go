package reading

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/temptable"
)

// KeepRows computes all rows of a stream, which it closes. The caller closes the rows that it returns.
func KeepRows(ctx context.Context, s *session.Session, rows column.Stream) (column.Stream, error) {
	defer rows.Close()
	spool := &temptable.Spool{Tables: s.Temp}
	defer spool.Close()
	if err := spool.AddAll(ctx, rows); err != nil {
		return nil, err
	}
	return spool.Stream(ctx)
}
