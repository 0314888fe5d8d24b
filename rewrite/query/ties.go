package query

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// ties is FETCH FIRST n ROWS WITH TIES, which the engine lacks: a query around a query
// takes the rows whose rank is not above n. A LIMIT that the engine cannot have where it
// stands is the same by the number of the row.
type ties struct {
	alias  string
	rank   string   // the function that counts
	by     []string // columns of the rows, with their directions
	hidden []string // what by has that is no output
	count  string
	offset string // "" for none
}

// hiddenKey names a column that rows are sorted by and that is no output: no query of a
// client has such a name.
const hiddenKey = "ontosql tie "

// ties takes the items of ORDER BY, LIMIT and OFFSET as they are printed.
func (b *Binder) ties(s *pg.SelectStmt, order []string, q expression.Query, count, offset string) *ties {
	if s.LimitOption == pg.LimitOption_LIMIT_OPTION_WITH_TIES && s.LimitCount.GetAConst().GetIsnull() {
		b.Fail(pgerr.New("2201W", "row count cannot be null in FETCH FIRST ... WITH TIES clause"), -1)
	}
	w := &ties{alias: b.UniqueAlias("tied"), rank: "rank", count: cmp.Or(count, "NULL"), offset: offset}
	if s.LimitOption != pg.LimitOption_LIMIT_OPTION_WITH_TIES {
		w.rank = "row_number"
	}
	for i, item := range order {
		direction := expression.SortDirection(b.Binder, s.SortClause[i].GetSortBy())
		key := strings.TrimSuffix(item, direction)
		if output, err := strconv.Atoi(key); err == nil {
			w.by = append(w.by, enginesql.Quote(q.Columns()[output-1].EngineName)+direction)
			continue
		}
		w.hidden = append(w.hidden, key)
		w.by = append(w.by, enginesql.Quote(hiddenKey+strconv.Itoa(len(w.hidden)))+direction)
	}
	return w
}

// numbered reports whether LIMIT or OFFSET of a correlated query is known only at execution:
// the engine accepts only constants there.
func (b *Binder) numbered(s *pg.SelectStmt, l *scope.Level, uses []scope.ColumnUse) bool {
	if constant(s.LimitCount) && constant(s.LimitOffset) {
		return false
	}
	return slices.ContainsFunc(uses, func(u scope.ColumnUse) bool { return u.Level != l })
}

// constant reports whether a count has its value in the statement.
func constant(n *pg.Node) bool {
	found := true
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		switch m.(type) {
		case *pg.ParamRef, *pg.FuncCall, *pg.SubLink, *pg.ColumnRef:
			found = false
		}
		return found
	})
	return found
}

// outputs are the hidden keys behind the outputs of a SELECT.
func (w *ties) outputs() string {
	var out strings.Builder
	for i, key := range w.hidden {
		out.WriteString(", " + key + " AS " + enginesql.Quote(hiddenKey+strconv.Itoa(i+1)))
	}
	return out.String()
}

// names are the columns of the hidden keys.
func (w *ties) names() []string {
	names := make([]string, len(w.hidden))
	for i := range w.hidden {
		names[i] = enginesql.Quote(hiddenKey + strconv.Itoa(i+1))
	}
	return names
}

// text prints the query around the rows of another one.
func (w *ties) text(rows string, cols []scope.OutputColumn) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = enginesql.Quote(c.EngineName)
	}
	if len(names) == 0 {
		names = []string{"NULL"}
	}
	over, by := "", ""
	if len(w.by) > 0 {
		over = "ORDER BY " + strings.Join(w.by, ", ")
		by = " " + over
	}
	last, behind := w.count+", 0", ""
	if w.offset != "" {
		last = w.count + ", " + w.offset
		behind = " AND row_number() OVER (" + over + ") > coalesce(" + w.offset + ", 0)"
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM (" + rows + ") AS " + enginesql.Quote(w.alias) +
		" QUALIFY " + w.rank + "() OVER (" + over + ") <= " + enginesql.Macro("last_tied") + "(" + last + ")" + behind + by
}
