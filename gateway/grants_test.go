package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestGrants grants privileges on tables, views and schemas of the workspace: the catalog shows
// them, transactions take them back, and each statement says that nothing enforces them.
func TestGrants(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	succeeds(t, one, "CREATE VIEW w.v AS SELECT a FROM w.t")
	acl := func(relation string) string {
		t.Helper()
		return must(t, two, "SELECT relacl::text FROM pg_class WHERE oid = '"+relation+"'::regclass")[0]
	}
	succeeds(t, one, "BEGIN", "GRANT SELECT ON w.t TO pg_read_all_data")
	if got := must(t, one, "SELECT relacl::text FROM pg_class WHERE oid = 'w.t'::regclass")[0]; !strings.Contains(got, "pg_read_all_data=r/") {
		t.Errorf("in its transaction the table has %s", got)
	}
	succeeds(t, one, "ROLLBACK")
	if got := acl("w.t"); got != "NULL" {
		t.Errorf("after ROLLBACK the table has %s", got)
	}
	h.notices = nil
	succeeds(t, one, "GRANT SELECT, INSERT ON w.t, w.v TO pg_read_all_data, PUBLIC")
	if want := "WARNING 01000 privileges are recorded, but not enforced"; !slices.Equal(h.notices, []string{want}) {
		t.Errorf("GRANT says %q, want %q", h.notices, want)
	}
	granted := "{ontosql=arwdDxt/ontosql,pg_read_all_data=ar/tester,=ar/tester}"
	for _, relation := range []string{"w.t", "w.v"} {
		if got := acl(relation); got != granted {
			t.Errorf("%s has %s, want %s", relation, got, granted)
		}
	}
	// What dbt-postgres reads, and then revokes.
	got := must(t, one, `SELECT grantee, privilege_type FROM "onto".INFORMATION_SCHEMA.role_table_grants
		WHERE grantor = current_role AND grantee != current_role AND table_schema = 'w' AND table_name = 't' ORDER BY 2`)
	if want := []string{"pg_read_all_data|INSERT", "pg_read_all_data|SELECT"}; !slices.Equal(got, want) {
		t.Errorf("role_table_grants has %q, want %q", got, want)
	}
	succeeds(t, two,
		`REVOKE insert ON "onto"."w"."t" FROM "pg_read_all_data"`, "GRANT UPDATE ON ALL TABLES IN SCHEMA w TO CURRENT_ROLE WITH GRANT OPTION",
		"ALTER TABLE w.t RENAME TO renamed", "ALTER TABLE w.renamed ADD COLUMN c int DEFAULT 1",
		"CREATE OR REPLACE VIEW w.v AS SELECT a FROM w.renamed")
	for relation, want := range map[string]string{
		"w.renamed": "{ontosql=arwdDxt/ontosql,pg_read_all_data=r/tester,=ar/tester,tester=w*/tester}",
		"w.v":       "{ontosql=arwdDxt/ontosql,pg_read_all_data=ar/tester,=ar/tester,tester=w*/tester}",
	} {
		if got := acl(relation); got != want {
			t.Errorf("%s has %s, want %s", relation, got, want)
		}
	}
	succeeds(t, one, "GRANT USAGE ON SCHEMA w TO PUBLIC")
	if got, want := must(t, two, "SELECT nspacl::text FROM pg_namespace WHERE nspname = 'w'")[0], "{ontosql=UC/ontosql,=U/tester}"; got != want {
		t.Errorf("the schema has %s, want %s", got, want)
	}
	succeeds(t, one, "REVOKE ALL ON w.v FROM ontosql, PUBLIC, tester, pg_read_all_data")
	if got := acl("w.v"); got != "{}" {
		t.Errorf("after REVOKE ALL the view has %s", got)
	}
	succeeds(t, one, "DROP SCHEMA w CASCADE", "CREATE SCHEMA w")
	if got := must(t, two, "SELECT nspacl::text FROM pg_namespace WHERE nspname = 'w'")[0]; got != "NULL" {
		t.Error("a schema that is created anew has the privileges of the one that was dropped")
	}
}

// TestGrantsAreRefused gives GRANT what PostgreSQL refuses, and what is not built.
func TestGrantsAreRefused(t *testing.T) {
	asksNoMirror(t)
	_, one, _ := workspaceTable(t)
	succeeds(t, one, "CREATE INDEX ix ON w.t (b)")
	for _, test := range []struct{ sql, code, message string }{
		{"GRANT SELECT ON w.t TO nobody", pgerr.UndefinedObject, `role "nobody" does not exist`},
		{"GRANT foo ON w.t TO tester", pgerr.SyntaxError, `unrecognized privilege type "foo"`},
		{"GRANT USAGE ON w.t TO tester", pgerr.InvalidGrantOperation, "invalid privilege type USAGE for table"},
		{"GRANT TEMPORARY ON w.t TO tester", pgerr.InvalidGrantOperation, "invalid privilege type TEMP for relation"},
		{"GRANT SELECT ON SCHEMA w TO tester", pgerr.InvalidGrantOperation, "invalid privilege type SELECT for schema"},
		{"GRANT SELECT ON w.nope TO tester", pgerr.UndefinedTable, `relation "w.nope" does not exist`},
		{"GRANT SELECT ON nope.nope TO tester", pgerr.InvalidSchemaName, `schema "nope" does not exist`},
		{"GRANT USAGE ON SCHEMA nope TO tester", pgerr.InvalidSchemaName, `schema "nope" does not exist`},
		{"GRANT SELECT ON ALL TABLES IN SCHEMA nope TO tester", pgerr.InvalidSchemaName, `schema "nope" does not exist`},
		{"GRANT SELECT ON w.ix TO tester", pgerr.WrongObjectType, `"ix" is an index`},
		{"GRANT SELECT ON w.t TO PUBLIC WITH GRANT OPTION", pgerr.InvalidGrantOperation, "grant options can only be granted to roles"},
		{"GRANT SELECT ON w.t TO tester GRANTED BY pg_monitor", pgerr.FeatureNotSupported, "grantor must be current user"},
		{"GRANT SELECT ON w.t TO tester GRANTED BY nobody", pgerr.UndefinedObject, `role "nobody" does not exist`},
		{"GRANT SELECT ON shelf, w.t TO tester", pgerr.FeatureNotSupported, "GRANT of ordinary and other tables in one statement is not supported"},
		{"GRANT CREATE ON SCHEMA public TO tester", pgerr.FeatureNotSupported, "changing privileges on schemas of the ontology is not supported yet"},
		{"GRANT SELECT (a) ON w.t TO tester", pgerr.FeatureNotSupported, "GRANT of privileges on columns of ordinary tables is not supported yet"},
		{"GRANT CONNECT ON DATABASE onto TO tester", pgerr.FeatureNotSupported, "GRANT ON DATABASE is not supported"},
		{"GRANT pg_monitor TO tester", pgerr.ObjectNotInPrerequisiteState, "roles cannot be changed, because this gateway has no users file"},
	} {
		if e := refused(t, one, test.code, test.sql); e.Message != test.message || e.Position != 0 {
			t.Errorf("%s: %s at %d, want %s", test.sql, e.Message, e.Position, test.message)
		}
	}
	if got := must(t, one, "SELECT relacl::text FROM pg_class WHERE oid = 'w.t'::regclass")[0]; got != "NULL" {
		t.Error("a statement that was refused has granted something")
	}
}
