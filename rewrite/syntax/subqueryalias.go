package syntax

import (
	"math"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ontosql/ontosql/pgerr"
)

// A subquery in FROM needs an alias in PostgreSQL 15. The parser is that of a later version,
// which makes it optional.

// checkAliases refuses a subquery in FROM that has no alias. Of several it names the one
// that ends first, as PostgreSQL's parser does.
func checkAliases(sql string, tokens []*pg.ScanToken, stmts []*pg.RawStmt) error {
	isComment := func(t *pg.ScanToken) bool { return t.Token == pg.Token_SQL_COMMENT || t.Token == pg.Token_C_COMMENT }
	if slices.ContainsFunc(tokens, isComment) {
		tokens = slices.DeleteFunc(slices.Clone(tokens), isComment)
	}
	if !anySubqueryInFrom(tokens) {
		return nil
	}
	first, from, to := (*pg.RangeSubselect)(nil), int32(math.MaxInt32), int32(0)
	for _, s := range stmts {
		Visit(s.ProtoReflect(), func(n any) bool {
			sub, ok := n.(*pg.RangeSubselect)
			if !ok || sub.Alias != nil || hasUnaliased(sub.Subquery.ProtoReflect()) {
				return true
			}
			if least, most := locations(sub.ProtoReflect()); first == nil || least < from {
				first, from, to = sub, least, most
			}
			return true
		})
	}
	if first == nil {
		return nil
	}
	what, example := "subquery", "SELECT"
	if len(first.Subquery.GetSelectStmt().GetValuesLists()) > 0 {
		what, example = "VALUES", "VALUES"
	}
	t := Tree{SQL: sql}
	return pgerr.New(pgerr.SyntaxError, "%s in FROM must have an alias", what).
		WithHint("For example, FROM (%s ...) [AS] foo.", example).At(t.Position(parenthesisAround(tokens, from, to)))
}

func startsQuery(t pg.Token) bool {
	return t == pg.Token_SELECT || t == pg.Token_VALUES || t == pg.Token_WITH || t == pg.Token_TABLE
}

// beforeSubquery reports whether a subquery in FROM can follow a token.
func beforeSubquery(t pg.Token) bool {
	switch t {
	case pg.Token_FROM, pg.Token_JOIN, pg.Token_LATERAL_P, pg.Token_USING, pg.Token_ASCII_44, pg.Token_ASCII_40:
		return true
	}
	return false
}

// anySubqueryInFrom reports whether a text may contain a subquery in FROM. Most statements do
// not, and their trees need not be walked.
func anySubqueryInFrom(tokens []*pg.ScanToken) bool {
	for i := 1; i+1 < len(tokens); i++ {
		if tokens[i].Token == pg.Token_ASCII_40 && beforeSubquery(tokens[i-1].Token) && startsQuery(tokens[i+1].Token) {
			return true
		}
	}
	return false
}

// hasUnaliased reports whether a tree has a subquery in FROM without an alias.
func hasUnaliased(m protoreflect.Message) bool {
	return !Visit(m, func(n any) bool {
		sub, ok := n.(*pg.RangeSubselect)
		return !ok || sub.Alias != nil
	})
}

// locations are the least and the greatest place in the text that a tree knows.
func locations(m protoreflect.Message) (least, most int32) {
	least = math.MaxInt32
	Visit(m, func(n any) bool {
		if at, ok := n.(interface{ GetLocation() int32 }); ok && at.GetLocation() > 0 {
			least, most = min(least, at.GetLocation()), max(most, at.GetLocation())
		}
		return true
	})
	return least, most
}

// parenthesisAround is the place of the parenthesis that opens the subquery whose parts
// stand between from and to. A subquery without parts is "(SELECT)".
func parenthesisAround(tokens []*pg.ScanToken, from, to int32) int32 {
	if from > to {
		return emptySelect(tokens)
	}
	var open []int // parentheses before from
	closing := map[int]int{}
	for i, t := range tokens {
		switch t.Token {
		case pg.Token_ASCII_40:
			open = append(open, i)
		case pg.Token_ASCII_41:
			if n := len(open); n > 0 {
				closing[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	found := int32(-1)
	inner := -1
	for i := len(tokens) - 1; i > 0; i-- {
		end, ok := closing[i]
		if !ok || tokens[i].Start >= from || tokens[end].Start < to || !beforeSubquery(tokens[i-1].Token) {
			continue
		}
		if inner >= 0 && (inner != i+1 || closing[inner]+1 != end) { // parentheses around more than the subquery
			break
		}
		found, inner = tokens[i].Start, i
	}
	return found
}

// emptySelect is the place of the first "(SELECT)", -1 if there is none.
func emptySelect(tokens []*pg.ScanToken) int32 {
	for i := 1; i+2 < len(tokens); i++ {
		if tokens[i].Token == pg.Token_ASCII_40 && beforeSubquery(tokens[i-1].Token) && tokens[i+1].Token == pg.Token_SELECT && tokens[i+2].Token == pg.Token_ASCII_41 {
			return tokens[i].Start
		}
	}
	return -1
}
