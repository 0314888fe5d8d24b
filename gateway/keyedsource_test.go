package gateway_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/wire"
)

// keyQuestions ask for keys; [x] is a column that is one.
var keyQuestions = []struct {
	sql  string
	args [][]any // of each execution
}{
	{"SELECT id, name, tier FROM customer WHERE [id] = $1", [][]any{{"c7"}, {""}, {"C7"}, {"c7 "}, {" c7"}, {"c\u0301"}, {"nobody"}, {"own"}, {"öwn"}, {"o\u0308wn"}, {nil}, {"c8"}}},
	{"SELECT * FROM customer AS c WHERE $1 = [c.id]", [][]any{{"c7"}, {nil}, {"x"}}},
	{"SELECT id FROM customer WHERE [id] = 'c7'", [][]any{{}}},
	{"SELECT id FROM customer WHERE [id] IN ($1, 'c8', $2) ORDER BY 1", [][]any{{"c7", "c7"}, {"c7", nil}, {nil, nil}, {"x", "own"}}},
	{"SELECT id FROM customer WHERE [id] = $1 AND [id] = $2", [][]any{{"c7", "c7"}, {"c7", "c8"}, {"c7", nil}, {nil, "c7"}}},
	{"SELECT id FROM customer WHERE [id] = $1 OR tier = $2 ORDER BY 1", [][]any{{"c7", "Gold"}, {nil, "Gold"}, {"c7", nil}}},
	{"SELECT id FROM customer WHERE NOT [id] = $1 ORDER BY 1", [][]any{{"c7"}, {nil}}},
	{"SELECT id FROM customer WHERE [id] = $1 AND tier = $2", [][]any{{"c7", "Gold"}, {"c7", "Silver"}, {"c7", nil}}},
	{"SELECT id FROM customer WHERE [id] = CAST($1 AS varchar(2))", [][]any{{"c7"}, {"c77"}, {nil}}},
	{"SELECT count(*), max(name) FROM customer WHERE [id] = $1", [][]any{{"c7"}, {"nobody"}, {nil}}},
	{"SELECT commit_id, entity_key, committed_at FROM customer WHERE [id] = $1", [][]any{{"c7"}, {"own"}}},
	{"SELECT id FROM customer WHERE [id] = $1 AND entity_key = $2", [][]any{{"c7", "c7"}, {"c7", "c8"}}},
	{"SELECT name FROM as_of.customer($2) WHERE [id] = $1", [][]any{{"c7", "20"}, {"c7", "1"}, {"own", "54"}}},
	{"SELECT commit_id, name, tier FROM history.customer WHERE [id] = $1 ORDER BY 1", [][]any{{"c7"}, {"nobody"}, {nil}}},
	{"SELECT commit_id, change FROM changes.customer WHERE [id] = $1 ORDER BY 1", [][]any{{"c7"}, {nil}}},
	{"SELECT id, tier FROM customer FOR SYSTEM_TIME ALL WHERE [id] = $1 ORDER BY commit_id", [][]any{{"c7"}, {nil}}},
	{"SELECT x.id FROM (SELECT * FROM customer WHERE [id] = $1) AS x WHERE x.tier <> 'Gold'", [][]any{{"c7"}, {"c1"}}},
	{"SELECT EXISTS (SELECT FROM customer WHERE [id] = $1)", [][]any{{"c7"}, {"nobody"}, {nil}}},
	{"SELECT count(*) FROM purchase AS p LEFT JOIN customer AS c ON c.id = p.left_key WHERE [c.id] = $1", [][]any{{"c7"}, {nil}}},
	{"SELECT count(*), count(c.id) FROM purchase AS p LEFT JOIN (SELECT * FROM customer WHERE [id] = $1) AS c ON c.id = p.left_key", [][]any{{"c7"}, {nil}}},
	{"SELECT * FROM product WHERE [sku] = $1", [][]any{{"101"}, {" 101 "}, {"0101"}, {"-101"}, {"0"}, {"9223372036854775807"}, {nil}}},
	{"SELECT sku FROM product WHERE [sku] = CAST($1 AS int)", [][]any{{"101"}, {nil}}},
	{"SELECT sku FROM product WHERE [sku] = CAST($1 AS numeric)", [][]any{{"101"}, {"101.0"}, {"101.5"}}},
	{"SELECT sku FROM product WHERE [sku] IN (102, $1, 101) ORDER BY 1", [][]any{{"103"}, {"101"}, {nil}}},
	{"SELECT * FROM subscription WHERE [left_key] = $1 ORDER BY right_key", [][]any{{"c3"}, {nil}, {""}}},
	{"SELECT * FROM subscription WHERE [left_key] = $1 AND [right_key] = $2", [][]any{{"c3", "102"}, {"c3", "999"}, {"c3", nil}, {nil, "102"}}},
	{"SELECT * FROM subscription WHERE [right_key] = $2 AND ([left_key] = $1 AND [right_key] = $2)", [][]any{{"c3", "102"}}},
	{"SELECT count(*) FROM purchase WHERE [right_key] IN ($1, $2)", [][]any{{"101", "104"}, {"101", nil}}},
}

var keyColumn = regexp.MustCompile(`\[([a-z_.]+)\]`)

// TestKeyConditions reads keys in two ways: by conditions that the mirror's tables answer, and
// by conditions that are not recognised. Both give the same rows, with a complete mirror, with
// one that lags, and with rows of the transaction.
func TestKeyConditions(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	h.settle(t, s, demoTables...)
	compare := func(when string) {
		t.Helper()
		for _, q := range keyQuestions {
			for _, args := range q.args {
				got, err := askWith(t, s, keyColumn.ReplaceAllString(q.sql, "$1"), args)
				hidden := keyColumn.ReplaceAllStringFunc(q.sql, func(c string) string {
					if c = c[1 : len(c)-1]; c == "sku" || c == "right_key" {
						return "(" + c + " + 0)"
					}
					return "(" + c + " || '')"
				})
				want, wantErr := askWith(t, s, hidden, args)
				if diff := cmp.Diff(want, got); diff != "" || err != nil || wantErr != nil {
					t.Fatalf("%s: %s %q: %v, and %v if it is hidden what a key is (-hidden +got):\n%s", when, q.sql, args, err, wantErr, diff)
				}
			}
		}
	}
	compare("mirrored")
	must(t, s, "BEGIN")
	must(t, s, newCustomer("own"))
	must(t, s, newCustomer("öwn"))
	compare("with staged rows")
	must(t, s, "COMMIT")
	compare("committed")
	for _, arg := range []string{"9223372036854775808", "x", ""} {
		if rows, err := askWith(t, s, "SELECT * FROM product WHERE sku = $1", []any{arg}); err == nil {
			t.Errorf("a product of the key %q is looked for, and found is %q", arg, rows)
		}
	}
}

// askWith runs a statement with arguments, nil for NULL, in the transaction there is.
func askWith(t *testing.T, s wire.Session, sql string, args []any) ([]string, error) {
	t.Helper()
	st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer st.Close()
	values := make([][]byte, len(args))
	for i, a := range args {
		if a != nil {
			values[i] = []byte(a.(string))
		}
	}
	p, err := st.Bind(t.Context(), values)
	if err != nil {
		return nil, errors.Join(err, s.Sync(t.Context(), false))
	}
	defer p.Close()
	rows, err := drain(t.Context(), p)
	return rows, errors.Join(err, s.Sync(t.Context(), err != nil))
}
