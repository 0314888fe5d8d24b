package pgcatalog

import (
	"fmt"
	"testing"
)

// shopWithTemp is the shop with two temporary tables: one hides the type customer, one has a
// name of its own.
func shopWithTemp() Input {
	in := shopInput()
	in.Schemas = []TableSchema{{Name: "pg_temp_7", Temporary: true, Tables: []Table{
		{Name: "customer", Columns: []TableColumn{{Name: "id", Type: 23, Typmod: -1, NotNull: true}}, Key: &TableKey{Name: "customer_pkey1", Columns: []int16{1}}},
		{
			Name: "picked", Columns: []TableColumn{{Name: "a", Type: 25, Typmod: -1, Default: "'x'"}, {Name: "b", Type: 1700, Typmod: 327686}},
			Uniques: []TableKey{{Name: "picked_a_b_key", Columns: []int16{1, 2}}}, Checks: []TableCheck{{Name: "picked_b_check", Text: "b > 0", Columns: []int16{2}}},
		},
	}}}
	return in
}

// TestTemporaryTablesAreListed: their columns, constraints and indexes are in the catalog, and
// the types of the ontology keep their OIDs.
func TestTemporaryTablesAreListed(t *testing.T) {
	conn := engine(t, shopWithTemp())
	for sql, want := range map[string]string{
		"SELECT relname, relkind, relpersistence, relnatts, relchecks FROM %[1]s.pg_class WHERE relnamespace = (SELECT oid FROM %[1]s.pg_namespace WHERE nspname = 'pg_temp_7') ORDER BY 1": "customer | r | t | 1 | 0\ncustomer_pkey1 | i | t | 1 | 0\npicked | r | t | 2 | 1\npicked_a_b_key | i | t | 2 | 0\n",
		"SELECT attname, atttypid, atttypmod, attnotnull, atthasdef FROM %[1]s.pg_attribute WHERE attrelid = %[1]s.regclass_oid('picked') AND attnum > 0 ORDER BY attnum":                   "a | 25 | -1 | false | true\nb | 1700 | 327686 | false | false\n",
		"SELECT conname, contype, conkey FROM %[1]s.pg_constraint WHERE conrelid = %[1]s.regclass_oid('picked') ORDER BY 1":                                                                 "picked_a_b_key | u | {1,2}\npicked_b_check | c | {2}\n",
	} {
		if got := query(t, conn, fmt.Sprintf(sql, Schema)); got != want {
			t.Errorf("%s\ngot:\n%swant:\n%s", sql, got, want)
		}
	}
	without, with := mustFill(t, shopInput()), mustFill(t, shopWithTemp())
	if a, b := without.RelationOID("public", "customer"), with.RelationOID("public", "customer"); a != b || a == 0 {
		t.Errorf("public.customer has the OID %d beside a temporary table, %d without", b, a)
	}
}

// TestATemporaryTableIsFoundFirst: unless the path names pg_temp, which then has the place that
// the path gives it (PostgreSQL manual, 20.11.1).
func TestATemporaryTableIsFoundFirst(t *testing.T) {
	filled := mustFill(t, shopWithTemp())
	ours, types := filled.RelationOID("pg_temp_7", "customer"), filled.RelationOID("public", "customer")
	for _, c := range []struct {
		path []string
		name string
		want uint32
	}{
		{[]string{"public"}, "customer", ours},
		{[]string{"public", "pg_temp"}, "customer", types},
		{[]string{"pg_temp", "public"}, "customer", ours},
		{nil, "customer", ours},
		{[]string{"public"}, "pg_temp.customer", ours},
		{[]string{"public"}, "pg_temp_7.customer", ours},
		{[]string{"public"}, "public.customer", types},
		{[]string{"public", "pg_temp"}, "picked", filled.RelationOID("pg_temp_7", "picked")},
		{[]string{"public"}, "pg_temp.store", 0},
	} {
		if got, _ := filled.View(c.path).objectOID(classPgClass, c.name); got != c.want || ours == 0 || types == 0 {
			t.Errorf("on path %v %s is %d, want %d", c.path, c.name, got, c.want)
		}
	}
	if got := filled.View([]string{"public"}).objectName(classPgClass, types); got != "public.customer" {
		t.Errorf("the type that is hidden is called %s, want public.customer", got)
	}
	if got := filled.View([]string{"public", "pg_temp"}).objectName(classPgClass, ours); got != "pg_temp.customer" {
		t.Errorf("the temporary table that is hidden is called %s, want pg_temp.customer", got)
	}
}
