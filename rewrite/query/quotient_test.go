package query_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestQuotientsWithoutTexts checks that no row's number becomes a text where only a sum, an average or
// a comparison of quotients and branches is needed.
func TestQuotientsWithoutTexts(t *testing.T) {
	const rows = " FROM generate_series(1, 9) g, (SELECT 1.5::numeric(7,2) AS x, 2::numeric(7,2) AS y) v"
	for _, sql := range []string{
		"SELECT 1" + rows + " WHERE x / y > 0.1",
		"SELECT 1" + rows + " GROUP BY g HAVING avg(x) > 1.2 * avg(y)",
		"SELECT sum(x / 2) > 1" + rows,
		"SELECT sum(q) > 1 FROM (SELECT avg(x) AS q" + rows + " GROUP BY g) s",
	} {
		_, bound, err := rewritetest.Bind(sql, nil)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if strings.Contains(bound, "VARCHAR") || !strings.Contains(bound, "ontosql_quotient(") {
			t.Errorf("%s is bound as %s, with texts", sql, bound)
		}
	}
	for sql, sum := range map[string]string{
		"SELECT sum(CASE WHEN g > 1 THEN x ELSE 0 END)" + rows: `max(CASE WHEN ("g"."ontosql v" > 1) THEN CASE WHEN "v"."x" IS NOT NULL THEN 2 END ELSE CASE WHEN 0 IS NOT NULL THEN 0 END END)`,
		"SELECT sum(x / y)" + rows:                             `max(ontosql_quotient_scale("v"."x", 2, "v"."y", 2))`,
		"SELECT sum(coalesce(x, 0))" + rows:                    `max(coalesce(CASE WHEN "v"."x" IS NOT NULL THEN 2 END, CASE WHEN 0 IS NOT NULL THEN 0 END))`,
	} {
		_, bound, err := rewritetest.Bind(sql, nil)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if !strings.Contains(bound, sum) {
			t.Errorf("%s is bound as %s, want %s for the scale", sql, bound, sum)
		}
	}
}
