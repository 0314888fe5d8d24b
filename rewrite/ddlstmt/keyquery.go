package ddlstmt

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ScopeKey resolves the query of the keys that the rows of a table have in a unique index. parts
// are the SQL texts of the columns and expressions of the key, where is the condition of the
// index, "" for none. The columns of the query are the parts, the text of the key in errors, and
// the last kept columns of the table. The parts are NULL in a row that does not meet the
// condition, as the engine may compute an expression before it filters the rows.
func ScopeKey(table scope.Shape, parts []string, where string, kept int, env scope.Env) (sc *scope.Scoped, err error) {
	b, err := overTable(table, env)
	if err != nil {
		return nil, err
	}
	defer scope.Recover(&err)
	from, ns := b.Reference(0, nil, -1)
	condition := ""
	if where != "" {
		condition = defaults.ResolveText(b.Binder, where, &scope.Level{Namespace: ns, Clause: defaults.InPredicate}).SQL
	}
	var items, texts []string
	var outputs []scope.Output
	add := func(sql string, ty types.Type) {
		items = append(items, sql)
		outputs = append(outputs, scope.Output{OID: types.External(ty.OID), Typmod: ty.Typmod, Ref: -1})
	}
	for _, text := range parts {
		e := defaults.ResolveText(b.Binder, text, &scope.Level{Namespace: ns, Clause: defaults.InIndex})
		if e.Type.OID == types.Unknown {
			e = b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
		}
		texts = append(texts, e.Output())
		add(onlyIf(condition, e.SQL), e.Type)
	}
	add(onlyIf(condition, strings.Join(texts, " || ', ' || ")), types.Of(types.Text))
	for i := len(table.Columns) - kept; i < len(table.Columns); i++ {
		add(b.ColumnExpr(ns.Ranges[0].Columns[i], -1, nil).SQL, table.TypeOf(i))
	}
	return b.Scoped("SELECT "+strings.Join(items, ", ")+" FROM "+from, outputs, 1), nil
}

// onlyIf is an expression that is NULL unless a condition is met.
func onlyIf(condition, sql string) string {
	if condition == "" {
		return sql
	}
	return "CASE WHEN " + condition + " THEN " + sql + " END"
}
