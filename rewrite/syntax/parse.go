package syntax

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"

	"github.com/ontosql/ontosql/pgerr"
)

// Tree is a parsed text: what the grammar made of it, and the FOR SYSTEM_TIME
// clauses that were cut out beforehand.
type Tree struct {
	SQL     string // as the client sent it
	Before  int    // bytes that the parser was given before it
	Stmts   []*pg.RawStmt
	Version int32 // of the grammar
	Clauses []clause

	each map[*pg.FuncCall]*pg.SelectStmt // the rows for each of which an action runs (moveEach)
}

// Parse checks the encoding and depth of a text, cuts the FOR SYSTEM_TIME
// clauses and gives the rest to PostgreSQL's grammar.
func Parse(sql string) (*Tree, error) {
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return nil, pgerr.New(pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	if !utf8.ValidString(sql) {
		return nil, invalidEncoding(sql)
	}
	if err := checkWords(sql); err != nil {
		return nil, err
	}
	t := &Tree{SQL: sql}
	text, tokens := sql, []*pg.ScanToken(nil)
	// A text the scanner refuses is refused by the parser as well, with a better
	// error.
	if scan, err := pg.Scan(sql); err == nil {
		tokens = scan.Tokens
		if err := checkDepth(sql, scan.Tokens); err != nil {
			return nil, err
		}
		if t.Clauses, err = cutSystemTime(sql, scan.Tokens); err != nil {
			return nil, err
		}
		text = blank(sql, t.Clauses)
	}
	res, err := pg.Parse(text)
	if err != nil {
		return nil, ParseError(err)
	}
	if err := checkAliases(sql, tokens, res.Stmts); err != nil {
		return nil, err
	}
	t.Stmts, t.Version = res.Stmts, res.Version
	return t, nil
}

// Position is the character, from 1, at byte offset loc; 0 where the parser
// knows no place.
func (t *Tree) Position(loc int32) int {
	at := int(loc) - t.Before
	if at < 0 || at > len(t.SQL) {
		return 0
	}
	return utf8.RuneCountInString(t.SQL[:at]) + 1
}

func invalidEncoding(sql string) error {
	for i := 0; i < len(sql); {
		r, n := utf8.DecodeRuneInString(sql[i:])
		if r == utf8.RuneError && n == 1 {
			return pgerr.New(pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x%02x`, sql[i])
		}
		i += n
	}
	return pgerr.New(pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8"`)
}

// ParseError gives the grammar's refusal its SQLSTATE. The library hands over
// no state; the few messages that are not 42601 are known by their text.
func ParseError(err error) error {
	var pe *parser.Error
	if !errors.As(err, &pe) {
		// The parser's answer could not be decoded: only a tree too deep does that.
		return TooDeep().Because(err)
	}
	code, hint := pgerr.SyntaxError, ""
	switch m := pe.Message; {
	case m == "invalid Unicode escape" && pe.Filename == "scan.l": // of E'...'
		code, hint = "22025", `Unicode escapes must be \uXXXX or \UXXXXXXXX.`
	case m == "invalid Unicode escape":
		hint = `Unicode escapes must be \XXXX or \+XXXXXX.`
	case strings.HasPrefix(m, "stack depth"), strings.HasPrefix(m, "memory exhausted"):
		return TooDeep()
	case strings.Contains(m, "not supported") && !strings.HasPrefix(m, "LIMIT"), strings.Contains(m, "not yet implemented"), strings.Contains(m, "not implemented"), strings.Contains(m, "constraints cannot be marked"):
		code = pgerr.FeatureNotSupported
	case strings.HasPrefix(m, "invalid byte sequence for encoding"):
		code = pgerr.CharacterNotInRepertoire
	case strings.HasPrefix(m, "frame "):
		code = WindowingError
	case strings.HasPrefix(m, "precision for type float"):
		code = pgerr.InvalidParameterValue
	case strings.HasPrefix(m, "unsafe use of"):
		code = "22025"
	case strings.HasPrefix(m, "role name "):
		code = pgerr.ReservedName
	case strings.HasPrefix(m, "UNENCRYPTED PASSWORD"):
		code, hint = pgerr.FeatureNotSupported, "Remove UNENCRYPTED to store the password in encrypted form instead."
	}
	return pgerr.New(code, "%s", pe.Message).WithHint("%s", hint).At(pe.Cursorpos)
}

// TooDeep is 54001, the error of a statement that nests too deeply.
func TooDeep() *pgerr.Error {
	return pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("The statement nests too deeply; write it with fewer nested parentheses, operators or subqueries.")
}

// MaxParams is the number of parameters the protocol can carry.
const MaxParams = 65535

func parameterNumber(text string) (int, *pgerr.Error) {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "$"))
	if err != nil || n < 1 || n > MaxParams {
		return 0, pgerr.New(pgerr.UndefinedParameter, "there is no parameter $%s", strings.TrimPrefix(text, "$"))
	}
	return n, nil
}

// WindowingError is ERRCODE_WINDOWING_ERROR of PostgreSQL.
const WindowingError = "42P20"
