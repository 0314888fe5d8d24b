package gateway_test

import (
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestExpressionKeysBetweenSessions: whether a key of a unique index with an expression and a
// condition is a duplicate is known when the transaction that has it ends.
func TestExpressionKeysBetweenSessions(t *testing.T) {
	h, one, two := workspaceTable(t)
	must(t, one, "CREATE TABLE w.u (name text, active boolean, n int)")
	must(t, one, "CREATE UNIQUE INDEX u_name ON w.u (lower(name)) WHERE active")
	must(t, one, "INSERT INTO w.u VALUES ('cy', false, 1), ('dy', true, 1)")
	for _, c := range []struct{ first, end, second, want string }{
		{"INSERT INTO w.u VALUES ('Ann', true, 1)", "COMMIT", "INSERT INTO w.u VALUES ('ANN', true, 2)", pgerr.UniqueViolation},
		{"INSERT INTO w.u VALUES ('Bob', true, 1)", "ROLLBACK", "INSERT INTO w.u VALUES ('BOB', true, 2) RETURNING n", "2"},
		{"DELETE FROM w.u WHERE name = 'BOB'", "COMMIT", "INSERT INTO w.u VALUES ('bob', true, 3) RETURNING n", "3"},
		{"DELETE FROM w.u WHERE name = 'bob'", "ROLLBACK", "INSERT INTO w.u VALUES ('Bob', true, 4)", pgerr.UniqueViolation},
		{"UPDATE w.u SET active = false WHERE name = 'bob'", "COMMIT", "INSERT INTO w.u VALUES ('BOB', true, 5) RETURNING n", "5"},
		{"UPDATE w.u SET active = true WHERE name = 'cy'", "COMMIT", "UPDATE w.u SET name = 'Cy' WHERE name = 'dy'", pgerr.UniqueViolation},
		{"INSERT INTO w.u VALUES ('ed', true, 1)", "COMMIT", "INSERT INTO w.u VALUES ('ED', true, 5) ON CONFLICT (lower(name)) WHERE active DO UPDATE SET n = u.n + excluded.n RETURNING n", "6"},
		{"INSERT INTO w.u VALUES ('fay', true, 1)", "COMMIT", "INSERT INTO w.u VALUES ('FAY', true, 5) ON CONFLICT DO NOTHING RETURNING n", ""},
	} {
		h.waits(t, one, c.first, c.end, two, c.second, c.want)
	}
	// An index is created over the rows of transactions that have ended.
	h.waits(t, one, "INSERT INTO w.u VALUES ('new', false, 1), ('NEW', false, 2)", "COMMIT", two, "CREATE UNIQUE INDEX ON w.u (lower(name))", pgerr.UniqueViolation)
}
