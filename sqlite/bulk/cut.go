package bulk

import (
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// CutAfter removes all commits after one, with their rows, and all event data. The next commit will
// have the id after it. Finish then writes the types of that commit.
func (h *Writer) CutAfter(id ontosql.CommitID) error {
	for _, table := range []struct{ name, where string }{
		{"entity_history", "commit_id > ?1"},
		{"relation_history", "commit_id > ?1"},
		{"commits", "id > ?1"},
	} {
		if err := h.w.Exec(fmt.Sprintf("DELETE FROM %s WHERE %s", table.name, table.where), id); err != nil {
			return sqlconn.StorageError("cut history", err)
		}
		// AUTOINCREMENT continues from the greatest id that ever was.
		if err := h.w.Exec(fmt.Sprintf("UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM %s) WHERE name = ?1", table.name), table.name); err != nil {
			return sqlconn.StorageError("cut history", err)
		}
	}
	for _, name := range dbschema.EventTables {
		there, err := h.w.HasTable(name)
		if err == nil && there {
			err = h.w.Exec("DELETE FROM " + name)
		}
		if err != nil {
			return sqlconn.StorageError("remove event data", err)
		}
	}
	h.last = id
	return nil
}
