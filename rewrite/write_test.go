package rewrite

import (
	"fmt"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// bindAny is bindAll for statements of every kind that can be scoped.
func bindAny(sql string) (string, error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return "", err
	}
	if st.Inner != nil {
		st = st.Inner
	}
	switch st.Kind {
	case syntax.Insert, syntax.Update, syntax.Merge:
		_, out, err := rewritetest.Write(sql, dml.ConflictError, nil)
		return out, err
	}
	_, out, err := rewritetest.Bind(sql, nil)
	return out, err
}

func showWrite(sql string, update, nothing bool, oids []uint32) string {
	conflict := dml.ConflictError
	switch {
	case update:
		conflict = dml.ConflictUpdate
	case nothing:
		conflict = dml.ConflictNothing
	}
	sc, out, err := rewritetest.Write(sql, conflict, oids)
	if err != nil {
		return rewritetest.ShowError(err)
	}
	var s strings.Builder
	s.WriteString(rewritetest.ShowScoped(sc.Rows, out))
	for _, a := range sc.Actions {
		fmt.Fprintf(&s, "%s %v\n", map[dml.ActionKind]string{dml.Inserts: "inserts", dml.Updates: "updates"}[a.Kind], a.Assigned)
	}
	for _, c := range sc.Returned {
		fmt.Fprintf(&s, "returns %s of %d.%s\n", c.Name, c.Ref, c.Column)
	}
	return s.String()
}

// TestWritesLeaveNoName: what a write prints reads its sources and nothing else.
func TestWritesLeaveNoName(t *testing.T) {
	bound := 0
	for _, sql := range corpus(t) {
		st, err := syntax.Analyze(sql)
		if err != nil || st.Kind != syntax.Insert && st.Kind != syntax.Update && st.Kind != syntax.Merge {
			continue
		}
		out, err := bindAny(sql)
		if err != nil {
			continue
		}
		text := strings.NewReplacer("<public.customer>", "(SELECT 1)", "<public.product>", "(SELECT 1)", "<target>", "(SELECT 1)").Replace(out)
		if res, err := pg.Parse(text); err == nil && len(res.Stmts) > 0 {
			bound++
			onlyCTEs(t, sql, text, res.Stmts[0])
		}
	}
	if bound < 40 {
		t.Errorf("only %d texts of the corpus could be read", bound)
	}
}
