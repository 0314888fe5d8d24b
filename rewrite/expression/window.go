package expression

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
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

// copiedWindow refuses clauses that a window may not have in addition to those of the window
// that it copies (transformWindowDefinitions in PostgreSQL's parse_clause.c).
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

// orderList is an ORDER BY inside a window or an aggregate: expressions only, which it returns
// together with their text.
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

// Bits of WindowDef.frameOptions (PostgreSQL's parsenodes.h).
const (
	frameNonDefault    = 0x00001
	frameRange         = 0x00002
	frameRows          = 0x00004
	frameGroups        = 0x00008
	frameBetween       = 0x00010
	startUnboundedPrec = 0x00020
	endUnboundedPrec   = 0x00040
	startUnboundedFoll = 0x00080
	endUnboundedFoll   = 0x00100
	startCurrentRow    = 0x00200
	endCurrentRow      = 0x00400
	startOffsetPrec    = 0x00800
	endOffsetPrec      = 0x01000
	startOffsetFoll    = 0x02000
	endOffsetFoll      = 0x04000
	excludeCurrentRow  = 0x08000
	excludeGroup       = 0x10000
	excludeTies        = 0x20000
)

// notNegative refuses a negative offset of a frame.
func (b *Binder) notNegative(e scope.Expr, message string) scope.Expr {
	err := pgerr.New("22013", "%s", message)
	switch n, parsed := strconv.ParseFloat(strings.Trim(e.SQL, "()"), 64); {
	case parsed != nil && e.Type.OID == types.Interval:
		e.SQL = "CASE WHEN epoch_us(" + e.SQL + ") < 0 THEN error('[22013] " + message + "') ELSE " + e.SQL + " END"
	case parsed != nil:
		e.SQL = "CASE WHEN " + e.SQL + " < 0 THEN error('[22013] " + message + "') ELSE " + e.SQL + " END"
	case n < 0:
		b.Fail(err, -1)
	}
	return e
}

// rangeOffsets are the types of the offset that a frame of RANGE may have over a column
// of a type (the in_range functions of PostgreSQL's pg_amproc.dat).
var rangeOffsets = map[uint32][]uint32{
	types.Int2: {types.Int2, types.Int4, types.Int8}, types.Int4: {types.Int2, types.Int4, types.Int8}, types.Int8: {types.Int8},
	types.Float4: {types.Float8}, types.Float8: {types.Float8}, types.Numeric: {types.Numeric},
	types.Date: {types.Interval}, types.Time: {types.Interval}, types.TimeTZ: {types.Interval}, types.Timestamp: {types.Interval}, types.TimestampTZ: {types.Interval}, types.Interval: {types.Interval},
}

// rangeOffset is the offset of a frame of RANGE over a column, in the type that is added
// to it (transformFrameOffsetClause in PostgreSQL's parse_clause.c).
func (b *Binder) rangeOffset(column, offset scope.Expr) scope.Expr {
	preferred := offset.Type.OID
	if preferred == types.Unknown {
		preferred = column.Type.OID
	}
	var to uint32
	for _, ty := range rangeOffsets[column.Type.OID] {
		if types.Implicit(offset.Type.OID, ty) && to != preferred {
			to = ty
		}
	}
	switch {
	case rangeOffsets[column.Type.OID] == nil:
		b.Fail(pgerr.Unsupported("RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", types.Of(column.Type.OID)), offset.Location)
	case to == 0:
		b.Fail(pgerr.Unsupported("RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s", types.Of(column.Type.OID), types.Of(offset.Type.OID)).
			WithHint("Cast the offset value to an appropriate type."), offset.Location)
	}
	return b.notNegative(b.Coerce(offset, types.Of(to), types.ImplicitCast), "invalid preceding or following size in window function")
}

// frame prints the frame of a window that is ordered by some expressions.
func (b *Binder) frame(w *pg.WindowDef, order []scope.Expr, l *scope.Level) string {
	o := w.FrameOptions
	if o&frameNonDefault == 0 {
		return ""
	}
	s := "RANGE"
	switch {
	case o&frameRows != 0:
		s = "ROWS"
	case o&frameGroups != 0:
		if s = "GROUPS"; len(order) == 0 && w.Refname == "" {
			b.Fail(pgerr.New(syntax.WindowingError, "GROUPS mode requires an ORDER BY clause"), w.Location)
		}
	}
	bound := func(prec, foll, cur, offPrec, offFoll int32, offset *pg.Node) string {
		switch {
		case o&prec != 0:
			return "UNBOUNDED PRECEDING"
		case o&foll != 0:
			return "UNBOUNDED FOLLOWING"
		case o&cur != 0:
			return "CURRENT ROW"
		}
		if c := FirstColumnRef(offset); c != nil {
			b.Fail(pgerr.New(pgerr.InvalidColumnReference, "argument of %s must not contain variables", s), c.Location)
		}
		var e scope.Expr
		switch {
		case o&(frameRows|frameGroups) != 0:
			name := "ending"
			if offset == w.StartOffset {
				name = "starting"
			}
			e = b.notNegative(b.Coerce(b.Expr(offset, l), types.Of(types.Int8), types.ImplicitCast), "frame "+name+" offset must not be negative")
		case len(order) == 1:
			e = b.rangeOffset(order[0], b.Expr(offset, l))
		case w.Refname == "":
			b.Fail(pgerr.New(syntax.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column"), w.Location)
		default:
			e = b.DefaultToText(b.Expr(offset, l))
		}
		if o&offPrec != 0 {
			return e.SQL + " PRECEDING"
		}
		return e.SQL + " FOLLOWING"
	}
	start := bound(startUnboundedPrec, startUnboundedFoll, startCurrentRow, startOffsetPrec, startOffsetFoll, w.StartOffset)
	end := "CURRENT ROW"
	if o&frameBetween != 0 {
		end = bound(endUnboundedPrec, endUnboundedFoll, endCurrentRow, endOffsetPrec, endOffsetFoll, w.EndOffset)
	}
	s += " BETWEEN " + start + " AND " + end
	switch {
	case o&excludeCurrentRow != 0:
		s += " EXCLUDE CURRENT ROW"
	case o&excludeGroup != 0:
		s += " EXCLUDE GROUP"
	case o&excludeTies != 0:
		s += " EXCLUDE TIES"
	}
	return s
}
