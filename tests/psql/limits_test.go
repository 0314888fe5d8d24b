package psql

import (
	"strings"
	"testing"
)

// TestLimitsOfRoles: a superuser limits what the statements of a role use, and the role cannot change that.
func TestLimitsOfRoles(t *testing.T) {
	server := serveUsers(t, bossLine+`{"role":"small","attributes":["login"]}`+"\n")
	const rows, requests, bytes = "ontosql.max_result_rows", "ontosql.max_requests", "ontosql.max_scan_bytes"
	denied := func(name string) string { return `ERROR:  permission denied to set parameter "` + name + `"` }
	over := func(limit, what string) string {
		return "ERROR:  statement needs more than " + limit + " " + what + "\n"
	}
	for _, c := range []struct{ user, sql, want string }{
		{"small", "SELECT count(*) FROM generate_series(1, 100)", "100"},
		{"small", "SET " + rows + " = 0", denied(rows)},
		{"small", "RESET " + rows, denied(rows)},
		{"small", "SELECT set_config('" + rows + "', '5', false)", denied(rows)},
		{"small", "ALTER ROLE small SET " + requests + " = 0", denied(requests)},
		{"rd_boss", "ALTER ROLE small SET " + rows + " = -1", `ERROR:  -1 is outside the valid range for parameter "` + rows + `" (0 .. 9223372036854775807)`},
		{"rd_boss", "ALTER ROLE small SET " + rows + " = 5", ""},
		{"small", "SHOW " + rows, "5"},
		{"small", "SELECT n FROM generate_series(1, 5) AS g(n)", "1\n2\n3\n4\n5"},
		{"small", "SELECT n FROM generate_series(1, 6) AS g(n)", over("5", "rows of a result")},
		{"small", "SELECT count(*) FROM generate_series(1, 100)", "100"},
		{"rd_boss", "ALTER ROLE small RESET " + rows + "; ALTER ROLE small SET " + requests + " = 1", ""},
		{"small", "SELECT count(*) > 0 FROM history.customer", over("1", "requests to the store")},
		{"small", "SELECT 1", "1"},
		{"rd_boss", "ALTER ROLE small RESET " + requests + "; ALTER ROLE small SET " + bytes + " = 10", ""},
		{"small", "SELECT count(*) > 0 FROM history.purchase", over("10", "bytes of the store")},
		{"rd_boss", "ALTER ROLE small RESET " + bytes, ""},
		{"small", "SELECT count(*) > 0 FROM history.purchase", "t"},
		{"rd_boss", "SELECT context FROM pg_settings WHERE name = '" + rows + "'", "superuser"},
	} {
		if got := asks(t, server, c.user, "", c.sql); got != c.want && !(strings.HasSuffix(c.want, "\n") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %s: got %q, want %q", c.user, c.sql, got, c.want)
		}
	}
}
