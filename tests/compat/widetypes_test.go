package compat

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestWideColumnsOfTypes writes columns of more than 38 digits of a type, changes their types and reads them
// again, with and without the rows in the mirror, as PostgreSQL does.
func TestWideColumnsOfTypes(t *testing.T) {
	postgres, types := connectNumerics(t, testenv.Postgres(t)), connectNumerics(t, serveNumerics(t))
	read := "SELECT * FROM w ORDER BY id"
	for _, sql := range []string{
		"CREATE TABLE w (id bigint PRIMARY KEY, a numeric(78,0), n numeric(10,2))",
		"INSERT INTO w VALUES (1, 1e60, 5), (2, -3, 2.5), (3, NULL, NULL)",
		"INSERT INTO w VALUES (4, 123456789012345678901234567890.4, 1)",
		"INSERT INTO w VALUES (5, -99999999999999999999999999999999999999999999999999999999999999999999999999.5, 1)",
		"INSERT INTO w VALUES (6, 1e78, 1)",
		"INSERT INTO w VALUES (6, 'x', 1)",
		read,
		"UPDATE w SET a = a + 1 WHERE id < 3",
		"ALTER TABLE w ALTER COLUMN n TYPE numeric(60,4)",
		"ALTER TABLE w ADD COLUMN z numeric(50,20) DEFAULT 1.5",
		"ALTER TABLE w ADD COLUMN y numeric(3,-2) NOT NULL DEFAULT 149",
		read,
		"SELECT id, a * n, a + z, a > 5, a / 7 FROM w ORDER BY id",
		"ALTER TABLE w ALTER COLUMN n TYPE numeric(10,1)",
		"ALTER TABLE w ALTER COLUMN a TYPE text",
		read,
		"SELECT length(a) FROM w ORDER BY id",
		"ALTER TABLE w ALTER COLUMN a TYPE numeric(80,2) USING a::numeric(80,2)",
		read,
		"INSERT INTO w (id, a) VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET a = excluded.a * 7",
		"SELECT sum(a), min(a), max(z), avg(y) FROM w",
		read,
	} {
		want, wantErr := rowsOf(t.Context(), postgres, sql)
		got, err := rowsOf(t.Context(), types, sql)
		var their, our *pgconn.PgError
		if errors.As(wantErr, &their) != errors.As(err, &our) || their != nil && (their.Code != our.Code || their.Message != our.Message) || got != want {
			t.Errorf("%s: got\n%s\n%v\nPostgreSQL has\n%s\n%v", sql, got, err, want, wantErr)
		}
		if sql == read && !t.Failed() {
			waitForMirror(t, types, "w")
			if again, err := rowsOf(t.Context(), types, sql); again != want {
				t.Errorf("%s from the mirror: got\n%s\n%v\nPostgreSQL has\n%s", sql, again, err, want)
			}
		}
	}
}
