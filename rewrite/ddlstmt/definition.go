package ddlstmt

import (
	"errors"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Definition is the table that CREATE TABLE or CREATE TABLE AS defines. Include adds the columns
// of its LIKE clauses, and Select those of its query.
type Definition struct {
	Table       syntax.Ref
	IfNotExists bool
	Ordinary    bool // an ordinary table: a temporary one, or one of a workspace schema, and no type
	OnCommit    OnCommit
	Options     []string // the storage parameters of an ordinary table, as pg_class.reloptions has them
	// Columns are in the order of declaration. Those of CREATE TABLE AS are the names
	// of its list, nil without one.
	Columns []ColumnDefinition
	Likes   []Like
	// Key is the primary key in its order, of a column or of the table; nil for none.
	// Its columns are NotNull.
	Key        []KeyColumn
	KeyName    string // that the statement gives it, "" for none
	KeyTiming  Timing
	KeyOptions []string // the storage parameters of its index, as pg_class.reloptions has them
	References []Reference
	Named      []NamedConstraint
	// Uniques and Checks are constraints of an ordinary table.
	Uniques []UniqueConstraint
	Checks  []CheckConstraint
	// Query is the SELECT of CREATE TABLE AS, nil of CREATE TABLE. It is scoped as
	// any other statement.
	Query  *syntax.Statement
	NoData bool // WITH NO DATA
}

// ColumnDefinition is a column as a statement declares it.
type ColumnDefinition struct {
	Name    string
	Type    DeclaredType
	NotNull bool
	Default string // the SQL text of the DEFAULT expression, "" for none
	// Sequence are the options of the sequence of a serial or IDENTITY column of an ordinary
	// table, nil for another one.
	Sequence *SequenceOptions
	Identity byte // 'a' for GENERATED ALWAYS AS IDENTITY, 'd' for BY DEFAULT
	// Generated is the expression of GENERATED ALWAYS AS (expression) STORED of an ordinary table,
	// nil for another column. GeneratedOf checks it when the columns of the table are known.
	Generated *defaults.Expression
	Position  int // of the name, in characters from 1; 0 for a column that no statement spells
}

// KeyColumn is a column of a primary key.
type KeyColumn struct {
	Name     string
	Position int // where the constraint begins; 0 for a key that comes by LIKE
}

// NamedConstraint is a constraint that a statement gives another name than the one
// that it has, which is PostgreSQL's for one without a name.
type NamedConstraint struct{ Given, Name string }

// UniqueConstraint is a UNIQUE constraint.
type UniqueConstraint struct {
	Name     string // "" for PostgreSQL's
	Columns  []string
	Timing   Timing
	Options  []string // the storage parameters of its index, as pg_class.reloptions has them
	Position int      // where the constraint begins
}

// CheckConstraint is a CHECK constraint.
type CheckConstraint struct {
	Name     string   // "" for PostgreSQL's
	Column   string   // that it is declared with, "" for a constraint of the table
	Text     string   // of the condition
	Columns  []string // that the condition names
	NotValid bool     // NOT VALID: rows that are there are not checked
	Position int      // where the constraint begins
	// Condition is the parsed condition, nil for a constraint that LIKE copies.
	Condition *defaults.Expression
}

// OnCommit is what COMMIT does with a temporary table.
type OnCommit uint8

// The actions of ON COMMIT (PostgreSQL manual, CREATE TABLE).
const (
	PreserveRows OnCommit = iota
	DeleteRows
	DropTable
)

// Like is a LIKE clause: a table whose columns are copied, with their NOT NULL.
type Like struct {
	Table     syntax.Ref
	At        int  // they come before Columns[At]; len(Columns) is the end
	Defaults  bool // INCLUDING DEFAULTS, and so on
	Comments  bool
	Indexes   bool // the primary key comes, too, and unique constraints
	Checks    bool // INCLUDING CONSTRAINTS
	Identity  bool // INCLUDING IDENTITY
	Generated bool // INCLUDING GENERATED
}

// MaxColumns is how many columns a table of PostgreSQL has at most.
const MaxColumns = 1600

// ParseDefinition reads a CREATE TABLE or CREATE TABLE AS. Its DEFAULT expressions are
// checked. One without LIKE or query is complete; others are checked as a whole by
// Include and Select. SELECT INTO and what no table here can have are 0A000.
func ParseDefinition(s *syntax.Statement, env scope.Env) (*Definition, error) {
	return parseDefinition(s, Temporary(s), env)
}

// ParseOrdinary is ParseDefinition for a statement that defines an ordinary table.
func ParseOrdinary(s *syntax.Statement, env scope.Env) (*Definition, error) {
	return parseDefinition(s, true, env)
}

func parseDefinition(s *syntax.Statement, ordinary bool, env scope.Env) (*Definition, error) {
	switch n := s.Node.GetNode().(type) {
	case *pg.Node_CreateStmt:
		return defineTable(s, n.CreateStmt, ordinary, env)
	case *pg.Node_CreateTableAsStmt:
		return defineQuery(s, n.CreateTableAsStmt, ordinary)
	case *pg.Node_SelectStmt:
		into := n.SelectStmt.IntoClause
		if !ordinary {
			return nil, pgerr.Unsupported("SELECT INTO is not supported").At(s.Target.Position).WithHint("Use CREATE TABLE ... AS SELECT.")
		}
		query := proto.Clone(s.Node).(*pg.Node)
		query.GetSelectStmt().IntoClause = nil
		return defineQuery(s, &pg.CreateTableAsStmt{Into: into, Query: query, Objtype: pg.ObjectType_OBJECT_TABLE}, ordinary)
	}
	return nil, errors.New("definition: the statement is " + s.Tag)
}

func defineTable(s *syntax.Statement, n *pg.CreateStmt, ordinary bool, env scope.Env) (*Definition, error) {
	at := s.Target.Position
	options, storage, err := storageOf(n.Options, ordinary)
	if err == nil {
		err = plainTable(n.Relation, n.Oncommit, n.Tablespacename, n.AccessMethod, options, at)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		is      bool
		feature string
	}{
		{len(n.InhRelations) > 0 && n.Partbound == nil, "INHERITS"},
		{n.Partbound != nil, "PARTITION OF"},
		{n.Partspec != nil, "PARTITION BY"},
		{n.OfTypename != nil, "CREATE TABLE OF a type"},
	} {
		if c.is {
			return nil, pgerr.Unsupported("%s is not supported", c.feature).At(at)
		}
	}
	d := &definer{st: s, Definition: &Definition{Table: *s.Target, IfNotExists: n.IfNotExists, Ordinary: ordinary, OnCommit: onCommit(n.Oncommit), Options: storage}}
	for _, e := range n.TableElts {
		if err := d.element(e); err != nil {
			return nil, err
		}
	}
	if len(d.Likes) == 0 {
		if err := d.check(); err != nil {
			return nil, err
		}
	}
	if err := d.defaults(env); err != nil {
		return nil, err
	}
	return d.Definition, nil
}

// defineQuery reads CREATE TABLE AS.
func defineQuery(s *syntax.Statement, n *pg.CreateTableAsStmt, ordinary bool) (*Definition, error) {
	into, at := n.Into, s.Target.Position
	if n.Objtype != pg.ObjectType_OBJECT_TABLE {
		return nil, pgerr.Unsupported("%s is not supported", s.Tag).At(at)
	}
	options, storage, err := storageOf(into.Options, ordinary)
	if err == nil {
		err = plainTable(into.Rel, into.OnCommit, into.TableSpaceName, into.AccessMethod, options, at)
	}
	if err != nil {
		return nil, err
	}
	if n.Query.GetSelectStmt() == nil {
		return nil, pgerr.Unsupported("CREATE TABLE AS EXECUTE is not supported").At(at).WithHint("Write the query itself.")
	}
	d, err := tableOfQuery(s, n)
	if err == nil {
		d.Ordinary, d.Options = ordinary, storage
	}
	return d, err
}

// tableOfQuery is the definition of a table with the rows of a query.
func tableOfQuery(s *syntax.Statement, n *pg.CreateTableAsStmt) (*Definition, error) {
	into := n.Into
	d := &Definition{Table: *s.Target, IfNotExists: n.IfNotExists, OnCommit: onCommit(into.OnCommit), NoData: into.SkipData}
	for _, name := range syntax.Strings(into.ColNames) {
		d.Columns = append(d.Columns, ColumnDefinition{Name: name})
	}
	var err error
	if d.Query, err = syntax.NewStatement(s.Tree, n.Query); err != nil {
		return nil, err
	}
	d.Query.StoresRows = true
	return d, nil
}

// temporary reports whether a statement creates a temporary table: TEMP says so, or the schema.
func temporary(rel *pg.RangeVar) bool {
	return rel.GetRelpersistence() == "t" || isTempSchema(rel.GetSchemaname())
}

// isTempSchema reports whether a schema is the one of the session's temporary tables.
func isTempSchema(name string) bool { return name == "pg_temp" }

// Temporary reports whether a CREATE TABLE, CREATE TABLE AS or SELECT INTO creates a
// temporary table.
func Temporary(s *syntax.Statement) bool {
	switch n := s.Node.GetNode().(type) {
	case *pg.Node_CreateStmt:
		return temporary(n.CreateStmt.Relation)
	case *pg.Node_CreateTableAsStmt:
		return n.CreateTableAsStmt.Objtype == pg.ObjectType_OBJECT_TABLE && temporary(n.CreateTableAsStmt.Into.Rel)
	case *pg.Node_SelectStmt:
		return n.SelectStmt.IntoClause != nil && temporary(n.SelectStmt.IntoClause.Rel)
	}
	return false
}

// onCommit reads ON COMMIT.
func onCommit(a pg.OnCommitAction) OnCommit {
	switch a {
	case pg.OnCommitAction_ONCOMMIT_DELETE_ROWS:
		return DeleteRows
	case pg.OnCommitAction_ONCOMMIT_DROP:
		return DropTable
	}
	return PreserveRows
}

// LikeSource is a table that a LIKE clause names.
type LikeSource struct {
	Columns []ColumnDefinition
	Key     []string
	Timing  Timing             // of Key
	Options []string           // of Key
	Uniques []UniqueConstraint // of an ordinary table
	Checks  []CheckConstraint
}

// Include puts the columns of the tables of Likes in their places: sources[i] is
// what Likes[i].Table is. Comments are the caller's to copy.
func (d *Definition) Include(sources []LikeSource) error {
	if len(sources) != len(d.Likes) {
		return errors.New("include: not one source for each LIKE")
	}
	for i, l := range slices.Backward(d.Likes) {
		columns := slices.Clone(sources[i].Columns)
		for k := range columns {
			columns[k].Position = 0
			if !l.Defaults {
				columns[k].Default = ""
			}
			if !l.Identity {
				columns[k].Identity, columns[k].Sequence = 0, nil
			}
			if !l.Generated {
				columns[k].Generated = nil
			}
		}
		d.Columns = slices.Insert(d.Columns, l.At, columns...)
	}
	if err := d.check(); err != nil {
		return err
	}
	for i, l := range d.Likes {
		if l.Checks {
			d.Checks = append(d.Checks, sources[i].Checks...)
		}
		if l.Indexes {
			d.Uniques = append(d.Uniques, sources[i].Uniques...)
		}
		if !l.Indexes || len(sources[i].Key) == 0 {
			continue
		}
		if d.Key != nil {
			return twoKeys(d.Table.Name)
		}
		d.KeyTiming, d.KeyOptions = sources[i].Timing, sources[i].Options
		for _, name := range sources[i].Key {
			d.Key = append(d.Key, KeyColumn{Name: name})
		}
	}
	return nil
}

// Select gives CREATE TABLE AS its columns: those that its query has, under the
// names of its list as far as that goes.
func (d *Definition) Select(query []scope.Output) error {
	if len(d.Columns) > len(query) {
		return pgerr.New(pgerr.SyntaxError, "too many column names were specified")
	}
	named := d.Columns
	d.Columns = nil
	for i, o := range query {
		c := ColumnDefinition{Name: o.Name}
		if i < len(named) {
			c = named[i]
		}
		var err error
		if d.Ordinary {
			c.Type, err = declareStored(c.Name, types.Type{OID: o.OID, Typmod: o.Typmod}, 0)
		} else {
			c.Type, err = DeclareType(c.Name, o.OID, o.Typmod)
		}
		if err != nil {
			return err
		}
		d.Columns = append(d.Columns, c)
	}
	return d.check()
}

// check looks at the columns as a whole, in PostgreSQL's order.
func (d *Definition) check() error {
	for i, k := range d.Key {
		c := d.column(k.Name)
		switch {
		case c == nil:
			return pgerr.New(pgerr.UndefinedColumn, "column %q named in key does not exist", k.Name).At(k.Position)
		case slices.ContainsFunc(d.Key[:i], func(o KeyColumn) bool { return o.Name == k.Name }):
			return pgerr.New(pgerr.DuplicateColumn, "column %q appears twice in primary key constraint", k.Name).At(k.Position)
		}
		c.NotNull = true
	}
	if len(d.Columns) > MaxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", MaxColumns)
	}
	names := map[string]bool{}
	for _, c := range d.Columns {
		if names[c.Name] {
			return pgerr.New(pgerr.DuplicateColumn, "column %q specified more than once", c.Name)
		}
		names[c.Name] = true
	}
	for _, u := range d.Uniques {
		for i, name := range u.Columns {
			switch {
			case !names[name]:
				return pgerr.New(pgerr.UndefinedColumn, "column %q named in key does not exist", name).At(u.Position)
			case slices.Contains(u.Columns[:i], name):
				return pgerr.New(pgerr.DuplicateColumn, "column %q appears twice in unique constraint", name).At(u.Position)
			}
		}
	}
	for _, r := range d.References {
		for _, name := range r.Columns {
			if !names[name] {
				return pgerr.New(pgerr.UndefinedColumn, "column %q referenced in foreign key constraint does not exist", name)
			}
		}
		if !d.Ordinary && len(r.TableColumns) > 0 && len(r.TableColumns) != len(r.Columns) {
			return pgerr.New(pgerr.InvalidForeignKey, "number of referencing and referenced columns for foreign key disagree")
		}
	}
	return nil
}

func (d *Definition) column(name string) *ColumnDefinition {
	i := slices.IndexFunc(d.Columns, func(c ColumnDefinition) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &d.Columns[i]
}

func twoKeys(table string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidTableDefinition, "multiple primary keys for table %q are not allowed", table)
}
