package gateway_test

import (
	"fmt"
	"slices"
	"strconv"
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
			answers[i], failed = sent(conn.ExecParams(t.Context(), sql, values, oids, formats, []int16{format}).Read())
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %q, format %d:\n%s\nengine's:\n%s", sql, values, format, shortened(answers[0]), shortened(answers[1]))
		}
	}
	return failed
}

// sent prints what a client is sent, with the rows in some order.
func sent(r *pgconn.Result) (string, error) {
	rows := make([]string, len(r.Rows))
	for k, row := range r.Rows {
		rows[k] = fmt.Sprintf("%q", row)
	}
	slices.Sort(rows)
	return fmt.Sprintf("%s\n%+v\n%s\n%+v", rows, r.FieldDescriptions, r.CommandTag, r.Err), r.Err
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

// TestSecondWriteOfAKey writes the same keys several times in one transaction: each statement sees what the
// one before it has staged, but for what was rolled back.
func TestSecondWriteOfAKey(t *testing.T) {
	w := newWriters(t)
	defer w.sameRows(t)
	run := func(sql string, args ...string) error {
		t.Helper()
		values := make([][]byte, len(args))
		for i, a := range args {
			values[i] = []byte(a)
		}
		var answers [2]string
		var err error
		for i, conn := range []*pgconn.PgConn{w.keyed, w.engine} {
			answers[i], err = sent(conn.ExecParams(t.Context(), sql, values, nil, nil, nil).Read())
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %q: %s\nengine's: %s", sql, args, answers[0], answers[1])
		}
		return err
	}
	hits := "UPDATE account SET hits = coalesce(hits, 0) + 1, price = coalesce(price, 0) + 0.5 WHERE id = ANY($1) RETURNING *"
	upsert := "INSERT INTO account (id, name, hits) VALUES ($1, 'up', 1) ON CONFLICT (id) DO UPDATE SET hits = account.hits + excluded.hits, name = excluded.name || account.name RETURNING id, name, hits, fields_json"
	for _, end := range []string{"COMMIT", "ROLLBACK", "COMMIT"} {
		_ = run("BEGIN")
		_ = run(hits, "{k1,k2}")
		w.byKey(t, true, "UPDATE account SET hits = 5 WHERE id = 'k1'")
		_ = run(hits, "{k2,k1,new}")
		_ = run(upsert, "new")
		_ = run(upsert, "new")
		_ = run("SAVEPOINT a")
		_ = run("UPDATE account SET name = 'away', doc = '{\"a\": [1, 2]}' WHERE id = 'new' AND hits = 2 RETURNING *")
		_ = run("UPDATE account SET name = name || '!', doc = doc WHERE id = 'new' AND name = 'away' RETURNING *")
		_ = run("ROLLBACK TO a")
		_ = run("UPDATE account SET name = name || '?' WHERE id = 'new' AND name <> 'away' RETURNING *")
		_ = run("INSERT INTO account (id, name) VALUES ('new', 'x') ON CONFLICT DO NOTHING RETURNING id")
		_ = run("UPDATE account SET doc = '{\"a\": 1.50}' WHERE id = 'new'") // which the engine may spell in another way
		_ = run("UPDATE account SET note = NULL WHERE id = 'new' RETURNING doc, fields_json")
		_ = run("UPDATE account SET hits = hits WHERE id = 'k1' RETURNING hits")
		_ = run("SAVEPOINT b")
		if err := run("INSERT INTO account (id, name) VALUES ('other', 'x'), ('new', 'x')"); err == nil {
			t.Error("an identity of the transaction was inserted again")
		}
		_ = run("ROLLBACK TO b")
		_ = run(upsert, "other")
		_ = run("SELECT * FROM account ORDER BY id") // whose engine reads the staged rows
		_ = run(hits, "{k1,new,other}")
		_ = run(hits, "{k1,new,other}")
		_ = run("UPDATE standson SET n = coalesce(n, 0) + 1 WHERE left_key = 1 AND right_key = ANY($1) AND slot = 's1' RETURNING *", "{a,b}")
		_ = run("UPDATE standson SET n = n + 1 WHERE left_key = 1 AND right_key = ANY($1) AND slot = 's1' RETURNING *", "{a,b}")
		_ = run("UPDATE account SET hits = 9223372036854775807 WHERE id = 'k2'")
		_ = run("SAVEPOINT c")
		if err := run("UPDATE account SET hits = hits + 1 WHERE id = 'k2'"); err == nil || !strings.Contains(err.Error(), "22003") {
			t.Errorf("the sum of the greatest bigint and 1: %v", err)
		}
		_ = run("ROLLBACK TO c")
		_ = run("UPDATE account SET hits = NULL WHERE id = 'k2' RETURNING hits")
		_ = run(end)
		w.sameRows(t)
	}
	const twice = 2 // upserts of a row that the first transaction has inserted
	computed := must(t, w.sessions[0], "SELECT count(*) FROM ontosql.statements WHERE source = 'row store' AND query LIKE 'INSERT INTO account (id, name, hits)%'")[0]
	if n, err := strconv.Atoi(computed); err != nil || n < twice && !rowStoreIsOff() {
		t.Errorf("%s upserts were computed with the row store, want %d at least: %v", computed, twice, err)
	}
}

// TestZonesOfWritesByKey writes times with and without an offset from UTC in another time zone than UTC.
func TestZonesOfWritesByKey(t *testing.T) {
	w := newWriters(t)
	defer w.sameRows(t)
	_ = w.same(t, "SET TimeZone = 'America/New_York'")
	for _, time := range []string{"2026-01-02 03:04:05", "2026-07-02", "2026-07-02 03:04:05+02", "2026-07-02T03:04Z", "2026-07-02 03:04:05 Europe/Berlin", "infinity", "2026-03-08 02:30"} {
		_ = w.same(t, "UPDATE account SET seen = '"+time+"', born = '2026-07-02 23:00-07' WHERE id = 'k1' RETURNING seen, born, fields_json")
		_ = w.same(t, "UPDATE account SET hits = 1 WHERE id = 'k1' AND seen = '"+time+"' RETURNING seen")
		for _, p := range parametersOf(t, types.TimestampTZ, time) {
			_ = w.same(t, "UPDATE account SET seen = $1 WHERE id = 'k2' RETURNING seen, fields_json", p)
			_ = w.same(t, "UPDATE account SET hits = coalesce(hits, 0) + 1 WHERE id = 'k2' AND seen = $1 RETURNING hits, seen", p)
			_ = w.same(t, "SELECT id, seen FROM account WHERE id = 'k2' AND seen >= $1", p)
		}
	}
}
