package gateway_test

import (
	"slices"
	"testing"
)

// TestDigitsAreTold creates columns of type numeric without a precision: the client is told how
// many digits they hold, in schemas that stay.
func TestDigitsAreTold(t *testing.T) {
	asksNoMirror(t)
	h, s, _ := workspaceTable(t)
	const told = `NOTICE 00000 column "n" of type numeric holds 26 digits before and 12 after the decimal point`
	for _, c := range []struct {
		sql  string
		told bool
	}{
		{"CREATE TABLE w.a (n numeric, p numeric(38,20), i int)", true},
		{"CREATE TABLE w.b (i int, p numeric(5))", false},
		{"ALTER TABLE w.b ADD COLUMN n numeric", true},
		{"ALTER TABLE w.b ALTER COLUMN n TYPE numeric(9,2)", false},
		{"ALTER TABLE w.b ALTER COLUMN n TYPE numeric", true},
		{"CREATE TEMP TABLE c (n numeric)", false},
		{"CREATE TABLE w.d AS SELECT 1.12345678901234567::numeric AS n", false},
	} {
		h.notices = nil
		must(t, s, c.sql)
		if got := slices.Contains(h.notices, told); got != c.told {
			t.Errorf("%s: told %t, want %t: %q", c.sql, got, c.told, h.notices)
		}
	}
	answers(t, s, "SELECT n FROM w.d", "1.12345678901234567")
}
