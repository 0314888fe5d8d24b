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
	// for any other identity). For more versions there is a temporary table identities
	// instead.
	keyList, firstCommit string
}

// loadNewVersions reads the versions committed since the tables' watermark into temporary
// tables.
func loadNewVersions(ctx context.Context, conn *duckdb.Conn, l layout, versions string) (*newVersions, error) {
	a := new(newVersions)
	var err error
	if a.rows, err = queryInt(ctx, conn, "CREATE TEMP TABLE "+Versions+" AS "+versions); err != nil || a.rows == 0 {
		return a, err
	}
	if a.rows <= maxInlineKeys {
		return a, a.inlineIdentities(ctx, conn, l)
	}
	keys := l.identity()
	a.identities, err = queryInt(ctx, conn, fmt.Sprintf("CREATE TEMP TABLE identities AS SELECT %s, min(c) AS first, (row_number() OVER (ORDER BY %s) - 1) // %d AS batch FROM versions GROUP BY %s",
		keys, keys, maxBatch, keys))
	if err != nil {
		return nil, err
	}
	last, err := queryInt(ctx, conn, "SELECT max(c) FROM versions")
	a.last = ontosql.CommitID(last)
	return a, err
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
	return "SELECT r.rowid AS id, i.first, " + l.list("r.") + " FROM " + cur + " AS r JOIN " + a.batch(n) + " AS i USING (" + l.identity() + ")"
}

// versions returns a relation, aliased r, of the new versions of a batch of identities.
func (a *newVersions) versions(l layout, n int64) string {
	if a.identities <= maxBatch {
		return "versions AS r"
	}
	return "versions AS r SEMI JOIN " + a.batch(n) + " AS i USING (" + l.identity() + ")"
}

// batch returns a subquery of the identities of batch n.
func (a *newVersions) batch(n int64) string {
	return fmt.Sprintf("(SELECT * FROM identities WHERE batch = %d)", n)
}
