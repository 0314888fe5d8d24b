package scope

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// bounds are what the WHERE clause says about the rows of one reference, in
// conditions that a row must meet to be used at all.
type bounds struct {
	lower, upper []Bound
	keys         map[string][]enginesql.Operand
	times        []TimeBound
}

// lookAround are the columns whose values come from other versions of the same
// identity: with one of them used, a version outside the bounds still decides a
// value inside (decision A8).
var lookAround = []string{"valid_to", "valid_to_commit", "is_current", "change", "changed_fields", "before"}

// prunable reports whether bounds on commit_id may leave out whole versions of
// reference i.
func (b *State) prunable(i int) bool {
	s := b.Shapes[i].Schema
	if s != "history" && s != "changes" && !b.Refs[i].All {
		return false
	}
	for _, c := range lookAround {
		if b.Uses[i].Columns[c] || b.Uses[i].System[c] {
			return false
		}
	}
	return true
}

// CollectBounds reads the conjuncts of a WHERE clause. They are strict, so that
// they also hold for relations inside outer joins: a row that fails one, and the
// row of NULLs that would replace it, are both dropped.
func (b *State) CollectBounds(n *pg.Node, l *Level) {
	if x := n.GetBoolExpr(); x != nil && x.Boolop == pg.BoolExprType_AND_EXPR {
		for _, a := range x.Args {
			b.CollectBounds(a, l)
		}
		return
	}
	x := n.GetAExpr()
	if x == nil {
		return
	}
	switch x.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		op := syntax.Strings(x.Name)
		b.compareBound(op[len(op)-1], x.Lexpr, x.Rexpr, l)
	case pg.A_Expr_Kind_AEXPR_BETWEEN:
		items := x.Rexpr.GetList().GetItems()
		b.compareBound(">=", x.Lexpr, items[0], l)
		b.compareBound("<=", x.Lexpr, items[1], l)
	case pg.A_Expr_Kind_AEXPR_IN:
		if op := syntax.Strings(x.Name); op[0] == "=" {
			b.keyBound(x.Lexpr, x.Rexpr.GetList().GetItems(), l)
		}
	}
}

func (b *State) compareBound(op string, left, right *pg.Node, l *Level) {
	f, other := b.BoundColumn(left, l), right
	if f == nil {
		f, other = b.BoundColumn(right, l), left
		op = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	if f == nil || op == "" {
		return
	}
	ref := f.Range.Ref
	if op == "=" {
		b.KeepKey(f, []*pg.Node{other})
	}
	b.timeBound(f, op, other)
	if f.Source != "commit_id" {
		return
	}
	o, ok := b.Operand(other, f.Type)
	if !ok {
		return
	}
	v := Bound{Param: o.Param}
	if o.Param == 0 {
		n, err := strconv.ParseInt(o.Text, 10, 64)
		if err != nil {
			return
		}
		v.Value = n
	}
	before := v
	before.Delta = -1
	bs := &b.Uses[ref].bounds
	switch op {
	case ">":
		bs.lower = append(bs.lower, v)
	case ">=":
		bs.lower = append(bs.lower, before)
	case "<":
		bs.upper = append(bs.upper, before)
	case "<=":
		bs.upper = append(bs.upper, v)
	case "=":
		bs.lower = append(bs.lower, before)
		bs.upper = append(bs.upper, v)
	}
}

// timeBound keeps a comparison of a column of times by which the source may narrow its rows.
func (b *State) timeBound(f *Column, op string, other *pg.Node) {
	ref := f.Range.Ref
	if f.Type.OID != types.TimestampTZ || !slices.Contains(b.Shapes[ref].Narrowing, f.Source) {
		return
	}
	o, ok := b.timeOperand(other)
	if !ok {
		return
	}
	bs := &b.Uses[ref].bounds
	if op == ">" || op == ">=" || op == "=" {
		bs.times = append(bs.times, TimeBound{Column: f.Source, Operand: o})
	}
	if op == "<" || op == "<=" || op == "=" {
		bs.times = append(bs.times, TimeBound{Column: f.Source, Operand: o, Upper: true})
	}
}

// timeOperand is a constant or parameter of type timestamptz.
func (b *State) timeOperand(n *pg.Node) (o enginesql.Operand, ok bool) {
	cast := n.GetTypeCast()
	if cast != nil {
		to, err := syntax.TypeOf(b.Stmt.Tree, cast.TypeName)
		if err != nil || to.Typmod >= 0 || to.OID != types.TimestampTZ {
			return o, false
		}
		n = cast.Arg
	}
	if p := n.GetParamRef(); p != nil {
		return enginesql.Operand{Param: int(p.Number)}, b.Params.See(int(p.Number)).OID == types.TimestampTZ
	}
	c := n.GetAConst()
	if c == nil || c.Isnull || c.GetSval() == nil {
		return o, false
	}
	text, _ := syntax.ConstText(c)
	return enginesql.Operand{Text: text}, true
}

// BoundColumn is the column of a reference that n names, of this level or of the subqueries and
// views of its FROM, nil if n is anything else.
func (b *State) BoundColumn(n *pg.Node, l *Level) *Column {
	return b.levelColumn(n, l).OfReference()
}

// levelColumn is the column of the FROM clause of this level that n names, nil if n is anything
// else.
func (b *State) levelColumn(n *pg.Node, l *Level) *Column {
	c := n.GetColumnRef()
	if c == nil || c.Fields[len(c.Fields)-1].GetString_() == nil {
		return nil
	}
	names := syntax.Strings(c.Fields)
	var f *Column
	var at *Level
	if len(names) == 1 {
		f, at = l.FindColumn(b, names[0], c.Location)
	} else {
		var r *RangeEntry
		if r, at = b.Qualifier(names[:len(names)-1], l, c.Location); r != nil {
			f = r.Column(names[len(names)-1])
		}
	}
	if f == nil || at != l || f.Range == nil {
		return nil
	}
	return f
}

func (b *State) keyBound(left *pg.Node, values []*pg.Node, l *Level) {
	if f := b.BoundColumn(left, l); f != nil {
		b.KeepKey(f, values)
	}
}

// KeepKey keeps the values a key column may have, if all of them are constants, and few
// enough to look for each.
func (b *State) KeepKey(f *Column, values []*pg.Node) {
	if len(values) >= MinListParams {
		return
	}
	ref := f.Range.Ref
	isKey := slices.Contains(b.Shapes[ref].Narrowing, f.Source)
	for _, k := range b.Shapes[ref].Key {
		isKey = isKey || k == f.Source
	}
	if !isKey && f.Source != "entity_key" && f.Source != "instance_key" {
		return
	}
	var os []enginesql.Operand
	for _, n := range values {
		o, ok := b.Operand(n, f.Type)
		if !ok {
			return
		}
		os = append(os, o)
	}
	bs := &b.Uses[ref].bounds
	if bs.keys == nil {
		bs.keys = map[string][]enginesql.Operand{}
	}
	if _, ok := bs.keys[f.Source]; !ok {
		bs.keys[f.Source] = os
	}
}

// KeyFilter is the text of a WHERE clause. It is put between placeholders if it has only
// conditions on the key of the single reference of its SELECT: then Bind can leave it out. A
// list of parameters is not left out, because the SQL would have no place for it.
func (b *State) KeyFilter(text string, s *pg.SelectStmt, l *Level) string {
	if strings.Contains(text, "\x00"+string(enginesql.ParamList)) || len(s.FromClause) != 1 || s.FromClause[0].GetRangeVar() == nil && s.FromClause[0].GetRangeFunction() == nil {
		return text
	}
	seen := map[string]bool{}
	ref := -1
	for _, n := range Conjuncts(s.WhereClause) {
		f := b.keyCondition(n, l)
		if f == nil || f.Range.Ref < 0 || seen[f.Source] || b.Uses[f.Range.Ref].bounds.keys[f.Source] == nil {
			return text
		}
		seen[f.Source], ref = true, f.Range.Ref
	}
	return enginesql.Placeholder(enginesql.KeyCondition, ref) + text + enginesql.Placeholder(enginesql.KeyConditionEnd, ref)
}

// Conjuncts are the conditions that all must hold for n to hold.
func Conjuncts(n *pg.Node) []*pg.Node {
	x := n.GetBoolExpr()
	if x == nil || x.Boolop != pg.BoolExprType_AND_EXPR {
		return []*pg.Node{n}
	}
	var list []*pg.Node
	for _, a := range x.Args {
		list = append(list, Conjuncts(a)...)
	}
	return list
}

// keyCondition is the column that a condition says equality of, nil where it says
// anything else.
func (b *State) keyCondition(n *pg.Node, l *Level) *Column {
	x := n.GetAExpr()
	if x == nil {
		return nil
	}
	op := syntax.Strings(x.Name)
	if op[len(op)-1] != "=" {
		return nil
	}
	switch x.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		if f := b.levelColumn(x.Lexpr, l); f != nil {
			return f
		}
		return b.levelColumn(x.Rexpr, l)
	case pg.A_Expr_Kind_AEXPR_IN:
		return b.levelColumn(x.Lexpr, l)
	}
	return nil
}

// Operand is a constant or parameter that a column of type ty is compared with: the text of a
// text, the canonical digits of an integer, as keys are stored. A cast to a type of the
// column's own class does not change the value and is ignored; any other cast makes another
// value.
func (b *State) Operand(n *pg.Node, ty types.Type) (enginesql.Operand, bool) {
	if c := n.GetTypeCast(); c != nil {
		to, err := syntax.TypeOf(b.Stmt.Tree, c.TypeName)
		if err != nil || to.Typmod >= 0 || !SameValue(to.OID, ty.OID) {
			return enginesql.Operand{}, false
		}
		n = c.Arg
	}
	if p := n.GetParamRef(); p != nil {
		return enginesql.Operand{Param: int(p.Number)}, SameValue(b.Params.See(int(p.Number)).OID, ty.OID)
	}
	c := n.GetAConst()
	if c == nil || c.Isnull {
		return enginesql.Operand{}, false
	}
	text, _ := syntax.ConstText(c)
	if types.IsInteger(ty.OID) {
		v, err := strconv.ParseInt(text, 10, 64)
		return enginesql.Operand{Text: strconv.FormatInt(v, 10)}, err == nil
	}
	return enginesql.Operand{Text: text}, SameValue(ty.OID, types.Text) && c.GetSval() != nil
}

// SameValue reports whether a value of one type is the same digits or characters
// as one of the other.
func SameValue(a, b uint32) bool {
	text := func(oid uint32) bool { return oid == types.Text || oid == types.Varchar }
	return types.IsInteger(a) && types.IsInteger(b) || text(a) && text(b)
}

// MinListParams is the number of constants from which a list is passed to the engine as one
// text. Planning a constant takes 8 µs and a kibibyte, and cannot be interrupted.
const MinListParams = 10_000
