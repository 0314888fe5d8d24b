package maintain

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// digest identifies a set of rows independently of their order: the number of rows and the sum
// of their hashes. Rows with the same identity and commit are hashed with their order, because
// the last one wins (decision A15).
type digest struct {
	rows int64
	sum  uint64
}

func (d *digest) add(o digest) {
	d.rows += o.rows
	d.sum += o.sum
}

// checkRow checks one row of a batch against the rules.
func (c *fileCheck) checkRow(batch [][]format.Value, i int) {
	value := func(column string) format.Value { return batch[c.at[column]][i] }
	commit, ok := value("commit_id").Int64()
	id := ontosql.CommitID(commit)
	if !ok || id < c.low || id > c.high {
		c.note(Columns, Error, "commit_id is %s", shown(value("commit_id")))
	}
	typeColumn := c.ref.Kind.String() + "_type"
	if got := value(typeColumn); got.Kind() != format.JSONString || got.Text() != c.ref.Name {
		c.note(Columns, Error, "%s is %s", typeColumn, shown(got))
	}
	version := c.checkVersion(value("schema_version_id"))
	schema := c.v.schemaOf(c.ref, id, version)
	identity := c.checkIdentity(value, schema)
	text := value("fields_json")
	stored, _ := value("schema_version_id").Int64()
	c.count(id, identity, stored, text.Text())
	fields, ok := c.payload(text)
	if !ok {
		return
	}
	c.checkIntegers(fields)
	c.checkKeys(identity, schema, fields)
	for j := len(c.at); j < len(c.columns); j++ {
		if batch[j] != nil {
			c.checkTyped(c.columns[j], batch[j][i], fields)
		}
	}
}

// checkVersion returns the row's schema version, 0 for NULL.
func (c *fileCheck) checkVersion(v format.Value) int64 {
	got, ok := v.Int64()
	switch {
	case !ok && c.v.engine == format.EngineV2:
		c.note(RuleRowVersion, Error, "schema_version_id is NULL")
	case ok && c.version != nil && got != *c.version:
		c.note(RuleRowVersion, Error, "schema_version_id is %d, the manifest says %d", got, *c.version)
	case ok && c.version == nil && !c.snapshot:
		c.note(RuleRowVersion, Error, "schema_version_id is %d, the manifest gives none", got)
	}
	if !ok && c.version != nil {
		if c.ours {
			c.note(RuleRowVersion, Error, "schema_version_id is NULL, the manifest says %d", *c.version)
		}
		return *c.version
	}
	return got
}

// checkIdentity reads the identity columns as texts.
func (c *fileCheck) checkIdentity(value func(string) format.Value, schema *format.Schema) []string {
	if c.ref.Kind == ontosql.Entity {
		return []string{c.keyText("entity_key", value)}
	}
	instance := value("instance_key")
	keyed := schema != nil && schema.InstanceKey != ""
	switch {
	case instance.IsNull():
		c.note(RuleInstance, Error, "instance_key is NULL")
	case schema != nil && !keyed && instance.Text() != "":
		c.note(RuleInstance, Error, "instance_key is not empty, and %s has none", c.ref)
	case keyed && strings.TrimSpace(instance.Text()) == "":
		c.note(RuleInstance, Error, "instance_key is blank")
	}
	return []string{c.keyText("left_key", value), c.keyText("right_key", value), instance.Text()}
}

// keyText returns a key column's value as text, for any type of the column.
func (c *fileCheck) keyText(column string, value func(string) format.Value) string {
	v := value(column)
	if v.IsNull() {
		c.note(RuleKeys, Error, "%s is NULL", column)
		return ""
	}
	text, _ := format.KeyText(v) // columns of other types were rejected before
	return text
}

// payload parses fields_json.
func (c *fileCheck) payload(text format.Value) (format.Value, bool) {
	if text.IsNull() {
		c.note(RulePayload, Error, "fields_json is NULL")
		return text, false
	}
	fields, err := format.ParseJSON([]byte(text.Text()))
	switch {
	case err != nil:
		c.note(RulePayload, Error, "fields_json: %v", err)
		return fields, false
	case fields.Kind() != format.JSONObject:
		c.note(RulePayload, Error, "fields_json is %s", fields.Kind())
		return fields, false
	case !bytes.Equal(fields.Append(nil, format.Canonical), []byte(text.Text())):
		c.note(RulePayload, Error, "fields_json is not canonical JSON")
	}
	return fields, true
}

func (c *fileCheck) checkIntegers(v format.Value) {
	if _, ok := v.Int64(); v.Kind() == format.JSONInt && !ok {
		c.note(Numbers, Error, "fields_json has an integer of more than 64 bits")
	}
	for _, name := range v.Names() {
		member, _ := v.Get(name)
		c.checkIntegers(member)
	}
	for _, item := range v.Items() {
		c.checkIntegers(item)
	}
}

// checkKeys compares the keys in fields_json with the identity (rule 4).
func (c *fileCheck) checkKeys(identity []string, schema *format.Schema, fields format.Value) {
	if c.ref.Kind == ontosql.Relation {
		for _, name := range []string{"left_key", "right_key", "instance_key"} {
			if _, there := fields.Get(name); there {
				c.note(RuleKeys, Error, "fields_json has %s", name)
			}
		}
		if schema != nil && schema.InstanceKey != "" {
			if _, there := fields.Get(schema.InstanceKey); there {
				c.note(RuleKeys, Error, "fields_json has the instance key %s", schema.InstanceKey)
			}
		}
		return
	}
	if schema == nil {
		return
	}
	for _, f := range schema.Fields {
		if !f.PrimaryKey {
			continue
		}
		key, there := fields.Get(f.Name)
		if !there {
			c.note(RuleKeys, Error, "fields_json lacks the primary key %s", f.Name)
			return
		}
		// Python's str of an enum is the name of its class and member, which fields_json does
		// not contain (COMPAT 2.3).
		if t, _ := format.ParseSpelling(f.Type); t == format.FieldJSON && !c.ours {
			return
		}
		if text, err := format.KeyText(key); err != nil || text != identity[0] {
			c.note(RuleKeys, Error, "entity_key is %q, fields_json has %s", identity[0], shown(key))
		}
	}
}

// checkTyped compares a typed column with fields_json (rule 3).
func (c *fileCheck) checkTyped(column format.DataColumn, got, fields format.Value) {
	want, there := fields.Get(column.Field)
	switch {
	case got.IsNull():
		if there && !want.IsNull() && !column.Unfit {
			c.note(RulePayload, Error, "column %s is NULL, fields_json has a value, and the column is not listed as unfit", column.Name)
			c.distrust(column.Name)
		}
	case column.Field != column.Name && !format.SameStored(column.Kind, got, want), column.Field == column.Name && !same(got, want):
		c.note(RulePayload, Error, "column %s is not what fields_json has", column.Name)
		c.distrust(column.Name)
	}
}

// same compares a column's value with JSON's. Equal would treat 1 and true as equal.
func same(got, want format.Value) bool {
	if got.Kind() == format.JSONFloat && want.Kind() == format.JSONFloat && math.IsNaN(got.Float()) {
		return math.IsNaN(want.Float())
	}
	widened := got.Kind() == format.JSONFloat && want.Kind() == format.JSONInt
	return (got.Kind() == want.Kind() || widened) && got.Equal(want)
}

// count adds the row to the digest and records a duplicate identity.
func (c *fileCheck) count(id ontosql.CommitID, identity []string, version int64, fields string) {
	var h maphash.Hash
	h.SetSeed(c.v.seed)
	number := func(n uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	text := func(s string) {
		number(uint64(len(s)))
		h.WriteString(s)
	}
	number(uint64(id))
	for _, part := range identity {
		text(part)
	}
	which := h.Sum64()
	before := c.seen[which]
	c.seen[which] = before + 1
	if before > 0 && !c.snapshot {
		severity := Foreign
		if c.ours {
			severity = Error
		}
		c.note(RuleDuplicates, severity, "%q was written before in this commit", identity)
	}
	number(before)
	number(uint64(version))
	text(fields)
	c.digest.add(digest{1, h.Sum64()})
}

// shown formats a value for a message.
func shown(v format.Value) string { return string(v.Append(nil, format.Canonical)) }
