package psql

import (
	"net/url"
	"strings"
	"testing"
)

// userAsks is a statement of a user and what psql prints: all of it, or its beginning if want ends in a line break.
type userAsks struct{ user, sql, want string }

func (a userAsks) check(t *testing.T, server *url.URL) {
	t.Helper()
	if got := asks(t, server, a.user, "", a.sql); got != a.want && !(strings.HasSuffix(a.want, "\n") && strings.HasPrefix(got, a.want)) {
		t.Errorf("%s: %s: got %q, want %q", a.user, a.sql, got, a.want)
	}
}

const smallLine = `{"role":"small","attributes":["login"]}` + "\n"

func limitError(limit, what string) string {
	return "ERROR:  statement needs more than " + limit + " " + what + "\n"
}

// TestLimitsOfRoles: a superuser limits what the statements of a role use, and the role cannot change that.
func TestLimitsOfRoles(t *testing.T) {
	server := serveUsers(t, bossLine+smallLine)
	const rows, requests = "ontosql.max_result_rows", "ontosql.max_requests"
	denied := func(name string) string { return `ERROR:  permission denied to set parameter "` + name + `"` }
	for _, a := range []userAsks{
		{"small", "SELECT count(*) FROM generate_series(1, 100)", "100"},
		{"small", "SET " + rows + " = 0", denied(rows)},
		{"small", "RESET " + rows, denied(rows)},
		{"small", "SELECT set_config('" + rows + "', '5', false)", denied(rows)},
		{"small", "ALTER ROLE small SET " + requests + " = 0", denied(requests)},
		{"rd_boss", "ALTER ROLE small SET " + rows + " = -1", `ERROR:  -1 is outside the valid range for parameter "` + rows + `" (0 .. 9223372036854775807)`},
		{"rd_boss", "ALTER ROLE small SET " + rows + " = 5", ""},
		{"small", "SHOW " + rows, "5"},
		{"small", "SELECT n FROM generate_series(1, 5) AS g(n)", "1\n2\n3\n4\n5"},
		{"small", "SELECT n FROM generate_series(1, 6) AS g(n)", limitError("5", "rows of a result")},
		{"small", "SELECT count(*) FROM generate_series(1, 100)", "100"},
		{"rd_boss", "ALTER ROLE small RESET " + rows, ""},
		{"rd_boss", "SELECT context FROM pg_settings WHERE name = '" + rows + "'", "superuser"},
	} {
		a.check(t, server)
	}
}
