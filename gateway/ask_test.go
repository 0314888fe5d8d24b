package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// ask runs one statement as the extended protocol does and returns its rows as
// text, columns joined by "|".
func ask(t testing.TB, s wire.Session, sql string, args ...string) ([]string, error) {
	t.Helper()
	ctx := t.Context()
	st, err := s.Prepare(ctx, wire.Query{SQL: sql}, nil)
	if err != nil {
		return nil, errors.Join(err, s.Sync(ctx, true))
	}
	defer st.Close()
	return bindAndRun(t, s, st, args...)
}

func bindAndRun(t testing.TB, s wire.Session, st wire.Statement, args ...string) ([]string, error) {
	t.Helper()
	ctx := t.Context()
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	p, err := st.Bind(ctx, values)
	if err != nil {
		return nil, errors.Join(err, s.Sync(ctx, true))
	}
	defer p.Close()
	rows, err := drain(ctx, p)
	return rows, errors.Join(err, s.Sync(ctx, err != nil))
}

func drain(ctx context.Context, p wire.Portal) ([]string, error) {
	var rows []string
	for {
		b, err := p.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for i := range b.Len {
			rows = append(rows, line(b, i))
		}
	}
}

func line(b *column.Batch, i int) string {
	cells := make([]string, len(b.Cols))
	for c := range b.Cols {
		cells[c] = cell(&b.Cols[c], i)
	}
	return strings.Join(cells, "|")
}

func cell(v *column.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	switch v.Type.Kind {
	case column.Bool:
		return fmt.Sprint(v.Bool[i])
	case column.Int32, column.Date:
		return fmt.Sprint(v.I32[i])
	case column.Int64, column.TimestampTZ, column.Timestamp:
		return fmt.Sprint(v.I64[i])
	case column.Float64:
		return fmt.Sprint(v.F64[i])
	case column.Numeric:
		return string(v.I128[i].AppendDecimal(nil, int(v.Type.Scale), 0))
	case column.Text, column.JSON, column.Bytes:
		return string(v.Str[i])
	}
	return v.Type.String()
}

// must is ask for statements that answer.
func must(t testing.TB, s wire.Session, sql string, args ...string) []string {
	t.Helper()
	rows, err := ask(t, s, sql, args...)
	if err != nil {
		t.Fatalf("%s %q: %v", sql, args, err)
	}
	return rows
}

// answers checks the rows of a statement.
func answers(t testing.TB, s wire.Session, sql string, want ...string) {
	t.Helper()
	if got := must(t, s, sql); !slices.Equal(got, want) {
		t.Errorf("%s: rows %q, want %q", sql, got, want)
	}
}

// refused checks that a statement fails with a SQLSTATE.
func refused(t *testing.T, s wire.Session, code, sql string, args ...string) *pgerr.Error {
	t.Helper()
	rows, err := ask(t, s, sql, args...)
	var e *pgerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s %q answered %q, %v; want SQLSTATE %s", sql, args, rows, err, code)
	}
	if e.Code != code {
		t.Errorf("%s %q: SQLSTATE %s (%s), want %s", sql, args, e.Code, e.Message, code)
	}
	return e
}

// columnOf is the column that an error is about: the field of one of a constraint, and of
// one of a value, class 22, what its context says.
func columnOf(t *testing.T, e *pgerr.Error) string {
	t.Helper()
	if !strings.HasPrefix(e.Code, "22") {
		return e.Column
	}
	if e.Schema != "" || e.Table != "" || e.Column != "" {
		t.Errorf("%s: the error names %s.%s.%s, and PostgreSQL's has none of the fields", e.Message, e.Schema, e.Table, e.Column)
	}
	_, rest, _ := strings.Cut(e.Where, `column "`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// run is ask by the simple protocol for statements whose tag is wanted.
func run(t *testing.T, s wire.Session, sql string) (string, error) {
	t.Helper()
	ctx := t.Context()
	st, err := s.Prepare(ctx, wire.Query{SQL: sql, Simple: true}, nil)
	if err != nil {
		return "", errors.Join(err, s.Sync(ctx, true))
	}
	defer st.Close()
	p, err := st.Bind(ctx, nil)
	if err != nil {
		return "", errors.Join(err, s.Sync(ctx, true))
	}
	defer p.Close()
	_, err = drain(ctx, p)
	tag, _ := p.Tag()
	return tag, errors.Join(err, s.Sync(ctx, err != nil))
}

func tagged(t *testing.T, s wire.Session, sql, want string) {
	t.Helper()
	if tag, err := run(t, s, sql); err != nil || tag != want {
		t.Fatalf("%s: tag %q, %v; want %q", sql, tag, err, want)
	}
}

// succeeds runs statements whose command tag is their first words, such as COMMIT and DROP TABLE.
func succeeds(t *testing.T, s wire.Session, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		words := slices.DeleteFunc(strings.Fields(sql), func(word string) bool {
			return slices.Contains([]string{"TEMP", "TEMPORARY", "OR", "REPLACE", "UNIQUE"}, word)
		})
		tag := words[0]
		switch {
		case tag == "ALTER" && words[1] == "DEFAULT":
			tag = "ALTER DEFAULT PRIVILEGES"
		case tag == "CREATE" || tag == "ALTER" || tag == "DROP":
			tag += " " + words[1]
		}
		tagged(t, s, sql, tag)
	}
}
