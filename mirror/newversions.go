package mirror

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// maxInlineKeys bounds the new versions whose keys are written into the SQL. The index then
// finds their rows, where a join would read the whole table.
const maxInlineKeys = 256

// newVersions describes the temporary table versions, which holds the versions to be added.
type newVersions struct {
	rows, identities int64
	last             ontosql.CommitID

	// keyList and firstCommit are set for up to maxInlineKeys versions: the values of the
	// first key column, and an expression for the first new commit of a row's identity (NULL
	// for any other identity). For more versions there are the temporary tables of split
	// instead.
	keyList, firstCommit string
}

// loadNewVersions reads the versions committed since the tables' watermark into a temporary
// table.
func loadNewVersions(ctx context.Context, conn *duckdb.Conn, l layout, versions string) (*newVersions, error) {
	a := new(newVersions)
	var err error
	if a.rows, err = createTable(ctx, conn, Versions, versions); err != nil || a.rows == 0 {
		return a, err
	}
	if a.rows <= maxInlineKeys {
		return a, a.inlineIdentities(ctx, conn, l)
	}
	last, err := queryInt(ctx, conn, "SELECT max(c) FROM versions")
	a.last = ontosql.CommitID(last)
	return a, err
}

// split divides many versions into batches of identities: identities has each identity with its first
// new commit, the rowid of its row of cur (NULL for none) and its batch; batched has the versions
// with their batch. A batch's rows of cur are near one another, so that each block of cur is read for few
// batches. Rowids stay valid while the writers' lock is held, because only a checkpoint moves rows.
func (a *newVersions) split(ctx context.Context, conn *duckdb.Conn, l layout, cur string) error {
	if a.rows <= maxInlineKeys {
		return nil
	}
	keys := l.identity()
	var err error
	a.identities, err = createTable(ctx, conn, "identities", fmt.Sprintf("SELECT i.*, r.rowid AS id, (row_number() OVER (ORDER BY r.rowid) - 1) // %d AS batch"+
		" FROM (SELECT %s, min(c) AS first FROM versions GROUP BY %s) AS i LEFT JOIN %s AS r USING (%s)",
		maxBatch, keys, keys, cur, keys))
	if err != nil {
		return err
	}
	if _, err := createTable(ctx, conn, "batched", "SELECT r.*, i.batch FROM versions AS r JOIN identities AS i USING ("+keys+")"); err != nil {
		return err
	}
	return conn.Exec(ctx, "DROP TABLE "+Versions)
}

// createTable creates a temporary table from a query, which may take long, and returns the
// number of its rows.
func createTable(ctx context.Context, conn *duckdb.Conn, name, query string) (rows int64, err error) {
	if err := conn.ExecBackground(ctx, "CREATE TEMP TABLE "+name+" AS "+query); err != nil {
		return 0, err
	}
	return queryInt(ctx, conn, "SELECT count(*) FROM "+name)
}

// inlineIdentities sets keyList and firstCommit.
func (a *newVersions) inlineIdentities(ctx context.Context, conn *duckdb.Conn, l layout) error {
	var near, whens []string
	err := conn.Each(ctx, "SELECT c, v IS NULL, "+l.identity()+" FROM versions ORDER BY c", nil, func(b *column.Batch, i int) {
		a.last = ontosql.CommitID(b.Cols[0].I64[i])
		if b.Cols[1].Bool[i] {
			a.identities++
		}
		same := make([]string, len(l.keys))
		for k, name := range l.keys {
			text := "NULL" // k0 = NULL matches no row, as in a join
			if key := b.Cols[2+k]; !key.IsNull(i) {
				text = duckdb.Literal(string(key.Str[i]))
			}
			if k == 0 {
				near = append(near, text)
			}
			same[k] = name + " = " + text
		}
		// If an identity has two versions, the first WHEN applies.
		whens = append(whens, fmt.Sprintf("WHEN %s THEN %d", strings.Join(same, " AND "), a.last))
	})
	a.keyList, a.firstCommit = strings.Join(near, ", "), "CASE "+strings.Join(whens, " ")+" END"
	return err
}

// old returns a SELECT of the rows of cur that a batch of identities replaces, with their
// rowid and the first commit that replaces them. DuckDB uses its index only if the table scan
// has no other filter; OFFSET 0 keeps the outer filter from being pushed down.
func (a *newVersions) old(cur string, l layout, n int64) string {
	if a.firstCommit != "" {
		return "SELECT * FROM (SELECT rowid AS id, CAST(" + a.firstCommit + " AS BIGINT) AS first, " + l.list("") + " FROM " + cur +
			" WHERE k0 IN (" + a.keyList + ") OFFSET 0) WHERE first IS NOT NULL"
	}
	return "SELECT r.rowid AS id, i.first, " + l.list("r.") + " FROM " + cur + fmt.Sprintf(" AS r JOIN (SELECT * FROM identities WHERE batch = %d) AS i ON r.rowid = i.id", n)
}

// versions returns a relation, aliased r, of the new versions of a batch of identities.
func (a *newVersions) versions(n int64) string {
	if a.rows <= maxInlineKeys {
		return "versions AS r"
	}
	return fmt.Sprintf("(SELECT * FROM batched WHERE batch = %d) AS r", n)
}
