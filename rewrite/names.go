package rewrite

import (
	"slices"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/types"
)

// relation is one item of a FROM clause: a reference, a derived table, a CTE or
// a function.
type relation struct {
	alias         string // the name columns are qualified with
	schema, table string // the full name, for columns such as public.customer.id; "" with an alias
	out           string // the alias in the engine's SQL, unique in the statement
	fields        []*field
	system        []*field
	ref           int // the reference it is, or -1
	shape         *Shape
	scalar        bool   // a function of one column: its name alone is the value
	outer         bool   // an outer join may have no row of it
	made          string // what made its rows, of which FOR UPDATE cannot take any: "a function"; "" of a table or query
	unlockable    string // what FOR UPDATE does not allow in the query it is, or ""
	below         bool   // a query below reads it: a column that is named here is asked of that query alone
}

// field is one column of a relation, or a merged column of a USING join.
type field struct {
	name   string // PostgreSQL's
	sql    string // how the engine's SQL names it, qualified
	t      types.Type
	rel    *relation
	source string // the column of the shape; "" for no reference
	system bool
	unborn bool   // a system column of a row that is not committed yet
	made   bool   // it is known only when the row is stored
	used   bool   // an expression names it
	text   string // what PostgreSQL prints of it, where that hangs on more than its value
}

// namespace is what a FROM clause, or a part of one, makes nameable.
type namespace struct {
	rels    []*relation
	names   []*field    // unqualified, in the order of *
	refused []*relation // before a LATERAL item, but on the side of a RIGHT or FULL JOIN that it must not name
}

// add appends the names of another namespace and refuses two relations of one
// name.
func (ns *namespace) add(b *nameBinder, o namespace, loc int32) {
	for _, r := range o.rels {
		for _, have := range ns.rels {
			if r.alias != "" && have.alias == r.alias && (have.schema == r.schema || have.schema == "" || r.schema == "") {
				b.fail(pgerr.New(pgerr.DuplicateAlias, "table name %q specified more than once", r.alias), loc)
			}
		}
	}
	ns.rels = append(slices.Clone(ns.rels), o.rels...)
	ns.names = append(slices.Clone(ns.names), o.names...)
}

// level is one query level: what its expressions can name, and the rules of the
// clause they stand in.
type level struct {
	parent *level
	ns     namespace
	ctes   *cteScope

	clause  string            // "WHERE", "JOIN/ON", ...: where aggregates are refused; "" where they may stand
	sets    bool              // set-returning functions may stand in spite of clause
	group   map[string]string // the texts of the grouping expressions, and what stands for them behind GROUP BY
	inAgg   bool
	branch  bool // of a CASE: the expression counts only for rows with its condition
	hasAgg  bool
	hasOver bool              // a window function stands here
	windows map[string]window // WINDOW clause: name -> unique name
	within  string            // what refuses a window function here: it stands within another one
	hidden  []*relation       // of the statement, but not nameable here
	action  string            // what merge_action() is, "" where it may not stand
	limit   int64             // of the rows that the target list returns, by a constant LIMIT; 0 for none
}

// named finds an unqualified column. found is nil if no level knows the name.
func (l *level) named(b *nameBinder, name string, loc int32) (f *field, at *level) {
	for ; l != nil; l = l.parent {
		for _, c := range l.ns.names {
			if c.name != name {
				continue
			}
			if f != nil {
				b.fail(pgerr.New(pgerr.AmbiguousColumn, "column reference %q is ambiguous", name), loc)
			}
			f = c
		}
		if f != nil {
			return f, l
		}
		for _, r := range l.ns.rels {
			for _, c := range r.system {
				if c.name != name {
					continue
				}
				if f != nil {
					b.fail(pgerr.New(pgerr.AmbiguousColumn, "column reference %q is ambiguous", name), loc)
				}
				f = c
			}
		}
		if f != nil {
			return f, l
		}
	}
	return nil, nil
}

// relation finds a relation by its qualifier.
func (l *level) relation(schema, name string) (*relation, *level) {
	for ; l != nil; l = l.parent {
		for _, r := range l.ns.rels {
			if r.alias == name && (schema == "" || r.schema == schema) {
				return r, l
			}
		}
	}
	return nil, nil
}

// column finds a column of one relation.
func (r *relation) column(name string) *field {
	for _, c := range r.fields {
		if c.name == name {
			return c
		}
	}
	for _, c := range r.system {
		if c.name == name {
			return c
		}
	}
	return nil
}

// cteScope is the chain of WITH names that a query sees, innermost first.
type cteScope struct {
	outer *cteScope
	name  string
	out   string // unique name in the engine's SQL
	cols  []outcol
	// unlisted are how many of the last columns no star lists: those of SEARCH and CYCLE
	// within the query itself.
	unlisted int
	joined   int // the relations one mention joins; 0 within itself
}

func (s *cteScope) find(name string) *cteScope {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s
		}
	}
	return nil
}

// noColumn is 42703 for an unqualified name, with PostgreSQL's hint when a
// visible name is close.
func (b *nameBinder) noColumn(l *level, name string, loc int32) {
	b.refuseCTID(name, l.ns.rels, loc)
	b.checkSides(l, func(r *relation) bool { return r.column(name) != nil }, loc)
	err := pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", name)
	if hint := closest(l, "", name); hint != "" {
		err = err.WithHint("Perhaps you meant to reference the column %q.", hint)
	}
	for x := l; x != nil; x = x.parent {
		for _, r := range x.hidden {
			if r.column(name) != nil {
				err = err.WithHint("There is a column named %q in table %q, but it cannot be referenced from this part of the query.", name, r.alias)
			}
		}
	}
	b.fail(err, loc)
}

// checkSides fails where a LATERAL item names a relation that the kind of its join
// forbids.
func (b *nameBinder) checkSides(l *level, named func(*relation) bool, loc int32) {
	for ; l != nil; l = l.parent {
		for _, r := range l.ns.refused {
			if named(r) {
				b.fail(pgerr.New(pgerr.InvalidColumnReference, "invalid reference to FROM-clause entry for table %q", r.alias).
					WithDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference."), loc)
			}
		}
	}
}

// closest finds the column most like name, as PostgreSQL's
// searchRangeTableForCol does: at most three edits, and fewer than half of the
// name.
func closest(l *level, qualifier, name string) string {
	best, bestAt, ties := 4, "", 0
	for ; l != nil; l = l.parent {
		for _, r := range l.ns.rels {
			if qualifier != "" && r.alias != qualifier {
				continue
			}
			for _, f := range r.fields {
				d := distance(name, f.name)
				switch {
				case d > len(name)/2 && d > 0, d > 3:
				case d < best:
					best, bestAt, ties = d, r.alias+"."+f.name, 1
				case d == best:
					ties++
				}
			}
		}
	}
	if ties > 1 {
		return ""
	}
	return bestAt
}

// distance is the Levenshtein distance of two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := prev
			if a[i-1] != b[j-1] {
				cost++
			}
			prev = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// qualifier finds the relation that a column is qualified with.
func (b *nameBinder) qualifier(names []string, l *level, loc int32) (*relation, *level) {
	schema, name := "", names[len(names)-1]
	if len(names) > 1 {
		schema = names[len(names)-2]
	}
	r, at := l.relation(schema, name)
	if r == nil {
		b.checkSides(l, func(r *relation) bool { return r.alias == name }, loc)
		err := pgerr.New(pgerr.UndefinedTable, "missing FROM-clause entry for table %q", name)
		named := false
		for x := l; x != nil; x = x.parent {
			for _, have := range x.ns.rels {
				if have.shape != nil && have.shape.Table == name && have.alias != name {
					named = true
					err = pgerr.New(pgerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", name).
						WithHint("Perhaps you meant to reference the table alias %q.", have.alias)
				}
			}
			for _, have := range x.hidden {
				if !named && (have.alias == name || have.shape != nil && have.shape.Table == name) {
					err = pgerr.New(pgerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", name).
						WithHint("There is an entry for table %q, but it cannot be referenced from this part of the query.", have.alias)
				}
			}
		}
		b.fail(err, loc)
	}
	return r, at
}

// refuseCTID says why a relation of a type has no ctid.
func (b *nameBinder) refuseCTID(name string, rels []*relation, loc int32) {
	if name != "ctid" {
		return
	}
	for _, r := range rels {
		if r.shape != nil && r.shape.OID == 0 {
			b.fail(pgerr.Unsupported("system column %q is not supported", name).
				WithHint("Rows have no place that stays theirs. The primary key tells them apart."), loc)
		}
	}
}
