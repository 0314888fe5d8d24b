package dml

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// merger resolves a MERGE.
type merger struct {
	*builder
	both, source scope.Namespace // the relations: target and source, source alone
	above        scope.Namespace // both, above found
	ctes         *scope.CTE
	hidden       []*scope.RangeEntry // the target, where the source is alone
}

// merge resolves a MERGE: the source joined with the target.
func (w *builder) merge(b *query.Binder, n *pg.MergeStmt) {
	m := &merger{builder: w}
	if n.WithClause.GetRecursive() {
		b.Fail(pgerr.New(pgerr.SyntaxError, "WITH RECURSIVE is not supported for MERGE statement"), -1)
	}
	w.with, m.ctes = b.WithClause(n.WithClause, nil, nil)
	inserts := w.checkWhens(b, n.MergeWhenClauses)
	w.found = newLayer(b, "found")
	stored, target := b.Reference(w.at, n.Relation.Alias, n.Relation.Location)
	m.hidden = target.Ranges
	from := &scope.Level{Parent: &scope.Level{Hidden: m.hidden}, CTEs: m.ctes}
	source, ns := b.FromItem(n.SourceRelation, from, scope.Namespace{})
	m.source = ns
	for _, r := range ns.Ranges {
		if r.Alias == target.Ranges[0].Alias {
			b.Fail(pgerr.New(pgerr.DuplicateAlias, "name %q specified more than once", r.Alias).
				WithDetail("The name is used both as MERGE target table and data source."), -1)
		}
	}
	m.both = target
	m.both.Add(b.State, ns)
	l := &scope.Level{Namespace: m.both, CTEs: m.ctes, Clause: "JOIN conditions"}
	on := b.Condition(n.JoinCondition, l, "JOIN/ON")
	w.collectKeyEqualities(b, n.JoinCondition, l)
	word := " JOIN "
	if inserts {
		word = " LEFT JOIN "
	}
	w.found.from = " FROM " + source + word + stored + " ON " + on.SQL
	w.keysOfSource(b, n, m.source)
	m.above = w.found.above(m.both)
	w.action = w.found.compute("action", "")
	w.addResultColumns(b, n.Relation, target.Ranges[0])
	m.whens(b, n)
	l = &scope.Level{CTEs: m.ctes, Namespace: w.returningNamespace(b, n.Relation.Alias, m.above, true), MergeAction: m.actionName()}
	w.result(b, n.ReturningList, l)
}

// checkWhens reports errors for actions that are not supported and for clauses that can never be
// reached. It also reports whether there are clauses for rows that match nothing.
func (w *builder) checkWhens(b *query.Binder, clauses []*pg.Node) (inserts bool) {
	always := map[pg.MergeMatchKind]bool{}
	for _, n := range clauses {
		c := n.GetMergeWhenClause()
		switch {
		case c.CommandType == pg.CmdType_CMD_DELETE && w.target.Kind != scope.StoredTable:
			b.Fail(refuseDelete("MERGE with DELETE"), -1)
		case c.MatchKind == pg.MergeMatchKind_MERGE_WHEN_NOT_MATCHED_BY_SOURCE:
			b.Fail(pgerr.Unsupported("WHEN NOT MATCHED BY SOURCE is not supported").
				WithHint("UPDATE the rows that the source does not have by a statement of their own: WHERE NOT EXISTS (SELECT ...)."), -1)
		}
		if always[c.MatchKind] {
			b.Fail(pgerr.New(pgerr.SyntaxError, "unreachable WHEN clause specified after unconditional WHEN clause"), -1)
		}
		always[c.MatchKind] = c.Condition == nil
		inserts = inserts || c.MatchKind == pg.MergeMatchKind_MERGE_WHEN_NOT_MATCHED_BY_TARGET
	}
	return inserts
}

// whens resolves the clauses: which action the first that is true takes, and
// what each action makes of a row.
func (m *merger) whens(b *query.Binder, n *pg.MergeStmt) {
	key := m.storedColumn(b, m.both.Ranges[0], m.target.Stored[0])
	action := "CASE"
	branches := make([][]string, len(m.target.Columns)) // by column and action
	for _, node := range n.MergeWhenClauses {
		c := node.GetMergeWhenClause()
		below := &scope.Level{Namespace: m.both, CTEs: m.ctes}
		l := &scope.Level{Namespace: m.above, CTEs: m.ctes, Clause: "UPDATE"}
		when := key + " IS NOT NULL"
		if c.MatchKind == pg.MergeMatchKind_MERGE_WHEN_NOT_MATCHED_BY_TARGET {
			when = key + " IS NULL"
			above := othersThanFirst(m.above)
			below = &scope.Level{Namespace: m.source, CTEs: m.ctes, Hidden: m.hidden}
			l = &scope.Level{Namespace: above, CTEs: m.ctes, Hidden: m.hidden, Clause: "VALUES"}
		}
		if c.Condition != nil {
			below.Clause = "MERGE WHEN conditions"
			when += " AND " + b.Condition(c.Condition, below, "WHEN").SQL
			below.Clause = ""
		}
		result := "NULL"
		if c.CommandType != pg.CmdType_CMD_NOTHING {
			result = strconv.Itoa(len(m.actions))
			for i, v := range m.branch(b, c, l, below) {
				branches[i] = append(branches[i], v)
			}
		}
		action += " WHEN " + when + " THEN " + result
	}
	m.action.sql = "CAST(" + action + " END AS BIGINT)"
	for i, c := range m.target.Columns {
		m.set(i, coercion.NullOf(c.Type))
		if len(m.actions) > 0 {
			m.set(i, m.choose(branches[i]))
		}
	}
}

// branch resolves one action and returns the new row.
func (m *merger) branch(b *query.Binder, c *pg.MergeWhenClause, l, below *scope.Level) []string {
	out := make([]string, len(m.target.Columns))
	old := m.above.Ranges[0]
	if c.CommandType == pg.CmdType_CMD_UPDATE {
		set := setter{w: m.builder, l: l, below: below, old: old}.set(b, c.TargetList)
		m.actions = append(m.actions, Action{Kind: Updates, Assigned: m.assigned(set)})
		for i := range out {
			out[i] = m.updatedValue(b, set, old, i)
		}
		return out
	}
	if c.CommandType == pg.CmdType_CMD_DELETE {
		m.actions = append(m.actions, Action{Kind: Deletes})
		for i := range out {
			out[i] = b.ColumnExpr(old.Columns[i], -1, nil).SQL
		}
		return out
	}
	in := &insertion{target: m.target, names: m.names, relation: m.target.Table, tree: b.Stmt.Tree}
	in.columns(b, c.TargetList)
	var values []scope.Expr
	for _, v := range c.Values {
		values = append(values, b.ValueOrDefault(v, l))
	}
	if len(values) == 0 { // DEFAULT VALUES
		in.given = nil
	} else {
		in.match(b, values)
		in.given = in.given[:len(values)]
	}
	for i := range m.target.Columns {
		p := in.place(i)
		if p < 0 || c.Values[p].GetSetToDefault() != nil {
			out[i] = defaults.ValueOrNull(b.Binder, m.target, i).SQL
			continue
		}
		if in.override = c.Override; in.generated(b, i) {
			out[i] = defaults.ValueOrNull(b.Binder, m.target, i).SQL
			continue
		}
		out[i] = coercion.StoredValue(m.target, b.Assign(values[p], m.target, i).SQL, i)
	}
	m.actions = append(m.actions, Action{Kind: Inserts, Assigned: in.assigned()})
	return out
}

// actionName is the value of merge_action() for a row.
func (m *merger) actionName() string {
	names := make([]string, len(m.actions))
	for i, a := range m.actions {
		names[i] = map[ActionKind]string{Inserts: "INSERT", Updates: "UPDATE"}[a.Kind]
	}
	s := "CASE " + m.fresh.of(m.columns[0])
	for i, name := range names {
		s += " WHEN " + strconv.Itoa(i) + " THEN " + enginesql.Literal(name)
	}
	if len(names) == 0 {
		return "CAST(NULL AS VARCHAR)"
	}
	return s + " END"
}

// refuseDelete is the error of an action that would remove rows of a type.
func refuseDelete(what string) *pgerr.Error {
	return pgerr.Unsupported("%s is not supported", what).
		WithHint("The history of an ontology is append-only; nothing is ever removed from it. UPDATE a column that marks the row as gone.")
}
