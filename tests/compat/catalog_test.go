package compat

import (
	"os"
	"slices"
	"testing"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/tests/compat/corpus"
)

// TestPsqlQueries rewrites what psql 15 sends for \d, \dt, \l, \df and their
// like: every relation, type and function must be known. What the answers are is
// TestPsqlCommands' to see.
func TestPsqlQueries(t *testing.T) {
	for _, c := range corpus.Psql() {
		for _, q := range c.Queries {
			if err := catalogQuery(placeholder.ReplaceAllString(q.SQL, "16384")); err != nil {
				t.Errorf("%s: %s\n%v", c.Name, q.SQL, err)
			}
		}
		if len(c.Queries) == 0 {
			t.Errorf("%s: no queries", c.Name)
		}
	}
}

func catalogQuery(sql string) error {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return err
	}
	shapes := make([]scope.Shape, len(st.Refs))
	sources := make([]string, len(st.Refs))
	for i, r := range st.Refs {
		c := pgcatalog.Find("pg_catalog", r.Name)
		if c == nil {
			return os.ErrNotExist
		}
		shapes[i] = scope.Shape{Kind: scope.CatalogRelation, Schema: "pg_catalog", Table: c.Name, Columns: c.Columns}
		for _, col := range c.Columns {
			shapes[i].Types = append(shapes[i].Types, types.Of(pgcatalog.TypeOID(col.Type)))
		}
		sources[i] = "(SELECT 1)"
	}
	sc, err := query.Scope(st, shapes, nil, catalogEnv{})
	if err != nil {
		return err
	}
	_, err = sc.Bind(sources)
	return err
}

type catalogEnv struct{ env }

func (catalogEnv) Macro(name string) bool { return slices.Contains(pgcatalog.Functions(), name) }

func (catalogEnv) Setting(string) string         { return "" }
func (catalogEnv) DateOrder() datetime.DateOrder { return datetime.MonthFirst }
