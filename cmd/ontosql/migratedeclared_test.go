package main

import (
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

const (
	declaredBefore = `
CREATE TABLE item (id bigint PRIMARY KEY, title varchar(10), price bigint DEFAULT 3, size numeric(6,2), doc jsonb, seen date DEFAULT '2026-01-02');
COMMENT ON TABLE item IS 'what is sold';
COMMENT ON COLUMN item.title IS 'its name';
CREATE TABLE likes (left_key bigint REFERENCES item, right_key bigint REFERENCES item, PRIMARY KEY (left_key, right_key));
INSERT INTO item (id, title, size, doc) VALUES (1, 'one', 1.25, '{}'), (2, 'two', 2, '[]')`
	declaredAfter = `
CREATE TABLE item (id bigint PRIMARY KEY, title varchar(20), price bigint DEFAULT 4, size numeric(6,1), doc jsonb NOT NULL, seen date);
COMMENT ON COLUMN item.price IS 'in cents';
CREATE TABLE likes (left_key bigint REFERENCES item, right_key bigint REFERENCES item, PRIMARY KEY (left_key, right_key));
COMMENT ON COLUMN likes.left_key IS 'who likes'`
	showDeclared = `SELECT attname, pg_get_expr(adbin, adrelid) AS def, format_type(atttypid, atttypmod) AS typ, attnotnull, col_description(attrelid, attnum) AS said
FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = 'item'::regclass AND attnum > 0 ORDER BY attnum`
)

// declaredStore is a store with the types of declaredBefore, and what asks it.
func declaredStore(t *testing.T) (path string, flags []string, query func(sql string) string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path = t.TempDir()
	flags = []string{"--storage-uri", path}
	query = func(sql string) string {
		t.Helper()
		code, out, problem := command(t, append([]string{"sql", "--format", "csv", "-c", sql}, flags...)...)
		if code != exitOK {
			t.Fatalf("%s: exit %d, %s", sql, code, problem)
		}
		return out
	}
	if code, _, problem := command(t, withFlags("init", flags...)...); code != exitOK {
		t.Fatal(problem)
	}
	query(declaredBefore)
	return path, flags, query
}

// TestMigrateDeclared: a file of SQL is all that is declared of its types. What it
// says otherwise than the store, and what it does not say any more, is in the plan
// and in one commit, which makes no schema version.
func TestMigrateDeclared(t *testing.T) {
	path, flags, query := declaredStore(t)
	schema := file(t, "s.sql", declaredAfter)
	plan := func(file string) (p migrationPlan) {
		t.Helper()
		code, out, problem := command(t, withFlags("migrate --json --schema "+file, flags...)...)
		if code != exitOK || problem != "" {
			t.Fatalf("plan: exit %d, %s", code, problem)
		}
		return decoded[migrationPlan](t, out)
	}
	got := plan(schema)
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	want := []shownDiff{
		{Kind: "entity", Name: "item", Stored: 1, Changed: map[string]json.RawMessage{
			"__comment__": raw(`{"stored":{"comment":"what is sold"},"code":{"comment":null}}`),
			"title":       raw(`{"stored":{"comment":"its name","type":"character varying(10)"},"code":{"comment":null,"type":"character varying(20)"}}`),
			"price":       raw(`{"stored":{"comment":null,"default":"3"},"code":{"comment":"in cents","default":"4"}}`),
			"size":        raw(`{"stored":{"type":"numeric(6,2)"},"code":{"type":"numeric(6,1)"}}`),
			"doc":         raw(`{"stored":{"not_null":false},"code":{"not_null":true}}`),
			"seen":        raw(`{"stored":{"default":"'2026-01-02'::date"},"code":{"default":null}}`),
		}},
		{Kind: "relation", Name: "likes", Stored: 1, Changed: map[string]json.RawMessage{
			"left_key": raw(`{"stored":{"comment":null},"code":{"comment":"who likes"}}`),
		}},
	}
	compact := gocmp.Transformer("value", func(m json.RawMessage) (v any) { _ = json.Unmarshal(m, &v); return v })
	if diff := gocmp.Diff(want, got.Declared, compact); diff != "" || len(got.Diffs)+len(got.SchemaOnly) > 0 || !got.HasChanges {
		t.Errorf("the plan has changes: %t, schemas: %+v, what is declared (-want +got):\n%s", got.HasChanges, got.Diffs, diff)
	}
	other := plan(file(t, "t.sql", strings.Replace(declaredAfter, "DEFAULT 4", "DEFAULT 5", 1)))
	if got.Token == "" || other.Token == got.Token {
		t.Errorf("the tokens of two plans at one head are %q and %q", got.Token, other.Token)
	}
	if code, _, problem := command(t, withFlags("migrate --apply --schema "+schema+" --token "+other.Token, flags...)...); code != exitExecution || !strings.Contains(problem, "hint: --dry-run") {
		t.Errorf("with the token of another file: exit %d, %s", code, problem)
	}
	if _, out, _ := command(t, withFlags("migrate --schema "+schema, flags...)...); !strings.Contains(out, "\n  entity 'item' (v1), declared:\n    ~ __comment__: {") || !strings.Contains(out, "--apply --token "+got.Token) {
		t.Errorf("the plan for people:\n%s", out)
	}

	head := headOf(t, path).CommitID
	code, out, problem := command(t, withFlags("migrate --json --apply --schema "+schema+" --token "+got.Token, flags...)...)
	if code != exitOK || problem != "" {
		t.Fatalf("apply: exit %d, %s", code, problem)
	}
	done := decoded[migrated](t, out)
	done.Duration = 0
	if diff := gocmp.Diff(migrated{Success: true, Types: []string{}, Declared: []string{"item", "likes"}, Rows: map[string]int64{"item": 1}, Versions: map[string]int64{}}, done); diff != "" {
		t.Errorf("the answer (-want +got):\n%s", diff)
	}
	if now := headOf(t, path).CommitID; now != head+1 {
		t.Errorf("the head went from commit %d to %d", head, now)
	}
	if got := query(showDeclared); got != `attname,def,typ,attnotnull,said
id,,bigint,t,
title,,character varying(20),f,
price,4,bigint,f,in cents
size,,"numeric(6,1)",f,
doc,,jsonb,t,
seen,,date,f,
` {
		t.Errorf("the columns are\n%s", got)
	}
	if got := query("SELECT obj_description('item'::regclass), col_description('likes'::regclass, 1); SELECT id, size FROM item ORDER BY id; SELECT max(schema_version_id) FROM ontosql.schema_versions"); got != "obj_description,col_description\n,who likes\nid,size\n1,1.3\n2,2.0\nmax\n1\n" {
		t.Errorf("comments, sizes and the last schema version are\n%s", got)
	}
	checkAtRest(t, path)
	asOriginal(t, path)

	_, exported, _ := command(t, withFlags("schema export", flags...)...)
	for _, again := range []string{schema, file(t, "s.json", exported)} { // JSON has no place for it, and leaves it as it is
		if code, out, problem := command(t, withFlags("migrate --schema "+again, flags...)...); code != exitOK || out != "No schema changes detected.\n" {
			t.Errorf("once more: exit %d, %s%s", code, out, problem)
		}
	}
}

// TestMigrateDeclaredFails: rows that what is declared does not fit are named, and
// nothing is declared.
func TestMigrateDeclaredFails(t *testing.T) {
	path, flags, query := declaredStore(t)
	before, head := query(showDeclared), headOf(t, path).CommitID
	for _, c := range []struct{ from, to, says string }{
		{"title varchar(10)", "title varchar(2)", "value too long for type character varying(2): Key (id)=(1)"},
		{"size numeric(6,2)", "size numeric(2,2)", "numeric field overflow: Key (id)=(1)"},
		{"DEFAULT 3", "DEFAULT 3, more text NOT NULL", "missing upgraders: item"},
		{"doc jsonb", "doc jsonb NOT NULL CHECK (true)", "is not supported"},
	} {
		text := strings.Replace(declaredBefore[:strings.Index(declaredBefore, "INSERT")], c.from, c.to, 1)
		code, out, problem := command(t, withFlags("migrate --apply --force --schema "+file(t, "s.sql", text), flags...)...)
		if code != exitExecution && code != exitGeneral || out != "" || !strings.Contains(problem, c.says) {
			t.Errorf("%s: exit %d, %s%s; want %q", c.to, code, out, problem, c.says)
		}
	}
	query("INSERT INTO item (id) VALUES (3)")
	text := strings.Replace(declaredBefore[:strings.Index(declaredBefore, "INSERT")], "doc jsonb", "doc jsonb NOT NULL", 1)
	if code, _, problem := command(t, withFlags("migrate --apply --force --schema "+file(t, "s.sql", text), flags...)...); code != exitExecution || !strings.Contains(problem, `column "doc" of relation "item" contains null values: Key (id)=(3)`) {
		t.Errorf("NOT NULL over a NULL: exit %d, %s", code, problem)
	}
	if after := query(showDeclared); after != before || headOf(t, path).CommitID != head+1 {
		t.Errorf("after what failed the columns are\n%swant\n%s", after, before)
	}
}

// TestMigrateDeclaredOfPython declares what Python has no word for, of types that have
// another spelling and other names there, together with a new schema.
func TestMigrateDeclaredOfPython(t *testing.T) {
	path, flags := shopDir(t)
	flags = flags[:2]
	schema := file(t, "s.sql", `CREATE TABLE customer (id varchar(3) PRIMARY KEY, name text NOT NULL, tier text DEFAULT 'Standard' NOT NULL, balance double precision NOT NULL, email varchar(200), since date DEFAULT '2020-01-01');
COMMENT ON TABLE customer IS 'who buys'; COMMENT ON COLUMN customer.id IS 'c and a number'`)
	code, out, problem := command(t, withFlags("migrate --apply --force --json --schema "+schema, flags...)...)
	if code != exitOK {
		t.Fatalf("apply: exit %d, %s", code, problem)
	}
	if done := decoded[migrated](t, out); done.Versions["Customer"] != 2 || done.Rows["Customer"] != 40 || len(done.Declared) != 1 {
		t.Errorf("the answer is %+v, want a second version and what it declares", done)
	}
	checkAtRest(t, path)
	if typ := asOriginal(t, path); len(typ) == 0 {
		t.Error("the original sees no types")
	}
	_, out, _ = command(t, append([]string{"sql", "--format", "csv", "-c", strings.ReplaceAll(showDeclared, "item", "customer")}, flags...)...)
	for _, line := range []string{"id,,text,t,c and a number\n", "tier,'Standard'::text,text,t,\n", "email,,character varying(200),f,\n", "since,'2020-01-01'::date,date,f,\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("the columns are\n%swant %q among them", out, line)
		}
	}
	if code, out, problem = command(t, withFlags("migrate --schema "+schema, flags...)...); code != exitOK || out != "No schema changes detected.\n" {
		t.Errorf("once more: exit %d, %s%s", code, out, problem)
	}
}
