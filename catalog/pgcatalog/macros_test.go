package pgcatalog

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestQueries runs the files below testdata/queries on a DuckDB that holds the
// catalog of the shop: the queries of psql 15 and of drivers as the rewriter
// leaves them, and every function by itself. {schema.relation} in a query
// stands for the relation's OID.
func TestQueries(t *testing.T) {
	conn := engine(t, shopInput())
	filled := mustFill(t, shopInput())
	oid := func(name string) string {
		oid, ok := filled.Regclass(strings.Trim(name, "{}"), nil)
		if !ok {
			t.Fatalf("the shop has no relation %s", name)
		}
		return strconv.FormatUint(uint64(oid), 10)
	}
	placeholder := regexp.MustCompile(`\{[a-z_]+\.[a-z_]+\}`)
	datadriven.Walk(t, "testdata/queries", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return query(t, conn, placeholder.ReplaceAllStringFunc(d.Input, oid))
		})
	})
}

// TestFunctionsReadNoTable: a table that a function reads is planned with every
// statement that calls it. Only the list of key words is one.
func TestFunctionsReadNoTable(t *testing.T) {
	for _, sql := range Macros() {
		if name := macroName.FindStringSubmatch(sql)[1]; strings.Contains(sql, "FROM "+Schema) && name != "pg_get_keywords" {
			t.Errorf("%s reads a table: %s", name, sql)
		}
	}
}
