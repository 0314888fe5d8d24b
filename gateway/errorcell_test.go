package gateway_test

import (
	"strings"
	"testing"
)

// TestInsertNamesTheCell: the engine names neither row nor column of a value that
// it refuses, the client gets both, and the place of a literal. Positions and
// the order of several errors are PostgreSQL 15's.
func TestInsertNamesTheCell(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	many := "INSERT INTO item (sku, title, day) VALUES (1, 'a', '2024-01-01')" + strings.Repeat(", (1, 'a', '2024-01-01')", 900) + ", (2, 'b', '2024-02-31'), (3, 'c', '2024-02-32')"
	for _, c := range []struct {
		sql, code, column, row string
		position               int
		args                   []string
	}{
		{"INSERT INTO item (sku, title, day) VALUES (1, 'a', '2024-02-30')", "22008", "day", "row 1", 52, nil},
		{"INSERT INTO item (sku, title, day) VALUES (1, 'a', NULL), (2, 'b', '2024-13-01')", "22008", "day", "row 2", 68, nil},
		{"INSERT INTO item (sku, title, code) VALUES (1, 'ä', NULL), (2, 'b', '2024-13-01'), (3, 'c', 'x')", "22P02", "code", "row 2", 69, nil},
		{"INSERT INTO item (sku, title, sold) VALUES (1, 'a', true), (2, 'b', 'perhaps')", "22P02", "sold", "row 2", 69, nil},
		{many, "22008", "day", "row 902", strings.Index(many, "'2024-02-31'") + 1, nil},
		{"INSERT INTO item (sku, title, day) VALUES (1, 'a', NULL), (2, 'b', '2024-13-01'::text::date)", "22008", "day", "row 2", 0, nil},
		{"INSERT INTO item (sku, title, weight) VALUES (1, 'a', 1), (2, 'b', 1 / 0)", "22012", "weight", "row 2", 0, nil},
		{"INSERT INTO item (sku, title) VALUES (1, 'a'), (2e30, 'b'), (3e30, 'c')", "22003", "sku", "row 2", 0, nil},
		// The engine meets the number first, PostgreSQL the literal.
		{"INSERT INTO item (sku, title, day) VALUES (1 / 0, 'a', NULL), (2, 'b', '2024-13-01')", "22008", "day", "row 2", 72, nil},
		{"INSERT INTO item (sku, title, day) VALUES ($1, 'a', $2), ($3, 'b', $4)", "22008", "day", "row 2", 0, []string{"1", "2024-01-01", "2", "2024-13-01"}},
		{"INSERT INTO item (sku, title, code) VALUES (1, 'a', $1), (2, 'b', $2)", "22P02", "code", "row 1", 0, []string{"one", "two"}},
		{"INSERT INTO item (sku, title, day) SELECT sku, 'a', '2024-13-01'::text::date FROM generate_series(1, 3) AS sku", "22008", "day", "column", 0, nil},
	} {
		e := refused(t, s, c.code, c.sql, c.args...)
		if columnOf(t, e) != c.column || e.Position != c.position || !strings.HasPrefix(e.Where, c.row) {
			t.Errorf("%.200s\ngot  column %q, position %d, %q (%s)\nwant column %q, position %d, %q", c.sql, columnOf(t, e), e.Position, e.Where, e.Message, c.column, c.position, c.row)
		}
	}
}
