package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Vacuum executes VACUUM and ANALYZE. Tables need neither: COMMIT removes the rows that have
// ended, and the engine keeps its statistics. The statement is checked as PostgreSQL does.
func Vacuum(ctx context.Context, s *session.Session, st *syntax.Statement) error {
	v, err := ddlstmt.ParseVacuum(st)
	if err != nil {
		return err
	}
	if !v.Analyze && s.Tx.Block() {
		return pgerr.New(pgerr.ActiveSQLTransaction, "VACUUM cannot run inside a transaction block")
	}
	for i, ref := range v.Tables {
		r, err := namespace.Existing(ctx, s, ref)
		if err != nil {
			return err
		}
		if r.View != nil && !r.View.Materialized {
			command := "vacuum"
			if v.Analyze {
				command = "analyze"
			}
			s.Notice(sqlstate.Warning(pgerr.Warning, "skipping %q --- cannot %s non-tables or special system tables", ref.Name, command))
			continue
		}
		for _, name := range v.Columns[i] {
			if !slices.ContainsFunc(r.Shape.Columns, func(c column.Named) bool { return c.Name == name }) {
				return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", name, ref.Name)
			}
		}
	}
	return nil
}
