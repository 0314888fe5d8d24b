package rewrite

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
