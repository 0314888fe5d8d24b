package typedquery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// Window says which versions of rows are asked for: the newest, or with History all that were
// written after the commit Since.
type Window struct {
	History bool
	Since   int64
}

// table is the reference to a type in the window.
func (w Window) table(t *catalog.Type) string {
	if w.History {
		return "history." + str.QuoteIdent(t.Table)
	}
	return "public." + str.QuoteIdent(t.Table)
}

// condition limits the rows that are called row to the window, "" for none.
func (w Window) condition(row string) string {
	if w.History && w.Since > 0 {
		return row + ".commit_id > " + strconv.FormatInt(w.Since, 10)
	}
	return ""
}

// Rows asks for rows of one type.
type Rows struct {
	Target  *Target
	Filters []Filter
	Window  Window
	Limit   int // -1 for none
	Offset  int
}

// SQL is a statement of one column, whose values Target.Read reads: the newest rows by key, a
// history by commit and key.
func (q *Rows) SQL(c *catalog.Catalog) (string, error) {
	where, err := conditions(c, q.Target.Type, q.Window, q.Filters)
	if err != nil {
		return "", err
	}
	order := " ORDER BY " + q.Target.order()
	if q.Window.History {
		order = " ORDER BY n, " + q.Target.order()
	}
	from := "SELECT " + q.Target.columns() + " FROM " + q.Window.table(q.Target.Type) + " " + rowName + where
	if q.Limit >= 0 || q.Offset > 0 {
		from += order
	}
	if q.Limit >= 0 {
		from += " LIMIT " + strconv.Itoa(q.Limit)
	}
	if q.Offset > 0 {
		from += " OFFSET " + strconv.Itoa(q.Offset)
	}
	return "SELECT to_json(q) FROM (" + from + ") q" + order, nil
}

// conditions is the WHERE clause of the rows of a type, "" for none. All filters hold together.
// Those of an endpoint hold for one version of it in the window.
func conditions(c *catalog.Catalog, t *catalog.Type, w Window, filters []Filter) (string, error) {
	var all []string
	if limit := w.condition(rowName); limit != "" {
		all = append(all, limit)
	}
	ends := map[Side][]*Filter{}
	for i := range filters {
		f := &filters[i]
		switch {
		case f.Side == Direct:
			all = append(all, condition(rowName, t, f))
		case t.Ref.Kind != ontosql.Relation:
			return "", fmt.Errorf("entity %q has no endpoints: left.$ and right.$ are for relations", t.Ref.Name)
		default:
			ends[f.Side] = append(ends[f.Side], f)
		}
	}
	for _, end := range []struct {
		side Side
		role catalog.Role
		name string
	}{{Left, catalog.FromLeftKey, t.Left}, {Right, catalog.FromRightKey, t.Right}} {
		if len(ends[end.side]) == 0 {
			continue
		}
		entity, ok := c.Type(EntityRef(end.name))
		if !ok {
			all = append(all, "false") // no endpoint has a row
			continue
		}
		const row = "e"
		there := []string{key(row, entity, catalog.FromEntityKey) + " = " + key(rowName, t, end.role)}
		if limit := w.condition(row); limit != "" {
			there = append(there, limit)
		}
		for _, f := range ends[end.side] {
			there = append(there, condition(row, entity, f))
		}
		all = append(all, "EXISTS (SELECT FROM "+w.table(entity)+" "+row+" WHERE "+strings.Join(there, " AND ")+")")
	}
	if len(all) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(all, " AND "), nil
}
