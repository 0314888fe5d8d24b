package syntax

import (
	"slices"
	"testing"
)

// TestViewText: the text has qualified names, the columns of stars, and the names of the view's
// columns.
func TestViewText(t *testing.T) {
	for _, c := range []struct{ text, columns, want string }{
		{"CREATE VIEW v AS SELECT a, b FROM t", "a b", "SELECT a, b FROM s.t"},
		{"CREATE VIEW v (x, y) AS SELECT a, upper(b) FROM t;", "x y", "SELECT a AS x, upper(b) AS y FROM s.t"},
		{"CREATE VIEW v AS SELECT * FROM t AS r", "a b", "SELECT r.a, r.b FROM s.t AS r"},
		{"CREATE VIEW v AS SELECT t.*, 1 AS n FROM t -- the end", "a b m", "SELECT t.a, t.b, 1 AS m FROM s.t"},
		{"CREATE VIEW v AS SELECT * FROM t JOIN t AS o USING (a)", "a b c", "SELECT a, b, c FROM (SELECT * FROM s.t JOIN s.t AS o USING (a)) AS q(a, b, c)"},
		{"CREATE VIEW v AS VALUES (1)", "n", "SELECT n FROM (VALUES (1)) AS q(n)"},
		{"CREATE VIEW v AS SELECT a IS DISTINCT FROM 1 AS x FROM old", "x", "SELECT a IS DISTINCT FROM 1 AS x FROM s.new AS old(a, b)"},
		{"CREATE VIEW v AS SELECT a FROM old o WHERE a IN (SELECT 1)", "a", "SELECT a FROM s.new o(a, b) WHERE a IN (SELECT 1)"},
		{"CREATE VIEW v AS SELECT a FROM t FOR SYSTEM_TIME AS OF 3 WHERE a > 1", "a", "SELECT a FROM s.t FOR SYSTEM_TIME AS OF 3 WHERE a > 1"},
		{"CREATE VIEW v AS SELECT a FROM old FOR SYSTEM_TIME ALL", "a", "SELECT a FROM s.new FOR SYSTEM_TIME ALL AS old(a, b)"},
		{"CREATE VIEW v AS SELECT a FROM t WHERE a > 1 WITH CHECK OPTION", "a", "SELECT a FROM s.t WHERE a > 1"},
		{"CREATE VIEW v AS SELECT a FROM t WITH LOCAL CHECK OPTION", "a", "SELECT a FROM s.t"},
		{"CREATE VIEW v AS SELECT a FROM t WITH CASCADED CHECK OPTION -- the end", "a", "SELECT a FROM s.t"},
		{"CREATE MATERIALIZED VIEW v (x) AS SELECT a FROM t WITH NO DATA", "x", "SELECT a AS x FROM s.t"},
		{"CREATE MATERIALIZED VIEW v AS SELECT a FROM t UNION SELECT 2 WITH DATA", "x", "SELECT a AS x FROM s.t UNION SELECT 2"},
		{
			"CREATE RECURSIVE VIEW s.v (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM v WHERE n < 3", "n",
			"WITH RECURSIVE v(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM v WHERE n < 3) SELECT n FROM v",
		},
	} {
		st, err := ViewQuery(c.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ViewText(c.text, ViewNames{
			Columns: words(c.columns), Quote: func(name string) string { return name },
			Relation: func(ref int) (string, []string, []string) {
				if st.Refs[ref].Name == "old" {
					return "s.new", []string{"a", "b"}, []string{"a", "b"}
				}
				return "s." + st.Refs[ref].Name, nil, []string{"a", "b"}
			},
		})
		if err != nil || got != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.text, got, err, c.want)
		}
		if _, err := ViewQuery("CREATE VIEW again AS "+got, 0); err != nil {
			t.Errorf("%s: the text does not parse: %v", got, err)
		}
	}
}

func words(text string) (out []string) {
	for _, r := range text {
		if r != ' ' {
			out = append(out, string(r))
		}
	}
	return slices.Clip(out)
}
