package commit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TestWriteToDamage commits to files in which what a writer needs is damaged: the
// error says where, and nothing is written.
func TestWriteToDamage(t *testing.T) {
	for _, c := range []struct{ name, damage, want string }{
		{"a registry that is no JSON", `UPDATE schema_registry SET schema_json = '{oops' WHERE type_name = 'Thing'`, "schema_registry row 1: schema_json"},
		{"no column of metadata", `ALTER TABLE commits DROP COLUMN metadata_json`, "commits: metadata_json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := sqlitetest.NewFile(t, format.EngineV1)
			s := openSite(t, path)
			s.must(creates(0, thing))
			s.must(writes(1, "a", 1, thing))
			s.close()
			sqlitetest.Edit(t, path, c.damage)
			s = openSite(t, path)
			if head := s.head(); head != 2 {
				t.Errorf("reading: head %d, want 2", head)
			}
			_, err := s.Commit(t.Context(), writes(2, "b", 1, thing))
			var corrupt *ontosql.CorruptError
			if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("writing: %v, want damage at %s", err, c.want)
			}
			sqlitetest.Told(t, "rows", sqlitetest.Ask(t, path, "SELECT entity_key FROM entity_history"), "a")
			sqlitetest.Told(t, "commits", sqlitetest.Ask(t, path, "SELECT id FROM commits"), "1", "2")
		})
	}
}

// TestBecameV2 writes to a file whose rows are from before it was v2: the layout
// that the writer makes hides none of them from the original.
func TestBecameV2(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	s := openSite(t, path)
	s.must(creates(0, thing, other, links))
	s.must(writes(1, "a", 1, thing))
	s.must(writes(2, "a", 2, thing, links))
	s.close()
	// As init of the original does (COMPAT 4.2).
	sqlitetest.Edit(t, path, `UPDATE storage_meta SET value = 'v2' WHERE key = 'engine_version'`)
	s = openSite(t, path)
	s.must(writes(3, "b", 1, thing, other, links))
	sqlitetest.Told(t, "layouts", sqlitetest.Ask(t, path, "SELECT type_name, schema_version_id, activation_commit_id FROM type_layout_catalog WHERE is_current = 1 ORDER BY 1"),
		"Links|1|3", "Other|1|4", "Thing|1|2")
	sqlitetest.Sound(t, path)
}
