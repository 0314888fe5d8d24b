package query

import (
	"cmp"
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// checkRecursion refuses what PostgreSQL's checkWellFormedRecursion refuses of a query
// that reads itself, and reports whether s does. One with a reference elsewhere would not
// end in the engine, or would have other rows.
func (b *Binder) checkRecursion(c *pg.CommonTableExpr, s *pg.SelectStmt) bool {
	refuse := func(loc int32, format string, args ...any) {
		b.Fail(pgerr.New(pgerr.InvalidRecursion, "recursive reference to query %q must not appear "+format, append([]any{c.Ctename}, args...)...), loc)
	}
	within := func(loc int32, place string) { refuse(loc, "within %s", place) }
	if s.Op != pg.SetOperation_SETOP_UNION {
		reads(s.ProtoReflect(), c.Ctename, "", func(int32, string) {
			b.Fail(pgerr.New(pgerr.InvalidRecursion, "recursive query %q does not have the form non-recursive-term UNION [ALL] recursive-term", c.Ctename), c.Location)
		})
		return false
	}
	if s.WithClause != nil && readsWith(s.WithClause, c.Ctename, "a subquery", within) {
		return false
	}
	reads(s.Larg.ProtoReflect(), c.Ctename, "its non-recursive term", within)
	count := 0
	reads(s.Rarg.ProtoReflect(), c.Ctename, "", func(loc int32, place string) {
		if place != "" {
			within(loc, place)
		}
		if count++; count > 1 {
			refuse(loc, "more than once")
		}
	})
	if count == 0 {
		return false
	}
	switch {
	case len(s.SortClause) > 0:
		b.Unsupported(syntax.Location(s.SortClause[0].GetSortBy().Node), "ORDER BY in a recursive query is not implemented")
	case s.LimitOffset != nil:
		b.Unsupported(syntax.Location(s.LimitOffset), "OFFSET in a recursive query is not implemented")
	case s.LimitCount != nil:
		b.Unsupported(syntax.Location(s.LimitCount), "LIMIT in a recursive query is not implemented")
	case len(s.LockingClause) > 0:
		b.Unsupported(-1, "FOR UPDATE/SHARE in a recursive query is not implemented")
	}
	for _, n := range append(s.Rarg.TargetList, s.Rarg.HavingClause) {
		if n == nil {
			continue
		}
		syntax.Visit(n.ProtoReflect(), func(m any) bool {
			if _, sub := m.(*pg.SubLink); sub {
				return false
			}
			if f, ok := m.(*pg.FuncCall); ok && f.Over == nil && b.isAggregate(f) {
				b.Fail(pgerr.New(pgerr.InvalidRecursion, "aggregate functions are not allowed in a recursive query's recursive term"), f.Location)
			}
			return true
		})
	}
	return true
}

// reads calls found for every mention of a WITH query below m, with the place where a
// recursive one must not stand, "" for one where it may: within is the place of m.
func reads(m protoreflect.Message, name, within string, found func(loc int32, within string)) {
	places := map[protoreflect.Name]string{}
	place := func(field protoreflect.Name, where string) {
		if within == "" {
			places[field] = where
		}
	}
	switch n := m.Interface().(type) {
	case *pg.RangeVar:
		if n.Schemaname == "" && n.Relname == name {
			found(n.Location, within)
		}
		return
	case *pg.Node:
		if n.GetAConst() != nil {
			return
		}
	case *pg.SelectStmt:
		if n.WithClause != nil && readsWith(n.WithClause, name, within, found) {
			return
		}
		switch {
		case n.Op == pg.SetOperation_SETOP_INTERSECT && n.All:
			place("larg", "INTERSECT")
			place("rarg", "INTERSECT")
		case n.Op == pg.SetOperation_SETOP_EXCEPT && n.All:
			place("larg", "EXCEPT")
			fallthrough
		case n.Op == pg.SetOperation_SETOP_EXCEPT:
			place("rarg", "EXCEPT")
		}
	case *pg.JoinExpr:
		if n.Jointype == pg.JoinType_JOIN_LEFT || n.Jointype == pg.JoinType_JOIN_FULL {
			place("rarg", "an outer join")
		}
		if n.Jointype == pg.JoinType_JOIN_RIGHT || n.Jointype == pg.JoinType_JOIN_FULL {
			place("larg", "an outer join")
		}
	case *pg.SubLink:
		places["subselect"] = "a subquery"
	}
	syntax.VisitChildren(m, func(field protoreflect.Name, child protoreflect.Message) bool {
		if field != "with_clause" {
			reads(child, name, cmp.Or(places[field], within), found)
		}
		return true
	})
}

// readsWith is reads for a WITH clause. It reports whether the clause defines a query of that
// name itself: references after it mean that one.
func readsWith(w *pg.WithClause, name, within string, found func(loc int32, within string)) bool {
	named := func(n *pg.Node) bool { return n.GetCommonTableExpr().Ctename == name }
	if w.Recursive && slices.ContainsFunc(w.Ctes, named) {
		return true
	}
	for _, n := range w.Ctes {
		reads(n.GetCommonTableExpr().Ctequery.ProtoReflect(), name, within, found)
		if named(n) {
			return true
		}
	}
	return false
}

// inOrder are the queries of a WITH RECURSIVE clause, each behind those that it reads.
func (b *Binder) inOrder(ctes []*pg.Node) []*pg.Node {
	first := map[string]*pg.Node{}
	for _, n := range ctes {
		if c := n.GetCommonTableExpr(); first[c.Ctename] == nil {
			first[c.Ctename] = n
		}
	}
	waits := map[*pg.Node][]*pg.Node{}
	for _, n := range ctes {
		query := n.GetCommonTableExpr().Ctequery.ProtoReflect()
		syntax.Visit(query, func(m any) bool {
			v, ok := m.(*pg.RangeVar)
			if other := first[v.GetRelname()]; ok && other != nil && other != n && !slices.Contains(waits[n], other) {
				reads(query, v.Relname, "", func(int32, string) { waits[n] = append(waits[n], other) })
			}
			return true
		})
	}
	var out []*pg.Node
	left := slices.Clone(ctes)
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(n *pg.Node) bool {
			return !slices.ContainsFunc(waits[n], func(other *pg.Node) bool { return slices.Contains(left, other) })
		})
		if i < 0 {
			b.Unsupported(left[0].GetCommonTableExpr().Location, "mutual recursion between WITH items is not implemented")
		}
		out = append(out, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return out
}

func (b *Binder) isAggregate(f *pg.FuncCall) bool {
	names := syntax.Strings(f.Funcname)
	of := functions.ByName[names[len(names)-1]]
	return f.AggStar || f.AggWithinGroup || len(of) > 0 && of[0].Aggregate
}

// grownDigits are those of a numeric that has more in each row of a recursive query than
// in the one before.
var grownDigits = types.Digits{Whole: 20, Frac: 18}

// recursiveDigits are the digits that numerics of a recursive query need, by their
// columns. The engine gives every row the types of the first, which has as few as it can.
func (b *Binder) recursiveDigits(union *pg.SelectStmt, outer *scope.Level, me *scope.CTE, define func(expression.Query)) map[int]types.Digits {
	mark := len(b.ColumnUses)
	defer func() { b.ColumnUses = b.ColumnUses[:mark] }()
	counted := map[int]types.Digits{}
	for last := range 2 {
		var left, right expression.Query
		b.CountApart(func() { left = b.Query(union.Larg, outer, me.Outer) })
		b.SettleUnknown(left)
		b.widenColumns(left)
		for i, c := range left.Columns() {
			if d, ok := counted[i]; ok {
				left.Scale(i, d)
			} else if d := c.Type.Digits(); coercion.IsNumeric(c.Type) && c.Type.Typmod < 4 && d.Known() && last == 0 {
				counted[i] = d
			}
		}
		if len(counted) == 0 {
			return nil
		}
		define(left)
		b.CountApart(func() { right = b.Query(union.Rarg, outer, me) })
		if len(right.Columns()) != len(left.Columns()) {
			return nil // which is refused
		}
		for i, d := range counted {
			both, _ := types.CommonDigits([]types.Type{left.Columns()[i].Type, right.Columns()[i].Type})
			switch {
			case both.Frac > d.Frac && last == 1, !both.Known():
				both = grownDigits
			case both.DisplayScale == 0 && both.Frac > 0:
			default:
				both.DisplayScale = max(both.DisplayScale, d.DisplayScale)
			}
			counted[i] = types.Digits{Whole: types.MaxDigits - both.Frac, Frac: both.Frac, DisplayScale: both.DisplayScale}
		}
	}
	return counted
}

// widenColumns makes the numerics of the first arm of a recursive query wide, where the others may
// make wide ones of them.
func (b *Binder) widenColumns(q expression.Query) {
	for i, c := range q.Columns() {
		if b.Wide && c.Type.OID == types.Numeric && c.Type.Typmod < 4 {
			q.Coerce(b.Binder, i, types.Of(types.WideNumeric))
		}
	}
}

func typesOf(q expression.Query) []types.Type {
	var out []types.Type
	for _, c := range q.Columns() {
		out = append(out, c.Type)
	}
	return out
}

// checkRecursiveTypes refuses a recursive term that would change a column's type.
func (b *Binder) checkRecursiveTypes(name string, first []types.Type, q expression.Query, s *pg.SelectStmt) {
	for i, c := range q.Columns() {
		if i >= len(first) || first[i].OID == c.Type.OID && first[i].Typmod == c.Type.Typmod {
			continue
		}
		loc := int32(-1)
		if left := syntax.LeftmostSelect(s.Larg); i < len(left.TargetList) {
			loc = syntax.Location(left.TargetList[i].GetResTarget().GetVal())
		}
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "recursive query %q column %d has type %s in non-recursive term but type %s overall",
			name, i+1, withMod(first[i]), withMod(c.Type)).WithHint("Cast the output of the non-recursive term to the correct type."), loc)
	}
}

// withMod is the name of a type with its length or size (format_type).
func withMod(ty types.Type) string {
	switch {
	case ty.Typmod >= 4 && (ty.OID == types.Varchar || ty.OID == types.BPChar):
		return ty.String() + "(" + strconv.Itoa(int(ty.Typmod-4)) + ")"
	case ty.Typmod >= 4 && types.External(ty.OID) == types.Numeric:
		p, s := types.NumericTypmod(ty.Typmod)
		return "numeric(" + strconv.Itoa(int(p)) + "," + strconv.Itoa(int(s)) + ")"
	}
	return ty.String()
}
