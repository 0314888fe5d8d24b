package scope

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// State is the state of the resolution of one statement: what its names mean, and
// what it needs of each reference. It lives for one call of Scope.
type State struct {
	Stmt        *syntax.Statement
	Env         Env
	Refs        []syntax.Ref // the statement's, and behind them the target of a write
	Shapes      []Shape      // what each of Refs is
	Uses        []RefUse     // what the statement uses of each of Refs
	Params      *Params
	Points      []PointExpr
	Identifiers map[string]int    // the positions of column names, for errors of the engine
	ColumnUses  []ColumnUse       // columns used outside aggregates and grouping expressions
	FixedTimes  bool              // literals of dates and times have to mean the same in every session, and always
	Overflows   bool              // a numeric may overflow as Stmt.Overflows admits
	Wide        bool              // numerics are computed as wide ones (WideNumerics)
	Widens      bool              // with Wide it would compute something in another way
	Scales      map[string]string // of texts of numerics (Expr.Printed): SQL of the digits behind the point, NULL for NULL
	aliases     map[string]int    // how often each alias has been given
	joined      int               // relations of the current query (joined.go)
	rowLocks    []RowLock
}

// RefUse is what the statement uses of one reference.
type RefUse struct {
	Columns     map[string]bool // visible columns
	System      map[string]bool // system columns
	OuterJoined bool            // an outer join may leave it without a row
	Locked      bool            // a locking clause names it
	aliases     column.Aliases  // of the visible columns; nil before one is asked for
	bounds      bounds          // on commit_id and the key
}

// Bailout carries an error out of the recursion; Scope is the only place that
// catches it.
type Bailout struct{ Err *pgerr.Error }

// Fail ends the analysis with an error at a byte offset of the statement.
func (b *State) Fail(err *pgerr.Error, loc int32) {
	if err.Position == 0 {
		err.Position = b.Stmt.Tree.Position(loc)
	}
	panic(Bailout{err})
}

// Unsupported ends the analysis with 0A000 at a byte offset of the statement.
func (b *State) Unsupported(loc int32, format string, args ...any) {
	b.Fail(pgerr.Unsupported(format, args...), loc)
}

// New begins the resolution of one statement over refs.
func New(s *syntax.Statement, refs []syntax.Ref, shapes []Shape, paramOIDs []uint32, env Env) (*State, error) {
	if len(shapes) != len(refs) {
		return nil, fmt.Errorf("scope: %d shapes for %d references", len(shapes), len(refs))
	}
	b := &State{
		Stmt: s, Wide: wideMode(env), Env: env, Refs: refs, Shapes: shapes, Params: newParams(paramOIDs), aliases: map[string]int{},
		Uses: make([]RefUse, len(shapes)), Identifiers: map[string]int{}, Scales: map[string]string{},
	}
	for i := range shapes {
		for _, c := range shapes[i].Columns {
			if c.Type.Kind == column.JSON { // d.e of a column d would mean a field of the document, not a column of table d
				b.aliases[strings.ToLower(c.Name)] = 1
			}
		}
		b.Uses[i].Columns, b.Uses[i].System = map[string]bool{}, map[string]bool{}
		for _, p := range refs[i].Points() {
			if p.Param > 0 {
				b.Params.See(p.Param)
			}
		}
	}
	return b, nil
}

// caught, deferred, makes the error that fail threw the function's own.
func Recover(err *error) {
	r := recover()
	if r == nil {
		return
	}
	e, ok := r.(Bailout)
	if !ok {
		panic(r)
	}
	*err = e.Err
}

// Scoped packs a printed query over the first n references. It is called when
// the whole statement is resolved.
func (b *State) Scoped(text string, columns []Output, n int) *Scoped {
	b.noteWidens()
	text, ok := macros.BindArguments(text)
	sc := &Scoped{
		Params: b.Params.oids(), Columns: columns, Text: text,
		RowLocks: b.rowLocks, Widens: b.Widens, env: b.Env, pieces: enginesql.Pieces(text), Points: b.Points, idents: b.Identifiers,
	}
	if b.Stmt.SharesParameters() {
		sc.Params, sc.Mentioned = b.Params.known()
	}
	if !ok {
		b.Fail(syntax.TooDeep(), -1)
	}
	b.catalogMacros(sc.pieces)
	for _, p := range sc.Points {
		b.catalogMacros(p.SQL)
	}
	for i := range sc.pieces {
		if list := sc.pieces[i].Params; list != nil {
			sc.Lists = append(sc.Lists, list)
			sc.pieces[i].Number = len(sc.Lists)
		}
	}
	sc.Used = enginesql.ParamNumbers(sc.pieces)
	for i := range n {
		sc.Needs = append(sc.Needs, b.need(i))
	}
	return sc
}

// catalogMacros asks the session for the functions of pg_catalog that casts to
// and from regclass and its like need.
func (b *State) catalogMacros(ps []enginesql.Piece) {
	for _, p := range ps {
		switch {
		case p.Kind == enginesql.Param:
			b.catalogMacros(enginesql.Pieces(casts.Param(p.Number, types.Of(b.Params.oid(p.Number)), true)))
		case p.Kind == enginesql.CatalogMacro && !b.Env.Macro(p.Name):
			b.Unsupported(-1, "%s is not supported", p.Name)
		}
	}
}

// need collects what reference i was used for.
func (b *State) need(i int) Need {
	n := Need{Columns: []string{}, System: map[string]string{}, KeyEquals: b.Uses[i].bounds.keys, Times: b.Uses[i].bounds.times, Outer: b.Uses[i].OuterJoined, Locked: b.Uses[i].Locked}
	for _, c := range b.Shapes[i].Columns {
		if b.Uses[i].Columns[c.Name] {
			n.Columns = append(n.Columns, c.Name)
		}
	}
	for name := range b.Uses[i].System {
		n.System[name] = b.SystemAlias(i, name)
	}
	if b.prunable(i) {
		n.Lower, n.Upper = b.Uses[i].bounds.lower, b.Uses[i].bounds.upper
	}
	return n
}

// SystemAlias is the name under which the source of a reference exposes a system
// column: none of the aliases of its visible columns.
func (b *State) SystemAlias(ref int, name string) string {
	if b.Uses[ref].aliases == nil {
		b.Uses[ref].aliases = column.Aliases{}
		for _, c := range b.Shapes[ref].Columns {
			b.Uses[ref].aliases.Pick(c.Name)
		}
	}
	return b.Uses[ref].aliases.Free("__r" + strconv.Itoa(ref) + "_" + name)
}

// UniqueAlias makes a name unique in the engine's SQL, where an inner alias would hide
// an outer one that an unqualified name still means.
func (b *State) UniqueAlias(name string) string {
	if name == "" {
		name = "q"
	}
	key := strings.ToLower(name)
	b.aliases[key]++
	if n := b.aliases[key]; n > 1 {
		return b.UniqueAlias(name + "_" + strconv.Itoa(n))
	}
	return name
}
