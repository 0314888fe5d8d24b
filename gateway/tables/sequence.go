package tables

import (
	"slices"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// DefineSequence executes CREATE SEQUENCE and ALTER SEQUENCE of temporary sequences. ours is
// false for any other.
func DefineSequence(s *session.Session, st *syntax.Statement) (ours bool, err error) {
	def, err := ddlstmt.ParseSequence(st)
	if err != nil {
		return false, err
	}
	if st.Node.GetAlterSeqStmt() != nil {
		return alterSequence(s, st, def)
	}
	if !def.Temporary {
		return false, nil
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	if namesIn(s.Tables.Objects, workspace.TempSchema).relations[def.Name.Name] {
		if def.IfNotExists {
			s.Notice(sqlstate.Skipped(pgerr.DuplicateTable, "relation %q already exists, skipping", def.Name.Name))
			return true, nil
		}
		return true, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", def.Name.Name)
	}
	q := &workspace.Sequence{Schema: workspace.TempSchema, Name: def.Name.Name}
	if err := setOptions(q, &def.Options, true); err != nil {
		return true, err
	}
	if err := setOwner(s, q, def.Options.OwnedBy); err != nil {
		return true, err
	}
	s.Tables.Set(s.Tables.Objects.WithSequence(q))
	return true, nil
}

// findSequence finds a temporary sequence, nil for none.
func findSequence(s *session.Session, ref syntax.Ref) *workspace.Sequence {
	if ref.Schema != "" && ref.Schema != workspace.TempSchema {
		return nil
	}
	return s.Tables.Objects.Sequence(workspace.TempSchema, ref.Name)
}

func alterSequence(s *session.Session, st *syntax.Statement, def *ddlstmt.Sequence) (ours bool, err error) {
	old := findSequence(s, def.Name)
	switch {
	case old != nil:
	case s.Tables.Objects.Table(workspace.TempSchema, def.Name.Name) != nil:
		return true, pgerr.New(pgerr.WrongObjectType, "%q is not a sequence", def.Name.Name)
	case def.IfExists:
		s.Notice(sqlstate.Notice("relation %q does not exist, skipping", def.Name.Name))
		return true, nil
	default:
		return true, pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", sqlstate.RelationName(def.Name))
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	q := *old
	if err := setOptions(&q, &def.Options, false); err != nil {
		return true, err
	}
	if def.Options.OwnedBy != nil && q.Owner.Identity {
		return true, pgerr.Unsupported("cannot change ownership of identity sequence").
			WithDetail("Sequence %q is linked to table %q.", q.Name, q.Owner.Table)
	}
	if err := setOwner(s, &q, def.Options.OwnedBy); err != nil {
		return true, err
	}
	s.Tables.Set(s.Tables.Objects.WithSequence(&q))
	return true, nil
}

// setOwner reads OWNED BY.
func setOwner(s *session.Session, q *workspace.Sequence, by []string) error {
	switch {
	case len(by) == 0:
		return nil
	case len(by) == 1 && by[0] != "none":
		return pgerr.New(pgerr.SyntaxError, "invalid OWNED BY option").WithHint("Specify OWNED BY table.column or OWNED BY NONE.")
	case len(by) == 1:
		q.Owner = workspace.Owner{}
		return nil
	}
	name := by[len(by)-2]
	t := s.Tables.Objects.Table(workspace.TempSchema, name)
	if t == nil || len(by) > 2 && by[len(by)-3] != workspace.TempSchema {
		if pin := s.Tx.Pin; pin != nil {
			if _, err := s.Resolver().Resolve(pin, syntax.Ref{Name: name}); err == nil {
				return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "sequence must be in same schema as table it is linked to")
			}
		}
		return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", name)
	}
	c := t.Column(by[len(by)-1])
	if c == nil {
		return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", by[len(by)-1], t.Name)
	}
	q.Owner = workspace.Owner{Table: t.Name, Column: c.Number}
	return nil
}

// dropSequences executes DROP SEQUENCE of temporary sequences. ours is false if it names none.
func dropSequences(s *session.Session, st *syntax.Statement, drops *ddlstmt.Drops) (ours bool, err error) {
	if !slices.ContainsFunc(drops.Names, func(ref syntax.Ref) bool { return findSequence(s, ref) != nil }) {
		return false, nil
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	for _, ref := range drops.Names {
		q := findSequence(s, ref)
		if q == nil && drops.IfExists {
			s.Notice(sqlstate.Notice("sequence %q does not exist, skipping", ref.Name))
			continue
		}
		if q == nil {
			return true, pgerr.New(pgerr.UndefinedTable, "sequence %q does not exist", ref.Name)
		}
		if err := dropSequence(s, q, drops.Cascade); err != nil {
			return true, err
		}
	}
	return true, nil
}

// dropSequence drops a sequence. Defaults that call it need CASCADE.
func dropSequence(s *session.Session, q *workspace.Sequence, cascade bool) error {
	if q.Owner.Identity {
		t := s.Tables.Objects.Table(q.Schema, q.Owner.Table)
		column := t.Numbered(q.Owner.Column).Name
		return pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop sequence %s because column %s of table %s requires it", q.Name, column, t.Name).
			WithHint("You can drop column %s of table %s instead.", column, t.Name)
	}
	for _, t := range s.Tables.Objects.All() {
		for i, c := range t.Columns {
			if c.Default != nextvalOf(q.Name) {
				continue
			}
			if !cascade {
				return pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop sequence %s because other objects depend on it", q.Name).
					WithDetail("default value for column %s of table %s depends on sequence %s", c.Name, t.Name, q.Name).
					WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
			}
			s.Notice(sqlstate.Notice("drop cascades to default value for column %s of table %s", c.Name, t.Name))
			next := *t
			next.Columns = slices.Clone(t.Columns)
			next.Columns[i].Default = ""
			t = &next
			s.Tables.Put(t)
		}
	}
	s.Tables.Set(s.Tables.Objects.WithoutSequence(q))
	return nil
}

// renameSequence executes ALTER SEQUENCE RENAME of a temporary sequence. ours is false if the
// statement names none.
func renameSequence(s *session.Session, st *syntax.Statement) (ours bool, err error) {
	n := st.Node.GetRenameStmt()
	q := findSequence(s, *st.Target)
	if q == nil || n == nil || n.Subname != "" {
		return false, nil
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	if namesIn(s.Tables.Objects, q.Schema).relations[n.Newname] {
		return true, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", n.Newname)
	}
	next := *q
	next.Name = n.Newname
	s.Tables.Set(s.Tables.Objects.WithoutSequence(q).WithSequence(&next))
	for _, t := range s.Tables.Objects.All() {
		renamed := *t
		renamed.Columns = slices.Clone(t.Columns)
		for i := range renamed.Columns {
			if c := &renamed.Columns[i]; c.Default == nextvalOf(q.Name) {
				c.Default = nextvalOf(next.Name)
				s.Tables.Put(&renamed)
			}
		}
	}
	return true, nil
}

// nextvalOf is the default of a column that a sequence belongs to.
func nextvalOf(sequence string) string {
	return "nextval(" + enginesql.Literal(str.QuoteIdent(sequence)) + "::regclass)"
}

// ownedSequences makes the sequences of the serial and IDENTITY columns among those of a
// definition, and gives the columns of the table their defaults.
func ownedSequences(o *workspace.Objects, t *workspace.Table, columns []ddlstmt.ColumnDefinition) (out []*workspace.Sequence, err error) {
	taken := namesIn(o.With(t), t.Schema)
	for i := range columns {
		d := &columns[i]
		if d.Sequence == nil {
			continue
		}
		if t.Schema != workspace.TempSchema {
			return nil, pgerr.Unsupported("a serial or IDENTITY column of a table that is not temporary is not supported").At(d.Position)
		}
		c := t.Column(d.Name)
		q := &workspace.Sequence{Schema: t.Schema, Owner: workspace.Owner{Table: t.Name, Column: c.Number, Identity: d.Identity != 0}}
		q.Name = chooseName(t.Name, []string{c.Name, "seq"}, func(name string) bool { return taken.relations[name] })
		taken.relations[q.Name] = true
		options := *d.Sequence
		if options.Type == nil {
			options.Type = &c.Type
		}
		if err := setOptions(q, &options, true); err != nil {
			return nil, err
		}
		c.Default, c.Identity = nextvalOf(q.Name), d.Identity
		out = append(out, q)
	}
	return out, nil
}

// dropOwned drops the sequences of a table, or those of one of its columns.
func dropOwned(s *session.Session, t *workspace.Table, column int) {
	if t.Schema != workspace.TempSchema {
		return
	}
	for _, q := range s.Tables.Objects.Owned(t, column) {
		s.Tables.Set(s.Tables.Objects.WithoutSequence(q))
	}
}

// moveOwned gives the sequences of a table that is renamed their owner's name.
func moveOwned(s *session.Session, t *workspace.Table, to string) {
	if t.Schema != workspace.TempSchema {
		return
	}
	for _, q := range s.Tables.Objects.Owned(t, 0) {
		next := *q
		next.Owner.Table = to
		s.Tables.Set(s.Tables.Objects.WithSequence(&next))
	}
}

// restartOwned is TRUNCATE ... RESTART IDENTITY.
func restartOwned(s *session.Session, t *workspace.Table) {
	if t.Schema != workspace.TempSchema {
		return
	}
	for _, q := range s.Tables.Objects.Owned(t, 0) {
		next := *q
		next.State = q.State.Restarted(q.Start, false)
		s.Tables.Set(s.Tables.Objects.WithSequence(&next))
	}
}

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
