package schemas

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/sqlite/initdb"
)

// TestNoChangeIsNoCommit runs statements that leave the schema, what is declared of it
// and the rows as they are, on every kind of store: none of them makes a commit.
func TestNoChangeIsNoCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "onto.db")
	if _, err := initdb.Init(t.Context(), path, initdb.Options{Engine: format.EngineV1, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]gatewaytest.Options{
		"v1":     {Bucket: filled(t, founded(t, format.EngineV1))},
		"v2":     {Bucket: filled(t, founded(t, format.EngineV2))},
		"SQLite": {SQLite: path},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := openGate(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(g.Close)
			s, err := g.session(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			if o.Bucket == nil {
				if err := s.do(before...); err != nil {
					t.Fatal(err)
				}
			}
			head := func() string {
				t.Helper()
				rows, err := s.ask("SELECT max(commit_id) FROM ontosql.commits")
				if err != nil {
					t.Fatal(err)
				}
				return rows[0]
			}
			for _, sql := range []string{
				"CREATE TABLE IF NOT EXISTS item (id text PRIMARY KEY)",
				"DROP TABLE IF EXISTS nosuch",
				"ALTER TABLE IF EXISTS nosuch ADD COLUMN a text",
				"ALTER TABLE item ADD COLUMN IF NOT EXISTS title text",
				"ALTER TABLE item DROP COLUMN IF EXISTS nosuch",
				"ALTER TABLE item ALTER COLUMN title TYPE text",
				"ALTER TABLE item ALTER COLUMN price TYPE bigint USING price",
				"ALTER TABLE item ALTER COLUMN price DROP NOT NULL",
				"ALTER TABLE item ALTER COLUMN title SET NOT NULL",
				"ALTER TABLE item ALTER COLUMN id SET NOT NULL",
				"ALTER TABLE item ALTER COLUMN price SET DEFAULT 3",
				"ALTER TABLE item ALTER COLUMN title DROP DEFAULT",
				"ALTER TABLE stands ALTER COLUMN since DROP DEFAULT",
				"COMMENT ON TABLE item IS NULL",
				"COMMENT ON COLUMN item.price IS NULL",
				"BEGIN; CREATE TABLE fleeting (id text PRIMARY KEY); DROP TABLE fleeting; COMMIT",
				"BEGIN; ALTER TABLE item ALTER COLUMN price SET DEFAULT 4; ALTER TABLE item ALTER COLUMN price SET DEFAULT 3; COMMIT",
				"BEGIN; COMMENT ON TABLE item IS 'x'; COMMENT ON TABLE item IS NULL; COMMIT",
			} {
				was := head()
				if err := s.do(strings.Split(sql, "; ")...); err != nil {
					t.Error(err)
				}
				if now := head(); now != was {
					t.Errorf("%s made commit %s", sql, now)
				}
			}
			was := head()
			if err := s.do("ALTER TABLE item ALTER COLUMN price DROP DEFAULT", "COMMENT ON COLUMN item.price IS 'in cents'"); err != nil {
				t.Fatal(err)
			}
			if now := head(); now == was {
				t.Error("a change of what is declared made no commit")
			}
		})
	}
}
