package query_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// TestKeyQuery asks of statements which keys they read rows of, nil if the engine has to answer.
func TestKeyQuery(t *testing.T) {
	text := func(values ...scope.KeyValue) []scope.KeyCondition {
		return []scope.KeyCondition{{Type: types.Text, Values: values}}
	}
	number := func(values ...scope.KeyValue) []scope.KeyCondition {
		return []scope.KeyCondition{{Type: types.Int8, Values: values}}
	}
	is := func(text string) scope.KeyValue { return scope.KeyValue{Operand: enginesql.Operand{Text: text}} }
	param := scope.KeyValue{Operand: enginesql.Operand{Param: 1}}
	array := scope.KeyValue{Operand: enginesql.Operand{Param: 1}, Array: true}
	for sql, want := range map[string][]scope.KeyCondition{
		"SELECT name FROM customer WHERE id = $1":                            text(param),
		"SELECT name FROM customer WHERE $1 = id":                            text(param),
		"SELECT name FROM customer WHERE entity_key = 'a'":                   text(is("a")),
		"SELECT name FROM customer WHERE id IN ('a', NULL, $1)":              text(is("a"), param),
		"SELECT name FROM customer WHERE id = ANY($1)":                       text(array),
		"SELECT name FROM customer WHERE id = ANY($1::varchar[])":            text(array),
		"SELECT name FROM customer WHERE id = ANY('{a,NULL,\"b,c\"}')":       text(is("a"), is("b,c")),
		"SELECT name FROM customer WHERE id = ANY(ARRAY['a', $1, NULL])":     text(is("a"), param),
		"SELECT name FROM customer WHERE id = ANY(NULL)":                     text(),
		"SELECT name FROM customer WHERE id = NULL":                          text(),
		"SELECT id FROM product WHERE id = '007'":                            number(is("7")),
		"SELECT id FROM product WHERE id = ANY('{ 1, +2}'::int[])":           number(is("1"), is("2")),
		"SELECT id FROM product WHERE id = ANY(ARRAY[1, $1::int]::bigint[])": number(is("1"), param),

		"SELECT name FROM customer WHERE id <> ANY($1)":               nil,
		"SELECT name FROM customer WHERE id = ALL($1)":                nil,
		"SELECT name FROM customer WHERE id = ANY('{{a},{b}}')":       nil,
		"SELECT name FROM customer WHERE id = ANY($1::varchar(2)[])":  nil,
		"SELECT name FROM customer WHERE id = ANY(ARRAY[name])":       nil,
		"SELECT name FROM customer WHERE id = ANY(SELECT 'a')":        nil,
		"SELECT id FROM product WHERE id = ANY('{1,2.5}'::numeric[])": nil,
		"SELECT name FROM customer WHERE NOT id = ANY($1)":            nil,
		"SELECT name FROM customer WHERE name = ANY($1)":              nil,
	} {
		sc, _, err := rewritetest.Bind(sql, nil)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		var got []scope.KeyCondition
		if sc.ByKey != nil {
			got = sc.ByKey.Steps[0].Keys
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", sql, diff)
		}
	}
}
