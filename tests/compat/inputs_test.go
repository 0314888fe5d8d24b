package compat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestInputTexts gives both sides every text of inputs.txt as a value of its
// type in the three ways in which a client gives one: as a literal, as a text
// that is cast when the statement runs, and as a parameter. An INSERT keeps what
// was accepted for ever, so that a text which PostgreSQL refuses must never pass.
func TestInputTexts(t *testing.T) {
	ctx := t.Context()
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, start(t, tables))
	must(t, ctx, theirs, "SET TimeZone = 'UTC'")
	for _, in := range inputTexts(t, "inputs.txt") {
		for _, way := range []struct {
			name string
			ask  func(c *pgconn.PgConn) answer
		}{
			{"literal", func(c *pgconn.PgConn) answer { return ask(ctx, c, "SELECT "+quoted(in.text)+"::"+in.typ) }},
			{"text", func(c *pgconn.PgConn) answer { return ask(ctx, c, "SELECT "+quoted(in.text)+"::text::"+in.typ) }},
			{"parameter", func(c *pgconn.PgConn) answer { return askValue(ctx, c, "SELECT $1::"+in.typ, in.text) }},
		} {
			want, got := way.ask(theirs), way.ask(ours)
			diff := compare(want, got, true)
			refused := in.refused && (way.name == "text" || !in.computed)
			switch {
			case refused && (diff == "" || got.code == "" || got.code == "XX000"):
				t.Errorf("inputs.txt:%d: %s %q as %s: listed as refused otherwise:\n  postgres: %s\n  ontosql:  %s", in.line, in.typ, in.text, way.name, want.brief(), got.brief())
			case !refused && diff != "":
				t.Errorf("inputs.txt:%d: %s %q as %s:\n%s", in.line, in.typ, in.text, way.name, diff)
			}
		}
	}
}

// inputText is a text that is given as a value of a type.
type inputText struct {
	typ, text string
	refused   bool // by ontosql, and PostgreSQL answers otherwise
	computed  bool // that is so for texts that are cast only
	line      int
}

// inputTexts reads a file of input texts. A line in brackets names the type of the lines after
// it, one text a line, in quotes if the text begins or ends with a blank or contains escapes. A
// text after "-" is refused by ontosql, and accepted by PostgreSQL or refused with another
// SQLSTATE; after "~" the same holds for casts only. Lines that begin with # are comments.
func inputTexts(t *testing.T, file string) (out []inputText) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	typ := ""
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok && typeLine(line) {
			typ = strings.TrimSuffix(name, "]")
			continue
		}
		in := inputText{typ: typ, text: line, line: i + 1}
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			in.text, in.refused = rest, true
		} else if rest, ok := strings.CutPrefix(line, "~ "); ok {
			in.text, in.refused, in.computed = rest, true, true
		}
		if text, err := strconv.Unquote(in.text); err == nil && strings.HasPrefix(in.text, `"`) {
			in.text = text
		} else if text, ok := strings.CutPrefix(in.text, "= "); ok { // a text that needs no quotes
			in.text = text
		}
		out = append(out, in)
	}
	return out
}

// typeLine tells the name of a type in brackets from a text such as [1, 2].
func typeLine(line string) bool {
	return len(line) > 2 && strings.HasSuffix(line, "]") && line[1] >= 'a' && line[1] <= 'z'
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// askValue runs a statement with one parameter in text form.
func askValue(ctx context.Context, c *pgconn.PgConn, sql, text string) answer {
	r := c.ExecParams(ctx, sql, [][]byte{[]byte(text)}, nil, nil, nil).Read()
	if r.Err != nil {
		return failed(r.Err)
	}
	a := answer{tag: r.CommandTag.String()}
	for _, f := range r.FieldDescriptions {
		a.names, a.oids = append(a.names, f.Name), append(a.oids, f.DataTypeOID)
	}
	for _, row := range r.Rows {
		a.rows = append(a.rows, []string{string(row[0])})
	}
	return a
}

func failed(err error) (a answer) {
	a.code, a.err = "connection", err.Error()
	if pe := new(pgconn.PgError); errors.As(err, &pe) {
		a.at, a.code, a.err = pe.Position, pe.Code, fmt.Sprintf("%s %s (at %d) %s", pe.Code, pe.Message, pe.Position, pe.Detail)
	}
	return a
}
