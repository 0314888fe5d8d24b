package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/memory"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// named is a name service in memory, as a gateway has one: it notes the databases that it was asked
// for, and makes records and no stores.
type named struct {
	memory.Service
	made    []string // "alias from template"
	changed int
	away    error // of each question
}

func (n *named) CreateDatabase(ctx context.Context, a nameservice.Alias, from string) error {
	if from != "" {
		alias, _, _ := strings.Cut(from, "@")
		of, err := nameservice.ParseAlias(alias)
		if err != nil {
			return err
		}
		if _, err := n.Get(ctx, of); err != nil {
			return err
		}
	}
	if _, err := n.Create(ctx, nameservice.New{Alias: a, CreatedAt: time.Now()}); err != nil {
		return err
	}
	n.made = append(n.made, a.String()+" from "+from)
	return nil
}

// What follows has its own tests, over stores (cmd/ontosql TestBranchesInSQL).
func (n *named) Branches(context.Context, string) ([]database.Branch, error) { return nil, errNoStores }

func (n *named) BranchDiff(context.Context, string, string, func(branch.Change) error) error {
	return errNoStores
}

func (n *named) Merge(context.Context, string, string, branch.Committer, branch.MergeOptions) (*branch.Merged, error) {
	return nil, errNoStores
}

var errNoStores = errors.New("the databases of this test have no stores")

func (n *named) Changed() { n.changed++ }

func (n *named) Get(ctx context.Context, a nameservice.Alias) (*nameservice.Record, error) {
	if n.away != nil {
		return nil, n.away
	}
	return n.Service.Get(ctx, a)
}

func (n *named) List(ctx context.Context, kind string) ([]*nameservice.Record, error) {
	if n.away != nil {
		return nil, n.away
	}
	return n.Service.List(ctx, kind)
}

// namedHouse is a gateway of the database onto with a name service, which has records of onto and
// shop.
func namedHouse(t *testing.T, o houseOptions) (*house, *named) {
	t.Helper()
	n := &named{}
	for _, name := range []string{"onto", "shop"} {
		if err := n.CreateDatabase(t.Context(), nameservice.Alias{Name: name, Branch: "main"}, ""); err != nil {
			t.Fatal(err)
		}
	}
	n.made, o.names = nil, n
	return buildHouse(t, shop(t), o), n
}

// push writes a concern past SQL.
func (n *named) push(t *testing.T, alias string, c nameservice.Concern, v int64, payload string) {
	t.Helper()
	a, err := nameservice.ParseAlias(alias)
	if err != nil {
		t.Fatal(err)
	}
	result, err := n.Write(t.Context(), a, nameservice.NewFastForward(c, nameservice.Value{V: v, Payload: json.RawMessage(payload)}))
	if err != nil || !result.Updated {
		t.Fatalf("push %s: %+v, %v", alias, result, err)
	}
}

// TestNamesRelation reads records by SQL.
func TestNamesRelation(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	s := h.session(t, "onto")
	n.push(t, "shop", nameservice.Head, 42, `{"address":"s3://b/42.json","t":42}`)
	if _, err := n.Create(t.Context(), nameservice.New{Alias: nameservice.Alias{Graph: true, Name: "find", Branch: "main"}, Type: "vg:bm25", Deps: []string{"shop:main"}, CreatedAt: time.Unix(1_700_000_000, 0)}); err != nil {
		t.Fatal(err)
	}
	answers(t, s, "SELECT pk, type, name, branch, deps::text, retracted, head_v, head->'t', index_v, index, status_v, status->>'state', config_v, config FROM ontosql.nameservice ORDER BY pk",
		"onto:main|ledger|onto|main|NULL|false|0|NULL|0|NULL|1|ready|0|NULL",
		"shop:main|ledger|shop|main|NULL|false|42|42|0|NULL|1|ready|0|NULL",
		"vg:find:main|vg:bm25|find|main|{shop:main}|false|0|NULL|0|NULL|1|ready|0|NULL")
	answers(t, s, "SELECT created_at = to_timestamp(1700000000), now() - created_at > '1 hour' FROM ontosql.nameservice WHERE type = 'vg:bm25'", "true|true")
	answers(t, s, "SELECT count(*) FROM ontosql.nameservice WHERE pk IN ('shop:main', 'shop', 'none:main', '')", "1")
	answers(t, s, "SELECT count(*) FROM ontosql.nameservice WHERE type IN ('ledger', '')", "2")
	answers(t, s, "SELECT count(*) FROM ontosql.nameservice WHERE type = 'ledger' AND pk = 'vg:find:main'", "0")
	n.away = objstore.ErrUnreachable
	refused(t, s, "58030", "SELECT * FROM ontosql.nameservice")
}

// TestNoNameService: a gateway without one shows no records, and says how to get one.
func TestNoNameService(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, shop(t)).session(t, "onto")
	answers(t, s, "SELECT count(*) FROM ontosql.nameservice", "0")
	for _, sql := range []string{
		"CREATE DATABASE x", "DROP DATABASE IF EXISTS x", "ALTER DATABASE onto SET work_mem = '1MB'", "ALTER DATABASE onto OWNER TO tester",
		"ALTER DATABASE onto RENAME TO x", "COMMENT ON DATABASE onto IS 'x'", "SELECT ontosql.ns_create('x')", "SELECT * FROM ontosql.ns_changed_since('{}')", `LISTEN "onto:main/head"`,
	} {
		if e := refused(t, s, "0A000", sql); e.Message != "the gateway has no name service" || e.Hint != "Start it with --nameservice." {
			t.Errorf("%s: %s, %s", sql, e.Message, e.Hint)
		}
	}
}

// TestNamesFunctions creates, writes, locks and retracts records by SQL.
func TestNamesFunctions(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	s := h.session(t, "onto")
	answers(t, s, "SELECT ontosql.ns_create('vg:find', 'vg:bm25', ARRAY['shop:main', 'onto:main'])", "vg:find:main")
	answers(t, s, "SELECT pk FROM ontosql.ns_create('lab:dev')", "lab:dev")
	answers(t, s, "SELECT pk, deps::text FROM ontosql.nameservice WHERE pk IN ('vg:find:main', 'lab:dev')", "lab:dev|NULL", "vg:find:main|{shop:main,onto:main}")
	refused(t, s, "42710", "SELECT ontosql.ns_create('shop')")
	refused(t, s, "22023", "SELECT ontosql.ns_create('a@1')")
	refused(t, s, "22023", "SELECT ontosql.ns_create('a', 'vg:bm25')")
	refused(t, s, "22023", "SELECT ontosql.ns_create('a', NULL, ARRAY['b'])")
	refused(t, s, "22004", "SELECT ontosql.ns_create(NULL)")

	// Pushes compare and set. A conflict is an answer.
	answers(t, s, `SELECT * FROM ontosql.ns_push('shop:main', 'head', 0, 1, '{"t": 1}')`, `true|1|{"t": 1}`)
	answers(t, s, `SELECT * FROM ontosql.ns_push('shop', 'head', 0, 2, '{"t": 2}')`, `false|1|{"t":1}`)
	answers(t, s, `SELECT * FROM ontosql.ns_push('shop', 'head', 1, 2, '{"t": 2}', '{"t": 9}')`, `false|1|{"t":1}`)
	answers(t, s, `SELECT * FROM ontosql.ns_push('shop', 'head', 1, 2, '{"t": 2}', '{"t": 1.0}')`, `true|2|{"t": 2}`)
	if got := must(t, s, "SELECT updated, v FROM ontosql.ns_push($1, $2, $3, $4, $5)", "shop", "config", "0", "3", `{"a": "b"}`); !slices.Equal(got, []string{"true|3"}) {
		t.Errorf("a push by parameters answers %q", got)
	}
	answers(t, s, `SELECT * FROM ontosql.ns_push('shop', 'index', 0, 1, NULL)`, "true|1|NULL")
	answers(t, s, `SELECT * FROM ontosql.ns_push('none', 'config', 0, 1, '{}')`, "false|NULL|NULL")
	refused(t, s, "22023", `SELECT * FROM ontosql.ns_push('shop', 'tail', 0, 1, '{}')`)
	refused(t, s, "22023", `SELECT * FROM ontosql.ns_push('shop', 'config', 0, 0, '{}')`)
	refused(t, s, "22023", `SELECT * FROM ontosql.ns_push('shop', 'config', 3, 4, '[]')`)
	refused(t, s, "22P02", `SELECT * FROM ontosql.ns_push('shop', 'config', 3, 4, '{')`)
	refused(t, s, "22004", `SELECT * FROM ontosql.ns_push('shop', 'config', 3, NULL, '{}')`)
	refused(t, s, "42883", `SELECT * FROM ontosql.ns_push('shop', 'config')`)

	answers(t, s, "SELECT locked, holder, target_t, expires_at > now() + interval '50 seconds' FROM ontosql.ns_lock('shop', 'index', 'a', 42, '1 minute')", "true|a|42|true")
	answers(t, s, "SELECT locked, holder, target_t FROM ontosql.ns_lock('shop', 'index_lock', 'b')", "false|a|42")
	answers(t, s, "SELECT ontosql.ns_unlock('shop', 'index', 'b'), ontosql.ns_unlock('shop', 'index', 'a'), ontosql.ns_unlock('shop', 'index', 'a')", "false|true|true")
	answers(t, s, "SELECT status->>'state' FROM ontosql.nameservice WHERE pk = 'shop:main'", "ready")
	refused(t, s, "22023", "SELECT * FROM ontosql.ns_lock('shop', 'write', 'a')")
	refused(t, s, "22023", "SELECT * FROM ontosql.ns_lock('shop', 'index', '')")
	refused(t, s, "42704", "SELECT * FROM ontosql.ns_lock('none', 'index', 'a')")

	answers(t, s, "SELECT ontosql.ns_retract('lab:dev', 'merged'), ontosql.ns_retract('lab:dev')", "true|false")
	answers(t, s, "SELECT retracted, status->>'reason' FROM ontosql.nameservice WHERE pk = 'lab:dev'", "true|merged")
	refused(t, s, "42704", "SELECT ontosql.ns_retract('none')")
	if n.changed == 0 {
		t.Error("the gateway was not told that records were written")
	}

	// They are no part of a transaction, and need one that writes.
	must(t, s, "BEGIN")
	answers(t, s, "SELECT ontosql.ns_create('kept')", "kept:main")
	must(t, s, "ROLLBACK")
	answers(t, s, "SELECT count(*) FROM ontosql.nameservice WHERE pk = 'kept:main'", "1")
	must(t, s, "BEGIN READ ONLY")
	answers(t, s, "SELECT count(*) FROM ontosql.ns_changed_since('{}')", "0")
	refused(t, s, "25006", "SELECT ontosql.ns_retract('kept')")
	must(t, s, "ROLLBACK")
	past := h.session(t, "onto@1")
	refused(t, past, "25006", "SELECT ontosql.ns_retract('kept')")
	answers(t, past, "SELECT count(*) FROM ontosql.ns_changed_since('{}')", "0")
	n.away = fmt.Errorf("put: %w", ontosql.ErrOutcomeUnknown)
	if e := refused(t, s, "08007", "SELECT ontosql.ns_retract('kept')"); !strings.Contains(e.Hint, "ontosql.nameservice") {
		t.Errorf("the hint is %s", e.Hint)
	}
}

// TestNamesChangedSince asks for what a client does not know yet.
func TestNamesChangedSince(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	s := h.session(t, "onto")
	n.push(t, "shop", nameservice.Head, 42, `{"t":42}`)
	n.push(t, "shop", nameservice.Config, 3, `{}`)
	const known = `{"shop:main": {"type": "ledger", "head_v": 41, "index_v": 0, "config_v": 1}, "onto:main": {"type": "ledger", "head_v": 0}, "lost:main": {"type": "vg:x", "head_v": 1}}`
	answers(t, s, "SELECT * FROM ontosql.ns_changed_since('"+known+"') ORDER BY pk",
		"lost:main|vg:x|NULL|NULL|NULL|NULL|true", "shop:main|ledger|42|NULL|NULL|3|false")
	answers(t, s, `SELECT pk, status_v FROM ontosql.ns_changed_since((SELECT jsonb_object_agg(pk, jsonb_build_object('type', type, 'head_v', head_v, 'status_v', 0)) FROM ontosql.nameservice)) ORDER BY pk`,
		"onto:main|1", "shop:main|1")
	refused(t, s, "22023", `SELECT * FROM ontosql.ns_changed_since('{"shop:main": {"head_v": "x"}}')`)
	refused(t, s, "22023", `SELECT * FROM ontosql.ns_changed_since('{"a@b": {"head_v": 1}}')`)
	refused(t, s, "22004", `SELECT * FROM ontosql.ns_changed_since(NULL)`)
}

// TestListenForRecords hears of what this gateway and others write of a record, the newest only.
func TestListenForRecords(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	listener, writer := h.client(t), h.client(t)
	n.push(t, "shop", nameservice.Head, 1, `{"t":1}`)
	say(t, listener, `LISTEN "shop:main/head"; LISTEN "later:main/status"`)
	n.push(t, "shop", nameservice.Config, 1, `{}`) // another concern
	n.push(t, "shop", nameservice.Head, 7, `{"t":7}`)
	if got := hear(t, listener, "shop:main/head"); got != `{"pk":"shop:main","concern":"head","v":7}` {
		t.Errorf("heard %s", got)
	}
	say(t, writer, `SELECT * FROM ontosql.ns_push('shop', 'head', 7, 8, '{"t":8}', '{"t":7}')`)
	if got := hear(t, listener, "shop:main/head"); got != `{"pk":"shop:main","concern":"head","v":8}` {
		t.Errorf("heard %s", got)
	}
	say(t, writer, "CREATE DATABASE later")
	if got := hear(t, listener, "later:main/status"); got != `{"pk":"later:main","concern":"status","v":1}` {
		t.Errorf("heard %s", got)
	}
	hearsNothing(t, listener)

	// What does not look like a record and a concern is a channel of PostgreSQL.
	for _, channel := range []string{"shop/head", "shop:main", "shop:main/tail", "shop:main/*", ":/head", "a:b:c/head"} {
		say(t, listener, `LISTEN "`+channel+`"; NOTIFY "`+channel+`", 'x'`)
		if got, err := listener.WaitForNotification(t.Context()); err != nil || got.Payload != "x" {
			t.Errorf("%s: heard %+v, %v", channel, got, err)
		}
	}
	s := h.session(t, "onto")
	refused(t, s, "42939", `NOTIFY "shop:main/config"`)
}

// TestOwnRecordsAreHeardAtOnce: a gateway that looks once an hour tells of its own writes.
func TestOwnRecordsAreHeardAtOnce(t *testing.T) {
	asksNoMirror(t)
	h, _ := namedHouse(t, houseOptions{interval: time.Hour})
	listener, writer := h.client(t), h.client(t)
	say(t, listener, `LISTEN "shop:main/config"; LISTEN "shop:main/status"`)
	for _, test := range [][2]string{
		{"ALTER DATABASE shop SET work_mem = '1MB'", "config"},
		{"SELECT * FROM ontosql.ns_lock('shop', 'index', 'a')", "status"},
		{"DROP DATABASE shop", "status"},
	} {
		say(t, writer, test[0])
		if got := hear(t, listener, "shop:main/"+test[1]); !strings.Contains(got, `"concern":"`+test[1]+`"`) {
			t.Errorf("%s: heard %s", test[0], got)
		}
	}
}

// TestCreateDatabase makes databases, and refuses what they cannot be.
func TestCreateDatabase(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	s := h.session(t, "onto")
	for _, sql := range []string{
		"CREATE DATABASE lab", `CREATE DATABASE "shop:dev" TEMPLATE "shop@42"`, "CREATE DATABASE copy WITH OWNER tester TEMPLATE = shop",
		"CREATE DATABASE plain ENCODING 'UTF8' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' CONNECTION LIMIT -1 ALLOW_CONNECTIONS true IS_TEMPLATE false STRATEGY wal_log TABLESPACE pg_default LOCALE_PROVIDER libc",
		"CREATE DATABASE defaults ENCODING DEFAULT TEMPLATE DEFAULT OWNER DEFAULT TABLESPACE DEFAULT",
	} {
		must(t, s, sql)
	}
	if want := []string{"lab:main from ", "shop:dev from shop@42", "copy:main from shop", "plain:main from ", "defaults:main from "}; !slices.Equal(n.made, want) {
		t.Errorf("made %q, want %q", n.made, want)
	}
	for sql, code := range map[string]string{
		"CREATE DATABASE shop": "42P04", `CREATE DATABASE "shop:main"`: "42P04", "CREATE DATABASE x TEMPLATE none": "3D000", `CREATE DATABASE "a@1"`: "42602",
		`CREATE DATABASE "vg:a"`: "42602", "CREATE DATABASE x OWNER nobody": "42704", "CREATE DATABASE x ENCODING 'LATIN1'": "0A000", "CREATE DATABASE x LOCALE 'de_DE'": "0A000",
		"CREATE DATABASE x ICU_LOCALE 'de'": "0A000", "CREATE DATABASE x LOCALE_PROVIDER icu": "0A000", "CREATE DATABASE x LOCALE_PROVIDER foo": "42P17",
		"CREATE DATABASE x STRATEGY foo": "22023", "CREATE DATABASE x CONNECTION LIMIT 5": "0A000", "CREATE DATABASE x CONNECTION LIMIT -2": "22023",
		"CREATE DATABASE x TABLESPACE nope": "42704", "CREATE DATABASE x IS_TEMPLATE true": "0A000", "CREATE DATABASE x OID 70000": "0A000",
		"CREATE DATABASE x FOO 3": "42601", "CREATE DATABASE x FOO DEFAULT": "42601", "CREATE DATABASE x ENCODING UTF8 ENCODING UTF8": "42601",
	} {
		refused(t, s, code, sql)
	}
	must(t, s, "DROP DATABASE lab")
	if e := refused(t, s, "42P04", "CREATE DATABASE lab"); e.Hint != `"ontosql ns purge lab:main" removes the record.` {
		t.Errorf("the hint of a name that was dropped is %q", e.Hint)
	}
}

// TestDatabasesOutsideOfTransactions: what is done at once is refused where it could not be taken back.
func TestDatabasesOutsideOfTransactions(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	s, past := h.session(t, "onto"), h.session(t, "onto@1")
	all := map[string]string{
		"CREATE DATABASE x": "CREATE DATABASE", "DROP DATABASE shop": "DROP DATABASE", "ALTER DATABASE shop SET work_mem = '1MB'": "ALTER DATABASE",
		"ALTER DATABASE shop RESET ALL": "ALTER DATABASE", "COMMENT ON DATABASE shop IS 'x'": "COMMENT ON DATABASE",
	}
	for sql, what := range all {
		must(t, s, "BEGIN")
		if e := refused(t, s, "25001", sql); e.Message != what+" cannot run inside a transaction block" {
			t.Errorf("%s: %s", sql, e.Message)
		}
		must(t, s, "ROLLBACK")
		must(t, s, "BEGIN READ ONLY")
		refused(t, s, "25006", sql)
		must(t, s, "ROLLBACK")
		refused(t, past, "25006", sql)
	}
	c := h.client(t)
	if _, err := c.Exec(t.Context(), "SELECT 1; DROP DATABASE shop"); err == nil || !strings.Contains(err.Error(), "25001") {
		t.Errorf("several statements in a string: %v", err)
	}
	if n.changed != 0 || len(n.made) > 0 {
		t.Errorf("records were written %d times", n.changed)
	}
}

// TestDropDatabase drops databases that are open and such that are not.
func TestDropDatabase(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	other := newHouse(t, shop(t))
	other.db.Name = "shop"
	h.gateway = gateway.New(gateway.Options{Databases: gateway.Fixed{h.db, other.db}, Logger: slog.New(slog.DiscardHandler)})
	s := h.session(t, "onto")
	refused(t, s, "3D000", "DROP DATABASE none")
	refused(t, s, "3D000", `DROP DATABASE "vg:shop"`)
	h.notices = nil
	must(t, s, "DROP DATABASE IF EXISTS none WITH (FORCE)")
	if want := []string{`NOTICE 00000 database "none" does not exist, skipping`}; !slices.Equal(h.notices, want) {
		t.Errorf("notices %q, want %q", h.notices, want)
	}
	refused(t, s, "55006", "DROP DATABASE onto")
	refused(t, s, "55006", `DROP DATABASE "onto:main" WITH (FORCE)`)
	var ended []string
	for i := range 2 {
		client, _, err := h.gateway.Open(t.Context(), wire.Startup{
			User: "u", Database: "shop", PID: uint32(i), Terminate: func(e *pgerr.Error) { ended = append(ended, e.Code) },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		want := []string{"There is 1 other session using the database.", "There are 2 other sessions using the database."}[i]
		if e := refused(t, s, "55006", "DROP DATABASE shop"); e.Message != `database "shop" is being accessed by other users` || e.Detail != want {
			t.Errorf("%s, %s; want the detail %s", e.Message, e.Detail, want)
		}
	}
	must(t, s, "DROP DATABASE shop WITH (FORCE)")
	if !slices.Equal(ended, []string{"57P01", "57P01"}) {
		t.Errorf("the other sessions ended with %q", ended)
	}
	answers(t, s, "SELECT retracted, status->>'reason' FROM ontosql.nameservice WHERE pk = 'shop:main'", "true|DROP DATABASE by tester")
	refused(t, s, "3D000", "DROP DATABASE shop")
	refused(t, s, "3D000", "ALTER DATABASE shop SET work_mem = 1")
	n.away = objstore.ErrUnreachable
	refused(t, s, "58030", "DROP DATABASE IF EXISTS shop")
}

// TestAlterDatabase sets what the sessions of a database begin with.
func TestAlterDatabase(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{})
	s := h.session(t, "onto")
	n.push(t, "onto", nameservice.Config, 5, `{"storage_uri":"mem://onto","settings":{"ODD":{"x":1},"nosuch":"1"}}`)
	must(t, s, "SET work_mem = '9MB'")
	for _, sql := range []string{
		"ALTER DATABASE onto SET timezone TO 'America/New_York'", "ALTER DATABASE onto SET work_mem FROM CURRENT", `ALTER DATABASE "onto:main" SET search_path = a, "B c"`,
		"ALTER DATABASE onto SET my.custom = 'x'", "ALTER DATABASE onto SET TIME ZONE 'UTC'", "ALTER DATABASE onto SET default_transaction_read_only = on",
		"ALTER DATABASE onto SET statement_timeout = '1min'", "ALTER DATABASE onto RESET Statement_Timeout",
	} {
		must(t, s, sql)
	}
	const begins = "SELECT current_setting('TimeZone'), current_setting('work_mem'), current_setting('search_path'), current_setting('my.custom', true), current_setting('transaction_read_only'), current_setting('statement_timeout')"
	answers(t, s, begins, "UTC|9MB|\"$user\", public|NULL|off|0") // those that are open keep what they have
	h.notices = nil
	next := h.session(t, "onto")
	answers(t, next, begins, `UTC|9MB|a, "B c"|x|on|0`)
	if want := []string{`WARNING 42704 unrecognized configuration parameter "nosuch"`}; !slices.Equal(h.notices, want) {
		t.Errorf("a new session hears %q, want %q", h.notices, want)
	}
	must(t, next, "SET work_mem = '1MB'")
	must(t, next, "RESET ALL")
	answers(t, next, begins, `UTC|9MB|a, "B c"|x|on|0`)
	answers(t, h.session(t, "onto", wire.Option{Name: "work_mem", Value: "2MB"}), "SHOW work_mem", "2MB") // the client's come after
	answers(t, s, "SELECT config->>'storage_uri', config->'settings'->'ODD', config->'settings'->>'TimeZone', config_v FROM ontosql.nameservice WHERE pk = 'onto:main'", `mem://onto|{"x":1}|UTC|13`)
	for sql, code := range map[string]string{
		"ALTER DATABASE none SET work_mem = 1": "3D000", "ALTER DATABASE onto SET nosuch = 1": "42704", "ALTER DATABASE onto RESET nosuch": "42704",
		"ALTER DATABASE onto SET work_mem = 'abc'": "22023", "ALTER DATABASE onto SET server_version = '3'": "55P02", "ALTER DATABASE onto SET work_mem = 1, 2": "22023",
		"ALTER DATABASE onto SET TRANSACTION ISOLATION LEVEL SERIALIZABLE": "42704", "ALTER DATABASE onto RENAME TO x": "0A000", "ALTER DATABASE none RENAME TO x": "3D000",
		"ALTER DATABASE onto OWNER TO nobody": "42704", "ALTER DATABASE none OWNER TO tester": "3D000", "ALTER DATABASE onto CONNECTION LIMIT 3": "0A000",
		"ALTER DATABASE onto SET TABLESPACE nope": "42704", "ALTER DATABASE none REFRESH COLLATION VERSION": "3D000",
	} {
		refused(t, s, code, sql)
	}
	for _, sql := range []string{
		"ALTER DATABASE onto OWNER TO CURRENT_USER", "ALTER DATABASE onto CONNECTION LIMIT -1", "ALTER DATABASE onto REFRESH COLLATION VERSION", "ALTER DATABASE onto SET TABLESPACE pg_default",
		"ALTER DATABASE onto RESET ALL",
	} {
		must(t, s, sql)
	}
	answers(t, s, "SELECT config FROM ontosql.nameservice WHERE pk = 'onto:main'", `{"settings":{"ODD":{"x":1}},"storage_uri":"mem://onto"}`)

	// While the name service is away sessions begin as the last one did.
	must(t, s, "ALTER DATABASE onto SET work_mem = '3MB'")
	h.session(t, "onto")
	n.away = objstore.ErrUnreachable
	answers(t, h.session(t, "onto"), "SHOW work_mem", "3MB")
	first := buildHouse(t, shop(t), houseOptions{names: n})
	_, _, err := first.gateway.Open(t.Context(), wire.Startup{User: "u", Database: "onto"})
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != "58030" {
		t.Errorf("the first session of a gateway without its name service: %v", err)
	}
}

// TestCommentOnDatabase: comments are in the record, and in the catalog as psql and other tools ask.
func TestCommentOnDatabase(t *testing.T) {
	asksNoMirror(t)
	h, n := namedHouse(t, houseOptions{results: 1 << 20})
	s := h.session(t, "onto")
	const psql = "SELECT d.datname, pg_catalog.shobj_description(d.oid, 'pg_database') FROM pg_catalog.pg_database d"
	const tools = "SELECT d.datname, c.description FROM pg_database d LEFT JOIN pg_shdescription c ON d.oid = c.objoid AND c.classoid = 'pg_database'::regclass"
	for _, test := range [][2]string{{"'ours'", "ours"}, {"'it''s'", "it's"}, {"''", "NULL"}, {"'again'", "again"}, {"NULL", "NULL"}} {
		must(t, s, "COMMENT ON DATABASE onto IS "+test[0])
		answers(t, s, psql, "onto|"+test[1])
		answers(t, s, tools, "onto|"+test[1])
	}
	answers(t, s, "SELECT shobj_description(10, 'pg_authid'), shobj_description(NULL, 'pg_database'), shobj_description(0, 'pg_database')", "NULL|NULL|NULL")
	n.push(t, "onto", nameservice.Config, 40, `{"comment":"theirs"}`)
	time.Sleep(2 * houseInterval)
	answers(t, s, psql, "onto|theirs")
	h.notices = nil
	must(t, s, "COMMENT ON DATABASE none IS 'x'")
	if want := []string{`WARNING 3D000 database "none" does not exist`}; !slices.Equal(h.notices, want) {
		t.Errorf("notices %q, want %q", h.notices, want)
	}
	n.away = objstore.ErrUnreachable
	time.Sleep(2 * houseInterval)
	refused(t, s, "58030", psql)
	h.notices = nil
	answers(t, s, tools, "onto|NULL")
	if len(h.notices) == 0 || !strings.HasPrefix(h.notices[0], "WARNING 58030 the comments on databases cannot be read") {
		t.Errorf("without the name service it says %q", h.notices)
	}
}
