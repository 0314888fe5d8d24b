//go:build !mirrormode

package psql

import "testing"

// TestLimitsOfTheStore: what a role's statements read of the store is limited. What a mirror answers
// reads nothing of it, so builds with the tag mirrormode skip this.
func TestLimitsOfTheStore(t *testing.T) {
	server := serveUsers(t, bossLine+smallLine)
	const requests, bytes = "ontosql.max_requests", "ontosql.max_scan_bytes"
	for _, a := range []userAsks{
		{"rd_boss", "ALTER ROLE small SET " + requests + " = 1", ""},
		{"small", "SELECT count(*) > 0 FROM history.customer", limitError("1", "requests to the store")},
		{"small", "SELECT 1", "1"},
		{"rd_boss", "ALTER ROLE small RESET " + requests + "; ALTER ROLE small SET " + bytes + " = 10", ""},
		{"small", "SELECT count(*) > 0 FROM history.purchase", limitError("10", "bytes of the store")},
		{"rd_boss", "ALTER ROLE small RESET " + bytes, ""},
		{"small", "SELECT count(*) > 0 FROM history.purchase", "t"},
	} {
		a.check(t, server)
	}
}
