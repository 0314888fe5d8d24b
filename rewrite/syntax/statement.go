package syntax

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// Kind says what a statement does, as far as a session must tell statements
// apart.
type Kind uint8

// The kinds of statements. Those after Fetch have no result and no references
// the session must resolve, or are refused as a whole.
const (
	Other              Kind = iota // a statement of PostgreSQL that has no kind of its own; Tag names it
	Empty                          // nothing but blanks and comments
	Select                         // SELECT, VALUES, TABLE, WITH ... SELECT
	Explain                        // EXPLAIN; Inner is the explained statement
	Set                            // SET, SET LOCAL, SET TIME ZONE, SET TRANSACTION, SET SESSION CHARACTERISTICS
	Show                           // SHOW name, SHOW ALL
	Reset                          // RESET name, RESET ALL
	Begin                          // BEGIN, START TRANSACTION
	Commit                         // COMMIT, END
	Rollback                       // ROLLBACK, ABORT
	Savepoint                      // SAVEPOINT name
	Release                        // RELEASE name
	RollbackTo                     // ROLLBACK TO name
	Prepare                        // PREPARE name (types) AS Inner
	Execute                        // EXECUTE name (args)
	Deallocate                     // DEALLOCATE name | ALL
	Discard                        // DISCARD ALL | PLANS | SEQUENCES | TEMP
	DeclareCursor                  // DECLARE name CURSOR FOR Inner
	Fetch                          // FETCH
	Move                           // MOVE
	CloseCursor                    // CLOSE name | ALL
	Listen                         // LISTEN channel
	Unlisten                       // UNLISTEN channel | *
	Notify                         // NOTIFY channel, payload
	Copy                           // COPY; Inner is the query of COPY (query) TO, Target the table otherwise
	Insert                         // INSERT
	Update                         // UPDATE
	Delete                         // DELETE
	Merge                          // MERGE
	Truncate                       // TRUNCATE
	CreateTable                    // CREATE TABLE
	CreateTableAs                  // CREATE TABLE AS, SELECT INTO, CREATE MATERIALIZED VIEW
	AlterTable                     // ALTER of a table or what is like one, renames and SET SCHEMA of any object
	Drop                           // DROP of any object
	CreateSchema                   // CREATE SCHEMA
	CreateView                     // CREATE VIEW
	CommentOn                      // COMMENT ON any object
	DDL                            // any other statement that defines something: GRANT of a role, ...
	Lock                           // LOCK TABLE
	Engine                         // PREPARE-like maintenance: CHECKPOINT, CLUSTER, LOAD
	Call                           // CALL and DO
	Constraints                    // SET CONSTRAINTS ALL | names
	PrepareTransaction             // PREPARE TRANSACTION
	FinishPrepared                 // COMMIT PREPARED, ROLLBACK PREPARED; Name is the transaction
	CreateExtension                // CREATE EXTENSION
	CreateIndex                    // CREATE INDEX
	Vacuum                         // VACUUM and ANALYZE
	DefineSequence                 // CREATE SEQUENCE and ALTER SEQUENCE
	Refresh                        // REFRESH MATERIALIZED VIEW
	AlterOwner                     // ALTER ... OWNER TO of what is like no table
	Owned                          // REASSIGN OWNED and DROP OWNED
	Reindex                        // REINDEX
	Grant                          // GRANT, REVOKE and ALTER DEFAULT PRIVILEGES
	OnDatabase                     // CREATE, ALTER, DROP and COMMENT ON DATABASE; Inner is the SET or RESET of ALTER
	OnRole                         // CREATE, ALTER and DROP ROLE, GRANT and REVOKE of roles; Inner is the SET or RESET of ALTER
)

// Statement is one analysed statement.
type Statement struct {
	Kind Kind
	Tag  string // PostgreSQL's command tag without row counts, such as "SELECT" or "CREATE TABLE"
	SQL  string // the text given to Analyze
	// Refs are the relations that must be resolved, in order of appearance;
	// Refs[i].ID == i. Names that a WITH clause defines are not among them.
	Refs []Ref
	// Target is the table a write, COPY or DDL statement acts on, nil if none or
	// several. It is not in Refs.
	Target   *Ref
	ReadOnly bool // the statement changes nothing: SELECT without INTO, SHOW, EXPLAIN of such
	// Parts are the queries of its WITH clause that are statements of their own, because one
	// of them writes (with.go). A reference to one is in Refs. The statement's own node has
	// them still.
	Parts []*Statement
	// Reads are the parts that the statement itself reads, also through other queries of its
	// WITH clause, as indexes of Parts.
	Reads []int
	// With says which part of another statement this one is, nil for none.
	With *WithQuery
	// Action is the name of the function whose arguments this part computes (Actions), "" for
	// none.
	Action string

	Name    string   // of a setting, savepoint, prepared statement, cursor or channel; "" with All
	All     bool     // SHOW ALL, RESET ALL, DEALLOCATE ALL, CLOSE ALL, UNLISTEN *, DISCARD ALL, SET CONSTRAINTS ALL
	Values  []string // SET: the values in order; nil is DEFAULT (or FROM CURRENT). NOTIFY: the payload. DISCARD: what
	Local   bool     // SET LOCAL
	Modes   Modes    // BEGIN, START TRANSACTION, SET TRANSACTION, SET SESSION CHARACTERISTICS
	Chain   bool     // COMMIT AND CHAIN, ROLLBACK AND CHAIN
	IfNot   bool     // CREATE SCHEMA and EXTENSION: IF NOT EXISTS
	Explain ExplainOptions
	Inner   *Statement // EXPLAIN, PREPARE, DECLARE, COPY (query): the statement within
	// Types are the parameter types PREPARE declares, 0 for unknown.
	Types  []uint32
	Cursor CursorOptions
	Copy   CopyOptions
	Lock   LockOptions

	// Overflows says that numerics may be added and multiplied in 64 bits although the result may
	// need more: then the engine raises an error, and the statement is planned without (decision A58).
	Overflows  bool
	StoresRows bool // the rows become those of a table: values, and not what is printed of them
	Node       *pg.Node
	Tree       *Tree
	RangeRefs  map[*pg.RangeVar]int        // reference of each table name
	CallRefs   map[*pg.RangeFunction]int   // reference of each as_of.t(x)
	partOf     map[*pg.CommonTableExpr]int // the number in Parts, from 1
	Views      map[int]*View               // queries of the references that name views (WithViews)
	// Numbers are the values of parameters of type numeric that are planned as constants
	// (WithNumbers), by the parameters' numbers.
	Numbers map[int]string
}

// WithNumbers is the statement with values for some parameters of type numeric. They keep
// the digits that they are written with, as constants do.
func (s *Statement) WithNumbers(numbers map[int]string) *Statement {
	with := *s
	with.Numbers = numbers
	with.Parts = make([]*Statement, len(s.Parts))
	for i, part := range s.Parts {
		with.Parts[i] = part.WithNumbers(numbers)
	}
	return &with
}

// Modes are the transaction modes of BEGIN and SET TRANSACTION.
type Modes struct {
	Isolation  string // "read uncommitted", "read committed", "repeatable read", "serializable"; "" when not given
	ReadOnly   *bool
	Deferrable *bool
	Session    bool // SET SESSION CHARACTERISTICS: the defaults of later transactions
}

// ExplainOptions are the options of EXPLAIN that change what it says here.
type ExplainOptions struct {
	Analyze, Summary, Verbose bool
	Format                    string // "text", "json", "xml", "yaml"
}

// CursorOptions are the options of DECLARE, FETCH and MOVE.
type CursorOptions struct {
	Scroll, NoScroll, Hold, Binary bool
	Direction                      string // "forward", "backward", "absolute", "relative"
	Count                          int64  // FetchAll for ALL
}

// LockOptions are what LOCK TABLE names.
type LockOptions struct {
	Tables []Ref
	Mode   string // "ACCESS SHARE", ... "ACCESS EXCLUSIVE"
	// Weak reports whether the lock mode allows others to read and write rows.
	Weak   bool
	NoWait bool
}

// FetchAll is the Count of FETCH ALL.
const FetchAll = int64(1<<63 - 1)

// CopyOptions are the options of COPY.
type CopyOptions struct {
	From    bool
	File    string // a file name or program on the server; "" is STDIN or STDOUT
	Program bool
	Columns []string
	Where   bool // FROM ... WHERE
	Options []CopyOption
}

// CopyOption is one option of COPY, of either syntax. Values are not checked.
type CopyOption struct {
	Name     string
	Given    bool     // it has a value
	Value    string   // its text
	Columns  []string // the value is a list of names; else empty
	All      bool     // the value is *
	Position int      // in characters from 1
}

// Ref is one reference to a relation.
type Ref struct {
	ID                    int
	Catalog, Schema, Name string // as the parser folded them; "" where not written
	Position              int    // of the name, in characters from 1
	// Point is the operand of FOR SYSTEM_TIME AS OF, the argument of as_of.t(x), or b of
	// diff.t(a, b) and DiffStat; nil for a reference at the session's point.
	Point *Point
	// Since is a of diff.t(a, b) and DiffStat, nil for another reference.
	Since *Point
	// All is FOR SYSTEM_TIME ALL: every version, shown as history.<type> is.
	All bool
	// Function is as_of.t(x), diff.t(a, b) or DiffStat.
	Function bool
	// LaterWith says that a WITH query of the name comes later in the same clause.
	LaterWith bool
	// Part is the number from 1 of the part that the name means (Statement.Parts), 0 for a
	// relation.
	Part int
}

// Points are the points that a reference names.
func (r *Ref) Points() []*Point {
	var points []*Point
	for _, p := range []*Point{r.Since, r.Point} {
		if p != nil {
			points = append(points, p)
		}
	}
	return points
}

// Point is the moment a reference names. Exactly one of the three forms is
// used: Text, Param or an expression that the session evaluates when it binds.
type Point struct {
	Text  string // a literal: 42, HEAD~3, 2026-02-10
	Param int    // the number of a parameter; its value is read as Text is
	// Expr says that the point is an expression, which is evaluated before the sources are
	// chosen: Argument, which Scoped.PointSQL gives as SQL, or Query.
	Expr     bool
	Argument *pg.Node
	// Query is a SELECT of the expression as a text, where that reads relations.
	Query    *Statement
	Position int
}
