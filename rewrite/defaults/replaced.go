package defaults

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// maxReplaced is the length in bytes that an expression may grow to when others are
// put into it.
const maxReplaced = 64 << 10

// ReplaceColumns replaces columns, qualified or not, in the text of an expression by other
// expressions. A result that is too long is 54001. The text is edited and not printed from the
// parse tree, because the parser's printer loses parentheses.
func ReplaceColumns(text string, columns map[string]string) (string, error) {
	return replaceColumns(text, columns, func(by string) string { return "(" + by + "\n)" }) // the line's end ends a comment
}

// RenameColumn gives a column another name in the text of an expression. to is the name as SQL.
// A qualified reference becomes an unqualified one.
func RenameColumn(text, from, to string) (string, error) {
	return replaceColumns(text, map[string]string{from: to}, func(by string) string { return by })
}

func replaceColumns(text string, columns map[string]string, printed func(by string) string) (string, error) {
	x, err := ParseExpression(text)
	if err != nil {
		return "", err
	}
	var refs []*pg.ColumnRef
	syntax.Visit(x.node.ProtoReflect(), func(m any) bool {
		if ref, ok := m.(*pg.ColumnRef); ok && columns[lastName(ref)] != "" {
			refs = append(refs, ref)
		}
		return true
	})
	slices.SortFunc(refs, func(a, b *pg.ColumnRef) int { return cmp.Compare(a.Location, b.Location) })
	scan, err := pg.Scan(text)
	if err != nil {
		return "", syntax.ParseError(err)
	}
	var made strings.Builder
	done := 0
	for _, ref := range refs {
		from := int(ref.Location) - x.st.Tree.Before
		first := slices.IndexFunc(scan.Tokens, func(t *pg.ScanToken) bool { return int(t.Start) == from })
		last := first + 2*(len(ref.Fields)-1) // names and the points between them
		if first < 0 || from < done || last >= len(scan.Tokens) {
			return "", errors.New("replace columns: a name is not where the parser saw it")
		}
		made.WriteString(text[done:from] + printed(columns[lastName(ref)]))
		if done = int(scan.Tokens[last].End); made.Len()+len(text)-done > maxReplaced {
			return "", pgerr.New(pgerr.StatementTooComplex, "the expression is too long with what its columns are made of")
		}
	}
	return made.String() + text[done:], nil
}

// lastName is the name of the column that a reference is to, "" for none.
func lastName(ref *pg.ColumnRef) string {
	if len(ref.Fields) == 0 {
		return ""
	}
	return ref.Fields[len(ref.Fields)-1].GetString_().GetSval()
}
