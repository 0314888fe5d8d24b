package modify

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/workspace"
)

// stored says where the new rows of a write lie in the heap: they are those of a transaction
// behind a row id.
type stored struct {
	by    workspace.XID
	after int64
}

// storedColumns are the columns of RETURNING that are known when the rows are stored, with their
// SQL over the rows of the heap.
func (c *Changes) storedColumns() (items, sql []string) {
	for i, o := range c.Write.Scoped.Returned {
		if of := relation.HeapColumn(o.Column); of != "" && c.Write.IsTarget(o) && c.is(dml.Deletes) == "false" {
			items, sql = append(items, Item(c.returned()+i)), append(sql, of)
		}
	}
	return items, sql
}

// beforeStored notes the place of the rows that are about to be stored, if RETURNING asks for it.
func (c *Changes) beforeStored(ctx context.Context, id workspace.XID) error {
	if items, _ := c.storedColumns(); items == nil {
		return nil
	}
	c.stored.by = id
	return c.Conn.Each(ctx, c.Write.Table.Heap.LastMade(id), nil, func(b *column.Batch, i int) { c.stored.after = b.Cols[0].I64[i] })
}

// completeReturned gives the columns of RETURNING their values that are known now, after the rows
// are stored: the engine keeps the order of the rows.
func (c *Changes) completeReturned(ctx context.Context) error {
	items, sql := c.storedColumns()
	if items == nil || c.count == 0 {
		return nil
	}
	set := make([]string, len(items))
	for i, item := range items {
		set[i] = item + " = s." + item
		sql[i] += " AS " + item
	}
	made := c.Write.Table.Heap.MadeAfter(c.stored.by, c.stored.after, sql)
	return c.Conn.Exec(ctx, fmt.Sprintf(`UPDATE %[1]s AS w SET %[2]s FROM (
		SELECT m.*, n.row FROM (%[3]s) AS m
		JOIN (SELECT rowid AS row, row_number() OVER (ORDER BY rowid) AS n FROM %[1]s WHERE %[4]s) AS n USING (n)) AS s
		WHERE w.rowid = s.row`, c.Name, strings.Join(set, ", "), made, c.is(dml.Inserts, dml.Updates)))
}
