package dbt

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestExample builds the example over the demo, twice, and again after a commit.
func TestExample(t *testing.T) {
	port := freePort(t)
	g := &gateway{args: []string{"demo", "--dir", t.TempDir(), "--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir(), "--listen", "127.0.0.1:" + port}}
	r := newRunner(t, "../../examples/dbt", "ONTOSQL_PORT="+port)
	g.start(t)
	defer g.stop(t)
	conn, err := pgx.Connect(t.Context(), "postgres://demo@127.0.0.1:"+port+"/onto?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ask := func(sql string) (text string) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), sql).Scan(&text); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return text
	}

	if built := r.run(t, "build"); len(built.Nodes) < 21 {
		t.Errorf("the first build has %d nodes: %v", len(built.Nodes), built.Nodes)
	}
	for _, sql := range []string{
		"(SELECT count(*) FROM dbt_shop.fct_customer_changes) = (SELECT count(*) FROM changes.customer)",
		"(SELECT count(*) FROM dbt_shop.dim_customer_history) = (SELECT count(*) FROM history.customer)",
		"(SELECT round(sum(balance)::numeric, 2) FROM dbt_shop.customers_after) = (SELECT round(sum(balance)::numeric, 2) FROM customer)",
		"EXISTS (SELECT FROM dbt_shop.customers_before AS b JOIN customer AS c ON c.id = b.customer_id AND c.balance <> b.balance)",
		"(SELECT count(*) FROM dbt_shop.fct_purchases) = (SELECT count(*) FROM purchase)",
	} {
		if got := ask("SELECT (" + sql + ")::text"); got != "true" {
			t.Errorf("%s is %s", sql, got)
		}
	}

	ask("INSERT INTO customer (id, name, tier, balance) VALUES ('new', 'New Customer', 'Silver', 7) RETURNING id")
	again := r.run(t, "build")
	if got := again.Nodes["fct_customer_changes"]; got != [2]string{"success", "INSERT 0 1"} {
		t.Errorf("after one commit the incremental model says %q, want one row", got)
	}
	if got := ask("SELECT tier FROM dbt_shop.fct_customer_changes WHERE customer_id = 'new'"); got != "Silver" {
		t.Errorf("the change is of the tier %s", got)
	}
	fresh := r.run(t, "source", "freshness")
	if got := fresh.Nodes["commits"]; got[0] != "pass" {
		t.Errorf("freshness of the commits is %q", got)
	}
	r.run(t, "docs", "generate")
	if r.begin(t, "run", "--select", "customers_before", "--vars", "{from_point: the day before}"); !strings.Contains(r.end(t).Error, "the day before") {
		t.Error("a point that is none is not told in dbt's error")
	}
}
