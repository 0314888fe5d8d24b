package tables

import (
	"context"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// checkIdentity is the error of an action that an IDENTITY column does not allow.
func (a *alteration) checkIdentity(c *workspace.Column, x *ddlstmt.AlterAction) error {
	e := pgerr.New(pgerr.SyntaxError, "column %q of relation %q is an identity column", c.Name, a.Name)
	switch x.Kind {
	case ddlstmt.SetDefault:
		return e
	case ddlstmt.DropDefault:
		return e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
	case ddlstmt.DropNotNull:
		e.Code = pgerr.ObjectNotInPrerequisiteState
		return e
	}
	return nil
}

// addIdentity executes ADD GENERATED AS IDENTITY.
func (a *alteration) addIdentity(ctx context.Context, c *workspace.Column, x *ddlstmt.AlterAction) error {
	wrong := func(format string, args ...any) error {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, format, args...)
	}
	switch {
	case !types.IsInteger(c.Type.OID):
		return pgerr.New(pgerr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint")
	case !c.NotNull:
		return wrong("column %q of relation %q must be declared NOT NULL before identity can be added", c.Name, a.Name)
	case c.Identity != 0:
		return wrong("column %q of relation %q is already an identity column", c.Name, a.Name)
	case c.Default != "", c.Generated != nil:
		return wrong("column %q of relation %q already has a default value", c.Name, a.Name)
	}
	d := &ddlstmt.ColumnDefinition{Name: c.Name, Sequence: x.Sequence, Identity: x.Identity}
	q, err := sequences.CreateForColumn(ctx, a.session, a.Table, d, namespace.NamesIn(a.session.Tables.Of(a.Schema).With(a.Table), a.Schema))
	if err != nil {
		return err
	}
	a.session.Tables.PutSequence(q)
	return nil
}

// setIdentity executes SET GENERATED and changes of the sequence.
func (a *alteration) setIdentity(ctx context.Context, c *workspace.Column, x *ddlstmt.AlterAction) error {
	if c.Identity == 0 {
		return a.noIdentity(c)
	}
	if x.Identity != 0 {
		c.Identity = x.Identity
	}
	if x.Sequence == nil {
		return nil
	}
	return a.changeOwned(ctx, c, x.Sequence)
}

// changeOwned gives the sequence of an IDENTITY column other options.
func (a *alteration) changeOwned(ctx context.Context, c *workspace.Column, o *ddlstmt.SequenceOptions) error {
	for _, q := range a.session.Tables.Of(a.Schema).Owned(a.old, c.Number) {
		if !q.Owner.Identity {
			continue
		}
		if err := namespace.LockName(ctx, a.session, q.Schema, q.Name); err != nil {
			return err
		}
		next := *a.session.Tables.Of(a.Schema).Sequence(q.Schema, q.Name)
		if err := sequences.SetOptions(&next, o, sequences.StateMaker(ctx, a.session, &next)); err != nil {
			return err
		}
		a.session.Tables.PutSequence(&next)
	}
	return nil
}

// dropIdentity executes DROP IDENTITY.
func (a *alteration) dropIdentity(ctx context.Context, c *workspace.Column, x *ddlstmt.AlterAction) error {
	if c.Identity == 0 {
		if x.Exists {
			a.session.Notice(sqlstate.Notice("column %q of relation %q is not an identity column, skipping", c.Name, a.Name))
			return nil
		}
		return a.noIdentity(c)
	}
	c.Identity, c.Default = 0, ""
	for _, q := range a.session.Tables.Of(a.Schema).Owned(a.old, c.Number) {
		if err := namespace.LockName(ctx, a.session, q.Schema, q.Name); err != nil {
			return err
		}
		a.session.Tables.RemoveSequence(q)
	}
	return nil
}

func (a *alteration) noIdentity(c *workspace.Column) error {
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column %q of relation %q is not an identity column", c.Name, a.Name)
}

// includeIdentity gives the columns of LIKE the IDENTITY of those of a table.
func includeIdentity(s *session.Session, t *workspace.Table, columns []ddlstmt.ColumnDefinition) {
	for i, c := range t.Columns {
		if c.Identity == 0 {
			continue
		}
		columns[i].Default = "" // it calls the other sequence
		for _, q := range s.Tables.Of(t.Schema).Owned(t, c.Number) {
			if q.Owner.Identity {
				ty := types.Of(q.Type)
				columns[i].Identity = c.Identity
				columns[i].Sequence = &ddlstmt.SequenceOptions{Type: &ty, Increment: &q.Increment, Start: &q.Start, Cache: &q.Cache, Min: &q.Min, Max: &q.Max, Cycle: &q.Cycle}
			}
		}
	}
}
