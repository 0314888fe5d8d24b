package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/typedquery"
)

// TestQueryComparesAsSQLite asks SQLite for the meaning of every operator over values of every kind,
// in a document and in columns (COMPAT 6.4).
func TestQueryComparesAsSQLite(t *testing.T) {
	rows := []string{
		`{"j":null}`, `{"j":1,"n":1,"f":1.0,"b":true,"s":"1"}`, `{"j":1.5,"n":10,"f":1.5}`, `{"j":10.0,"n":-3,"f":-0.0}`, `{"j":-3}`, `{"j":true,"b":true,"s":"true"}`,
		`{"j":false,"b":false,"s":""}`, `{"j":"","s":"a"}`, `{"j":"a","s":"b'c"}`, `{"j":"b'c"}`, `{"j":"1"}`, `{"j":"Ä","s":"Ä"}`, `{"j":[1,"a"]}`, `{"j":{"a":1}}`,
		`{"j":{"a":{"b":5}}}`, `{"j":{"a":{"b":"x"}}}`, `{"j":9007199254740993,"n":9007199254740993,"f":1e300}`,
		`{"j":{"null":5,"NULL":"x"}}`, `{"j":{"Null":{"null":1}}}`,
	}
	operands := []string{`1`, `1.5`, `-3`, `true`, `"1"`, `""`, `"b'c"`, `"Ä"`, `5`, `9007199254740992`}
	filters := []string{`$.j.null eq 5`, `$.j.NULL eq "x"`, `$.j.Null.null eq 1`, `$.j.null is_null`, `$.j is_null`, `$.n is_null`, `$.j.a.b is_null`, `$.s.x is_null`, `$.j in []`, `$.j in [1, "a", null]`, `$.j eq "[1,\"a\"]"`, `$.j ne "{\"a\":1}"`, `$.missing eq 1`, `$.missing ne "x"`, `$.missing is_null`, `$.s in ["1", 2]`, `$.f in [1, true, 1.5]`, `$.b in [1]`}
	for _, path := range []string{"$.j", "$.j.a.b", "$.n", "$.f", "$.b", "$.s"} {
		for op := range sqliteOperators {
			for _, operand := range operands {
				filters = append(filters, path+" "+op+" "+operand)
			}
		}
	}
	flags := oddDir(t, `CREATE TABLE v (id bigint PRIMARY KEY, j jsonb, n bigint, f double precision, b boolean, s text)`)
	var lines strings.Builder
	conn, err := lite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, `CREATE TABLE v (id INTEGER PRIMARY KEY, fields_json TEXT)`, nil); err != nil {
		t.Fatal(err)
	}
	for i, fields := range rows {
		full := map[string]json.RawMessage{"j": json.RawMessage("null"), "n": json.RawMessage("null"), "f": json.RawMessage("null"), "b": json.RawMessage("null"), "s": json.RawMessage("null")}
		maps.Copy(full, decoded[map[string]json.RawMessage](t, fields))
		full["id"] = json.RawMessage(fmt.Sprint(i))
		text, err := json.Marshal(full)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, `{"type_kind":"entity","type_name":"v","fields":%s}`+"\n", text)
		if err := sqlitex.Execute(conn, `INSERT INTO v VALUES (?, ?)`, &sqlitex.ExecOptions{Args: []any{i, fields}}); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, problem := command(t, withFlags("import --apply --input "+file(t, "v.jsonl", lines.String()), flags...)...); code != exitOK {
		t.Fatal(problem)
	}
	ask := askKeys(t, flags, "v")
	for _, filter := range filters {
		if got, want := ask(filter), keysInSQLite(t, conn, filter); !slices.Equal(got, want) {
			t.Errorf("%s: got rows %v, SQLite has %v", filter, got, want)
		}
	}
	if got := ask(`$.j eq {"a": 1.0}`); !slices.Equal(got, []string{"13"}) {
		t.Errorf("a document, which the original cannot be asked for: %v", got)
	}
}

var sqliteOperators = map[string]string{"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}

// keysInSQLite are the keys of the rows of which a filter holds.
func keysInSQLite(t *testing.T, conn *lite.Conn, filter string) (keys []string) {
	t.Helper()
	parts := strings.SplitN(filter, " ", 3)
	where, args := "json_extract(fields_json, ?) ", []any{parts[0]}
	bind := func(v any) {
		if b, ok := v.(bool); ok {
			v = map[bool]int{true: 1}[b]
		}
		if n, ok := v.(json.Number); ok {
			v, _ = n.Float64()
			if whole, err := n.Int64(); err == nil {
				v = whole
			}
		}
		args = append(args, v)
	}
	var operand any
	if len(parts) == 3 {
		d := json.NewDecoder(strings.NewReader(parts[2]))
		d.UseNumber()
		if err := d.Decode(&operand); err != nil {
			t.Fatal(err)
		}
	}
	switch parts[1] {
	case "is_null":
		where += "IS NULL"
	case "in":
		list := operand.([]any)
		where += "IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(list)), ", ") + ")"
		for _, v := range list {
			bind(v)
		}
	default:
		where += sqliteOperators[parts[1]] + " ?"
		bind(operand)
	}
	err := sqlitex.Execute(conn, "SELECT CAST(id AS TEXT) AS key FROM v WHERE "+where+" ORDER BY key", &sqlitex.ExecOptions{
		Args: args,
		ResultFunc: func(stmt *lite.Stmt) error {
			keys = append(keys, stmt.ColumnText(0))
			return nil
		},
	})
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	return keys
}

// askKeys gives a function that asks, in one gateway, for the keys of the entities of which a filter holds.
func askKeys(t *testing.T, flags []string, typ string) func(filter string) []string {
	t.Helper()
	p := &program{out: io.Discard, err: io.Discard, log: slog.New(slog.DiscardHandler)}
	root := p.command()
	if err := root.ParseFlags(flags); err != nil {
		t.Fatal(err)
	}
	if err := p.cfg.fill(root); err != nil {
		t.Fatal(err)
	}
	a, err := p.cfg.oneAddress()
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.openSole(t.Context(), a, gatewayUse{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.close(context.Background()) })
	pin, err := g.stores[0].Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, _ := pin.Catalog.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: typ})
	target := typedquery.NewTarget(found, []string{})
	return func(filter string) (keys []string) {
		t.Helper()
		filters, err := typedquery.ParseFilters([]string{filter})
		if err != nil {
			t.Fatal(err)
		}
		query := typedquery.Rows{Target: target, Filters: filters, Limit: -1}
		sql, err := query.SQL(pin.Catalog)
		if err != nil {
			t.Fatal(err)
		}
		err = p.overPipe(t.Context(), g, "", func(conn *pgconn.PgConn) error {
			return each(t.Context(), conn, sql, func(r *pgconn.ResultReader) error {
				return eachRow(r, func(values [][]byte) error {
					row, err := target.Read(values[0])
					if err == nil {
						keys = append(keys, row.Key)
					}
					return err
				})
			})
		})
		if err != nil {
			t.Fatalf("%s: %v\n%s", filter, err, sql)
		}
		return keys
	}
}

// TestQueryShowsWhatIsStored: values have the form that they are stored in, and are compared in it,
// but for numerics, which are stored as texts and compared as numbers.
func TestQueryShowsWhatIsStored(t *testing.T) {
	flags := oddDir(t, `CREATE TABLE every (id uuid PRIMARY KEY, f double precision, b boolean, d date, t timestamptz, n numeric(6,2), w numeric(40,0), x bytea, s varchar(3), j jsonb, "Odd name" text, old bigint)`,
		`INSERT INTO every VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '-0', true, '2026-02-10', '2026-02-10 12:00+02', 12.5, 1234567890123456789012345678901234567890, '\x010203', 'abc', '{"b":[1,2.0],"a":null}', 'q', 5)`,
		`ALTER TABLE every RENAME old TO fresh`)
	out := t.TempDir()
	if code, _, problem := command(t, withFlags("export --output "+out, flags...)...); code != exitOK {
		t.Fatal(problem)
	}
	want := decoded[struct {
		Fields map[string]any `json:"fields"`
	}](t, exportedFiles(t, out)["every"]).Fields
	_, shown, _ := command(t, withFlags("query entities every --json", flags...)...)
	got := decoded[[]map[string]any](t, shown)
	want["key"], want["commit_id"] = want["id"], 3.0
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("query shows %v, stored is %v", got, want)
	}
	if !strings.Contains(shown, `"f": -0.0`) {
		t.Errorf("a float without its sign or point: %s", shown)
	}
	ask := askKeys(t, flags, "every")
	for filter, there := range map[string]bool{
		`$.id eq "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`: true, `$.d gt "2026-01-01"`: true, `$.t eq "2026-02-10T10:00:00.000000+00:00"`: true,
		`$.x eq "AQID"`: true, `$.fresh eq 5`: true, `$.old eq 5`: false, `$.n eq 12.5`: true, `$.n eq "12.50"`: true, `$.n gt 13`: false,
		`$.n in ["12.5", 3]`: true, `$.n lt "abc"`: true, `$.n gt "abc"`: false, `$.n eq "true"`: false, `$.n ne "x"`: true,
		`$.w gt 1234567890123456789012345678901234567889`: true, `$.w gt 1234567890123456789012345678901234567890`: false, `$.w is_null`: false,
	} {
		if got := len(ask(filter)) == 1; got != there {
			t.Errorf("%s: found %t, want %t", filter, got, there)
		}
	}
}
