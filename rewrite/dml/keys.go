package dml

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// maxKeys is how many listed rows are looked up by their keys; more are joined.
const maxKeys = 256

// keysOfRows limits the source of the target to the keys of the listed rows of an INSERT, if all
// of them are constants: no other row can match.
func (w *builder) keysOfRows(b *query.Binder, n *pg.InsertStmt) {
	w.listedKeys(b, listedRows(n.SelectStmt.GetSelectStmt()), func(name string) int {
		return slices.IndexFunc(w.insertion.given, func(g given) bool { return w.target.Columns[g.column].Name == name })
	})
}

// keysOfSource does the same for a MERGE whose source lists rows and is joined by
// columns of the key.
func (w *builder) keysOfSource(b *query.Binder, n *pg.MergeStmt, source scope.Namespace) {
	rows := listedRows(n.SourceRelation.GetRangeSubselect().GetSubquery().GetSelectStmt())
	if rows == nil {
		return
	}
	w.listedKeys(b, rows, func(name string) int {
		return slices.IndexFunc(source.Columns, func(f *scope.Column) bool { return w.keyEqual[f] == name })
	})
}

// collectKeyEqualities collects the columns of other relations that equal a column of the key
// in every row that meets a condition.
func (w *builder) collectKeyEqualities(b *query.Binder, condition *pg.Node, l *scope.Level) {
	for _, c := range scope.Conjuncts(condition) {
		x := c.GetAExpr()
		if x.GetKind() != pg.A_Expr_Kind_AEXPR_OP || x.Lexpr.GetColumnRef() == nil || x.Rexpr.GetColumnRef() == nil || syntax.Strings(x.Name)[len(x.Name)-1] != "=" {
			continue
		}
		left, right := b.Expr(x.Lexpr, l).Column, b.Expr(x.Rexpr, l).Column
		w.recordKeyEquality(left, right)
		w.recordKeyEquality(right, left)
	}
}

// recordKeyEquality notes it of a pair of columns, if one is of the key and both are of the
// same class of types.
func (w *builder) recordKeyEquality(key, other *scope.Column) {
	switch {
	case key == nil || other == nil || key.Range == nil || key.Range.Ref != w.at || !slices.Contains(w.target.Key, key.Source):
	case key.Type.OID == other.Type.OID, scope.SameValue(key.Type.OID, other.Type.OID):
		w.keyEqual[other] = key.Source
	}
}

// listedKeys collects the constants that listed rows have for each key column. at gives the
// index of a key column's value in a row, -1 if there is none.
func (w *builder) listedKeys(b *query.Binder, rows [][]*pg.Node, at func(name string) int) {
	if len(rows) == 0 || len(rows) > maxKeys || w.target.Kind == scope.StoredTable {
		return
	}
	for _, c := range w.target.Columns {
		p := at(c.Name)
		if p < 0 || !slices.Contains(w.target.Key, c.Name) {
			continue
		}
		var values []*pg.Node
		for _, row := range rows {
			values = append(values, row[p])
		}
		b.KeepKey(&scope.Column{Range: &scope.RangeEntry{Ref: w.at}, Source: c.Name, Type: types.OfColumn(c.Type)}, values)
	}
}

// listedRows are the values of a query that lists them, nil for another.
func listedRows(s *pg.SelectStmt) (rows [][]*pg.Node) {
	switch {
	case s == nil:
	case plainValues(s):
		for _, list := range s.ValuesLists {
			rows = append(rows, list.GetList().GetItems())
		}
	case len(s.FromClause) == 0 && len(s.TargetList) > 0:
		var row []*pg.Node
		for _, n := range s.TargetList {
			row = append(row, n.GetResTarget().GetVal())
		}
		rows = append(rows, row)
	}
	return rows
}
