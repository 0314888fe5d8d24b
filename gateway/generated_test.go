package gateway_test

import "testing"

// TestGeneratedColumnsOfWaitingWrites: an UPDATE that waited for another transaction computes
// generated columns of the newest row, and a duplicate of a generated key waits, too.
func TestGeneratedColumnsOfWaitingWrites(t *testing.T) {
	h, one, two := workspaceTable(t)
	succeeds(t, one, "CREATE TABLE w.g (a int PRIMARY KEY, b int, c int GENERATED ALWAYS AS (a * 100 + b) STORED UNIQUE)")
	tagged(t, one, "INSERT INTO w.g VALUES (1, 1), (2, 2)", "INSERT 0 2")
	h.waits(t, one, "UPDATE w.g SET b = 5 WHERE a = 1", "COMMIT", two, "UPDATE w.g SET b = b + 1 WHERE c > 100 AND a = 1 RETURNING b, c", "6|106")
	h.waits(t, one, "INSERT INTO w.g VALUES (3, 3)", "COMMIT", two, "INSERT INTO w.g VALUES (4, -97)", "23505")
	h.waits(t, one, "INSERT INTO w.g VALUES (5, 5)", "COMMIT", two, "INSERT INTO w.g VALUES (6, -95) ON CONFLICT (c) DO UPDATE SET b = 7 RETURNING a, c", "5|507")
}

// TestGeneratedColumnsComputedOnce: a value that differs each time is computed once for the row
// and for the columns that are computed of it.
func TestGeneratedColumnsComputedOnce(t *testing.T) {
	_, s, _ := workspaceTable(t)
	succeeds(t, s, "CREATE TABLE w.g (id serial, a float8 DEFAULT random(), b float8 GENERATED ALWAYS AS (a) STORED, c int GENERATED ALWAYS AS (id) STORED)")
	tagged(t, s, "INSERT INTO w.g SELECT FROM generate_series(1, 5000)", "INSERT 0 5000")
	tagged(t, s, "UPDATE w.g SET a = random() WHERE id % 2 = 0", "UPDATE 2500")
	tagged(t, s, "MERGE INTO w.g USING (SELECT generate_series(4990, 5010) AS n) x ON id = n WHEN MATCHED THEN UPDATE SET a = random() WHEN NOT MATCHED THEN INSERT (a) VALUES (random())", "MERGE 21")
	answers(t, s, "SELECT count(*), count(DISTINCT a) > 5000, bool_and(a = b), bool_and(c = id) FROM w.g", "5010|true|true|true")
}
