package ddlstmt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// defineAny reads any DDL statement.
func defineAny(st *syntax.Statement) error {
	var err error
	switch st.Kind {
	case syntax.CreateTable, syntax.CreateTableAs:
		var d *ddlstmt.Definition
		if d, err = ddlstmt.ParseDefinition(st, rewritetest.Env{}); err == nil && len(d.Likes) > 0 {
			err = d.Include(make([]ddlstmt.LikeSource, len(d.Likes)))
		}
	case syntax.AlterTable:
		_, err = ddlstmt.ParseAlteration(st, rewritetest.Env{})
	case syntax.Drop:
		_, err = ddlstmt.ParseDrops(st)
	case syntax.CommentOn:
		_, err = ddlstmt.ParseComment(st)
	}
	return err
}

// FuzzDefinitions: no statement of DDL panics, every refusal is a client's error,
// and what is kept of an expression can be read again.
func FuzzDefinitions(f *testing.F) {
	for _, sql := range []string{
		"CREATE TABLE t (a text PRIMARY KEY, b numeric(5,2) DEFAULT 1.5 NOT NULL, c timestamptz DEFAULT now(), LIKE customer INCLUDING ALL)",
		"CREATE TABLE t (a text REFERENCES b (c), FOREIGN KEY (a, b) REFERENCES c (d) ON DELETE CASCADE, PRIMARY KEY (a))",
		"CREATE TABLE t (a, b) AS SELECT 1, 2 WITH NO DATA", "SELECT 1 INTO t",
		"ALTER TABLE t ADD a int, DROP b CASCADE, ALTER c TYPE text USING c || 'x', ALTER d SET DEFAULT 1, ALTER e DROP NOT NULL",
		"ALTER TABLE t RENAME a TO b", "ALTER TABLE t RENAME TO b", "ALTER TABLE t SET SCHEMA s", "ALTER VIEW t RENAME a TO b",
		"DROP TABLE a.b, c CASCADE", "COMMENT ON COLUMN a.b IS NULL", "COMMENT ON TABLE a IS 'b'", "COMMENT ON TYPE a IS 'b'",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if len(sql) > 4096 {
			return
		}
		if st, err := syntax.Analyze(sql); err == nil {
			if err := defineAny(st); err != nil {
				rewritetest.MustBeClient(t, sql, err)
			}
		}
		x, err := defaults.ParseExpression(sql)
		if err != nil {
			rewritetest.MustBeClient(t, sql, err)
			return
		}
		kept, err := x.Default(column.Named{Name: "c", Type: column.Type{Kind: column.Text}}, rewritetest.Env{})
		if err != nil {
			rewritetest.MustBeClient(t, sql, err)
			return
		}
		if again, err := defaults.ParseExpression(kept); err != nil || again.String() != kept {
			t.Fatalf("%q is kept as %q, which is read as %v (%v)", sql, kept, again, err)
		}
	})
}

// TestManyColumns: a table has as many columns as PostgreSQL allows it.
func TestManyColumns(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{
		{1600, "<nil>"},
		{1601, "tables can have at most 1600 columns (SQLSTATE 54011)"},
	} {
		columns := make([]string, c.n)
		for i := range columns {
			columns[i] = fmt.Sprintf("c%d int DEFAULT %d", i, i)
		}
		st, err := syntax.Analyze("CREATE TABLE t (" + strings.Join(columns, ", ") + ")")
		if err != nil {
			t.Fatal(err)
		}
		if err := defineAny(st); fmt.Sprint(err) != c.want {
			t.Errorf("%d columns: got %v, want %s", c.n, err, c.want)
		}
	}
}
