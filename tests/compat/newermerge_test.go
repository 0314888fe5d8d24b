package compat

import (
	"strings"
	"testing"
)

// TestNewerMerge: what PostgreSQL has in MERGE since version 17, answered as its
// manual says, and what no version of an ontology can do.
func TestNewerMerge(t *testing.T) {
	ctx := t.Context()
	ours := connect(t, start(t, tables))
	for _, c := range []struct{ sql, want string }{
		{
			"MERGE INTO product p USING (VALUES (1, 'x'), (901, 'y'), (902, 'z')) AS s(k, v) ON k = id WHEN MATCHED THEN UPDATE SET name = v " +
				"WHEN NOT MATCHED AND k > 901 THEN DO NOTHING WHEN NOT MATCHED THEN INSERT (id, name) VALUES (k, v) RETURNING merge_action(), p.id, v, upper(name), (SELECT merge_action() || count(*) FROM product)",
			"MERGE 2: UPDATE|1|x|X|UPDATE5 INSERT|901|y|Y|INSERT5",
		},
		{
			"MERGE INTO subscription USING (VALUES ('c1', 1)) AS s(k, n) ON k = left_key AND n = right_key WHEN MATCHED THEN UPDATE SET note = 'm' RETURNING *",
			"MERGE 1: c1|1|c1|1|2024-01-20|3|m",
		},
		{"MERGE INTO product USING (SELECT 1 AS k) AS s ON k = id WHEN MATCHED THEN DO NOTHING RETURNING id", "MERGE 0: "},
		{"MERGE INTO product USING (SELECT 1 AS k) AS s ON k = id WHEN MATCHED THEN DELETE", "0A000"},
		{"MERGE INTO product USING (SELECT 1 AS k) AS s ON k = id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'x'", "0A000"},
		{"MERGE INTO product USING (SELECT 1 AS k) AS s ON k = id WHEN NOT MATCHED BY TARGET THEN DO NOTHING", "MERGE 0: "},
		{"UPDATE product SET id = 7 WHERE id = 1", "0A000"},
		{"SELECT merge_action()", "42601"},
		{"UPDATE customer SET attrs = jsonb_populate_record(attrs, attrs)", "0A000"},
	} {
		a := ask(ctx, ours, c.sql)
		got := a.code
		if got == "" {
			rows := make([]string, len(a.rows))
			for i, r := range a.rows {
				rows[i] = strings.Join(r, "|")
			}
			got = a.tag + ": " + strings.Join(rows, " ")
		}
		if got != c.want {
			t.Errorf("%s\n  got:  %s %s\n  want: %s", c.sql, got, a.err, c.want)
		}
	}
}
