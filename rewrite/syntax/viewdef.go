package syntax

import (
	"cmp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// ViewNames are the names that ViewText puts into the query of a view.
type ViewNames struct {
	Columns []string                 // of the view
	Quote   func(name string) string // as SQL needs it
	// Relation is the present name of the relation of a reference, qualified and quoted, and its
	// columns under the names that the query has for them, nil if these are its own; shown are
	// those that a star stands for. name is "" for a relation that keeps the name in the query.
	Relation func(ref int) (name string, columns, shown []string)
}

// ViewText is the query of a view, by the text of its CREATE VIEW or CREATE MATERIALIZED VIEW,
// as a query that means the same with every search_path: the names of relations are qualified,
// stars are written out where that is easy, and the columns have the names of the view.
func ViewText(text string, names ViewNames) (string, error) {
	st, err := ViewQuery(text, 0)
	if err != nil {
		return "", err
	}
	scan, err := pg.Scan(text)
	if err != nil {
		return "", err
	}
	w := &viewText{ViewNames: names, st: st, sql: text}
	for _, t := range scan.Tokens {
		if t.Token != pg.Token_SQL_COMMENT && t.Token != pg.Token_C_COMMENT {
			w.tokens = append(w.tokens, t)
		}
	}
	w.relations()
	from, to := w.bounds()
	outer := LeftmostSelect(st.Node.GetSelectStmt())
	recursive := w.isRecursive()
	whole := recursive || !w.columns(outer)
	out := Bare(w.edited(from, to))
	var list []string
	for _, c := range names.Columns {
		list = append(list, names.Quote(c))
	}
	all := strings.Join(list, ", ")
	switch {
	case recursive:
		name := names.Quote(st.Tree.Stmts[0].Stmt.GetViewStmt().View.Relname)
		out = "WITH RECURSIVE " + name + "(" + all + ") AS (" + out + ") SELECT " + all + " FROM " + name
	case whole:
		out = "SELECT " + all + " FROM (" + out + ") AS q(" + all + ")"
	}
	return out, nil
}

// viewText edits the text of a view.
type viewText struct {
	ViewNames
	st     *Statement
	sql    string
	tokens []*pg.ScanToken
	edits  []textEdit
}

// textEdit puts a text in the place of some bytes.
type textEdit struct {
	from, to int
	text     string
}

func (w *viewText) edit(from, to int, text string) {
	w.edits = append(w.edits, textEdit{from, to, text})
}

// edited is a part of the text with the edits.
func (w *viewText) edited(from, to int) string {
	slices.SortStableFunc(w.edits, func(a, b textEdit) int { return cmp.Compare(a.from, b.from) })
	var s strings.Builder
	for _, e := range w.edits {
		if e.from < from || e.to > to {
			continue
		}
		s.WriteString(w.sql[from:e.from] + e.text)
		from = e.to
	}
	return s.String() + w.sql[from:to]
}

// at is the number of the token that starts at a byte.
func (w *viewText) at(start int32) int {
	return slices.IndexFunc(w.tokens, func(t *pg.ScanToken) bool { return t.Start == start })
}

func (w *viewText) token(i int) pg.Token {
	if i < 0 || i >= len(w.tokens) {
		return 0
	}
	return w.tokens[i].Token
}

// bounds are where the query begins and ends.
func (w *viewText) bounds() (from, to int) {
	from = AfterAs(w.tokens)
	n, to := len(w.tokens), len(w.sql)
	isWith := func(i int) bool { return w.token(i) == pg.Token_WITH || w.token(i) == pg.Token_WITH_LA }
	switch {
	case w.token(n-1) == pg.Token_OPTION && w.token(n-2) == pg.Token_CHECK:
		if n -= 3; w.token(n) == pg.Token_LOCAL || w.token(n) == pg.Token_CASCADED {
			n--
		}
		to = int(w.tokens[n].Start)
	case w.token(n-1) != pg.Token_DATA_P:
	case isWith(n - 2):
		to = int(w.tokens[n-2].Start)
	case w.token(n-2) == pg.Token_NO && isWith(n-3):
		to = int(w.tokens[n-3].Start)
	}
	return from, to
}

// AfterAs is where the first AS outside of parentheses ends: behind it stands the query of a
// CREATE VIEW. Without one it is 0.
func AfterAs(tokens []*pg.ScanToken) int {
	depth := 0
	for _, t := range tokens {
		switch t.Token {
		case pg.Token_ASCII_40:
			depth++
		case pg.Token_ASCII_41:
			depth--
		case pg.Token_AS:
			if depth == 0 {
				return int(t.End)
			}
		}
	}
	return 0
}

// isRecursive reports whether the text is CREATE RECURSIVE VIEW.
func (w *viewText) isRecursive() bool {
	for _, t := range w.tokens {
		switch t.Token {
		case pg.Token_RECURSIVE:
			return true
		case pg.Token_VIEW:
			return false
		}
	}
	return false
}

// relations qualifies the names of relations.
func (w *viewText) relations() {
	for v, ref := range w.st.RangeRefs {
		name, columns, _ := w.Relation(ref)
		first := w.at(v.Location)
		if name == "" || first < 0 {
			continue
		}
		last := first
		for w.token(last+1) == pg.Token_ASCII_46 {
			last += 2
		}
		if last >= len(w.tokens) {
			continue
		}
		end := int(w.tokens[last].End)
		if c := w.st.Tree.clauseOf(v); c != nil {
			end = c.to
		}
		w.edit(int(v.Location), int(w.tokens[last].End), name)
		list := ""
		if columns != nil {
			list = "(" + strings.Join(columns, ", ") + ")"
		}
		switch own := w.Quote(v.Relname); {
		case v.Alias == nil && (list != "" || name != own && !strings.HasSuffix(name, "."+own)):
			w.edit(end, end, " AS "+own+list)
		case v.Alias != nil && list != "" && len(v.Alias.Colnames) == 0:
			w.afterAlias(end, list)
		}
	}
}

// afterAlias puts a list of columns behind the alias that follows a byte.
func (w *viewText) afterAlias(from int, list string) {
	i := slices.IndexFunc(w.tokens, func(t *pg.ScanToken) bool { return int(t.Start) >= from })
	if w.token(i) == pg.Token_AS {
		i++
	}
	if i >= 0 && i < len(w.tokens) {
		end := int(w.tokens[i].End)
		w.edit(end, end, list)
	}
}

// columns gives the columns of a query the names of the view. It is false if that needs a query
// around it.
func (w *viewText) columns(n *pg.SelectStmt) bool {
	type item struct {
		target *pg.ResTarget
		star   []string
	}
	var items []item
	width, known := 0, len(n.ValuesLists) == 0
	for _, node := range n.TargetList {
		it := item{target: node.GetResTarget()}
		ref := it.target.Val.GetColumnRef()
		if ref == nil || ref.Fields[len(ref.Fields)-1].GetAStar() == nil {
			width++
		} else if it.star = w.star(n, ref); it.star == nil {
			known = false
		}
		width += len(it.star)
		items = append(items, it)
	}
	if !known || width != len(w.Columns) {
		return false
	}
	place := 0
	for _, it := range items {
		from, to := w.item(it.target.Location)
		if from < 0 {
			return false
		}
		if it.star != nil {
			list := make([]string, len(it.star))
			for i, column := range it.star {
				own := column[strings.LastIndex(column, ".")+1:]
				if list[i] = column; w.Quote(w.Columns[place]) != own {
					list[i] += " AS " + w.Quote(w.Columns[place])
				}
				place++
			}
			w.edit(from, to, strings.Join(list, ", "))
			continue
		}
		w.name(it.target, to, w.Columns[place])
		place++
	}
	return true
}

// name gives an item of the target list a name. to is its end.
func (w *viewText) name(n *pg.ResTarget, to int, name string) {
	have := n.Name
	if ref := n.Val.GetColumnRef(); have == "" && ref != nil {
		have = ref.Fields[len(ref.Fields)-1].GetString_().GetSval()
	}
	if have == name {
		return
	}
	if n.Name == "" {
		w.edit(to, to, " AS "+w.Quote(name))
		return
	}
	for _, t := range w.tokens {
		if int(t.End) == to {
			w.edit(int(t.Start), to, w.Quote(name))
		}
	}
}

// star are the columns that a star stands for, nil where that is not known.
func (w *viewText) star(n *pg.SelectStmt, ref *pg.ColumnRef) (out []string) {
	qualifier := Strings(ref.Fields[:len(ref.Fields)-1])
	for _, f := range n.FromClause {
		v := f.GetRangeVar()
		at, ok := w.st.RangeRefs[v]
		if v == nil || !ok || len(v.Alias.GetColnames()) > 0 {
			return nil
		}
		alias := cmp.Or(v.Alias.GetAliasname(), v.Relname)
		if len(qualifier) > 0 && qualifier[len(qualifier)-1] != alias {
			continue
		}
		_, _, shown := w.Relation(at)
		for _, c := range shown {
			out = append(out, w.Quote(alias)+"."+c)
		}
	}
	return out
}

// ends are the words that end a target list.
var ends = []pg.Token{
	pg.Token_FROM, pg.Token_WHERE, pg.Token_GROUP_P, pg.Token_HAVING, pg.Token_WINDOW, pg.Token_ORDER, pg.Token_LIMIT, pg.Token_OFFSET,
	pg.Token_FETCH, pg.Token_FOR, pg.Token_UNION, pg.Token_INTERSECT, pg.Token_EXCEPT, pg.Token_WITH, pg.Token_WITH_LA,
}

// item is where an item of a target list begins and ends, -1 if it is not found.
func (w *viewText) item(location int32) (from, to int) {
	first := w.at(location)
	if first < 0 {
		return -1, -1
	}
	depth, last := 0, first
	for i := first; i < len(w.tokens); i++ {
		t := w.token(i)
		after := w.token(i - 1)
		switch {
		case t == pg.Token_ASCII_40 || t == pg.Token_ASCII_91:
			depth++
		case t == pg.Token_ASCII_41 || t == pg.Token_ASCII_93:
			depth--
		}
		if depth < 0 || depth == 0 && (t == pg.Token_ASCII_44 || t == pg.Token_ASCII_59 || slices.Contains(ends, t) &&
			!(t == pg.Token_FROM && after == pg.Token_DISTINCT) && !(t == pg.Token_GROUP_P && after == pg.Token_WITHIN)) && i > first {
			break
		}
		last = i
	}
	return int(w.tokens[first].Start), int(w.tokens[last].End)
}
