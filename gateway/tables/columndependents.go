package tables

import (
	"slices"

	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// dropViews drops the views that read a column which is dropped with CASCADE, when the
// statement is finished. Without CASCADE they are an error.
func (a *alteration) dropViews(c *workspace.Column, cascade bool) error {
	d := namespace.NewDependents(a.session)
	column := "column " + c.Name + " of table " + d.Shown(a.old.Schema, a.old.Name)
	for _, v := range a.session.Tables.Everything().ColumnDependents(a.old.Schema, a.old.Name, c.Number) {
		switch {
		case slices.Contains(a.views, v.View):
		case v.On == nil:
			d.Add(v.View, column)
		default:
			d.AddDependent(v, "", "", "")
		}
	}
	if err := d.Report(column+" because other objects depend on it", cascade); err != nil {
		return err
	}
	a.views = append(a.views, d.Views...)
	return nil
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
