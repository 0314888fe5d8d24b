package pgcatalog

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// declaredSQL is what somebody told PostgreSQL to make, declared the same.
const declaredSQL = `
CREATE TABLE item (
	sku varchar(20) PRIMARY KEY,
	price numeric(10,2) NOT NULL DEFAULT 0,
	weight numeric,
	rounded numeric(5,-2) DEFAULT 1.5,
	name varchar(40) DEFAULT 'new',
	note text DEFAULT 'it''s',
	since timestamptz DEFAULT now(),
	born date DEFAULT '2026-01-02',
	qty bigint DEFAULT 5,
	ok boolean DEFAULT true,
	doc jsonb NOT NULL DEFAULT '{}',
	id uuid,
	"Größe" double precision
);
COMMENT ON TABLE item IS 'What we sell.';
COMMENT ON COLUMN item.price IS 'With tax.';
COMMENT ON COLUMN item."Größe" IS 'In metres.';
CREATE TABLE holds (left_key varchar(20) REFERENCES item, right_key varchar(20) REFERENCES item, n integer, PRIMARY KEY (left_key, right_key));`

// declared is the same in an ontology, where the first type and a field are
// called otherwise than their table and column.
func declared() *catalog.Catalog {
	text, numeric := column.Type{Kind: column.Text}, column.Type{Kind: column.Numeric, Width: 38, Scale: 12}
	key := func(name string, role catalog.Role) catalog.Column {
		return catalog.Column{Name: name, Field: name, Role: role, Type: text, NotNull: true, Typmod: 24}
	}
	return &catalog.Catalog{Types: []*catalog.Type{
		{
			Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, Table: "item", Key: []int{0}, Comment: "What we sell.",
			Columns: []catalog.Column{
				key("sku", catalog.FromEntityKey),
				{Name: "price", Field: "Price", Type: numeric, NotNull: true, Default: "0", Comment: "With tax.", Typmod: 655366},
				{Name: "weight", Field: "weight", Type: numeric},
				{Name: "rounded", Field: "rounded", Type: numeric, Default: "1.5", Typmod: 329730},
				{Name: "name", Field: "name", Type: text, Default: "'new'", Typmod: 44},
				{Name: "note", Field: "note", Type: text, Default: "'it''s'"},
				{Name: "since", Field: "since", Type: column.Type{Kind: column.TimestampTZ}, Default: "now()"},
				{Name: "born", Field: "born", Type: column.Type{Kind: column.Date}, Default: "'2026-01-02'"},
				{Name: "qty", Field: "qty", Type: column.Type{Kind: column.Int64}, Default: "5"},
				{Name: "ok", Field: "ok", Type: column.Type{Kind: column.Bool}, Default: "true"},
				{Name: "doc", Field: "doc", Type: column.Type{Kind: column.JSON}, NotNull: true, Default: "'{}'"},
				{Name: "id", Field: "id", Type: column.Type{Kind: column.UUID}},
				{Name: "Größe", Field: "Größe", Type: column.Type{Kind: column.Float64}, Comment: "In metres."},
			},
		},
		{
			Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "holds"}, Table: "holds", Key: []int{0, 1}, Left: "Item", Right: "Item",
			Columns: []catalog.Column{
				key("left_key", catalog.FromLeftKey), key("right_key", catalog.FromRightKey),
				{Name: "n", Field: "n", Type: column.Type{Kind: column.Int32}},
			},
		},
	}}
}

// TestDeclaredAsInPostgreSQL asks both what clients ask: the queries of psql 15's
// \d and \d+, the catalog tables that drivers and dump programs read, and
// information_schema.
func TestDeclaredAsInPostgreSQL(t *testing.T) {
	duck := engine(t, Input{Database: "onto", Catalog: declared()})
	conn := postgres(t)
	if _, err := conn.Exec(t.Context(), "CREATE SCHEMA declared; SET search_path = declared; "+declaredSQL).ReadAll(); err != nil {
		t.Fatalf("PostgreSQL: %v", err)
	}
	t.Cleanup(func() { dropSchema(t, conn) })
	filled := mustFill(t, Input{Database: "onto", Catalog: declared()})
	table := func(name string) string { return fmt.Sprintf("%d::UINTEGER", filled.RelationOID("public", name)) }
	asOurs := strings.NewReplacer("{s}", Schema+".", "{i}", Schema+".information_schema__", "{item}", table("item"), "{holds}", table("holds"), "{first}", "1")
	asPostgres := strings.NewReplacer("{s}", "pg_catalog.", "{i}", "information_schema.", "{item}", "'item'::regclass", "{holds}", "'holds'::regclass", "{first}", "0")
	for _, c := range []struct{ name, sql string }{
		{`columns of \d+`, `SELECT a.attname, {s}format_type(a.atttypid, a.atttypmod), a.attnotnull::integer,
			(SELECT {s}pg_get_expr(d.adbin, d.adrelid, true) FROM {s}pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
			a.attstorage, {s}col_description(a.attrelid, a.attnum)
			FROM {s}pg_attribute a WHERE a.attrelid = {item} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`},
		{"pg_attribute", `SELECT a.attname, a.atttypid, a.atttypmod, a.attlen, a.attbyval::integer, a.attalign, a.atthasdef::integer, a.attndims
			FROM {s}pg_attribute a WHERE a.attrelid IN ({item}, {holds}) AND a.attnum > 0 ORDER BY a.attrelid = {item}, a.attnum`},
		{"attributes of the index", `SELECT a.attname, {s}format_type(a.atttypid, a.atttypmod), a.atthasdef::integer, i.indclass[{first}], i.indcollation[{first}]
			FROM {s}pg_index i JOIN {s}pg_attribute a ON a.attrelid = i.indexrelid WHERE i.indrelid = {item} ORDER BY a.attnum`},
		{"operators of the foreign keys", `SELECT c.conname, c.conpfeqop[1] FROM {s}pg_constraint c WHERE c.conrelid = {holds} AND c.contype = 'f' ORDER BY 1`},
		{"pg_attrdef", `SELECT d.adnum, {s}pg_get_expr(d.adbin, d.adrelid) FROM {s}pg_attrdef d WHERE d.adrelid = {item} ORDER BY 1`},
		{"what hangs on the columns", `SELECT d.adnum, p.refclassid, p.refobjsubid, p.deptype FROM {s}pg_attrdef d
			JOIN {s}pg_depend p ON p.classid = 2604 AND p.objid = d.oid WHERE d.adrelid = {item} AND p.refobjid = {item} ORDER BY 1`},
		{"comments", `SELECT d.objsubid, d.description FROM {s}pg_description d WHERE d.objoid = {item} AND d.classoid = 1259 ORDER BY 1`},
		{"comment of the table", `SELECT {s}obj_description({item}, 'pg_class')`},
		{"information_schema.columns", `SELECT c.column_name, c.ordinal_position, c.column_default, c.is_nullable, c.data_type, c.character_maximum_length,
			c.character_octet_length, c.numeric_precision, c.numeric_precision_radix, c.numeric_scale, c.datetime_precision, c.udt_name
			FROM {i}columns c WHERE c.table_name = 'item' AND c.table_schema IN ('public', 'declared') ORDER BY 2`},
	} {
		want := answer(t, conn, asPostgres.Replace(c.sql))
		got := strings.Split(strings.TrimSuffix(query(t, duck, asOurs.Replace(c.sql)), "\n"), "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-PostgreSQL +ontosql):\n%s", c.name, diff)
		}
	}
}

func dropSchema(t *testing.T, conn *pgconn.PgConn) {
	t.Helper()
	if _, err := conn.Exec(context.WithoutCancel(t.Context()), "DROP SCHEMA declared CASCADE").ReadAll(); err != nil {
		t.Errorf("PostgreSQL: %v", err)
	}
}

// TestDefaultText asks PostgreSQL how it shows defaults, of each type a column can
// have.
func TestDefaultText(t *testing.T) {
	conn := postgres(t)
	bare := map[string]uint32{"text": 25, "bigint": 20, "double precision": 701, "numeric": 1700, "boolean": 16, "date": 1082, "timestamptz": 1184, "uuid": 2950, "jsonb": 3802, "bytea": 17}
	for _, c := range []struct{ typ, expression string }{
		{"text", "'x'"},
		{"text", "''"},
		{"text", "'it''s'"},
		{"text", "NULL"},
		{"text", "current_user"},
		{"text", "CURRENT_SCHEMA"},
		{"bigint", "0"},
		{"bigint", "5"},
		{"bigint", "-1"},
		{"bigint", "2147483648"},
		{"bigint", "-5000000000"},
		{"bigint", "'7'"},
		{"bigint", "null"},
		{"double precision", "1"},
		{"double precision", "1.5"},
		{"double precision", "-1.5"},
		{"double precision", "'NaN'"},
		{"numeric", "99999999999999999999"},
		{"numeric", "-99999999999999999999"},
		{"numeric", "0.50"},
		{"numeric", "'1'"},
		{"boolean", "true"},
		{"boolean", "false"},
		{"date", "'2026-01-02'"},
		{"date", "current_date"},
		{"timestamptz", "now()"},
		{"timestamptz", "CURRENT_TIMESTAMP"},
		{"uuid", "gen_random_uuid()"},
		{"uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"},
		{"jsonb", "'[]'"},
		{"bytea", "'\\x00'"},
		{"varchar(9)", "'x'"},
		{"varchar(9)", "NULL"},
		{"varchar(9)", "current_user"},
		{"numeric(5,1)", "5"},
		{"numeric(5,1)", "-5"},
		{"numeric(5,1)", "NULL"},
	} {
		oid, typmod := bare[c.typ], int32(-1)
		switch c.typ {
		case "varchar(9)":
			oid, typmod = 1043, 13
		case "numeric(5,1)":
			oid, typmod = 1700, 5<<16|1+4
		}
		sql := "BEGIN; CREATE TABLE declared_default (c " + c.typ + " DEFAULT " + c.expression + ");" +
			"SELECT coalesce((SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'declared_default'::regclass), ''); ROLLBACK"
		results, err := conn.Exec(t.Context(), sql).ReadAll()
		if err != nil {
			t.Fatalf("PostgreSQL: %s: %v", sql, err)
		}
		if got, want := defaultText(c.expression, oid, typmod), string(results[2].Rows[0][0]); got != want {
			t.Errorf("%s DEFAULT %s is shown as %s, PostgreSQL says %s", c.typ, c.expression, got, want)
		}
	}
}
