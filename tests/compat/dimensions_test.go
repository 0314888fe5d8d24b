package compat

import (
	"strings"
	"testing"
)

// otherDimensions are statements whose answer in PostgreSQL is or uses an array that does not
// count from 1 or whose number of dimensions depends on a value.
var otherDimensions = []string{
	"SELECT x::int[] FROM (VALUES ('{1,2}'), ('{{1,2},{3,4}}')) v(x)",
	"SELECT x::text[] FROM (VALUES ('{{\"a,b\",c},{NULL,d}}')) v(x)",
	"SELECT '[2:4]={1,2,3}'::int[]",
	"SELECT '[1:2][0:1]={{1,2},{3,4}}'::int[]",
	"SELECT x::int[] FROM (VALUES ('[0:1]={1,2}')) v(x)",
	"SELECT array_fill(0, ARRAY[2], ARRAY[5])",
	"SELECT array_fill(0, d) FROM (VALUES (ARRAY[2,2])) v(d)",
	"SELECT x FROM jsonb_to_record('{\"x\": [[1,2],[3,4]]}') AS r(x int[])",
	"SELECT ARRAY[[1,2]] UNION ALL SELECT ARRAY[3,4]",
	"SELECT * FROM (VALUES (ARRAY[[1,2]]), (ARRAY[3])) v(x)",
	"SELECT CASE WHEN x THEN ARRAY[1] ELSE ARRAY[[1]] END FROM (VALUES (true)) v(x)",
	"WITH RECURSIVE r(a, n) AS (SELECT ARRAY[1], 1 UNION ALL SELECT ARRAY[a], n + 1 FROM r WHERE n < 3) SELECT * FROM r",
	"SELECT percentile_disc(ARRAY[[0.1,0.5]]) WITHIN GROUP (ORDER BY x) FROM generate_series(1, 9) x",
}

// TestOtherDimensions sees to it that an array of which the dimensions are not known
// beforehand is refused, wherever it comes from: a list of lists would pass for it here
// and there, and be none elsewhere.
func TestOtherDimensions(t *testing.T) {
	ctx := t.Context()
	theirs, ours := postgresTables(t, "dimensions", nil), connect(t, start(t, nil))
	for _, sql := range otherDimensions {
		if want := ask(ctx, theirs, sql); want.code != "" {
			t.Errorf("%s: PostgreSQL refuses it, too: %s", sql, want.err)
		}
		if got := ask(ctx, ours, sql); got.code != "0A000" {
			t.Errorf("%s: want 0A000, got %s", sql, got.brief())
		}
	}
	for _, arg := range []string{"{{1,2},{3,4}}", "[0:1]={1,2}"} {
		if got := askValue(ctx, ours, "SELECT $1::int[]", arg); got.code != "0A000" {
			t.Errorf("$1::int[] of %s: want 0A000, got %s", arg, got.brief())
		}
	}
}

// TestLongArrays gives arrays of more elements than are written out one by one, and
// such as no array has.
func TestLongArrays(t *testing.T) {
	ctx := t.Context()
	theirs, ours := postgresTables(t, "long_arrays", nil), connect(t, start(t, nil))
	ones, pairs, texts := strings.Repeat("1,", 20_000), strings.Repeat("{1,2},", 20_000), strings.Repeat(`"a,b",NULL,`, 20_000)
	for _, sql := range []string{
		"SELECT cardinality(x), x[20001], (SELECT sum(y) FROM unnest(x) AS u(y)) FROM (SELECT '{" + ones + "7}'::int[] AS x) q",
		"SELECT array_dims(x), x[1], x[2:2], x[40001] FROM (SELECT '{" + texts + "c}'::text[] AS x) q",
		"SELECT '{" + ones + "x}'::int[]", "SELECT '{" + pairs + "{3}}'::int[]", "SELECT '" + strings.Repeat("{", 1_000_000) + "'::int[]",
	} {
		if diff := compare(ask(ctx, theirs, sql), ask(ctx, ours, sql), true); diff != "" {
			t.Errorf("%.60s...: %.300s", sql, diff)
		}
	}
	if got := ask(ctx, ours, "SELECT '{"+pairs+"{3,4}}'::int[]"); got.code != "54000" {
		t.Errorf("a literal of 40,002 elements in two dimensions: want 54000, got %s", got.brief())
	}
}
