package psql

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// grantsTried are the privileges that a role has on a table, each with none of the others.
var grantsTried = []string{
	"",
	"GRANT SELECT ON %s TO gp_u;",
	"GRANT INSERT ON %s TO gp_u;",
	"GRANT UPDATE ON %s TO gp_u;",
	"GRANT REFERENCES ON %s TO gp_u;",
	"GRANT SELECT, UPDATE ON %s TO gp_u;",
	"GRANT SELECT, INSERT ON %s TO gp_u;",
	"GRANT INSERT, UPDATE ON %s TO gp_u;",
	"GRANT ALL ON TABLE %s TO gp_u;",
	"GRANT SELECT ON %s TO PUBLIC;",
	"GRANT SELECT, UPDATE ON %s TO gp_g;",
	"GRANT SELECT ON %s TO gp_h;",
	"GRANT pg_read_all_data TO gp_u;",
	"GRANT pg_write_all_data TO gp_u;",
}

// columnGrantsTried are those on columns.
var columnGrantsTried = []string{
	"GRANT SELECT (id, a) ON %s TO gp_u;",
	"GRANT SELECT (id), UPDATE (a) ON %s TO gp_u;",
	"GRANT INSERT (id, a) ON %s TO gp_u;",
	"GRANT INSERT (id, a), SELECT (id) ON %s TO gp_u;",
	"GRANT UPDATE (b), SELECT (b) ON %s TO gp_g;",
	"GRANT ALL (a) ON %s TO PUBLIC;",
	"GRANT SELECT ON %[1]s TO gp_u; REVOKE SELECT (a) ON %[1]s FROM gp_u;",
}

// statementsTried are run under each of the grants.
var statementsTried = []string{
	"SELECT count(*) FROM %s",
	"SELECT * FROM %s ORDER BY 1",
	"SELECT id FROM %s ORDER BY 1",
	"SELECT a FROM %s ORDER BY 1",
	"SELECT id, a FROM %s ORDER BY 1",
	"SELECT 1 FROM %s LIMIT 1",
	"SELECT x.a FROM %s x WHERE x.b > 0 ORDER BY 1",
	"SELECT id FROM %s ORDER BY b",
	"SELECT (SELECT max(a) FROM %s)",
	"WITH q AS (SELECT a, b FROM %s) SELECT count(a) FROM q",
	"SELECT EXISTS (SELECT FROM %s WHERE id = 1)",
	"SELECT x.id FROM %[1]s x JOIN %[1]s y USING (id) ORDER BY 1",
	"SELECT id FROM %s WHERE id = 1",
	"SELECT id FROM %s WHERE id = 1 FOR UPDATE",
	"INSERT INTO %s VALUES (7, 'seven', 7)",
	"INSERT INTO %s (id) VALUES (7)",
	"INSERT INTO %s (id, a) VALUES (7, 'seven')",
	"INSERT INTO %s (id, a) VALUES (7, 'seven') RETURNING id",
	"INSERT INTO %s (id, a) VALUES (7, 'seven') RETURNING *",
	"INSERT INTO %s (id, a) VALUES (1, 'uno') ON CONFLICT DO NOTHING",
	"INSERT INTO %s (id, a) VALUES (1, 'uno') ON CONFLICT (id) DO NOTHING",
	"INSERT INTO %s (id, a) VALUES (1, 'uno') ON CONFLICT (id) DO UPDATE SET a = excluded.a",
	"INSERT INTO %[1]s (id, a) SELECT id + 10, a FROM %[1]s",
	"UPDATE %s SET a = 'x'",
	"UPDATE %s SET a = 'x' WHERE id = 1",
	"UPDATE %s SET b = b + 1",
	"UPDATE %s SET b = 1 WHERE a = 'one'",
	"UPDATE %s SET a = 'y' WHERE id = 1 RETURNING a",
	"COPY %s TO STDOUT",
	"COPY %s (id) TO STDOUT",
}

// governed are PostgreSQL and a gateway whose ontology requires grants, with a superuser rd_boss and a database rd_db.
func governed(t *testing.T) (postgres, ours *url.URL) {
	t.Helper()
	postgres = postgresWithBoss(t)
	ours = serveUsers(t, bossLine)
	for _, server := range []*url.URL{postgres, ours} {
		server.User = url.User("rd_boss")
	}
	if got := psql(t, ours, script(t, "GRANT SELECT ON customer TO PUBLIC;\n"), "rd_db"); !strings.Contains(got, "privileges are checked from now on") {
		t.Fatal("the first grant says nothing:\n" + got)
	}
	return postgres, ours
}

// script is a file of psql.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// alike compares what two servers print for a file.
func alike(t *testing.T, postgres, ours *url.URL, file string) {
	t.Helper()
	tidy := func(s string) []string { return strings.Split(inPlace.ReplaceAllString(s, ""), "\n") }
	if diff := cmp.Diff(tidy(psql(t, postgres, file, "rd_db")), tidy(psql(t, ours, file, "rd_db"))); diff != "" {
		t.Errorf("%s (-PostgreSQL +ontosql):\n%s", file, diff)
	}
}

// TestGrantFilesAsPostgreSQL: PostgreSQL and the gateway print the same for grants/*.sql.
func TestGrantFilesAsPostgreSQL(t *testing.T) {
	postgres, ours := governed(t)
	files, err := filepath.Glob("grants/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no grants/*.sql", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) { alike(t, postgres, ours, file) })
	}
}

// TestGrantsAsPostgreSQL: under the same grants, PostgreSQL and the gateway refuse the same statements with
// the same errors, and answer the others alike, for types and for ordinary tables.
func TestGrantsAsPostgreSQL(t *testing.T) {
	postgres, ours := governed(t)
	for _, c := range []struct {
		table  string
		grants []string
	}{
		{"gp_t", append(append([]string{}, grantsTried...), columnGrantsTried...)},
		{"gp_s.gp_t", grantsTried},
	} {
		t.Run(c.table, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("\\set VERBOSITY verbose\n")
			if strings.Contains(c.table, ".") {
				text.WriteString("CREATE SCHEMA gp_s;\nGRANT USAGE ON SCHEMA gp_s TO PUBLIC;\n")
			} else {
				text.WriteString("CREATE ROLE gp_g;\nCREATE ROLE gp_h;\nCREATE ROLE gp_u IN ROLE gp_g;\nCREATE ROLE gp_n NOINHERIT IN ROLE gp_h;\nGRANT gp_u TO gp_n;\n")
			}
			fmt.Fprintf(&text, "CREATE TABLE %[1]s (id int PRIMARY KEY, a text, b int);\nINSERT INTO %[1]s VALUES (1, 'one', 1), (2, 'two', 2);\n", c.table)
			for _, grant := range c.grants {
				fmt.Fprintf(&text, "\\echo === %s\n", grant)
				if strings.Contains(grant, "%") {
					fmt.Fprintf(&text, grant+"\n", c.table)
				} else {
					text.WriteString(grant + "\n")
				}
				text.WriteString("SET ROLE gp_u;\n")
				for _, sql := range statementsTried {
					fmt.Fprintf(&text, "BEGIN;\n"+sql+";\nROLLBACK;\n", c.table)
				}
				fmt.Fprintf(&text, "RESET ROLE;\nREVOKE ALL ON %[1]s FROM gp_u, gp_g, gp_h, PUBLIC;\nREVOKE pg_read_all_data, pg_write_all_data FROM gp_u;\n", c.table)
				if len(c.grants) > len(grantsTried) {
					fmt.Fprintf(&text, "REVOKE ALL (id, a, b) ON %[1]s FROM gp_u, gp_g, PUBLIC;\n", c.table)
				}
			}
			alike(t, postgres, ours, script(t, text.String()))
		})
	}
}

// TestSystemColumnsNeedWhatTheyShow: fields_json is the whole row, and the stored identity is the key.
func TestSystemColumnsNeedWhatTheyShow(t *testing.T) {
	ours := serveUsers(t, bossLine)
	ours.User = url.User("rd_boss")
	setUp := "CREATE ROLE u;\nCREATE TABLE t (id int PRIMARY KEY, a text, b int);\nINSERT INTO t VALUES (1, 'secret', 1);\n" +
		"GRANT SELECT (b), UPDATE (b), INSERT (id, b) ON t TO u;\n"
	if got := psql(t, ours, script(t, setUp), "rd_db"); strings.Contains(got, "ERROR") {
		t.Fatal(got)
	}
	for _, sql := range []string{
		"SELECT fields_json FROM t",
		"SELECT count(*) FROM t WHERE fields_json->>'a' = 'secret'",
		"SELECT x.fields_json FROM as_of.t('HEAD') x",
		"SELECT fields_json FROM t FOR SYSTEM_TIME AS OF 'HEAD'",
		"SELECT entity_key FROM t",
		"SELECT b FROM t WHERE entity_key = '1'",
		"UPDATE t SET b = 1 RETURNING fields_json",
		"UPDATE t SET b = 1 RETURNING t.fields_json",
		"UPDATE t SET b = 1 WHERE fields_json->>'a' = 'secret'",
		"UPDATE t SET b = 1 RETURNING entity_key",
		"INSERT INTO t (id, b) VALUES (2, 2) RETURNING fields_json",
	} {
		if got := psql(t, ours, script(t, "SET ROLE u;\n"+sql+";\n"), "rd_db"); !strings.Contains(got, "ERROR:  permission denied for table t\n") {
			t.Errorf("a role with SELECT (b) runs %s:\n%s", sql, got)
		}
	}
	if got := psql(t, ours, script(t, "SET ROLE u;\nSELECT b, commit_id IS NULL FROM t;\nUPDATE t SET b = 2 RETURNING b;\n"), "rd_db"); strings.Contains(got, "ERROR") {
		t.Error(got)
	}
}

// TestEnqueueIsGranted: sending an event needs INSERT on ontosql.events, wherever a statement calls the function.
func TestEnqueueIsGranted(t *testing.T) {
	ours := serveUsers(t, bossLine)
	ours.User = url.User("rd_boss")
	if got := psql(t, ours, script(t, "CREATE ROLE u;\nCREATE ROLE w IN ROLE pg_write_all_data;\nCREATE ROLE g;\nGRANT SELECT ON customer TO u, w, g;\nGRANT INSERT ON ontosql.events TO g;\n"), "rd_db"); strings.Contains(got, "ERROR") {
		t.Fatal(got)
	}
	for _, sql := range []string{
		"SELECT ontosql.enqueue('t', '{}')",
		"SELECT ontosql.enqueue('t', '{}') FROM customer",
		"SELECT (SELECT ontosql.enqueue('t', '{}'))",
		"CREATE TEMP TABLE e AS SELECT ontosql.enqueue('t', '{}') AS id",
		"PREPARE p AS SELECT ontosql.enqueue('t', '{}');\nEXECUTE p",
	} {
		for role, denied := range map[string]bool{"u": true, "w": false, "g": false} {
			got := psql(t, ours, script(t, "SET ROLE "+role+";\n"+sql+";\n"), "rd_db")
			if strings.Contains(got, "ERROR:  permission denied for table events\n") != denied || strings.Contains(got, "ERROR") != denied {
				t.Errorf("%s, denied: want %v\n%s", sql, denied, got)
			}
		}
	}
}

// TestPrivilegesAreAskedByRole: what a role is told of its privileges is not told to another one that asks the same.
func TestPrivilegesAreAskedByRole(t *testing.T) {
	server := serveUsers(t, bossLine+`{"role":"member","attributes":["login"]}`+"\n"+`{"role":"other","attributes":["login"]}`+"\n")
	userAsks{"rd_boss", "CREATE ROLE club; GRANT club TO member; GRANT SELECT ON customer TO member", "NOTICE:  privileges are checked from now on\n"}.check(t, server)
	for _, asked := range []string{
		"SELECT has_table_privilege('customer', 'SELECT')", "SELECT has_database_privilege('rd_db', 'CREATE') OR pg_has_role('club', 'MEMBER')",
		"SELECT pg_has_role('club', 'MEMBER')", "SELECT has_any_column_privilege('customer', 'SELECT')", "SELECT has_column_privilege('customer', 'id', 'SELECT')",
		"SELECT has_schema_privilege('public', 'CREATE') OR has_table_privilege('customer'::regclass, 'SELECT')",
		"SELECT has_table_privilege(oid, 'SELECT') FROM pg_class WHERE oid = 'customer'::regclass",
		"SELECT count(*) FILTER (WHERE has_table_privilege(t.oid, 'SELECT')) > 0 FROM (VALUES ('customer'::regclass)) AS t(oid)",
	} {
		for _, first := range [][2]string{{"member", "other"}, {"other", "member"}} {
			sql := asked + " /* " + first[0] + " first */"
			for _, role := range first {
				want := map[string]string{"member": "t", "other": "f"}[role]
				userAsks{role, sql, want}.check(t, server)
				userAsks{"rd_boss", "SET ROLE " + role + "; " + sql, want}.check(t, server)
			}
		}
	}
	userAsks{"rd_boss", "SELECT has_database_privilege('rd_db', 'CREATE')", "t"}.check(t, server)
	userAsks{"other", "SELECT has_database_privilege('rd_db', 'CREATE')", "f"}.check(t, server)
}

// TestDatabasesHaveOwners: where roles say who administers, the others make no copies of databases, whose points
// before the first grant would be open to them, drop and change none, and reach none from another.
func TestDatabasesHaveOwners(t *testing.T) {
	users := bossLine + `{"role":"u","attributes":["login"]}` + "\n" + `{"role":"maker","attributes":["login","createdb"]}` + "\n"
	dir := t.TempDir()
	names, path := filepath.Join(dir, "names"), filepath.Join(dir, "users")
	if err := os.WriteFile(path, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"ns", "init"}, {"ns", "create", "rd_db", "--storage-uri", copyStore(t)}} {
		if out, err := exec.Command(binary, append(args, "--nameservice", names)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	ours, stop, err := serve("serve", "--cache-dir", filepath.Join(dir, "cache"), "--workspace-dir", filepath.Join(dir, "workspace"), "--nameservice", names, "--nameservice-root", filepath.Join(dir, "root"), "--users", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	run := func(user, sql string) string {
		server := *ours
		server.User = url.User(user)
		return psql(t, &server, script(t, sql), "rd_db")
	}
	for sql, denied := range map[string]string{
		"CREATE DATABASE copied TEMPLATE \"rd_db@1\"":          "permission denied to create database",
		"DROP DATABASE other":                                  "must be owner of database other",
		"ALTER DATABASE other SET work_mem = '1MB'":            "must be owner of database other",
		"COMMENT ON DATABASE other IS 'x'":                     "must be owner of database other",
		"SELECT * FROM ontosql.branches()":                     "permission denied for function branches",
		"SELECT * FROM ontosql.branch_diff('rd_db', 'other')":  "permission denied for function branch_diff",
		"SELECT * FROM ontosql.merge('other')":                 "permission denied for function merge",
		"SELECT ontosql.ns_retract('other:main', 'no reason')": "permission denied for function ns_retract",
	} {
		if got := run("rd_boss", "CREATE DATABASE other;\n"); strings.Contains(got, "ERROR") && !strings.Contains(got, "already exists") {
			t.Fatal(got)
		}
		if got := run("u", sql+";\n"); !strings.Contains(got, "ERROR:  "+denied+"\n") {
			t.Errorf("want %q:\n%s", denied, got)
		}
	}
	if got := run("maker", "CREATE DATABASE made;\n"); strings.Contains(got, "ERROR") {
		t.Error(got)
	}
	if got := run("maker", "CREATE DATABASE copied TEMPLATE other;\n"); !strings.Contains(got, `ERROR:  permission denied to copy database "other"`) {
		t.Error(got)
	}
}

// TestCopyModesNeedPrivileges: merge writes rows that are there, and overwrite names those that its data lacks.
func TestCopyModesNeedPrivileges(t *testing.T) {
	ours := serveUsers(t, bossLine)
	ours.User = url.User("rd_boss")
	setUp := "CREATE ROLE u;\nCREATE TABLE t (id int PRIMARY KEY, a text, b int DEFAULT 5);\nINSERT INTO t VALUES (1, 'secret', 1);\nGRANT INSERT, UPDATE (a) ON t TO u;\n"
	if got := psql(t, ours, script(t, setUp), "rd_db"); strings.Contains(got, "ERROR") {
		t.Fatal(got)
	}
	for _, test := range []struct {
		grant, copy string
		denied      bool
	}{
		{"", "COPY t (id, a) FROM STDIN (MODE merge)", true}, // it updates id as well
		{"GRANT UPDATE ON t TO u", "COPY t (id, a) FROM STDIN (MODE merge)", false},
		{"", "COPY t (id, a) FROM STDIN (MODE overwrite)", true},
		{"", "COPY t (id, a) FROM STDIN (MODE overwrite, KEEP_MISSING)", true},
		{"GRANT SELECT (id) ON t TO u", "COPY t (id, a) FROM STDIN (MODE overwrite, KEEP_MISSING)", false},
	} {
		got := psql(t, ours, script(t, test.grant+";\nSET ROLE u;\n"+test.copy+";\n7\tseven\n\\.\n"), "rd_db")
		if strings.Contains(got, "ERROR:  permission denied for table t\n") != test.denied || strings.Contains(got, "ERROR") != test.denied {
			t.Errorf("after %q, denied: want %v\n%s", test.grant, test.denied, got)
		}
	}
}
