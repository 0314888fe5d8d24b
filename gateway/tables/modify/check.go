package modify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/column"
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

// InOrder are constraints in the order in which PostgreSQL checks them.
func InOrder(checks []workspace.Check) []workspace.Check {
	return slices.SortedFunc(slices.Values(checks), func(a, b workspace.Check) int { return strings.Compare(a.Name, b.Name) })
}
