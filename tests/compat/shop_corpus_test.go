package compat

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/tests/compat/corpus"
)

// TestShopCorpus asks the gateway and PostgreSQL every statement of
// corpus/shop/*.sql, one file after the other and each on a shop of its own, and
// compares all that they say: DETAIL and HINT of errors too.
func TestShopCorpus(t *testing.T) {
	ctx := t.Context()
	dsn := postgresShop(t, "compat_shop")
	known := statements(t, "differences.txt")
	for _, f := range shopCorpus(t) {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".sql"), func(t *testing.T) {
			theirs, ours := connectClient(t, dsn), connectClient(t, serveShop(t))
			must(t, ctx, theirs.PgConn, "TRUNCATE item, shelf, stands, owns")
			for _, st := range statements(t, f) {
				diff := sameLines(step{}, theirs.said(ctx, st.SQL), ours.said(ctx, st.SQL))
				isKnown := slices.ContainsFunc(known, func(k corpus.Statement) bool { return k.SQL == st.SQL })
				switch {
				case isKnown && diff == "":
					t.Errorf("%s:%d: listed as different and is not:\n%s", f, st.Line, st.SQL)
				case !isKnown && diff != "":
					t.Errorf("%s:%d: %s (-PostgreSQL +ontosql):\n%s", f, st.Line, st.SQL, diff)
				}
			}
		})
	}
}

func shopCorpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("corpus/shop/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	return files
}
