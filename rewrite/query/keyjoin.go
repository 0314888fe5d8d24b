package query

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// maxKeySteps is the number of types up to which a join is a chain of look-ups.
const maxKeySteps = 3

// keyJoin is a reference of a FROM clause with the conditions that join it to those before it.
type keyJoin struct {
	ref   int
	outer bool
	on    []conjunct
}

// conjunct is one of several conditions that must hold, which has been resolved once, and the level that
// its names are of.
type conjunct struct {
	*pg.Node
	level *scope.Level
}

// conjunctsOf are the conditions that AND connects.
func conjunctsOf(condition *pg.Node, l *scope.Level) []conjunct {
	var list []conjunct
	for _, n := range scope.Conjuncts(condition) {
		list = append(list, conjunct{n, l})
	}
	return list
}

// usingConjuncts are the conditions of USING (names), nil if one is about a column of no relation.
func usingConjuncts(names []string, left, right scope.Namespace, l *scope.Level) []conjunct {
	side := func(ns scope.Namespace, name string) *pg.Node {
		i := slices.IndexFunc(ns.Columns, func(c *scope.Column) bool { return c.Name == name })
		if i < 0 || ns.Columns[i].Range == nil {
			return nil
		}
		fields := []*pg.Node{pg.MakeStrNode(ns.Columns[i].Range.Alias), pg.MakeStrNode(name)}
		if schema := ns.Columns[i].Range.Schema; schema != "" {
			fields = slices.Insert(fields, 0, pg.MakeStrNode(schema))
		}
		return pg.MakeColumnRefNode(fields, -1)
	}
	var list []conjunct
	for _, name := range names {
		a, b := side(left, name), side(right, name)
		if a == nil || b == nil {
			return nil
		}
		equal := &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_OP, Name: []*pg.Node{pg.MakeStrNode("=")}, Lexpr: a, Rexpr: b, Location: -1}
		list = append(list, conjunct{&pg.Node{Node: &pg.Node_AExpr{AExpr: equal}}, l})
	}
	return list
}

// keyJoins are the references of a FROM clause of types that are joined one after the other, nil for
// any other FROM clause, and where they are not all references of the statement.
func (b *Binder) keyJoins(s *pg.SelectStmt) []keyJoin {
	if len(s.FromClause) != 1 || len(b.Refs) > maxKeySteps {
		return nil
	}
	joins := b.keyJoin(nil, s.FromClause[0])
	if len(joins) != len(b.Refs) {
		return nil
	}
	return joins
}

func (b *Binder) keyJoin(to []keyJoin, n *pg.Node) []keyJoin {
	if j := n.GetJoinExpr(); j != nil {
		if j.Jointype != pg.JoinType_JOIN_INNER && j.Jointype != pg.JoinType_JOIN_LEFT || len(b.joined[j]) == 0 || j.Alias != nil || j.Rarg.GetJoinExpr() != nil {
			return nil
		}
		if to = b.keyJoin(to, j.Larg); to == nil {
			return nil
		}
		if to = b.keyJoin(to, j.Rarg); to == nil {
			return nil
		}
		last := &to[len(to)-1]
		last.outer, last.on = j.Jointype == pg.JoinType_JOIN_LEFT, b.joined[j]
		return to
	}
	ref, ok := -1, false
	if v := n.GetRangeVar(); v != nil {
		ref, ok = b.Stmt.RangeRefs[v]
	} else if f := n.GetRangeFunction(); f != nil {
		ref, ok = b.Stmt.CallRefs[f]
	}
	if !ok || b.Shapes[ref].Kind != scope.TypeTable || b.Refs[ref].Part > 0 {
		return nil
	}
	return append(to, keyJoin{ref: ref})
}

// keySteps finds an order in which the keys of each reference are known when it is read. The rest are the conditions of
// WHERE and of inner joins that say nothing of these keys. ok is false if there is no such order.
func (b *Binder) keySteps(k *scope.KeyQuery, joins []keyJoin, where []conjunct) (rest []conjunct, ok bool) {
	rest = slices.Clone(where)
	for _, j := range joins {
		if !j.outer {
			rest = append(rest, j.on...)
		}
	}
	known := map[int]bool{}
	for len(joins) > 0 {
		next := slices.IndexFunc(joins, func(j keyJoin) bool {
			step := scope.KeyStep{Ref: j.ref, Outer: j.outer}
			from := rest
			if j.outer {
				from = j.on
			}
			var others []conjunct
			for _, n := range from {
				if c, is := b.stepCondition(n, j.ref, known); is {
					step.Keys = append(step.Keys, c)
				} else {
					others = append(others, n)
				}
			}
			if j.outer && len(others) > 0 || !slices.ContainsFunc(step.Keys, func(c scope.KeyCondition) bool { return c.Place == 0 }) {
				return false
			}
			if k.Steps = append(k.Steps, step); !j.outer {
				rest = others
			}
			return true
		})
		if next < 0 {
			return nil, false
		}
		known[joins[next].ref] = true
		joins = slices.Delete(slices.Clone(joins), next, next+1)
	}
	return rest, !k.Steps[0].Outer
}

// stepCondition is a condition on a key column of a reference, with values that are known when the
// rows of some references are; false where n is anything else.
func (b *Binder) stepCondition(n conjunct, ref int, known map[int]bool) (scope.KeyCondition, bool) {
	if f, c, ok := b.keyCondition(n); ok {
		return c, f.Range.Ref == ref
	}
	x := n.GetAExpr()
	if x == nil || x.Kind != pg.A_Expr_Kind_AEXPR_OP || x.Lexpr.GetColumnRef() == nil || x.Rexpr.GetColumnRef() == nil {
		return scope.KeyCondition{}, false
	}
	if op := syntax.Strings(x.Name); op[len(op)-1] != "=" {
		return scope.KeyCondition{}, false
	}
	key, other := b.BoundColumn(x.Lexpr, n.level), b.BoundColumn(x.Rexpr, n.level)
	if key == nil || other == nil {
		return scope.KeyCondition{}, false
	}
	if key.Range.Ref != ref {
		key, other = other, key
	}
	of, ok := keyColumn(other)
	if !ok || key.Range.Ref != ref || !known[other.Range.Ref] {
		return scope.KeyCondition{}, false
	}
	place, ty := b.keyPlace(key)
	if place < 0 || keyType(other.Type.OID) != ty {
		return scope.KeyCondition{}, false
	}
	return scope.KeyCondition{Place: place, Type: ty, Values: []scope.KeyValue{{Column: &of}}}, true
}

// keyType is the type of keys whose values a column of a type has, 0 for none.
func keyType(oid uint32) uint32 {
	switch {
	case types.IsInteger(oid):
		return types.Int8
	case oid == types.UUID:
		return types.UUID
	case scope.SameValue(oid, types.Text):
		return types.Text
	}
	return 0
}
