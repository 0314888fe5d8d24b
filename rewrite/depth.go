package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// maxDepth bounds how deep a statement may nest. The C parser, the protobuf
// decoder and the engine recurse over the tree, and the first of them cannot
// say no: it would overrun its stack.
const maxDepth = 1000

// checkDepth bounds the depth of the tree from its tokens, before anything
// recurses: every open bracket counts, and so does each token that can make its
// neighbour its child since the last one that cannot (a comma; AND and OR, which
// the grammar flattens).
func checkDepth(sql string, tokens []*pg.ScanToken) error {
	levels := []int{0}
	depth := 0
	for _, t := range tokens {
		top := len(levels) - 1
		switch t.Token {
		case pg.Token_ASCII_40, pg.Token_ASCII_91: // ( [
			levels[top]++
			depth++
			levels = append(levels, 0)
		case pg.Token_ASCII_41, pg.Token_ASCII_93: // ) ]
			if top > 0 {
				depth -= levels[top]
				levels = levels[:top]
			}
		case pg.Token_ASCII_44, pg.Token_AND, pg.Token_OR, pg.Token_ASCII_59: // , ;
			depth -= levels[top]
			levels[top] = 0
		case pg.Token_IDENT, pg.Token_ICONST, pg.Token_FCONST, pg.Token_SCONST, pg.Token_PARAM, pg.Token_ASCII_46,
			pg.Token_AS, pg.Token_SQL_COMMENT, pg.Token_C_COMMENT:
		default:
			if t.KeywordKind == pg.KeywordKind_UNRESERVED_KEYWORD {
				continue
			}
			levels[top]++
			depth++
		}
		if depth > maxDepth {
			return tooDeep()
		}
	}
	return nil
}
