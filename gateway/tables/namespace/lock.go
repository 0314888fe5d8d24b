package namespace

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Lock locks an ordinary table for a statement until the end of the transaction. The tables of
// a session need no lock. The caller looks the table up again, because the wait may have been
// for a transaction that changed it.
func Lock(ctx context.Context, s *session.Session, t *workspace.Table, mode database.LockMode) error {
	if t.Schema == workspace.TempSchema {
		return nil
	}
	return s.Lock(ctx, TableTag(t.Schema, t.Name), mode, true)
}

// TableTag is the lock of a relation.
func TableTag(schema, name string) database.LockTag {
	return database.LockTag{Kind: database.LockRelation, Schema: schema, Name: name}
}

// LockSchema locks a schema of the workspace until the end of the transaction.
func LockSchema(ctx context.Context, s *session.Session, name string, mode database.LockMode) error {
	return s.Lock(ctx, database.LockTag{Kind: database.LockSchema, Name: name}, mode, true)
}

// CheckWrites is the error of a statement that changes a table of a schema: the transaction is
// READ ONLY, or it has written the ontology. Temporary tables can be written in every
// transaction.
func CheckWrites(s *session.Session, tag, schema string) error {
	if schema == workspace.TempSchema {
		return nil
	}
	return CheckShared(s, tag)
}

// CheckDefinition is the error of a transaction that may not change the definition of an object in a schema.
func CheckDefinition(s *session.Session, tag, schema string) error {
	if schema == workspace.TempSchema {
		return s.CheckReadWrite(tag)
	}
	return CheckShared(s, tag)
}

// CheckChange is CheckDefinition for a statement that only the owner of the object may run.
func CheckChange(ctx context.Context, s *session.Session, tag, schema string, o access.Object) error {
	if err := CheckDefinition(s, tag, schema); err != nil || schema == workspace.TempSchema {
		return err
	}
	return CheckOwner(ctx, s, o)
}

// CheckOwner is the error of a session whose role has not the rights of the owner of an object, where
// grants are required.
func CheckOwner(ctx context.Context, s *session.Session, o access.Object) error {
	governed, err := s.Governed(ctx)
	if err != nil || !governed {
		return err
	}
	return s.Role().CheckOwner(o)
}

// CheckPrivilege is the error of a session whose role has not a privilege on an object, where grants are
// required. The error has a position, 0 for none.
func CheckPrivilege(ctx context.Context, s *session.Session, o access.Object, privilege string, position int) error {
	governed, err := s.Governed(ctx)
	if err != nil || !governed || s.Role().May(privilege, o, nil) {
		return err
	}
	return o.Denied().At(position)
}

// CheckShared is CheckWrites of the workspace.
func CheckShared(s *session.Session, tag string) error {
	switch err := s.Tables.Err(); {
	case err != nil:
		return Unavailable(err)
	case len(s.Tx.Staged) > 0 || s.Tx.Schema != nil || len(s.Tx.Tags) > 0 || len(s.Tx.Events) > 0:
		return sqlstate.TwoWorlds()
	}
	return s.CheckReadWrite(tag)
}

// FindForWrite finds the ordinary table that a statement writes to and locks it, nil if its
// target is none.
func FindForWrite(ctx context.Context, s *session.Session, st *syntax.Statement) (*workspace.Table, error) {
	t, err := FindLocked(ctx, s, *st.Target, database.RowExclusive)
	if t == nil || err != nil {
		return nil, err
	}
	if t.View != nil && st.Kind == syntax.Copy {
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot copy to materialized view %q", t.Name)
	}
	return t, CheckWrites(s, st.Tag, t.Schema)
}

// FindLocked finds the table that a reference names and locks it, nil if the reference names none.
func FindLocked(ctx context.Context, s *session.Session, ref syntax.Ref, mode database.LockMode) (*workspace.Table, error) {
	for {
		t, err := Find(ctx, s, ref)
		if t == nil || err != nil {
			return nil, err
		}
		if err := Lock(ctx, s, t, mode); err != nil {
			return nil, err
		}
		again, err := Find(ctx, s, ref)
		if err != nil || again == nil || again.Schema == t.Schema && again.Name == t.Name {
			return again, err
		}
	}
}

// Unavailable is the error of a statement that needs a workspace that cannot be used.
func Unavailable(err error) error {
	e := pgerr.New(pgerr.ObjectNotInPrerequisiteState, "the workspace of this database is not available").WithDetail("%s.", sqlstate.ClientText(err))
	if isInUse(err) {
		e.Code = pgerr.ObjectInUse
		return e.WithHint("Another gateway has it. Connect to that one, or give this one another --workspace-dir.")
	}
	return e.WithHint("See --workspace-dir.")
}

// lockModes are the lock modes by their names in LOCK TABLE.
var lockModes = map[string]database.LockMode{
	"ACCESS SHARE": database.AccessShare, "ROW SHARE": database.RowShare, "ROW EXCLUSIVE": database.RowExclusive,
	"SHARE UPDATE EXCLUSIVE": database.ShareUpdateExclusive, "SHARE": database.Share,
	"SHARE ROW EXCLUSIVE": database.ShareRowExclusive, "EXCLUSIVE": database.Exclusive, "ACCESS EXCLUSIVE": database.AccessExclusive,
}

// LockTables executes LOCK TABLE of ordinary tables. ours is false if the statement names
// another relation.
func LockTables(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	for _, ref := range st.Lock.Tables {
		if t, err := Find(ctx, s, ref); t == nil || t.View != nil || err != nil {
			return false, err
		}
	}
	if err := s.Tx.InBlock(st.Tag); err != nil {
		return true, err
	}
	mode := lockModes[st.Lock.Mode]
	for _, ref := range st.Lock.Tables {
		if err := mayLock(ctx, s, ref, mode); err != nil {
			return true, err
		}
		if !st.Lock.NoWait {
			if _, err := FindLocked(ctx, s, ref, mode); err != nil {
				return true, err
			}
			continue
		}
		t, err := Find(ctx, s, ref)
		if err != nil {
			return true, err
		}
		if t.Schema != workspace.TempSchema && !s.DB.Locks.Try(&s.Client, TableTag(t.Schema, t.Name), mode, true) {
			return true, pgerr.New(pgerr.LockNotAvailable, "could not obtain lock on relation %q", t.Name)
		}
	}
	return true, nil
}

// mayLock is the error of LOCK TABLE by a role that may not: ACCESS SHARE needs SELECT, ROW EXCLUSIVE and the
// weaker ones INSERT as well, and every mode is for whoever may change or remove rows.
func mayLock(ctx context.Context, s *session.Session, ref syntax.Ref, mode database.LockMode) error {
	t, err := Find(ctx, s, ref)
	if t == nil || err != nil || t.Schema == workspace.TempSchema {
		return err
	}
	enough := []string{acl.Update, acl.Delete, acl.Truncate}
	switch mode {
	case database.AccessShare:
		enough = []string{acl.Select}
	case database.RowShare, database.RowExclusive:
		enough = append(enough, acl.Insert)
	}
	for _, privilege := range enough {
		if err = CheckPrivilege(ctx, s, access.OfTable(t), privilege, 0); err == nil {
			return nil
		}
	}
	return err
}

// FindViewLocked is FindView, and locks the view for a statement that changes it.
func FindViewLocked(ctx context.Context, s *session.Session, ref syntax.Ref) (*workspace.View, error) {
	v, err := FindView(ctx, s, ref)
	if v == nil || err != nil {
		return nil, err
	}
	if err := LockView(ctx, s, v); err != nil {
		return nil, err
	}
	return FindView(ctx, s, ref)
}

// LockView locks a view for a statement that changes it. The views of a session need no lock.
func LockView(ctx context.Context, s *session.Session, v *workspace.View) error {
	if v.Schema == workspace.TempSchema {
		return nil
	}
	return s.Lock(ctx, TableTag(v.Schema, v.Name), database.AccessExclusive, true)
}

// LockCreation locks the name of a relation that is created in a schema, and the schema.
func LockCreation(ctx context.Context, s *session.Session, st *syntax.Statement, schema string, ref syntax.Ref) error {
	if schema == workspace.TempSchema {
		return s.CheckReadWrite(st.Tag)
	}
	if err := CheckShared(s, st.Tag); err != nil {
		return err
	}
	if err := LockSchema(ctx, s, schema, database.AccessShare); err != nil {
		return err
	}
	if !s.Tables.Shared().HasSchema(schema) { // it was dropped meanwhile
		return sqlstate.UndefinedSchema(schema).At(ref.Position)
	}
	position := 0
	if st.Kind == syntax.CreateTable { // PostgreSQL gives none for the others
		position = ref.Position
	}
	if err := CheckPrivilege(ctx, s, access.OfSchema(s.Tables.Shared().Schema(schema), schema), acl.Create, position); err != nil {
		return err
	}
	return s.Lock(ctx, TableTag(schema, ref.Name), database.AccessExclusive, true)
}

// LockName locks the name of a relation that is about to be created.
func LockName(ctx context.Context, s *session.Session, schema, name string) error {
	return Lock(ctx, s, &workspace.Table{Schema: schema, Name: name}, database.AccessExclusive)
}

// CheckMove locks the name that a relation gets by SET SCHEMA, and checks that it is free.
func CheckMove(ctx context.Context, s *session.Session, from, schema, name string) error {
	if from == workspace.TempSchema || schema == workspace.TempSchema {
		return pgerr.Unsupported("cannot move objects into or out of temporary schemas")
	}
	if err := LockSchema(ctx, s, schema, database.AccessShare); err != nil {
		return err
	}
	if err := LockName(ctx, s, schema, name); err != nil {
		return err
	}
	switch shared := s.Tables.Shared(); {
	case slices.Contains(catalog.Schemas, schema):
		return pgerr.Unsupported("moving a table of the workspace to the ontology is not supported").WithHint("Use CREATE TABLE ... AS SELECT.")
	case !shared.HasSchema(schema):
		return sqlstate.UndefinedSchema(schema)
	case NamesIn(shared, schema).HasRelation(name):
		return pgerr.New(pgerr.DuplicateTable, "relation %q already exists in schema %q", name, schema)
	default:
		return CheckPrivilege(ctx, s, access.OfSchema(shared.Schema(schema), schema), acl.Create, 0)
	}
}

func isInUse(err error) bool { return errors.Is(err, workspace.ErrInUse) }
