package scope

import (
	"slices"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/types"
)

// RangeEntry is one item of a FROM clause: a reference, a derived table, a CTE or
// a function.
type RangeEntry struct {
	Alias         string // the name columns are qualified with
	Schema, Table string // the full name, for columns such as public.customer.id; "" with an alias
	EngineAlias   string // the alias in the engine's SQL, unique in the statement
	Columns       []*Column
	SystemColumns []*Column
	Ref           int // the reference it is, or -1
	Shape         *Shape
	Scalar        bool   // a function of one column: its name alone is the value
	Nullable      bool   // an outer join may have no row of it
	MadeBy        string // what made its rows, of which FOR UPDATE cannot take any: "a function"; "" of a table or query
	Unlockable    string // what FOR UPDATE does not allow in the query it is, or ""
	Below         bool   // a query below reads it: a column that is named here is asked of that query alone
}

// Column is one column of a relation, or a merged column of a USING join.
type Column struct {
	Name          string // PostgreSQL's
	SQL           string // how the engine's SQL names it, qualified
	Type          types.Type
	Range         *RangeEntry
	Source        string // the column of the shape; "" for no reference
	System        bool
	SetAtCommit   bool    // a system column of a row that is not committed yet
	SetWhenStored bool    // it is known only when the row is stored
	Used          bool    // an expression names it
	Effect        bool    // of a subquery: to compute it sends an event, so that it has to be computed
	Base          *Column // of a subquery: OutputColumn.Base
	Printed       string  // what PostgreSQL prints of it, if that depends on more than the value
}

// OfReference is the column of a reference that the column is, nil for none.
func (c *Column) OfReference() *Column {
	switch {
	case c == nil || c.Range == nil:
		return nil
	case c.Base != nil:
		return c.Base
	case c.Range.Ref < 0:
		return nil
	}
	return c
}

// Namespace is what a FROM clause, or a part of one, makes nameable.
type Namespace struct {
	Ranges  []*RangeEntry
	Columns []*Column     // unqualified, in the order of *
	Refused []*RangeEntry // before a LATERAL item, but on the side of a RIGHT or FULL JOIN that it must not name
}

// Add appends the names of another namespace and refuses two relations of one
// name. PostgreSQL gives no position of them.
func (ns *Namespace) Add(b *State, o Namespace) {
	for _, r := range o.Ranges {
		for _, have := range ns.Ranges {
			if r.Alias != "" && have.Alias == r.Alias && (have.Schema == r.Schema || have.Schema == "" || r.Schema == "") {
				b.Fail(pgerr.New(pgerr.DuplicateAlias, "table name %q specified more than once", r.Alias), -1)
			}
		}
	}
	ns.Ranges = append(slices.Clone(ns.Ranges), o.Ranges...)
	ns.Columns = append(slices.Clone(ns.Columns), o.Columns...)
}

// Level is one query level: the names that its expressions can use, and the rules of their
// clause.
type Level struct {
	Parent    *Level
	Namespace Namespace
	CTEs      *CTE

	Clause     string                 // "WHERE", "JOIN/ON", ...: where aggregates are refused; "" where they may stand
	AllowsSets bool                   // set-returning functions are allowed although clause forbids them
	Grouped    map[string]GroupedExpr // the grouping expressions by their texts, nil before GROUP BY is resolved
	// BeforeGroups is set while outputs are resolved that GROUP BY names by position.
	BeforeGroups bool
	InAggregate  bool
	// OuterAggregate is set while an aggregate of this query level is resolved that a subquery
	// contains.
	OuterAggregate bool
	InBranch       bool // of a CASE: the expression counts only for rows with its condition
	HasAggs        bool
	HasWindowFuncs bool              // a window function stands here
	Windows        map[string]Window // WINDOW clause: name -> unique name
	WindowRefusal  string            // what refuses a window function here: it stands within another one
	Hidden         []*RangeEntry     // of the statement, but not nameable here
	MergeAction    string            // what merge_action() is, "" where it may not stand
	Limit          int64             // of the rows that the target list returns, by a constant LIMIT; 0 for none
}

// InFrom reports whether an item of FROM is resolved that may name those before it.
func (l *Level) InFrom() bool { return l.Grouped == nil && !l.InAggregate && !l.BeforeGroups }

// FindColumn finds an unqualified column. found is nil if no level knows the name.
func (l *Level) FindColumn(b *State, name string, loc int32) (f *Column, at *Level) {
	for ; l != nil; l = l.Parent {
		if f = b.columnNamed(name, l.Namespace.Columns, nil, loc); f == nil {
			for _, r := range l.Namespace.Ranges {
				f = b.columnNamed(name, r.SystemColumns, f, loc)
			}
		}
		if f != nil {
			return f, l
		}
	}
	return nil, nil
}

// columnNamed is the column with a name, found where there is none. Two of them are an error.
func (b *State) columnNamed(name string, columns []*Column, found *Column, loc int32) *Column {
	for _, c := range columns {
		if c.Name != name {
			continue
		}
		if found != nil {
			b.Fail(pgerr.New(pgerr.AmbiguousColumn, "column reference %q is ambiguous", name), loc)
		}
		found = c
	}
	return found
}

// FindRange finds a relation by its qualifier.
func (l *Level) FindRange(schema, name string) (*RangeEntry, *Level) {
	for ; l != nil; l = l.Parent {
		for _, r := range l.Namespace.Ranges {
			if r.Alias == name && (schema == "" || r.Schema == schema) {
				return r, l
			}
		}
	}
	return nil, nil
}

// Column finds a column of one relation.
func (r *RangeEntry) Column(name string) *Column {
	for _, c := range r.Columns {
		if c.Name == name {
			return c
		}
	}
	for _, c := range r.SystemColumns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// CTE is the chain of WITH names that a query sees, innermost first.
type CTE struct {
	Outer       *CTE
	Name        string
	EngineAlias string // unique name in the engine's SQL
	Columns     []OutputColumn
	// unlisted are how many of the last columns no star lists: those of SEARCH and CYCLE
	// within the query itself.
	UnlistedColumns int
	Joined          int // the relations one mention joins; 0 within itself
}

// Find is the innermost WITH query of a name, nil if no level has one.
func (s *CTE) Find(name string) *CTE {
	for ; s != nil; s = s.Outer {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// UndefinedColumn is 42703 for an unqualified name, with PostgreSQL's hint when a
// visible name is close.
func (b *State) UndefinedColumn(l *Level, name string, loc int32) {
	b.RefuseSystemColumn(name, l.Namespace.Ranges, loc)
	b.checkSides(l, func(r *RangeEntry) bool { return r.Column(name) != nil }, loc)
	b.Fail(pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", name).WithHint("%s", ColumnHint(l, "", name)), loc)
}

// checkSides fails where a LATERAL item names a relation that the kind of its join
// forbids.
func (b *State) checkSides(l *Level, named func(*RangeEntry) bool, loc int32) {
	for ; l != nil; l = l.Parent {
		for _, r := range l.Namespace.Refused {
			if named(r) {
				b.Fail(pgerr.New(pgerr.InvalidColumnReference, "invalid reference to FROM-clause entry for table %q", r.Alias).
					WithDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference."), loc)
			}
		}
	}
}

// Qualifier finds the relation that a column is qualified with.
func (b *State) Qualifier(names []string, l *Level, loc int32) (*RangeEntry, *Level) {
	schema, name := "", names[len(names)-1]
	if len(names) > 1 {
		schema = names[len(names)-2]
	}
	r, at := l.FindRange(schema, name)
	if r != nil && slices.ContainsFunc(at.Namespace.Ranges, func(o *RangeEntry) bool {
		return o != r && o.Alias == name && (schema == "" || o.Schema == schema)
	}) {
		b.Fail(pgerr.New(pgerr.AmbiguousAlias, "table reference %q is ambiguous", name), loc)
	}
	if r == nil {
		b.checkSides(l, func(r *RangeEntry) bool { return r.Alias == name }, loc)
		err := pgerr.New(pgerr.UndefinedTable, "missing FROM-clause entry for table %q", name)
		named := false
		for x := l; x != nil; x = x.Parent {
			for _, have := range x.Namespace.Ranges {
				if have.Shape != nil && have.Shape.Table == name && have.Alias != name {
					named = true
					err = pgerr.New(pgerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", name).
						WithHint("Perhaps you meant to reference the table alias %q.", have.Alias)
				}
			}
			for _, have := range x.Hidden {
				if !named && (have.Alias == name || have.Shape != nil && have.Shape.Table == name) {
					err = pgerr.New(pgerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", name).
						WithHint("There is an entry for table %q, but it cannot be referenced from this part of the query.", have.Alias)
				}
			}
		}
		b.Fail(err, loc)
	}
	return r, at
}

// IsSystemColumn reports whether a name is one of PostgreSQL's system columns, which
// no new column may have.
func IsSystemColumn(name string) bool {
	switch name {
	case "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid":
		return true
	}
	return false
}

// RefuseSystemColumn says why a relation of a type has no ctid.
func (b *State) RefuseSystemColumn(name string, rels []*RangeEntry, loc int32) {
	if !IsSystemColumn(name) {
		return
	}
	for _, r := range rels {
		if name == "ctid" && r.Shape != nil && r.Shape.OID == 0 && r.Shape.Kind != View && r.Shape.Kind != StoredTable {
			b.Fail(pgerr.Unsupported("system column %q is not supported", name).
				WithHint("Rows have no place that stays theirs. The primary key tells them apart."), loc)
		}
	}
}
