package tables

import (
	"context"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Reindex executes REINDEX. The indexes of the engine are never rebuilt: the statement is checked
// as PostgreSQL does, and changes nothing.
func Reindex(ctx context.Context, s *session.Session, st *syntax.Statement) error {
	r, err := ddlstmt.ParseReindex(st)
	if err != nil {
		return err
	}
	if s.Tx.Block() {
		switch {
		case r.Concurrently:
			return inBlock("REINDEX CONCURRENTLY")
		case r.Relation.Name == "":
			return inBlock("REINDEX " + r.Of)
		}
	}
	switch r.Of {
	case "SCHEMA":
		if !slices.Contains(catalog.Schemas, r.Name) && !strings.HasPrefix(r.Name, "pg_") && s.Tables.Shared().Schema(r.Name) == nil {
			return sqlstate.UndefinedSchema(r.Name)
		}
		return nil
	case "DATABASE", "SYSTEM":
		if r.Name != s.Start.Database {
			return pgerr.Unsupported("can only reindex the currently open database")
		}
		return nil
	case "INDEX":
		if t, _ := namespace.FindIndex(s, r.Relation); t != nil {
			return nil
		}
		if err := namespace.MustExist(ctx, s, r.Relation); err != nil {
			return err
		}
		return namespace.NotA(r.Relation.Name, "index")
	}
	return reindexTable(ctx, s, r)
}

// reindexTable executes REINDEX TABLE.
func reindexTable(ctx context.Context, s *session.Session, r *ddlstmt.Reindex) error {
	notTable := pgerr.New(pgerr.WrongObjectType, "%q is not a table or materialized view", r.Relation.Name)
	if t, _ := namespace.FindIndex(s, r.Relation); t != nil || sequences.Find(s, r.Relation) != nil {
		return notTable
	}
	if err := namespace.MustExist(ctx, s, r.Relation); err != nil {
		return err
	}
	t, err := namespace.Find(ctx, s, r.Relation)
	if err != nil {
		return err
	}
	if t != nil && t.Key == nil && len(t.Uniques) == 0 && len(t.Indexes) == 0 && !hasToast(t) {
		how := " to reindex"
		if r.Concurrently {
			how = " that can be reindexed concurrently"
		}
		s.Notice(sqlstate.Notice("table %q has no indexes"+how, r.Relation.Name))
	}
	v, err := namespace.FindView(ctx, s, r.Relation)
	if v != nil && !v.Materialized {
		return notTable
	}
	return err
}

// hasToast reports whether PostgreSQL would give a table another one for its long values, with an
// index.
func hasToast(t *workspace.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c workspace.Column) bool { return pgcatalog.TypeSize(c.Type.OID) < 0 })
}

// inBlock is the error of a command that has a transaction of its own.
func inBlock(command string) error {
	return pgerr.New(pgerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", command)
}
