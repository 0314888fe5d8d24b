package dml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// TestParts: the queries of WITH that write are statements of their own, and so are those that
// they read. The statement names all of them by references.
func TestParts(t *testing.T) {
	for _, c := range []struct{ sql, parts, refs string }{
		{"WITH a AS (SELECT 1 AS x), b AS (SELECT 2 AS y) SELECT * FROM a, b", "", ""},
		{"WITH w AS (INSERT INTO product (id) VALUES (1) RETURNING id) SELECT * FROM w", "w", "w=1"},
		{"WITH a AS (SELECT 1 AS x), w AS (INSERT INTO product (id) VALUES (1)) SELECT * FROM a", "w", ""},
		{"WITH a AS (SELECT 1 AS x), w AS (INSERT INTO product (id) SELECT x FROM a) SELECT * FROM a", "a w", "a=1"},
		{"WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a), w AS (DELETE FROM customer USING b) TABLE customer", "a b w", "customer=0"},
		{"WITH w AS (INSERT INTO product (id) VALUES (1) RETURNING id), v AS (SELECT id FROM w) INSERT INTO product (id) SELECT id FROM v", "w", "w=1"},
		{"WITH w AS (INSERT INTO product (id) VALUES (1) RETURNING id) SELECT (WITH w AS (SELECT 2 AS id) SELECT id FROM w), id FROM w", "w", "w=1"},
		{"WITH RECURSIVE w AS (INSERT INTO product (id) SELECT x FROM a RETURNING id), a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a WHERE x < 3) SELECT * FROM w, a", "a w", "w=2 a=1"},
		{"WITH product AS (INSERT INTO product (id) VALUES (1) RETURNING id) UPDATE product SET name = 'x' FROM public.product p", "product", "product=0"},
	} {
		st, err := syntax.Analyze(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var parts, refs []string
		for _, of := range st.Parts {
			parts = append(parts, of.With.Name)
		}
		for _, r := range st.Refs {
			refs = append(refs, fmt.Sprintf("%s=%d", r.Name, r.Part))
		}
		if got := strings.Join(parts, " "); got != c.parts || strings.Join(refs, " ") != c.refs {
			t.Errorf("%s: the parts are %q and the references %q, want %q and %q", c.sql, parts, refs, c.parts, c.refs)
		}
		if _, err := rewritetest.Parts(st); err != nil {
			t.Errorf("%s: %v", c.sql, err)
		}
	}
}

// TestReads: the statement reads the parts that it names, also through other queries of WITH
// unless it does not read these.
func TestReads(t *testing.T) {
	const w = "WITH w AS (INSERT INTO product (id) VALUES (1) RETURNING id), x AS (INSERT INTO product (id) VALUES (2) RETURNING id), a AS (SELECT id FROM x), b AS (SELECT id FROM w) "
	for sql, want := range map[string]string{
		"SELECT 1": "[]", "SELECT * FROM w": "[0]", "SELECT * FROM a, w": "[1 0]", "INSERT INTO product (id) SELECT id FROM b": "[0]",
		"UPDATE product SET name = 'x' FROM a WHERE a.id IN (SELECT id FROM b)": "[1 0]",
	} {
		st, err := syntax.Analyze(w + sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got := fmt.Sprint(st.Reads); got != want {
			t.Errorf("%s reads %s, want %s", sql, got, want)
		}
	}
}

// TestPartColumns: a part computes what RETURNING shows behind the new row, and its reader
// names that by the names that WITH gives.
func TestPartColumns(t *testing.T) {
	_, sql, err := rewritetest.Bind("WITH w(k) AS (INSERT INTO product (id, name) VALUES (1, 'a') RETURNING id + 1, name) SELECT k, name FROM w", nil)
	want := `SELECT "w"."k" AS "k", "w"."name" AS "name" FROM <w> AS "w"`
	if err != nil || sql != want {
		t.Errorf("got %s (%v), want %s", sql, err, want)
	}
}

// TestPartErrors are PostgreSQL's.
func TestPartErrors(t *testing.T) {
	for _, c := range []struct {
		sql, code, message string
		position           int
	}{
		{"WITH w AS (INSERT INTO product (id) VALUES (1)) SELECT * FROM w", pgerr.FeatureNotSupported, `WITH query "w" does not have a RETURNING clause`, 63},
		{"WITH y AS (WITH x AS (INSERT INTO product (id) VALUES (1) RETURNING id) SELECT * FROM x) SELECT * FROM y", pgerr.FeatureNotSupported, "WITH clause containing a data-modifying statement must be at the top level", 17},
		{"SELECT (WITH x AS (INSERT INTO product (id) VALUES (1) RETURNING id) SELECT id FROM x)", pgerr.FeatureNotSupported, "WITH clause containing a data-modifying statement must be at the top level", 14},
		{"WITH x AS (INSERT INTO product (id) VALUES (1)), x AS (SELECT 1) SELECT 1", pgerr.DuplicateAlias, `WITH query name "x" specified more than once`, 50},
		{"WITH RECURSIVE x AS (INSERT INTO product (id) SELECT id FROM x RETURNING id) SELECT 1", pgerr.InvalidRecursion, `recursive query "x" must not contain data-modifying statements`, 16},
		{"WITH RECURSIVE a AS (INSERT INTO product (id) SELECT id FROM b RETURNING id), b AS (SELECT id FROM a) SELECT 1", pgerr.FeatureNotSupported, "mutual recursion between WITH items is not implemented", 16},
		{"WITH x(a, b) AS (INSERT INTO product (id) VALUES (1) RETURNING id) SELECT * FROM x", pgerr.InvalidColumnReference, `WITH query "x" has 1 columns available but 2 columns specified`, 6},
		{"WITH b AS (INSERT INTO product (id) SELECT id FROM a), a AS (SELECT 1 AS id) SELECT 1", pgerr.UndefinedTable, `relation "a" does not exist`, 52},
	} {
		_, _, err := rewritetest.Bind(c.sql, nil)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Message != c.message || e.Position != c.position {
			t.Errorf("%s: got %v (%+v), want %s %s at %d", c.sql, err, e, c.code, c.message, c.position)
		}
	}
}
