package rowexpr_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/types"
)

// source is a relation of customers with NULLs and the values at which computation changes.
const source = `(SELECT * FROM (VALUES
	('a', 'Ada', 'Gold', 1.5::DOUBLE, 41::BIGINT),
	('b', NULL, '', -0.0::DOUBLE, 0::BIGINT),
	('', 'Ädä', NULL, 'NaN'::DOUBLE, -1::BIGINT),
	('d', 'Gold', 'Gold', 'Infinity'::DOUBLE, 9223372036854775807::BIGINT),
	('e', 'gold', 'a', '-Infinity'::DOUBLE, CAST('-9223372036854775808' AS BIGINT)),
	('f', '', 'Z', 1e308::DOUBLE, 4611686018427387904::BIGINT),
	('g', 'ZZ', 'z', NULL, NULL),
	('h', 'ß', 'ss', 1e-308::DOUBLE, 2147483648::BIGINT)) AS t(id, name, tier, balance, age))`

// expressions makes random expressions with parameters $1 to $11, of the types of parameters.
type expressions struct{ *rand.Rand }

// parameters are the types and some texts of the parameters.
var parameters = []struct {
	oid   uint32
	texts []string
}{
	{types.Text, []string{"Gold", "", "ß", "a'b"}},
	{types.Int8, []string{"0", "1", "-9223372036854775808", "9223372036854775807"}},
	{types.Float8, []string{"0", "-0", "1.5", "NaN", "inf", "1e308", "-1e-308"}},
	{types.Bool, []string{"t", "f"}},
	{types.Int4, []string{"2147483647", "-2147483648", "2"}},
	{types.Int2, []string{"32767", "-32768", "3"}},
	{types.Date, []string{"2026-02-28", "0001-01-01", "1969-12-31", "infinity", "9999-12-31"}},
	{types.Timestamp, []string{"2026-02-28 23:59:59.999999", "1969-12-31 23:59:59.5", "2026-01-01", "-infinity"}},
	{types.TimestampTZ, []string{"2026-02-28 23:59:59.999999+02", "1900-01-01 00:00:00-05", "infinity"}},
	{types.UUID, []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff"}},
	{types.Numeric, []string{"0", "1.5", "-0.000000000001", "90000000000000000000000000", "-12345678901234567890.123456789012", "41.0", "-1", "1e3"}},
}

func (r expressions) one(of ...string) string { return of[r.IntN(len(of))] }

// of is an expression of a category: text, int8, int4, int2, float or bool.
func (r expressions) of(kind string, depth int) string {
	if depth == 0 || r.IntN(6) == 0 {
		switch kind {
		case "text":
			return r.one("id", "name", "tier", "$1", "'Gold'", "''", "NULL::text", "'x'::varchar", "$1::text")
		case "int8":
			return r.one("age", "age", "$2", "5000000000", "-9223372036854775808", "'7'::bigint", "$2::bigint")
		case "int4":
			return r.one("1", "-7", "$5", "2147483647", "-2147483648", "NULL::int4")
		case "int2":
			return r.one("$6", "'5'::int2", "NULL::int2")
		case "float":
			return r.one("balance", "balance", "$3", "'2.5'::float8", "'-inf'::float8", "1.5::float8", "(-0.1)::float8")
		case "date":
			return r.one("$7", "'2026-02-28'::date", "'1400-02-28'::date", "'2026-02-28 23:30:00-05'::date", "NULL::date")
		case "timestamp":
			return r.one("$8", "'2026-02-28 12:00:00.000001'::timestamp", "'2026-02-28 12:00:00'::timestamp", "'2026-02-28T23:30:00.5+05:30'::timestamp")
		case "timestamptz":
			return r.one("$9", "NULL::timestamptz", "'2026-02-28 21:59:59.999999Z'::timestamptz", "'0001-01-02 00:00+14'::timestamptz", "'9999-12-31T23:59:59+0830'::timestamptz", "'1900-01-01 05:00:00+00'::timestamptz")
		case "uuid":
			return r.one("$10", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid")
		case "numeric":
			return r.one("$11", "$11", "1.5", "-0.25", "'12.50'::numeric", "NULL::numeric", "-99999999999.5", "0.000000000001")
		}
		return r.one("true", "false", "$4", "NULL::bool", "'yes'::bool")
	}
	sub := func(k string) string { return r.of(k, depth-1) }
	switch kind {
	case "text":
		return r.one("("+sub("text")+" || "+sub("text")+")", "coalesce("+sub("text")+", "+sub("text")+")", "("+sub("text")+" || 'z')", "coalesce(NULL, "+sub("text")+")")
	case "int8":
		other := r.one("int8", "int8", "int4", "int2")
		return r.one("("+sub("int8")+" "+r.one("+", "-", "*")+" "+sub(other)+")", "coalesce("+sub("int8")+", "+sub(other)+", 0)", "CAST("+sub(other)+" AS int8)")
	case "int4":
		other := r.one("int4", "int2")
		return r.one("("+sub("int4")+" "+r.one("+", "-", "*")+" "+sub(other)+")", "coalesce("+sub("int4")+", "+sub(other)+")", sub(other)+"::int4")
	case "int2":
		return r.one("("+sub("int2")+" "+r.one("+", "-", "*")+" "+sub("int2")+")", "coalesce("+sub("int2")+", "+sub("int2")+")")
	case "float":
		other := r.one("float", "float", "int8", "int4")
		if r.IntN(4) == 0 {
			return "(" + sub("float") + " " + r.one("+", "-", "*") + " " + r.one("1.5", "-2.25", "0.1", "123456789.012345", ".5", "1e3") + ")"
		}
		return r.one("("+sub("float")+" "+r.one("+", "-", "*")+" "+sub(other)+")", "coalesce("+sub("float")+", "+sub(other)+")", sub(other)+"::float8")
	}
	switch kind {
	case "numeric":
		other := r.one("numeric", "numeric", "int8", "int4", "int2")
		return r.one("("+sub("numeric")+" "+r.one("+", "-")+" "+sub(other)+")", "("+sub(other)+" "+r.one("+", "-")+" "+sub("numeric")+")", "coalesce("+sub("numeric")+", "+sub(other)+")")
	case "date", "timestamp", "timestamptz", "uuid":
		return "coalesce(" + sub(kind) + ", " + sub(kind) + ")"
	}
	k := r.one("text", "int8", "int4", "int2", "float", "bool", "date", "timestamp", "timestamptz", "numeric", "numeric")
	compared := "(" + sub(k) + " " + r.one("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM") + " " + sub(k) + ")"
	numbers := []string{"int8", "int4", "int2", r.one("float", "numeric")}
	mixed := "(" + sub(r.one(numbers...)) + " " + r.one("=", "<", ">=") + " " + sub(r.one(numbers...)) + ")"
	return r.one(compared, compared, mixed, "("+sub("bool")+" AND "+sub("bool")+")", "("+sub("bool")+" OR "+sub("bool")+" OR "+sub("bool")+")",
		"(NOT "+sub("bool")+")", "("+sub(k)+" IS NULL)", "("+sub(k)+" IS NOT NULL)", "("+sub("bool")+" IS NOT TRUE)", "(name = 'Gold')", "coalesce("+sub("bool")+", false)")
}

// TestLikeTheEngine evaluates random expressions and has the engine compute them: each value is the
// same, and where the engine reports an error there is no value. Nearly all of the expressions
// have to be known.
func TestLikeTheEngine(t *testing.T) {
	engine, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), MemoryLimit: 1 << 28})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	if err := database.Define(t.Context(), engine); err != nil {
		t.Fatal(err)
	}
	conn, err := engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	// The optimizer combines constants, so that it reports an overflow that the expression does not
	// have.
	if err := conn.Exec(t.Context(), "PRAGMA disable_optimizer"); err != nil {
		t.Fatal(err)
	}
	rows, err := query(t, conn, "SELECT * FROM "+source)
	if err != nil {
		t.Fatal(err)
	}
	r := expressions{rand.New(rand.NewPCG(29, 3))}
	known, values, undecided := 0, 0, 0
	const all = 1000
	for range all {
		expr := r.of(r.one("text", "int8", "int4", "int2", "float", "bool", "bool", "date", "timestamp", "timestamptz", "uuid"), 1+r.IntN(4))
		e, places, sql, args := bind(t, r, expr)
		if e == nil {
			continue
		}
		known++
		place := func(name string) int {
			at, ok := places[name]
			if !ok {
				return -1
			}
			return at
		}
		f := rowexpr.Compile(e, place)
		if f == nil {
			t.Fatalf("%s is not compiled", expr)
		}
		together, failed := compute(t, conn, fmt.Sprintf(sql, "n > 0 ORDER BY n"))
		for i := range rows.Len {
			got, err := f(&rowexpr.Row{Cols: rows.Cols, At: i, Args: args})
			if err != nil {
				undecided++
				continue
			}
			values++
			want, at := together, i
			if failed != nil {
				want, err = compute(t, conn, fmt.Sprintf(sql, fmt.Sprintf("n = %d", i+1)))
				at = 0
			}
			if err != nil {
				t.Fatalf("%s with %q for row %d is %+v, and the engine reports: %v", expr, args, i+1, got, err)
			}
			if got.Null && want.IsNull(at) { // of which the engine may forget the type
				continue
			}
			if want.Type.Kind != e.Type.Kind && !(want.Type.Kind == column.Int32 && e.Type.Kind == column.Int16) {
				t.Fatalf("%s is a %s, and the engine's a %s", expr, e.Type, want.Type)
			}
			if text := rowexpr.Of(want, at); show(want.Type.Kind, got) != show(want.Type.Kind, text) {
				t.Fatalf("%s with %q for row %d: got %s, the engine's value is %s", expr, args, i+1, show(want.Type.Kind, got), show(want.Type.Kind, text))
			}
		}
	}
	t.Logf("%d of %d expressions are known, with %d values, and %d that the engine has to decide", known, all, values, undecided)
	if known < all*9/10 || undecided > values/2 {
		t.Errorf("only %d of %d expressions are known, with %d values, and %d that the engine has to decide", known, all, values, undecided)
	}
}

// bind resolves an expression over customers, with random arguments. places are the columns of
// source by their names in the engine's SQL; sql is the engine's query of the rows that meet a condition on n, %s.
func bind(t *testing.T, r expressions, expr string) (e *rowexpr.Expr, places map[string]int, sql string, args [][]byte) {
	t.Helper()
	var oids []uint32
	for _, p := range parameters {
		oids = append(oids, p.oid)
		if r.IntN(5) == 0 {
			args = append(args, nil)
			continue
		}
		arg, err := input.Argument(p.oid, []byte(r.one(p.texts...)), datetime.TimeInput{})
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, arg)
	}
	sc, sql, err := rewritetest.Bind("SELECT "+expr+" AS x FROM customer", oids)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	places = map[string]int{}
	for i, name := range []string{"id", "name", "tier", "balance", "age"} {
		places[`"customer"."`+name+`"`] = i
	}
	for i := len(sc.Used); i > 0; i-- {
		literal := "NULL"
		if arg := args[sc.Used[i-1]-1]; arg != nil {
			literal = duckdb.Literal(string(arg))
		}
		sql = strings.ReplaceAll(sql, fmt.Sprintf("$%d", i), literal)
	}
	sql = strings.ReplaceAll(sql, "%", "%%")
	sql = strings.ReplaceAll(sql, "<public.customer>", "(SELECT * FROM (SELECT *, row_number() OVER () AS n FROM "+source+") WHERE %s)")
	return sc.Columns[0].Plain, places, sql, args
}

// compute is the column of a query.
func compute(t *testing.T, conn *duckdb.Conn, sql string) (*column.Vector, error) {
	t.Helper()
	b, err := query(t, conn, sql)
	if err != nil {
		return nil, err
	}
	return &b.Cols[0], nil
}

// query is the first batch of a query.
func query(t *testing.T, conn *duckdb.Conn, sql string) (*column.Batch, error) {
	t.Helper()
	st, err := conn.Prepare(t.Context(), sql)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	rows, err := st.Query(t.Context(), nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	b, err := rows.Next(t.Context())
	if err != nil {
		return nil, err
	}
	return b.Pick(0, slices.Collect(func(yield func(int) bool) {
		for i := range b.Len {
			yield(i)
		}
	})), nil
}

// show prints a value so that values that differ in a bit differ, but for the bits of a NaN.
func show(k column.Kind, v rowexpr.Value) string {
	switch {
	case v.Null:
		return "NULL"
	case k == column.Float64 && math.IsNaN(v.Float):
		return "NaN"
	case k == column.Float64:
		return fmt.Sprintf("%x", math.Float64bits(v.Float))
	case k == column.Text:
		return fmt.Sprintf("%q", v.Bytes)
	case k == column.UUID:
		return fmt.Sprintf("%x", v.Wide.Bytes())
	}
	return fmt.Sprint(v.Int)
}
