package schemas

import (
	"testing"

	"github.com/ontosql/ontosql/format"
)

// TestTableThatIsBack drops a table, creates another of the same name, and then changes
// something else. The name means the new table, although its schema version equals the old
// one's and the newest change does not mention its versions.
func TestTableThatIsBack(t *testing.T) {
	disk := filled(t, founded(t, format.EngineV1))
	s, err := gateOver(t, disk).session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := &world{tables: map[string]*modelTable{"back": {columns: []modelColumn{{name: "new", typ: "bigint"}}}}}
	for range 5 { // all of it in one tenure of the lock, at least once
		err := s.do(
			"CREATE TABLE back (id text PRIMARY KEY, old date)",
			"SELECT * FROM back",
			"DROP TABLE back",
			"CREATE TABLE back (id text PRIMARY KEY, new bigint)",
			"COMMENT ON TABLE item IS 'something else'",
			"SELECT new FROM back",
		)
		if err == nil {
			err = s.shape(w, "back")
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.do("DROP TABLE back"); err != nil {
			t.Fatal(err)
		}
	}
}
