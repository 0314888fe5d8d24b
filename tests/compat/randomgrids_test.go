package compat

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// Two-dimensional arrays of integers and of texts. Expressions whose number of dimensions
// depends on values are left out.
var gridGrammar = map[string][]string{
	"grids":  {"ARRAY[[{int}, {int}], [{int}, {int}]]", "ARRAY[{pair}, {pair}]", "({grids} || {grids})", "({grids} || {pair})", "({pair} || {grids})", "array_cat({grids}, {grids})", "array_replace({grids}, {int}, {int})", "({grids})[1:1]", "({grids})[:][2:]", "({grids})[{int}:{int}][1:2]", "coalesce({grids}, '{{9,9}}')", "CASE WHEN {bool} THEN {grids} ELSE '{{1,2}}' END", "ARRAY(SELECT ARRAY[x, x + 1] FROM unnest(ARRAY[3,1,2]) AS u(x) ORDER BY x)", "(SELECT array_agg(ARRAY[x, x] ORDER BY x) FROM unnest(ARRAY[1,2]) AS u(x))", "array_fill({int}, ARRAY[2,2])", "greatest({grids}, {grids})", "trim_array({grids}, 1)"},
	"pair":   {"ARRAY[{int}, {int}]", "array_fill({int}, ARRAY[2])"},
	"boards": {"ARRAY[[{text}, {text}]]", "({boards} || ARRAY[[{text}, {text}]])", "({boards})[1:1][1:2]", "(({grids})::text[])", "array_replace({boards}, {text}, {text})"},
}

var gridAtoms = map[string][]string{
	"grids":  {"ARRAY[[1,2],[3,4]]", "'{{4,NULL},{2,1}}'::int[]", "'[1:1][1:2]={{7,8}}'::int[]", "NULL::int[]", "ARRAY[[1::bigint,2]]"},
	"pair":   {"ARRAY[1,2]", "'{NULL,3}'::int[]"},
	"boards": {"ARRAY[['a','b c']]", `'{{"x,y",NULL},{"",null}}'::text[]`},
}

var gridForms = []string{
	"SELECT id, {grids}, {boards} FROM tables ORDER BY id",
	"SELECT id, ({grids})[{int}][{int}], ({boards})[1][2], ({grids})[1], ({grids})[1:2][{int}] FROM tables ORDER BY id",
	"SELECT array_dims({grids}), array_ndims({boards}), array_length({grids}, 2), array_upper({boards}, {int}), array_lower({grids}, 1), cardinality({grids}) FROM tables",
	"SELECT id, {grids} = {grids}, {grids} < {grids}, {boards} >= {boards}, {grids} IS DISTINCT FROM {grids}, {grids} = {pair} FROM tables ORDER BY id",
	"SELECT id, {int} = ANY ({grids}), {int} <= ALL ({grids}), {text} = ANY ({boards}), {grids} @> {grids}, {grids} && ARRAY[{int}], {pair} <@ {grids} FROM tables ORDER BY id",
	"SELECT {grids} AS g, count(*) FROM tables GROUP BY g ORDER BY g", "SELECT DISTINCT {boards} FROM tables ORDER BY 1 DESC", "SELECT max({grids}), min({boards}), count({grids}) FROM tables",
	"SELECT id, unnest({grids}) FROM tables ORDER BY 1, 2", "SELECT id, generate_subscripts({grids}, 2) FROM tables ORDER BY 1, 2", "SELECT t.id, u.* FROM tables AS t, unnest({grids@t}, {boards@t}) AS u(a, b) ORDER BY 1, 2, 3",
	"SELECT id, array_to_string({grids}, '-', '*'), ({boards})::text, to_jsonb({grids}), array_to_json({boards}), concat({grids}, 'x') FROM tables ORDER BY id",
	"SELECT array_agg({pair} ORDER BY id) FROM tables", "SELECT id, ARRAY(SELECT {pair@s} FROM tables AS s WHERE s.id <= tables.id ORDER BY s.id) FROM tables ORDER BY id",
	"SELECT id, lag({grids}) OVER (ORDER BY id), first_value({boards}) OVER (ORDER BY id) FROM tables ORDER BY id", "SELECT {grids} UNION SELECT {grids} ORDER BY 1", "SELECT x, x[1][2] FROM (VALUES ({grids@-}), ({grids@-})) AS v(x) ORDER BY 1",
	"SELECT id, ROW({grids}, {boards}) FROM tables ORDER BY id", "SELECT t.id FROM tables AS t JOIN tables AS s ON {grids@t} = {grids@s} ORDER BY 1",
}

// TestRandomGrids is TestRandomStatements for arrays of several dimensions.
func TestRandomGrids(t *testing.T) {
	ctx := t.Context()
	theirs, ours := postgresTables(t, "compat_grids", tables), connect(t, start(t, tables))
	maps.Copy(grammar, gridGrammar)
	maps.Copy(atoms, gridAtoms)
	t.Cleanup(func() {
		for kind := range gridGrammar {
			delete(grammar, kind)
			delete(atoms, kind)
		}
	})
	answered, left := 0, 0
	for seed := range uint64(500) {
		sql := family{forms: gridForms}.statement(rand.New(rand.NewPCG(seed, 1)))
		want, got := ask(ctx, theirs, sql), ask(ctx, ours, sql)
		diff := compare(want, got, ordered(sql))
		if diff != "" {
			diff = breach("numbers", want, got, ordered(sql))
		}
		switch value := strings.HasPrefix(want.code, "22") || strings.HasPrefix(got.code, "22"); {
		case diff == "":
			answered++
		case got.code == "0A000" && strings.Contains(got.err, "not known beforehand"):
			left++
		case got.code == "connection":
			t.Fatalf("statement %d: %s\nthe session has ended", seed, sql)
		case !value:
			t.Errorf("statement %d: %s\n%s", seed, sql, diff)
		}
	}
	if answered < 300 || left > 100 {
		t.Errorf("%d of 500 statements have the same answer and %d are refused; want 300 at least, and 100 at most", answered, left)
	}
}
