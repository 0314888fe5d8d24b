package psql

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/internal/testenv"
)

// bossLine is the superuser who runs the files of roles, in the users file.
const bossLine = `{"role":"rd_boss","attributes":["login","superuser"]}` + "\n"

// serveUsers serves a copy of the demo with a users file, to be trusted by default.
func serveUsers(t *testing.T, users string, flags ...string) *url.URL {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(path, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	address, stop, err := serve(append([]string{"serve", "--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir(), "--db", "rd_db=" + copyStore(t), "--users", path}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return address
}

// inPlace are parts of psql's output that name a place.
var inPlace = regexp.MustCompile(`(?m)^LOCATION: .*\n`)

// postgresWithBoss is PostgreSQL with the superuser rd_boss and the database rd_db.
func postgresWithBoss(t *testing.T) *url.URL {
	t.Helper()
	postgres, err := url.Parse(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	const setUp = "SELECT 'CREATE ROLE rd_boss SUPERUSER LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'rd_boss')\\gexec\n" +
		"SELECT 'CREATE DATABASE rd_db' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'rd_db')\\gexec\n"
	if got := psql(t, postgres, script(t, setUp), "postgres"); strings.Contains(got, "ERROR") {
		t.Fatal(got)
	}
	return postgres
}

// TestRolesAsPostgreSQL: PostgreSQL and the gateway print the same for roles/*.sql, messages, SQLSTATEs and
// the lists of \du and \drds included.
func TestRolesAsPostgreSQL(t *testing.T) {
	postgres := postgresWithBoss(t)
	ours := serveUsers(t, bossLine)
	for _, server := range []*url.URL{postgres, ours} {
		server.User = url.User("rd_boss")
	}
	files, err := filepath.Glob("roles/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no roles/*.sql", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			tidy := func(s string) []string { return strings.Split(inPlace.ReplaceAllString(s, ""), "\n") }
			if diff := cmp.Diff(tidy(psql(t, postgres, file, "rd_db")), tidy(psql(t, ours, file, "rd_db"))); diff != "" {
				t.Errorf("%s (-PostgreSQL +ontosql):\n%s", file, diff)
			}
		})
	}
}

// TestRolesPage runs the session of the page about roles.
func TestRolesPage(t *testing.T) {
	server := serveUsers(t, `{"role":"boss","attributes":["login","superuser"]}`+"\n")
	server.User = url.User("boss")
	runPageAt(t, "../../docs/roles.md", server, "rd_db")
}

// asks runs one psql command as a user with a password, and returns all that it prints.
func asks(t *testing.T, server *url.URL, user, password, sql string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testenv.Psql(t), "-XAtq", "-c", sql)
	cmd.Env = append(os.Environ(), "PGCLIENTENCODING=UTF8", "PGOPTIONS=", "PGHOST="+server.Hostname(), "PGPORT="+server.Port(), "PGDATABASE=rd_db",
		"PGUSER="+user, "PGPASSWORD="+password)
	out, _ := cmd.CombinedOutput() // the text says what failed
	return strings.TrimSpace(string(out))
}

// TestRolesLogIn: what a role is decides whether and how it logs in, from the next login on.
func TestRolesLogIn(t *testing.T) {
	verifier, err := auth.NewVerifier("top")
	if err != nil {
		t.Fatal(err)
	}
	server := serveUsers(t, "boss:"+verifier+"\n{\"role\":\"root\",\"attributes\":[\"login\",\"superuser\"],\"password\":\""+verifier+"\"}\n", "--auth", "scram")
	for _, c := range []struct{ user, password, sql, want string }{
		{"boss", "top", "SHOW is_superuser", "off"}, // a line of the first form is LOGIN alone
		{"boss", "top", "CREATE ROLE x", "ERROR:  permission denied to create role"},
		{"boss", "top", "SELECT count(*) > 0 FROM customer", "t"},
		{"root", "top", "SHOW is_superuser", "on"},
		{"root", "top", "CREATE ROLE ann LOGIN PASSWORD 'I\u00adX'", ""},
		{"ann", "IX", "SELECT current_user", "ann"}, // by SASLprep the same
		{"ann", "other", "SELECT 1", `password authentication failed for user "ann"`},
		{"root", "top", "ALTER ROLE ann CONNECTION LIMIT 0", ""},
		{"ann", "IX", "SELECT 1", `FATAL:  too many connections for role "ann"`},
		{"root", "top", "ALTER ROLE ann CONNECTION LIMIT -1 VALID UNTIL '2020-01-01'", ""},
		{"ann", "IX", "SELECT 1", `password authentication failed for user "ann"`},
		{"root", "top", "ALTER ROLE ann VALID UNTIL 'infinity' NOLOGIN", ""},
		{"ann", "IX", "SELECT 1", `FATAL:  role "ann" is not permitted to log in`},
		{"root", "top", "ALTER ROLE ann LOGIN; ALTER ROLE ann SET statement_timeout = '7s'; ALTER ROLE ALL SET ontosql.as_of = '3'", ""},
		{"ann", "IX", "SHOW statement_timeout", "7s"},
		{"ann", "IX", "SHOW ontosql.as_of", "3"},
		{"ann", "IX", "ALTER ROLE ann PASSWORD '" + verifier + "'", ""},
		{"ann", "top", "SELECT 1", "1"},
		{"root", "top", "SELECT rolpassword IS NULL FROM pg_authid WHERE rolname = 'ann'", "t"},
		{"root", "top", "SELECT query FROM ontosql.statements WHERE query ~ 'VALID UNTIL' AND query ~ 'PASSWORD'", ""},
		{"root", "top", "SELECT count(*) > 0 FROM ontosql.statements WHERE query = 'CREATE ROLE ann LOGIN PASSWORD <not shown>'", "t"},
		{"root", "top", "DROP ROLE ann", ""},
		{"ann", "top", "SELECT 1", `password authentication failed for user "ann"`},
	} {
		if got := asks(t, server, c.user, c.password, c.sql); got != c.want && (c.want == "" || !strings.HasSuffix(got, c.want)) {
			t.Errorf("%s: %s: got %q, want %q", c.user, c.sql, got, c.want)
		}
	}
}

// TestRoleIsDroppedWhileConnected: the session stays, and is nobody any more.
func TestRoleIsDroppedWhileConnected(t *testing.T) {
	server := serveUsers(t, bossLine)
	server.User = url.User("rd_boss")
	file := filepath.Join(t.TempDir(), "dropped.sql")
	script := "\\set ECHO none\nCREATE ROLE rd_gone LOGIN;\n\\c - rd_gone\n\\! psql -Xq -U rd_boss -c 'DROP ROLE rd_gone'\n" +
		"SELECT current_user;\nCREATE ROLE rd_x;\nSELECT count(*) > 0 AS reads FROM customer;\n\\c - rd_boss\n\\du rd_*\n"
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	got := psql(t, server, file, "rd_db")
	want := []string{`role "rd_gone" does not exist`, "permission denied to create role", " t\n", " rd_boss   | Superuser"}
	for _, part := range want {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in\n%s", part, got)
		}
	}
}

// TestNoUsersFile: there is nowhere to keep roles.
func TestNoUsersFile(t *testing.T) {
	copied := serveStores(t, "rd_db="+copyStore(t))
	want := "ERROR:  roles cannot be changed, because this gateway has no users file\nHINT:  Start it with --users FILE; \"ontosql user add NAME --superuser --users FILE\" makes one."
	if got := asks(t, copied, "anybody", "", "CREATE ROLE x"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := asks(t, copied, "anybody", "", "SHOW is_superuser"); got != "on" {
		t.Errorf("is_superuser of a trusted user: %q", got)
	}
}

// TestThousandRoles: a thousand roles and memberships are made in one transaction, shown and dropped.
func TestThousandRoles(t *testing.T) {
	server := serveUsers(t, bossLine)
	var made, gone strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&made, "CREATE ROLE r%d IN ROLE pg_read_all_data;", i)
		fmt.Fprintf(&gone, "DROP ROLE r%d;", i)
	}
	if got := asks(t, server, "rd_boss", "", made.String()); got != "" {
		t.Fatal(got)
	}
	if got := asks(t, server, "rd_boss", "", `SELECT count(*), (SELECT count(*) FROM pg_auth_members WHERE roleid = 'pg_read_all_data'::regrole) FROM pg_roles WHERE rolname ~ '^r\d+$'`); got != "1000|1000" {
		t.Errorf("got %q", got)
	}
	if got := asks(t, server, "rd_boss", "", gone.String()); got != "" {
		t.Error(got)
	}
}
