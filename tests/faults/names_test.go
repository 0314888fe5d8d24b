package faults

import (
	"testing"
)

// TestUnknownNames asks for what is not there: databases, types, columns,
// points.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	for _, database := range []string{"nosuch", "nosuch@3", "ONTO", "onto:branch", "onto:branch@3"} {
		_, err := g.dial(t, database)
		wantError(t, "connect to "+database, err, "3D000", "does not exist")
	}
	for _, database := range []string{"onto@nonsense", "onto@", "onto@HEAD~x", "onto@2025-13-01", "onto@1.5"} {
		_, err := g.dial(t, database)
		wantError(t, "connect to "+database, err, "22023", "invalid point")
	}
	_, err := g.dial(t, "onto", "options='-c ontosql.as_of=nonsense'")
	wantError(t, "connect with options", err, "22023", "invalid point")
	_, err = g.dial(t, "onto", "options='-c nosuch=1'")
	wantError(t, "connect with an unknown option", err, "42704", "nosuch")

	c := g.connect(t, "onto")
	for _, test := range []struct{ sql, code, says string }{
		{`SELECT * FROM nosuch`, "42P01", `relation "nosuch" does not exist`},
		{`SELECT * FROM history.nosuch`, "42P01", `relation "history.nosuch" does not exist`},
		{`SELECT * FROM changes.nosuch`, "42P01", `relation "changes.nosuch" does not exist`},
		{`SELECT * FROM as_of.nosuch(3)`, "42P01", `nosuch`},
		{`SELECT * FROM nosuch FOR SYSTEM_TIME AS OF 3`, "42P01", `nosuch`},
		{`SELECT * FROM ontosql.nosuch`, "42P01", `nosuch`},
		{`SELECT * FROM "CUSTOMER"`, "42P01", `CUSTOMER`},
		{`SELECT nosuch FROM customer`, "42703", `column "nosuch" does not exist`},
		{`SELECT c.nosuch FROM customer c`, "42703", `column c.nosuch does not exist`},
		{`SELECT 1 FROM customer WHERE nosuch = 1`, "42703", `nosuch`},
		{`SELECT valid_to FROM customer`, "42703", `valid_to`},
		{`SELECT commit_id FROM (SELECT * FROM customer) c`, "42703", `commit_id`},
		{`SELECT nosuch(1)`, "42883", `function nosuch(integer) does not exist`},
		{`SELECT 1::nosuch`, "42704", `nosuch`},
		{`SELECT * FROM as_of.customer('nonsense')`, "22023", `invalid point "nonsense"`},
		{`SELECT * FROM as_of.customer('')`, "22023", `invalid point`},
		{`SELECT * FROM as_of.customer(NULL)`, "22023", `NULL`},
		{`SELECT * FROM as_of.customer(id) FROM customer`, "42601", ``},
		{`SELECT * FROM as_of.customer()`, "42883", ``},
		{`SELECT * FROM as_of.customer('HEAD~x')`, "22023", `invalid point`},
		{`SELECT * FROM as_of.customer('99999999999999999999')`, "22023", `invalid point`},
		{`SELECT * FROM customer FOR SYSTEM_TIME AS OF 'nonsense'`, "22023", `invalid point "nonsense"`},
		{`SELECT * FROM customer FOR SYSTEM_TIME AS OF TIMESTAMP '2025-13-01'`, "22023", `invalid point`},
		{`SET ontosql.as_of = 'nonsense'`, "22023", `invalid point "nonsense"`},
		{`SET ontosql.nosuch = '1'`, "42704", `ontosql.nosuch`},
	} {
		c.refuses(t, test.sql, test.code, test.says)
	}

	// A point after head means head; at or below zero nothing had happened yet.
	for _, far := range []string{"54", "55", "9223372036854775807", "'HEAD'", "'HEAD~0'", "'2999-01-01'", "'2999-01-01T00:00:00Z'"} {
		c.answers(t, `SELECT count(*) FROM as_of.customer(`+far+`)`, "40")
		c.answers(t, `SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF `+far+` c`, "40")
	}
	for _, none := range []string{"0", "-1", "-9223372036854775808", "1", "'HEAD~54'", "'HEAD~9999'", "'1999-01-01'"} {
		c.answers(t, `SELECT count(*) FROM as_of.customer(`+none+`)`, "0")
	}
	g.connect(t, "onto@-1").answers(t, `SELECT count(*) FROM history.customer`, "0")
	g.connect(t, "onto@9999").answers(t, `SELECT count(*) FROM customer`, "40")
	g.connect(t, "onto", "options='-c ontosql.as_of=0'").answers(t, `SELECT count(*) FROM customer`, "0")

	// An error shows where it is, in characters and not in bytes.
	if e := c.refuses(t, `SELECT 'é', nosuch FROM customer`, "42703"); e != nil && e.Position != 13 {
		t.Errorf("position of an unknown column behind an é is %d, want 13", e.Position)
	}
}
