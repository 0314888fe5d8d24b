package hba

import (
	"errors"
	"fmt"
	"strings"
)

// LineError is a line that cannot be read.
type LineError struct {
	Path string
	Line int // from 1; of a continued line the first
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// token is a word of a line. A quoted word is never a keyword.
type token struct {
	text   string
	quoted bool
}

// keyword reports whether the token is that word, without quotes.
func (t token) keyword(word string) bool { return !t.quoted && t.text == word }

// line is a line with words: fields, each a list that commas separate.
type line struct {
	number int
	fields [][]token
}

var (
	errQuote   = errors.New("unterminated quoted word")
	errInclude = errors.New("files within files (@file) are not supported")
	errNUL     = errors.New("zero byte")
)

// readLines splits a file into the lines that have words. A backslash at the end of a line
// continues it, and # begins a comment.
func readLines(path, text string) ([]line, error) {
	var lines []line
	var problems []error
	physical := strings.Split(text, "\n")
	for i := 0; i < len(physical); i++ {
		number := i + 1
		logical := strings.TrimSuffix(physical[i], "\r")
		for strings.HasSuffix(logical, `\`) && i+1 < len(physical) {
			i++
			logical = strings.TrimSuffix(logical, `\`) + strings.TrimSuffix(physical[i], "\r")
		}
		fields, err := splitFields(logical)
		switch {
		case err != nil:
			problems = append(problems, &LineError{path, number, err})
		case len(fields) > 0:
			lines = append(lines, line{number, fields})
		}
	}
	return lines, errors.Join(problems...)
}

// splitFields is next_field_expand of PostgreSQL (hba.c): white space ends a field unless a
// comma stands before it, commas separate the words of one.
func splitFields(text string) ([][]token, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, errNUL
	}
	var fields [][]token
	var field []token
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " \t\f\v\r,")
		if rest == "" || rest[0] == '#' {
			break
		}
		word, after, err := nextToken(rest)
		if err != nil {
			return nil, err
		}
		field = append(field, word)
		// A comma after the word continues the field, with white space after it or not.
		if !strings.HasPrefix(after, ",") {
			fields, field = append(fields, field), nil
		}
		rest = after
	}
	if field != nil {
		fields = append(fields, field)
	}
	return fields, nil
}

// nextToken reads a word, which may have quoted parts; "" in a quoted part is a quote.
func nextToken(text string) (word token, rest string, err error) {
	var out strings.Builder
	inQuote := false
	i := 0
	for ; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			if inQuote && i+1 < len(text) && text[i+1] == '"' {
				out.WriteByte(c)
				i++
				continue
			}
			if i == 0 {
				word.quoted = true
			}
			inQuote = !inQuote
			continue
		}
		if !inQuote && (strings.IndexByte(" \t\f\v\r,#", c) >= 0) {
			break
		}
		out.WriteByte(c)
	}
	if inQuote {
		return word, "", errQuote
	}
	word.text = out.String()
	if !word.quoted && len(word.text) > 1 && word.text[0] == '@' {
		return word, "", errInclude
	}
	return word, text[i:], nil
}
