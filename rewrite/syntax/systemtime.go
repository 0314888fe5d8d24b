package syntax

import (
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// clause is one FOR SYSTEM_TIME clause of a text. PostgreSQL's grammar has none,
// so it is cut from the token stream and blanked with spaces: the rest parses,
// and positions stay true (decision A7).
type clause struct {
	from, to int   // bytes of the text
	name     int32 // byte at which the name before it starts, as RangeVar.Location has it
	point    *Point
	all      bool
	used     bool
}

// cutSystemTime finds the clauses. Where the words FOR SYSTEM_TIME do not go on
// as one, the syntax error is PostgreSQL's for the same place.
func cutSystemTime(sql string, all []*pg.ScanToken) ([]clause, error) {
	if !strings.Contains(strings.ToLower(sql), "system_time") {
		return nil, nil
	}
	tokens := all[:0:0]
	for _, t := range all {
		if t.Token != pg.Token_SQL_COMMENT && t.Token != pg.Token_C_COMMENT {
			tokens = append(tokens, t)
		}
	}
	var clauses []clause
	for i := 1; i+1 < len(tokens); i++ {
		if tokens[i].Token != pg.Token_FOR || !isWord(sql, tokens[i+1], "system_time") {
			continue
		}
		c := clause{from: int(tokens[i].Start), name: nameStart(sql, tokens[:i])}
		r := tokenReader{sql: sql, tokens: tokens, at: i + 2}
		var err error
		switch {
		case r.take(pg.Token_ALL):
			c.all = true
		case r.take(pg.Token_AS):
			if !r.take(pg.Token_OF) {
				return nil, r.unexpected()
			}
			c.point, err = r.point()
		default:
			err = r.unexpected()
		}
		if err != nil {
			return nil, err
		}
		c.to = int(tokens[r.at-1].End)
		clauses = append(clauses, c)
		i = r.at - 1
	}
	return clauses, nil
}

// nameStart is where the dotted name that ends the tokens starts, -1 if they do
// not end in one.
func nameStart(sql string, tokens []*pg.ScanToken) int32 {
	start := int32(-1)
	for i := len(tokens) - 1; i >= 0; i -= 2 {
		if c := sql[tokens[i].Start]; c != '"' && c != '_' && c < 'A' {
			break
		}
		start = tokens[i].Start
		if i == 0 || tokens[i-1].Token != pg.Token_ASCII_46 {
			break
		}
	}
	return start
}

func isWord(sql string, t *pg.ScanToken, word string) bool {
	return strings.EqualFold(sql[t.Start:t.End], word)
}

// tokenReader reads the tokens of one clause.
type tokenReader struct {
	sql    string
	tokens []*pg.ScanToken
	at     int
}

func (r *tokenReader) take(t pg.Token) bool {
	if r.at < len(r.tokens) && r.tokens[r.at].Token == t {
		r.at++
		return true
	}
	return false
}

// integer takes an integer of any size. One beyond 32 bits is a token of
// PostgreSQL's FCONST.
func (r *tokenReader) integer() bool {
	if r.take(pg.Token_ICONST) {
		return true
	}
	if r.at < len(r.tokens) && r.tokens[r.at].Token == pg.Token_FCONST {
		t := r.tokens[r.at]
		if strings.Trim(r.sql[t.Start:t.End], "0123456789") == "" {
			return r.take(pg.Token_FCONST)
		}
	}
	return false
}

func (r *tokenReader) takeWord(word string) bool {
	if r.at < len(r.tokens) && isWord(r.sql, r.tokens[r.at], word) {
		r.at++
		return true
	}
	return false
}

func (r *tokenReader) text() string {
	t := r.tokens[r.at-1]
	return r.sql[t.Start:t.End]
}

// point reads the operand of AS OF: an integer, a string, TIMESTAMP or DATE with
// a string, a parameter, CURRENT_TIMESTAMP and its like, a function call, or an expression in
// parentheses.
func (r *tokenReader) point() (*Point, error) {
	p := &Point{Position: r.position()}
	switch {
	case r.integer():
		p.Text = r.text()
	case r.take(pg.Token_ASCII_45): // minus
		if !r.integer() {
			return nil, r.unexpected()
		}
		p.Text = "-" + r.text()
	case r.take(pg.Token_PARAM):
		n, err := parameterNumber(r.text())
		if err != nil {
			return nil, err.At(p.Position)
		}
		p.Param = n
	case r.take(pg.Token_SCONST):
		return r.literal(p)
	case r.takeWord("timestamp"):
		if r.takeWord("with") || r.takeWord("without") {
			if !r.takeWord("time") || !r.takeWord("zone") {
				return nil, r.unexpected()
			}
		}
		if !r.take(pg.Token_SCONST) {
			return nil, r.unexpected()
		}
		return r.literal(p)
	case r.takeWord("timestamptz"), r.takeWord("date"):
		if !r.take(pg.Token_SCONST) {
			return nil, r.unexpected()
		}
		return r.literal(p)
	default:
		return p, r.expression(p)
	}
	return p, nil
}

// expression reads an operand that is evaluated, by asking the grammar: the text before it
// becomes a comment, so that positions stay true.
func (r *tokenReader) expression(p *Point) error {
	const start, end = "/*", "*/SELECT "
	if r.at == len(r.tokens) {
		return r.unexpected()
	}
	from := int(r.tokens[r.at].Start)
	switch {
	case r.valueFunction():
		if r.peek(pg.Token_ASCII_40) { // the digits of a second
			r.parenthesised()
		}
	case r.peek(pg.Token_ASCII_40):
		r.parenthesised()
	default:
		first := r.at
		for r.at++; r.take(pg.Token_ASCII_46); r.at++ { // a qualified name
		}
		if !isNameToken(r.tokens[first]) || !r.peek(pg.Token_ASCII_40) {
			r.at = first
			return r.unexpected()
		}
		r.parenthesised()
	}
	to := int(r.tokens[r.at-1].End)
	if from < len(start)+len(end) {
		return r.unexpected()
	}
	before := []byte(r.sql[len(start) : from-len(end)])
	for i, c := range before {
		if c < utf8.RuneSelf && c != '\n' {
			before[i] = '.'
		}
	}
	res, err := pg.Parse(start + strings.ToValidUTF8(string(before), ".") + end + r.sql[from:to])
	if err != nil {
		return ParseError(err)
	}
	p.read(res.Stmts[0].Stmt.GetSelectStmt().TargetList[0].GetResTarget().Val)
	return nil
}

// valueFunction takes CURRENT_TIMESTAMP or its like.
func (r *tokenReader) valueFunction() bool {
	return r.take(pg.Token_CURRENT_TIMESTAMP) || r.take(pg.Token_LOCALTIMESTAMP) || r.take(pg.Token_CURRENT_DATE)
}

func (r *tokenReader) peek(t pg.Token) bool { return r.at < len(r.tokens) && r.tokens[r.at].Token == t }

// isNameToken reports whether a token may begin the name of a function.
func isNameToken(t *pg.ScanToken) bool {
	return t.Token == pg.Token_IDENT || t.KeywordKind != pg.KeywordKind_NO_KEYWORD && t.KeywordKind != pg.KeywordKind_RESERVED_KEYWORD
}

// parenthesised takes tokens from a parenthesis to the one that closes it, or to the end.
func (r *tokenReader) parenthesised() {
	for depth := 0; r.at < len(r.tokens); {
		switch r.tokens[r.at].Token {
		case pg.Token_ASCII_40:
			depth++
		case pg.Token_ASCII_41:
			depth--
		}
		if r.at++; depth == 0 {
			return
		}
	}
}

// literal decodes the string token that was just read, of any quoting style, with the help of
// the grammar.
func (r *tokenReader) literal(p *Point) (*Point, error) {
	res, err := pg.Parse("SELECT " + r.text())
	if err != nil {
		return nil, r.unexpected()
	}
	p.Text = res.Stmts[0].Stmt.GetSelectStmt().TargetList[0].GetResTarget().Val.GetAConst().GetSval().GetSval()
	return p, nil
}

func (r *tokenReader) position() int {
	at := len(r.sql)
	if r.at < len(r.tokens) {
		at = int(r.tokens[r.at].Start)
	}
	return utf8.RuneCountInString(r.sql[:at]) + 1
}

func (r *tokenReader) unexpected() error {
	if r.at >= len(r.tokens) {
		return pgerr.New(pgerr.SyntaxError, "syntax error at end of input").At(r.position())
	}
	t := r.tokens[r.at]
	return pgerr.New(pgerr.SyntaxError, "syntax error at or near %q", r.sql[t.Start:t.End]).At(r.position())
}

// blank puts spaces where the clauses were, and keeps line ends.
func blank(sql string, clauses []clause) string {
	if len(clauses) == 0 {
		return sql
	}
	b := []byte(sql)
	for _, c := range clauses {
		for i := c.from; i < c.to; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	return string(b)
}
