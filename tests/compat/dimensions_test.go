package compat

import "testing"

// manyDimensions are statements that PostgreSQL answers with, or by way of, an array
// of several dimensions, or one that does not count from 1.
var manyDimensions = []string{
	"SELECT ARRAY[[1,2],[3,4]]",
	"SELECT ARRAY[[1,2],[3,4]]::int[]",
	"SELECT ARRAY[ARRAY[1,2], ARRAY[3,4]]",
	"SELECT ARRAY['{1,2}'::int[], '{3,4}']",
	"SELECT '{{1,2},{3,4}}'::int[]",
	"SELECT '{{a,b},{c,d}}'::text[]",
	"SELECT x::int[] FROM (VALUES ('{1,2}'), ('{{1,2},{3,4}}')) v(x)",
	"SELECT x::text[] FROM (VALUES ('{{\"a,b\",c},{NULL,d}}')) v(x)",
	"SELECT '[2:4]={1,2,3}'::int[]",
	"SELECT x::int[] FROM (VALUES ('[0:1]={1,2}')) v(x)",
	"SELECT array_agg(x) FROM (VALUES (ARRAY[1,2]), (ARRAY[3,4])) v(x)",
	"SELECT array_agg(x ORDER BY x) FROM (VALUES (ARRAY['a']), (ARRAY['b'])) v(x)",
	"SELECT ARRAY(SELECT x FROM (VALUES (ARRAY[1,2]), (ARRAY[3,4])) v(x))",
	"SELECT array_fill(0, ARRAY[2,2])",
	"SELECT array_fill(0, ARRAY[2], ARRAY[5])",
	"SELECT array_length(ARRAY[[1,2],[3,4]], 2)",
	"SELECT (ARRAY[[1,2],[3,4]])[1][2]",
	"SELECT ARRAY[[1,2]] || ARRAY[3,4]",
	"SELECT unnest('{{1,2},{3,4}}'::int[])",
	"SELECT 3 = ANY('{{1,2},{3,4}}'::int[])",
	"SELECT * FROM unnest(ARRAY[[1,2],[3,4]]) AS x",
	"SELECT x FROM jsonb_to_record('{\"x\": [[1,2],[3,4]]}') AS r(x int[])",
	"SELECT ARRAY[1,2] || '{{3,4}}'",
}

// TestSeveralDimensions sees to it that an array of several dimensions is refused,
// wherever it comes from: a list of lists would pass for it here and there, and be
// none elsewhere.
func TestSeveralDimensions(t *testing.T) {
	ctx := t.Context()
	theirs, ours := postgresTables(t, "dimensions", nil), connect(t, start(t, nil))
	for _, sql := range manyDimensions {
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
