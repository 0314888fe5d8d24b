package tables

import (
	"errors"
	"slices"

	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// declareGenerated gives columns of a table the expressions of their definitions.
func declareGenerated(s *session.Session, t *workspace.Table, columns []ddlstmt.ColumnDefinition) (err error) {
	for _, d := range columns {
		if d.Generated != nil {
			t.Column(d.Name).Generated = &workspace.Generated{Text: d.Generated.String(), Columns: numbers(t, columnsNamed(t, d.Generated.Columns()))}
		}
	}
	shape := relation.StoredShape(t)
	for _, d := range columns {
		if d.Generated == nil {
			continue
		}
		c := t.Column(d.Name)
		if c.Generated.Text, err = d.Generated.GeneratedOf(&shape, d.Name, s.NewEnv()); err != nil {
			return err
		}
		for _, number := range c.Generated.Columns { // PostgreSQL shows them without the name of the table
			name := t.Numbered(number).Name
			if c.Generated.Text, err = defaults.RenameColumn(c.Generated.Text, name, str.QuoteIdent(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// includeGenerated gives the columns of LIKE the expressions of those of a table.
func includeGenerated(t *workspace.Table, columns []ddlstmt.ColumnDefinition) (err error) {
	for i, c := range t.Columns {
		if c.Generated == nil {
			continue
		}
		if columns[i].Generated, err = defaults.ParseExpression(c.Generated.Text); err != nil {
			return err
		}
	}
	return nil
}

// generatedFrom are the columns of a table that are computed of a column.
func generatedFrom(t *workspace.Table, number int) (out []workspace.Column) {
	for _, c := range t.Columns {
		if c.Generated != nil && slices.Contains(c.Generated.Columns, number) {
			out = append(out, c)
		}
	}
	return out
}

// checkGenerated is the error of an action that a generated column does not allow.
func (a *alteration) checkGenerated(c *workspace.Column, x *ddlstmt.AlterAction) error {
	e := pgerr.New(pgerr.SyntaxError, "column %q of relation %q is a generated column", c.Name, a.Name)
	switch {
	case x.Kind == ddlstmt.SetDefault:
		return e
	case x.Kind == ddlstmt.DropDefault:
		return e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
	case x.Kind == ddlstmt.AlterType && x.Value != nil:
		return pgerr.New(pgerr.InvalidColumnDefinition, "cannot specify USING when altering type of generated column").
			WithDetail("Column %q is a generated column.", c.Name)
	}
	return nil
}

// checkUsed is the error of a column that gets another type while another one is computed of it.
func (a *alteration) checkUsed(c *workspace.Column) error {
	for _, g := range generatedFrom(a.Table, c.Number) {
		return pgerr.Unsupported("cannot alter type of a column used by a generated column").
			WithDetail("Column %q is used by generated column %q.", c.Name, g.Name)
	}
	return nil
}

// checkRetyped is the error of a generated column whose expression cannot follow it to a new type.
func (a *alteration) checkRetyped() error {
	shape := relation.StoredShape(a.Table)
	for _, c := range a.Columns {
		if v, ok := a.computed[c.Number]; !ok || c.Generated == nil || v.From == "" {
			continue
		}
		x, err := defaults.ParseExpression(c.Generated.Text)
		if err != nil {
			return err
		}
		_, err = x.GeneratedOf(&shape, c.Name, a.session.NewEnv())
		if e := (*pgerr.Error)(nil); errors.As(err, &e) && e.Code == pgerr.DatatypeMismatch {
			return pgerr.New(pgerr.DatatypeMismatch, "generation expression for column %q cannot be cast automatically to type %s", c.Name, types.Of(c.Type.OID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropExpression executes DROP EXPRESSION: the column keeps its values.
func (a *alteration) dropExpression(c *workspace.Column, x *ddlstmt.AlterAction) error {
	if c.Generated == nil && x.Exists {
		a.session.Notice(sqlstate.Notice("column %q of relation %q is not a stored generated column, skipping", c.Name, a.Name))
		return nil
	}
	if c.Generated == nil {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column %q of relation %q is not a stored generated column", c.Name, a.Name)
	}
	c.Generated = nil
	return nil
}

// renameInGenerated renames a column in the expressions of generated columns.
func (a *alteration) renameInGenerated(number int, from, to string) error {
	for _, g := range generatedFrom(a.Table, number) {
		next := *g.Generated
		if err := renameIn(&next.Text, from, to); err != nil {
			return err
		}
		a.Numbered(g.Number).Generated = &next
	}
	return nil
}

// checkGeneratedKey is the error of a foreign key with an action that would set a generated
// column.
func checkGeneratedKey(t *workspace.Table, k *workspace.ForeignKey) error {
	if !slices.ContainsFunc(k.Columns, func(number int) bool { return t.Numbered(number).Generated != nil }) {
		return nil
	}
	sets := func(a workspace.KeyAction) bool { return a == workspace.SetNull || a == workspace.SetDefault }
	event := ""
	switch {
	case sets(k.OnUpdate) || k.OnUpdate == workspace.Cascade:
		event = "ON UPDATE"
	case sets(k.OnDelete):
		event = "ON DELETE"
	default:
		return nil
	}
	return pgerr.New(pgerr.SyntaxError, "invalid %s action for foreign key constraint containing generated column", event)
}
