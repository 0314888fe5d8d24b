package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// randomHistory writes commits of items and of relations between them and shelves, and
// renames a column on the way.
func randomHistory(t *testing.T, s wire.Session, r *rand.Rand, commits int) {
	t.Helper()
	must(t, s, "INSERT INTO shelf VALUES ('top', 1), ('low', 2)")
	for i := range commits {
		if i == commits/2 {
			must(t, s, "ALTER TABLE item RENAME COLUMN title TO label")
		}
		title := map[bool]string{true: "label", false: "title"}[i >= commits/2]
		randomCommit(t, s, r, title)
	}
}

// randomCommit writes some items, of which a column has the given name, or a relation.
func randomCommit(t *testing.T, s wire.Session, r *rand.Rand, title string) {
	t.Helper()
	if r.IntN(4) == 0 {
		must(t, s, fmt.Sprintf("INSERT INTO standson VALUES ('%d', 'top', 's%d', DATE '2026-01-01' + %d) ON CONFLICT (left_key, right_key, slot) DO UPDATE SET since = excluded.since",
			r.IntN(4), r.IntN(2), r.IntN(3)))
		return
	}
	var values []string
	for _, sku := range r.Perm(9)[:1+r.IntN(4)] {
		values = append(values, fmt.Sprintf("(%d, 'title %d', %d.%d, %s, %s)", sku, r.IntN(2), r.IntN(2), r.IntN(10), []string{"0.5", "NULL", "2"}[r.IntN(3)], []string{"true", "false", "NULL"}[r.IntN(3)]))
	}
	must(t, s, fmt.Sprintf("INSERT INTO item (sku, %[1]s, price, weight, sold) VALUES %s ON CONFLICT (sku) DO UPDATE SET %[1]s = excluded.%[1]s, price = excluded.price, weight = excluded.weight, sold = excluded.sold",
		title, strings.Join(values, ", ")))
}

// diffHouses are gateways over empty shops that read rows from different places.
var diffHouses = map[string]func(t *testing.T) *house{
	"mirror": func(t *testing.T) *house { return newHouse(t, shop(t)) },
	"files":  func(t *testing.T) *house { return openHouse(t, shop(t), false) },
	"table": func(t *testing.T) *house {
		h := fileHouse(t, emptyFile(t), false)
		s := h.session(t, "onto")
		must(t, s, "CREATE TABLE item (sku bigint PRIMARY KEY, title text, price numeric, weight double precision, sold boolean)")
		must(t, s, "CREATE TABLE shelf (name text PRIMARY KEY, height bigint)")
		must(t, s, "CREATE TABLE standson (left_key bigint REFERENCES item, right_key text REFERENCES shelf, slot text, since date, PRIMARY KEY (left_key, right_key, slot))")
		return h
	},
}

// TestDiffIsWhatTwoPointsSay compares each pair of points by diff and by a join of the rows at
// both. Snapshots begin and end between the points.
func TestDiffIsWhatTwoPointsSay(t *testing.T) {
	for name, open := range diffHouses {
		t.Run(name, func(t *testing.T) {
			s := open(t).session(t, "onto")
			r := rand.New(rand.NewPCG(28, 6))
			randomHistory(t, s, r, 14)
			compareDiffs(t, s, r)
			if name != "table" {
				must(t, s, "SELECT * FROM ontosql.compact('item')")
				must(t, s, "SELECT * FROM ontosql.compact('standson')")
				for range 4 {
					randomCommit(t, s, r, "label")
				}
				compareDiffs(t, s, r)
			}
		})
	}
}

func compareDiffs(t *testing.T, s wire.Session, r *rand.Rand) {
	t.Helper()
	var head int
	fmt.Sscan(must(t, s, "SELECT max(commit_id) FROM ontosql.commits")[0], &head)
	for _, of := range []struct{ table, key, sameKey, columns string }{
		{"item", "sku", "a.sku = b.sku", "label, price, weight, sold"},
		{"standson", "left_key, right_key, slot", "(a.left_key, a.right_key, a.slot) = (b.left_key, b.right_key, b.slot)", "since"},
	} {
		fields := strings.Split(of.columns, ", ")
		first, _, _ := strings.Cut(of.key, ", ")
		var both, differ []string
		for _, f := range fields {
			both = append(both, "a."+f, "b."+f)
			differ = append(differ, "a."+f+" IS DISTINCT FROM b."+f)
		}
		for range 20 {
			from, to := r.IntN(head+2), r.IntN(head+2)
			var keys []string
			for _, k := range strings.Split(of.key, ", ") {
				keys = append(keys, "coalesce(a."+k+", b."+k+")")
			}
			want := must(t, s, fmt.Sprintf("SELECT %s, CASE WHEN a.%s IS NULL THEN 'insert' WHEN b.%[2]s IS NULL THEN 'delete' ELSE 'update' END, %s FROM as_of.%s(%d) a FULL JOIN as_of.%[4]s(%[6]d) b ON %[7]s WHERE a.%[2]s IS NULL OR b.%[2]s IS NULL OR %[8]s",
				strings.Join(keys, ", "), first, strings.Join(both, ", "), of.table, from, to, of.sameKey, strings.Join(differ, " OR ")))
			var shown []string
			for _, f := range fields {
				shown = append(shown, "from_"+f, "to_"+f)
			}
			sql := fmt.Sprintf("SELECT %s, diff, %s FROM diff.%s(%d, %d)", of.key, strings.Join(shown, ", "), of.table, from, to)
			got := must(t, s, sql)
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("%s:\n%s\nwant\n%s", sql, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if len(got) > 0 {
				key, _, _ := strings.Cut(got[0], "|")
				if one := must(t, s, sql+" WHERE "+first+"::text = $1", key); !slices.Contains(one, got[0]) {
					t.Fatalf("%s by key %s: %v, want %s among them", sql, key, one, got[0])
				}
			}
		}
	}
}

// TestDiffReadsFewFiles compares neighbouring commits without a mirror: of the files it reads the one
// that was written between them and those that may have the rows of its keys before.
func TestDiffReadsFewFiles(t *testing.T) {
	asksNoMirror(t)
	for name, test := range map[string]struct{ table, update, between, before, untouched, planned string }{
		"files": {
			"item", "UPDATE item SET price = 2 WHERE sku = 107", "Files: 21 considered, 20 pruned, 1 read", "Before: Files: 21 considered, 20 pruned, 1 read",
			"Files: 21 considered, 21 pruned, 0 read", "Before: Files: 21 considered, 1 pruned, 20 read, fewer by key",
		},
		"table": {
			"item", "UPDATE item SET price = 2 WHERE sku = 107", "Rows: 1 in the window", "Before: Rows: 20 in the window, read by key",
			"Rows: 0 in the window", "Before: Rows: 20 in the window, fewer by key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := diffHouses[name](t).session(t, "onto")
			for i := range 20 {
				must(t, s, fmt.Sprintf("INSERT INTO item (sku, title, price) VALUES (%d, 'x', 1)", 100+i))
			}
			must(t, s, test.update)
			must(t, s, "INSERT INTO shelf VALUES ('top', 1)")
			explain := func(how, sql string) string {
				return strings.Join(must(t, s, how+" "+sql), "\n")
			}
			const last, none = "SELECT from_price, to_price FROM diff.item('HEAD~2', 'HEAD~1')", "SELECT * FROM diff.item('HEAD~1', 'HEAD')"
			answers(t, s, last, "1|2")
			if told := explain("EXPLAIN ANALYZE", last); !strings.Contains(told, test.between+"\n") || !strings.Contains(told, test.before+"\n") {
				t.Errorf("want %q and %q in\n%s", test.between, test.before, told)
			}
			if told := explain("EXPLAIN", last); !strings.Contains(told, test.between+"\n") || !strings.Contains(told, test.planned+"\n") {
				t.Errorf("want %q and %q in\n%s", test.between, test.planned, told)
			}
			answers(t, s, none)
			if told := explain("EXPLAIN ANALYZE", none); !strings.Contains(told, test.untouched+"\n") || strings.Contains(told, "Before") {
				t.Errorf("want %q alone in\n%s", test.untouched, told)
			}
		})
	}
}

// TestDiffOfAKeyThatDidNotChange looks up by key rows that have not changed between two points, in which others have:
// without a mirror their earlier versions would be found, and are not needed.
func TestDiffOfAKeyThatDidNotChange(t *testing.T) {
	for name, house := range diffHouses {
		t.Run(name, func(t *testing.T) {
			s := house(t).session(t, "onto")
			must(t, s, "CREATE TABLE named (id text PRIMARY KEY, n int)")
			must(t, s, "INSERT INTO named VALUES ('a', 1), ('b', 1), ('c', 1)")
			must(t, s, "UPDATE named SET n = 2 WHERE id = 'a'")
			const since = "diff.named('HEAD~1', 'HEAD')"
			answers(t, s, "SELECT * FROM "+since+" WHERE id = 'b'")
			answers(t, s, "SELECT count(*), 'x' FROM "+since+" d WHERE d.id IN ('b', 'nobody')", "0|x")
			answers(t, s, "SELECT d.from_n, d.to_n, n.n FROM "+since+" d, named n WHERE d.id = 'a' AND n.id = 'b'", "1|2|1")
			answers(t, s, "SELECT d.id, n.n FROM named n LEFT JOIN "+since+" d ON d.id = 'b' WHERE n.id = 'c'", "NULL|1")
			answers(t, s, "SELECT reverted, kept FROM ontosql.revert('HEAD~1', 'named', 'b')", "0|0")
			answers(t, s, "SELECT reverted, kept FROM ontosql.revert('HEAD~1', 'named', 'a')", "1|0")
		})
	}
}

// TestBlameIsTheLastChange compares blame with the last of the changes that name each field.
func TestBlameIsTheLastChange(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	randomHistory(t, s, rand.New(rand.NewPCG(28, 7)), 14)
	must(t, s, "SET ontosql.commit_message = 'dearer'")
	must(t, s, "UPDATE item SET price = price + 1 WHERE sku = 3")
	want := must(t, s, `SELECT sku, f, max(commit_id) FROM changes.item, unnest(ARRAY['label', 'price', 'weight', 'sold']) AS f WHERE change = 'insert' OR f = ANY (changed_fields) GROUP BY 1, 2 ORDER BY 1, 2`)
	got := must(t, s, "SELECT sku, column_name, commit_id FROM blame.item WHERE column_name IN ('label', 'price', 'weight', 'sold') ORDER BY 1, 2")
	if len(want) < 8 || !slices.Equal(got, want) {
		t.Errorf("blame:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	answers(t, s, "SELECT (b.value #>> '{}')::numeric = i.price, b.message, b.committed_at = c.created_at, b.commit_id = c.commit_id FROM blame.item b JOIN item i USING (sku), (SELECT * FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1) c WHERE sku = 3 AND column_name = 'price'",
		"true|dearer|true|true")
	must(t, s, "BEGIN")
	must(t, s, "UPDATE item SET price = price + 1 WHERE sku = 3")
	answers(t, s, "SELECT commit_id IS NULL, actor IS NULL FROM blame.item WHERE sku = 3 AND column_name = 'price'", "true|true")
	must(t, s, "ROLLBACK")
}

// TestDiffStatCountsTheDiff compares the counts of ontosql.diff_stat with the rows of diff and of
// history.
func TestDiffStatCountsTheDiff(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	r := rand.New(rand.NewPCG(28, 8))
	randomHistory(t, s, r, 14)
	must(t, s, "UPDATE shelf SET height = height + 1 WHERE name = 'top'")
	must(t, s, "UPDATE shelf SET height = height - 1 WHERE name = 'top'")
	answers(t, s, "SELECT table_name, inserted, updated, unchanged, commits, rows FROM ontosql.diff_stat('HEAD~2', 'HEAD')", "shelf|0|0|1|2|2")
	answers(t, s, "SELECT count(*) FROM ontosql.diff_stat(5, 5)", "0")
	all := must(t, s, "SELECT * FROM ontosql.diff_stat(1, 16)")
	must(t, s, "SET ontosql.as_of = '4'")
	answers(t, s, "SELECT * FROM ontosql.diff_stat(1, 16)", all...) // whatever the session's point is
	must(t, s, "RESET ontosql.as_of")
	for range 12 {
		from, to := r.IntN(18), r.IntN(18)
		for _, table := range []string{"item", "shelf", "standson"} {
			got := must(t, s, fmt.Sprintf("SELECT inserted, updated, deleted, commits, rows FROM ontosql.diff_stat(%d, %d) WHERE table_name = '%s'", from, to, table))
			want := must(t, s, fmt.Sprintf("SELECT count(*) FILTER (WHERE diff = 'insert'), count(*) FILTER (WHERE diff = 'update'), count(*) FILTER (WHERE diff = 'delete'), h.* FROM diff.%s(%d, %d), "+
				"(SELECT count(DISTINCT commit_id), count(*) FROM history.%[1]s WHERE commit_id > %[4]d AND commit_id <= %[5]d) h GROUP BY h.*, 4, 5", table, from, to, min(from, to), max(from, to)))
			if len(want) == 0 { // nothing differs
				continue
			}
			if !slices.Equal(got, want) {
				t.Errorf("diff_stat(%d, %d) of %s: %v, want %v", from, to, table, got, want)
			}
		}
	}
	answers(t, s, "SELECT bool_and(l.commit_id = t.last_commit_id) FROM ontosql.last_change l JOIN ontosql.types t USING (type_kind, type_name)", "true")
	refused(t, s, pgerr.UndefinedFunction, "SELECT * FROM ontosql.diff_stat(1)")
	refused(t, s, pgerr.UndefinedTable, "SELECT * FROM ontosql.diff_stat")
}

// TestDiffIsAFunction calls it wrongly, with parameters, expressions and subqueries as points,
// and as the target of a write.
func TestDiffIsAFunction(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	want := must(t, s, "SELECT count(*) FROM diff.customer(3, 9)")
	for _, sql := range []string{
		"SELECT count(*) FROM diff.customer(1 + 2, (SELECT 9))", "SELECT count(*) FROM diff.customer('3', (SELECT max(commit_id) FROM ontosql.commits WHERE commit_id < 10))",
		"SELECT count(*) FROM onto.diff.customer((SELECT min(commit_id) + 2 FROM ontosql.commits), 9) AS d",
	} {
		answers(t, s, sql, want...)
	}
	if got := must(t, s, "SELECT count(*) FROM diff.customer($1, $2)", "3", "9"); got[0] != want[0] {
		t.Errorf("with parameters: %v, want %v", got, want)
	}
	refused(t, s, pgerr.UndefinedFunction, "SELECT * FROM diff.customer(1)")
	refused(t, s, pgerr.UndefinedFunction, "SELECT * FROM diff.customer()")
	refused(t, s, pgerr.UndefinedTable, "SELECT * FROM diff.nobody(1, 2)")
	refused(t, s, pgerr.UndefinedTable, "SELECT * FROM diff.customer")
	refused(t, s, pgerr.InvalidParameterValue, "SELECT * FROM diff.customer(NULL, 2)")
	refused(t, s, pgerr.InvalidParameterValue, "SELECT * FROM diff.customer(1, 'soon')")
	refused(t, s, pgerr.ReadOnlySQLTransaction, "INSERT INTO diff.customer VALUES (1)")
	refused(t, s, pgerr.ReadOnlySQLTransaction, "UPDATE blame.customer SET value = NULL")
	refused(t, s, pgerr.InsufficientPrivilege, "CREATE TABLE blame.t (id int)")
	refused(t, s, pgerr.WrongObjectType, "SELECT * FROM blame.customer FOR SYSTEM_TIME AS OF 3")
}
