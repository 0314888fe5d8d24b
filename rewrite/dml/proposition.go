package dml

import (
	"math/big"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// proposition is a condition that is taken apart, so that implies finds what follows from it.
type proposition struct {
	all []proposition // of AND
	any []proposition // of OR

	// Of a condition that is neither:
	sql     string
	strict  []string // expressions that are not NULL if it is true, as SQL
	notNull string   // the expression of IS NOT NULL

	// Of a comparison with a constant:
	left, operator string
	right          constant
}

// constant is a literal: a number or a text.
type constant struct {
	number *big.Rat
	whole  bool // the number is an integer, which is not compared with others
	text   string
	exact  bool // texts that differ have values that differ
}

// storedProposition is a condition that is stored as a text.
func storedProposition(b *query.Binder, text string, l *scope.Level) (p proposition) {
	defaults.Within(b.Binder, text, func(n *pg.Node) { p = propositionOf(b, n, l) })
	return p
}

// propositionOf takes a condition apart.
func propositionOf(b *query.Binder, n *pg.Node, l *scope.Level) (p proposition) {
	list := func(nodes []*pg.Node) (out []proposition) {
		for _, n := range nodes {
			out = append(out, propositionOf(b, n, l))
		}
		return out
	}
	switch x := n.GetBoolExpr(); {
	case x == nil:
	case x.Boolop == pg.BoolExprType_AND_EXPR:
		return proposition{all: list(x.Args)}
	case x.Boolop == pg.BoolExprType_OR_EXPR:
		return proposition{any: list(x.Args)}
	default:
		if other := negated(x.Args[0]); other != nil {
			return propositionOf(b, other, l)
		}
	}
	x := n.GetAExpr()
	compare := func(operator string, right *pg.Node) *pg.Node {
		return pg.MakeAExprNode(pg.A_Expr_Kind_AEXPR_OP, []*pg.Node{pg.MakeStrNode(operator)}, x.Lexpr, right, x.Location)
	}
	switch x.GetKind() {
	case pg.A_Expr_Kind_AEXPR_IN:
		operator := syntax.Strings(x.Name)[0]
		var members []*pg.Node
		for _, m := range x.Rexpr.GetList().GetItems() {
			members = append(members, compare(operator, m))
		}
		if operator == "=" {
			return proposition{any: list(members)}
		}
		return proposition{all: list(members)}
	case pg.A_Expr_Kind_AEXPR_BETWEEN:
		limits := x.Rexpr.GetList().GetItems()
		return proposition{all: list([]*pg.Node{compare(">=", limits[0]), compare("<=", limits[1])})}
	case pg.A_Expr_Kind_AEXPR_OP:
		p.compare(b, x, l)
	}
	p.sql = b.Expr(n, l).SQL
	p.strict = append(p.strict, p.sql)
	if t := n.GetNullTest(); t.GetNulltesttype() == pg.NullTestType_IS_NOT_NULL {
		p.notNull = b.Expr(t.Arg, l).SQL
		p.strict = append(p.strict, p.notNull)
	}
	return p
}

// negated is the negation of a condition without NOT, nil if there is none.
func negated(n *pg.Node) *pg.Node {
	switch x := n.Node.(type) {
	case *pg.Node_BoolExpr:
		var args []*pg.Node
		for _, a := range x.BoolExpr.Args {
			if x.BoolExpr.Boolop == pg.BoolExprType_NOT_EXPR {
				return a
			}
			args = append(args, pg.MakeBoolExprNode(pg.BoolExprType_NOT_EXPR, []*pg.Node{a}, x.BoolExpr.Location))
		}
		other := pg.BoolExprType_OR_EXPR
		if x.BoolExpr.Boolop == other {
			other = pg.BoolExprType_AND_EXPR
		}
		return pg.MakeBoolExprNode(other, args, x.BoolExpr.Location)
	case *pg.Node_AExpr:
		e := x.AExpr
		if other := negators[syntax.Strings(e.Name)[len(e.Name)-1]]; other != "" && (e.Kind == pg.A_Expr_Kind_AEXPR_OP || e.Kind == pg.A_Expr_Kind_AEXPR_IN) {
			return pg.MakeAExprNode(e.Kind, []*pg.Node{pg.MakeStrNode(other)}, e.Lexpr, e.Rexpr, e.Location)
		}
	case *pg.Node_NullTest:
		other := pg.NullTestType_IS_NULL
		if x.NullTest.Nulltesttype == other {
			other = pg.NullTestType_IS_NOT_NULL
		}
		return &pg.Node{Node: &pg.Node_NullTest{NullTest: &pg.NullTest{Arg: x.NullTest.Arg, Nulltesttype: other, Location: x.NullTest.Location}}}
	}
	return nil
}

// negators are the operators of comparisons, with those that are true where they are false.
var negators = map[string]string{"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// commuted are the operators of comparisons, with those that have the operands the other way
// round.
var commuted = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// compare takes a comparison apart.
func (p *proposition) compare(b *query.Binder, x *pg.A_Expr, l *scope.Level) {
	operator := syntax.Strings(x.Name)
	other := commuted[operator[len(operator)-1]]
	if other == "" || x.Lexpr == nil {
		return
	}
	left, right := b.Expr(x.Lexpr, l), b.Expr(x.Rexpr, l)
	p.strict = append(p.strict, left.SQL, right.SQL)
	if c, ok := constantOf(x.Rexpr, left.Type); ok {
		p.left, p.operator, p.right = left.SQL, operator[len(operator)-1], c
	} else if c, ok := constantOf(x.Lexpr, right.Type); ok {
		p.left, p.operator, p.right = right.SQL, other, c
	}
}

// constantOf is a literal that is compared with an expression of a type.
func constantOf(n *pg.Node, with types.Type) (c constant, ok bool) {
	switch v := n.GetAConst().GetVal().(type) {
	case *pg.A_Const_Ival:
		c.number, c.whole = big.NewRat(int64(v.Ival.Ival), 1), true
	case *pg.A_Const_Fval:
		if c.number, ok = new(big.Rat).SetString(v.Fval.Fval); !ok {
			return c, false
		}
	case *pg.A_Const_Sval:
		c.text, c.exact = v.Sval.Sval, with.OID == types.Text || with.OID == types.Varchar
	default:
		return c, false
	}
	return c, true
}

// implies reports whether another condition is true of each row that this one is true of, as far
// as PostgreSQL finds that out (predicate_implied_by).
func (p proposition) implies(q proposition) bool {
	switch {
	case p.any != nil:
		return !slices.ContainsFunc(p.any, func(p proposition) bool { return !p.implies(q) })
	case q.all != nil:
		return !slices.ContainsFunc(q.all, func(q proposition) bool { return !p.implies(q) })
	case q.any != nil && slices.ContainsFunc(q.any, p.implies):
		return true
	case p.all != nil:
		return slices.ContainsFunc(p.all, func(p proposition) bool { return p.implies(q) })
	case q.any != nil:
		return false
	}
	return p.sql == q.sql || q.notNull != "" && slices.Contains(p.strict, q.notNull) ||
		p.left != "" && p.left == q.left && p.right.is(proofs[p.operator][q.operator], q.right)
}

// proofs are the comparisons of constants: if x stands in the first relation to c, and c in the
// one that the table gives to d, then x stands in the second relation to d (PostgreSQL's
// BT_implic_table).
var proofs = map[string]map[string]string{
	"<":  {"<": "<=", "<=": "<=", "<>": "<="},
	"<=": {"<": "<", "<=": "<=", "<>": "<"},
	"=":  {"<": "<", "<=": "<=", "=": "=", ">=": ">=", ">": ">", "<>": "<>"},
	">=": {">=": ">=", ">": ">", "<>": ">"},
	">":  {">=": ">=", ">": ">=", "<>": ">="},
	"<>": {"<>": "="},
}

// is reports whether a constant stands in a relation to another one. Of texts only equality is
// known.
func (c constant) is(operator string, d constant) bool {
	order := 0
	switch {
	case operator == "" || (c.number == nil) != (d.number == nil) || c.whole != d.whole:
		return false
	case c.number != nil:
		order = c.number.Cmp(d.number)
	case c.text != d.text:
		return operator == "<>" && c.exact && d.exact
	}
	switch operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case "=":
		return order == 0
	case ">=":
		return order >= 0
	case ">":
		return order > 0
	}
	return order != 0
}
