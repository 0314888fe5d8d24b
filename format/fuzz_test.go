package format_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// seed adds every stored object whose key want accepts.
func seed(f *testing.F, want func(key string) bool) {
	f.Helper()
	for _, store := range fixtures.Stores {
		for key, body := range fixtures.Objects(f, store) {
			if want(key) {
				f.Add(body)
			}
		}
	}
}

// steady checks that a decoder either returns an error with the key, or accepts the object. In the
// second case the encoded object must decode and encode to the same bytes.
func steady(t *testing.T, key string, body []byte) {
	t.Helper()
	first, _, err := recode(key, body)
	if err != nil {
		var corrupt *ontosql.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Key != key {
			t.Fatalf("%s %q: the error does not have the key: %v", key, body, err)
		}
		return
	}
	second, _, err := recode(key, first)
	if err != nil || !bytes.Equal(first, second) {
		t.Fatalf("%s %q:\nwritten  %s\nread and written again %s, %v", key, body, first, second, err)
	}
}

func FuzzDecodeHead(f *testing.F) {
	seed(f, func(key string) bool { return key == format.HeadKey })
	f.Fuzz(func(t *testing.T, body []byte) { steady(t, format.HeadKey, body) })
}

func FuzzDecodeManifest(f *testing.F) {
	seed(f, func(key string) bool { return strings.HasSuffix(key, "manifest.json") })
	f.Add([]byte(`{"commit_id":1,"created_at":"2026-01-01T00:00:00Z","files":[],"metadata":{"ontosql_schema":{"types":[{"kind":"entity","schema":{},"schema_version_id":1,"type_name":"T"}]}}}`))
	f.Add([]byte(`{"commit_id":1,"created_at":"2026-01-01T00:00:00Z","files":[],"metadata":{"ontosql_schema":{"extras":[{"columns":[{"default":"0","field":"n","type":"numeric(4,1)"}],"comment":"c","kind":"entity","type_name":"T"}],"types":[]}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		const key = "commits/1-a/manifest.json"
		steady(t, key, body)
		manifest, err := format.DecodeManifest(key, body)
		if err != nil {
			return
		}
		change, err := manifest.SchemaChange(key)
		if err != nil || change == nil {
			return
		}
		text, err := format.EncodeSchemaChange(change)
		if err != nil {
			t.Fatalf("%q: encode its schema change: %v", body, err)
		}
		if _, err := format.DecodeSchemaChange(key, text); err != nil {
			t.Fatalf("%q: decode the written schema change %s: %v", body, text, err)
		}
	})
}

func FuzzDecodeIndex(f *testing.F) {
	seed(f, func(key string) bool { return strings.HasPrefix(key, "meta/indices/") })
	f.Fuzz(func(t *testing.T, body []byte) { steady(t, "meta/indices/entities/T.json", body) })
}

// FuzzDecodeMeta decodes the same bytes as every other object of meta/.
func FuzzDecodeMeta(f *testing.F) {
	seed(f, func(key string) bool { return strings.HasPrefix(key, "meta/") })
	f.Add([]byte(`{"acquired_at":"2026-01-01T00:00:00Z","expires_at":"","lease_ttl_ms":30000,"owner_id":"a"}`))
	keys := []string{
		format.LockKey, format.EngineKey, format.TypesKey, format.RegistryKey, format.DroppedKey, format.LayoutsKey,
		format.ExtrasKey, format.RecoveriesKey, "meta/schema/versions/entity/T.json",
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, key := range keys {
			steady(t, key, body)
		}
	})
}

func FuzzDecodeSchema(f *testing.F) {
	var v vectors
	if err := json.Unmarshal(fixtures.File(f, "vectors/vectors.json"), &v); err != nil {
		f.Fatal(err)
	}
	for _, schema := range v.Schemas {
		f.Add([]byte(schema.SchemaJSON))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		schema, err := format.DecodeSchema("key", "path", text)
		if err != nil {
			return
		}
		first := format.EncodeSchema(schema)
		again, err := format.DecodeSchema("key", "path", first)
		if err != nil || !bytes.Equal(format.EncodeSchema(again), first) {
			t.Fatalf("%q:\nwritten %s\nread again: %v", text, first, err)
		}
		for _, field := range schema.Fields {
			format.ParseSpelling(field.Type)
		}
	})
}

func FuzzCanonicalize(f *testing.F) {
	for _, text := range []string{`{"b":[1,-0.0,1e400,NaN,"\ud800\u0041é😀"],"a":{"":null}}`, `1208925819614629174706176`, `"\/\b"`, ` [ true , false ] `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := format.ParseJSON(text)
		if err != nil {
			return
		}
		want := v.Append(nil, format.Canonical)
		for _, style := range []format.Style{format.Canonical, format.Spaced, format.SpacedInOrder} {
			first := v.Append(nil, style)
			for _, spelling := range [][]byte{text, first} {
				if got, err := format.AppendCanonical(nil, spelling); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%q appended as canonical: %q, %v, want %q", spelling, got, err, want)
				}
			}
			again, err := format.ParseJSON(first)
			if err != nil {
				t.Fatalf("%q: parse the written text %q: %v", text, first, err)
			}
			if second := again.Append(nil, style); !bytes.Equal(first, second) {
				t.Fatalf("%q: written %q, read and written again %q", text, first, second)
			}
			// encoding/json must accept the output, except for NaN and Infinity.
			if !bytes.Contains(first, []byte("NaN")) && !bytes.Contains(first, []byte("Infinity")) && !json.Valid(first) {
				t.Fatalf("%q: written %q is not JSON", text, first)
			}
			if v.Equal(v) != again.Equal(v) || again.Equal(v) != v.Equal(again) {
				t.Fatalf("%q: equality of a value and its copy depends on the side", text)
			}
		}
		// Texts that encoding/json rejects and ParseJSON accepts must be Python's extensions.
		if bytes.ContainsAny(text, "NI") || strings.Count(string(text), "[")+strings.Count(string(text), "{") > 1000 {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is not JSON but ParseJSON accepted it", text)
		}
	})
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"2026-11-20T23:55:04.259080+00:00", "2026-11-20 23:55:04", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999-00:01"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := format.ParseTime(text)
		if err != nil {
			return
		}
		again, err := format.ParseTime(first.String())
		if err != nil || !again.Equal(first.Time) {
			t.Fatalf("%q: written %s, read %s, %v", text, first, again, err)
		}
	})
}

func FuzzFormatDecimal(f *testing.F) {
	for _, text := range []string{"0012.3400", "-1e-3", ".5", "+7."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := format.FormatDecimal(text)
		if err != nil {
			return
		}
		again, err := format.FormatDecimal(first)
		if err != nil || again != first {
			t.Fatalf("%q: %q, and again %q, %v", text, first, again, err)
		}
	})
}

func FuzzInspect(f *testing.F) {
	seed(f, func(key string) bool { return strings.HasSuffix(key, ".parquet") })
	ours, err := os.ReadFile(write(f, buys, benchFields, []format.Row{{Commit: 1, Left: "a", Right: "b", Fields: []byte(`{}`)}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(ours)
	path := filepath.Join(f.TempDir(), "file.parquet")
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // a few bytes can encode billions of equal rows
		defer cancel()
		facts, err := format.Inspect(ctx, path)
		if err != nil {
			if !errors.Is(err, format.ErrDamagedFile) && ctx.Err() == nil {
				t.Fatalf("got %v, want ErrDamagedFile or cancellation", err)
			}
			return
		}
		note, err := facts.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := format.DecodeFacts(note); err != nil {
			t.Fatalf("decode the written facts %s: %v", note, err)
		}
	})
}
