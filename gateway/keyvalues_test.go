package gateway_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// TestKeysThatAreNoNumbers reads types with integer keys of which some stored texts are no
// numbers. Over files, the mirror, and a mirror that lags they are NULL, with the same
// warnings.
func TestKeysThatAreNoNumbers(t *testing.T) {
	ctx, bucket := t.Context(), mem.New("keys")
	p := publisher(t, bucket, format.EngineV1, "test")
	item, beside := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, ontosql.TypeRef{Kind: ontosql.Relation, Name: "Beside"}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err := p.Register(ctx, at, []format.Schema{
		{Ref: item, Fields: []format.SchemaField{keyField("sku", format.FieldInt), format.NewField("n", format.FieldInt, true)}},
		{Ref: beside, Left: "Item", Right: "Item", Fields: []format.SchemaField{format.NewField("n", format.FieldInt, true)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	publish := func(n int, keys ...string) {
		t.Helper()
		var items, pairs []format.Row
		for _, key := range keys {
			items = append(items, format.Row{Key: key, Fields: fmt.Appendf(nil, `{"n":%d,"sku":%q}`, n, key)})
			pairs = append(pairs, format.Row{Left: key, Right: "5", Fields: fmt.Appendf(nil, `{"n":%d}`, n)}, format.Row{Left: "6", Right: key, Fields: fmt.Appendf(nil, `{"n":%d}`, n)})
		}
		content := []writepath.Content{{Type: item, Rows: slices.Values(items)}, {Type: beside, Rows: slices.Values(pairs)}}
		if _, err := p.Publish(ctx, writepath.Commit{At: at, Data: content}); err != nil {
			t.Fatal(err)
		}
	}
	publish(1, "5", "007", "x")
	publish(2, "7", "1.0")
	publish(3, "-3", "x")
	publish(4, "9")
	publish(5, "11")

	h, files := newHouse(t, bucket), openHouse(t, bucket, false)
	with, without := h.session(t, "onto"), files.session(t, "onto")
	questions := []struct {
		sql      string
		args     []string
		want     []string // until there are more commits; nil for any
		warnings int
	}{
		{sql: "SELECT sku, entity_key, n FROM item ORDER BY entity_key COLLATE \"C\"", want: []string{"-3|-3|3", "NULL|007|1", "NULL|1.0|2", "11|11|5", "5|5|1", "7|7|2", "9|9|4", "NULL|x|3"}, warnings: 1},
		{sql: "SELECT sum(sku), count(sku), count(*) FROM item", want: []string{"29|5|8"}, warnings: 1},
		{sql: "SELECT n FROM item WHERE sku = 7", want: []string{"2"}, warnings: 1},
		{sql: "SELECT n FROM item WHERE sku = $1", args: []string{"07"}, want: []string{"2"}, warnings: 1},
		{sql: "SELECT n FROM item WHERE sku = 6", want: []string{}, warnings: 1},
		{sql: "SELECT n FROM item WHERE sku BETWEEN 6 AND 9 ORDER BY n", want: []string{"2", "4"}, warnings: 1},
		{sql: "SELECT n FROM item WHERE sku IS NULL ORDER BY n", want: []string{"1", "2", "3"}, warnings: 1},
		{sql: "SELECT n FROM item WHERE sku = 2 * 3 + 1", want: []string{"2"}, warnings: 1},
		{sql: "SELECT sum(n) FROM item", want: []string{"21"}},
		{sql: "SELECT a.sku, b.right_key FROM item a JOIN beside b ON b.left_key = a.sku WHERE a.sku <> 5 ORDER BY 1", want: []string{"-3|5", "7|5", "9|5", "11|5"}, warnings: 3},
		{sql: "SELECT left_key, right_key FROM beside WHERE right_key = 5 ORDER BY left_key", want: []string{"-3|5", "5|5", "6|5", "7|5", "9|5", "11|5", "NULL|5", "NULL|5", "NULL|5"}, warnings: 2},
		{sql: "SELECT sku, commit_id, is_current FROM history.item ORDER BY commit_id, entity_key", warnings: 1},
		{sql: "SELECT sku, change FROM changes.item WHERE commit_id > 2 ORDER BY commit_id, entity_key", warnings: 1},
		{sql: "SELECT sku FROM as_of.item(3) ORDER BY 1", want: []string{"5", "7", "NULL", "NULL", "NULL"}, warnings: 1},
	}
	compare := func(when string, wanted bool) {
		t.Helper()
		for _, q := range questions {
			h.notices, files.notices = nil, nil
			want, got := must(t, without, q.sql, q.args...), must(t, with, q.sql, q.args...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s (-files +mirror):\n%s", when, q.sql, diff)
			}
			if wanted && q.want != nil && !slices.Equal(q.want, got) {
				t.Errorf("%s: %s answered %q, want %q", when, q.sql, got, q.want)
			}
			told := slices.Sorted(slices.Values(h.notices))
			if diff := cmp.Diff(slices.Sorted(slices.Values(files.notices)), told); diff != "" || len(told) != q.warnings {
				t.Errorf("%s: %s: notices are %q, want %d (-files +mirror):\n%s", when, q.sql, told, q.warnings, diff)
			}
		}
	}
	compare("before the mirror", true)
	h.settle(t, with, "item", "beside")
	compare("mirrored", true)
	h.notices = nil
	must(t, with, "SELECT sku FROM item")
	if want := []string{`WARNING 01000 4 stored values of column "sku" of "item" are no bigint and read as NULL`}; !slices.Equal(h.notices, want) {
		t.Errorf("notices are %q, want %q: x was written twice", h.notices, want)
	}
	publish(6, "7", "08", "x")
	compare("while the mirror lags", false)
	h.settle(t, with, "item", "beside")
	compare("extended", false)
	for _, s := range []string{"BEGIN", "INSERT INTO item (sku, n) VALUES (70, 8)"} {
		must(t, with, s)
	}
	answers(t, with, "SELECT sku FROM item WHERE sku > 9 ORDER BY 1", "11", "70")
	must(t, with, "ROLLBACK")
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
}
