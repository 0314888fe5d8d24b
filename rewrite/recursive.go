package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// checkRecursion refuses a recursive query that PostgreSQL's checkWellFormedRecursion
// refuses: one that would not end in the engine.
func (b *binder) checkRecursion(name string, s *pg.SelectStmt) {
	if loc, ok := reads(s.Larg, name); ok {
		b.fail(pgerr.New("42P19", "recursive reference to query %q must not appear within its non-recursive term", name), loc)
	}
	if _, ok := reads(s.Rarg, name); !ok {
		return
	}
	for _, n := range append(s.Rarg.TargetList, s.Rarg.HavingClause) {
		if n == nil {
			continue
		}
		visit(n.ProtoReflect(), func(m any) bool {
			if _, sub := m.(*pg.SubLink); sub {
				return false
			}
			if f, ok := m.(*pg.FuncCall); ok && f.Over == nil && b.isAggregate(f) {
				b.fail(pgerr.New("42P19", "aggregate functions are not allowed in a recursive query's recursive term"), f.Location)
			}
			return true
		})
	}
}

func (b *binder) isAggregate(f *pg.FuncCall) bool {
	names := strs(f.Funcname)
	of := functions[names[len(names)-1]]
	return f.AggStar || f.AggWithinGroup || len(of) > 0 && of[0].agg
}

// reads finds the first mention of a table that a query of its own can be.
func reads(s *pg.SelectStmt, name string) (loc int32, ok bool) {
	if s == nil {
		return 0, false
	}
	visit(s.ProtoReflect(), func(m any) bool {
		if v, is := m.(*pg.RangeVar); is && !ok && v.Schemaname == "" && v.Relname == name {
			loc, ok = v.Location, true
		}
		return !ok
	})
	return loc, ok
}

func typesOf(q query) []typ {
	var out []typ
	for _, c := range q.columns() {
		out = append(out, c.t)
	}
	return out
}

// checkRecursiveTypes refuses a recursive term that would change a column's type.
func (b *binder) checkRecursiveTypes(name string, first []typ, q query, s *pg.SelectStmt) {
	for i, c := range q.columns() {
		if i >= len(first) || first[i].oid == c.t.oid && first[i].mod == c.t.mod {
			continue
		}
		loc := int32(-1)
		if left := leftmost(s.Larg); i < len(left.TargetList) {
			loc = location(left.TargetList[i].GetResTarget().GetVal())
		}
		b.fail(pgerr.New(pgerr.DatatypeMismatch, "recursive query %q column %d has type %s in non-recursive term but type %s overall",
			name, i+1, withMod(first[i]), withMod(c.t)).WithHint("Cast the output of the non-recursive term to the correct type."), loc)
	}
}

// withMod is the name of a type with its length or size (format_type).
func withMod(ty typ) string {
	switch {
	case ty.mod >= 4 && (ty.oid == varcharOID || ty.oid == bpcharOID):
		return ty.String() + "(" + itoa(int(ty.mod-4)) + ")"
	case ty.mod >= 4 && ty.oid == numericOID:
		p, s := numericMod(ty.mod)
		return "numeric(" + itoa(int(p)) + "," + itoa(int(s)) + ")"
	}
	return ty.String()
}
