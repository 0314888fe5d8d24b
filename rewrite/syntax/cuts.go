package syntax

import (
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// maxName is PostgreSQL's limit of an identifier in bytes (NAMEDATALEN - 1).
const maxName = 63

// Cut is an identifier that is too long, and what the grammar cuts it to.
type Cut struct{ Name, To string }

// Cuts are the identifiers of a text that the grammar truncates to 63 bytes, in their order,
// one entry for each occurrence. It is empty for a text that the scanner refuses.
func Cuts(sql string) []Cut {
	if !mayCut(sql) || checkWords(sql) != nil {
		return nil
	}
	scan, err := pg.Scan(sql)
	if err != nil {
		return nil
	}
	var cuts []Cut
	for _, tok := range scan.Tokens {
		if tok.Token != pg.Token_IDENT || tok.End-tok.Start <= maxName {
			continue
		}
		name := sql[tok.Start:tok.End]
		if strings.HasPrefix(name, `"`) {
			name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
		} else {
			name = chars.LowerASCII(name)
		}
		if len(name) <= maxName {
			continue
		}
		end := maxName
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		cuts = append(cuts, Cut{Name: name, To: name[:end]})
	}
	return cuts
}

// mayCut is quick, and false where no identifier can be too long.
func mayCut(sql string) bool {
	if len(sql) <= maxName {
		return false
	}
	run, quote := 0, -1
	for i := range len(sql) {
		c := sql[i]
		if c == '"' {
			if quote >= 0 && i-quote > maxName {
				return true
			}
			quote = i
		}
		if IsWordByte(c) || c == '$' {
			if run++; run > maxName {
				return true
			}
		} else {
			run = 0
		}
	}
	return false
}
