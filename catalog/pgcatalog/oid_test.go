package pgcatalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOIDsAreTheSameInEveryProcess(t *testing.T) {
	a, b := mustFill(t, shopInput()), mustFill(t, shopInput())
	if diff := cmp.Diff(a.byName, b.byName); diff != "" {
		t.Errorf("two catalogs of the same types differ:\n%s", diff)
	}
	// A literal from another process: a change of the hash breaks every client
	// that keeps OIDs.
	if got, want := a.RelationOID("public", "customer"), uint32(1305532570); got != want {
		t.Errorf("OID of public.customer = %d, was %d", got, want)
	}
}

func TestAnOIDStaysWhenOtherTypesComeAndGo(t *testing.T) {
	all, some := shopInput(), shopInput()
	some.Catalog.Types = some.Catalog.Types[:2]
	some.Virtual = nil
	before, after := mustFill(t, all), mustFill(t, some)
	for name, oid := range after.byName {
		if before.byName[name] != oid {
			t.Errorf("%s was %d and is %d after two types were dropped", name, before.byName[name], oid)
		}
	}
}

func TestOIDsOfAllKindsDiffer(t *testing.T) {
	o := oids{taken: map[uint32]string{}}
	seen := map[uint32]string{}
	for i := range 200_000 { // enough for several collisions of the hash
		name := fmt.Sprint("t", i)
		oid := o.of("relation", "public", name)
		if other, ok := seen[oid]; ok {
			t.Fatalf("%s and %s both have OID %d", name, other, oid)
		}
		if oid < firstOID || oid > lastOID {
			t.Fatalf("OID %d of %s lies outside [%d, %d]", oid, name, firstOID, lastOID)
		}
		if again := o.of("relation", "public", name); again != oid {
			t.Fatalf("%s has OID %d, and %d when asked again", name, oid, again)
		}
		seen[oid] = name
	}
}

// TestReferencesJoin follows every OID column to the relation it points into:
// a dangling one makes an object vanish from a client's join.
func TestReferencesJoin(t *testing.T) {
	conn := engine(t, shopInput())
	for _, ref := range [][2]string{
		{"pg_class.relnamespace", "pg_namespace"},
		{"pg_class.relowner", "pg_roles"},
		{"pg_class.reltype", "pg_type"},
		{"pg_class.relam", "pg_am"},
		{"pg_attribute.attrelid", "pg_class"},
		{"pg_attribute.atttypid", "pg_type"},
		{"pg_attribute.attcollation", "pg_collation"},
		{"pg_type.typnamespace", "pg_namespace"},
		{"pg_type.typrelid", "pg_class"},
		{"pg_type.typelem", "pg_type"},
		{"pg_type.typarray", "pg_type"},
		{"pg_type.typbasetype", "pg_type"},
		{"pg_type.typinput", "pg_proc"},
		{"pg_type.typreceive", "pg_proc"},
		{"pg_type.typsend", "pg_proc"},
		{"pg_proc.pronamespace", "pg_namespace"},
		{"pg_proc.prolang", "pg_language"},
		{"pg_constraint.conrelid", "pg_class"},
		{"pg_constraint.conindid", "pg_class"},
		{"pg_constraint.confrelid", "pg_class"},
		{"pg_index.indexrelid", "pg_class"},
		{"pg_index.indrelid", "pg_class"},
		{"pg_rewrite.ev_class", "pg_class"},
		{"pg_database.datdba", "pg_roles"},
		{"pg_database.dattablespace", "pg_tablespace"},
		{"pg_range.rngsubtype", "pg_type"},
		{"pg_aggregate.aggfnoid", "pg_proc"},
		{"pg_cast.castsource", "pg_type"},
		{"pg_opclass.opcintype", "pg_type"},
		{"pg_namespace.nspowner", "pg_roles"},
	} {
		from, column, _ := strings.Cut(ref[0], ".")
		got := query(t, conn, fmt.Sprintf("SELECT count(*), min(f.%[2]s) FROM %[4]s.%[1]s f LEFT JOIN %[4]s.%[3]s t ON t.oid = f.%[2]s WHERE f.%[2]s <> 0 AND t.oid IS NULL",
			from, column, ref[1], Schema))
		if got != "0 | ∅\n" {
			t.Errorf("%s names what %s has not (count, first): %s", ref[0], ref[1], got)
		}
	}
}

// TestEveryTableIsFilledOrEmpty: no batch is for a table that does not exist.
func TestEveryTableIsFilledOrEmpty(t *testing.T) {
	var tables []string
	for _, r := range Tables() {
		tables = append(tables, r.Table())
	}
	filled := mustFill(t, shopInput())
	standard, err := filled.standard()
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []map[*Relation]Rows{filled.rows, standard} {
		for r := range rows {
			if !slices.Contains(tables, r.Table()) {
				t.Errorf("Fill has rows for %s, which is not among Tables", r.Table())
			}
		}
	}
}
