package pgcatalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

func TestRelationsHaveTheColumnsClientsAskFor(t *testing.T) {
	for relation, columns := range map[string]string{
		"pg_catalog.pg_database":                     "datlocprovider dattablespace daticulocale",
		"pg_catalog.pg_index":                        "indimmediate indnullsnotdistinct",
		"pg_catalog.pg_class":                        "relforcerowsecurity relpages",
		"pg_catalog.pg_inherits":                     "inhdetachpending",
		"pg_catalog.pg_settings":                     "source pending_restart",
		"pg_catalog.pg_stat_activity":                "pid query backend_type",
		"pg_catalog.pg_publication_namespace":        "pnpubid",
		"pg_catalog.pg_cursors":                      "name is_holdable",
		"pg_catalog.pg_locks":                        "granted",
		"information_schema.columns":                 "udt_name is_generated",
		"information_schema.routines":                "routine_name",
		"information_schema.referential_constraints": "unique_constraint_name",
	} {
		schema, name, _ := strings.Cut(relation, ".")
		r := Find(schema, name)
		if r == nil {
			t.Errorf("there is no %s", relation)
			continue
		}
		for _, want := range strings.Fields(columns) {
			if !slices.ContainsFunc(r.Columns, func(c column.Named) bool { return c.Name == want }) {
				t.Errorf("%s has no column %s", relation, want)
			}
		}
	}
	if r := Find("", "ontosql_keywords"); r != nil {
		t.Errorf("a client can name %s, a table of the macros", r.Name)
	}
}

func TestColumnTypesReachClientsAsPostgreSQLs(t *testing.T) {
	for _, c := range []struct {
		schema, relation, column string
		oid                      uint32
		size                     int16
	}{
		{"pg_catalog", "pg_class", "oid", 26, 4},
		{"pg_catalog", "pg_class", "relname", 19, 64},
		{"pg_catalog", "pg_class", "relkind", 18, 1},
		{"pg_catalog", "pg_class", "relnatts", 21, 2},
		{"pg_catalog", "pg_class", "reltuples", 700, 4},
		{"pg_catalog", "pg_class", "relacl", 1034, -1},
		{"pg_catalog", "pg_class", "relfrozenxid", 28, 4},
		{"pg_catalog", "pg_type", "typinput", 24, 4},
		{"pg_catalog", "pg_index", "indkey", 22, -1},
		{"pg_catalog", "pg_index", "indclass", 30, -1},
		{"pg_catalog", "pg_constraint", "conkey", 1005, -1},
		{"pg_catalog", "pg_constraint", "conpfeqop", 1028, -1},
		{"pg_catalog", "pg_stat_activity", "backend_start", 1184, 8},
		{"pg_catalog", "pg_stat_activity", "client_addr", 869, -1},
		{"pg_catalog", "pg_proc", "proargnames", 1009, -1},
		{"information_schema", "tables", "table_name", 19, 64},
		{"information_schema", "tables", "table_type", 1043, -1},
		{"information_schema", "columns", "ordinal_position", 23, 4},
	} {
		r := Find(c.schema, c.relation)
		typ := r.Columns[r.index[c.column]].Type
		if oid := TypeOID(typ); oid != c.oid || TypeSize(oid) != c.size {
			t.Errorf("%s.%s has type %d of size %d, want %d of size %d", c.relation, c.column, oid, TypeSize(oid), c.oid, c.size)
		}
	}
	if got := Typmod(column.Type{Kind: column.Numeric, Width: 10, Scale: 2}); got != 655366 {
		t.Errorf("typmod of numeric(10,2) = %d, want 655366", got)
	}
	if got := Typmod(column.Type{Kind: column.Numeric, Width: 38, Scale: 12}); got != -1 {
		t.Errorf("typmod of a numeric without a size = %d, want -1", got)
	}
}

func TestBatchRefusesWhatDoesNotFit(t *testing.T) {
	r := Find("pg_catalog", "pg_namespace")
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{"nspnam": "x"}, `relation pg_namespace has no column "nspnam"`},
		{Row{"oid": "x"}, "column pg_namespace.oid: a value is no uint32"},
		{Row{"nspacl": []any{1}}, "column pg_namespace.nspacl: a value is no aclitem"},
	} {
		if _, err := r.Batch([]Row{c.row}); err == nil || err.Error() != c.want {
			t.Errorf("Batch(%v): %v, want %s", c.row, err, c.want)
		}
	}
	b, err := r.Batch([]Row{{"nspname": "x"}, {}})
	if err != nil {
		t.Fatal(err)
	}
	if b.Cols[0].IsNull(1) || b.Cols[0].U32[1] != 0 || !b.Cols[3].IsNull(0) {
		t.Errorf("columns left out: oid is %v, nspacl null: %v; want 0 and NULL", b.Cols[0].U32, b.Cols[3].IsNull(0))
	}
}

// TestMacrosHaveOneName: CREATE OR REPLACE of the same name twice would drop
// the first, save a scalar and a table macro, which live side by side.
func TestMacrosHaveOneName(t *testing.T) {
	for _, name := range Functions() {
		for _, kind := range []string{") AS TABLE", ""} {
			var count int
			for _, sql := range Macros() {
				head, _, _ := strings.Cut(sql, "\n")
				if strings.HasPrefix(sql, "CREATE OR REPLACE MACRO "+Schema+"."+name+"(") && strings.HasSuffix(head, ") AS TABLE") == (kind != "") {
					count++
				}
			}
			if count > 1 {
				t.Errorf("%s is made %d times", name, count)
			}
		}
	}
}
