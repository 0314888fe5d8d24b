package tables

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// alterIndex executes ALTER INDEX of an index of an ordinary table, which ALTER TABLE may name,
// too. ours is false if the statement names none.
func alterIndex(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	rename := st.Node.GetRenameStmt()
	if st.Node.GetAlterTableStmt() == nil && (rename.GetSubname() != "" || rename.GetNewname() == "") {
		return false, nil
	}
	t, at, err := lockIndex(ctx, s, st, *st.Target)
	if err != nil {
		return true, err
	}
	if t == nil && st.Tag == "ALTER INDEX" && !strings.HasSuffix(st.Target.Name, "_pkey") { // the key of a type
		if err := exist(ctx, s, []syntax.Ref{*st.Target}); err != nil && ddlstmt.IfExists(st) {
			s.Notice(sqlstate.Notice("relation %q does not exist, skipping", st.Target.Name))
			return true, nil
		} else if err != nil {
			return true, err
		}
	}
	switch {
	case t == nil:
		return false, nil
	case rename == nil:
		return true, indexActions(s, st, t, at)
	}
	return true, renameIndex(s, t, at, st.Target.Name, rename.Newname)
}

// indexActions changes the storage parameters of an index of a table, whose place is -1 for the
// index of a constraint.
func indexActions(s *session.Session, st *syntax.Statement, t *workspace.Table, at int) error {
	method := "btree"
	if at >= 0 {
		method = t.Indexes[at].Method
	}
	changes, err := ddlstmt.ParseIndexActions(st, st.Target.Name, method)
	if err != nil {
		return err
	}
	a := newAlteration(s, t)
	storage := a.storageOf(st.Target.Name, at)
	for _, c := range changes {
		*storage = c.Apply(*storage)
	}
	s.Tables.Put(a.Table)
	return nil
}

// storageOf are the storage parameters of an index, whose place is -1 for that of a constraint.
func (a *alteration) storageOf(name string, at int) *[]string {
	if at >= 0 {
		return &a.Indexes[at].Storage
	}
	for i := range a.Uniques {
		if a.Uniques[i].Name == name {
			return &a.Uniques[i].Storage
		}
	}
	key := *a.Key
	a.Key = &key
	return &key.Storage
}

// renameIndex executes RENAME TO of an index of a table, whose place is -1 for the index of a
// constraint.
func renameIndex(s *session.Session, t *workspace.Table, at int, name, to string) error {
	if namespace.NamesIn(s.Tables.Of(t.Schema), t.Schema).HasRelation(to) {
		return pgerr.New(pgerr.DuplicateTable, "relation %q already exists", to)
	}
	a := newAlteration(s, t)
	if at >= 0 {
		a.renameKey(a.Indexes[at].Name, to)
		a.Indexes[at].Name = to
	} else if err := a.renameConstraint(&ddlstmt.AlterAction{Column: name, To: to}); err != nil {
		return err
	}
	s.Tables.Put(a.Table)
	return nil
}
