package pgcatalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestViewsSayWhatPostgreSQLSays compares the answers for PostgreSQL's own objects. The
// functions of information_schema and the defaults of arguments are left out, because no client
// reads them.
func TestViewsSayWhatPostgreSQLSays(t *testing.T) {
	conn := postgres(t)
	in := shopInput()
	in.Database = "postgres"
	duck := engine(t, in)
	for _, c := range []struct{ relation, where string }{
		{"information_schema.routines", "split_part(specific_name, '_', -1) IN ({functions}) AND specific_schema = 'pg_catalog'"},
		{"information_schema.parameters", "split_part(specific_name, '_', -1) IN ({functions}) AND specific_schema = 'pg_catalog'"},
		{"information_schema.check_constraints", "constraint_schema IN ('pg_catalog', 'information_schema')"},
		{"information_schema.domain_constraints", "true"},
		{"information_schema.column_udt_usage", "table_schema = 'information_schema'"},
		{"information_schema.column_domain_usage", "table_schema = 'information_schema'"},
		{"information_schema.domains", "true"},
		{"information_schema.domain_udt_usage", "true"},
		{"information_schema.data_type_privileges", "object_schema = 'information_schema' AND object_type <> 'ROUTINE'"},
		{"information_schema.collations", "collation_name IN ('C', 'POSIX', 'default', 'ucs_basic')"},
		{"information_schema.collation_character_set_applicability", "collation_name IN ('C', 'POSIX', 'default', 'ucs_basic')"},
	} {
		columns := strings.Split(answer(t, conn, "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attnum > 0 AND attname <> 'parameter_default' AND attrelid = '"+
			c.relation+"'::regclass")[0], "\n")[0]
		where := strings.ReplaceAll(c.where, "{functions}", "'"+strings.ReplaceAll(column0("pg_proc"), ", ", "', '")+"'")
		sql := "SELECT " + columns + " FROM {relation} WHERE " + where
		want := answer(t, conn, strings.ReplaceAll(sql, "{relation}", c.relation))
		got := strings.Split(strings.TrimSuffix(query(t, duck, strings.ReplaceAll(sql, "{relation}", Schema+"."+Find("information_schema", strings.TrimPrefix(c.relation, "information_schema.")).Table())), "\n"), "\n")
		missing, extra := apart(want, got)
		if diff := cmp.Diff(missing, extra); diff != "" {
			t.Errorf("%s differs (-PostgreSQL +ontosql):\n%s", c.relation, diff)
		}
	}
}

// apart are the lines that only one of two has, in the order of texts.
func apart(a, b []string) (onlyA, onlyB []string) {
	count := map[string]int{}
	for _, line := range a {
		count[line]++
	}
	for _, line := range b {
		count[line]--
	}
	for line, n := range count {
		for ; n > 0; n-- {
			onlyA = append(onlyA, line)
		}
		for ; n < 0; n++ {
			onlyB = append(onlyB, line)
		}
	}
	return firstOf(onlyA), firstOf(onlyB)
}

// firstOf are a few of the lines, in their order.
func firstOf(lines []string) []string {
	slices.Sort(lines)
	return lines[:min(len(lines), 5)]
}
