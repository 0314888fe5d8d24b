package check

import (
	"fmt"
	"slices"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// checkLayouts checks the layout catalog of engine v2 against COMPAT 4.4: the original returns
// only rows of a type's current layout.
func (c *checker) checkLayouts() error {
	const check, table = "layouts", "type_layout_catalog"
	if c.engine != format.EngineV2 || !c.has(table) {
		return nil
	}
	current := map[ontosql.TypeRef]int64{}
	err := c.query(`SELECT rowid, type_kind, type_name, schema_version_id, table_name, activation_commit_id, is_current
		FROM type_layout_catalog ORDER BY type_kind, type_name, schema_version_id`, func(row *lite.Stmt) {
		id, version, active := row.ColumnInt64(0), row.ColumnInt64(3), row.ColumnInt64(5)
		kind, err := ontosql.ParseKind(row.ColumnText(1))
		if err != nil {
			c.add(check, SeverityError, table, id, "type_kind is %q", row.ColumnText(1))
			return
		}
		ref := ontosql.TypeRef{Kind: kind, Name: row.ColumnText(2)}
		if want := fmt.Sprintf("%s_%s_v%d", kind, ref.Name, version); row.ColumnText(4) != want {
			c.add(check, SeverityWarning, table, id, "the label of version %d of %s is %q, want %q", version, ref, row.ColumnText(4), want)
		}
		if row.ColumnInt64(6) == 0 {
			return
		}
		t := c.types[ref]
		switch other, two := current[ref]; {
		case two:
			c.add(check, SeverityError, table, id, "versions %d and %d of %s are both current", other, version, ref)
		case t == nil || !slices.Contains(t.versions, version):
			c.add(check, SeverityError, table, id, "version %d of %s is current and does not exist", version, ref)
		case ontosql.CommitID(active) > c.head:
			c.add(check, SeverityError, table, id, "version %d of %s is active from commit %d on, the last commit is %d", version, ref, active, c.head)
		default:
			c.checkHidden(id, ref, version, active)
		}
		current[ref] = version
	})
	for _, ref := range c.refs() {
		if t := c.types[ref]; current[ref] == 0 && len(t.versions) > 0 && len(t.rows) > 0 {
			c.add(check, SeverityWarning, table, 0, "%s has rows and no current layout; the next writer makes it", ref)
		}
	}
	return err
}

// checkHidden finds rows that a current layout hides from the original.
func (c *checker) checkHidden(id int64, ref ontosql.TypeRef, version, active int64) {
	const check, table = "layouts", "type_layout_catalog"
	t := c.types[ref]
	latest := t.latest()
	newer, mine := t.rows[latest], t.rows[version]
	switch {
	case version != latest && newer != nil:
		c.add(check, SeverityError, table, id, "version %d of %s is current, the newest is %d: the original does not see its %d rows", version, ref, latest, newer.total)
	case version != latest:
		c.add(check, SeverityWarning, table, id, "version %d of %s is current, the newest is %d; the next writer moves it on", version, ref, latest)
	case mine != nil && mine.firstCommit < active:
		// The original causes this by writing to a file that was upgraded to v2 later.
		c.add(check, SeverityWarning, table, id, "version %d of %s is active from commit %d on and has rows of commit %d, which the original's history hides", version, ref, active, mine.firstCommit)
	}
}
