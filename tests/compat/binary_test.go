package compat

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// sameInBinary asks both sides statements for results in binary.
func sameInBinary(t *testing.T, theirs, ours *pgconn.PgConn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if diff := compare(askBinary(t.Context(), theirs, sql), askBinary(t.Context(), ours, sql), true); diff != "" {
			t.Errorf("%s\n%s", sql, diff)
		}
	}
}

// TestVoidInBinary: what a function without a result gives is sent in binary, too.
func TestVoidInBinary(t *testing.T) {
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, serveShop(t))
	sameInBinary(t, theirs, ours,
		"SELECT pg_advisory_lock(1), pg_sleep(0), pg_notify('c', '')",
		"SELECT pg_advisory_unlock_all()",
	)
}

// TestRecordsInBinary: drivers that ask for binary results read a record by the types in it.
func TestRecordsInBinary(t *testing.T) {
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, start(t, tables))
	must(t, t.Context(), theirs, "SET TimeZone = 'UTC'")
	sameInBinary(t, theirs, ours,
		"SELECT ROW(1,'a',1.50,NULL,true,date '2024-01-01')",
		"SELECT ROW(1.50, 2::numeric(10,2), 1e10::float8, interval '1 day', timestamptz '2024-01-01 10:00+02', B'101', timetz '10:00+02', 'x'::bytea, '{}'::jsonb, NULL::int, ARRAY[1,2])",
		"SELECT ROW(1,ROW(2,'b'::text)), x FROM (SELECT ROW(1::bigint, 'y'::text) AS x) q",
		"SELECT ARRAY[ROW(1,'a'), ROW(2,'b')], array_agg(x) FROM (SELECT ROW(1::bigint, 'y'::text) AS x) q",
		"SELECT q, (SELECT q) FROM (SELECT 1 AS a, 'x'::text AS b) q",
		"SELECT jsonb_each('{\"a\":1}')",
	)
}

// TestArraysInBinary: an array of several dimensions tells them all before its elements.
func TestArraysInBinary(t *testing.T) {
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, start(t, tables))
	sameInBinary(t, theirs, ours,
		"SELECT ARRAY[[1,2],[3,4]], ARRAY[[1,NULL]], ARRAY[['a','b c'],['',NULL]], ARRAY[[1.5::float8]], ARRAY[[true],[false]]",
		"SELECT ARRAY[[[1],[2]],[[3],[4]]], '{}'::int[] || ARRAY[[1]], (ARRAY[[1,2]])[5:6], array_agg(ARRAY[x, x]) FROM (VALUES ('x'), ('y')) v(x)",
		"SELECT x FROM (VALUES (ARRAY[[1,2]]), (NULL), ('{}')) v(x)",
		"SELECT ARRAY[1.50,2], '{{1.50,2},{NULL,-0.30}}'::numeric[], unnest(ARRAY[1.50,2]), ROW(1, ARRAY[1.50,2]), x FROM (VALUES (1.50), (2)) v(x)",
		"SELECT array_agg(x), max(x), (array_agg(x))[1], (SELECT ARRAY[1.50,2]) FROM (VALUES (1.50), (2)) v(x)",
	)
}

// TestParametersOfTheSession gives parameters to the functions that the session answers:
// drivers ask of which type they are, or say it, and take void in binary.
func TestParametersOfTheSession(t *testing.T) {
	theirs, ours := connectClient(t, testenv.Postgres(t)).PgConn, connectClient(t, serveShop(t)).PgConn
	for _, q := range []struct {
		sql  string
		args []string
		oids []uint32
	}{
		{"SELECT pg_advisory_lock($1)", []string{"5"}, nil},
		{"SELECT pg_advisory_unlock($1)", []string{"5"}, []uint32{21}},
		{"SELECT pg_try_advisory_xact_lock($1)", []string{"1099511627776"}, []uint32{20}},
		{"SELECT pg_try_advisory_xact_lock($1, $2)", []string{"1", "70000"}, []uint32{21, 23}},
		{"SELECT pg_advisory_xact_lock($1, $2)", []string{"1", "2"}, nil},
		{"SELECT pg_advisory_xact_lock($1, $2)", []string{"1", "2"}, []uint32{20, 20}},
		{"SELECT pg_advisory_xact_lock($1)", []string{"1"}, []uint32{25}},
		{"SELECT pg_advisory_unlock_all()", nil, nil},
		{"SELECT pg_cancel_backend($1)", []string{"1"}, nil},
		{"SELECT pg_terminate_backend($1, $2)", []string{"1", "5"}, []uint32{21, 21}},
		{"SELECT set_config($1, $2, $3)", []string{"application_name", "x", "f"}, nil},
		{"SELECT current_setting($1, $2)", []string{"no.such", "t"}, []uint32{25, 16}},
		{"SELECT current_setting($1, $2)", []string{"no.such", "t"}, []uint32{1043, 25}},
		{"SELECT pg_sleep($1)", []string{"0"}, []uint32{21}},
		{"SELECT pg_sleep($1)", []string{"0.001"}, nil},
		{"SELECT pg_sleep_for($1)", []string{"1 ms"}, nil},
		{"SELECT pg_sleep_until($1)", []string{"2024-01-01"}, nil},
		{"SELECT pg_notify($1, $2)", []string{"a", "b"}, nil},
		{"SELECT current_schemas($1)", []string{"f"}, nil},
		{"SELECT pg_is_other_temp_schema($1)", []string{"1"}, nil},
	} {
		compareParameters(t, theirs, ours, q.sql, q.oids, q.args)
	}
}

// TestParametersShowTheirDigits gives numerics of many spellings: their zeros are kept.
func TestParametersShowTheirDigits(t *testing.T) {
	theirs, ours := connectClient(t, testenv.Postgres(t)).PgConn, connectClient(t, serveShop(t)).PgConn
	for _, arg := range []string{
		"1.50", "0.00", "-0.0", "1e3", "1.5e-3", "1.50E2", "+1.5", ".5", "5.", "007.10", " 2.0 ", "0e-3", "0e5", "0e-99999", "1e-30",
		"12345678901234567890.120", "0.12345678901234567890", "1.2345678901234567890e5", "1", "-7.000", "NULL", "1e40", "-123456789012345678901234567890123456789012345678901234567890.120", "0.000000000000000000000000000000000000000000000000001",
	} {
		args := []string{arg}
		for _, sql := range []string{
			"SELECT $1::numeric", "SELECT $1::numeric::text", "SELECT to_jsonb($1::numeric), format('%s', $1::numeric)",
			"SELECT coalesce($1::numeric, 1)", "SELECT $1::numeric(30,4)", "SELECT nullif($1::numeric, 2.00)",
		} {
			compareParameters(t, theirs, ours, sql, nil, args)
		}
		compareParameters(t, theirs, ours, "SELECT $1", []uint32{1700}, args)
	}
	for _, arg := range []string{"{1.50,2}", "{1e2,.5,-0.0,NULL}", "{}", "NULL"} {
		for _, sql := range []string{"SELECT $1::numeric[]", "SELECT $1::numeric[] || 1.125, ($1::numeric[])[1]", "SELECT unnest($1::numeric[])", "SELECT $1::numeric[]::text"} {
			compareParameters(t, theirs, ours, sql, nil, []string{arg})
		}
		compareParameters(t, theirs, ours, "SELECT $1", []uint32{1231}, []string{arg})
	}
}

// TestWideNumericsInBinary sends numbers of many digits in binary, as numeric and as what the statement
// makes of them, and compares the bytes of the answers.
func TestWideNumericsInBinary(t *testing.T) {
	theirs, ours := connectClient(t, testenv.Postgres(t)).PgConn, connectClient(t, serveShop(t)).PgConn
	for _, text := range []string{
		"0", "1", "-1", "9999", "10000", "-0.00010000", "123456789012345678901234567890123456789012345678901234567890123456789012345678",
		"-99999999999999999999999999999999999999", "1e38", "1e77", "-1e77", "0.5", "-0.5", "1.00000000000000000000000000000000000000005",
	} {
		sent := theirs.ExecParams(t.Context(), "SELECT "+text+"::numeric", nil, nil, nil, []int16{1}).Read().Rows[0][0]
		for _, sql := range []string{
			"SELECT $1::numeric(78,0)", "SELECT $1::numeric(100,50)", "SELECT $1::numeric(1000,3) * 3", "SELECT ARRAY[$1::numeric(78,0), NULL, 1.5]",
			"SELECT $1::numeric(78,0)::text, $1::numeric(78,0) > 1e38", "SELECT $1", "SELECT $1::numeric(100,50) + 1", "SELECT sum(v) FROM (VALUES ($1), (1)) x(v)",
		} {
			oids := []uint32{1700}
			want := answered(theirs.ExecParams(t.Context(), sql, [][]byte{sent}, oids, []int16{1}, []int16{1}).Read())
			got := answered(ours.ExecParams(t.Context(), sql, [][]byte{sent}, oids, []int16{1}, []int16{1}).Read())
			if diff := compare(want, got, true); diff != "" {
				t.Errorf("%s of %s: %s", sql, text, diff)
			}
		}
	}
}

// compareParameters compares the parameters of a statement and its answer in binary. An
// argument NULL is that.
func compareParameters(t *testing.T, theirs, ours *pgconn.PgConn, sql string, oids []uint32, texts []string) {
	t.Helper()
	tell := func(c *pgconn.PgConn) (parameters []uint32, a answer) {
		if described, err := c.Prepare(t.Context(), "", sql, oids); err == nil {
			parameters = described.ParamOIDs
		}
		var args [][]byte
		for _, text := range texts {
			arg := []byte(text)
			if text == "NULL" {
				arg = nil
			}
			args = append(args, arg)
		}
		return parameters, answered(c.ExecParams(t.Context(), sql, args, oids, nil, []int16{1}).Read())
	}
	wantParameters, want := tell(theirs)
	gotParameters, got := tell(ours)
	if diff := compare(want, got, true); diff != "" || !slices.Equal(wantParameters, gotParameters) {
		t.Errorf("%s of %v %q: parameters %v, want %v\n%s", sql, oids, texts, gotParameters, wantParameters, diff)
	}
}

// askBinary is ask with results in the binary format.
func askBinary(ctx context.Context, c *pgconn.PgConn, sql string) answer {
	return answered(c.ExecParams(ctx, sql, nil, nil, nil, []int16{1}).Read())
}

func answered(r *pgconn.Result) (a answer) {
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
