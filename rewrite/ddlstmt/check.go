package ddlstmt

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// overTable begins a query over the rows of one table, for SQL texts that the table has.
func overTable(table scope.Shape, env scope.Env) (*query.Binder, error) {
	st := &syntax.Statement{Kind: syntax.Select, Tree: &syntax.Tree{}}
	return query.New(st, []syntax.Ref{{Schema: table.Schema, Name: table.Table}}, []scope.Shape{table}, nil, env)
}

// ScopeCondition resolves the query of a row of a table that does not satisfy the condition of a
// CHECK constraint. Its column is the one of the name shown. Errors have their place in the
// statement that the condition was taken from.
func ScopeCondition(table scope.Shape, condition *defaults.Expression, shown string, env scope.Env) (sc *scope.Scoped, err error) {
	b, err := overTable(table, env)
	if err != nil {
		return nil, err
	}
	defer scope.Recover(&err)
	from, ns := b.Reference(0, nil, -1)
	where := ""
	defaults.ResolveAlone(b.Binder, condition, &scope.Level{Namespace: ns, Clause: defaults.InCheck}, func(e scope.Expr) {
		if e.Type.OID != types.Bool && e.Type.OID != types.Unknown {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "argument of CHECK must be type boolean, not type %s", e.Type), e.Location)
		}
		where = b.Coerce(e, types.Of(types.Bool), types.ImplicitCast).SQL
	})
	item := ""
	for i, c := range table.Columns {
		if c.Name == shown {
			item = b.ColumnExpr(ns.Ranges[0].Columns[i], -1, nil).SQL
		}
	}
	return b.Scoped("SELECT "+item+" FROM "+from+" WHERE NOT ("+where+") LIMIT 1", []scope.Output{{Name: shown, OID: types.Text, Typmod: -1, Ref: -1}}, 1), nil
}
