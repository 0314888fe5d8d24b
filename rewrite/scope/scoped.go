package scope

import (
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ShapeKind says what a reference resolved to.
type ShapeKind uint8

// The kinds of shapes.
const (
	TypeTable       ShapeKind = iota // a type of the ontology, in any window
	StoredTable                      // an ordinary table, whose rows may be deleted
	CatalogRelation                  // a relation of pg_catalog or information_schema
	Virtual                          // a relation of the schema ontosql
	WithQuery                        // a query of WITH that was run before
	View                             // a view, whose query Statement.Views has
)

// Shape tells what a reference resolved to. A name that exists nowhere is the
// session's 42P01 and never reaches Scope.
type Shape struct {
	Kind          ShapeKind
	Schema, Table string         // the full name, which columns may be qualified with
	Columns       []column.Named // visible, in the order of SELECT *; the source names them by column.AliasesOf
	System        []column.Named // nameable in the reference's own scope, hidden from stars (decision A6)
	// Key are the columns of the primary key. They are valid for every window: all versions of
	// an identity have its key.
	Key []string
	// Required are the columns that a row must have values for. With ON CONFLICT a
	// row that lacks one is a row to insert, so that the session refuses it.
	Required []string
	// Checks are the conditions of CHECK constraints, as SQL. They hold for the rows that
	// an INSERT proposes, those with a conflict too.
	Checks []string
	// Narrowing are the columns of a Virtual relation by whose conditions its source may leave out
	// rows: Need.KeyEquals has those on texts, and Need.Times those on times.
	Narrowing []string
	// Unique says that each row of this window has a key of its own. Then GROUP BY
	// over all of Key admits the other columns (decision A9).
	Unique bool
	// Defaults are the SQL texts of DEFAULT expressions, by column: what a write
	// stores where it gives no value. Without one that is NULL.
	Defaults map[string]string
	// Typmods are PostgreSQL's type modifiers (pg_attribute.atttypmod) of columns with
	// a declared precision or length, by column: of numeric(p,s) and varchar(n). Values
	// that a write assigns are brought to them.
	Typmods map[string]int32
	// Stored are hidden columns that tell which stored version a row is and what it
	// is; the first is never NULL. A write that reads stored versions asks for them by
	// Need.System. Statements cannot name them unless System has them too.
	Stored []string
	// Types are the PostgreSQL types of Columns with their modifiers, where column.Type
	// and Typmods cannot tell, such as regclass or char(4); nil means by these.
	Types []types.Type
	// Uniques are the PRIMARY KEY, the UNIQUE constraints and the unique indexes of a
	// StoredTable, in the order of their creation.
	Uniques []UniqueKey
	// Outputs are the columns of a WithQuery, nil for one that has no RETURNING clause.
	Outputs []OutputColumn
	// Shown are the columns that the query of a view sees of the relation, under their names
	// in the query; nil for Columns.
	Shown []ShownColumn
	// Identity are the IDENTITY columns: 'a' for GENERATED ALWAYS, 'd' for BY DEFAULT.
	Identity map[string]byte
	// Generated are the SQL texts of the expressions of columns GENERATED ALWAYS AS (expression)
	// STORED, by column. A write computes them of the other columns of the new row.
	Generated map[string]string
	// OID is pg_class.oid of a table of the catalog; 0 for its views and for all other
	// relations. A source of one that has an OID tells the rows' places when
	// Need.System asks for "ctid".
	OID uint32
}

// ShownColumn is a column of a relation under the name that it had when a view was created.
type ShownColumn struct{ Name, Column string }

// UniqueKey is a constraint or an index: no two rows have equal values of some columns and
// expressions.
type UniqueKey struct {
	Name        string
	Columns     []string
	Expressions []string // as SQL
	Where       string   // the condition of the rows that it is about, as SQL, "" for all rows
	Index       bool     // no constraint has made the index
	Deferrable  bool     // it may be violated until the end of the transaction
}

// Env is what Scope and Bind must know of the session. Its values are asked for
// at Bind, so that one Scoped serves many executions.
type Env interface {
	// Session returns the value of a function of the session or the server: "current_user",
	// "current_database", "current_setting" and others; a function of the schema ontosql has
	// its schema in the name, "ontosql.commit_outcome". args are its arguments as text. Only
	// Bind calls it, once for each mention, so that the function may have an effect
	// (set_config): before is the number of earlier mentions with the same arguments in this
	// Bind. Times have the names "now" (the start of the transaction), "statement_timestamp"
	// and "clock_timestamp". An error, preferably a *pgerr.Error, ends Bind.
	Session(name string, args []string, before int) (SessionValue, error)
	// Param is the value of parameter $n in the execution that Bind is called
	// for. It is asked for by Bind only, for a session function that has the
	// parameter as its argument.
	Param(n int) SessionValue
	// Macro reports whether the schema ontosql_catalog has a macro of this name. It
	// is asked for those macros only that the statement calls, or may call if they
	// exist.
	Macro(name string) bool
	// Setting is the value of one of the settings by which values become texts:
	// "DateStyle", "IntervalStyle", "bytea_output", "extra_float_digits"; "" for
	// PostgreSQL's default. It is asked for by Bind only.
	Setting(name string) string
	// DateOrder is how dates among the statement's constants and in texts are read.
	DateOrder() datetime.DateOrder
}

// SessionValue is the value of a session function, in PostgreSQL's text form.
type SessionValue struct {
	Text string
	Null bool
}

// Scoped is a statement whose names and types are resolved. It is immutable and
// may be bound by several goroutines if its Env may.
type Scoped struct {
	// Params are the PostgreSQL types of $1, $2, ...; each is bound as
	// text in PostgreSQL's form and cast to its type by the engine's SQL.
	Params []uint32
	// Used are the numbers of the parameters that the engine's SQL contains,
	// ascending: its $i is the statement's Used[i-1]. Others may be unused or belong to a point.
	Used []int
	// Lists are parameters that the engine's SQL has as lists of texts, behind those of
	// Used: each of thousands alone would take it a tenth of a millisecond to plan.
	Lists [][]int
	// Needs has one element for each of Statement.Refs.
	Needs []Need
	// Mentioned are the parameters that the statement names. Where it shares them with other
	// statements (syntax.Statement.SharesParameters), Params has 0 for those whose types it
	// does not tell.
	Mentioned []int
	// Columns are the result columns with PostgreSQL's names and types.
	Columns []Output
	// Outputs are the columns of a query of WITH that is run apart.
	Outputs []OutputColumn
	// Text is the engine's SQL with placeholders where Bind puts sources and parameters.
	// Text, Params, sources and arguments decide what the engine is asked.
	Text string
	// Repeatable says that the answer follows from that, the time zone, what Env.Setting tells, the values
	// of Settled and, where functions of pg_catalog are called, from the catalog and
	// the search path alone: no other function is called that the session answers,
	// or that may answer differently the next time. It is false for all but SELECT.
	Repeatable bool
	// Overflows says that numerics are computed in 64 bits that may be too little
	// (syntax.Statement.Overflows).
	Overflows bool
	// Widens says that numerics are computed that may need more digits than the engine's decimals
	// have (WideNumerics).
	Widens bool
	// LookUp says that the rows are those of the one reference that have the keys of
	// Needs[0].KeyEquals, all of them, each with the columns that Columns name.
	LookUp bool
	// ByKey is what the statement asks for if that is rows by their keys; nil if the engine has to answer.
	ByKey *KeyQuery
	// RowLocks are the references whose rows the statement locks. The engine's SQL tells the
	// session which rows these are (enginesql.RowLockFunction).
	RowLocks []RowLock

	// Points are the points of references that are expressions.
	Points []PointExpr

	env    Env
	pieces []enginesql.Piece
	idents map[string]int
}

// PointExpr is the SQL of a point that is an expression.
type PointExpr struct {
	Point *syntax.Point
	SQL   []enginesql.Piece
}

// Output is one result column.
type Output struct {
	Name   string
	OID    uint32
	Typmod int32 // -1 for none
	// Scale is how many digits behind the point PostgreSQL shows of every numeric of
	// the column, or of the arrays in it, as far as that is known before it is computed.
	Scale int
	// Ref and Column name the relation's column that the output is, unchanged;
	// Ref is -1 for a computed one.
	Ref    int
	Column string
	Fields []Output // of a record, and of the records of an array
	// Plain is the output as an expression over the rows of the FROM clause that is evaluated
	// without the engine, nil if only the engine can compute it.
	Plain *rowexpr.Expr
}

// Need tells what the source of one reference must expose and may leave out.
type Need struct {
	// Columns are the visible columns the statement uses, by name, in the order
	// of the shape. It may be empty (count(*)): the source still has its rows.
	Columns []string
	// System maps the system columns the statement names to the names the source
	// must give them.
	System map[string]string
	// Lower and Upper bound commit_id: rows outside are never used (decision A8).
	// They are set only for relations of the schemas history and changes and
	// for FOR SYSTEM_TIME ALL, when no column is used that looks at other versions.
	Lower []Bound // commit_id > each of them
	Upper []Bound // commit_id <= each of them
	// KeyEquals maps a key column to the values it may have: rows with another
	// value are never used. The comparison is of the column's SQL type.
	KeyEquals map[string][]enginesql.Operand
	// Times are bounds of the columns of Shape.Narrowing that are times: rows outside are never
	// used.
	Times []TimeBound
	// Outer says that the reference is on the nullable side of an outer join: its columns may
	// be NULL, even if they are declared NOT NULL.
	Outer bool
	// Locked says that FOR UPDATE or its like names the reference, of whatever kind it is.
	Locked bool
}

// Bound is a commit id: a literal or a parameter, plus Delta. A sum outside of int64 becomes
// its smallest or largest value, which no commit id reaches.
type Bound struct {
	Value int64
	Param int // 0 for a literal
	Delta int64
}

// TimeBound is a comparison of a timestamptz column with a constant or a parameter: the column is
// not below it, or with Upper not above it.
type TimeBound struct {
	Column string
	enginesql.Operand
	Upper bool
}

// TypeOf is the type of column i. One that was declared as numeric(p,s) shows s digits;
// old rows and those of other writers may have more.
func (s *Shape) TypeOf(i int) types.Type {
	if i < len(s.Types) {
		return s.Types[i].Internal()
	}
	ty := types.OfColumn(s.Columns[i].Type)
	if mod := s.Typmods[s.Columns[i].Name]; ty.OID == types.Numeric && mod >= 4 {
		ty.Numeric.DisplayScale = types.DeclaredDigits(mod).DisplayScale
	} else if ty.IsWide() && mod >= 4 {
		ty.Numeric = types.DeclaredDigits(mod)
	}
	return ty
}
