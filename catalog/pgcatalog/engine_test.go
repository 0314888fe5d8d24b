package pgcatalog

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/pgfunc"
)

// shop is a small ontology: a folded entity, one whose name needs no folding,
// a plain relation, a keyed one, and one whose right end does not exist.
func shop() *catalog.Catalog {
	text, bigint, jsonb := column.Type{Kind: column.Text}, column.Type{Kind: column.Int64}, column.Type{Kind: column.JSON}
	double, date := column.Type{Kind: column.Float64}, column.Type{Kind: column.Date}
	ends := func(left, right column.Type) []catalog.Column {
		return []catalog.Column{
			{Name: "left_key", Field: "left_key", Role: catalog.FromLeftKey, Type: left, NotNull: true},
			{Name: "right_key", Field: "right_key", Role: catalog.FromRightKey, Type: right, NotNull: true},
		}
	}
	return &catalog.Catalog{Version: "1", Types: []*catalog.Type{
		{
			Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}, Table: "customer", Key: []int{0},
			Columns: []catalog.Column{
				{Name: "id", Field: "id", Role: catalog.FromEntityKey, Type: text, NotNull: true},
				{Name: "name", Field: "name", Type: text, NotNull: true},
				{Name: "balance", Field: "balance", Type: double, NotNull: true},
				{Name: "signedup", Field: "signedUp", Type: column.Type{Kind: column.TimestampTZ}},
				{Name: "price", Field: "price", Type: column.Type{Kind: column.Numeric, Width: 10, Scale: 2}},
				{Name: "tags", Field: "tags", Type: jsonb},
			},
		},
		{
			Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"}, Table: "product", Key: []int{0},
			Columns: []catalog.Column{
				{Name: "sku", Field: "sku", Role: catalog.FromEntityKey, Type: bigint, NotNull: true},
				{Name: "title", Field: "title", Type: text, NotNull: true},
			},
		},
		{
			Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Subscription"}, Table: "subscription", Key: []int{0, 1},
			Left: "Customer", Right: "product",
			Columns: append(ends(text, bigint), catalog.Column{Name: "since", Field: "since", Type: date}),
		},
		{
			Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Visit"}, Table: "visit", Key: []int{0, 1, 2},
			Left: "Customer", Right: "Gone", InstanceKey: "user",
			Columns: append(ends(text, text), catalog.Column{Name: "user", Field: "user", Role: catalog.FromInstanceKey, Type: text, NotNull: true}),
		},
	}}
}

func shopInput() Input {
	return Input{
		Database: "onto", Databases: []string{"other"}, Roles: people(), Catalog: shop(),
		Virtual: []Virtual{{
			Schema: "ontosql", Name: "commits", Comment: "Every commit.",
			Columns: []VirtualColumn{
				{column.Named{Name: "commit_id", Type: column.Type{Kind: column.Int64}}, "The commit's number."},
				{column.Named{Name: "types", Type: column.Type{Kind: column.List, Elem: &column.Type{Kind: column.Text}}}, "The types it touched."},
			},
		}},
	}
}

func mustFill(t testing.TB, in Input) *Filled {
	t.Helper()
	filled, err := Fill(in, nil)
	if err != nil {
		t.Fatalf("Fill: %v", err)
	}
	return filled
}

// engine is a DuckDB that holds the whole catalog of in.
func engine(t testing.TB, in Input) *duckdb.Conn {
	t.Helper()
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatalf("open DuckDB: %v", err)
	}
	t.Cleanup(e.Close)
	conn, err := e.Conn(t.Context())
	if err != nil {
		t.Fatalf("connect to DuckDB: %v", err)
	}
	t.Cleanup(conn.Close)
	filled := mustFill(t, in)
	sees(t, conn, filled.View([]string{"public"}))
	for _, r := range Tables() {
		rows, err := filled.Rows(r)
		if err != nil {
			t.Fatalf("rows of %s: %v", r.Name, err)
		}
		if err := conn.Load(t.Context(), Schema, r.Table(), r.Columns, rows.All()...); err != nil {
			t.Fatalf("load %s: %v", r.Name, err)
		}
	}
	for _, sql := range Macros() {
		if err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, r := range Views() {
		var columns []string
		for _, c := range r.Columns {
			columns = append(columns, "CAST(NULL AS "+duckdb.TypeName(c.Type)+") AS "+duckdb.Ident(c.Name))
		}
		derived, err := r.Derived(in.Database, func(r *Relation) (string, error) { return Schema + "." + duckdb.Ident(r.Table()), nil })
		if err != nil {
			t.Fatal(err)
		}
		sql := "CREATE VIEW " + Schema + "." + duckdb.Ident(r.Table()) + " AS SELECT " + strings.Join(columns, ", ") + " WHERE false UNION ALL BY NAME (" + derived + ")"
		if err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
	}
	return conn
}

// sees defines the functions by which the macros look at a view.
func sees(t testing.TB, conn *duckdb.Conn, v *View) {
	t.Helper()
	sequence := pgfunc.Function{ // the gateway's
		Name: "ontosql_sequence", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text, pgfunc.Int, pgfunc.Int, pgfunc.Int}, Result: pgfunc.Int,
		New: func() pgfunc.Call {
			return func([]pgfunc.Value) (pgfunc.Value, error) { return pgfunc.Value{Null: true}, nil }
		},
	}
	seen := func(int64) *View { return v }
	if err := conn.Define(append(Calls(seen), sequence, DatabaseComment(seen, func(string) (string, error) { return "", nil }), HasRole(func(int64, string, string, string) (bool, error) { return true, nil }), HasPrivilege(func(PrivilegeCall) (bool, bool, error) { return true, false, nil }))); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "SET VARIABLE "+SessionVariable+" = 1"); err != nil {
		t.Fatal(err)
	}
}

// query is the rows of a statement, a line each, columns apart by " | ".
func query(t testing.TB, conn *duckdb.Conn, sql string) string {
	t.Helper()
	stmt, err := conn.Prepare(t.Context(), sql)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	defer stmt.Close()
	rows, err := stmt.Query(t.Context(), nil)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	defer rows.Close()
	var out strings.Builder
	for {
		b, err := rows.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			return out.String() + "error: " + err.Error() + "\n"
		}
		for i := range b.Len {
			for c := range b.Cols {
				if c > 0 {
					out.WriteString(" | ")
				}
				out.WriteString(cell(&b.Cols[c], i))
			}
			out.WriteByte('\n')
		}
	}
}

func cell(v *column.Vector, i int) string {
	if v.IsNull(i) {
		return "∅"
	}
	switch v.Type.Kind {
	case column.Bool:
		return strconv.FormatBool(v.Bool[i])
	case column.Int16:
		return fmt.Sprint(v.I16[i])
	case column.Int32:
		return fmt.Sprint(v.I32[i])
	case column.Int64:
		return fmt.Sprint(v.I64[i])
	case column.Uint32:
		return fmt.Sprint(v.U32[i])
	case column.Float32:
		return fmt.Sprint(v.F32[i])
	case column.TimestampTZ:
		return time.UnixMicro(v.I64[i]).UTC().Format(time.RFC3339)
	case column.List:
		var parts []string
		for k := range v.Lists[i].Length {
			parts = append(parts, cell(v.Child, int(v.Lists[i].Offset+k)))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return string(v.Str[i])
}

// people are the roles of the tests.
func people() *roles.Roles {
	alice, bob := roles.New("alice"), roles.New("Bob Jr")
	alice.Login, bob.Login, bob.Superuser, bob.CreateRole, bob.CreateDB, bob.Replication, bob.BypassRLS = true, true, true, true, true, true, true
	return roles.Initial().With(alice, bob)
}
