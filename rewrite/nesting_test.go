package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// nestedDepth is how deep and how long TestNesting nests and chains.
const nestedDepth = 12

// samples are texts of values, by type; of all other types '1'.
var samples = map[uint32]string{
	types.Bool: "t", types.Int2: "1", types.Int4: "1", types.Int8: "1", types.Bytea: `\x6162`, types.Char: "a", types.Name: "abc", types.Text: "hour", types.Varchar: "abc", types.BPChar: "abc",
	types.JSON: `{"a": [1, 2]}`, types.JSONB: `{"a": [1, 2]}`, types.Date: "2024-02-29", types.Time: "12:34:56.5",
	types.Timestamp: "2024-02-29 12:34:56.5", types.TimestampTZ: "2024-02-29 12:34:56.5+00", types.Interval: "08:00:00",
	types.Numeric: "1.25", types.WideNumeric: "1.25", types.Float4: "0.5", types.Float8: "0.5", types.UUID: "00112233-4455-6677-8899-aabbccddeeff",
}

// sample is a value of a type, as SQL.
func sample(oid uint32) string {
	ty := sampleType(oid)
	elem, isArray := types.Of(ty).Elem()
	text := cmp.Or(samples[ty], samples[elem.OID], "1")
	if isArray {
		text = "{" + text + "}"
	}
	return enginesql.Literal(text) + "::" + types.Of(ty).String()
}

// sampleType is the type that a sample of another has.
func sampleType(oid uint32) uint32 {
	switch oid {
	case types.AnyElement:
		return types.Int4
	case types.AnyArray:
		return types.ArrayOf(types.Of(types.Int4)).OID
	case types.Any:
		return types.Text
	}
	return oid
}

// nestings are statements that put every function, operator and cast of the tables in
// itself, where a cast may bring its result back.
func nestings() []string {
	var all []string
	add := func(of uint32, wrap func(x string) string) {
		x := "v"
		for range nestedDepth {
			x = wrap(x)
		}
		all = append(all, "SELECT ("+x+")::text FROM (SELECT "+sample(of)+" AS v OFFSET 0) s")
	}
	for _, table := range []map[string][]functions.Signature{functions.ByName, functions.Operators} {
		for name, overloads := range table {
			for _, s := range overloads {
				if s.Aggregate || s.Window || s.ReturnsSet || s.Volatile || strings.HasPrefix(name, "_pg_") {
					continue
				}
				typs := make([]uint32, len(s.Args))
				parts := make([]scope.Expr, len(s.Args))
				for i, arg := range s.Args {
					typs[i] = sampleType(arg)
					parts[i] = scope.Expr{Type: types.Of(typs[i])}
				}
				ret := sampleType(s.Result)
				if s.SameAs > 0 {
					ret = typs[s.SameAs-1]
				}
				for i, arg := range typs {
					if ret != arg && !types.Castable(types.Of(ret), types.Of(arg)) {
						continue
					}
					add(s.Args[i], func(x string) string {
						parts := make([]string, len(typs))
						for j := range typs {
							parts[j] = sample(s.Args[j])
						}
						if parts[i] = x; ret != arg && x != "v" {
							parts[i] = x + "::" + types.Of(arg).String()
						}
						return called(name, parts)
					})
				}
			}
		}
	}
	for _, from := range types.Infos {
		for _, to := range types.Infos {
			common := func(i types.Info) bool { return samples[i.OID] != "" && i.OID != types.Char }
			if from.OID == to.OID || !common(from) || !common(to) || !types.Castable(types.Of(from.OID), types.Of(to.OID)) || !types.Castable(types.Of(to.OID), types.Of(from.OID)) {
				continue
			}
			add(from.OID, func(x string) string { return x + "::" + to.SQLName + "::" + from.SQLName })
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// called is a call of a function or an operator.
func called(name string, args []string) string {
	switch {
	case functions.Operators[name] == nil:
		return name + "(" + strings.Join(args, ", ") + ")"
	case len(args) == 1:
		return "(" + name + " " + args[0] + ")"
	}
	return "(" + args[0] + " " + name + " " + args[1] + ")"
}

// TestNesting asks PostgreSQL and the engine every function, operator and cast within
// itself, twelve times.
func TestNesting(t *testing.T) {
	ctx := t.Context()
	engine, err := duckdb.Open(ctx, duckdb.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	conn, err := engine.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, sql := range append([]string{"SET TimeZone = 'UTC'", "CREATE SCHEMA " + enginesql.MacroSchema}, macros.Macros()...) {
		if err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	real, err := pgconn.Connect(ctx, testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close(context.Background())
	asked := 0
	for _, sql := range nestings() {
		want, refused := ofPostgres(ctx, real, sql)
		got, code := ofEngine(ctx, conn, sql)
		asked++
		tooMuch := code == pgerr.StatementTooComplex || code == pgerr.QueryCanceled
		if tooMuch || refused == "" && code != pgerr.FeatureNotSupported && (code != "" || got != want) {
			t.Errorf("%s\n  PostgreSQL: %q %s\n  ontosql:    %q %s", sql, want, refused, got, code)
		}
	}
	if asked < 500 {
		t.Errorf("%d statements, want 500 at least", asked)
	}
}

func ofPostgres(ctx context.Context, c *pgconn.PgConn, sql string) (text, code string) {
	res, err := c.Exec(ctx, sql).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return "", e.Code
	case err != nil:
		return "", err.Error()
	case res[0].Rows[0][0] == nil:
		return "NULL", ""
	}
	return string(res[0].Rows[0][0]), ""
}

func ofEngine(ctx context.Context, c *duckdb.Conn, sql string) (text, code string) {
	ctx, cancel := context.WithTimeout(ctx, testenv.Patience)
	defer cancel()
	_, bound, err := rewritetest.Bind(sql, nil)
	if err == nil {
		err = c.Each(ctx, bound, nil, func(b *column.Batch, i int) {
			if text = "NULL"; !b.Cols[0].IsNull(i) {
				text = string(b.Cols[0].Str[i])
			}
		})
	}
	var p *pgerr.Error
	var d *duckdb.Error
	switch {
	case errors.As(err, &p):
		return "", p.Code
	case errors.As(err, &d):
		if e, ok := enginesql.Raised(d.Message); ok {
			return "", e.Code
		}
		return "", fmt.Sprintf("%.300s", d.Message)
	case err != nil:
		return "", err.Error()
	}
	return text, ""
}
