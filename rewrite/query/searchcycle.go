package query

import (
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// search holds the columns that the SEARCH and CYCLE clauses of a recursive query add
// (PostgreSQL manual 7.8.2.1 and 7.8.2.2). They are printed as a query without these clauses:
// each term becomes a subquery of a query that adds the columns of the clauses to those of the
// term.
type search struct {
	b     *Binder
	cte   *pg.CommonTableExpr
	names []string // of the query's own columns
	order []string // of those that are added
	added []added
}

// added is a column of a SEARCH or CYCLE clause: what it is in the non-recursive term,
// and in the recursive one. The columns of both terms are named by place there.
type added struct {
	name        string
	first, next *pg.Node
}

// depthColumn counts the steps to a row, for SEARCH BREADTH FIRST. No query names it.
const depthColumn = "*DEPTH*"

// searched is a recursive query with its SEARCH and CYCLE clauses written out. The
// columns they add come last, and within the query no star lists them.
func (b *Binder) searched(s *pg.SelectStmt, c *pg.CommonTableExpr, outer *scope.Level, me *scope.CTE) *pg.SelectStmt {
	var columns []scope.OutputColumn
	b.CountApart(func() { columns = b.Query(s.Larg, outer, me.Outer).Columns() })
	h := &search{b: b, cte: c}
	for _, col := range b.renamed(columns, syntax.Strings(c.Aliascolnames), c.Ctename, c.Location) {
		h.names = append(h.names, col.Name)
	}
	h.checkSearch()
	h.checkCycle()
	h.refuseSetOperation("left", s.Larg)
	h.refuseSetOperation("right", s.Rarg)
	if by := c.SearchClause; by != nil {
		h.order = append(h.order, by.SearchSeqColumn)
	}
	if by := c.CycleClause; by != nil {
		h.order = append(h.order, by.CycleMarkColumn, by.CyclePathColumn)
	}
	h.order = append(h.order, depthColumn)
	h.addSearch()
	h.addCycle()
	h.add(depthColumn, bigint(0), h.deeper())
	me.UnlistedColumns = len(h.added)
	union := &pg.SelectStmt{Op: s.Op, All: s.All, Larg: h.first(s.Larg), Rarg: h.next(s.Rarg)}
	b.CountApart(func() {
		me.Columns = b.renamed(b.Query(union.Larg, outer, me.Outer).Columns(), nil, c.Ctename, c.Location)
		if len(b.Query(s.Rarg, outer, me).Columns()) != len(h.names) {
			b.Fail(pgerr.New(pgerr.SyntaxError, "each UNION query must have the same number of columns"), firstLocation(s.Rarg))
		}
	})
	return union
}

func (b *Binder) failNotRecursive(loc int32) {
	b.Fail(pgerr.New(pgerr.SyntaxError, "WITH query is not recursive"), loc)
}

// checkSearch refuses what PostgreSQL's analyzeCTE refuses of a SEARCH clause.
func (h *search) checkSearch() {
	clause := h.cte.SearchClause
	if clause == nil {
		return
	}
	h.checkColumns("search", syntax.Strings(clause.SearchColList), clause.Location)
	h.checkNew("search sequence column", clause.SearchSeqColumn, clause.Location)
}

// checkCycle is checkSearch for a CYCLE clause.
func (h *search) checkCycle() {
	clause := h.cte.CycleClause
	if clause == nil {
		return
	}
	h.checkColumns("cycle", syntax.Strings(clause.CycleColList), clause.Location)
	h.checkNew("cycle mark column", clause.CycleMarkColumn, clause.Location)
	h.checkNew("cycle path column", clause.CyclePathColumn, clause.Location)
	same := func(a, nameA, c, nameC string) {
		if nameA == nameC {
			h.b.Fail(pgerr.New(pgerr.SyntaxError, "%s column name and %s column name are the same", a, c), clause.Location)
		}
	}
	same("cycle mark", clause.CycleMarkColumn, "cycle path", clause.CyclePathColumn)
	if by := h.cte.SearchClause; by != nil {
		same("search sequence", by.SearchSeqColumn, "cycle mark", clause.CycleMarkColumn)
		same("search sequence", by.SearchSeqColumn, "cycle path", clause.CyclePathColumn)
	}
}

func (h *search) checkColumns(of string, columns []string, loc int32) {
	for i, name := range columns {
		if !slices.Contains(h.names, name) {
			h.b.Fail(pgerr.New(pgerr.SyntaxError, "%s column %q not in WITH query column list", of, name), loc)
		}
		if slices.Contains(columns[:i], name) {
			h.b.Fail(pgerr.New(pgerr.DuplicateColumn, "%s column %q specified more than once", of, name), loc)
		}
	}
}

func (h *search) checkNew(what, name string, loc int32) {
	if slices.Contains(h.names, name) {
		h.b.Fail(pgerr.New(pgerr.SyntaxError, "%s name %q already used in WITH query column list", what, name), loc)
	}
}

func (h *search) refuseSetOperation(side string, term *pg.SelectStmt) {
	if term.Larg != nil {
		h.b.Fail(pgerr.Unsupported("with a SEARCH or CYCLE clause, the %s side of the UNION must be a SELECT", side), -1)
	}
}

func (h *search) add(name string, first, next *pg.Node) {
	h.added = append(h.added, added{name, first, next})
}

// addSearch adds what the rows are sorted by: the rows on the way to one, or how many
// there were, and the row.
func (h *search) addSearch() {
	clause := h.cte.SearchClause
	if clause == nil {
		return
	}
	row := h.row(clause.SearchColList)
	if !clause.SearchBreadthFirst {
		h.add(clause.SearchSeqColumn, singleton(row), operation("||", h.own(clause.SearchSeqColumn), row))
		return
	}
	behind := func(depth *pg.Node) *pg.Node {
		args := append([]*pg.Node{depth}, row.GetRowExpr().Args...)
		return rowOf(args)
	}
	h.add(clause.SearchSeqColumn, behind(bigint(0)), behind(h.deeper()))
}

// addCycle adds the mark of a row that was on the way to itself, and the way.
func (h *search) addCycle() {
	clause := h.cte.CycleClause
	if clause == nil {
		return
	}
	row, path := h.row(clause.CycleColList), h.own(clause.CyclePathColumn)
	met := pg.MakeAExprNode(pg.A_Expr_Kind_AEXPR_OP_ANY, []*pg.Node{pg.MakeStrNode("=")}, row, path, -1)
	never := pg.MakeAExprNode(pg.A_Expr_Kind_AEXPR_OP, []*pg.Node{pg.MakeStrNode("<>")}, bigint(0), bigint(0), -1)
	mark := func(when *pg.Node) *pg.Node {
		return &pg.Node{Node: &pg.Node_CaseExpr{CaseExpr: &pg.CaseExpr{
			Args:      []*pg.Node{pg.MakeCaseWhenNode(when, clause.CycleMarkValue, -1)},
			Defresult: clause.CycleMarkDefault, Location: clause.Location,
		}}}
	}
	h.add(clause.CycleMarkColumn, mark(never), mark(met))
	h.add(clause.CyclePathColumn, singleton(row), operation("||", path, row))
}

// first is the non-recursive term with the columns that are added.
func (h *search) first(term *pg.SelectStmt) *pg.SelectStmt {
	targets := make([]*pg.Node, 0, len(h.names)+len(h.added))
	for i, name := range h.names {
		targets = append(targets, pg.MakeResTargetNodeWithNameAndVal(name, h.at(i), -1))
	}
	for _, a := range h.added {
		targets = append(targets, pg.MakeResTargetNodeWithNameAndVal(a.name, a.first, -1))
	}
	return h.around(term, targets, len(h.names))
}

// next is the recursive term with these columns. It continues from rows without a cycle mark.
func (h *search) next(term *pg.SelectStmt) *pg.SelectStmt {
	self := selfReference(term.FromClause, h.cte.Ctename)
	if self == nil {
		h.b.Fail(pgerr.Unsupported("with a SEARCH or CYCLE clause, the recursive reference to WITH query %q must be at the top level of its right-hand SELECT", h.cte.Ctename), -1)
	}
	of := func(name string) *pg.Node {
		alias := self.Relname
		if self.Alias != nil {
			alias = self.Alias.Aliasname
		}
		return pg.MakeColumnRefNode([]*pg.Node{pg.MakeStrNode(alias), pg.MakeStrNode(name)}, -1)
	}
	inner := &pg.SelectStmt{
		DistinctClause: term.DistinctClause, TargetList: slices.Clone(term.TargetList), FromClause: term.FromClause, WhereClause: term.WhereClause,
		GroupClause: term.GroupClause, GroupDistinct: term.GroupDistinct, HavingClause: term.HavingClause, WindowClause: term.WindowClause,
		SortClause: term.SortClause, LimitOffset: term.LimitOffset, LimitCount: term.LimitCount, LimitOption: term.LimitOption,
		LockingClause: term.LockingClause, WithClause: term.WithClause, Op: term.Op,
	}
	for _, a := range h.added {
		inner.TargetList = append(inner.TargetList, pg.MakeResTargetNodeWithVal(of(a.name), -1))
	}
	if clause := h.cte.CycleClause; clause != nil {
		unmarked := operation("<>", of(clause.CycleMarkColumn), clause.CycleMarkValue)
		if inner.WhereClause != nil {
			unmarked = pg.MakeBoolExprNode(pg.BoolExprType_AND_EXPR, []*pg.Node{inner.WhereClause, unmarked}, -1)
		}
		inner.WhereClause = unmarked
	}
	var targets []*pg.Node
	for i := range h.names {
		targets = append(targets, pg.MakeResTargetNodeWithVal(h.at(i), -1))
	}
	for _, a := range h.added {
		targets = append(targets, pg.MakeResTargetNodeWithVal(a.next, -1))
	}
	return h.around(inner, targets, len(h.names)+len(h.added))
}

// around selects from a term, whose columns it names by their places.
func (h *search) around(term *pg.SelectStmt, targets []*pg.Node, columns int) *pg.SelectStmt {
	alias := &pg.Alias{Aliasname: h.cte.Ctename}
	for i := range columns {
		alias.Colnames = append(alias.Colnames, pg.MakeStrNode(strconv.Itoa(i)))
	}
	from := &pg.RangeSubselect{Subquery: &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: term}}, Alias: alias}
	return &pg.SelectStmt{
		TargetList: targets, FromClause: []*pg.Node{{Node: &pg.Node_RangeSubselect{RangeSubselect: from}}}, Op: pg.SetOperation_SETOP_NONE,
	}
}

// at is the column of a term at a place.
func (h *search) at(i int) *pg.Node {
	return pg.MakeColumnRefNode([]*pg.Node{pg.MakeStrNode(h.cte.Ctename), pg.MakeStrNode(strconv.Itoa(i))}, -1)
}

// own is an added column of the row that the recursive term went on from.
func (h *search) own(name string) *pg.Node {
	return h.at(len(h.names) + slices.Index(h.order, name))
}

// deeper is the depth of a row that the recursive term makes.
func (h *search) deeper() *pg.Node { return operation("+", h.own(depthColumn), bigint(1)) }

// row is the row of these columns.
func (h *search) row(columns []*pg.Node) *pg.Node {
	var fields []*pg.Node
	for _, name := range syntax.Strings(columns) {
		fields = append(fields, h.at(slices.Index(h.names, name)))
	}
	return rowOf(fields)
}

func rowOf(fields []*pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_RowExpr{RowExpr: &pg.RowExpr{Args: fields, RowFormat: pg.CoercionForm_COERCE_EXPLICIT_CALL, Location: -1}}}
}

func singleton(element *pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_AArrayExpr{AArrayExpr: &pg.A_ArrayExpr{Elements: []*pg.Node{element}, Location: -1}}}
}

func operation(op string, left, right *pg.Node) *pg.Node {
	return pg.MakeAExprNode(pg.A_Expr_Kind_AEXPR_OP, []*pg.Node{pg.MakeStrNode(op)}, left, right, -1)
}

func bigint(n int64) *pg.Node { return syntax.CastNode(pg.MakeAConstIntNode(n, -1), types.Int8) }

// selfReference is where a FROM clause, and none of its subqueries, names a WITH query.
func selfReference(from []*pg.Node, name string) *pg.RangeVar {
	for _, n := range from {
		if v := n.GetRangeVar(); v != nil && v.Schemaname == "" && v.Relname == name {
			return v
		}
		if j := n.GetJoinExpr(); j != nil {
			if v := selfReference([]*pg.Node{j.Larg, j.Rarg}, name); v != nil {
				return v
			}
		}
	}
	return nil
}
