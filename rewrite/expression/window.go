package expression

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// DefineWindows makes the names of a WINDOW clause known.
func (b *Binder) DefineWindows(defs []*pg.Node, l *scope.Level) {
	l.Windows = map[string]scope.Window{}
	for _, n := range defs {
		w := n.GetWindowDef()
		if l.Windows[w.Name].Definition != nil {
			b.Fail(pgerr.New(syntax.WindowingError, "window %q is already defined", w.Name), w.Location)
		}
		l.Windows[w.Name] = scope.Window{Name: enginesql.Quote(b.UniqueAlias("w_" + w.Name)), Definition: w}
	}
}

// WindowClause prints the WINDOW clause.
func (b *Binder) WindowClause(defs []*pg.Node, l *scope.Level) string {
	var parts []string
	for _, n := range defs {
		w := n.GetWindowDef()
		parts = append(parts, l.Windows[w.Name].Name+" AS ("+b.windowSpec(w, l)+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return " WINDOW " + strings.Join(parts, ", ")
}

// overClause prints the OVER of a call.
func (b *Binder) overClause(w *pg.WindowDef, l *scope.Level) string {
	if w.Name != "" {
		return " OVER " + b.windowName(w.Name, w.Location, l)
	}
	return " OVER (" + b.windowSpec(w, l) + ")"
}

func (b *Binder) windowName(name string, loc int32, l *scope.Level) string {
	w := l.Windows[name]
	if w.Definition == nil {
		b.Fail(pgerr.New(pgerr.UndefinedObject, "window %q does not exist", name), loc)
	}
	return w.Name
}

// copiedWindow refuses what a window may not have beside the window that it copies
// (transformWindowDefinitions in PostgreSQL's parse_clause.c).
func (b *Binder) copiedWindow(w *pg.WindowDef, l *scope.Level) {
	of := l.Windows[w.Refname].Definition
	ordered := false
	for at := of; at != nil && !ordered; at = l.Windows[at.Refname].Definition {
		ordered = len(at.OrderClause) > 0
	}
	switch {
	case len(w.PartitionClause) > 0:
		b.Fail(pgerr.New(syntax.WindowingError, "cannot override PARTITION BY clause of window %q", w.Refname), w.Location)
	case len(w.OrderClause) > 0 && ordered:
		b.Fail(pgerr.New(syntax.WindowingError, "cannot override ORDER BY clause of window %q", w.Refname), w.Location)
	case of.FrameOptions&frameNonDefault != 0:
		err := pgerr.New(syntax.WindowingError, "cannot copy window %q because it has a frame clause", w.Refname)
		if w.Name == "" && len(w.OrderClause) == 0 && w.FrameOptions&frameNonDefault == 0 {
			err = err.WithHint("Omit the parentheses in this OVER clause.")
		}
		b.Fail(err, w.Location)
	}
}

func (b *Binder) windowSpec(w *pg.WindowDef, l *scope.Level) string {
	defer func(within string) { l.WindowRefusal = within }(l.WindowRefusal)
	l.WindowRefusal = "window functions are not allowed in window definitions"
	var parts []string
	var order []scope.Expr
	if w.Refname != "" {
		parts = append(parts, b.windowName(w.Refname, w.Location, l))
		b.copiedWindow(w, l)
	}
	if len(w.PartitionClause) > 0 {
		var es []string
		for _, n := range w.PartitionClause {
			es = append(es, b.EqualityOperand(b.Expr(n, l)).SQL)
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
func (b *Binder) orderList(list []*pg.Node, l *scope.Level) (string, []scope.Expr) {
	texts, es := make([]string, len(list)), make([]scope.Expr, len(list))
	for i, n := range list {
		s := n.GetSortBy()
		e := b.DefaultToText(b.Expr(s.Node, l))
		b.RequireOperator(e, "ordering")
		es[i] = e
		if SortType(e.Type) != 0 {
			e = b.ComparisonOperand(e, e.Type)
		}
		texts[i] = SortKey(e) + SortDirection(b, s)
	}
	return strings.Join(texts, ", "), es
}

// SortKey is an expression to sort by, of which the engine takes no constants as such.
func SortKey(e scope.Expr) string {
	if _, err := strconv.ParseFloat(e.SQL, 64); err == nil || e.SQL == "NULL" || strings.HasPrefix(e.SQL, "'") || e.Type.OID == types.Bool {
		return "CAST(" + e.SQL + " AS " + e.Type.EngineType() + ")"
	}
	return e.SQL
}

// SortType is the type itself of one that the engine orders otherwise, 0 for any other.
func SortType(ty types.Type) uint32 {
	if ty.OID == types.JSONB || ty.OID == types.TimeTZ || ty.ExtraDims > 0 {
		return ty.OID
	}
	return 0
}

// refuseOuterWindow refuses a window function that uses columns of a query around its own:
// the engine has none.
func (b *Binder) refuseOuterWindow(uses []scope.ColumnUse, l *scope.Level, loc int32) {
	for _, u := range uses {
		for at := l.Parent; at != nil; at = at.Parent {
			if u.Level == at {
				b.Unsupported(loc, "a window function that uses columns of a query around its own is not supported")
			}
		}
	}
}
