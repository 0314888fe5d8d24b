package syntax

import (
	"cmp"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// WithQuery says which query of a WITH clause a statement is.
type WithQuery struct {
	Name     string
	Columns  []string // the names that the clause gives to its columns, none for the query's own
	Location int32    // of the name, a byte offset as the nodes have it
	// Reads are the parts that the query reads, as indexes of Statement.Parts. A part comes
	// after those that it reads.
	Reads []int
}

// SharesParameters reports whether the parameters of the statement are those of several
// queries (Statement.Parts).
func (st *Statement) SharesParameters() bool { return st.With != nil || len(st.Parts) > 0 }

// IsPart reports whether a query of the WITH clause is one of Parts.
func (st *Statement) IsPart(c *pg.CommonTableExpr) bool { return st.partOf[c] > 0 }

// withClauseOf is the WITH clause of a statement, nil for none.
func withClauseOf(n *pg.Node) *pg.WithClause {
	return cmp.Or(n.GetSelectStmt().GetWithClause(), n.GetInsertStmt().GetWithClause(), n.GetUpdateStmt().GetWithClause(),
		n.GetDeleteStmt().GetWithClause(), n.GetMergeStmt().GetWithClause())
}

// writes reports whether a WITH clause has a query that changes data.
func writes(w *pg.WithClause) bool {
	return slices.ContainsFunc(w.GetCtes(), func(c *pg.Node) bool { return c.GetCommonTableExpr().Ctequery.GetSelectStmt() == nil })
}

// parts finds the queries of a statement's WITH clause that are run apart from it: those that
// write, actions among them, and those that a part reads, so that all readers see the same rows.
type parts struct {
	st      *Statement
	clause  *pg.WithClause
	reads   [][]int // of each query of the clause, the others that it names
	ordered []int   // the parts, after those that they read
	state   []int8  // of each query, while they are put into order
}

// The states of a query: part is set when it is ordered, visiting while those that it reads
// are.
const (
	visiting int8 = 1
	ordered  int8 = 2
)

// findParts fills st.Parts, without the references of the parts.
func (st *Statement) findParts(clause *pg.WithClause) error {
	if !writes(clause) {
		return nil
	}
	p := &parts{st: st, clause: clause, state: make([]int8, len(clause.Ctes))}
	all, err := p.names()
	if err != nil {
		return err
	}
	for i := range clause.Ctes {
		reads, err := p.readsOf(p.body(i), p.visible(all, i))
		if err != nil {
			return err
		}
		p.reads = append(p.reads, reads)
	}
	for i := range clause.Ctes {
		if p.query(i).Ctequery.GetSelectStmt() == nil {
			if err := p.order(i); err != nil {
				return err
			}
		}
	}
	st.partOf = map[*pg.CommonTableExpr]int{}
	for k, i := range p.ordered {
		c := p.query(i)
		part := &Statement{SQL: st.SQL, Tree: st.Tree, Node: c.Ctequery, With: &WithQuery{Name: c.Ctename, Columns: Strings(c.Aliascolnames), Location: c.Location}}
		for _, j := range p.reads[i] {
			part.With.Reads = append(part.With.Reads, slices.Index(p.ordered, j))
		}
		switch call := c.Ctequery.GetFuncCall(); {
		case call != nil:
			part.Action = actionOf(call)
			if part.Node, err = st.Tree.actionArguments(call); err != nil {
				return err
			}
		case c.Ctequery.GetSelectStmt() != nil:
			part.Node = selectAll(clause, c)
			part.With.Columns = nil // the query within has them
		}
		st.Parts, st.partOf[c] = append(st.Parts, part), k+1
	}
	reads, err := p.readsOf(st.Node, all)
	if err == nil {
		st.Reads = p.partsIn(reads, map[int]bool{})
	}
	return err
}

// partsIn are the parts among some queries and those that they read, in this order.
func (p *parts) partsIn(queries []int, seen map[int]bool) (found []int) {
	for _, i := range queries {
		if seen[i] {
			continue
		}
		seen[i] = true
		if k := p.st.partOf[p.query(i)]; k > 0 {
			found = append(found, k-1)
		} else {
			found = append(found, p.partsIn(p.reads[i], seen)...)
		}
	}
	return found
}

func (p *parts) query(i int) *pg.CommonTableExpr { return p.clause.Ctes[i].GetCommonTableExpr() }

// body is what a query of the clause reads: of an action that runs for each row of a query, that query.
func (p *parts) body(i int) *pg.Node {
	n := p.query(i).Ctequery
	if rows := p.st.Tree.each[n.GetFuncCall()]; rows != nil {
		return &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: rows}}
	}
	return n
}

// names are the numbers of the queries of the clause from 1, by their names.
func (p *parts) names() (map[string]int, error) {
	all := map[string]int{}
	for i := range p.clause.Ctes {
		c := p.query(i)
		if all[c.Ctename] > 0 {
			return nil, pgerr.New(pgerr.DuplicateAlias, "WITH query name %q specified more than once", c.Ctename).At(p.st.Tree.Position(c.Location))
		}
		all[c.Ctename] = i + 1
	}
	return all, nil
}

// readsOf are the queries of the clause that a statement reads, of which it sees some. It does
// not look into the clause itself.
func (p *parts) readsOf(n *pg.Node, visible map[string]int) (reads []int, err error) {
	f := &refFinder{t: p.st.Tree, st: p.st, late: map[*pg.RangeVar]bool{}, parts: map[*pg.RangeVar]int{}, skip: writeTarget(n), without: p.clause}
	f.walk(n.ProtoReflect(), names{parts: visible})
	slices.SortStableFunc(f.vars, func(a, b *pg.RangeVar) int { return cmp.Compare(a.Location, b.Location) })
	for _, v := range f.vars {
		if k := f.parts[v]; k > 0 && !slices.Contains(reads, k-1) {
			reads = append(reads, k-1)
		}
	}
	return reads, f.err
}

// writeTarget is the table that a write acts on, nil for another statement.
func writeTarget(n *pg.Node) *pg.RangeVar {
	return cmp.Or(n.GetInsertStmt().GetRelation(), n.GetUpdateStmt().GetRelation(), n.GetDeleteStmt().GetRelation(), n.GetMergeStmt().GetRelation())
}

// visible are the queries that query i may name, by name and from 1: those before it, and with
// RECURSIVE all.
func (p *parts) visible(all map[string]int, i int) map[string]int {
	if p.clause.Recursive {
		return all
	}
	before := map[string]int{}
	for name, k := range all {
		if k <= i {
			before[name] = k
		}
	}
	return before
}

// order puts a query behind those that it reads.
func (p *parts) order(i int) error {
	c := p.query(i)
	switch p.state[i] {
	case ordered:
		return nil
	case visiting:
		return pgerr.Unsupported("mutual recursion between WITH items is not implemented").At(p.st.Tree.Position(c.Location))
	}
	p.state[i] = visiting
	for _, j := range p.reads[i] {
		if j == i && c.Ctequery.GetSelectStmt() == nil {
			return pgerr.New(pgerr.InvalidRecursion, "recursive query %q must not contain data-modifying statements", c.Ctename).At(p.st.Tree.Position(c.Location))
		}
		if j == i {
			continue
		}
		if err := p.order(j); err != nil {
			return err
		}
	}
	p.state[i] = ordered
	p.ordered = append(p.ordered, i)
	return nil
}

// selectAll is the query of all rows of a query of a WITH clause.
func selectAll(clause *pg.WithClause, c *pg.CommonTableExpr) *pg.Node {
	star := &pg.Node{Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: []*pg.Node{{Node: &pg.Node_AStar{AStar: &pg.A_Star{}}}}, Location: -1}}}
	from := &pg.Node{Node: &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: c.Ctename, Inh: true, Relpersistence: "p", Location: -1}}}
	query := &pg.Node{Node: &pg.Node_CommonTableExpr{CommonTableExpr: c}}
	return &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: &pg.SelectStmt{
		TargetList: []*pg.Node{{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: star, Location: -1}}}},
		FromClause: []*pg.Node{from}, LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT, Op: pg.SetOperation_SETOP_NONE,
		WithClause: &pg.WithClause{Ctes: []*pg.Node{query}, Recursive: clause.Recursive, Location: clause.Location},
	}}}
}

// findPartRefs finds the references of a part, which sees the given names.
func (st *Statement) findPartRefs(part *Statement, seen names) error {
	target, err := part.classify()
	if err != nil {
		return err
	}
	if target != nil {
		ref := part.RefOf(target)
		part.Target = &ref
	}
	return findRefs(st.Tree, part, part.Node, target, seen)
}
