package sequences

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Define executes CREATE SEQUENCE and ALTER SEQUENCE. ours is false for one of a schema
// of the ontology.
func Define(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	def, err := ddlstmt.ParseSequence(st)
	if err != nil {
		return false, err
	}
	if st.Node.GetAlterSeqStmt() != nil {
		return alterOptions(ctx, s, st, def)
	}
	schema := workspace.TempSchema
	if !def.Temporary {
		if schema = namespace.NewSchema(s, def.Name); schema == "" {
			return false, nil
		}
	}
	if err := namespace.LockCreation(ctx, s, st, schema, def.Name); err != nil {
		return true, err
	}
	if namespace.NamesIn(s.Tables.Of(schema), schema).HasRelation(def.Name.Name) {
		if def.IfNotExists {
			s.Notice(sqlstate.Skipped(pgerr.DuplicateTable, "relation %q already exists, skipping", def.Name.Name))
			return true, nil
		}
		return true, nameTaken(def.Name.Name)
	}
	q := &workspace.Sequence{Schema: schema, Name: def.Name.Name}
	if q.Role, q.Grants, err = namespace.NewRights(ctx, s, schema, ddlstmt.OnSequence); err != nil {
		return true, err
	}
	if err := SetOptions(q, &def.Options, StateMaker(ctx, s, q)); err != nil {
		return true, err
	}
	if err := setOwner(ctx, s, q, def.Options.OwnedBy); err != nil {
		return true, err
	}
	s.Tables.PutSequence(q)
	return true, nil
}

// StateMaker makes the value of a sequence.
func StateMaker(ctx context.Context, s *session.Session, q *workspace.Sequence) makeState {
	return func(last int64, called bool) (*workspace.SequenceState, error) {
		conn, err := s.FreeConn(ctx)
		if err != nil {
			return nil, err
		}
		return s.Tables.NewState(ctx, conn, q.Schema, last, called)
	}
}

// Find finds a sequence, nil for none.
func Find(s *session.Session, ref syntax.Ref) *workspace.Sequence {
	if ref.Schema != "" {
		return s.Tables.Of(ref.Schema).Sequence(ref.Schema, ref.Name)
	}
	for _, schema := range s.Resolver().SearchPath() {
		of := s.Tables.Of(schema)
		if q := of.Sequence(schema, ref.Name); q != nil {
			return q
		}
		if of.Has(schema, ref.Name) {
			return nil
		}
	}
	return nil
}

// findOwned is FindLocked for a statement that only the owner of the sequence may run.
func findOwned(ctx context.Context, s *session.Session, tag string, ref syntax.Ref, mode database.LockMode) (*workspace.Sequence, error) {
	q, err := FindLocked(ctx, s, tag, ref, mode)
	if q == nil || err != nil {
		return nil, err
	}
	return q, namespace.CheckOwner(ctx, s, access.OfSequence(q))
}

// FindLocked is Find for a statement that changes the sequence.
func FindLocked(ctx context.Context, s *session.Session, tag string, ref syntax.Ref, mode database.LockMode) (*workspace.Sequence, error) {
	q := Find(s, ref)
	if q == nil {
		return nil, nil
	}
	if err := namespace.CheckDefinition(s, tag, q.Schema); err != nil {
		return nil, err
	}
	if err := namespace.Lock(ctx, s, &workspace.Table{Schema: q.Schema, Name: q.Name}, mode); err != nil {
		return nil, err
	}
	return Find(s, ref), nil
}

// notSequence is the error of a reference to another relation than a sequence, nil if there is
// none of its name.
func notSequence(ctx context.Context, s *session.Session, ref syntax.Ref) error {
	r, err := namespace.Resolve(ctx, s, ref)
	switch {
	case err != nil:
		return err
	case r.Stored != nil:
		return pgerr.New(pgerr.WrongObjectType, "%q is not a sequence", ref.Name).WithHint("Use DROP TABLE to remove a table.")
	case r.View != nil:
		return pgerr.New(pgerr.WrongObjectType, "%q is not a sequence", ref.Name).WithHint("Use DROP VIEW to remove a view.")
	}
	return nil
}

func alterOptions(ctx context.Context, s *session.Session, st *syntax.Statement, def *ddlstmt.Sequence) (ours bool, err error) {
	old, err := findOwned(ctx, s, st.Tag, def.Name, database.ShareRowExclusive)
	if err != nil {
		return true, err
	}
	if old == nil {
		if err := notSequence(ctx, s, def.Name); err != nil {
			var e *pgerr.Error
			if errors.As(err, &e) {
				e.Hint = ""
			}
			return true, err
		}
		if def.IfExists {
			s.Notice(sqlstate.Notice("relation %q does not exist, skipping", def.Name.Name))
			return true, nil
		}
		return true, pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", sqlstate.RelationName(def.Name))
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	q := *old
	if def.Options.OnlyOwner() { // the value stays as it is
		err = nil
	} else {
		err = SetOptions(&q, &def.Options, StateMaker(ctx, s, &q))
	}
	if err != nil {
		return true, err
	}
	if def.Options.OwnedBy != nil && q.Owner.Identity {
		return true, pgerr.Unsupported("cannot change ownership of identity sequence").
			WithDetail("Sequence %q is linked to table %q.", q.Name, q.Owner.Table)
	}
	if err := setOwner(ctx, s, &q, def.Options.OwnedBy); err != nil {
		return true, err
	}
	s.Tables.PutSequence(&q)
	return true, nil
}

// setOwner reads OWNED BY.
func setOwner(ctx context.Context, s *session.Session, q *workspace.Sequence, by []string) error {
	switch {
	case len(by) == 0:
		return nil
	case len(by) == 1 && by[0] != "none":
		return pgerr.New(pgerr.SyntaxError, "invalid OWNED BY option").WithHint("Specify OWNED BY table.column or OWNED BY NONE.")
	case len(by) == 1:
		q.Owner = workspace.Owner{}
		return nil
	}
	ref := syntax.Ref{Name: by[len(by)-2]}
	if len(by) > 2 {
		ref.Schema = by[len(by)-3]
	}
	t, err := namespace.FindLocked(ctx, s, ref, database.AccessShare)
	if err != nil {
		return err
	}
	if t == nil {
		if Find(s, ref) != nil {
			return pgerr.New(pgerr.WrongObjectType, "sequence cannot be owned by relation %q", ref.Name).WithDetail("This operation is not supported for sequences.")
		}
		if err := namespace.MustExist(ctx, s, ref); err != nil {
			return err
		}
	}
	if t != nil && access.OfTable(t).Owned() != access.OfSequence(q).Owned() {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "sequence must have same owner as table it is linked to")
	}
	if t == nil || t.Schema != q.Schema {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "sequence must be in same schema as table it is linked to")
	}
	c := t.Column(by[len(by)-1])
	if c == nil {
		return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", by[len(by)-1], t.Name)
	}
	q.Owner = workspace.Owner{Table: t.Name, Column: c.Number}
	return nil
}

// DropAll executes DROP SEQUENCE. ours is false if it names no sequence and no ordinary
// table.
func DropAll(ctx context.Context, s *session.Session, st *syntax.Statement, drops *ddlstmt.Drops) (ours bool, err error) {
	ordinary := func(ref syntax.Ref) bool { return Find(s, ref) != nil || namespace.MayName(s, ref) }
	if !slices.ContainsFunc(drops.Names, ordinary) {
		return false, nil
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	for _, ref := range drops.Names {
		q, err := findOwned(ctx, s, st.Tag, ref, database.AccessExclusive)
		if err != nil {
			return true, err
		}
		if q == nil {
			if err := notSequence(ctx, s, ref); err != nil {
				return true, err
			}
		}
		if q == nil && drops.IfExists {
			s.Notice(sqlstate.Notice("sequence %q does not exist, skipping", ref.Name))
			continue
		}
		if q == nil {
			return true, pgerr.New(pgerr.UndefinedTable, "sequence %q does not exist", ref.Name)
		}
		if err := dropOne(ctx, s, q, drops.Cascade); err != nil {
			return true, err
		}
	}
	return true, nil
}

// dropOne drops a sequence. Defaults that call it need CASCADE.
func dropOne(ctx context.Context, s *session.Session, q *workspace.Sequence, cascade bool) error {
	of := namespace.NewDependents(s)
	if q.Owner.Identity {
		t := s.Tables.Table(q.Schema, q.Owner.Table)
		column, table := t.Numbered(q.Owner.Column).Name, of.Shown(t.Schema, t.Name)
		return pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop sequence %s because column %s of table %s requires it", of.Shown(q.Schema, q.Name), column, table).
			WithHint("You can drop column %s of table %s instead.", column, table)
	}
	for _, u := range usesOf(s, q) {
		addDefault(of, u, q)
	}
	for _, v := range s.Tables.Everything().Dependents(q.Schema, q.Name) {
		of.AddDependent(v, "sequence", q.Schema, q.Name)
	}
	if err := of.Report("sequence "+of.Shown(q.Schema, q.Name)+" because other objects depend on it", cascade); err != nil {
		return err
	}
	for _, v := range of.Views {
		if err := namespace.LockView(ctx, s, v); err != nil {
			return err
		}
		s.Tables.RemoveView(v)
	}
	return Remove(ctx, s, q)
}

// Alter executes ALTER SEQUENCE RENAME and SET SCHEMA, and ALTER TABLE of a sequence.
// ours is false if the statement names none.
func Alter(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	rename, move := st.Node.GetRenameStmt(), st.Node.GetAlterObjectSchemaStmt()
	if Find(s, *st.Target) == nil || rename == nil && move == nil && st.Node.GetAlterTableStmt() == nil {
		return false, nil
	}
	q, err := findOwned(ctx, s, st.Tag, *st.Target, database.AccessExclusive)
	if q == nil || err != nil {
		return err != nil, err
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	next := *q
	switch {
	case rename.GetSubname() != "":
		return true, pgerr.New(pgerr.WrongObjectType, "cannot rename columns of relation %q", q.Name).WithDetail("This operation is not supported for sequences.")
	case rename != nil:
		next.Name = rename.Newname
	case move != nil:
		if next.Schema = move.Newschema; next.Schema == q.Schema {
			return true, nil
		}
		if q.Owner != (workspace.Owner{}) {
			return true, pgerr.Unsupported("cannot move an owned sequence into another schema").WithDetail("Sequence %q is linked to table %q.", q.Name, q.Owner.Table)
		}
		if err := namespace.CheckMove(ctx, s, q.Schema, next.Schema, q.Name); err != nil {
			return true, err
		}
	default:
		return true, ownsSequence(s, st, q)
	}
	if err := namespace.LockName(ctx, s, next.Schema, next.Name); err != nil {
		return true, err
	}
	if rename != nil && namespace.NamesIn(s.Tables.Of(q.Schema), q.Schema).HasRelation(next.Name) {
		return true, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", next.Name)
	}
	return true, replace(ctx, s, q, &next)
}

// ownsSequence is the outcome of ALTER SEQUENCE OWNER TO and of other actions of ALTER TABLE.
func ownsSequence(s *session.Session, st *syntax.Statement, q *workspace.Sequence) error {
	owners := ddlstmt.NewOwners(st)
	if kind := ddlstmt.Altered(st); kind != "" && kind != "sequence" {
		return namespace.NotA(q.Name, kind)
	}
	if owners == nil {
		return ddlstmt.NotOn(st.Node.GetAlterTableStmt().Cmds[0].GetAlterTableCmd().Subtype, q.Name, "sequences")
	}
	o := access.OfSequence(q)
	names, err := s.RoleNames(owners)
	switch {
	case err != nil:
		return err
	case q.Owner != (workspace.Owner{}) && slices.ContainsFunc(names, func(name string) bool { return name != o.Owned() }):
		return pgerr.Unsupported("cannot change owner of sequence %q", q.Name).WithDetail("Sequence %q is linked to table %q.", q.Name, q.Owner.Table)
	}
	return namespace.Give(s, o, q.Schema, owners, func(owner string, grants acl.Grants) { Give(s, q, owner, grants) })
}

// Give gives a sequence, which is locked, to another owner.
func Give(s *session.Session, q *workspace.Sequence, owner string, grants acl.Grants) {
	next := *q
	next.Role, next.Grants = owner, grants
	s.Tables.PutSequence(&next)
}

// replace gives a sequence another name or schema, and the defaults that call it.
func replace(ctx context.Context, s *session.Session, q, next *workspace.Sequence) error {
	uses := usesOf(s, q)
	s.Tables.RemoveSequence(q)
	s.Tables.RenameUses(q.Schema, q.Name, next.Schema, next.Name)
	s.Tables.PutSequence(next)
	for _, u := range uses {
		if err := u.replace(ctx, s, nextvalOf(q), nextvalOf(next)); err != nil {
			return err
		}
	}
	return nil
}
