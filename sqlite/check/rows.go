package check

import (
	"fmt"
	"slices"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// versionRows counts the rows of one type and schema version, except those left behind by a
// drop.
type versionRows struct {
	total       int64
	first       int64 // row id
	firstCommit int64
}

// countRows finds the maximum number of rows, for the progress.
func (c *checker) countRows() error {
	for _, h := range c.columns.Histories() {
		if !c.has(h.Table) {
			continue
		}
		err := c.query("SELECT max(id) FROM "+h.Table, func(row *lite.Stmt) { c.ids += row.ColumnInt64(0) })
		if err != nil {
			return err
		}
	}
	return nil
}

// progressRows is the number of rows between two progress reports.
const progressRows = 1 << 16

// checkRows checks every row of a history table: its commit must exist and its fields be JSON;
// with data also its keys.
func (c *checker) checkRows(kind ontosql.Kind) error {
	h, ok := c.columns.History(kind)
	if !ok || !c.has(h.Table) {
		return nil
	}
	fields := "json_valid(fields_json, 2)" // NaN is no JSON, and the original writes it
	if c.data {
		fields = "fields_json"
	}
	r := rowCheck{checker: c, table: h.Table, kind: kind}
	return c.query(fmt.Sprintf(`SELECT id, commit_id, %s, %s, %s, %s FROM %s`,
		h.TypeColumn, h.VersionColumn, fields, strings.Join(h.KeyColumns, ", "), h.Table), r.look)
}

// rowCheck is the check of one history table.
type rowCheck struct {
	*checker
	table string
	kind  ontosql.Kind

	name string // of the last row's type, and the type itself
	ref  ontosql.TypeRef
	of   *checkedType
	body []byte
}

func (c *rowCheck) look(row *lite.Stmt) {
	if c.rows++; c.rows%progressRows == 0 && c.rows < c.ids && c.progress != nil {
		c.progress(int(c.rows), int(c.ids))
	}
	id, commit := row.ColumnInt64(0), row.ColumnInt64(1)
	if c.commitsReadable && !c.commits.has(commit) {
		c.add("orphaned rows", SeverityError, c.table, id, "commit %d does not exist", commit)
	}
	if name := row.ColumnText(2); c.of == nil || name != c.name {
		c.name, c.ref = name, ontosql.TypeRef{Kind: c.kind, Name: name}
		c.of = c.typeOf(c.ref)
	}
	version := row.ColumnInt64(3)                    // 0 for NULL
	if ontosql.CommitID(commit) < c.dropped[c.ref] { // rows of that commit were written after the drop
		c.add("dropped types", SeverityWarning, c.table, id, "%s was dropped by commit %d, and its rows were not purged", c.ref, c.dropped[c.ref])
		version = -1
	} else {
		c.of.count(version, id, commit)
	}
	if !c.data {
		if row.ColumnInt64(4) == 0 {
			c.add("payload", SeverityError, c.table, id, "fields_json is no JSON")
		}
		return
	}
	c.body = slices.Grow(c.body[:0], row.ColumnLen(4))[:row.ColumnLen(4)]
	row.ColumnBytes(4, c.body)
	value, err := format.ParseJSON(c.body)
	switch {
	case err != nil:
		c.add("payload", SeverityError, c.table, id, "fields_json: %v", err)
	case value.Kind() != format.JSONObject:
		c.add("payload", SeverityError, c.table, id, "fields_json is %s", value.Kind())
	case c.kind == ontosql.Entity:
		c.checkEntity(id, c.of.schemas[version], row.ColumnText(5), value)
	default:
		c.checkRelation(id, c.of.schemas[version], row.ColumnText(7), value)
	}
}

func (t *checkedType) count(version, id, commit int64) {
	rows := t.rows[version]
	if rows == nil {
		rows = &versionRows{first: id, firstCommit: commit}
		t.rows[version] = rows
	}
	rows.total++
	rows.firstCommit = min(rows.firstCommit, commit)
}

// checkEntity compares the primary key in the fields with entity_key (COMPAT rule 4). For keys
// other than text and numbers the original stores Python's str.
func (c *rowCheck) checkEntity(id int64, schema *format.Schema, key string, fields format.Value) {
	if schema == nil {
		return
	}
	for _, f := range schema.Fields {
		if !f.PrimaryKey {
			continue
		}
		value, there := fields.Get(f.Name)
		if !there {
			c.add("keys", SeverityError, c.table, id, "fields_json lacks the primary key %s", f.Name)
			return
		}
		if t, _ := format.ParseSpelling(f.Type); t == format.FieldJSON {
			return
		}
		if text, err := format.KeyText(value); err != nil || text != key {
			c.add("keys", SeverityError, c.table, id, "entity_key is %q, fields_json has %s", key, value.Append(nil, format.Canonical))
		}
	}
}

// checkRelation checks the instance key against the schema (COMPAT rules 4 and 5).
func (c *rowCheck) checkRelation(id int64, schema *format.Schema, instance string, fields format.Value) {
	if schema == nil {
		return
	}
	keyed := schema.InstanceKey != ""
	if _, there := fields.Get(schema.InstanceKey); keyed && there {
		c.add("keys", SeverityError, c.table, id, "fields_json has the instance key %s", schema.InstanceKey)
	}
	switch {
	case keyed && strings.TrimSpace(instance) == "":
		c.add("keys", SeverityError, c.table, id, "instance_key is blank")
	case !keyed && instance != "":
		c.add("keys", SeverityError, c.table, id, "instance_key is not empty, and %s has none", c.ref)
	}
}

// checkRowVersions finds rows of schema versions that their type does not have.
func (c *checker) checkRowVersions() error {
	const check = "row versions"
	for _, ref := range c.refs() {
		t, table := c.types[ref], ref.Kind.String()+"_history"
		versions := make([]int64, 0, len(t.rows))
		for version := range t.rows {
			versions = append(versions, version)
		}
		slices.Sort(versions)
		for _, version := range versions {
			rows := t.rows[version]
			switch {
			case len(t.versions) == 0 && t.registered: // which is noted with the registry
			case len(t.versions) == 0:
				c.add(check, SeverityError, table, rows.first, "%s is not registered, and has %d rows", ref, rows.total)
			case version == 0 && c.engine == format.EngineV2:
				c.add(check, SeverityError, table, rows.first, "%d rows of %s have no schema_version_id, and the engine is v2", rows.total, ref)
			case version == 0:
				c.add(check, SeverityWarning, table, rows.first, "%d rows of %s have no schema_version_id", rows.total, ref)
			case !slices.Contains(t.versions, version):
				c.add(check, SeverityError, table, rows.first, "%d rows of %s are of version %d, which it does not have", rows.total, ref, version)
			}
		}
	}
	return nil
}

// checkDuplicates finds identities that one commit wrote more than once: a known deviation of
// the original (COMPAT 5.4); readers use the last one.
func (c *checker) checkDuplicates(kind ontosql.Kind) error {
	h, ok := c.columns.History(kind)
	if !ok || !c.has(h.Table) {
		return nil
	}
	columns := h.TypeColumn + ", " + strings.Join(h.KeyColumns, ", ")
	return c.query(fmt.Sprintf(`SELECT max(id), count(*), commit_id, %[1]s FROM %[2]s GROUP BY %[1]s, commit_id HAVING count(*) > 1`, columns, h.Table), func(row *lite.Stmt) {
		var keys []string
		for i := 4; i < row.ColumnCount(); i++ {
			keys = append(keys, row.ColumnText(i))
		}
		commit, severity := row.ColumnInt64(2), SeverityWarning
		if c.ours.has(commit) {
			severity = SeverityError
		}
		c.add("duplicates", severity, h.Table, row.ColumnInt64(0), "%s %s %q was written %d times by commit %d; the last one counts",
			kind, row.ColumnText(3), keys, row.ColumnInt64(1), commit)
	})
}
