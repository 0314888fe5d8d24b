package modify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// checkNotNull returns the error of a new row that has NULL in a column that is NOT NULL.
func (c *Changes) checkNotNull(ctx context.Context, rows string) error {
	t, values := c.Write.Table, c.values()
	for i, k := range t.Columns {
		if !k.NotNull {
			continue
		}
		row, found, err := c.failing(ctx, rows, values[i]+" IS NULL")
		if err != nil {
			return err
		}
		if found {
			return pgerr.New(pgerr.NotNullViolation, "null value in column %q of relation %q violates not-null constraint", k.Name, t.Name).
				WithDetail("%s", row).WithColumn(t.Schema, t.Name, k.Name)
		}
	}
	return nil
}

// checkConditions checks the CHECK constraints of the new rows.
func (c *Changes) checkConditions(ctx context.Context, rows string) error {
	t, values := c.Write.Table, c.values()
	for _, k := range InOrder(t.Checks) {
		row, violated, err := Violates(ctx, c.Session, t, k, values, c.rowText(), rows)
		if err != nil {
			return err
		}
		if violated {
			return pgerr.New(pgerr.CheckViolation, "new row for relation %q violates check constraint %q", t.Name, k.Name).
				WithDetail("Failing row contains (%s).", row).WithConstraint(t.Schema, t.Name, k.Name)
		}
	}
	return nil
}

// checkViews checks the new rows by the check options of the views that they are written through.
func (c *Changes) checkViews(ctx context.Context, rows string) (failed error) {
	at := c.Write.CheckColumn()
	if at < 0 {
		return nil
	}
	err := c.Conn.Each(ctx, fmt.Sprintf("SELECT %[1]s, %[2]s FROM %[3]s AS new WHERE %[1]s IS NOT NULL LIMIT 1", Item(at), Item(at+1), rows), nil, func(b *column.Batch, i int) {
		failed = c.Write.CheckFailed(int(b.Cols[0].I64[i]), string(b.Cols[1].Str[i]))
	})
	return cmp.Or(failed, err)
}

// failing is PostgreSQL's description of the first row that meets a condition.
func (c *Changes) failing(ctx context.Context, rows, condition string) (text string, found bool, err error) {
	err = c.Conn.Each(ctx, "SELECT "+c.rowText()+" FROM "+rows+" AS new WHERE "+condition+" LIMIT 1", nil, func(b *column.Batch, i int) {
		text, found = "Failing row contains ("+string(b.Cols[0].Str[i])+").", true
	})
	return text, found, err
}

// rowText is the text of a new row. Long values are truncated.
func (c *Changes) rowText() string {
	var parts []string
	for i, name := range c.values() {
		text := scope.Expr{SQL: name, Type: c.Write.Table.Columns[i].Type}.Output()
		parts = append(parts, fmt.Sprintf("coalesce(CASE WHEN length(%[1]s) > 64 THEN left(%[1]s, 64) || '...' ELSE %[1]s END, 'null')", text))
	}
	return enginesql.InDefaultStyle(strings.Join(parts, " || ', ' || "))
}

// checkUnique checks that the new rows have keys that no other row has. A row that another
// running transaction has made or ended is a conflict. several says that there may be more than
// one new row.
func (c *Changes) checkUnique(ctx context.Context, u workspace.Unique, rows string, several bool) error {
	t := c.Write.Table
	now := c.Session.Tables.Newest()
	found, text, made, ended := false, "", workspace.XID(0), workspace.XID(0)
	err := c.Conn.Each(ctx, "SELECT "+c.keyText(u, "new.")+", "+workspace.Times("old.")+" FROM "+rows+" AS new JOIN ("+t.Heap.Latest(now)+") AS old ON "+strings.Join(c.sameKey(u), " AND ")+" LIMIT 1", nil,
		func(b *column.Batch, i int) {
			found, text, made, ended = true, string(b.Cols[0].Str[i]), workspace.XID(b.Cols[1].I64[i]), workspace.XID(b.Cols[2].I64[i])
		})
	if err == nil && found {
		if err := c.meets(u, &now, made, ended); err != nil {
			return err
		}
	}
	if err == nil && !found && several {
		key := strings.Join(c.key(u, "new."), ", ")
		err = c.Conn.Each(ctx, "SELECT any_value("+c.keyText(u, "new.")+") FROM "+rows+" AS new WHERE "+NotNull(c.key(u, "new."))+" GROUP BY "+key+" HAVING count(*) > 1 LIMIT 1", nil,
			func(b *column.Batch, i int) { found, text = true, string(b.Cols[0].Str[i]) })
	}
	if err != nil || !found {
		return err
	}
	return pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", u.Name).
		WithDetail("Key (%s)=(%s) already exists.", namesText(t, u.Columns), text).WithConstraint(t.Schema, t.Name, u.Name)
}

// sameKey are the conditions that a new row and an old one have the same key.
func (c *Changes) sameKey(u workspace.Unique) (pairs []string) {
	key := c.key(u, "new.")
	for i, number := range u.Columns {
		pairs = append(pairs, key[i]+" = old."+workspace.ColumnName(number))
	}
	return pairs
}

// InOrder are constraints in the order in which PostgreSQL checks them.
func InOrder(checks []workspace.Check) []workspace.Check {
	return slices.SortedFunc(slices.Values(checks), func(a, b workspace.Check) int { return strings.Compare(a.Name, b.Name) })
}

// keyText is the text of a key in PostgreSQL's error.
func (c *Changes) keyText(u workspace.Unique, qualifier string) string {
	var parts []string
	for i, name := range c.key(u, qualifier) {
		parts = append(parts, scope.Expr{SQL: name, Type: c.Write.Table.Numbered(u.Columns[i]).Type}.Output())
	}
	return enginesql.InDefaultStyle(strings.Join(parts, " || ', ' || "))
}

// VerifyUnique checks that no two rows of a query of a heap have the same key.
func VerifyUnique(ctx context.Context, conn *duckdb.Conn, t *workspace.Table, u workspace.Unique, source string) error {
	var names, parts []string
	for _, number := range u.Columns {
		name := workspace.ColumnName(number)
		names, parts = append(names, name), append(parts, scope.Expr{SQL: name, Type: t.Numbered(number).Type}.Text())
	}
	text, found := "", false
	query := fmt.Sprintf("SELECT any_value(%s) FROM (%s) AS old WHERE %s GROUP BY %s HAVING count(*) > 1 LIMIT 1",
		enginesql.InDefaultStyle(strings.Join(parts, " || ', ' || ")), source, NotNull(names), strings.Join(names, ", "))
	err := conn.Each(ctx, query, nil, func(b *column.Batch, i int) { text, found = string(b.Cols[0].Str[i]), true })
	if err != nil || !found {
		return err
	}
	return pgerr.New(pgerr.UniqueViolation, "could not create unique index %q", u.Name).
		WithDetail("Key (%s)=(%s) is duplicated.", namesText(t, u.Columns), text).WithConstraint(t.Schema, t.Name, u.Name)
}
