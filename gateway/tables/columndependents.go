package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/workspace"
)

// dropColumn executes DROP COLUMN: with the column go the constraints that are of it, and with
// CASCADE the columns that are computed of it.
func (a *alteration) dropColumn(ctx context.Context, x *ddlstmt.AlterAction) error {
	c := a.Column(x.Column)
	switch {
	case c == nil && x.Exists:
		a.session.Notice(sqlstate.Notice("column %q of relation %q does not exist, skipping", x.Column, a.Name))
		return nil
	case c == nil:
		return a.noColumn(x.Column)
	}
	gone := append([]workspace.Column{*c}, generatedFrom(a.Table, c.Number)...)
	if err := a.dropDependents(gone, x.Cascade); err != nil {
		return err
	}
	if len(a.Columns) == len(gone) {
		return pgerr.Unsupported("a table without columns is not supported").At(x.Position)
	}
	for _, c := range gone {
		if err := a.removeColumn(ctx, c, x); err != nil {
			return err
		}
	}
	return nil
}

// removeColumn removes a column and the constraints that are of it.
func (a *alteration) removeColumn(ctx context.Context, c workspace.Column, x *ddlstmt.AlterAction) error {
	number, column := c.Number, a.columnShown(c.Name)
	if err := a.dropReferences(ctx, column, column, x.Cascade, func(k *workspace.ForeignKey) bool { return slices.Contains(k.References, number) }); err != nil {
		return err
	}
	a.ForeignKeys = slices.DeleteFunc(a.ForeignKeys, func(k workspace.ForeignKey) bool { return slices.Contains(k.Columns, number) })
	sequences.DropOwned(a.session, a.Table, number)
	a.Dropped = append(a.Dropped, c)
	a.Columns = slices.DeleteFunc(a.Columns, func(c workspace.Column) bool { return c.Number == number })
	if a.Key != nil && slices.Contains(a.Key.Columns, number) {
		a.Key = nil
	}
	a.Uniques = slices.DeleteFunc(a.Uniques, func(u workspace.Unique) bool { return slices.Contains(u.Columns, number) })
	a.Checks = slices.DeleteFunc(a.Checks, func(k workspace.Check) bool { return slices.Contains(k.Columns, number) })
	a.Indexes = slices.DeleteFunc(a.Indexes, func(x workspace.Index) bool { return x.Uses(number) })
	return nil
}

// dropDependents reports what depends on a column that is dropped: the first of gone, of which
// the others are computed. Without CASCADE that is an error. The views among it are dropped when
// the statement is finished.
func (a *alteration) dropDependents(gone []workspace.Column, cascade bool) error {
	d := namespace.NewDependents(a.session)
	column := a.columnShown(gone[0].Name)
	for _, g := range gone[1:] {
		d.Describe(a.columnShown(g.Name), column)
		a.addViews(d, g)
	}
	a.addViews(d, gone[0])
	if err := d.Report(column+" because other objects depend on it", cascade); err != nil {
		return err
	}
	a.views = append(a.views, d.Views...)
	return nil
}

// columnShown is a column as messages about dependencies show it.
func (a *alteration) columnShown(name string) string {
	return "column " + name + " of table " + namespace.NewDependents(a.session).Shown(a.old.Schema, a.old.Name)
}

// addViews adds the views that read a column.
func (a *alteration) addViews(d *namespace.Dependents, c workspace.Column) {
	for _, v := range a.session.Tables.Everything().ColumnDependents(a.old.Schema, a.old.Name, c.Number) {
		switch {
		case slices.Contains(a.views, v.View):
		case v.On == nil:
			d.Add(v.View, a.columnShown(c.Name))
		default:
			d.AddDependent(v, "", "", "")
		}
	}
}

// checkViews is the error of views that read a column which gets another type.
func (a *alteration) checkViews(c *workspace.Column) error {
	for _, v := range a.session.Tables.Everything().UsedBy(a.old.Schema, a.old.Name) {
		if v.Reads(a.old.Schema, a.old.Name, c.Number) {
			return pgerr.Unsupported("cannot alter type of a column used by a view or rule").
				WithDetail("rule _RETURN on %s %s depends on column %q", v.Kind(), namespace.NewDependents(a.session).Shown(v.Schema, v.Name), c.Name)
		}
	}
	return nil
}
