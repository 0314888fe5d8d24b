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
	if points := strings.Count(plan.String(), "Point: row store"); explained.Err != nil || points == 0 || points != strings.Count(plan.String(), "->") {
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
