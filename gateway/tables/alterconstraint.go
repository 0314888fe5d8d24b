package tables

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/workspace"
)

// addConstraints executes ADD CONSTRAINT, and adds those of a new column.
func (a *alteration) addConstraints(ctx context.Context, d *ddlstmt.Definition) error {
	for _, k := range d.Key {
		c, err := a.column(k.Name)
		if err != nil {
			return err
		}
		a.setNotNull(c)
	}
	var columns []string
	for _, c := range a.Columns {
		columns = append(columns, c.Name)
	}
	if err := d.CheckKeys(columns); err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) && e.Code == pgerr.UndefinedColumn { // PostgreSQL gives no position of it
			return inDefinition(err, 0)
		}
		return err
	}
	if len(d.Key) > 0 && a.Key != nil {
		return ddlstmt.TwoKeys(a.Name)
	}
	for _, k := range d.Checks {
		if _, err := modify.ScopeCheck(a.session, a.Table, k.Text); err != nil {
			return inDefinition(err, 0)
		}
	}
	added, err := declare(a.session.Tables.Of(a.Schema), a.Table, d)
	a.added.keys = append(a.added.keys, added.keys...)
	for _, k := range added.checks {
		if !k.NotValid {
			a.added.checks = append(a.added.checks, k)
		}
	}
	if err != nil {
		return err
	}
	foreign, err := declareForeignKeys(ctx, a.session, a.Table, d.References)
	a.added.foreign = append(a.added.foreign, foreign...)
	return err
}

// dropConstraint executes DROP CONSTRAINT. The columns of a key stay NOT NULL.
func (a *alteration) dropConstraint(ctx context.Context, x *ddlstmt.AlterAction) error {
	switch {
	case namespace.HasConstraint(a.Table, x.Column):
	case x.Exists:
		a.session.Notice(sqlstate.Notice("constraint %q of relation %q does not exist, skipping", x.Column, a.Name))
		return nil
	default:
		return a.noConstraint(x.Column)
	}
	if slices.ContainsFunc(a.Constraints(), func(u workspace.Unique) bool { return u.Name == x.Column }) {
		what := "constraint " + x.Column + " on table " + namespace.NewDependents(a.session).Shown(a.old.Schema, a.old.Name)
		if err := a.dropReferences(ctx, what, "index "+namespace.NewDependents(a.session).Shown(a.old.Schema, x.Column), x.Cascade, func(k *workspace.ForeignKey) bool { return k.Key == x.Column }); err != nil {
			return err
		}
	}
	a.ForeignKeys = slices.DeleteFunc(a.ForeignKeys, func(k workspace.ForeignKey) bool { return k.Name == x.Column })
	if a.Key != nil && a.Key.Name == x.Column {
		a.Key = nil
	}
	a.Uniques = slices.DeleteFunc(a.Uniques, func(u workspace.Unique) bool { return u.Name == x.Column })
	a.Checks = slices.DeleteFunc(a.Checks, func(k workspace.Check) bool { return k.Name == x.Column })
	return nil
}

func (a *alteration) noConstraint(name string) error {
	return pgerr.New(pgerr.UndefinedObject, "constraint %q of relation %q does not exist", name, a.Name)
}

// renameConstraint executes RENAME CONSTRAINT.
func (a *alteration) renameConstraint(x *ddlstmt.AlterAction) error {
	check := slices.IndexFunc(a.Checks, func(k workspace.Check) bool { return k.Name == x.Column })
	switch {
	case !namespace.HasConstraint(a.Table, x.Column):
		return noConstraintFor(a.Name, x.Column)
	case namespace.ForeignKey(a.Table, x.Column) != nil && !namespace.HasConstraint(a.Table, x.To):
		namespace.ForeignKey(a.Table, x.Column).Name = x.To
		return nil
	case check < 0 && namespace.NamesIn(a.session.Tables.Of(a.Schema), a.Schema).HasRelation(x.To):
		return pgerr.New(pgerr.DuplicateTable, "relation %q already exists", x.To)
	case namespace.HasConstraint(a.Table, x.To):
		return namespace.DuplicateConstraint(a.Table, x.To)
	case check >= 0:
		a.Checks[check].Name = x.To
		return nil
	}
	a.renameKey(x.Column, x.To)
	changeKey(a.Table, x.Column, func(u *workspace.Unique) { u.Name = x.To })
	return nil
}

// alterConstraint executes ALTER CONSTRAINT.
func (a *alteration) alterConstraint(x *ddlstmt.AlterAction) error {
	k := namespace.ForeignKey(a.Table, x.Column)
	switch {
	case k != nil:
		k.Deferral = deferral(x.Timing)
		return nil
	case namespace.HasConstraint(a.Table, x.Column):
		return pgerr.New(pgerr.WrongObjectType, "constraint %q of relation %q is not a foreign key constraint", x.Column, a.Name)
	}
	return a.noConstraint(x.Column)
}

// validate executes VALIDATE CONSTRAINT.
func (a *alteration) validate(x *ddlstmt.AlterAction) error {
	i := slices.IndexFunc(a.Checks, func(k workspace.Check) bool { return k.Name == x.Column })
	if k := namespace.ForeignKey(a.Table, x.Column); k != nil {
		if k.NotValid {
			k.NotValid = false
			a.added.foreign = append(a.added.foreign, *k)
		}
		return nil
	}
	switch {
	case i < 0 && namespace.HasConstraint(a.Table, x.Column):
		return pgerr.New(pgerr.WrongObjectType, "constraint %q of relation %q is not a foreign key or check constraint", x.Column, a.Name)
	case i < 0:
		return a.noConstraint(x.Column)
	case a.Checks[i].NotValid:
		a.Checks[i].NotValid = false
		a.added.checks = append(a.added.checks, a.Checks[i])
	}
	return nil
}
