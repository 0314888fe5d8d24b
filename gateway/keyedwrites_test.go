package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/wire"
)

// writers are two houses with the same rows. The first finds the rows of writes by key in its row store,
// the second has none.
type writers struct {
	keyed, engine *pgconn.PgConn
	sessions      [2]wire.Session
}

// newWriters makes writers with two accounts and two counters.
func newWriters(t *testing.T) *writers {
	t.Helper()
	stands := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "StandsOn"}, Left: "Item", Right: "Shelf", InstanceKey: "slot", Fields: []format.SchemaField{
		format.NewField("slot", format.FieldStr, false), format.NewField("n", format.FieldInt, true),
	}}
	item := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, Fields: []format.SchemaField{keyField("sku", format.FieldInt)}}
	shelf := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Shelf"}, Fields: []format.SchemaField{keyField("name", format.FieldStr)}}
	badge := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Badge"}, Fields: []format.SchemaField{keyField("id", format.FieldUUID), format.NewField("owner", format.FieldStr, true)}}
	keyed, engine := openHouse(t, storeOf(t, item, shelf, stands, badge), true), openHouse(t, storeOf(t, item, shelf, stands, badge), false)
	w := &writers{sessions: [2]wire.Session{keyed.session(t, "onto"), engine.session(t, "onto")}}
	keyed.ending, engine.ending = true, true
	for _, s := range w.sessions {
		succeeds(t, s, accounts...)
		must(t, s, "INSERT INTO account (id, name, price, doc, code) VALUES ('k1', 'n', 1.5, '{}', 'abc'), ('k2', 'm', NULL, NULL, NULL)")
		must(t, s, "INSERT INTO counter VALUES (5, 5, NULL), (6, 6, 'six')")
	}
	for _, s := range w.sessions {
		must(t, s, "INSERT INTO item VALUES (1), (2)")
		must(t, s, "INSERT INTO shelf VALUES ('a'), ('b')")
		must(t, s, "INSERT INTO standson (left_key, right_key, slot, n) VALUES (1, 'a', 's1', 1), (1, 'a', 's2', 2), (1, 'b', 's1', NULL), (2, 'a', 's1', 4)")
		must(t, s, "INSERT INTO badge VALUES ('00000000-0000-0000-0000-000000000001', 'first'), ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', NULL)")
	}
	for _, sql := range []string{"SELECT * FROM account WHERE id = 'k1'", "SELECT * FROM counter WHERE n = 5", "SELECT n FROM standson WHERE left_key = 1", "SELECT owner FROM badge WHERE id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"} {
		inRowStore(t, w.sessions[0], sql)
	}
	w.keyed, w.engine = keyed.client(t).PgConn(), engine.client(t).PgConn()

	return w
}

// sameRows compares what is stored.
func (w *writers) sameRows(t *testing.T) {
	t.Helper()
	for of, key := range map[string]string{"account": "entity_key", "counter": "entity_key", "badge": "entity_key", "standson": "left_key, right_key, instance_key"} {
		sql := "SELECT commit_id, " + key + ", fields_json FROM history." + of + " ORDER BY commit_id, " + key
		if diff := cmp.Diff(must(t, w.sessions[1], sql), must(t, w.sessions[0], sql)); diff != "" {
			t.Errorf("%s (-engine +row store):\n%s", sql, diff)
		}
	}
}

// parameter is an argument in one of its forms.
type parameter struct {
	oid    uint32
	value  []byte // nil for NULL
	format int16
}

// parameters are the forms of an argument of a type: text, and binary where it has one. null is NULL.
func parametersOf(t *testing.T, oid uint32, text string) []parameter {
	t.Helper()
	if text == null {
		return []parameter{{oid: oid}}
	}
	forms := []parameter{{oid, []byte(text), pgtype.TextFormatCode}}
	m := pgtype.NewMap()
	of, _ := m.TypeForOID(oid)
	if of == nil {
		return forms
	}
	if value, err := of.Codec.DecodeValue(m, oid, pgtype.TextFormatCode, []byte(text)); err == nil {
		if binary, err := m.Encode(oid, pgtype.BinaryFormatCode, value, nil); err == nil && oid != types.JSON && oid != types.JSONB {
			return append(forms, parameter{oid, binary, pgtype.BinaryFormatCode})
		}
	}
	switch oid {
	case types.JSON:
		return append(forms, parameter{oid, []byte(text), pgtype.BinaryFormatCode})
	case types.JSONB:
		return append(forms, parameter{oid, append([]byte{1}, text...), pgtype.BinaryFormatCode})
	}
	return forms
}

// same runs a statement in both houses, for results in text and in binary form, and compares what they send. It
// returns the last error.
func (w *writers) same(t *testing.T, sql string, args ...parameter) error {
	t.Helper()
	var values [][]byte
	var oids []uint32
	var formats []int16
	for _, a := range args {
		values, oids, formats = append(values, a.value), append(oids, a.oid), append(formats, a.format)
	}
	var failed error
	for _, format := range []int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode} {
		var answers [2]string
		for i, conn := range []*pgconn.PgConn{w.keyed, w.engine} {
			r := conn.ExecParams(t.Context(), sql, values, oids, formats, []int16{format}).Read()
			failed = r.Err
			rows := make([]string, len(r.Rows))
			for k, row := range r.Rows {
				rows[k] = fmt.Sprintf("%q", row)
			}
			slices.Sort(rows)
			answers[i] = fmt.Sprintf("%s\n%+v\n%s\n%+v", rows, r.FieldDescriptions, r.CommandTag, r.Err)
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %q, format %d:\n%s\nengine's:\n%s", sql, values, format, shortened(answers[0]), shortened(answers[1]))
		}
	}
	return failed
}

func shortened(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "..."
	}
	return s
}

// byKey checks whether a write finds its rows in the row store.
func (w *writers) byKey(t *testing.T, want bool, sql string, args ...parameter) {
	t.Helper()
	var values [][]byte
	var oids []uint32
	var formats []int16
	for _, a := range args {
		values, oids, formats = append(values, a.value), append(oids, a.oid), append(formats, a.format)
	}
	r := w.keyed.ExecParams(t.Context(), "EXPLAIN "+sql, values, oids, formats, nil).Read()
	var plan strings.Builder
	for _, row := range r.Rows {
		plan.Write(append(row[0], '\n'))
	}
	if got := strings.Contains(plan.String(), "Point: row store"); r.Err != nil || got != want && !rowStoreIsOff() {
		t.Errorf("%s: row store %v, want %v: %v\n%s", sql, got, want, r.Err, plan.String())
	}
}

// TestNumbersOfWritesByKey writes numerics: parameters, constants, sums, and what does not fit.
func TestNumbersOfWritesByKey(t *testing.T) {
	w := newWriters(t)
	defer w.sameRows(t)
	for _, oid := range []uint32{0, types.Numeric} {
		for _, sql := range []string{
			"UPDATE account SET price = $1 WHERE id = 'k1' RETURNING price, fields_json",
			"UPDATE account SET price = price + $1 WHERE id = 'k1' RETURNING *",
			"UPDATE account SET price = coalesce(price, 0) - $1 WHERE id = 'k1' AND (price IS NULL OR price <> $1) RETURNING price",
			"INSERT INTO account (id, name, price) VALUES ('k1', 'n', $1) ON CONFLICT (id) DO UPDATE SET price = excluded.price, name = 'w' WHERE account.price IS NULL OR account.price <> excluded.price RETURNING price, name",
		} {
			w.byKey(t, true, sql, parameter{oid: oid, value: []byte("1.5")})
			for _, text := range []string{
				"0", "1.5", "-1.50", "1.005", "-0.005", "0.0049999", "1e3", " +7. ", "99999999.99", "99999999.994", "99999999.995", "-99999999.995", "100000000", "1.123456789012",
				"1.1234567890125", "0.00499999999999999999", "12345678901234567890123456", "123456789012345678901234567", "1e30", "NaN", "Infinity", "x", "", "1.2.3", null, strings.Repeat("9", 1000),
			} {
				for _, p := range parametersOf(t, oid, text) {
					_ = w.same(t, sql, p)
				}
			}
		}
	}
	for _, value := range []string{"1.25", "-1.255", "7", "5000000000", "'2.5'", "'2.005'", "NULL", "price", "price + 1", "price - 0.005", "coalesce(price, hits, 1.5)", "price + hits", "99999999.999", "0.001", "'x'"} {
		_ = w.same(t, "UPDATE account SET price = "+value+", hits = 3 WHERE id = 'k1' RETURNING price")
	}
	for _, sql := range []string{"UPDATE account SET price = price * 2 WHERE id = 'k1'", "UPDATE account SET name = name WHERE id = 'k1' RETURNING price + 1", "UPDATE account SET price = score WHERE id = 'k1'"} {
		w.byKey(t, false, sql)
		_ = w.same(t, sql)
	}
}

// TestDocumentsOfWritesByKey writes documents as json and jsonb, and texts of a length.
func TestDocumentsOfWritesByKey(t *testing.T) {
	w := newWriters(t)
	defer w.sameRows(t)
	long := `{"a": "` + strings.Repeat("ä", 1<<20) + `"}`
	for _, oid := range []uint32{0, types.JSONB, types.JSON} {
		for _, sql := range []string{
			"UPDATE account SET doc = $1 WHERE id = 'k1' RETURNING doc, doc IS NULL, fields_json",
			"INSERT INTO account (id, name, doc) VALUES ('k2', 'n', $1) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc RETURNING *",
		} {
			w.byKey(t, true, sql, parameter{oid: oid, value: []byte("{}")})
			for _, text := range []string{
				"{}", `{"a": 1}`, ` [1, 2.50, 1e2, -0, 1.0, 1E400, 123456789012345678901234567890] `, "null", " null\n", "true", `"x"`, `{"b": 1, "a": 2, "b": null}`, `{"a": {"a": [{}, []]}}`,
				`"\u00e9\ud83d\ude00\/"`, `"\u0000"`, `"\ud800"`, "{", "", "nul", "{'a': 1}", `{"a": 01}`, `[NaN]`, "\"\xff\"", null, strings.Repeat("[", 700) + strings.Repeat("]", 700),
			} {
				for _, p := range parametersOf(t, oid, text) {
					_ = w.same(t, sql, p)
				}
			}
		}
	}
	_ = w.same(t, "UPDATE account SET doc = $1 WHERE id = 'k1' RETURNING doc", parameter{oid: types.JSONB, value: []byte(long)})
	for _, value := range []string{`'{"b": 1, "a": [1.50]}'`, "'null'", "NULL", "doc", "'{'", `'{"a": 1, "a": 2}'`, `'[1]'::json`} {
		_ = w.same(t, "UPDATE account SET doc = "+value+" WHERE id = 'k1' RETURNING doc, fields_json")
	}
	for _, sql := range []string{"UPDATE account SET doc = $1::text::jsonb WHERE id = 'k1'", "UPDATE account SET doc = doc || $1 WHERE id = 'k1'", "UPDATE account SET name = 'n' WHERE id = 'k1' RETURNING $1::jsonb"} {
		w.byKey(t, false, sql, parameter{value: []byte(`{"c": 1}`)})
		_ = w.same(t, sql, parameter{value: []byte(`{"c": 1}`)})
	}
	fits := "UPDATE account SET code = $1, note = $1 WHERE id = 'k1' RETURNING code, note"
	w.byKey(t, true, fits, parameter{value: []byte("x")})
	for _, text := range []string{"", "abcde", "äöüßé", "abcdef", "abcde   ", "abc   x", null, strings.Repeat("x", 1<<20)} {
		_ = w.same(t, fits, parametersOf(t, 0, text)[0])
	}
}

// TestUpdatesOfManyKeys updates rows by several keys at once.
func TestUpdatesOfManyKeys(t *testing.T) {
	w := newWriters(t)
	defer w.sameRows(t)
	for sql, arrays := range map[string][]string{
		"UPDATE account SET hits = coalesce(hits, 0) + 1 WHERE id = ANY($1) RETURNING *":                                                            {"{k1,k2}", "{k2,k2,none,k1,NULL}", "{}", "{NULL}", null, "{{k1},{k2}}", "{k1", "{" + strings.Repeat("k", 1<<20) + ",k1}"},
		"UPDATE account SET note = 'x' || id WHERE id IN ($1, 'k2', NULL) AND name <> 'o'":                                                          {"k1", "k2", "", null},
		"UPDATE account SET active = NOT active WHERE id = ANY($1::text[]) AND entity_key = ANY('{k2,k3}') RETURNING id":                            {"{k1,k2}"},
		"UPDATE account SET hits = hits + 9223372036854775800 WHERE id = ANY($1)":                                                                   {"{k1,k2}"},
		"UPDATE counter SET at = at + 1, label = label WHERE n = ANY($1) RETURNING n, at, fields_json":                                              {"{5,6}", "{6, 05, 7}", "{9223372036854775808}", "{5.5}", "{x}", null},
		"UPDATE counter SET at = at WHERE n IN (5, $1)":                                                                                             {"6", "5", "99999999999999999999", "x", null},
		"UPDATE standson SET n = n + 1 WHERE left_key = ANY($1) AND right_key IN ('a', 'b') AND slot = 's1' RETURNING left_key, right_key, slot, n": {"{1,2}", "{2}", "{}"},
		"UPDATE standson SET n = 0 WHERE left_key = 1 AND right_key = $1 AND slot IN ('s1', 's2')":                                                  {"a", "c", null},
		"UPDATE badge SET owner = 'o' WHERE id = ANY($1) RETURNING id":                                                                              {"{A0EEBC999C0B4EF8BB6D6BB9BD380A11,00000000-0000-0000-0000-000000000001}", "{x}", "{}"},
		"UPDATE badge SET owner = $1 WHERE id = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'":                                                             {"p", null},
		"INSERT INTO badge VALUES ($1, 'i') ON CONFLICT (id) DO UPDATE SET owner = badge.owner || excluded.owner RETURNING *":                       {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000002", null, "x"},
	} {
		if !strings.Contains(sql, "9223372036854775800") {
			w.byKey(t, true, sql, parameter{value: []byte(arrays[0])})
		}
		for _, array := range arrays {
			p := parameter{value: []byte(array)}
			if array == null {
				p.value = nil
			}
			_ = w.same(t, sql, p)
		}
	}
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprintf("k%d", i)
	}
	all := parameter{value: []byte("{" + strings.Join(many, ",") + "}")}
	for _, sql := range []string{
		"UPDATE account SET hits = 1 WHERE id = ANY($1)", "UPDATE standson SET n = 1 WHERE left_key = ANY('{1,2}') AND right_key = $1", "UPDATE account SET hits = 1 WHERE id > ANY($1)",
		"UPDATE account SET hits = 1 WHERE id = ANY($1) OR name = 'n'", "UPDATE account SET hits = 2 FROM counter WHERE id = ANY($1) AND n = 5",
	} {
		w.byKey(t, false, sql, all)
		_ = w.same(t, sql, all)
	}
	_ = w.same(t, "DELETE FROM account WHERE id = ANY($1)", all)
}
