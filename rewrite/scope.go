package rewrite

import (
	"fmt"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// nameBinder is the state of the resolution of one statement: what its names mean, and
// what it needs of each reference. It lives for one call of Scope.
type nameBinder struct {
	st      *syntax.Statement
	env     Env
	refs    []syntax.Ref // the statement's, and behind them the target of a write
	shapes  []Shape      // what each of refs is
	params  *params
	aliases map[string]int
	used    []map[string]bool // visible columns used, by reference
	system  []map[string]bool // system columns used, by reference
	visible []column.Aliases  // of the visible columns, by reference; nil before one is asked for
	bounds  []bounds
	points  map[int][]enginesql.Piece
	outer   map[int]bool // references that an outer join may leave without a row
	joined  int          // relations of the query at hand (joined.go)
	idents  map[string]int
	uses    []use // columns used outside aggregates and grouping expressions
}

// bail carries an error out of the recursion; Scope is the only place that
// catches it.
type bail struct{ err *pgerr.Error }

// fail ends the analysis with an error at a byte offset of the statement.
func (b *nameBinder) fail(err *pgerr.Error, loc int32) {
	if err.Position == 0 {
		err.Position = b.st.Tree.Position(loc)
	}
	panic(bail{err})
}

func (b *nameBinder) unsupported(loc int32, format string, args ...any) {
	b.fail(pgerr.Unsupported(format, args...), loc)
}

// Scope resolves names, infers types and prints the engine's SQL with holes for
// the sources. shapes[i] is what Refs[i] resolved to; paramOIDs are the types
// the client gave its parameters, 0 for unknown. Only statements of kind Select
// can be scoped here, ScopeWrite is for INSERT, UPDATE and MERGE; EXPLAIN, PREPARE and DECLARE have theirs in Inner.
func Scope(s *syntax.Statement, shapes []Shape, paramOIDs []uint32, env Env) (sc *Scoped, err error) {
	if s.Kind != syntax.Select {
		return nil, pgerr.Unsupported("%s is not supported", s.Tag)
	}
	b, err := newQueryBinder(s, s.Refs, shapes, paramOIDs, env)
	if err != nil {
		return nil, err
	}
	defer caught(&err)
	b.pointExprs()
	q := b.query(s.Node.GetSelectStmt(), nil, nil)
	if n := b.params.unused(); n > 0 {
		return nil, errIndeterminate(n)
	}
	sc = b.scoped(b.finish(q), outputs(q), len(s.Refs))
	sc.Repeatable = repeatable(s.Node, sc)
	sc.LookUp = isLookUp(s.Node.GetSelectStmt(), sc)
	return sc, nil
}

// newNameBinder begins the resolution of one statement over refs.
func newNameBinder(s *syntax.Statement, refs []syntax.Ref, shapes []Shape, paramOIDs []uint32, env Env) (*nameBinder, error) {
	if len(shapes) != len(refs) {
		return nil, fmt.Errorf("scope: %d shapes for %d references", len(shapes), len(refs))
	}
	b := &nameBinder{
		st: s, env: env, refs: refs, shapes: shapes, params: newParams(paramOIDs), aliases: map[string]int{},
		used: make([]map[string]bool, len(shapes)), system: make([]map[string]bool, len(shapes)), visible: make([]column.Aliases, len(shapes)),
		bounds: make([]bounds, len(shapes)), points: map[int][]enginesql.Piece{}, outer: map[int]bool{}, idents: map[string]int{},
	}
	for i := range shapes {
		b.used[i], b.system[i] = map[string]bool{}, map[string]bool{}
		if p := refs[i].Point; p != nil && p.Param > 0 {
			b.params.see(p.Param)
		}
	}
	return b, nil
}

// caught, deferred, makes the error that fail threw the function's own.
func caught(err *error) {
	r := recover()
	if r == nil {
		return
	}
	e, ok := r.(bail)
	if !ok {
		panic(r)
	}
	*err = e.err
}

// finish settles what is still open in a query whose rows a client gets, and
// prints it.
func (b *queryBinder) finish(q query) string {
	q.settle(b.exprBinder)
	for _, c := range q.columns() {
		b.refuseRows(c.t, -1)
	}
	showNames(q)
	if !b.st.StoresRows {
		showPrinted(q)
	}
	return b.namesOfSides(q)
}

// outputs are the columns of a query as a client sees them.
func outputs(q query) []Output { return outputsOf(q.columns()) }

func outputsOf(cols []outcol) []Output {
	var out []Output
	for _, c := range cols {
		o := Output{Name: c.name, OID: c.t.OID, Typmod: c.t.Typmod, Scale: c.t.Digits().DisplayScale, Ref: c.ref, Column: c.source}
		o.Fields = fieldOutputs(c.t.Row)
		out = append(out, o)
	}
	return out
}

// fieldOutputs describes the fields of a record, nil for a type that is none.
func fieldOutputs(row *types.RowType) []Output {
	if row == nil {
		return nil
	}
	var out []Output
	for _, f := range row.Fields {
		out = append(out, Output{Name: f.Name, OID: f.Type.OID, Typmod: f.Type.Typmod, Scale: f.Type.Digits().DisplayScale, Ref: -1, Fields: fieldOutputs(f.Type.Row)})
	}
	return out
}

// scoped packs a printed query over the first n references. It is called when
// the whole statement is resolved.
func (b *nameBinder) scoped(text string, columns []Output, n int) *Scoped {
	text, ok := macros.BindArguments(text)
	sc := &Scoped{
		Params: b.params.oids(), Columns: columns, Text: text,
		env: b.env, pieces: enginesql.Pieces(text), points: b.points, idents: b.idents,
	}
	if !ok {
		b.fail(syntax.TooDeep(), -1)
	}
	b.catalogMacros(sc.pieces)
	b.refuseWide(sc.pieces)
	for _, ps := range sc.points {
		b.refuseWide(ps)
		b.catalogMacros(ps)
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

// showNames writes the outputs of type regclass and its like as the names that
// PostgreSQL shows for them; inside the statement they are numbers.
func showNames(q query) {
	if w, ok := q.(*withQuery); ok {
		q = w.query
	}
	s, ok := q.(*selectQuery)
	if !ok {
		return
	}
	for i := range s.targets {
		e := &s.targets[i].e
		if elem, ok := e.t.Elem(); ok && types.IsReg(elem.OID) {
			e.sql = casts.RegNames(e.sql, e.t)
		} else if e.name != "" {
			e.sql = e.name
		} else if types.IsReg(e.t.OID) {
			e.sql = casts.ToText(e.sql, e.t)
		} else if types.RowFields(e.t) != nil {
			e.sql = shownRow(*e)
		}
	}
}

// namesOfSides prints a query, a set operation or VALUES as one of its rows with the
// names in place of the numbers, by which the rows were compared and sorted.
func (b *queryBinder) namesOfSides(q query) string {
	bare := q
	if w, ok := q.(*withQuery); ok {
		bare = w.query
	}
	if _, ok := bare.(*selectQuery); ok {
		return q.text()
	}
	if !b.st.StoresRows {
		q.expose(q.noted())
	}
	named := false
	var names, beside, shown []string
	for i, c := range q.columns() {
		name := "c" + strconv.Itoa(i+1)
		sql := name
		if elem, ok := c.t.Elem(); ok && types.IsReg(elem.OID) {
			sql, named = casts.RegNames(name, c.t), true
		} else if types.IsReg(c.t.OID) {
			sql, named = casts.ToText(name, c.t), true
		} else if c.beside != "" {
			sql, named = "t"+strconv.Itoa(i+1), true
			beside = append(beside, sql)
		}
		names, shown = append(names, name), append(shown, sql+" AS "+enginesql.Quote(c.out))
	}
	if !named {
		return q.text()
	}
	return "SELECT " + strings.Join(shown, ", ") + " FROM (" + q.text() + ") AS " + enginesql.Quote(b.alias("shown")) + "(" + strings.Join(append(names, beside...), ", ") + ")"
}

// showPrinted writes the outputs as the texts that PostgreSQL prints of them, where
// these are known apart from the values. Inside the statement they are numbers, and
// DISTINCT compares numbers.
func showPrinted(q query) {
	if w, ok := q.(*withQuery); ok {
		q = w.query
	}
	s, ok := q.(*selectQuery)
	if !ok || s.distinct != "" {
		return
	}
	for i := range s.targets {
		if e := &s.targets[i].e; e.printed != "" && e.t.OID == types.Numeric {
			e.sql = e.printed
		}
	}
}

// catalogMacros asks the session for the functions of pg_catalog that casts to
// and from regclass and its like need.
func (b *nameBinder) catalogMacros(ps []enginesql.Piece) {
	for _, p := range ps {
		switch {
		case p.Kind == enginesql.Param:
			b.catalogMacros(enginesql.Pieces(casts.Param(p.Number, types.Of(b.params.oid(p.Number)), true)))
		case p.Kind == enginesql.CatalogMacro && !b.env.Macro(p.Name):
			b.unsupported(-1, "%s is not supported", p.Name)
		}
	}
}

// need collects what reference i was used for.
func (b *nameBinder) need(i int) Need {
	n := Need{Columns: []string{}, System: map[string]string{}, KeyEquals: b.bounds[i].keys, Outer: b.outer[i]}
	for _, c := range b.shapes[i].Columns {
		if b.used[i][c.Name] {
			n.Columns = append(n.Columns, c.Name)
		}
	}
	for name := range b.system[i] {
		n.System[name] = b.systemAlias(i, name)
	}
	if b.prunable(i) {
		n.Lower, n.Upper = b.bounds[i].lower, b.bounds[i].upper
	}
	return n
}

// systemAlias is the name under which the source of a reference exposes a system
// column: none of the aliases of its visible columns.
func (b *nameBinder) systemAlias(ref int, name string) string {
	if b.visible[ref] == nil {
		b.visible[ref] = column.Aliases{}
		for _, c := range b.shapes[ref].Columns {
			b.visible[ref].Pick(c.Name)
		}
	}
	return b.visible[ref].Free("__r" + strconv.Itoa(ref) + "_" + name)
}

// alias makes a name unique in the engine's SQL, where an inner alias would hide
// an outer one that an unqualified name still means.
func (b *nameBinder) alias(name string) string {
	if name == "" {
		name = "q"
	}
	key := strings.ToLower(name)
	b.aliases[key]++
	if n := b.aliases[key]; n > 1 {
		return b.alias(name + "_" + strconv.Itoa(n))
	}
	return name
}

// pointExprs prints the points that are expressions.
func (b *queryBinder) pointExprs() {
	for i, r := range b.refs {
		if r.Point != nil && r.Point.Expr {
			b.pointExpr(i)
		}
	}
}

// pointExpr prints the argument of as_of.t(x), which may name no column.
func (b *queryBinder) pointExpr(ref int) {
	for fn, i := range b.st.CallRefs {
		if i != ref {
			continue
		}
		arg := syntax.FunctionCall(fn).Args[0]
		e := b.coerce(b.pointArgument(arg), types.Of(types.Text), types.ExplicitCast)
		b.points[ref] = enginesql.Pieces("SELECT " + enginesql.InDefaultStyle(e.sql))
	}
}

func (b *queryBinder) pointArgument(arg *pg.Node) expr {
	l := &level{clause: "the point of a table"}
	if n := firstColumn(arg); n != nil {
		b.unsupported(n.Location, "the point of a table cannot depend on a column")
	}
	return b.expr(arg, l)
}
