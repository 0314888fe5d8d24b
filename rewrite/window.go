package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

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

// defineWindows makes the names of a WINDOW clause known.
func (b *binder) defineWindows(defs []*pg.Node, l *level) {
	l.windows = map[string]string{}
	for _, n := range defs {
		w := n.GetWindowDef()
		if l.windows[w.Name] != "" {
			b.fail(pgerr.New("42P20", "window %q is already defined", w.Name), w.Location)
		}
		l.windows[w.Name] = quote(b.alias("w_" + w.Name))
	}
}

// windowClause prints the WINDOW clause.
func (b *binder) windowClause(defs []*pg.Node, l *level) string {
	var parts []string
	for _, n := range defs {
		w := n.GetWindowDef()
		parts = append(parts, l.windows[w.Name]+" AS ("+b.windowSpec(w, l)+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return " WINDOW " + strings.Join(parts, ", ")
}

// over prints the OVER of a call.
func (b *binder) over(w *pg.WindowDef, l *level) string {
	if w.Name != "" {
		return " OVER " + b.windowName(w.Name, w.Location, l)
	}
	return " OVER (" + b.windowSpec(w, l) + ")"
}

func (b *binder) windowName(name string, loc int32, l *level) string {
	n := l.windows[name]
	if n == "" {
		b.fail(pgerr.New(pgerr.UndefinedObject, "window %q does not exist", name), loc)
	}
	return n
}

func (b *binder) windowSpec(w *pg.WindowDef, l *level) string {
	var parts []string
	if w.Refname != "" {
		parts = append(parts, b.windowName(w.Refname, w.Location, l))
	}
	if len(w.PartitionClause) > 0 {
		var es []string
		for _, n := range w.PartitionClause {
			es = append(es, b.equated(b.expr(n, l)).sql)
		}
		parts = append(parts, "PARTITION BY "+strings.Join(es, ", "))
	}
	if len(w.OrderClause) > 0 {
		parts = append(parts, "ORDER BY "+b.orderList(w.OrderClause, l))
	}
	if f := b.frame(w, l); f != "" {
		parts = append(parts, f)
	}
	return strings.Join(parts, " ")
}

// orderList is an ORDER BY inside a window or an aggregate: expressions only.
func (b *binder) orderList(list []*pg.Node, l *level) string {
	var es []string
	for _, n := range list {
		s := n.GetSortBy()
		e := b.known(b.expr(s.Node, l))
		b.ordered(e, "ordering")
		es = append(es, b.plain(e, t(sortType(e.t))).sql+sortDirection(b, s))
	}
	return strings.Join(es, ", ")
}

// sortType is the type itself of one that the engine orders otherwise, 0 for any other.
func sortType(ty typ) uint32 {
	if ty.oid == jsonbOID || ty.oid == timetzOID {
		return ty.oid
	}
	return 0
}

// frameOffset refuses a negative number of rows.
func (b *binder) frameOffset(e expr, start bool) expr {
	name := "ending"
	if start {
		name = "starting"
	}
	err := pgerr.New("22013", "frame %s offset must not be negative", name)
	switch n, parsed := strconv.ParseInt(strings.Trim(e.sql, "()"), 10, 64); {
	case parsed != nil:
		e.sql = "CASE WHEN " + e.sql + " < 0 THEN error('[22013] " + err.Message + "') ELSE " + e.sql + " END"
	case n < 0:
		b.fail(err, -1)
	}
	return e
}

func (b *binder) frame(w *pg.WindowDef, l *level) string {
	o := w.FrameOptions
	if o&frameNonDefault == 0 {
		return ""
	}
	s := "RANGE"
	switch {
	case o&frameRows != 0:
		s = "ROWS"
	case o&frameGroups != 0:
		s = "GROUPS"
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
		e := b.known(b.expr(offset, l))
		if o&(frameRows|frameGroups) != 0 {
			e = b.frameOffset(b.coerce(e, t(int8OID), implicitCast), o&(startOffsetPrec|startOffsetFoll) != 0 && offset == w.StartOffset)
		} else if lit := offset.GetAConst(); lit != nil && e.t.oid == textOID {
			e = b.coerce(b.expr(offset, l), t(intervalOID), implicitCast)
		}
		if o&offPrec != 0 {
			return e.sql + " PRECEDING"
		}
		return e.sql + " FOLLOWING"
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
