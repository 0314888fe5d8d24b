package gateway_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestInsertParams stores the same, or refuses with the same error, whether the
// values of an INSERT are parameters as they come or the engine computes them.
func TestInsertParams(t *testing.T) {
	const table = `CREATE TABLE sample (id text PRIMARY KEY, n bigint, x double precision, b boolean, d date, s text NOT NULL)`
	plain, computed := newHouse(t, shop(t)).session(t, "onto"), newHouse(t, shop(t)).session(t, "onto")
	for _, s := range []wire.Session{plain, computed} {
		must(t, s, table)
	}
	one := func(v string) *string { return &v }
	refusals := 0
	for i, c := range []struct{ n, x, b, s *string }{
		{one("1"), one("1.5"), one("t"), one("text")},
		{one(" -9223372036854775808 "), one("-inf"), one("off"), one("")},
		{one("+7"), one("NaN"), one("yes"), one("é\n\"\\ \u2028🦆")},
		{one("0"), one("4.9e-324"), one("FALSE"), one(strings.Repeat("long ", 20_000))},
		{one("9223372036854775807"), one("1.7976931348623157e308"), one("1"), one(" blanks ")},
		{one("12345678901"), one("0.1"), one("0"), one("null")},
		{one("3"), one("-0"), one("on"), one("{}")},
		{nil, nil, nil, one("all others are NULL")},
		{one("1"), one("1"), one("t"), nil},
		{one("9223372036854775808"), one("1"), one("t"), one("n is too great")},
		{one("1.5"), one("1"), one("t"), one("n is no integer")},
		{one("1"), one("1e400"), one("t"), one("x is too great")},
		{one("1"), one("1"), one("maybe"), one("b is no boolean")},
		{one("1"), one("1"), one("t"), one("a zero \x00 byte")},
	} {
		args := [][]byte{fmt.Appendf(nil, "k%d", i)}
		for _, v := range []*string{c.n, c.x, c.b, c.s} {
			if v == nil {
				args = append(args, nil)
			} else {
				args = append(args, []byte(*v))
			}
		}
		got := execute(t, plain, "INSERT INTO sample (id, n, x, b, s) VALUES ($1, $2, $3, $4, $5)", args)
		want := execute(t, computed, "INSERT INTO sample (id, n, x, b, s) VALUES ($1 || '', $2::bigint + 0, $3::float8, $4::bool AND true, $5 || '')", args)
		if want != "" {
			refusals++
		}
		if got != want {
			t.Errorf("row %d: parameters end with %q, computed values with %q", i, got, want)
		}
	}
	if refusals != 6 {
		t.Errorf("%d rows were refused, want 6", refusals)
	}
	const all = "SELECT id, n, x, b, d, s, fields_json FROM sample ORDER BY id"
	if diff := cmp.Diff(must(t, computed, all), must(t, plain, all)); diff != "" {
		t.Errorf("what is stored of computed values (-) and of parameters (+):\n%s", diff)
	}
}

// execute runs a statement and is the error that it ends with, "" for none.
func execute(t *testing.T, s wire.Session, sql string, args [][]byte) string {
	t.Helper()
	st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer st.Close()
	p, err := st.Bind(t.Context(), args)
	if err == nil {
		_, err = drain(t.Context(), p)
		p.Close()
	}
	if synced := s.Sync(t.Context(), err != nil); err == nil {
		err = synced
	}
	var e *pgerr.Error
	if errors.As(err, &e) {
		return e.Code + " " + e.Message
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return ""
}
