package compat

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestVoidInBinary: what a function without a result gives is sent in binary, too.
func TestVoidInBinary(t *testing.T) {
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, serveShop(t))
	for _, sql := range []string{
		"SELECT pg_advisory_lock(1), pg_sleep(0), pg_notify('c', '')",
		"SELECT pg_advisory_unlock_all()",
	} {
		if diff := compare(askBinary(t.Context(), theirs, sql), askBinary(t.Context(), ours, sql), true); diff != "" {
			t.Errorf("%s\n%s", sql, diff)
		}
	}
}

// TestRecordsInBinary: drivers that ask for binary results read a record by the types that
// stand in it.
func TestRecordsInBinary(t *testing.T) {
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, start(t, tables))
	must(t, t.Context(), theirs, "SET TimeZone = 'UTC'")
	for _, sql := range []string{
		"SELECT ROW(1,'a',1.50,NULL,true,date '2024-01-01')",
		"SELECT ROW(1.50, 2::numeric(10,2), 1e10::float8, interval '1 day', timestamptz '2024-01-01 10:00+02', B'101', timetz '10:00+02', 'x'::bytea, '{}'::jsonb, NULL::int, ARRAY[1,2])",
		"SELECT ROW(1,ROW(2,'b'::text)), x FROM (SELECT ROW(1::bigint, 'y'::text) AS x) q",
		"SELECT ARRAY[ROW(1,'a'), ROW(2,'b')], array_agg(x) FROM (SELECT ROW(1::bigint, 'y'::text) AS x) q",
		"SELECT q, (SELECT q) FROM (SELECT 1 AS a, 'x'::text AS b) q",
		"SELECT jsonb_each('{\"a\":1}')",
	} {
		want, got := askBinary(t.Context(), theirs, sql), askBinary(t.Context(), ours, sql)
		if diff := compare(want, got, true); diff != "" {
			t.Errorf("%s\n%s", sql, diff)
		}
	}
}

// askBinary is ask with results in the binary format.
func askBinary(ctx context.Context, c *pgconn.PgConn, sql string) (a answer) {
	r := c.ExecParams(ctx, sql, nil, nil, nil, []int16{1}).Read()
	if r.Err != nil {
		a.code, a.err = "failed", r.Err.Error()
	}
	for _, f := range r.FieldDescriptions {
		a.names, a.oids = append(a.names, f.Name), append(a.oids, f.DataTypeOID)
	}
	for _, row := range r.Rows {
		var vs []string
		for _, v := range row {
			vs = append(vs, string(v))
		}
		a.rows = append(a.rows, vs)
	}
	return a
}
