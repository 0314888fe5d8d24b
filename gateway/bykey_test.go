package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/wire"
)

// twins are two gateways over one bucket. The first answers look-ups from its row store, the second
// has none.
type twins struct {
	stored, engine *pgconn.PgConn
	writer         wire.Session // of the first
}

// newTwins makes twins over a store that some statements have filled: items have a column of every kind, shelves
// a text as their key, badges a uuid.
func newTwins(t *testing.T, fill ...string) *twins {
	t.Helper()
	bucket := storeOf(t,
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, Fields: []format.SchemaField{
			keyField("sku", format.FieldInt), format.NewField("title", format.FieldStr, false), format.NewField("price", format.FieldDecimal, true),
			format.NewField("weight", format.FieldFloat, true), format.NewField("sold", format.FieldBool, true), format.NewField("added", format.FieldDatetime, true),
			format.NewField("day", format.FieldDate, true), format.NewField("code", format.FieldUUID, true), format.NewField("raw", format.FieldBytes, true),
			format.NewField("tags", format.FieldJSON, true), format.NewField("count", format.FieldInt, true), format.NewField("shelf", format.FieldStr, true),
		}},
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Shelf"}, Fields: []format.SchemaField{
			keyField("name", format.FieldStr), format.NewField("height", format.FieldInt, true), format.NewField("best", format.FieldInt, true),
		}},
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Badge"}, Fields: []format.SchemaField{keyField("id", format.FieldUUID), format.NewField("owner", format.FieldStr, true)}},
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "StandsOn"}, Left: "Item", Right: "Shelf", InstanceKey: "slot", Fields: []format.SchemaField{
			format.NewField("slot", format.FieldStr, false), format.NewField("since", format.FieldDate, true),
		}},
	)
	h := newHouse(t, bucket)
	w := &twins{writer: h.session(t, "onto")}
	for _, sql := range fill {
		must(t, w.writer, sql)
	}
	for _, sql := range []string{"SELECT title FROM item WHERE sku = 1", "SELECT name FROM shelf WHERE name = 'a'", "SELECT owner FROM badge WHERE id = '00000000-0000-0000-0000-000000000001'", "SELECT slot FROM standson WHERE left_key = 1"} {
		inRowStore(t, w.writer, sql)
	}
	w.stored, w.engine = h.client(t).PgConn(), openHouse(t, bucket, false).client(t).PgConn()
	return w
}

// goods fill the store of newTwins: seven items in versions that set and unset each column, with shelves and badges.
var goods = []string{
	`INSERT INTO item (sku, title, price, weight, sold, added, day, code, raw, tags, count, shelf) VALUES (1, 'one', 1.50, 0.5, true, '2024-02-29 12:00:00+00', '2024-02-29', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\x00ff', '{"a": [1, 2.50, null]}', 7, 'a'),
		(2, 'two', -0.001, -1.5, false, '9999-12-31 23:59:59+00', '0001-01-01', 'ffffffff-0000-4ef8-bb6d-6bb9bd380a11', '', '[]', -3, 'b'), (3, 'Zoë', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		(4, '', 12345678901234567890.12, -0.0, true, '0001-01-01 00:00:00+00', '9999-12-31', '00000000-0000-0000-0000-000000000000', '\xdeadbeef', 'null', 9223372036854775807, 'nowhere'),
		(-5, 'Ab', 1.5, 1e300, NULL, '1969-12-31 23:59:59.999999+00', '1970-01-01', NULL, NULL, '"x"', 0, 'a')`,
	`INSERT INTO shelf (name, height, best) VALUES ('a', 10, 1), ('b', NULL, 2), ('it''s, "so" \', 3, NULL), ('NULL', 4, 99), ('E', 5, -5), ('é', 6, 3)`,
	`INSERT INTO badge (id, owner) VALUES ('00000000-0000-0000-0000-000000000001', 'first'), ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', NULL)`,
	`INSERT INTO standson (left_key, right_key, slot, since) VALUES (1, 'a', 's1', '2024-01-01'), (1, 'a', 's2', NULL), (1, 'b', 's1', '2023-01-01'), (2, 'a', 's1', NULL), (2, 'é', 's3', '2022-02-02'), (-5, 'é', 's9', '2021-01-01')`,
	`UPDATE item SET price = price + 1, title = title || '!', day = '2020-01-01' WHERE sku IN (1, 2, 3)`,
	`UPDATE item SET tags = NULL, weight = 2.25, sold = NULL WHERE sku IN (1, 4)`,
	`UPDATE shelf SET height = 11 WHERE name IN ('a', 'b')`,
	`UPDATE standson SET since = '2025-05-05' WHERE right_key = 'a'`,
	`INSERT INTO item (sku, title, count) VALUES (6, 'six', 6), (7, 'seven', 7)`,
	`UPDATE item SET count = 1.0, tags = '{"a": [1, 2.5, null], "b": "\u00e9"}' WHERE sku IN (1, 6)`,
}

// null is the argument NULL.
const null = "\x00null"

// same asks a statement of both, with arguments, in text and in binary form, and compares what they
// send: the descriptions, the rows and the tag. Without ORDER BY the rows may have any order. The first has
// to answer it from the row store.
func (w *twins) same(t *testing.T, sql string, args ...string) {
	t.Helper()
	values := make([][]byte, len(args))
	for i, a := range args {
		if a != null {
			values[i] = []byte(a)
		}
	}
	explained := w.stored.ExecParams(t.Context(), "EXPLAIN "+sql, values, nil, nil, nil).Read()
	var plan strings.Builder
	for _, row := range explained.Rows {
		plan.Write(append(row[0], '\n'))
	}
	if points := strings.Count(plan.String(), "Point: row store"); explained.Err != nil || !rowStoreIsOff() && (points == 0 || points != strings.Count(plan.String(), "->")) {
		t.Errorf("%s %q is not answered from the row store: %v\n%s", sql, args, explained.Err, plan.String())
	}
	for _, format := range []int16{0, 1} {
		answers := make([][]string, 2)
		for i, conn := range []*pgconn.PgConn{w.engine, w.stored} {
			r := conn.ExecParams(t.Context(), sql, values, nil, nil, []int16{format}).Read()
			for _, row := range r.Rows {
				answers[i] = append(answers[i], fmt.Sprintf("%q", row))
			}
			if !strings.Contains(sql, "ORDER BY") {
				slices.Sort(answers[i])
			}
			for _, f := range r.FieldDescriptions {
				answers[i] = append(answers[i], fmt.Sprintf("%+v", f))
			}
			answers[i] = append(answers[i], r.CommandTag.String(), fmt.Sprint(r.Err))
		}
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("%s %q, format %d (-engine +row store):\n%s", sql, args, format, diff)
		}
	}
}

// engineOnly checks that the row store does not answer a statement.
func (w *twins) engineOnly(t *testing.T, sql string) {
	t.Helper()
	if plan := strings.Join(must(t, w.writer, "EXPLAIN "+sql), "\n"); strings.Contains(plan, "Point: ") {
		t.Errorf("%s is answered from the row store:\n%s", sql, plan)
	}
}

// TestKeysOfAnArray looks up the keys that an array has: as a parameter, as a constant and of
// elements, with NULLs, twice the same, none, and a hundred.
func TestKeysOfAnArray(t *testing.T) {
	w := newTwins(t, goods...)
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint(i - 50)
	}
	for _, array := range []string{"{1,2,3}", "{}", "{NULL}", "{1,NULL,1,1}", "{7,6,5,-5,-5}", "{" + strings.Join(many, ",") + "}", null} {
		w.same(t, "SELECT * FROM item WHERE sku = ANY($1)", array)
		w.same(t, "SELECT title, sku FROM item WHERE sku = ANY($1::int[])", array)
		w.same(t, "SELECT * FROM standson WHERE left_key = ANY($1) AND right_key = 'a'", array)
		w.same(t, "SELECT * FROM item FOR SYSTEM_TIME AS OF 4 WHERE sku = ANY($1)", array)
		if array != null {
			w.same(t, "SELECT price FROM item WHERE sku = ANY('"+array+"')")
		}
	}
	for _, array := range []string{`{a,b}`, `{"it's, \"so\" \\",é,""}`, `{NULL,"NULL",null}`, `{}`, null} {
		w.same(t, "SELECT * FROM shelf WHERE name = ANY($1)", array)
		w.same(t, "SELECT * FROM shelf WHERE name = ANY($1::varchar[])", array)
		w.same(t, "SELECT * FROM standson WHERE left_key = ANY('{1,2}') AND right_key = ANY($1)", array)
	}
	for _, array := range []string{"{00000000-0000-0000-0000-000000000001,A0EEBC999C0B4EF8BB6D6BB9BD380A11,NULL}", "{}"} {
		w.same(t, "SELECT * FROM badge WHERE id = ANY($1)", array)
		w.same(t, "SELECT * FROM badge WHERE id = ANY('"+array+"'::uuid[])")
	}
	w.same(t, "SELECT * FROM badge WHERE id = $1", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}")
	w.same(t, "SELECT * FROM badge WHERE id IN ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', $1)", "00000000000000000000000000000001")
	w.same(t, "SELECT sku FROM item WHERE sku = ANY(ARRAY[1, NULL, 2, 1])")
	w.same(t, "SELECT sku FROM item WHERE sku = ANY(ARRAY[$1, 2, $2]::bigint[])", "3", null)
	w.same(t, "SELECT sku FROM item WHERE sku = ANY(NULL)")
	w.same(t, "SELECT name FROM shelf WHERE name = ANY(ARRAY['a', $1])", "b")
	w.same(t, "SELECT sku FROM item WHERE sku = $1", null)
	w.same(t, "SELECT sku FROM item WHERE sku IN (1, NULL, $1)", "2")
	w.same(t, "SELECT sku FROM item WHERE sku = ANY($1) AND sku IN (2, 3, 4)", "{1,2,3}")
	for _, sql := range []string{
		"SELECT sku FROM item WHERE sku <> ANY('{1}')", "SELECT sku FROM item WHERE sku = ALL('{1}')", "SELECT sku FROM item WHERE sku = ANY(ARRAY[count])",
		"SELECT sku FROM item WHERE sku = ANY('{{1,2},{3,4}}')", "SELECT sku FROM item WHERE sku = ANY('{1,2.5}'::numeric[])", "SELECT sku FROM item WHERE NOT sku = ANY('{1}')",
		"SELECT name FROM shelf WHERE name = ANY('{a}'::char(1)[])", "SELECT right_key FROM standson WHERE right_key = ANY('{a}')",
	} {
		w.engineOnly(t, sql)
	}
}

// TestVersionsOfKeys reads the history and the changes of keys: all their columns, and those of FOR SYSTEM_TIME ALL.
func TestVersionsOfKeys(t *testing.T) {
	w := newTwins(t, goods...)
	for _, keys := range []string{"= 1", "IN (1, 2, 3, 4, 99)", "= ANY('{6,-5,NULL}')", "= 99"} {
		for _, sql := range []string{
			"SELECT * FROM history.item WHERE sku %s", "SELECT * FROM changes.item WHERE sku %s", "SELECT title, valid_from, valid_to, is_current FROM history.item WHERE sku %s",
			"SELECT sku, changed_fields, before, change FROM changes.item WHERE sku %s ORDER BY sku, commit_id DESC",
			"SELECT * FROM item FOR SYSTEM_TIME ALL WHERE sku %s", "SELECT sku, commit_id, valid_to_commit, committed_at, fields_json FROM item FOR SYSTEM_TIME ALL WHERE sku %s",
			"SELECT * FROM history.standson WHERE left_key %s", "SELECT * FROM changes.standson WHERE left_key %s AND right_key = 'a'",
			"SELECT * FROM standson FOR SYSTEM_TIME ALL WHERE left_key %s AND instance_key = 's1'",
			"SELECT sku, commit_id, schema_version_id, entity_key, fields_json, committed_at FROM item WHERE sku %s", "SELECT commit_id, committed_at FROM item FOR SYSTEM_TIME AS OF 3 WHERE sku %s",
		} {
			w.same(t, fmt.Sprintf(sql, keys))
		}
	}
	for _, bound := range []string{"commit_id > 3", "commit_id <= 6 AND commit_id >= $2", "valid_to_commit > 4", "valid_from IS NOT NULL AND is_current", "NOT is_current", "valid_to IS NULL"} {
		args := []string{"1"}
		if strings.Contains(bound, "$2") {
			args = append(args, "2")
		}
		w.same(t, "SELECT * FROM history.item WHERE sku = $1 AND "+bound+" ORDER BY commit_id", args...)
	}
	w.same(t, "SELECT * FROM changes.item WHERE sku = $1 AND commit_id > $2 AND change = 'update' ORDER BY commit_id LIMIT 1", "1", "2")
	w.engineOnly(t, "SELECT * FROM diff.item(3, 5) WHERE sku = 1")
	w.engineOnly(t, "SELECT * FROM blame.item WHERE sku = 1")
}

// TestOrderOfKeys sorts and cuts the rows of keys, by columns of every kind, with FOR UPDATE and without.
func TestOrderOfKeys(t *testing.T) {
	w := newTwins(t, goods...)
	for _, by := range []string{"sku", "title", "price", "weight", "sold", "added", "day", "code", "raw", "count", "shelf", "2"} {
		for _, direction := range []string{"", " DESC", " ASC NULLS FIRST", " DESC NULLS LAST"} {
			w.same(t, "SELECT sku, title, price, weight, sold, added, day, code, raw, tags, count, shelf FROM item WHERE sku = ANY($1) ORDER BY "+by+direction+", sku", "{1,2,3,4,-5,6,7}")
		}
	}
	w.same(t, "SELECT title AS t FROM item WHERE sku IN (1, 2, 3, 4) ORDER BY t DESC LIMIT 2 OFFSET 1")
	w.same(t, "SELECT title FROM item WHERE sku IN (1, 2, 3, 4) ORDER BY item.sku DESC LIMIT $1 OFFSET $2", "2", "1")
	w.same(t, "SELECT title FROM item WHERE sku IN (1, 2, 3, 4) ORDER BY sku LIMIT $1 OFFSET $2", null, null)
	w.same(t, "SELECT title FROM item WHERE sku IN (1, 2, 3, 4) ORDER BY sku FETCH FIRST ROW ONLY")
	w.same(t, "SELECT title FROM item WHERE sku IN (1, 2, 3, 4) ORDER BY sku LIMIT 0")
	w.same(t, "SELECT title FROM item WHERE sku IN (1, 2, 3, 4) ORDER BY sku OFFSET 17")
	w.same(t, "SELECT title FROM item WHERE sku = $1 LIMIT 21", "1") // Django's get
	w.same(t, "SELECT title FROM item WHERE sku = $1 FOR UPDATE", "1")
	w.same(t, "SELECT title FROM item AS i WHERE sku = $1 AND sku = 1 FOR SHARE OF i SKIP LOCKED", "1")
	w.same(t, "SELECT title FROM item WHERE sku = 1 AND sku = 2")
	for _, sql := range []string{
		"SELECT title FROM item WHERE sku = 1 ORDER BY tags::text", "SELECT title FROM item WHERE sku = 1 ORDER BY title || ''", "SELECT DISTINCT title FROM item WHERE sku = 1",
		"SELECT title FROM item WHERE sku = 1 ORDER BY sku FETCH FIRST ROW WITH TIES", "SELECT title FROM item WHERE sku = 1 LIMIT 1 + 1", "SELECT count(*) FROM item WHERE sku = 1",
	} {
		w.engineOnly(t, sql)
	}
	for _, sql := range []string{"SELECT title FROM item WHERE sku = 1 LIMIT $1", "SELECT title FROM item WHERE sku = 1 OFFSET $1"} {
		if _, err := ask(t, w.writer, sql, "-1"); err == nil || !strings.Contains(err.Error(), "negative") {
			t.Errorf("%s with -1: %v", sql, err)
		}
	}
}

// TestPlainExpressionsOverKeys computes outputs and conditions over the rows of keys.
func TestPlainExpressionsOverKeys(t *testing.T) {
	w := newTwins(t, goods...)
	for _, out := range []string{
		"1, sku", "'x', NULL, true, '1.5'::float8, sku", "1 AS a", "$2::text, title", "$2, title", "sku + 1, title || '!', coalesce(shelf, 'none'), weight * 2", "count::float8, sku::bigint, title::text",
		"sold IS NULL, sold AND true, price IS NOT NULL", "count > 3, title = 'one!'",
	} {
		args := []string{"{1,2,3,4,-5,6}"}
		if strings.Contains(out, "$2") {
			args = append(args, "text")
		}
		w.same(t, "SELECT "+out+" FROM item WHERE sku = ANY($1)", args...)
	}
	for _, where := range []string{
		"title = 'one!'", "title <> 'one!' AND count > 0", "sold", "NOT sold", "(shelf IS NULL OR shelf = 'a')", "count BETWEEN -3 AND 7", "count NOT BETWEEN 0 AND 6", "weight < 1",
		"shelf IN ('a', 'b')", "shelf NOT IN ('a', NULL)", "title > $2", "count = $2", "sku > 2", "sku + 1 = 3", "shelf IS DISTINCT FROM 'a'", "price IS NULL",
		"entity_key = '1'", "commit_id > 5", "coalesce(shelf, 'x') = 'x'", "tags IS NOT NULL",
		"added > '2024-02-29T12:00+01:00'", "added = '2024-02-29 12:00:00Z' AND day <> '2024-02-29 23:00:00-05'", "added < '9999-12-31 23:59:59.5+0200'", "added IS DISTINCT FROM '0001-01-01 00:00:00+00'::timestamptz",
		"price > $2", "price = 2.5", "price + 1 <> $2 + 2.5", "price IN (1.5, -0.001, $2)", "price BETWEEN 0 AND 123456789012.25", "coalesce(price, 0) <= count", "price IS DISTINCT FROM $2::numeric",
	} {
		args := []string{"{1,2,3,4,-5,6}"}
		if strings.Contains(where, "$2") {
			args = append(args, "1")
		}
		w.same(t, "SELECT * FROM item WHERE sku = ANY($1) AND "+where, args...)
	}
	for _, sql := range []string{
		"SELECT * FROM item WHERE sku = 1 OR title = 'x'", "SELECT upper(title) FROM item WHERE sku = 1", "SELECT * FROM item WHERE sku = 1 AND title LIKE 'x%'", "SELECT random() FROM item WHERE sku = 1",
		"SELECT (SELECT 1) FROM item WHERE sku = 1", "SELECT * FROM item WHERE sku = 1 AND EXISTS (SELECT 1)", "SELECT generate_series(1, 2) FROM item WHERE sku = 1", "SELECT item FROM item WHERE sku = 1",
	} {
		w.engineOnly(t, sql)
	}
	for _, condition := range []string{"added > '2024-02-29 12:00:00'", "added > '2024-02-29 12:00:00 Europe/Berlin'", "added > 'now'", "day < '2/3/2024'"} {
		w.engineOnly(t, "SELECT sku FROM item WHERE sku = 1 AND "+condition)
	}
	if _, err := ask(t, w.writer, "SELECT count + 1 FROM item WHERE sku = 4"); err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Errorf("the sum of the greatest bigint and 1: %v", err)
	}
}

// TestJoinsByKey joins rows whose keys other rows have, as object-relational mappers do.
func TestJoinsByKey(t *testing.T) {
	w := newTwins(t, goods...)
	for _, sql := range []string{
		"SELECT i.*, s.* FROM item i LEFT JOIN shelf s ON i.shelf = s.name WHERE i.sku = ANY($1)",
		"SELECT i.*, s.* FROM item i JOIN shelf s ON i.shelf = s.name WHERE i.sku = ANY($1)",
		"SELECT i.sku, s.name, b.sku, b.title FROM item i LEFT OUTER JOIN shelf s ON (i.shelf = s.name) LEFT OUTER JOIN item b ON (s.best = b.sku) WHERE i.sku = ANY($1) ORDER BY i.sku DESC LIMIT 21",
		"SELECT i.title, o.*, s.height FROM item i JOIN standson o ON o.left_key = i.sku JOIN shelf s ON s.name = o.right_key WHERE i.sku = ANY($1)",
		"SELECT o.slot, s.height, i.title FROM standson o JOIN shelf s ON o.right_key = s.name JOIN item i ON i.sku = o.left_key WHERE i.sku = ANY($1) AND s.height > 5",
		"SELECT o.slot, i.title FROM item i LEFT JOIN standson o ON i.sku = o.left_key AND o.right_key = 'a' WHERE i.sku = ANY($1) AND o.since IS NULL",
		"SELECT i.title, s.height FROM item i INNER JOIN shelf s ON i.shelf = s.name AND s.height IS NOT NULL WHERE i.sku = ANY($1)",
		"SELECT a.title, b.title FROM item FOR SYSTEM_TIME AS OF 3 a JOIN item b ON b.sku = a.sku WHERE a.sku = ANY($1)",
		"SELECT i.title, h.title, h.valid_to FROM item i LEFT JOIN history.item h ON h.sku = i.count WHERE i.sku = ANY($1)",
		"SELECT 1 AS one, i.sku + 1, coalesce(s.name, 'none') FROM item i LEFT JOIN shelf s ON i.shelf = s.name WHERE i.sku = ANY($1)",
		"SELECT i.sku, s.* FROM item i LEFT JOIN shelf s ON i.shelf = s.name WHERE i.sku = ANY($1) AND s.name = 'a'",
		"SELECT i.sku, c.changed_fields FROM item i LEFT JOIN changes.item c ON c.sku = i.count WHERE i.sku = ANY($1)",
		"SELECT * FROM item JOIN shelf ON shelf = name WHERE sku = ANY($1)",
		"SELECT title, height FROM item LEFT JOIN shelf ON name = shelf WHERE sku = ANY($1) ORDER BY sku",
		"SELECT sku, s.best, b.owner FROM item LEFT JOIN shelf s ON shelf = name LEFT JOIN badge b ON b.id = code WHERE sku = ANY($1)",
		"SELECT i.title, b.title FROM item i JOIN shelf ON shelf = name JOIN item b ON best = b.sku WHERE i.sku = ANY($1)",
		"SELECT i.title, height FROM item i JOIN shelf ON shelf = name AND height > 5 AND count IS NOT NULL WHERE sku = ANY($1)",
		"SELECT * FROM item JOIN history.item USING (sku) WHERE sku = ANY($1)",
		"SELECT sku, a.title, b.title, c.title FROM item a JOIN item b USING (sku) LEFT JOIN item FOR SYSTEM_TIME AS OF 4 AS c USING (sku) WHERE sku = ANY($1)",
		"SELECT left_key, right_key, a.slot, b.since FROM standson a JOIN standson b USING (left_key, right_key, slot) WHERE left_key = ANY($1) AND a.right_key IN ('a', 'b')",
		"SELECT title, x.height FROM item JOIN shelf AS x (shelf, height) USING (shelf) WHERE sku = ANY($1)",
		"SELECT j.sku FROM item a JOIN item b USING (sku) AS j WHERE a.sku = ANY($1)",
	} {
		for _, keys := range []string{"{1}", "{1,2,3,4,-5,6,7}", "{}", "{4}", "{3}"} {
			w.same(t, sql, keys)
		}
	}
	for _, sql := range []string{
		"SELECT * FROM item i RIGHT JOIN shelf s ON i.shelf = s.name WHERE i.sku = 1", "SELECT * FROM item i LEFT JOIN shelf s ON i.shelf = s.name AND s.height > 3 WHERE i.sku = 1",
		"SELECT * FROM item i JOIN shelf s ON s.best = i.sku WHERE i.sku = 1", "SELECT * FROM item i CROSS JOIN shelf s WHERE i.sku = 1", "SELECT * FROM item i JOIN shelf s ON i.title = s.name OR i.shelf = s.name WHERE i.sku = 1",
		"SELECT * FROM item i LEFT JOIN shelf s ON i.shelf = s.name WHERE s.name = 'a'",
	} {
		w.engineOnly(t, sql)
	}
}
