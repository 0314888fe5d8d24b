package mirror

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// layout describes the columns of a type's tables.
type layout struct {
	keys []string // k0, k1, ...
	cols []column.Named
}

// layoutOf is the layout of tables whose columns have the types of those of t.
func layoutOf(t *catalog.Type) layout {
	l := layout{keys: scan.KeyColumns(t.Ref.Kind), cols: scan.StoredColumns(t)}
	for i := range l.keys {
		l.keys[i] = fmt.Sprintf("k%d", i)
	}
	return l
}

// identity returns the key columns, for PARTITION BY, GROUP BY and USING.
func (l layout) identity() string { return strings.Join(l.keys, ", ") }

// indexed is the number of key columns with an index: an instance key is never looked up alone.
func (l layout) indexed() int { return min(len(l.keys), 2) }

// list returns the columns, each with a prefix such as "r.".
func (l layout) list(prefix string) string {
	list := make([]string, len(l.cols))
	for i, c := range l.cols {
		list[i] = prefix + c.Name
	}
	return strings.Join(list, ", ")
}

// definitions returns the columns for CREATE TABLE. DuckDB tries all compression methods on
// each row group; for fields_json, which has most of the bytes and few duplicates, the best
// one is known. Keys are not compressed: to remove a row from an index DuckDB reads its key
// alone, and with FSST that decodes all keys before it in the block.
func (l layout) definitions() string {
	list := make([]string, len(l.cols))
	for i, c := range l.cols {
		list[i] = c.Name + " " + duckdb.TypeName(c.Type)
		switch {
		case c.Name == "j":
			list[i] += " USING COMPRESSION fsst"
		case slices.Contains(l.keys, c.Name):
			list[i] += " USING COMPRESSION uncompressed"
		}
	}
	return strings.Join(list, ", ")
}

// withNextCommit adds the column v, the next commit of the same identity, to a SELECT of
// versions.
func (l layout) withNextCommit(sql string) string {
	return "SELECT *, lead(r.c) OVER (PARTITION BY " + l.identity() + " ORDER BY r.c, r.o) AS v FROM (\n" + sql + "\n) AS r"
}

// withoutNextCommit is withNextCommit for versions of distinct identities, where v is NULL.
func (l layout) withoutNextCommit(sql string) string {
	return "SELECT *, CAST(NULL AS BIGINT) AS v FROM (\n" + sql + "\n) AS r"
}
