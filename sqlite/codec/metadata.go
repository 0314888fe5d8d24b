package codec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// EncodeMetadata returns the metadata_json of a commit: the original's keys in its order, then
// the writer's, and finally this program's. tags are those after the commit, nil if it does not
// change them.
func EncodeMetadata(tx *writepath.Tx, attempt string, change *format.SchemaChange, tags format.Tags) (string, error) {
	var members []format.Member
	add := func(name string, v format.Value) { members = append(members, format.Member{Name: name, Value: v}) }
	if len(tx.Migrated) > 0 {
		add("kind", format.String("migration"))
		add("migrated_types", migrated(tx.Migrated))
	}
	for _, key := range slices.SortedFunc(maps.Keys(tx.Metadata), compareKeys) {
		if len(tx.Migrated) > 0 && (key == "kind" || key == "migrated_types") {
			continue // a migration says them
		}
		add(key, format.String(tx.Metadata[key]))
	}
	if tx.Actor != "" {
		add("actor", format.String(tx.Actor))
	}
	add(format.MetadataAttempt, format.String(attempt))
	if tags != nil {
		v, err := format.ParseJSON(format.EncodeTags(tags))
		if err != nil {
			return "", fmt.Errorf("encode tags: %w", err)
		}
		add(format.MetadataTags, v)
	}
	if tx.Merge != nil {
		v, err := format.ParseJSON(format.EncodeMerge(tx.Merge))
		if err != nil {
			return "", fmt.Errorf("encode merge: %w", err)
		}
		add(format.MetadataMerge, v)
	}
	if change != nil {
		text, err := format.EncodeSchemaChange(change)
		if err != nil {
			return "", err
		}
		v, err := format.ParseJSON(text)
		if err != nil {
			return "", fmt.Errorf("encode schema change: %w", err)
		}
		add(format.MetadataSchema, v)
	}
	return string(format.Object(members...).Append(nil, format.SpacedInOrder)), nil
}

// dropKeyOrder sorts the keys that the original writes for a drop first (COMPAT 7).
var dropKeyOrder = map[string]int{"operation": -4, "target_kind": -3, "target_type": -2, "affected_types": -1}

// compareKeys orders a writer's keys: those of a drop first, the others by name.
func compareKeys(a, b string) int {
	return cmp.Or(cmp.Compare(dropKeyOrder[a], dropKeyOrder[b]), cmp.Compare(a, b))
}

// migrated returns the value of migrated_types, its members in the original's order (COMPAT
// 5.7).
func migrated(types []format.Migrated) format.Value {
	items := make([]format.Value, len(types))
	for i, m := range types {
		items[i] = format.Object(
			format.Member{Name: "type_kind", Value: format.String(m.Type.Kind.String())},
			format.Member{Name: "type_name", Value: format.String(m.Type.Name)},
			format.Member{Name: "from_schema_version_id", Value: format.Int(m.From)},
			format.Member{Name: "to_schema_version_id", Value: format.Int(m.To)},
			format.Member{Name: "rows_rewritten", Value: format.Int(m.Rows)},
		)
	}
	return format.Array(items...)
}

// DecodeMetadata decodes metadata_json, which is empty for none.
func DecodeMetadata(text string) (map[string]json.RawMessage, error) {
	metadata := map[string]json.RawMessage{}
	if text == "" {
		return metadata, nil
	}
	v, err := format.ParseJSON([]byte(text))
	if err != nil {
		return metadata, err
	}
	if v.Kind() != format.JSONObject && !v.IsNull() {
		return metadata, fmt.Errorf("it is no object")
	}
	for name, member := range v.Members() {
		metadata[name] = member.Append(nil, format.Canonical)
	}
	return metadata, nil
}

// MetadataJSON returns metadata_json in the order of a Committer, this program's keys last;
// nil for none.
func MetadataJSON(metadata map[string]json.RawMessage) (any, error) {
	if len(metadata) == 0 {
		return nil, nil
	}
	var members []format.Member
	names := slices.Sorted(maps.Keys(metadata))
	for _, ours := range []bool{false, true} {
		for _, name := range names {
			if ours != (name == format.MetadataAttempt || name == format.MetadataSchema || name == format.MetadataTags) {
				continue
			}
			v, err := format.ParseJSON(metadata[name])
			if err != nil {
				return nil, err
			}
			members = append(members, format.Member{Name: name, Value: v})
		}
	}
	return string(format.Object(members...).Append(nil, format.SpacedInOrder)), nil
}
