package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// idSet is a set of ids without many gaps.
type idSet []idSpan

type idSpan struct{ from, to int64 }

// add adds an id greater than all others.
func (s *idSet) add(id int64) {
	if n := len(*s); n > 0 && (*s)[n-1].to == id-1 {
		(*s)[n-1].to = id
		return
	}
	*s = append(*s, idSpan{id, id})
}

func (s idSet) has(id int64) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].to >= id })
	return i < len(s) && s[i].from <= id
}

// checkCommits checks ids, times and metadata of the commits, oldest first.
func (c *checker) checkCommits() error {
	const table = "commits"
	c.dropped = map[ontosql.TypeRef]ontosql.CommitID{}
	if !c.columns[table]["id"] { // which checkShape notes, like all that is missing
		return nil
	}
	var last int64
	var before time.Time
	c.commitsReadable = true
	err := c.query(fmt.Sprintf("SELECT id, %s, %s FROM commits ORDER BY id",
		c.columns.Column(table, "created_at", "NULL"), c.columns.Column(table, "metadata_json", "NULL")), func(row *lite.Stmt) {
		id := row.ColumnInt64(0)
		switch {
		case id < 1:
			c.add("commit ids", SeverityError, table, id, "commit ids begin at 1")
		case id == last+2:
			c.add("commit ids", SeverityError, table, id, "commit %d is missing", id-1)
		case id > last+1:
			c.add("commit ids", SeverityError, table, id, "commits %d to %d are missing", last+1, id-1)
		}
		last = max(id, last)
		metadata := c.checkMetadata(id, row)
		_, ours := metadata[format.MetadataAttempt]
		c.commits.add(id)
		if ours {
			c.ours.add(id)
		}
		if !c.columns[table]["created_at"] {
			return
		}
		text := row.ColumnText(1)
		at, err := format.ParseTime(text)
		switch {
		case err != nil:
			c.add("commit times", SeverityError, table, id, "created_at is %q", text)
			return
		case !storedTime.MatchString(text):
			c.add("commit times", SeverityError, table, id, "created_at is %q, which the original cannot compare", text)
		}
		if at.Before(before) {
			severity := SeverityWarning // a clock of the original's
			if ours {
				severity = SeverityError
			}
			c.add("commit times", severity, table, id, "created_at %s is before that of the commit before", text)
		}
		before = at.Time
	})
	c.head = ontosql.CommitID(last)
	if err != nil || c.columns["sqlite_sequence"] == nil {
		return err
	}
	return c.query(`SELECT seq FROM sqlite_sequence WHERE name = 'commits'`, func(row *lite.Stmt) {
		if given := row.ColumnInt64(0); given > last {
			c.add("commit ids", SeverityError, table, 0, "ids up to %d were given, and the last commit is %d: commits were deleted", given, last)
		}
	})
}

// checkMetadata reads the metadata of a commit and what it says about types.
func (c *checker) checkMetadata(id int64, row *lite.Stmt) map[string]json.RawMessage {
	const check, table = "commit metadata", "commits"
	if row.ColumnIsNull(2) {
		return nil
	}
	value, err := format.ParseJSON([]byte(row.ColumnText(2)))
	if err != nil {
		c.add(check, SeverityError, table, id, "metadata_json: %v", err)
		return nil
	}
	if value.Kind() != format.JSONObject {
		c.add(check, SeverityError, table, id, "metadata_json is %s", value.Kind())
		return nil
	}
	metadata := map[string]json.RawMessage{}
	for name, member := range value.Members() {
		metadata[name] = member.Append(nil, format.Canonical)
	}
	commit := ontosql.CommitID(id)
	m := format.Manifest{CommitID: commit, Metadata: metadata}
	if err := m.CheckTags(table); err != nil {
		c.add(check, SeverityError, table, id, "%v", err)
	}
	change, err := m.SchemaChange(table)
	if err != nil {
		c.add(check, SeverityError, table, id, "%v", err)
	}
	if change != nil {
		for _, problem := range migration.CheckFieldIDs(c.change, change, func(ref ontosql.TypeRef) bool { return c.dropped[ref] > c.changed }) {
			c.add(check, SeverityError, table, id, "%v", problem)
		}
		c.change, c.changed = change, commit
		for i := range change.Dropped {
			c.dropped[change.Dropped[i].Ref()] = commit
		}
	}
	refs, err := droppedByOriginal(value)
	if err != nil {
		c.add(check, SeverityError, table, id, "affected_types: %v", err)
	}
	for _, ref := range refs {
		c.dropped[ref] = commit
	}
	return metadata
}

// droppedByOriginal returns the types named in a schema_drop of the original (COMPAT 7).
func droppedByOriginal(metadata format.Value) ([]ontosql.TypeRef, error) {
	text := func(name string) string {
		v, _ := metadata.Get(name)
		return v.Text()
	}
	if text("operation") != "schema_drop" {
		return nil, nil
	}
	var refs []ontosql.TypeRef
	add := func(kind, name string) error {
		k, err := ontosql.ParseKind(kind)
		if err != nil {
			return err
		}
		refs = append(refs, ontosql.TypeRef{Kind: k, Name: name})
		return nil
	}
	if name := text("target_type"); name != "" {
		if err := add(text("target_kind"), name); err != nil {
			return refs, err
		}
	}
	list := text("affected_types")
	if list == "" {
		return refs, nil
	}
	affected, err := format.ParseJSON([]byte(list))
	if err != nil {
		return refs, err
	}
	for _, item := range affected.Items() {
		kind, _ := item.Get("kind")
		name, _ := item.Get("type_name")
		if err := add(kind.Text(), name.Text()); err != nil {
			return refs, err
		}
	}
	return refs, nil
}

// storedTime is the format of times of all writers (COMPAT rule 2); the original omits a zero
// fraction.
var storedTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`)
