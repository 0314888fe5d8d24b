package nameservice

import (
	"encoding/json"
	"strconv"

	"github.com/ontosql/ontosql"
)

// Records of version 1 are mapped when they are read, and stored as version 2 by the first write.
// They have no watermarks but that of the commit: those of the other concerns begin at 1.

// Legacy reports whether an object has the form of version 1: v is missing or less than 2.
func (m Members) Legacy() bool {
	raw := m["v"]
	if isNull(raw) {
		return true
	}
	var v int64
	return json.Unmarshal(raw, &v) == nil && v < SchemaVersion
}

// legacyAttributes are those that version 2 does not have or has with another meaning.
var legacyAttributes = [...]string{
	"ledger_alias", "ledger_name", "commit_address", "commit_t", "index_address", "index_t", "default_context_address", "updated_at",
}

// Upgrade maps an object of version 1 to version 2 in place. Members that version 1 does not have are
// kept. The creation time was not kept in version 1: the time of the last change stands for it. An
// object of version 2 is left alone. The error is a *ontosql.CorruptError that names key.
func (m Members) Upgrade(key string) error {
	if !m.Legacy() {
		return nil
	}
	d := memberReader{key: key, members: m}
	var alias, name, branch, commit, index, context, state string
	var commitT, indexT int64
	var updated float64
	d.read("ledger_alias", &alias)
	d.read("ledger_name", &name)
	d.read("branch", &branch)
	d.read("commit_address", &commit)
	d.read("commit_t", &commitT)
	d.read("index_address", &index)
	d.read("index_t", &indexT)
	d.read("default_context_address", &context)
	d.read("status", &state)
	d.read("updated_at", &updated)
	if d.err != nil {
		return d.err
	}
	if alias == "" && name == "" {
		return ontosql.Corrupt(key, "v", "neither a record of version %d nor one of version 1", SchemaVersion)
	}
	a, err := legacyAlias(alias, name, branch)
	if err != nil {
		return &ontosql.CorruptError{Key: key, Field: "ledger_alias", Err: err}
	}
	for _, attribute := range legacyAttributes {
		delete(m, attribute)
	}
	if state == "" {
		state = "ready"
	}
	r := Record{Alias: a, Type: Ledger, CreatedAt: int64(updated), Retracted: state == Retracted}
	r.Status = Value{1, object{"state": quoted(state)}.text()}
	if commit != "" {
		r.Head = Value{commitT, object{"address": quoted(commit), "t": number(commitT)}.text()}
	}
	if index != "" {
		graph := object{"address": quoted(index), "t": number(indexT), "rev": number(0)}
		r.Index = Value{1, object{"default": graph.text()}.text()}
	}
	if context != "" {
		r.Config = Value{1, object{"default_context": quoted(context)}.text()}
	}
	for attribute, value := range r.Members() {
		if attribute == "created_at" && m[attribute] != nil {
			continue
		}
		m[attribute] = value
	}
	return nil
}

// legacyAlias is the alias of a record of version 1, whose alias may lack the branch.
func legacyAlias(alias, name, branch string) (Alias, error) {
	if alias == "" {
		alias = name
		if branch != "" {
			alias += ":" + branch
		}
	}
	a, err := ParseAlias(alias)
	if err != nil {
		return a, err
	}
	if name != "" && name != a.Name || branch != "" && branch != a.Branch {
		return a, ontosql.Corrupt(alias, "", "not the alias of name %q and branch %q", name, branch)
	}
	return a, nil
}

func number(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// object is a payload whose members are written one by one. Their order is that of their names.
type object map[string]json.RawMessage

func (o object) text() json.RawMessage { return Members(o).append(nil) }
