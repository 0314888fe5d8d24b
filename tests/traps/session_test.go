package traps

import (
	"slices"
	"strings"
	"testing"
)

// sessionTraps are those of the start of a session and of its settings.
var sessionTraps = []trap{
	{51, "the start-up tells the server's version and all else that drivers read", func(t *testing.T, g *gate) {
		f := g.open(t)
		for name, want := range map[string]string{
			"server_encoding": "UTF8", "client_encoding": "UTF8", "DateStyle": "ISO, MDY", "IntervalStyle": "postgres", "TimeZone": "UTC", "integer_datetimes": "on",
			"standard_conforming_strings": "on", "session_authorization": "tester", "is_superuser": "on", "application_name": "", "in_hot_standby": "off", "default_transaction_read_only": "off",
		} {
			if got, told := f.parameters[name]; !told || got != want {
				t.Errorf("%s is %q, told %v", name, got, told)
			}
		}
		if !strings.HasPrefix(f.parameters["server_version"], "15.") {
			t.Errorf("server_version %q", f.parameters["server_version"])
		}
		if f.key == nil {
			t.Error("no key to cancel by")
		}
	}},
	{52, "server_version_num is a number by which features are told", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT current_setting('server_version_num')::int/100 AS version", "1500")
		c.want(t, "SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'", "")
		if got := c.asked(t, "SHOW server_version_num"); len(got) != 6 || !strings.HasPrefix(got, "1500") {
			t.Error(got)
		}
	}},
	{53, "columns of functions have the functions' names", func(t *testing.T, g *gate) {
		got := g.open(t).talk(t, simple("SELECT version(), current_database(), current_schema(), current_schema, current_user, pg_catalog.pg_backend_pid(), 'x'::name"))
		expect(t, "names", got[:1], "Columns version 25/0, current_database 19/0, current_schema 19/0, current_schema 19/0, current_user 19/0, pg_backend_pid 23/0, name 19/0")
	}},
	{54, "pgAdmin connects", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SET DateStyle=ISO; SET client_min_messages=notice; SELECT set_config('bytea_output','hex',false) FROM pg_show_all_settings() WHERE name = 'bytea_output'; SET client_encoding='utf-8';", "hex")
		c.want(t, "SELECT gss_authenticated, encrypted FROM pg_catalog.pg_stat_gssapi WHERE pid = pg_backend_pid()", "f|f")
		c.want(t, "SELECT CASE WHEN (SELECT count(extname) FROM pg_catalog.pg_extension WHERE extname='bdr') > 0 THEN 'pgd' WHEN (SELECT COUNT(*) FROM pg_replication_slots) > 0 THEN 'log' ELSE NULL END as type", "NULL")
		c.want(t, "SELECT count(*) FROM pg_show_all_settings() WHERE name IN ('work_mem', 'log_destination', 'TimeZone')", "3")
	}},
	{55, "DISCARD ALL gives back a session as new", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.do(t, "SET TimeZone = 'Asia/Tokyo'; PREPARE p AS SELECT 1; DECLARE c CURSOR WITH HOLD FOR SELECT 1; LISTEN x; SELECT pg_advisory_lock(55)")
		c.do(t, "DISCARD ALL")
		c.want(t, "SHOW TimeZone", "UTC")
		c.want(t, "SELECT (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())", "0|0|0")
		c.do(t, "DISCARD ALL")
		c.do(t, "BEGIN")
		c.wantCode(t, "DISCARD ALL", "25001")
	}},
	{56, "extra_float_digits and application_name are taken, and the name is reported", func(t *testing.T, g *gate) {
		f := g.open(t)
		for _, sql := range []string{"SET extra_float_digits = 2", "SET extra_float_digits = 3", "SET application_name = ''", "SET application_name = 'Metabase v0.55'"} {
			expect(t, sql, f.talk(t, simple(sql)), "Complete SET", "Ready I")
		}
		if got := f.parameters["application_name"]; got != "Metabase v0.55" {
			t.Errorf("reported %q", got)
		}
		expect(t, "floats", f.talk(t, simple("SELECT 0.1::float8, 1e20::float8"))[1:2], "Row 0.1|1e+20")
	}},
	{57, "SESSION CHARACTERISTICS and TRANSACTION ISOLATION LEVEL", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SHOW TRANSACTION ISOLATION LEVEL", "read committed")
		c.want(t, "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; SHOW TRANSACTION ISOLATION LEVEL", "read uncommitted")
		c.want(t, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE; SHOW transaction_read_only", "on")
		c.wantCode(t, "INSERT INTO shelf VALUES ('trap 57', 1)", "25006")
	}},
	{58, "what drivers set at the start is taken", func(t *testing.T, g *gate) {
		g.connect(t).runs(t, "SET standard_conforming_strings = ON", "SET client_min_messages TO 'warning'", "SET client_encoding TO 'UTF8'", "SET NAMES 'UTF8'", "SET TimeZone = 'UTC'",
			"SET DateStyle = 'ISO'", "SET datestyle TO ISO, MDY", "SET statement_timeout = 0", "SET lock_timeout = 0", "SET idle_in_transaction_session_timeout = 0", "SET search_path TO public",
			"SET bytea_output = 'hex'", "SET synchronous_commit = off", "SET xmloption = content", "SET row_security = off", "SET work_mem = '64MB'", "SET jit = off", "SET enable_seqscan TO on",
			"SET SESSION application_name TO 'x'", "SET default_transaction_isolation TO 'read committed'", "SET my.own = 'x'")
	}},
	{59, "SET ROLE and SET SESSION AUTHORIZATION of oneself", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.runs(t, "SET ROLE tester", "SET ROLE 'tester'", "SET ROLE NONE", "RESET ROLE", "SET SESSION AUTHORIZATION tester", "SET SESSION AUTHORIZATION DEFAULT", "RESET SESSION AUTHORIZATION")
		c.want(t, "SELECT current_user, session_user", "tester|tester")
	}},
	{60, "START TRANSACTION with a level, ABORT", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "START TRANSACTION ISOLATION LEVEL REPEATABLE READ; SHOW transaction_isolation", "repeatable read")
		c.do(t, "INSERT INTO shelf VALUES ('trap 60', 1)")
		c.do(t, "ABORT")
		c.want(t, "SELECT count(*) FROM shelf WHERE name = 'trap 60'", "0")
		c.do(t, "START TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE; END")
	}},
	{61, "a time zone in double quotes, a set of names in FROM", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, `show time zone; set time zone "Asia/Shanghai"; show time zone`, "UTC\nAsia/Shanghai")
		c.want(t, "SELECT * FROM unnest(current_schemas(true))", "pg_catalog\npublic")
	}},
	{62, "the catalog has a name, and pgjdbc's getTables and getColumns find it", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "select current_catalog", "onto")
		c.want(t, `SELECT current_database() AS "TABLE_CAT", n.nspname AS "TABLE_SCHEM", c.relname AS "TABLE_NAME", CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema' WHEN true THEN 'SYSTEM' WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END ELSE NULL END AS "TABLE_TYPE", d.description AS "REMARKS"
			FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 and d.classoid = 'pg_class'::regclass)
			WHERE c.relnamespace = n.oid AND n.nspname LIKE 'public' AND c.relname LIKE 'item' AND (false OR ( c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' )) ORDER BY "TABLE_TYPE","TABLE_SCHEM","TABLE_NAME"`,
			"onto|public|item|TABLE|NULL")
	}},
	{63, "a search_path of schemas that are not there harms nothing", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.do(t, `SET search_path = nowhere, "$user"`)
		c.want(t, "SELECT 63, current_schema()", "63|NULL")
		c.wantCode(t, "SELECT * FROM item", "42P01")
		c.want(t, "SELECT count(*) FROM public.item", "2")
		c.want(t, "RESET search_path; SELECT count(*) FROM item", "2")
	}},
	{64, "a pooler hears of each setting that another session must not meet", func(t *testing.T, g *gate) {
		f := g.open(t)
		for name, value := range map[string]string{"TimeZone": "Asia/Tokyo", "DateStyle": "ISO, DMY", "IntervalStyle": "iso_8601", "application_name": "x", "default_transaction_read_only": "on", "ontosql.as_of": "3"} {
			f.talk(t, simple("SET "+name+" = '"+value+"'"))
			if got := f.parameters[name]; got != value {
				t.Errorf("%s is reported as %q, not %q", name, got, value)
			}
		}
		f.talk(t, simple("RESET ALL"))
		if got := []string{f.parameters["TimeZone"], f.parameters["ontosql.as_of"]}; !slices.Equal(got, []string{"UTC", ""}) {
			t.Errorf("after RESET ALL: %q", got)
		}
	}},
}
