package syntax

import (
	"strings"
	"unicode"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// classifyDDL names the statements that define something or look after the
// server. None of them reaches the engine by its own text.
func (st *Statement) classifyDDL() (*pg.RangeVar, error) {
	is := func(k Kind, tag string) { st.Kind, st.Tag = k, tag }
	switch n := st.Node.Node.(type) {
	case *pg.Node_CreateStmt:
		is(CreateTable, "CREATE TABLE")
		return n.CreateStmt.Relation, nil
	case *pg.Node_CreateTableAsStmt:
		is(CreateTableAs, "CREATE TABLE AS")
		if n.CreateTableAsStmt.Objtype == pg.ObjectType_OBJECT_MATVIEW {
			st.Tag = "CREATE MATERIALIZED VIEW"
		}
		return n.CreateTableAsStmt.GetInto().GetRel(), nil
	case *pg.Node_ViewStmt:
		is(CreateView, "CREATE VIEW")
		return n.ViewStmt.View, nil
	case *pg.Node_AlterTableStmt:
		is(AlterTable, "ALTER "+ObjectWords(n.AlterTableStmt.Objtype))
		return n.AlterTableStmt.Relation, nil
	case *pg.Node_CreatedbStmt:
		is(OnDatabase, "CREATE DATABASE")
	case *pg.Node_DropdbStmt:
		is(OnDatabase, "DROP DATABASE")
	case *pg.Node_AlterDatabaseStmt, *pg.Node_AlterDatabaseRefreshCollStmt:
		is(OnDatabase, "ALTER DATABASE")
	case *pg.Node_AlterDatabaseSetStmt:
		is(OnDatabase, "ALTER DATABASE")
		st.Inner = &Statement{Tree: st.Tree, Node: st.Node}
		st.Inner.setting(n.AlterDatabaseSetStmt.Setstmt)
	case *pg.Node_RenameStmt:
		is(AlterTable, "ALTER "+ObjectWords(n.RenameStmt.RenameType))
		switch n.RenameStmt.RenameType {
		case pg.ObjectType_OBJECT_DATABASE:
			st.Kind = OnDatabase
		case pg.ObjectType_OBJECT_ROLE:
			st.Kind = OnRole
		case pg.ObjectType_OBJECT_TABCONSTRAINT:
			st.Tag = "ALTER TABLE"
		case pg.ObjectType_OBJECT_COLUMN:
			st.Tag = "ALTER " + ObjectWords(n.RenameStmt.RelationType)
		}
		return n.RenameStmt.Relation, nil
	case *pg.Node_AlterOwnerStmt:
		is(AlterOwner, "ALTER "+ObjectWords(n.AlterOwnerStmt.ObjectType))
		if n.AlterOwnerStmt.ObjectType == pg.ObjectType_OBJECT_DATABASE {
			st.Kind = OnDatabase
		}
	case *pg.Node_AlterObjectSchemaStmt:
		is(AlterTable, "ALTER "+ObjectWords(n.AlterObjectSchemaStmt.ObjectType))
		return n.AlterObjectSchemaStmt.Relation, nil
	case *pg.Node_CommentStmt:
		is(CommentOn, "COMMENT")
		if n.CommentStmt.Objtype == pg.ObjectType_OBJECT_DATABASE {
			st.Kind = OnDatabase
		}
	case *pg.Node_DropStmt:
		is(Drop, "DROP "+ObjectWords(n.DropStmt.RemoveType))
		if len(n.DropStmt.Objects) == 1 {
			return RangeVarOf(Strings(n.DropStmt.Objects[0].GetList().GetItems())), nil
		}
	case *pg.Node_CreateSchemaStmt:
		is(CreateSchema, "CREATE SCHEMA")
		st.Name, st.IfNot = n.CreateSchemaStmt.Schemaname, n.CreateSchemaStmt.IfNotExists
	case *pg.Node_CreateExtensionStmt:
		is(CreateExtension, "CREATE EXTENSION")
		st.Name, st.IfNot = n.CreateExtensionStmt.Extname, n.CreateExtensionStmt.IfNotExists
	case *pg.Node_LockStmt:
		is(Lock, "LOCK TABLE")
		st.lock(n.LockStmt)
	case *pg.Node_VacuumStmt:
		is(Vacuum, "VACUUM")
		if !n.VacuumStmt.IsVacuumcmd {
			st.Tag = "ANALYZE"
		}
	case *pg.Node_CheckPointStmt:
		is(Engine, "CHECKPOINT")
	case *pg.Node_ReindexStmt:
		is(Reindex, "REINDEX")
	case *pg.Node_ClusterStmt:
		is(Engine, "CLUSTER")
	case *pg.Node_LoadStmt:
		is(Engine, "LOAD")
	case *pg.Node_DoStmt:
		is(Call, "DO")
	case *pg.Node_CallStmt:
		is(Call, "CALL")
	case *pg.Node_IndexStmt:
		is(CreateIndex, "CREATE INDEX")
		return n.IndexStmt.Relation, nil
	case *pg.Node_RefreshMatViewStmt:
		is(Refresh, "REFRESH MATERIALIZED VIEW")
		return n.RefreshMatViewStmt.Relation, nil
	case *pg.Node_CreateSeqStmt:
		is(DefineSequence, "CREATE SEQUENCE")
		return n.CreateSeqStmt.Sequence, nil
	case *pg.Node_AlterSeqStmt:
		is(DefineSequence, "ALTER SEQUENCE")
		return n.AlterSeqStmt.Sequence, nil
	case *pg.Node_GrantStmt:
		is(Grant, "GRANT")
		if !n.GrantStmt.IsGrant {
			st.Tag = "REVOKE"
		}
	case *pg.Node_AlterDefaultPrivilegesStmt:
		is(Grant, "ALTER DEFAULT PRIVILEGES")
	case *pg.Node_ReassignOwnedStmt:
		is(Owned, "REASSIGN OWNED")
	case *pg.Node_DropOwnedStmt:
		is(Owned, "DROP OWNED")
	case *pg.Node_CreateRoleStmt:
		is(OnRole, "CREATE ROLE")
	case *pg.Node_AlterRoleStmt:
		is(OnRole, "ALTER ROLE")
	case *pg.Node_AlterRoleSetStmt:
		is(OnRole, "ALTER ROLE")
		st.Inner = &Statement{Tree: st.Tree, Node: st.Node}
		st.Inner.setting(n.AlterRoleSetStmt.Setstmt)
	case *pg.Node_DropRoleStmt:
		is(OnRole, "DROP ROLE")
	case *pg.Node_GrantRoleStmt:
		is(OnRole, "GRANT ROLE")
		if !n.GrantRoleStmt.IsGrant {
			st.Tag = "REVOKE ROLE"
		}
	case *pg.Node_DefineStmt:
		is(DDL, "CREATE "+ObjectWords(n.DefineStmt.Kind))
	case *pg.Node_ConstraintsSetStmt:
		is(Constraints, "SET CONSTRAINTS")
		st.All = len(n.ConstraintsSetStmt.Constraints) == 0
	default:
		is(DDL, NodeWords(st.Node))
	}
	return nil, nil
}

// ObjectWords turns OBJECT_MATVIEW into the words of a command tag.
func ObjectWords(o pg.ObjectType) string {
	w := strings.ReplaceAll(strings.TrimPrefix(o.String(), "OBJECT_"), "_", " ")
	switch w {
	case "MATVIEW":
		return "MATERIALIZED VIEW"
	case "TABCONSTRAINT":
		return "CONSTRAINT"
	}
	return w
}

// NodeWords makes a command tag of a node's name: CreateSeqStmt is "CREATE SEQ".
func NodeWords(n *pg.Node) string {
	m := n.ProtoReflect()
	fd := m.WhichOneof(m.Descriptor().Oneofs().Get(0))
	if fd == nil {
		return ""
	}
	name := strings.TrimSuffix(string(fd.Message().Name()), "Stmt")
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// RangeVarOf is the range variable of a qualified name, nil for more than three parts.
func RangeVarOf(names []string) *pg.RangeVar {
	v := &pg.RangeVar{Location: -1}
	switch len(names) {
	case 3:
		v.Catalogname, v.Schemaname, v.Relname = names[0], names[1], names[2]
	case 2:
		v.Schemaname, v.Relname = names[0], names[1]
	case 1:
		v.Relname = names[0]
	default:
		return nil
	}
	return v
}
