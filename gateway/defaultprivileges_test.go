package gateway_test

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// relacl is the text of pg_class.relacl of a relation.
func relacl(t *testing.T, s wire.Session, relation string) string {
	t.Helper()
	return must(t, s, "SELECT relacl::text FROM pg_class WHERE oid = '"+relation+"'::regclass")[0]
}

// TestGrantsOnSequences grants privileges on sequences, which the catalog shows.
func TestGrantsOnSequences(t *testing.T) {
	h, one, two := workspaceTable(t)
	succeeds(t, one, "CREATE SEQUENCE w.q", "CREATE TABLE w.n (id serial)")
	succeeds(t, one, "GRANT USAGE ON SEQUENCE w.q TO pg_monitor")
	if got, want := relacl(t, two, "w.q"), "{ontosql=rwU/ontosql,pg_monitor=U/tester}"; got != want {
		t.Errorf("the sequence has %s, want %s", got, want)
	}
	succeeds(t, one, "GRANT ALL ON ALL SEQUENCES IN SCHEMA w TO PUBLIC", "REVOKE UPDATE ON SEQUENCE w.q FROM PUBLIC", "ALTER SEQUENCE w.q RENAME TO r", "ALTER SEQUENCE w.r CACHE 3")
	for relation, want := range map[string]string{
		"w.r": "{ontosql=rwU/ontosql,pg_monitor=U/tester,=rU/tester}", "w.n_id_seq": "{ontosql=rwU/ontosql,=rwU/tester}", "w.n": "NULL",
	} {
		if got := relacl(t, two, relation); got != want {
			t.Errorf("%s has %s, want %s", relation, got, want)
		}
	}
	h.notices = nil
	succeeds(t, one, "GRANT INSERT, SELECT, USAGE ON w.n_id_seq TO tester")
	if want := []string{`WARNING 0LP01 sequence "n_id_seq" only supports USAGE, SELECT, and UPDATE privileges`, "WARNING 01000 privileges are recorded, but not enforced"}; !slices.Equal(h.notices, want) {
		t.Errorf("GRANT says %q, want %q", h.notices, want)
	}
	if got, want := relacl(t, two, "w.n_id_seq"), "{ontosql=rwU/ontosql,=rwU/tester,tester=rU/tester}"; got != want {
		t.Errorf("the sequence has %s, want %s", got, want)
	}
	for _, test := range []struct{ sql, code, message string }{
		{"GRANT INSERT ON SEQUENCE w.r TO tester", pgerr.InvalidGrantOperation, "invalid privilege type INSERT for sequence"},
		{"GRANT SELECT ON SEQUENCE w.t TO tester", pgerr.WrongObjectType, `"t" is not a sequence`},
		{"GRANT SELECT ON SEQUENCE w.nope TO tester", pgerr.UndefinedTable, `relation "w.nope" does not exist`},
		{"GRANT USAGE ON w.r, w.t TO tester", pgerr.InvalidGrantOperation, "invalid privilege type USAGE for table"},
		{"GRANT USAGE ON ALL SEQUENCES IN SCHEMA nope TO tester", pgerr.InvalidSchemaName, `schema "nope" does not exist`},
		{"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA w TO tester", pgerr.FeatureNotSupported, "GRANT ON FUNCTION is not supported"},
	} {
		if e := refused(t, one, test.code, test.sql); e.Message != test.message {
			t.Errorf("%s: %s, want %s", test.sql, e.Message, test.message)
		}
	}
}

// TestDefaultPrivileges gives what is created from now on privileges.
func TestDefaultPrivileges(t *testing.T) {
	_, one, two := workspaceTable(t)
	defaults := func() []string {
		t.Helper()
		return must(t, two, "SELECT defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl::text FROM pg_default_acl ORDER BY 2, 3, 1")
	}
	succeeds(t, one, "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO pg_monitor", "ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO PUBLIC",
		"ALTER DEFAULT PRIVILEGES IN SCHEMA w GRANT INSERT ON TABLES TO pg_monitor", "ALTER DEFAULT PRIVILEGES IN SCHEMA w GRANT ALL ON SEQUENCES TO pg_monitor WITH GRANT OPTION",
		"ALTER DEFAULT PRIVILEGES FOR ROLE pg_monitor IN SCHEMA w GRANT UPDATE ON TABLES TO tester")
	want := []string{
		"tester|-|n|{ontosql=UC/ontosql,=U/tester}", "tester|-|r|{ontosql=arwdDxt/ontosql,pg_monitor=r/tester}",
		"tester|w|S|{pg_monitor=r*w*U*/tester}", "pg_monitor|w|r|{tester=w/pg_monitor}", "tester|w|r|{pg_monitor=a/tester}",
	}
	if got := defaults(); !slices.Equal(got, want) {
		t.Errorf("the defaults are %q, want %q", got, want)
	}
	succeeds(t, one, "CREATE TABLE w.n (id serial)", "CREATE VIEW w.nv AS SELECT 1 AS a", "CREATE SCHEMA x", "CREATE TABLE x.n (a int)")
	tagged(t, one, "CREATE TABLE w.nc AS SELECT 1 AS a", "SELECT 1")
	tagged(t, one, "CREATE MATERIALIZED VIEW w.nm AS SELECT 1 AS a", "SELECT 1")
	for relation, want := range map[string]string{
		"w.t": "NULL", "w.n": "{ontosql=arwdDxt/ontosql,pg_monitor=ar/tester}", "w.nv": "{ontosql=arwdDxt/ontosql,pg_monitor=ar/tester}",
		"w.nc": "{ontosql=arwdDxt/ontosql,pg_monitor=ar/tester}", "w.nm": "{ontosql=arwdDxt/ontosql,pg_monitor=ar/tester}",
		"w.n_id_seq": "{ontosql=rwU/ontosql,pg_monitor=r*w*U*/tester}", "x.n": "{ontosql=arwdDxt/ontosql,pg_monitor=r/tester}",
	} {
		if got := relacl(t, two, relation); got != want {
			t.Errorf("%s has %s, want %s", relation, got, want)
		}
	}
	if got, want := must(t, two, "SELECT nspacl::text FROM pg_namespace WHERE nspname = 'x'")[0], "{ontosql=UC/ontosql,=U/tester}"; got != want {
		t.Errorf("the schema has %s, want %s", got, want)
	}
	succeeds(t, one, "ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM pg_monitor", "ALTER DEFAULT PRIVILEGES REVOKE USAGE ON SCHEMAS FROM PUBLIC",
		"ALTER DEFAULT PRIVILEGES IN SCHEMA w REVOKE INSERT ON TABLES FROM pg_monitor", "BEGIN", "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC", "ROLLBACK")
	if got := defaults(); !slices.Equal(got, want[2:4]) {
		t.Errorf("after REVOKE the defaults are %q, want %q", got, want[2:4])
	}
	succeeds(t, one, "ALTER SCHEMA w RENAME TO v", "CREATE SEQUENCE v.later", "DROP SCHEMA v CASCADE")
	if got := defaults(); len(got) != 0 {
		t.Errorf("after DROP SCHEMA the defaults are %q", got)
	}
	for _, test := range []struct{ sql, code, message string }{
		{"ALTER DEFAULT PRIVILEGES IN SCHEMA x GRANT USAGE ON SCHEMAS TO tester", pgerr.InvalidGrantOperation, "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS"},
		{"ALTER DEFAULT PRIVILEGES IN SCHEMA nope GRANT SELECT ON TABLES TO tester", pgerr.InvalidSchemaName, `schema "nope" does not exist`},
		{"ALTER DEFAULT PRIVILEGES FOR ROLE nobody GRANT SELECT ON TABLES TO tester", pgerr.UndefinedObject, `role "nobody" does not exist`},
		{"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO nobody", pgerr.UndefinedObject, `role "nobody" does not exist`},
		{"ALTER DEFAULT PRIVILEGES GRANT USAGE ON TABLES TO tester", pgerr.InvalidGrantOperation, "invalid privilege type USAGE for relation"},
		{"ALTER DEFAULT PRIVILEGES GRANT SELECT (a) ON TABLES TO tester", pgerr.InvalidGrantOperation, "default privileges cannot be set for columns"},
		{"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC WITH GRANT OPTION", pgerr.InvalidGrantOperation, "grant options can only be granted to roles"},
		{"ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO tester", pgerr.FeatureNotSupported, "ALTER DEFAULT PRIVILEGES ON FUNCTION is not supported"},
		{"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO tester", pgerr.FeatureNotSupported, "default privileges in a schema of the ontology are not supported"},
	} {
		if e := refused(t, one, test.code, test.sql); e.Message != test.message {
			t.Errorf("%s: %s, want %s", test.sql, e.Message, test.message)
		}
	}
}
