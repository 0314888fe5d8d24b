package query

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// keyCondition is a condition on a key column f, by =, IN or = ANY with values that are known before
// a row is read; false where n is anything else.
func (b *Binder) keyCondition(n conjunct) (f *scope.Column, k scope.KeyCondition, ok bool) {
	x := n.GetAExpr()
	if x == nil || x.Lexpr == nil || x.Rexpr == nil {
		return nil, k, false
	}
	if op := syntax.Strings(x.Name); len(op) == 0 || op[len(op)-1] != "=" {
		return nil, k, false
	}
	column, given := x.Lexpr, []*pg.Node{x.Rexpr}
	switch x.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		if x.Lexpr.GetColumnRef() == nil {
			column, given = x.Rexpr, []*pg.Node{x.Lexpr}
		}
	case pg.A_Expr_Kind_AEXPR_IN:
		given = x.Rexpr.GetList().GetItems()
	case pg.A_Expr_Kind_AEXPR_OP_ANY:
	default:
		return nil, k, false
	}
	if f = b.BoundColumn(column, n.level); f == nil {
		return nil, k, false
	}
	if k.Place, k.Type = b.keyPlace(f); k.Place < 0 {
		return nil, k, false
	}
	if x.Kind == pg.A_Expr_Kind_AEXPR_OP_ANY {
		k.Values, ok = b.keyArray(x.Rexpr, k.Type)
		return f, k, ok
	}
	for _, value := range given {
		if k.Values, ok = b.addKeyValue(k.Values, value, k.Type); !ok {
			return nil, k, false
		}
	}
	return f, k, true
}

// keyPlace is the place of a column in the key of its type, and the type of its values; -1 for no
// key column, and for one of another type.
func (b *Binder) keyPlace(f *scope.Column) (place int, ty uint32) {
	if f.System && f.Source == "entity_key" {
		return 0, types.Text
	}
	if ty = keyType(f.Type.OID); f.System || ty == 0 {
		return -1, 0
	}
	return slices.Index(b.Shapes[f.Range.Ref].Key, f.Source), ty
}

// addKeyValue adds a constant or a parameter to the values of a key column; false where n is anything else.
// NULL adds none.
func (b *Binder) addKeyValue(to []scope.KeyValue, n *pg.Node, ty uint32) ([]scope.KeyValue, bool) {
	if bare, _ := b.uncast(n); bare.GetAConst().GetIsnull() {
		return to, true
	}
	o, ok := b.Operand(n, types.Of(ty))
	if ty == types.UUID {
		o, ok = b.uuidOperand(n)
	}
	return append(to, scope.KeyValue{Operand: o}), ok
}

// uuidOperand is Operand for a uuid.
func (b *Binder) uuidOperand(n *pg.Node) (enginesql.Operand, bool) {
	n, to := b.uncast(n)
	if to != 0 && to != types.UUID {
		return enginesql.Operand{}, false
	}
	if p := n.GetParamRef(); p != nil {
		return enginesql.Operand{Param: int(p.Number)}, b.Params.See(int(p.Number)).OID == types.UUID
	}
	c := n.GetAConst().GetSval()
	if c == nil {
		return enginesql.Operand{}, false
	}
	text, err := input.Canonical(c.Sval, types.Of(types.UUID), datetime.TimeInput{})
	return enginesql.Operand{Text: text}, err == nil
}

// keyArray are the values of an array that a key column is compared with by ANY; false where they
// are not known before a row is read.
func (b *Binder) keyArray(n *pg.Node, ty uint32) (values []scope.KeyValue, ok bool) {
	bare, to := b.uncast(n)
	if elem, array := types.Of(to).Elem(); to != 0 && !(array && sameKeyType(elem.OID, ty)) {
		return nil, false
	}
	if p := bare.GetParamRef(); p != nil {
		elem, array := b.Params.See(int(p.Number)).Elem()
		return []scope.KeyValue{{Operand: enginesql.Operand{Param: int(p.Number)}, Array: true}}, array && sameKeyType(elem.OID, ty)
	}
	if list := bare.GetAArrayExpr(); list != nil {
		for _, item := range list.Elements {
			if values, ok = b.addKeyValue(values, item, ty); !ok {
				return nil, false
			}
		}
		return values, true
	}
	c := bare.GetAConst()
	if c.GetIsnull() {
		return nil, true
	}
	if c.GetSval() == nil {
		return nil, false
	}
	items, lengths, err := input.Array(c.GetSval().Sval)
	if err != nil || len(lengths) > 1 {
		return nil, false
	}
	for _, item := range items {
		if item == nil {
			continue
		}
		text, err := input.Canonical(*item, types.Of(ty), datetime.TimeInput{})
		if err != nil {
			return nil, false
		}
		values = append(values, scope.KeyValue{Operand: enginesql.Operand{Text: text}})
	}
	return values, true
}

// sameKeyType reports whether values of a type are the same digits or characters as those of a key.
func sameKeyType(oid, key uint32) bool { return oid == key || scope.SameValue(oid, key) }

// uncast is the operand of a cast to a type without a modifier, and the type's OID; n and 0 where n is
// anything else.
func (b *Binder) uncast(n *pg.Node) (*pg.Node, uint32) {
	c := n.GetTypeCast()
	if c == nil {
		return n, 0
	}
	to, err := syntax.TypeOf(b.Stmt.Tree, c.TypeName)
	if err != nil || to.Typmod >= 0 || to.ExtraDims > 0 {
		return n, 0
	}
	return c.Arg, to.OID
}
