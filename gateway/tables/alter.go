package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// Alter executes ALTER TABLE of an ordinary table, and ALTER SCHEMA RENAME TO of a schema of the
// workspace. ours is false for another statement.
func Alter(ctx context.Context, s *session.Session, st *syntax.Statement, by InUse) (ours bool, err error) {
	if st.Target == nil {
		return renameSchema(ctx, s, st)
	}
	t, err := namespace.FindLocked(ctx, s, *st.Target, database.AccessExclusive)
	if err != nil {
		return false, err
	}
	if t == nil {
		if ours, err := alterView(ctx, s, st); ours || err != nil {
			return true, err
		}
		if ours, err := sequences.Alter(ctx, s, st); ours || err != nil {
			return ours, err
		}
		if ours, err := alterIndex(ctx, s, st); ours || err != nil {
			return true, err
		}
		return alterMissing(ctx, s, st)
	}
	if kind := ddlstmt.Altered(st); kind != "" && kind != t.Kind() {
		return true, namespace.NotA(t.Name, kind)
	}
	if err := namespace.CheckChange(ctx, s, st.Tag, t.Schema, access.OfTable(t)); err != nil {
		return true, err
	}
	if move := st.Node.GetAlterObjectSchemaStmt(); move != nil {
		return true, moveTable(ctx, s, t, move.GetNewschema())
	}
	if err := checkNotInUse([]*workspace.Table{t}, by, "ALTER TABLE"); err != nil {
		return true, err
	}
	if err := modify.CheckNotAwaited(s, []*workspace.Table{t}, "ALTER TABLE"); err != nil {
		return true, err
	}
	if to := ddlstmt.NewOwners(st); to != nil {
		return true, namespace.Give(s, access.OfTable(t), t.Schema, to, func(owner string, grants acl.Grants) { giveTable(s, t, owner, grants) })
	}
	if t.View != nil && st.Node.GetAlterTableStmt() != nil {
		changes, err := ddlstmt.ParseMaterializedActions(st, t.Name)
		if err == nil {
			alterMaterialized(s, t, changes)
		}
		return true, err
	}
	parsed, err := ddlstmt.ParseStoredAlteration(st, s.NewEnv())
	if err != nil {
		return true, err
	}
	a := newAlteration(s, t)
	for i := range parsed.Actions {
		if x := &parsed.Actions[i]; x.Kind == ddlstmt.RenameTable {
			if err := namespace.Lock(ctx, s, &workspace.Table{Schema: t.Schema, Name: x.To}, database.AccessExclusive); err != nil {
				return true, err
			}
		}
		if err := a.action(ctx, &parsed.Actions[i]); err != nil {
			return true, err
		}
	}
	if err := a.finish(ctx); err != nil {
		return true, err
	}
	for _, v := range a.views {
		s.Tables.RemoveView(v)
	}
	if a.Name != t.Name {
		s.Tables.Remove(t)
		s.Tables.RenameUses(t.Schema, t.Name, a.Schema, a.Name)
	}
	s.Tables.Put(a.Table)
	if a.Name != t.Name {
		s.Tables.RenameReferences(t, a.Table)
		return true, sequences.MoveOwned(ctx, s, t, a.Table)
	}
	return true, nil
}

// moveTable executes SET SCHEMA. The table is locked.
func moveTable(ctx context.Context, s *session.Session, t *workspace.Table, schema string) error {
	if schema == t.Schema && schema != workspace.TempSchema {
		return nil
	}
	if err := namespace.CheckMove(ctx, s, t.Schema, schema, t.Name); err != nil {
		return err
	}
	moved := *t
	moved.Schema = schema
	s.Tables.Remove(t)
	s.Tables.RenameUses(t.Schema, t.Name, moved.Schema, moved.Name)
	s.Tables.Put(&moved)
	s.Tables.RenameReferences(t, &moved)
	return sequences.MoveOwned(ctx, s, t, &moved)
}

// alteration is the change of a table by one statement.
type alteration struct {
	*workspace.Table // as it becomes
	session          *session.Session
	old              *workspace.Table
	views            []*workspace.View // that the statement drops
	// computed are the columns whose values are computed, by their numbers.
	computed map[int]ddlstmt.MigratedColumn
	// What the rows are checked for: columns that are not NULL, by their numbers, and
	// constraints.
	notNull []int
	added   declared
}

func newAlteration(s *session.Session, t *workspace.Table) *alteration {
	next := *t
	next.Columns, next.Dropped = slices.Clone(t.Columns), slices.Clone(t.Dropped)
	next.ForeignKeys = slices.Clone(t.ForeignKeys)
	next.Uniques, next.Checks, next.Indexes = slices.Clone(t.Uniques), slices.Clone(t.Checks), slices.Clone(t.Indexes)
	return &alteration{Table: &next, session: s, old: t, computed: map[int]ddlstmt.MigratedColumn{}}
}

// action applies one action to the definition.
func (a *alteration) action(ctx context.Context, x *ddlstmt.AlterAction) error {
	switch x.Kind {
	case ddlstmt.RenameTable:
		return a.renameTable(x.To)
	case ddlstmt.RenameColumn:
		return a.renameColumn(x)
	case ddlstmt.AddColumn:
		return a.addColumn(ctx, x)
	case ddlstmt.DropColumn:
		return a.dropColumn(ctx, x)
	case ddlstmt.AddConstraint:
		return a.addConstraints(ctx, x.Declared)
	case ddlstmt.DropConstraint:
		return a.dropConstraint(ctx, x)
	case ddlstmt.RenameConstraint:
		return a.renameConstraint(x)
	case ddlstmt.AlterConstraint:
		return a.alterConstraint(x)
	case ddlstmt.ValidateConstraint:
		return a.validate(x)
	case ddlstmt.SetStorage:
		a.Options = x.Options.Apply(a.Options)
		return nil
	}
	c, err := a.column(x.Column)
	if err != nil {
		return err
	}
	if c.Identity != 0 {
		if err := a.checkIdentity(c, x); err != nil {
			return err
		}
	}
	if c.Generated != nil {
		if err := a.checkGenerated(c, x); err != nil {
			return err
		}
	}
	switch x.Kind {
	case ddlstmt.AlterType:
		if c.Identity != 0 && types.IsInteger(x.Type.OID) { // its sequence follows
			ty := types.Of(x.Type.OID)
			if err := a.changeOwned(ctx, c, &ddlstmt.SequenceOptions{Type: &ty}); err != nil {
				return err
			}
		}
		return a.retype(c, x)
	case ddlstmt.AddIdentity:
		return a.addIdentity(ctx, c, x)
	case ddlstmt.SetIdentity:
		return a.setIdentity(ctx, c, x)
	case ddlstmt.DropIdentity:
		return a.dropIdentity(ctx, c, x)
	case ddlstmt.DropExpression:
		return a.dropExpression(c, x)
	case ddlstmt.SetDefault:
		text, err := x.Value.DefaultOf(c.Name, c.Type, a.session.NewEnv())
		if err != nil {
			return inDefinition(err, 0)
		}
		if c.Default, err = sequences.BindNextval(a.session, text); err != nil {
			return err
		}
	case ddlstmt.DropDefault:
		c.Default = ""
	case ddlstmt.SetNotNull:
		a.setNotNull(c)
	case ddlstmt.DropNotNull:
		if a.Key != nil && slices.Contains(a.Key.Columns, c.Number) {
			return pgerr.New(pgerr.InvalidTableDefinition, "column %q is in a primary key", c.Name)
		}
		c.NotNull = false
	}
	return nil
}

// column finds a column.
func (a *alteration) column(name string) (*workspace.Column, error) {
	if c := a.Column(name); c != nil {
		return c, nil
	}
	return nil, a.noColumn(name)
}

func (a *alteration) noColumn(name string) error {
	return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", name, a.old.Name)
}

func (a *alteration) setNotNull(c *workspace.Column) {
	if !c.NotNull {
		c.NotNull = true
		a.notNull = append(a.notNull, c.Number)
	}
}

// renameTable executes RENAME TO. Constraints keep their names.
func (a *alteration) renameTable(to string) error {
	if namespace.NamesIn(a.session.Tables.Of(a.Schema), a.Schema).HasRelation(to) {
		return pgerr.New(pgerr.DuplicateTable, "relation %q already exists", to)
	}
	a.Name = to
	return nil
}

// renameIn renames a column in the text of an expression.
func renameIn(text *string, from, to string) (err error) {
	*text, err = defaults.RenameColumn(*text, from, str.QuoteIdent(to))
	return err
}

// renameColumn executes RENAME COLUMN.
func (a *alteration) renameColumn(x *ddlstmt.AlterAction) error {
	c := a.Column(x.Column)
	switch {
	case c == nil:
		return pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", x.Column)
	case a.Column(x.To) != nil:
		return a.duplicateColumn(x.To)
	}
	for i := range a.Checks {
		if slices.Contains(a.Checks[i].Columns, c.Number) {
			if err := renameIn(&a.Checks[i].Text, c.Name, x.To); err != nil {
				return err
			}
		}
	}
	for i := range a.Indexes {
		if err := renameInIndex(&a.Indexes[i], c.Number, c.Name, x.To); err != nil {
			return err
		}
	}
	if err := a.renameInGenerated(c.Number, c.Name, x.To); err != nil {
		return err
	}
	c.Name = x.To
	return nil
}

func (a *alteration) duplicateColumn(name string) error {
	return pgerr.New(pgerr.DuplicateColumn, "column %q of relation %q already exists", name, a.Name)
}

// addColumn executes ADD COLUMN.
func (a *alteration) addColumn(ctx context.Context, x *ddlstmt.AlterAction) error {
	d := &x.Definition
	if a.Column(d.Name) != nil {
		if x.Exists {
			a.session.Notice(sqlstate.Skipped(pgerr.DuplicateColumn, "column %q of relation %q already exists, skipping", d.Name, a.Name))
			return nil
		}
		return a.duplicateColumn(d.Name)
	}
	if len(a.Columns) >= ddlstmt.MaxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", ddlstmt.MaxColumns)
	}
	c := newColumn(a.Table, d)
	a.Columns = append(a.Columns, c)
	if err := declareGenerated(a.session, a.Table, []ddlstmt.ColumnDefinition{*d}); err != nil {
		return inDefinition(err, 0)
	}
	if err := sequences.BindDefaults(a.session, nil, a.Columns[len(a.Columns)-1:]); err != nil {
		return err
	}
	owned, err := sequences.CreateForColumns(ctx, a.session, a.Table, []ddlstmt.ColumnDefinition{*d})
	if err != nil {
		return err
	}
	for _, q := range owned {
		a.session.Tables.PutSequence(q)
	}
	c = *a.Column(d.Name)
	tellDigits(a.session, a.Table, c)
	a.computed[c.Number] = ddlstmt.MigratedColumn{Type: d.Type, Stored: c.Type, Default: c.Default}
	if c.NotNull {
		a.notNull = append(a.notNull, c.Number)
	}
	return a.addConstraints(ctx, x.Declared)
}

// retype executes ALTER COLUMN TYPE. The constraints of the column are checked again.
func (a *alteration) retype(c *workspace.Column, x *ddlstmt.AlterAction) error {
	if err := a.checkViews(c); err != nil {
		return err
	}
	if err := a.checkUsed(c); err != nil {
		return err
	}
	a.computed[c.Number] = ddlstmt.MigratedColumn{Type: x.Type, Stored: declaredType(x.Type), Value: x.Value, From: c.Name}
	c.Type = declaredType(x.Type)
	if err := a.retypeKeys(c.Number); err != nil {
		return err
	}
	tellDigits(a.session, a.Table, *c)
	if err := a.retypeIndexes(c.Number); err != nil {
		return err
	}
	for _, k := range a.Checks {
		if slices.Contains(k.Columns, c.Number) {
			if _, err := modify.ScopeCheck(a.session, a.Table, k.Text); err != nil {
				return inDefinition(err, 0)
			}
			a.added.checks = append(a.added.checks, k)
		}
	}
	if c.NotNull {
		a.notNull = append(a.notNull, c.Number)
	}
	return nil
}
