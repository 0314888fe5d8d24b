package check

import (
	"context"
	"fmt"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Change is what a commit did to one identity.
type Change struct {
	Type   ontosql.TypeRef
	Key    []string // the key of an entity; left, right and instance key of a relation
	Insert bool     // it was not there before
}

// Changes returns the rows that a commit wrote to the file at path, entities first, by type
// and key. It returns none for a commit without rows, or whose rows a later drop deleted. The
// error is that of Check.
func Changes(ctx context.Context, path string, commit ontosql.CommitID) ([]Change, error) {
	var changes []Change
	err := sqlite.ReadFile(ctx, path, func(conn *lite.Conn) error {
		t, err := dbschema.Read(conn)
		if err != nil {
			return err
		}
		// What was dropped before and not purged is not there for who came later.
		c := &checker{conn: conn, index: map[findingKey]int{}, dropped: map[ontosql.TypeRef]ontosql.CommitID{}}
		err = sqlconn.Each(conn, "SELECT id, created_at, "+t.Column("commits", "metadata_json", "NULL")+" FROM commits WHERE id <= ?", func(row *lite.Stmt) error {
			c.checkMetadata(row.ColumnInt64(0), row)
			return nil
		}, commit)
		if err != nil {
			return err
		}
		changes = nil
		for _, h := range t.Histories() {
			err := sqlconn.Each(conn, changesSQL(h), func(row *lite.Stmt) error {
				change := Change{Type: ontosql.TypeRef{Kind: h.Kind, Name: row.ColumnText(0)}}
				for i := range h.KeyColumns {
					change.Key = append(change.Key, row.ColumnText(2+i))
				}
				before := ontosql.CommitID(row.ColumnInt64(1))
				change.Insert = before == 0 || before < c.dropped[change.Type]
				changes = append(changes, change)
				return nil
			}, commit)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return changes, sqlconn.StorageError("read changes", err)
}

// changesSQL asks for type, commit of the version before (0 for none) and keys of
// each row of a commit.
func changesSQL(h dbschema.History) string {
	same := []string{"p." + h.TypeColumn + " = h." + h.TypeColumn}
	var keys []string
	for _, key := range h.KeyColumns {
		if strings.HasPrefix(key, "'") { // a literal, in place of a column that there is not
			keys = append(keys, key)
			continue
		}
		keys = append(keys, "h."+key)
		same = append(same, "p."+key+" = h."+key)
	}
	return fmt.Sprintf(`SELECT h.%[2]s, coalesce((SELECT max(p.commit_id) FROM %[1]s p WHERE %[3]s AND p.commit_id < h.commit_id), 0), %[4]s
		FROM %[1]s h WHERE h.commit_id = ? ORDER BY h.%[2]s, %[4]s, h.id`,
		h.Table, h.TypeColumn, strings.Join(same, " AND "), strings.Join(keys, ", "))
}
