package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
)

// TestRevertIsThePoint reverts a random history to random points: rows have the values that they
// had, those that did not exist stay, one commit is made, and nothing is left to revert.
func TestRevertIsThePoint(t *testing.T) {
	bucket := shop(t)
	s := newHouse(t, bucket).session(t, "onto")
	r := rand.New(rand.NewPCG(28, 7))
	randomHistory(t, s, r, 14)
	head := func() (n int) {
		fmt.Sscan(must(t, s, "SELECT max(commit_id) FROM ontosql.commits")[0], &n)
		return n
	}
	tables := []struct{ name, sameKey, columns string }{
		{"item", "a.sku = b.sku", "sku, label, price, weight, sold"},
		{"standson", "(a.left_key, a.right_key, a.slot) = (b.left_key, b.right_key, b.slot)", "left_key, right_key, slot, since"},
	}
	for range 12 {
		before := head()
		point := 5 + r.IntN(before-4)
		want := map[string][]string{}
		for _, of := range tables {
			want[of.name] = must(t, s, fmt.Sprintf("SELECT %[1]s FROM as_of.%[2]s(%[3]d) UNION ALL SELECT %[1]s FROM %[2]s AS b WHERE NOT EXISTS (SELECT FROM as_of.%[2]s(%[3]d) AS a WHERE %[4]s) ORDER BY 1, 2, 3", of.columns, of.name, point, of.sameKey))
		}
		rows := must(t, s, fmt.Sprintf("SELECT table_name, reverted FROM ontosql.revert(%d, keep_new => true)", point))
		made := head() - before
		if changed := slices.ContainsFunc(rows, func(row string) bool { return !strings.HasSuffix(row, "|0") }); made != map[bool]int{true: 1}[changed] {
			t.Errorf("a revert to %d of %q made %d commits", point, rows, made)
		}
		for _, of := range tables {
			answers(t, s, "SELECT "+of.columns+" FROM "+of.name+" ORDER BY 1, 2, 3", want[of.name]...)
		}
		answers(t, s, fmt.Sprintf("SELECT sum(reverted) FROM ontosql.revert(%d, keep_new => true) HAVING sum(reverted) > 0", point))
		if t.Failed() {
			t.Fatalf("reverted to commit %d at %d: %q", point, before, rows)
		}
		for range 2 {
			randomCommit(t, s, r, "label")
		}
	}
	types, err := original.Read(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(types[ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}].Rows), must(t, s, "SELECT count(*) FROM item")[0]; fmt.Sprint(got) != want {
		t.Errorf("the original reads %d items, there are %s", got, want)
	}
}

// TestRevertHiddenColumns: where diff has another column of the name, nothing wrong is written.
func TestRevertHiddenColumns(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	must(t, s, `CREATE TABLE odd ("to_x" text PRIMARY KEY, x text, "select" text)`)
	must(t, s, "INSERT INTO odd VALUES ('k', 'a', 'b')")
	must(t, s, `UPDATE odd SET x = 'c', "select" = 'd'`)
	refused(t, s, "0A000", "SELECT * FROM ontosql.revert('HEAD~1', 'odd')")
	must(t, s, `ALTER TABLE odd DROP COLUMN x`)
	answers(t, s, "SELECT reverted FROM ontosql.revert(3, 'odd')", "1")
	answers(t, s, `SELECT "select" FROM odd`, "b")
}

// TestArgumentsOfActions: keys and names that are wrong are refused, and so is anything but one row of
// arguments.
func TestArgumentsOfActions(t *testing.T) {
	bucket := storeOf(t,
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}, Fields: []format.SchemaField{keyField("name", format.FieldStr)}},
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Thing"}, Left: "Thing", Right: "Thing", Fields: []format.SchemaField{format.NewField("n", format.FieldInt, true)}},
	)
	s := newHouse(t, bucket).session(t, "onto")
	must(t, s, "INSERT INTO thing VALUES ('a'), ('b')")
	must(t, s, "INSERT INTO thing_rel VALUES ('a', 'b', 1)")
	must(t, s, "UPDATE thing_rel SET n = 2")
	const set = "set-returning functions in the arguments of ontosql."
	for sql, want := range map[string]string{
		"SELECT * FROM ontosql.revert(3, 'thing_rel', '{}')":             `22023 the key of "thing_rel" has 2 columns, not 0`,
		"SELECT * FROM ontosql.revert(3, 'thing_rel', ARRAY['a'])":       `22023 the key of "thing_rel" has 2 columns, not 1`,
		"SELECT * FROM ontosql.revert(3, 'thing_rel', ARRAY['a', NULL])": `22023 the key of "thing_rel" has an element that is NULL`,
		"SELECT * FROM ontosql.revert(3, 'thing_rel', '{a')":             `22P02 malformed array literal: "{a"`,
		"SELECT ontosql.tag(unnest('{}'::text[]))":                       "0A000 " + set + "tag are not supported",
		"SELECT ontosql.tag(unnest(ARRAY['x', 'y']))":                    "0A000 " + set + "tag are not supported",
		"SELECT * FROM ontosql.compact(unnest('{}'::text[]))":            "0A000 " + set + "compact are not supported",
		"SELECT * FROM ontosql.revert(3, 'Thing')":                       `42P09 type name "Thing" is ambiguous`,
		"SELECT * FROM ontosql.compact('Thing')":                         `42P09 type name "Thing" is ambiguous`,
		"SELECT * FROM ontosql.revert(3, 'THING')":                       `42P01 relation "THING" does not exist`,
	} {
		if e := refused(t, s, want[:5], sql); e.Message != want[6:] {
			t.Errorf("%s: %s, want %s", sql, e.Message, want[6:])
		}
	}
	answers(t, s, "SELECT table_name, reverted FROM ontosql.revert(3, 'thing_rel', ARRAY['a', 'b'])", "thing_rel|1")
	answers(t, s, "SELECT count(*) FROM ontosql.tags", "0")
}
