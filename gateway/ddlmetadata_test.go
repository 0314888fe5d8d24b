package gateway_test

import (
	"slices"
	"testing"
)

// TestMigrationMetadata: a commit that migrates says so as the original does, each
// type once, from the version that it had to the one it has, and what was taken back
// or dropped is not told.
func TestMigrationMetadata(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	must(t, s, "INSERT INTO shelf SELECT 's' || n, n FROM generate_series(1, 3) AS n")
	told := func() []string {
		t.Helper()
		return must(t, s, `SELECT metadata->>'kind', m->>'type_kind', m->>'type_name', m->>'from_schema_version_id', m->>'to_schema_version_id', m->>'rows_rewritten', more
			FROM (SELECT metadata, metadata->'migrated_types'->0 AS m, metadata->'migrated_types'->1 AS more FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1) AS c`)
	}
	for _, step := range []struct {
		statements []string
		want       []string
	}{
		{[]string{"ALTER TABLE shelf ADD COLUMN wood text"}, []string{"migration|entity|Shelf|1|2|0|NULL"}},
		{[]string{"ALTER TABLE shelf ALTER COLUMN height SET DEFAULT 7"}, []string{"NULL|NULL|NULL|NULL|NULL|NULL|NULL"}},
		{[]string{"ALTER TABLE shelf ALTER COLUMN height TYPE double precision"}, []string{"migration|entity|Shelf|2|3|3|NULL"}},
		{[]string{
			"BEGIN", "ALTER TABLE shelf RENAME COLUMN wood TO material", "SAVEPOINT s", "ALTER TABLE shelf DROP COLUMN height", "ROLLBACK TO s",
			"ALTER TABLE shelf ALTER COLUMN material SET NOT NULL, ALTER COLUMN material TYPE text USING 'oak'", "CREATE TABLE room (id text PRIMARY KEY)",
			"ALTER TABLE room ADD COLUMN size bigint", "DROP TABLE room", "COMMIT",
		}, []string{"migration|entity|Shelf|3|5|3|NULL"}},
	} {
		for _, sql := range step.statements {
			must(t, s, sql)
		}
		if got := told(); !slices.Equal(got, step.want) {
			t.Errorf("after %q the commit tells of %q, want %q", step.statements, got, step.want)
		}
	}
}
