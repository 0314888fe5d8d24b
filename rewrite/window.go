package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// defineWindows makes the names of a WINDOW clause known.
func (b *exprBinder) defineWindows(defs []*pg.Node, l *level) {
	l.windows = map[string]window{}
	for _, n := range defs {
		w := n.GetWindowDef()
		if l.windows[w.Name].def != nil {
			b.fail(pgerr.New(syntax.WindowingError, "window %q is already defined", w.Name), w.Location)
		}
		l.windows[w.Name] = window{name: enginesql.Quote(b.alias("w_" + w.Name)), def: w}
	}
}

// windowClause prints the WINDOW clause.
func (b *exprBinder) windowClause(defs []*pg.Node, l *level) string {
	var parts []string
	for _, n := range defs {
		w := n.GetWindowDef()
		parts = append(parts, l.windows[w.Name].name+" AS ("+b.windowSpec(w, l)+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return " WINDOW " + strings.Join(parts, ", ")
}

// over prints the OVER of a call.
func (b *exprBinder) over(w *pg.WindowDef, l *level) string {
	if w.Name != "" {
		return " OVER " + b.windowName(w.Name, w.Location, l)
	}
	return " OVER (" + b.windowSpec(w, l) + ")"
}

func (b *exprBinder) windowName(name string, loc int32, l *level) string {
	w := l.windows[name]
	if w.def == nil {
		b.fail(pgerr.New(pgerr.UndefinedObject, "window %q does not exist", name), loc)
	}
	return w.name
}

// copied refuses what a window may not have beside the window that it copies
// (transformWindowDefinitions in PostgreSQL's parse_clause.c).
func (b *exprBinder) copied(w *pg.WindowDef, l *level) {
	of := l.windows[w.Refname].def
	ordered := false
	for at := of; at != nil && !ordered; at = l.windows[at.Refname].def {
		ordered = len(at.OrderClause) > 0
	}
	switch {
	case len(w.PartitionClause) > 0:
		b.fail(pgerr.New(syntax.WindowingError, "cannot override PARTITION BY clause of window %q", w.Refname), w.Location)
	case len(w.OrderClause) > 0 && ordered:
		b.fail(pgerr.New(syntax.WindowingError, "cannot override ORDER BY clause of window %q", w.Refname), w.Location)
	case of.FrameOptions&frameNonDefault != 0:
		err := pgerr.New(syntax.WindowingError, "cannot copy window %q because it has a frame clause", w.Refname)
		if w.Name == "" && len(w.OrderClause) == 0 && w.FrameOptions&frameNonDefault == 0 {
			err = err.WithHint("Omit the parentheses in this OVER clause.")
		}
		b.fail(err, w.Location)
	}
}

func (b *exprBinder) windowSpec(w *pg.WindowDef, l *level) string {
	defer func(within string) { l.within = within }(l.within)
	l.within = "window functions are not allowed in window definitions"
	var parts []string
	var order []expr
	if w.Refname != "" {
		parts = append(parts, b.windowName(w.Refname, w.Location, l))
		b.copied(w, l)
	}
	if len(w.PartitionClause) > 0 {
		var es []string
		for _, n := range w.PartitionClause {
			es = append(es, b.equated(b.expr(n, l)).sql)
		}
		parts = append(parts, "PARTITION BY "+strings.Join(es, ", "))
	}
	if len(w.OrderClause) > 0 {
		var list string
		list, order = b.orderList(w.OrderClause, l)
		parts = append(parts, "ORDER BY "+list)
	}
	if f := b.frame(w, order, l); f != "" {
		parts = append(parts, f)
	}
	return strings.Join(parts, " ")
}

// orderList is an ORDER BY inside a window or an aggregate: expressions only, which it
// gives beside the text.
func (b *exprBinder) orderList(list []*pg.Node, l *level) (string, []expr) {
	texts, es := make([]string, len(list)), make([]expr, len(list))
	for i, n := range list {
		s := n.GetSortBy()
		e := b.known(b.expr(s.Node, l))
		b.ordered(e, "ordering")
		es[i] = e
		if sortType(e.t) != 0 {
			e = b.plain(e, e.t)
		}
		texts[i] = noLiteral(e) + sortDirection(b, s)
	}
	return strings.Join(texts, ", "), es
}

// noLiteral is an expression to sort by, of which the engine takes no constants as such.
func noLiteral(e expr) string {
	if _, err := strconv.ParseFloat(e.sql, 64); err == nil || e.sql == "NULL" || strings.HasPrefix(e.sql, "'") || e.t.OID == types.Bool {
		return "CAST(" + e.sql + " AS " + e.t.EngineType() + ")"
	}
	return e.sql
}

// sortType is the type itself of one that the engine orders otherwise, 0 for any other.
func sortType(ty types.Type) uint32 {
	if ty.OID == types.JSONB || ty.OID == types.TimeTZ || ty.ExtraDims > 0 {
		return ty.OID
	}
	return 0
}
