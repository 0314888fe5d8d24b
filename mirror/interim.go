package mirror

import (
	"context"
	"fmt"
	"regexp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// Writing the compressed, sorted tables of a type takes longer than reading its rows. Until
// they are written, statements read interim tables in memory or, if memory is short, in
// DuckDB's temporary files.

// interimSchema is the schema of interim tables.
const interimSchema = "memory.ontosql_mirrored"

// all is the table with all rows of interim tables. cur and hist are views of it.
func (t *tables) all() string { return fmt.Sprintf("%s.all%d", interimSchema, t.number) }

// interimTable matches the name of what all returns.
var interimTable = regexp.MustCompile(`^all([0-9]+)$`)

// ReadAs are the names by which statements may read a table that the engine names: those of
// the views of an interim table, otherwise its own.
func ReadAs(table string) []string {
	if m := interimTable.FindStringSubmatch(table); m != nil {
		return []string{"cur" + m[1], "hist" + m[1]}
	}
	return []string{table}
}

// loadInterim creates interim tables from versions, the SELECT of rows, and makes Versions a view of
// them.
func (t *tables) loadInterim(ctx context.Context, conn *duckdb.Conn, versions string, l layout, rows *Rows) error {
	if err := conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+interimSchema); err != nil {
		return err
	}
	if err := rows.afterRun(conn.ExecBackground(ctx, "CREATE TABLE "+t.all()+" AS "+versions)); err != nil {
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
