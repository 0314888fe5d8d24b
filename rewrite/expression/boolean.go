package expression

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// MaxFlatConditions bounds the conditions that one AND or OR joins. The engine compares each
// with every other while it plans and cannot be interrupted: 16,000 equalities took 5 to 10 s,
// 4,000 of (a = 1 AND b = 1) more than 30 s, growing at least with the square.
const MaxFlatConditions = 64

// conditions joins conditions with AND or OR. More than wide are joined in groups, which
// the engine takes for terms of their own: 50,000 are planned in 2 s. With AND the first
// remain in its sight, which looks for keys and joins among them.
func conditions(word string, parts []string) string {
	seen := 0
	if word == "AND" {
		seen = MaxFlatConditions
	}
	for len(parts) > seen+MaxFlatConditions {
		groups := slices.Clone(parts[:seen])
		for group := range slices.Chunk(parts[seen:], MaxFlatConditions) {
			groups = append(groups, "(("+strings.Join(group, " "+word+" ")+") = TRUE)")
		}
		parts = groups
	}
	return "(" + strings.Join(parts, " "+word+" ") + ")"
}

// boolTerms are the conditions that AND or OR joins. Of many, equalities come first; and
// those of one column with constants become a list, as do inequalities with AND. plain are the
// conditions as they are evaluated without the engine, nil those that are not.
func (b *Binder) boolTerms(n *pg.BoolExpr, l *scope.Level, word string) (parts []string, plain []*rowexpr.Expr, agg bool) {
	args := n.Args
	listed := ""
	if len(args) > MaxFlatConditions {
		listed = map[string]string{"OR": "=", "AND": "<>"}[word]
		args = slices.Clone(args)
		slices.SortStableFunc(args, func(x, y *pg.Node) int { return rank(x) - rank(y) })
	}
	var heads []string // of the lists
	lists := map[string][]string{}
	for _, a := range args {
		if x := a.GetAExpr(); x != nil && listed != "" && comparesColumn(x, listed) {
			left, right := b.operand(x.Lexpr, l), b.operand(x.Rexpr, l)
			left, right = b.coerceOperands(listed, withTypeOf(left, right), withTypeOf(right, left), x.Location)
			if lists[left.SQL] == nil {
				heads = append(heads, left.SQL)
			}
			lists[left.SQL] = append(lists[left.SQL], right.SQL)
			continue
		}
		e := b.Expr(a, l)
		agg = agg || e.HasAggs
		if e.Type.OID != types.Bool && e.Type.OID != types.Unknown {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "argument of %s must be type boolean, not type %s", word, e.Type), syntax.Location(a))
		}
		e = b.Coerce(e, types.Of(types.Bool), types.ImplicitCast)
		parts, plain = append(parts, e.SQL), append(plain, e.Plain())
	}
	in := map[string]string{"=": " IN (", "<>": " NOT IN ("}[listed]
	for _, head := range heads {
		parts, plain = append(parts, "("+head+in+strings.Join(lists[head], ", ")+"))"), append(plain, nil)
	}
	return parts, plain, agg
}

// rank is 0 for an equality, by which rows are found and joined, and 1 for any other
// condition.
func rank(n *pg.Node) int {
	if x := n.GetAExpr(); x != nil && x.Kind == pg.A_Expr_Kind_AEXPR_OP && syntax.Strings(x.Name)[len(x.Name)-1] == "=" {
		return 0
	}
	return 1
}

// comparesColumn says whether a condition compares a column with a constant or parameter.
func comparesColumn(x *pg.A_Expr, op string) bool {
	return x.Kind == pg.A_Expr_Kind_AEXPR_OP && len(x.Name) == 1 && syntax.Strings(x.Name)[0] == op &&
		x.Lexpr.GetColumnRef() != nil && (x.Rexpr.GetParamRef() != nil || x.Rexpr.GetAConst() != nil && !x.Rexpr.GetAConst().Isnull)
}

// MaxTargets is how many outputs a SELECT has at most (MaxTupleAttributeNumber of
// PostgreSQL); what it is ordered and grouped by is among them.
const MaxTargets = 1664

// CheckTargets refuses a target list of more entries than PostgreSQL allows (54011).
func (b *Binder) CheckTargets(n int) {
	if n > MaxTargets {
		b.Fail(pgerr.New(pgerr.TooManyColumns, "target lists can have at most %d entries", MaxTargets), -1)
	}
}
