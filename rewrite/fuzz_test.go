package rewrite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// FuzzRewrite: no input panics, every refusal is a client's error, and what is
// accepted names no table outside of its source.
func FuzzRewrite(f *testing.F) {
	for _, sql := range corpus(f) {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if len(sql) > 4096 {
			return
		}
		if _, err := syntax.Split(sql); err != nil {
			rewritetest.MustBeClient(t, sql, err)
		}
		out, err := bindAny(sql)
		if err != nil {
			rewritetest.MustBeClient(t, sql, err)
			return
		}
		if strings.Contains(out, "\x00") {
			t.Fatalf("%q leaves a hole: %q", sql, out)
		}
	})
}

// TestNoNameSurvives binds the whole corpus of tests/compat: the text for the
// engine has no relation but the sources and its own CTEs (decision A5).
func TestNoNameSurvives(t *testing.T) {
	bound := 0
	for _, sql := range corpus(t) {
		_, out, err := rewritetest.Bind(sql, nil)
		if err != nil {
			continue
		}
		bound++
		// Lambdas are the engine's own syntax; without them the text is one that
		// PostgreSQL's grammar reads, too.
		text := strings.NewReplacer("<public.customer>", "(SELECT 1)", "<public.product>", "(SELECT 1)").Replace(out)
		res, err := pg.Parse(text)
		if err != nil {
			continue
		}
		onlyCTEs(t, sql, out, res.Stmts[0])
	}
	if bound < 150 {
		t.Errorf("only %d statements of the corpus could be bound", bound)
	}
}

// onlyCTEs fails the test if a printed statement names a relation that is not
// its own CTE.
func onlyCTEs(t *testing.T, sql, out string, n *pg.RawStmt) {
	t.Helper()
	ctes := map[string]bool{}
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if c, ok := m.(*pg.CommonTableExpr); ok {
			ctes[c.Ctename] = true
		}
		return true
	})
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if v, ok := m.(*pg.RangeVar); ok && (!ctes[v.Relname] || v.Schemaname != "") {
			t.Errorf("%s\nnames %s.%s in\n%s", sql, v.Schemaname, v.Relname, out)
		}
		return true
	})
}

// corpus is every statement of tests/compat.
func corpus(t testing.TB) []string {
	files, err := filepath.Glob("../tests/compat/corpus/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range strings.Split(string(data), ";\n") {
			out = append(out, strings.TrimSpace(sql))
		}
	}
	return out
}

func TestDepth(t *testing.T) {
	for name, sql := range map[string]string{
		"parentheses": "SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000),
		"operators":   "SELECT 1" + strings.Repeat(" + 1", 100000),
		"not":         "SELECT " + strings.Repeat("NOT ", 50000) + "true",
		"unions":      "SELECT 1" + strings.Repeat(" UNION SELECT 1", 20000),
		"joins":       "SELECT 1 FROM customer" + strings.Repeat(" CROSS JOIN customer", 20000),
		"casts":       "SELECT 1" + strings.Repeat("::int", 50000),
		"brackets":    "SELECT " + strings.Repeat("ARRAY[", 3000) + "1" + strings.Repeat("]", 3000),
		"subqueries":  strings.Repeat("SELECT (", 3000) + "SELECT 1" + strings.Repeat(")", 3000),
		"case":        "SELECT " + strings.Repeat("CASE WHEN true THEN ", 3000) + "1" + strings.Repeat(" END", 3000),
		"is null":     "SELECT 1" + strings.Repeat(" IS NULL", 50000),
		"names":       "SELECT a" + strings.Repeat(" COLLATE x", 50000),
	} {
		t.Run(name, func(t *testing.T) {
			var e *pgerr.Error
			if _, err := syntax.Analyze(sql); !errors.As(err, &e) || e.Code != pgerr.StatementTooComplex {
				t.Errorf("got %v, want 54001", err)
			}
		})
	}
	wide := "SELECT 1 WHERE 1 IN (1" + strings.Repeat(", 2", 20000) + ") AND " + strings.Repeat("1 = 1 AND ", 5000) + "true"
	if _, _, err := rewritetest.Bind(wide, nil); err != nil {
		t.Errorf("a wide statement: %v", err)
	}
}

func TestEncoding(t *testing.T) {
	for _, sql := range []string{"SELECT 'a\x00b'", "SELECT '\xff'"} {
		var e *pgerr.Error
		if _, err := syntax.Analyze(sql); !errors.As(err, &e) || e.Code != pgerr.CharacterNotInRepertoire {
			t.Errorf("%q: got %v, want 22021", sql, err)
		}
	}
}
