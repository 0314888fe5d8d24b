package workspace

import (
	"cmp"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/rewrite/types"
)

// TempSchema is the schema of temporary tables, as a session names its own.
const TempSchema = "pg_temp"

// Table is the definition of a table. It is immutable.
type Table struct {
	OID    uint32
	Schema string
	Name   string
	// Columns are in the order of SELECT *.
	Columns []Column
	// Dropped are columns that the table had. pg_attribute shows them with their numbers.
	Dropped []Column
	// Key and Uniques are the PRIMARY KEY, nil for none, and the UNIQUE constraints.
	Key     *Unique
	Uniques []Unique
	Checks  []Check
	// ForeignKeys are in the order of their creation.
	ForeignKeys []ForeignKey `json:",omitempty"`

	Indexes  []Index // that no constraint has made
	OnCommit OnCommit
	Comment  string
	Grants   acl.Grants
	Owner    string   `json:",omitempty"` // the role that owns it, "" for the owner of the database
	Options  []string `json:",omitempty"` // the storage parameters, as pg_class.reloptions has them
	// View is the query of a materialized view, nil of a table. Unpopulated says that its rows
	// cannot be read before a REFRESH.
	View        *View `json:",omitempty"`
	Unpopulated bool  `json:",omitempty"`
	Heap        *Heap `json:"-"`
}

// Column is a column of a table.
type Column struct {
	Number  int // pg_attribute.attnum, which no other column of the table ever had
	Name    string
	Type    types.Type
	NotNull bool
	Default string // the SQL text of the DEFAULT expression, "" for none
	Comment string
	// Identity is 'a' for GENERATED ALWAYS AS IDENTITY, 'd' for BY DEFAULT, else 0. Default
	// then is nextval of its sequence, which the catalog does not show.
	Identity byte
	// Generated is the expression of a column GENERATED ALWAYS AS (expression) STORED, nil for
	// another one. It is not changed in place. Such a column has no Default.
	Generated *Generated `json:",omitempty"`
}

// Generated is the expression that a column is computed by in each row.
type Generated struct {
	Text string
	// Columns are the numbers of the columns that the expression names.
	Columns []int
}

// Unique is a PRIMARY KEY or UNIQUE constraint, by the numbers of its columns.
type Unique struct {
	Number  int // in the order of creation, in which PostgreSQL checks them
	Name    string
	Columns []int
	// Deferral is when it is checked.
	Deferral Deferral `json:",omitempty"`
	Comment  string   `json:",omitempty"`
	// IndexComment is that of the index of the same name, which PostgreSQL makes of it, and Storage
	// are the index's storage parameters, as pg_class.reloptions has them.
	IndexComment string   `json:",omitempty"`
	Storage      []string `json:",omitempty"`
}

// Check is a CHECK constraint.
type Check struct {
	Name string
	Text string // the SQL text of the condition
	// NotValid says that the rows that were there before were not checked.
	NotValid bool
	// Columns are the numbers of the columns that the condition names.
	Columns []int
	Comment string `json:",omitempty"`
}

// OnCommit is what COMMIT does with a temporary table.
type OnCommit uint8

// What COMMIT does.
const (
	PreserveRows OnCommit = iota
	DeleteRows
	DropTable
)

// Compare orders tables by their schemas and names.
func (t *Table) Compare(other *Table) int {
	return cmp.Or(cmp.Compare(t.Schema, other.Schema), cmp.Compare(t.Name, other.Name))
}

// Column finds a column by its name, nil for none.
func (t *Table) Column(name string) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// Numbered finds a column by its number, nil for none.
func (t *Table) Numbered(number int) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Number == number })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// NextNumber is the number of the next column.
func (t *Table) NextNumber() int {
	next := 1
	for _, c := range slices.Concat(t.Columns, t.Dropped) {
		next = max(next, c.Number+1)
	}
	return next
}

// Constraint finds the key or a unique constraint by its name, nil for none.
func (t *Table) Constraint(name string) *Unique {
	all := t.Constraints()
	if i := slices.IndexFunc(all, func(u Unique) bool { return u.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Constraints are the key, if there is one, and the unique constraints, in the order of their
// numbers.
func (t *Table) Constraints() []Unique {
	all := slices.Clone(t.Uniques)
	if t.Key != nil {
		all = append(all, *t.Key)
	}
	slices.SortStableFunc(all, func(a, b Unique) int { return a.Number - b.Number })
	return all
}
