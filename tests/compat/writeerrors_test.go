package compat

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestWriteErrors compares every field of the errors of invalid writes: SQLSTATE, message,
// detail, hint and position.
func TestWriteErrors(t *testing.T) {
	ctx := t.Context()
	real := postgresTables(t, "compat_write_errors", tables)
	ours := connect(t, start(t, tables))
	for _, st := range statements(t, "corpus/13_write_errors.sql") {
		want, got := said(ctx, real, st.SQL), said(ctx, ours, st.SQL)
		if want != got {
			t.Errorf("corpus/13_write_errors.sql:%d: %s\n  postgres: %s\n  ontosql:  %s", st.Line, st.SQL, want, got)
		}
	}
}

// said holds the fields of an error that are compared.
func said(ctx context.Context, c *pgconn.PgConn, sql string) string {
	_, err := c.Exec(ctx, sql).ReadAll()
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return told(e.Code, e.Message, int(e.Position), e.Detail, e.Hint)
}

func told(code, message string, position int, detail, hint string) string {
	return fmt.Sprintf("%s %s (at %d) detail %q hint %q", code, message, position, detail, hint)
}
