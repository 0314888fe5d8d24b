package commit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlitetest"
	"github.com/ontosql/ontosql/writepath"
)

// TestTags changes tags of a file that the original wrote: its metadata stays strings by strings,
// and a change of a tag that is not as it was found is refused.
func TestTags(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV1)
	s := openSite(t, path)
	one := format.Tag{Commit: 3, Message: "it's \"good\"", Actor: "ann", CreatedAt: format.TimeOf(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC))}
	change := func(name string, before, after *format.Tag) writepath.Tx {
		return writepath.Tx{Pin: 7, Tags: map[string]format.TagChange{name: {Before: before, After: after}}}
	}
	s.must(change("v1", nil, &one))
	sqlitetest.Told(t, "the metadata", sqlitetest.Ask(t, path, `SELECT DISTINCT m.type FROM commits AS c, json_each(c.metadata_json) AS m WHERE c.id = 8`), "text")
	s.must(change("v2", nil, &one))
	for name, tx := range map[string]writepath.Tx{
		"made twice": change("v1", nil, &one), "removed twice": change("v3", &one, nil), "moved meanwhile": change("v1", &format.Tag{Commit: 2, CreatedAt: one.CreatedAt}, nil),
	} {
		var conflict *writepath.TagConflictError
		if _, err := s.Commit(t.Context(), tx); !errors.As(err, &conflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.must(change("v1", &one, nil))
	pin, err := s.db.PinFresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tags, err := pin.View.Tags()
	if diff := cmp.Diff(format.Tags{"v2": one}, tags); err != nil || diff != "" {
		t.Errorf("the tags (-want +got), %v:\n%s", err, diff)
	}
}
