package modify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Changes are the rows that a write to an ordinary table has computed. They lie in a
// temporary table of the engine's connection, whose columns are those of the plan's query.
type Changes struct {
	Conn     *duckdb.Conn
	Write    *planner.Write
	Snapshot workspace.Snapshot // that they were computed with
	Name     string             // of the temporary table, for SQL
	Session  *session.Session
	Related  []*workspace.Table // that foreign keys lead to and from
	count    int64              // of the rows that were written
	stored   stored
}

// Load is the engine's statement that fills the temporary table by a query.
func (c *Changes) Load(query string) string {
	names := make([]string, max(c.returned()+len(c.Write.Scoped.Returned), 1)) // a query without columns has one
	for i := range names {
		names[i] = Item(i)
	}
	return "CREATE TEMP TABLE " + c.Name + " AS SELECT * FROM (" + query + ") AS changes(" + strings.Join(names, ", ") + ")"
}

// Item is the name of column i of the temporary table.
func Item(i int) string { return "a" + strconv.Itoa(i) }

// returned is the first column of RETURNING.
func (c *Changes) returned() int { return c.Write.FirstReturned() }

// Returned is a query of the columns of RETURNING, in the order of the rows.
func (c *Changes) Returned() string {
	return "SELECT " + strings.Join(c.returnedItems(), ", ") + " FROM " + c.Name + " ORDER BY rowid"
}

// returnedItems are the columns of RETURNING.
func (c *Changes) returnedItems() (names []string) {
	for i := range c.Write.Scoped.Returned {
		names = append(names, Item(c.returned()+i))
	}
	return names
}

// Drop drops the temporary table, if there is one.
func (c *Changes) Drop(ctx context.Context) error {
	if c.Conn == nil {
		return nil
	}
	return c.Conn.Exec(ctx, "DROP TABLE IF EXISTS "+c.Name)
}

// values are the columns of the new row.
func (c *Changes) values() []string {
	out := make([]string, len(c.Write.Table.Columns))
	for i := range out {
		out[i] = Item(c.Write.KeyColumns() + i)
	}
	return out
}

// is is the condition that a row is for an action of some kinds, "" for always and "false"
// for never.
func (c *Changes) is(kinds ...dml.ActionKind) string {
	var numbers []string
	for i, a := range c.Write.Scoped.Actions {
		if slices.Contains(kinds, a.Kind) {
			numbers = append(numbers, strconv.Itoa(i))
		}
	}
	switch {
	case len(numbers) == len(c.Write.Scoped.Actions):
		return "true"
	case len(numbers) == 0:
		return "false"
	}
	return Item(0) + " IN (" + strings.Join(numbers, ", ") + ")"
}

// Apply checks the rows and writes them to the table. It returns how many there are.
func (c *Changes) Apply(ctx context.Context) (int64, error) {
	w := c.Write
	n, nulls, err := c.survey(ctx)
	if err != nil || n == 0 {
		return 0, err
	}
	if n > 1 {
		if n, err = c.onceEach(ctx, n); err != nil {
			return 0, err
		}
	}
	if c.Session.Tables.Held() {
		if n, err = c.settleParts(ctx, n); err != nil {
			return 0, err
		}
	}
	added := c.is(dml.Inserts, dml.Updates)
	rows := "(SELECT * FROM " + c.Name + " WHERE " + added + ")"
	if nulls {
		if err := c.checkNotNull(ctx, rows); err != nil {
			return 0, err
		}
	}
	if added != "false" {
		if err := c.checkConditions(ctx, rows); err != nil {
			return 0, err
		}
	}
	if w.Kind == syntax.Insert && w.Scoped.Matches {
		if err := c.checkArbiters(ctx); err != nil {
			return 0, err
		}
	}
	if n > 1 && w.Kind == syntax.Insert && w.Scoped.Matches && !w.Scoped.Once {
		if n, err = c.proposedOnce(ctx, n); err != nil {
			return 0, err
		}
	}
	whole := c.Session.Alone() && !c.Session.Tables.Held()
	var others []*workspace.Heap
	for _, t := range c.Related {
		others = append(others, t.Heap)
	}
	return n, c.Session.Tables.ApplyAmong(ctx, c.Conn, w.Table.Heap, others, whole, func(id workspace.XID) error { return c.write(ctx, id, rows, n, whole) })
}

// survey counts the rows, and reports whether a new row has NULL in a column that is NOT NULL.
func (c *Changes) survey(ctx context.Context) (n int64, nulls bool, err error) {
	var missing []string
	values := c.values()
	for i, k := range c.Write.Table.Columns {
		if k.NotNull {
			missing = append(missing, values[i]+" IS NULL")
		}
	}
	condition := "false"
	if len(missing) > 0 {
		condition = c.is(dml.Inserts, dml.Updates) + " AND (" + strings.Join(missing, " OR ") + ")"
	}
	err = c.Conn.Each(ctx, "SELECT count(*), count(*) FILTER (WHERE "+condition+") FROM "+c.Name, nil, func(b *column.Batch, i int) {
		n, nulls = b.Cols[0].I64[i], b.Cols[1].I64[i] > 0
	})
	return n, nulls, err
}

// write ends the old rows and inserts the new ones, with the number of a transaction. rows is a
// FROM item with the new rows, n about how many rows change. whole says that the session's
// transaction is this write alone.
func (c *Changes) write(ctx context.Context, id workspace.XID, rows string, n int64, whole bool) error {
	t := c.Write.Table
	ends := false
	if ended := c.is(dml.Updates, dml.Deletes); c.Write.Scoped.Matches && ended != "false" {
		rowids := "SELECT " + Item(1) + " FROM " + c.Name + " WHERE " + ended
		if err := c.checkEnded(ctx, rowids); err != nil {
			return err
		}
		if err := c.Conn.Exec(ctx, t.Heap.End(id, rowids, n)); err != nil {
			return err
		}
		ends = true
	}
	if c.is(dml.Inserts, dml.Updates) == "false" {
		return c.followReferences(ctx, id, whole)
	}
	for _, k := range t.Keys() {
		if err := c.checkKey(ctx, &k, rows, n > 1, whole); err != nil {
			return err
		}
	}
	if err := c.checkViews(ctx, rows); err != nil {
		return err
	}
	if err := c.beforeStored(ctx, id); err != nil {
		return err
	}
	if err := c.Conn.Exec(ctx, t.Heap.Insert(id, t.Columns, c.values(), rows+" AS new", n)); err != nil {
		return err
	}
	if ends {
		if err := c.followReferences(ctx, id, whole); err != nil {
			return err
		}
	}
	return c.checkForeignKeys(ctx, rows, whole)
}

// onceEach leaves one change of each row: of an UPDATE or DELETE that joins it several times
// the first counts. In other statements a second change is an error. It returns how many of the
// n changes are left.
func (c *Changes) onceEach(ctx context.Context, n int64) (int64, error) {
	w := c.Write
	switch {
	case !w.Scoped.Matches || w.Scoped.Once:
		return n, nil
	case w.Kind == syntax.Update || w.Kind == syntax.Delete:
		return c.remove(ctx, fmt.Sprintf("FROM %[1]s WHERE rowid NOT IN (SELECT min(rowid) FROM %[1]s GROUP BY %[2]s)", c.Name, Item(1)))
	}
	twice, err := c.exists(ctx, fmt.Sprintf("SELECT 1 FROM %s WHERE %[2]s IS NOT NULL GROUP BY %[2]s HAVING count(*) > 1", c.Name, Item(1)))
	if err == nil && twice {
		err = c.again()
	}
	return n, err
}

// remove deletes rows of the temporary table, and returns how many are left. rows is what
// follows DELETE.
func (c *Changes) remove(ctx context.Context, rows string) (int64, error) {
	if err := c.Conn.Exec(ctx, "DELETE "+rows); err != nil {
		return 0, err
	}
	return CountRows(ctx, c.Conn, c.Name)
}

// proposedOnce is onceEach for the new rows of INSERT ... ON CONFLICT: DO NOTHING skips the
// second of a key. Its columns have been checked, as in PostgreSQL.
func (c *Changes) proposedOnce(ctx context.Context, n int64) (left int64, err error) {
	t := c.Write.Table
	left = n
	for _, k := range t.Keys() {
		if !slices.Contains(c.Write.Scoped.Arbiters, k.Name) {
			continue
		}
		rows, err := c.secondOfKey(&k, c.is(dml.Inserts))
		if err != nil {
			return 0, err
		}
		second := "FROM " + c.Name + " WHERE rowid IN (" + rows + ")"
		if !c.Write.Updates() {
			if left, err = c.remove(ctx, second); err != nil {
				return 0, err
			}
			continue
		}
		twice, err := c.exists(ctx, "SELECT 1 "+second)
		if err == nil && twice {
			err = c.again()
		}
		if err != nil {
			return 0, err
		}
	}
	return left, nil
}

// again is PostgreSQL's error of a row that one statement would change twice.
func (c *Changes) again() error {
	if c.Write.Kind == syntax.Merge {
		return pgerr.New(pgerr.CardinalityViolation, "MERGE command cannot affect row a second time").
			WithHint("Ensure that not more than one source row matches any one target row.")
	}
	return pgerr.New(pgerr.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
		WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}

func (c *Changes) exists(ctx context.Context, query string) (bool, error) {
	return Exists(ctx, c.Conn, query)
}

// columns are the columns of the temporary table with the new values of some columns, with a
// qualifier.
func (c *Changes) columns(qualifier string, numbers []int) []string {
	var out []string
	for _, number := range numbers {
		i := slices.IndexFunc(c.Write.Table.Columns, func(k workspace.Column) bool { return k.Number == number })
		out = append(out, qualifier+Item(c.Write.KeyColumns()+i))
	}
	return out
}

// NotNull is the condition that no column is NULL.
func NotNull(columns []string) string {
	return "(" + strings.Join(columns, " IS NOT NULL AND ") + " IS NOT NULL)"
}

// Exists reports whether a query of the engine has a row.
func Exists(ctx context.Context, conn *duckdb.Conn, query string) (found bool, err error) {
	err = conn.Each(ctx, query+" LIMIT 1", nil, func(*column.Batch, int) { found = true })
	return found, err
}
