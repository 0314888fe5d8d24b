package compat

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite"
)

// TestCatalogQueries rewrites what psql and drivers ask of pg_catalog, as
// pgcatalog's own tests keep it: every name, type and function must be known.
func TestCatalogQueries(t *testing.T) {
	files, err := filepath.Glob("../../catalog/pgcatalog/testdata/queries/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no queries", err)
	}
	braces := regexp.MustCompile(`\{([a-z_]+)\.([a-z_]+)\}`)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(data), "\nquery\n")[1:] {
			sql, _, _ := strings.Cut(block, "\n----")
			sql = strings.ReplaceAll(braces.ReplaceAllString(sql, "$1.$2"), "ontosql_catalog.", "")
			if err := catalogQuery(sql); err != nil {
				t.Errorf("%s: %s\n%v", filepath.Base(f), sql, err)
			}
		}
	}
}

func catalogQuery(sql string) error {
	st, err := rewrite.Analyze(sql)
	if err != nil {
		return err
	}
	var shapes []rewrite.Shape
	var sources []string
	for _, r := range st.Refs {
		c := pgcatalog.Find(r.Schema, r.Name)
		if r.Schema == "" {
			c = pgcatalog.Find("pg_catalog", r.Name)
		}
		if c == nil {
			continue
		}
		s := rewrite.Shape{Kind: rewrite.CatalogRelation, Schema: "pg_catalog", Table: c.Name}
		for _, col := range c.Columns {
			s.OIDs = append(s.OIDs, pgcatalog.TypeOID(col.Type))
			s.Columns = append(s.Columns, column.Named{Name: col.Name, Type: col.Type})
		}
		shapes, sources = append(shapes, s), append(sources, "(SELECT 1)")
	}
	if len(shapes) < len(st.Refs) {
		return nil // over a relation that only the test has
	}
	sc, err := st.Scope(shapes, nil, catalogEnv{})
	if err != nil {
		return err
	}
	_, err = sc.Bind(sources)
	return err
}

type catalogEnv struct{ env }

func (catalogEnv) Macro(name string) bool { return slices.Contains(pgcatalog.Functions(), name) }
