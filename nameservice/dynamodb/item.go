package dynamodb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
)

// stateAttribute is the attribute beside the 16 that the index state-index has as its key: a key
// cannot be a member of status. It is derived, and no member of a record.
const stateAttribute = "status_state"

// coreAttributes are those whose value a record has to understand.
var coreAttributes = []string{
	"pk", "v", "type", "name", "branch", "deps", "created_at", "retracted",
	"head_v", "head", "index_v", "index", "status_v", "status", "config_v", "config",
}

// record reads an item, of version 2 or 1, nil for none. The error is a *ontosql.CorruptError.
func record(pk string, item map[string]types.AttributeValue) (*nameservice.Record, error) {
	if len(item) == 0 {
		return nil, nil
	}
	m, err := members(pk, item)
	if err != nil {
		return nil, err
	}
	r, err := m.Record(pk)
	if err != nil {
		return nil, err
	}
	if r.Alias.String() != pk {
		return nil, ontosql.Corrupt(pk, "pk", "is the key of the record of %s", r.Alias)
	}
	return r, nil
}

// members are the attributes of an item as JSON. An attribute that JSON does not have is left out
// if it is none of a record's: no update touches it.
func members(pk string, item map[string]types.AttributeValue) (nameservice.Members, error) {
	m := make(nameservice.Members, len(item))
	for name, value := range item {
		member, err := decode(value)
		switch {
		case name == stateAttribute:
		case err == nil:
			m[name] = member
		case slices.Contains(coreAttributes, name):
			return nil, &ontosql.CorruptError{Key: pk, Field: name, Err: err}
		}
	}
	// Version 1 says the alias in an attribute of its own. Here the key says it too.
	if m.Legacy() && m["ledger_alias"] == nil && m["ledger_name"] == nil {
		m["ledger_alias"] = m["pk"]
	}
	return m, nil
}

func encodeMembers(m nameservice.Members) (map[string]types.AttributeValue, error) {
	item := make(map[string]types.AttributeValue, len(m))
	for name, member := range m {
		value, err := encodePayload(member)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		item[name] = value
	}
	return item, nil
}

// encodePayload is the attribute of a payload; nil is null. The error wraps nameservice.ErrPayload.
func encodePayload(payload json.RawMessage) (types.AttributeValue, error) {
	if payload == nil {
		return null, nil
	}
	value, err := encode(payload)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", nameservice.ErrPayload, err)
	}
	return value, nil
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// setState sets the key of state-index in an item that is written whole.
func setState(item map[string]types.AttributeValue, status json.RawMessage) {
	if state := stateOf(status); state != "" {
		item[stateAttribute] = text(state)
	}
}

// stateOf is the state in a status, "" for none.
func stateOf(status json.RawMessage) string {
	var s struct {
		State json.RawMessage `json:"state"`
	}
	var state string
	if json.Unmarshal(status, &s) != nil || json.Unmarshal(s.State, &state) != nil {
		return ""
	}
	return state
}
