package gateway_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// pairs is a store with the entities 1, 2 and 3 and the relations of each to ten
// times itself, every one of them in two versions and each version in a commit of
// its own: commits 2 to 4 have n = 1 in them, commits 5 to 7 have n = 2.
func pairs(t *testing.T) objstore.Bucket {
	t.Helper()
	ctx, bucket, at := t.Context(), mem.New("pairs"), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := publisher(t, bucket, format.EngineV1, "test")
	n := format.NewField("n", format.FieldInt, true)
	item, beside := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, ontosql.TypeRef{Kind: ontosql.Relation, Name: "Beside"}
	_, err := p.Register(ctx, at, []format.Schema{
		{Ref: item, Fields: []format.SchemaField{keyField("sku", format.FieldInt), n}},
		{Ref: beside, Left: "Item", Right: "Item", InstanceKey: "slot", Fields: []format.SchemaField{format.NewField("slot", format.FieldStr, false), n}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		key, value := i%3+1, i/3+1
		items := []format.Row{{Key: fmt.Sprint(key), Fields: fmt.Appendf(nil, `{"n":%d,"sku":%d}`, value, key)}}
		links := []format.Row{{Left: fmt.Sprint(key), Right: fmt.Sprint(key, "0"), Instance: "a", Fields: fmt.Appendf(nil, `{"n":%d}`, value)}}
		content := []writepath.Content{{Type: item, Rows: slices.Values(items)}, {Type: beside, Rows: slices.Values(links)}}
		if _, err := p.Publish(ctx, writepath.Commit{At: at, Data: content}); err != nil {
			t.Fatal(err)
		}
	}
	return bucket
}

// TestKeysPruneEveryWindow asks for identities by their keys in windows that show
// all versions: only files that can have them are read, and every column says what
// it says over all files.
func TestKeysPruneEveryWindow(t *testing.T) {
	asksNoMirror(t)
	s := openHouse(t, pairs(t), false).session(t, "onto")
	for _, table := range []string{"item", "beside"} { // after this the footers are known
		must(t, s, "SELECT count(*) FROM "+table)
	}
	for _, c := range []struct {
		sql   string
		args  []string
		rows  []string
		plan  string
		about []string // other lines of the plan
	}{
		{
			sql:  "SELECT n, commit_id, valid_to_commit, is_current FROM history.item WHERE sku = 2 ORDER BY 1",
			rows: []string{"1|3|6|false", "2|6|NULL|true"}, plan: "6 considered, 4 pruned, 2 read", about: []string{"Key: entity_key = '2'"},
		},
		{
			sql: "SELECT n, valid_to_commit FROM history.item WHERE sku IN ($1, 3) AND commit_id > 4 ORDER BY 1, sku", args: []string{"1"},
			rows: []string{"2|NULL", "2|NULL"}, plan: "6 considered, 2 pruned, 4 read",
		},
		{
			sql:  "SELECT change, n, before FROM changes.item WHERE 2 = sku ORDER BY n",
			rows: []string{"insert|1|NULL", `update|2|{"n":1,"sku":2}`}, plan: "6 considered, 4 pruned, 2 read",
		},
		{
			sql:  "SELECT n, commit_id, is_current FROM item FOR SYSTEM_TIME ALL WHERE sku = 2 ORDER BY 1",
			rows: []string{"1|3|false", "2|6|true"}, plan: "6 considered, 4 pruned, 2 read",
		},
		{
			sql: "SELECT right_key, slot, n, valid_to_commit FROM history.beside WHERE left_key = $1 ORDER BY n", args: []string{"2"},
			rows: []string{"20|a|1|6", "20|a|2|NULL"}, plan: "6 considered, 4 pruned, 2 read",
		},
		{ // footers have no bounds of the right key
			sql:  "SELECT left_key, change, n FROM changes.beside WHERE right_key = 20 ORDER BY n",
			rows: []string{"2|insert|1", "2|update|2"}, plan: "6 considered, 0 pruned, 6 read", about: []string{"Key: right_key = '20'"},
		},
		{
			sql:  "SELECT left_key, n, is_current FROM history.beside WHERE left_key IN (1, 3) AND right_key = 30 AND slot = 'a' ORDER BY n",
			rows: []string{"3|1|false", "3|2|true"}, plan: "6 considered, 2 pruned, 4 read",
			about: []string{"Key: left_key = '1' or '3'", "Key: right_key = '30'", "Key: instance_key = 'a'"},
		},
		{
			sql: "SELECT n FROM history.beside WHERE left_key = 1 AND right_key = 30", plan: "6 considered, 4 pruned, 2 read",
		},
	} {
		if diff := cmp.Diff(c.rows, must(t, s, c.sql, c.args...)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", c.sql, c.args, diff)
		}
		plan := strings.Join(must(t, s, "EXPLAIN "+c.sql, c.args...), "\n")
		for _, want := range append(c.about, "Files: "+c.plan) {
			if !strings.Contains(plan, "  "+want+"\n") && !strings.HasSuffix(plan, "  "+want) {
				t.Errorf("EXPLAIN %s %q lacks %q:\n%s", c.sql, c.args, want, plan)
			}
		}
	}
	for _, from := range []string{"history.item", "changes.item", "item FOR SYSTEM_TIME ALL"} {
		_, err := ask(t, s, "SELECT sku, n FROM "+from+" GROUP BY sku")
		if e := (*pgerr.Error)(nil); !errors.As(err, &e) || e.Code != pgerr.GroupingError {
			t.Errorf("a column beside the key in a grouped query of %s: %v, want %s", from, err, pgerr.GroupingError)
		}
	}
	answers(t, s, "SELECT sku, n FROM item GROUP BY sku ORDER BY 1", "1|2", "2|2", "3|2")
}
