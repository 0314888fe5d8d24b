package syntax

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// maxArms limits the number of queries in a chain of UNION ALL: the left operand of each
// contains all before it.
const maxArms = 5000

// maxDepth bounds how deep a statement may nest. The C parser, the protobuf
// decoder and the engine recurse over the tree, and the first of them cannot
// say no: it would overrun its stack.
const maxDepth = 1000

// checkDepth limits the depth of the tree by its tokens, before any function recurses. It
// counts every open bracket and CASE, and each token that can make its neighbour its child
// since the last token that cannot: a comma; AND and OR, which the grammar flattens; the words
// before a part of a CASE; UNION ALL before any other set operation, which is counted
// separately.
func checkDepth(sql string, tokens []*pg.ScanToken) error {
	levels := []int{0}
	var closing []pg.Token // of the levels but the first
	depth := 0
	down := func(end pg.Token) {
		levels[len(levels)-1]++
		depth++
		levels, closing = append(levels, 0), append(closing, end)
	}
	before := pg.Token_NUL
	arms, others := 1, 0
	for i, t := range tokens {
		top := len(levels) - 1
		token := t.Token
		switch {
		case before == pg.Token_ASCII_46 && t.KeywordKind != pg.KeywordKind_NO_KEYWORD: // a name
		case token == pg.Token_ASCII_40: // (
			down(pg.Token_ASCII_41)
		case token == pg.Token_ASCII_91: // [
			down(pg.Token_ASCII_93)
		case token == pg.Token_CASE:
			down(pg.Token_END_P)
		case top > 0 && token == closing[top-1]:
			depth -= levels[top]
			levels, closing = levels[:top], closing[:top-1]
		case token == pg.Token_ASCII_44 || token == pg.Token_AND || token == pg.Token_OR || token == pg.Token_ASCII_59: // , ;
			depth -= levels[top]
			levels[top] = 0
		case token == pg.Token_UNION && others == 0 && i+1 < len(tokens) && tokens[i+1].Token == pg.Token_ALL:
			depth -= levels[top]
			levels[top] = 0
			arms++
		case top > 0 && closing[top-1] == pg.Token_END_P && (token == pg.Token_WHEN || token == pg.Token_THEN || token == pg.Token_ELSE):
			depth -= levels[top] - 1 // an arm is a node
			levels[top] = 1
		case nests(t):
			levels[top]++
			depth++
		}
		if token == pg.Token_UNION && (i+1 == len(tokens) || tokens[i+1].Token != pg.Token_ALL) || token == pg.Token_INTERSECT || token == pg.Token_EXCEPT {
			others++
		}
		if depth > maxDepth || others > maxDepth || arms > maxArms {
			return TooDeep()
		}
		before = token
	}
	return nil
}

// nests says whether a token can make its neighbour its child.
func nests(t *pg.ScanToken) bool {
	switch t.Token {
	case pg.Token_IDENT, pg.Token_ICONST, pg.Token_FCONST, pg.Token_SCONST, pg.Token_PARAM, pg.Token_ASCII_46,
		pg.Token_AS, pg.Token_SQL_COMMENT, pg.Token_C_COMMENT:
		return false
	}
	return t.KeywordKind != pg.KeywordKind_UNRESERVED_KEYWORD
}
