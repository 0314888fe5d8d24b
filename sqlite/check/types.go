package check

import (
	"bytes"
	"encoding/json"
	"slices"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// checkedType is what the file has about one type.
type checkedType struct {
	versions   []int64 // ids, ascending
	schemas    map[int64]*format.Schema
	texts      map[int64]json.RawMessage // canonical
	registered bool
	rows       map[int64]*versionRows // by schema version, those after the last drop
}

// latest returns the newest version, 0 for none.
func (t *checkedType) latest() int64 {
	if len(t.versions) == 0 {
		return 0
	}
	return t.versions[len(t.versions)-1]
}

// known is the type of a row of one of the tables of types.
func (c *checker) known(check, table string, row int64, kind, name string) (*checkedType, ontosql.TypeRef) {
	k, err := ontosql.ParseKind(kind)
	if err != nil {
		c.add(check, SeverityError, table, row, "type_kind is %q", kind)
		return nil, ontosql.TypeRef{}
	}
	ref := ontosql.TypeRef{Kind: k, Name: name}
	return c.typeOf(ref), ref
}

func (c *checker) typeOf(ref ontosql.TypeRef) *checkedType {
	if c.types == nil {
		c.types = map[ontosql.TypeRef]*checkedType{}
	}
	if c.types[ref] == nil {
		c.types[ref] = &checkedType{schemas: map[int64]*format.Schema{}, texts: map[int64]json.RawMessage{}, rows: map[int64]*versionRows{}}
	}
	return c.types[ref]
}

// refs are the types in their order.
func (c *checker) refs() []ontosql.TypeRef {
	refs := make([]ontosql.TypeRef, 0, len(c.types))
	for ref := range c.types {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, ontosql.TypeRef.Compare)
	return refs
}

// checkVersions checks the schema versions: ids from 1 without gaps, valid schemas, and
// matching hashes.
func (c *checker) checkVersions() error {
	const check, table = "schema versions", "schema_versions"
	if !c.has(table) {
		return nil
	}
	return c.query(`SELECT id, type_kind, type_name, schema_version_id, schema_json, schema_hash, created_at
		FROM schema_versions ORDER BY type_kind, type_name, schema_version_id`, func(row *lite.Stmt) {
		id, version := row.ColumnInt64(0), row.ColumnInt64(3)
		t, ref := c.known(check, table, id, row.ColumnText(1), row.ColumnText(2))
		if t == nil {
			return
		}
		switch last := t.latest(); {
		case version == last:
			c.add(check, SeverityError, table, id, "version %d of %s is there twice", version, ref)
		case version == last+2:
			c.add(check, SeverityError, table, id, "%s has no version %d", ref, version-1)
		case version != last+1:
			c.add(check, SeverityError, table, id, "%s has no versions %d to %d", ref, last+1, version-1)
		}
		t.versions = append(t.versions, version)
		if text := row.ColumnText(6); !storedTime.MatchString(text) {
			c.add(check, SeverityError, table, id, "created_at of version %d of %s is %q", version, ref, text)
		}
		text := []byte(row.ColumnText(4))
		if hash, err := format.SchemaHash(text); err == nil && hash != row.ColumnText(5) {
			c.add("schema hash", SeverityError, table, id, "version %d of %s has the hash %s, it is %s", version, ref, row.ColumnText(5), hash)
		}
		if schema, canonical := c.checkSchema(check, table, id, ref, text); schema != nil {
			t.schemas[version], t.texts[version] = schema, canonical
		}
		if stored, err := format.SchemaJSON(text); err == nil && stored != string(text) {
			c.add(check, SeverityWarning, table, id, "schema_json of version %d of %s is not in the style in which it is stored", version, ref)
		}
	})
}

// checkSchema decodes a stored schema, which must be of its type.
func (c *checker) checkSchema(check, table string, row int64, ref ontosql.TypeRef, text []byte) (*format.Schema, json.RawMessage) {
	schema, err := format.DecodeSchema(table, "schema_json", text)
	if err != nil {
		c.add(check, SeverityError, table, row, "schema of %s: %v", ref, err)
		return nil, nil
	}
	if schema.Ref != ref {
		c.add(check, SeverityError, table, row, "schema of %s is that of %s", ref, schema.Ref)
		return nil, nil
	}
	canonical, err := format.Canonicalize(text)
	if err != nil {
		c.add(check, SeverityError, table, row, "schema of %s: %v", ref, err)
		return nil, nil
	}
	return schema, canonical
}

// checkRegistry compares the registry with the newest version of each type.
func (c *checker) checkRegistry() error {
	const check, table = "registry", "schema_registry"
	if !c.has(table) {
		return nil
	}
	versioned := len(c.types) > 0
	err := c.query(`SELECT rowid, type_kind, type_name, schema_json FROM schema_registry ORDER BY type_kind, type_name`, func(row *lite.Stmt) {
		id := row.ColumnInt64(0)
		t, ref := c.known(check, table, id, row.ColumnText(1), row.ColumnText(2))
		if t == nil {
			return
		}
		t.registered = true
		schema, text := c.checkSchema(check, table, id, ref, []byte(row.ColumnText(3)))
		switch latest := t.latest(); {
		case schema == nil:
		case latest == 0 && !versioned:
			c.add(check, SeverityWarning, table, id, "%s has no schema version yet; the next writer makes it", ref)
			t.schemas[1], t.texts[1], t.versions = schema, text, []int64{1} // as every reader takes it
		case latest == 0:
			c.add(check, SeverityError, table, id, "%s has no schema version", ref)
		case t.texts[latest] != nil && !bytes.Equal(t.texts[latest], text):
			c.add(check, SeverityError, table, id, "the schema of %s is not its version %d", ref, latest)
		}
	})
	for _, ref := range c.refs() {
		t := c.types[ref]
		if t.latest() > 0 && !t.registered {
			c.add(check, SeverityError, table, 0, "%s has schema versions and is not registered", ref)
		}
		if s := t.schemas[t.latest()]; s != nil && ref.Kind == ontosql.Relation {
			for _, name := range []string{s.Left, s.Right} {
				end := ontosql.TypeRef{Kind: ontosql.Entity, Name: name}
				if _, gone := c.dropped[end]; c.types[end] == nil && !gone {
					c.add(check, SeverityError, table, 0, "%s links to an entity type %q, which there is not", ref, name)
				}
			}
		}
	}
	return err
}

// checkChange compares the tables of types with the newest own schema change, which wrote both
// in one transaction. Types that the original dropped or migrated since have other contents.
func (c *checker) checkChange() error {
	const check, table = "schema change", "commits"
	if c.change == nil || !c.has("schema_versions") {
		return nil
	}
	for _, state := range c.change.Types {
		kind, _ := ontosql.ParseKind(state.Kind) // the decoder has checked it
		ref := ontosql.TypeRef{Kind: kind, Name: state.Type}
		if c.dropped[ref] > c.changed {
			continue
		}
		t := c.typeOf(ref)
		switch text := t.texts[state.SchemaVersionID]; {
		case !slices.Contains(t.versions, state.SchemaVersionID):
			c.add(check, SeverityError, table, int64(c.changed), "version %d of %s is not in schema_versions", state.SchemaVersionID, ref)
		case text != nil && !format.Equal(state.Schema, text):
			c.add(check, SeverityError, table, int64(c.changed), "version %d of %s is another schema in schema_versions", state.SchemaVersionID, ref)
		}
	}
	return nil
}
