package mirror

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// To write the tables of a type, compressed and in order, takes longer than to read its
// rows. Statements need not wait for that: in the meantime they read the rows where the
// engine has them, in memory or, if that is short, in its temporary files.

// interimSchema is where such rows are.
const interimSchema = "memory.ontosql_mirrored"

// all is the table of all rows of interim tables, of which cur and hist are views.
func (t *tables) all() string { return fmt.Sprintf("%s.all%d", interimSchema, t.number) }

// loadInterim makes interim tables. The relation Versions is theirs from then on.
func (t *tables) loadInterim(ctx context.Context, conn *duckdb.Conn, l layout, rows *Rows) error {
	if err := conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+interimSchema); err != nil {
		return err
	}
	if err := rows.afterRun(conn.ExecPatiently(ctx, "CREATE TABLE "+t.all()+" AS "+rows.versions(l, false))); err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	t.duplicates = rows.Duplicates
	for _, sql := range []string{
		"CREATE OR REPLACE TEMP VIEW " + Versions + " AS FROM " + t.all(),
		"CREATE VIEW " + t.cur() + " AS SELECT " + l.list("") + " FROM " + t.all() + " WHERE v IS NULL",
		"CREATE VIEW " + t.hist() + " AS SELECT " + l.list("") + ", v FROM " + t.all() + " WHERE v IS NOT NULL",
	} {
		if err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("read rows: %w", err)
		}
	}
	err := conn.Each(ctx, "SELECT count(*), count(*) FILTER (WHERE v IS NULL), max(c) FROM "+t.all(), nil, func(b *column.Batch, i int) {
		t.rows, t.identities = b.Cols[0].I64[i], b.Cols[1].I64[i]
		if t.rows > 0 {
			t.last = ontosql.CommitID(b.Cols[2].I64[i])
		}
	})
	if err != nil {
		return err
	}
	return t.countUnreadable(ctx, conn, rows.Unreadable)
}

// dropInterim removes interim tables.
func (t *tables) dropInterim(ctx context.Context, conn *duckdb.Conn) error {
	for _, sql := range []string{"DROP VIEW IF EXISTS " + t.cur(), "DROP VIEW IF EXISTS " + t.hist(), "DROP TABLE IF EXISTS " + t.all()} {
		if err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
