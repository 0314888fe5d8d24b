package format_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// recode decodes an object by its key and encodes it again. known is false for objects without a
// decoder (events).
func recode(key string, body []byte) (out []byte, known bool, err error) {
	switch {
	case key == format.HeadKey:
		v, err := format.DecodeHead(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeHead(v), true, nil
	case key == format.LockKey:
		v, err := format.DecodeLock(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeLock(v), true, nil
	case key == format.EngineKey:
		v, err := format.DecodeEngine(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeEngine(v), true, nil
	case key == format.TypesKey:
		v, err := format.DecodeTypes(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeTypes(v), true, nil
	case key == format.RegistryKey:
		v, err := format.DecodeRegistry(key, body)
		if err != nil {
			return nil, true, err
		}
		out, err = format.EncodeRegistry(v)
		return out, true, err
	case key == format.DroppedKey:
		v, err := format.DecodeDropped(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeDropped(v), true, nil
	case key == format.ExtrasKey:
		v, err := format.DecodeDeclaredTypes(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeDeclaredTypes(v), true, nil
	case key == format.RecoveriesKey:
		v, err := format.DecodeRecoveries(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeRecoveries(v), true, nil
	case key == format.LayoutsKey:
		v, err := format.DecodeLayouts(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeLayouts(v), true, nil
	case strings.HasPrefix(key, "meta/schema/versions/"):
		v, err := format.DecodeVersions(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeVersions(v), true, nil
	case strings.HasPrefix(key, "meta/indices/"):
		v, err := format.DecodeIndex(key, body)
		if err != nil {
			return nil, true, err
		}
		return format.EncodeIndex(v), true, nil
	case strings.HasSuffix(key, "/manifest.json"):
		v, err := format.DecodeManifest(key, body)
		if err != nil {
			return nil, true, err
		}
		out, err = format.EncodeManifest(v)
		return out, true, err
	}
	return nil, false, nil
}

// TestStoredObjectsKeepTheirBytes decodes and encodes every JSON object that the original wrote and
// compares the bytes.
func TestStoredObjectsKeepTheirBytes(t *testing.T) {
	count := 0
	for _, store := range fixtures.Stores {
		for key, body := range fixtures.Objects(t, store) {
			if strings.HasSuffix(key, ".parquet") {
				continue
			}
			got, known, err := recode(key, body)
			if err != nil {
				t.Errorf("%s: %v", store, err)
				continue
			}
			if !known { // an object of the event bus: only its JSON is checked
				if got, err = format.Canonicalize(body); err != nil {
					t.Errorf("%s/%s: %v", store, key, err)
					continue
				}
			}
			count++
			if string(got) != string(body) {
				t.Errorf("%s/%s decoded and encoded again:\n got %s\nwant %s", store, key, got, body)
			}
		}
	}
	if count < 150 {
		t.Errorf("only %d objects were looked at", count)
	}
}

// TestDamagedObjects checks that each decoder rejects damaged objects with an error that has the key
// and the field.
func TestDamagedObjects(t *testing.T) {
	const manifestKey = "commits/2-ab/manifest.json"
	tests := []struct {
		name, key, body string
		field           string // "" where the object as a whole is at fault
	}{
		{"empty", format.HeadKey, ``, ""},
		{"cut off", format.HeadKey, `{"commit_id":3,"manif`, ""},
		{"not an object", format.HeadKey, `[1]`, ""},
		{"two objects", format.HeadKey, `{"commit_id":0} {}`, ""},
		{"no commit", format.HeadKey, `{}`, "commit_id"},
		{"commit as text", format.HeadKey, `{"commit_id":"3"}`, "commit_id"},
		{"commit as float", format.HeadKey, `{"commit_id":3.0}`, "commit_id"},
		{"negative commit", format.HeadKey, `{"commit_id":-1,"manifest_path":null}`, "commit_id"},
		{"commit beyond 64 bits", format.HeadKey, `{"commit_id":9223372036854775808}`, "commit_id"},
		{"no manifest", format.HeadKey, `{"commit_id":1,"manifest_path":null}`, "manifest_path"},
		{"manifest of nothing", format.HeadKey, `{"commit_id":0,"manifest_path":"commits/1-a/manifest.json"}`, "manifest_path"},
		{"path out of the store", format.HeadKey, `{"commit_id":1,"manifest_path":"../other/manifest.json"}`, "manifest_path"},
		{"absolute path", format.HeadKey, `{"commit_id":1,"manifest_path":"/etc/passwd"}`, "manifest_path"},
		{"bad time", format.HeadKey, `{"commit_id":0,"manifest_path":null,"updated_at":"yesterday"}`, "updated_at"},
		{"bad checksum", format.HeadKey, `{"commit_id":1,"manifest_path":"m","commit_sha256":"AB"}`, "commit_sha256"},

		{"unknown engine", format.EngineKey, `{"engine_version":"v3"}`, "engine_version"},
		{"no engine version", format.EngineKey, `{}`, "engine_version"},
		{"engine is no JSON", format.EngineKey, `v2`, ""},

		{"no files", manifestKey, `{"commit_id":1,"created_at":"2026-01-01T00:00:00+00:00"}`, "files"},
		{"no time", manifestKey, `{"commit_id":1,"files":[]}`, "created_at"},
		{"commit 0", manifestKey, `{"commit_id":0,"created_at":"2026-01-01T00:00:00+00:00","files":[]}`, "commit_id"},
		{"no parent", manifestKey, `{"commit_id":2,"created_at":"2026-01-01T00:00:00+00:00","files":[]}`, "parent_commit_id"},
		{"gap", manifestKey, `{"commit_id":3,"created_at":"2026-01-01T00:00:00+00:00","files":[],"parent_commit_id":1}`, "parent_commit_id"},
		{"parent without path", manifestKey, `{"commit_id":2,"created_at":"2026-01-01T00:00:00+00:00","files":[],"parent_commit_id":1}`, "parent_manifest_path"},
		{"parent of the first", manifestKey, `{"commit_id":1,"created_at":"2026-01-01T00:00:00+00:00","files":[],"parent_commit_id":0}`, "parent_commit_id"},
		{"metadata as list", manifestKey, `{"commit_id":1,"created_at":"2026-01-01T00:00:00+00:00","files":[],"metadata":[]}`, "metadata"},
		{"unknown kind", manifestKey, `{"commit_id":1,"created_at":"2026-01-01T00:00:00+00:00","files":[{"kind":"thing","path":"p","row_count":1,"type_name":"T"}]}`, "files[0].kind"},
		{"file out of the store", manifestKey, `{"commit_id":1,"created_at":"2026-01-01T00:00:00+00:00","files":[{"kind":"entity","path":"a/../../b","row_count":1,"type_name":"T"}]}`, "files[0].path"},
		{"file as text", manifestKey, `{"commit_id":1,"created_at":"2026-01-01T00:00:00+00:00","files":["p"]}`, "files[0]"},

		{"entry without path", "meta/indices/entities/T.json", `{"entries":[{"max_commit_id":1,"min_commit_id":1}]}`, "entries[0].path"},
		{"entry the wrong way round", "meta/indices/entities/T.json", `{"entries":[{"max_commit_id":1,"min_commit_id":2,"path":"p"}]}`, "entries[0].min_commit_id"},
		{"index is no JSON", "meta/indices/entities/T.json", `{"entries":`, ""},

		{"version without hash", "meta/schema/versions/entity/T.json", `{"versions":[{"schema_json":"{}","schema_version_id":1}]}`, "versions[0].schema_hash"},
		{"dropped when", format.DroppedKey, `{"entity":{"T":{"purged":true}}}`, "entity.T.commit_id"},
		{"layout of nothing", format.LayoutsKey, `{"layouts":[{"activation_commit_id":1,"is_current":true,"schema_version_id":1,"type_kind":"entity"}]}`, "layouts[0].type_name"},
		{"registry is no JSON", format.RegistryKey, `<html>`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, known, err := recode(test.key, []byte(test.body))
			var corrupt *ontosql.CorruptError
			if !known || !errors.As(err, &corrupt) {
				t.Fatalf("decode %s %s: got %s, %v; want a CorruptError", test.key, test.body, out, err)
			}
			if corrupt.Key != test.key || corrupt.Field != test.field {
				t.Errorf("decode %s: blamed %q field %q, want field %q; %v", test.body, corrupt.Key, corrupt.Field, test.field, err)
			}
		})
	}
}

// TestTolerance checks that decoders treat the same objects as empty as the original does (COMPAT
// 3.5).
func TestTolerance(t *testing.T) {
	const index, versions = "meta/indices/entities/T.json", "meta/schema/versions/entity/T.json"
	tests := []struct{ key, body, want string }{
		{index, `{}`, `{"entries":[],"max_indexed_commit":0,"type_name":""}`},
		{index, `{"entries":{},"max_indexed_commit":9,"type_name":"T"}`, `{"entries":[],"max_indexed_commit":0,"type_name":"T"}`},
		{index, `{"max_indexed_commit":9,"type_name":"T"}`, `{"entries":[],"max_indexed_commit":0,"type_name":"T"}`},
		{index, `[]`, `{"entries":[],"max_indexed_commit":0,"type_name":""}`},
		{versions, `{"versions":{}}`, `{"type_kind":"","type_name":"","versions":[]}`},
		{versions, `"text"`, `{"type_kind":"","type_name":"","versions":[]}`},
		{format.LayoutsKey, `{"layouts":null}`, `{"layouts":[]}`},
		{
			format.RegistryKey, `{"entity":[],"relation":{"R":{"b":1,"a":2}},"updated_at":"2026-01-01T00:00:00Z"}`,
			`{"entity":{},"relation":{"R":{"a":2,"b":1}},"updated_at":"2026-01-01T00:00:00.000000+00:00"}`,
		},
		{
			format.DroppedKey, `{"updated_at":"2026-01-01T00:00:00Z"}`,
			`{"entity":{},"relation":{},"updated_at":"2026-01-01T00:00:00.000000+00:00"}`,
		},
		{
			format.TypesKey, `{"entities":"T","updated_at":"2026-01-01T00:00:00Z"}`,
			`{"entities":[],"relations":[],"updated_at":"2026-01-01T00:00:00.000000+00:00"}`,
		},
		{
			format.LockKey, `{"acquired_at":"2026-01-01T00:00:00Z","expires_at":"soon","lease_ttl_ms":30000,"owner_id":"a"}`,
			`{"acquired_at":"2026-01-01T00:00:00.000000+00:00","expires_at":"0001-01-01T00:00:00.000000+00:00","lease_ttl_ms":30000,"owner_id":"a"}`,
		},
		{
			"commits/1-a/manifest.json", `{"commit_id":1,"created_at":"2026-01-01T00:00:00","files":[]}`,
			`{"commit_id":1,"created_at":"2026-01-01T00:00:00.000000+00:00","files":[],"metadata":{},"parent_commit_id":null,"parent_manifest_path":null,"runtime_id":""}`,
		},
		{
			"commits/1-a/manifest.json", `{"commit_id":1,"created_at":"2026-01-01T00:00:00Z","files":[],"metadata":{"n":NaN,"s":"\ud800"}}`,
			`{"commit_id":1,"created_at":"2026-01-01T00:00:00.000000+00:00","files":[],"metadata":{"n":NaN,"s":"\ud800"},"parent_commit_id":null,"parent_manifest_path":null,"runtime_id":""}`,
		},
	}
	for _, test := range tests {
		got, _, err := recode(test.key, []byte(test.body))
		if err != nil || string(got) != test.want {
			t.Errorf("%s %s:\n got %s, %v\nwant %s", test.key, test.body, got, err, test.want)
		}
	}
}

// TestTypesTellsMissingFromEmpty checks that a missing list is nil and an empty list is not, which
// a check of the store needs.
func TestTypesTellsMissingFromEmpty(t *testing.T) {
	types, err := format.DecodeTypes(format.TypesKey, []byte(`{"entities":[]}`))
	if err != nil || types.Entities == nil || types.Relations != nil {
		t.Errorf("got %#v, %v; want entities empty and relations nil", types, err)
	}
}

func TestSchemaChange(t *testing.T) {
	reason := "migration"
	change := &format.SchemaChange{
		Dropped: []format.DroppedRef{{Kind: "entity", Purged: true, Type: "Old"}, {CreatedAt: mustTime(t, "2026-01-01T00:00:00Z"), Kind: "relation", Type: "Older"}},
		Types: []format.TypeState{{
			Kind: "entity", Type: "T", SchemaVersionID: 2,
			Schema: []byte(`{"entity_name":"T","fields":{}}`),
		}},
		Extras: []format.Extras{
			{Kind: "entity", Type: "T", Comment: "What it is.", Columns: []format.ColumnExtras{
				{Field: "price", Default: "0", Comment: "With tax.", Type: "numeric(10,2)"}, {Field: "id", NotNull: true},
			}},
			{Kind: "relation", Type: "Bare"},
		},
		Versions: []format.Versions{{TypeKind: "entity", TypeName: "T", Versions: []format.SchemaVersion{{
			Reason: &reason, SchemaHash: "h", SchemaJSON: "{}", SchemaVersionID: 2,
		}}}},
	}
	text, err := format.EncodeSchemaChange(change)
	if err != nil {
		t.Fatal(err)
	}
	manifest := &format.Manifest{CommitID: 1, Metadata: map[string]json.RawMessage{format.MetadataSchema: text}}
	body, err := format.EncodeManifest(manifest)
	if err != nil {
		t.Fatal(err)
	}
	const key = "commits/1-a/manifest.json"
	read, err := format.DecodeManifest(key, body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read.SchemaChange(key)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(change, got); diff != "" {
		t.Errorf("a schema change written in a manifest and read again (-want +got):\n%s", diff)
	}

	_, err = format.DecodeSchemaChange(key, json.RawMessage(`{"types":[{"kind":"entity"}]}`))
	var corrupt *ontosql.CorruptError
	if !errors.As(err, &corrupt) || corrupt.Key != key || corrupt.Field != "metadata.ontosql_schema.types[0].schema" {
		t.Errorf("decode a change without a schema: got %v, want the key and the field named", err)
	}
}
