package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// models are the types that a schema file describes: what the original takes from
// Python classes.
type models struct {
	types []model // in the order of TypeRef.Compare
	sql   bool    // names are SQL's: folded, and types those of columns
}

// model is one of them.
type model struct {
	schema format.Schema
	extras format.Extras // other declarations of SQL
}

func (m *models) schemas() []format.Schema {
	schemas := make([]format.Schema, len(m.types))
	for i := range m.types {
		schemas[i] = m.types[i].schema
	}
	return schemas
}

// readSchemaFile reads a schema file, - for standard input. Its ending says what it
// is, or else its text.
func (p *program) readSchemaFile(ctx context.Context, file string) (*models, error) {
	text, err := p.readText(file)
	if err != nil {
		return nil, fmt.Errorf("schema file: %w", err)
	}
	var found *models
	document, isDocument, err := parseDocument(file, text)
	switch {
	case err != nil:
	case isDocument:
		found, err = modelsOf(document)
	default:
		found, err = p.modelsOfSQL(ctx, string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("schema file %s: %w", file, err)
	}
	slices.SortFunc(found.types, func(a, b model) int { return a.schema.Ref.Compare(b.schema.Ref) })
	return found, nil
}

// readText is the content of a file, or of standard input.
func (p *program) readText(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(p.stdin)
	}
	return os.ReadFile(file)
}

// parseDocument reads JSON or YAML, if the file is one of these.
func parseDocument(file string, text []byte) (v format.Value, isDocument bool, err error) {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".sql":
		return v, false, nil
	case ".json":
		v, err = format.ParseJSON(text)
		return v, true, err
	case ".yaml", ".yml":
		v, err = parseYAML(text)
		return v, true, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		v, err = format.ParseJSON(text)
		return v, true, err
	}
	if v, err = parseYAML(text); err == nil && v.Kind() == format.JSONObject {
		return v, true, nil
	}
	return v, false, nil
}

// parseYAML converts YAML to JSON.
func parseYAML(text []byte) (format.Value, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return format.Value{}, err
	}
	if node.Kind == 0 {
		return format.Null(), nil
	}
	var v any
	if err := node.Decode(&v); err != nil {
		return format.Value{}, err
	}
	body, err := json.Marshal(namedByText(v))
	if err != nil {
		return format.Value{}, err
	}
	return format.ParseJSON(body)
}

// namedByText gives the mappings of YAML, whose keys may be numbers, names.
func namedByText(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = namedByText(member)
		}
	case map[any]any:
		named := make(map[string]any, len(v))
		for key, member := range v {
			named[fmt.Sprint(key)] = namedByText(member)
		}
		return named
	case []any:
		for i := range v {
			v[i] = namedByText(v[i])
		}
	}
	return v
}

// errNoModels is a document that is no output of schema export.
var errNoModels = errors.New(`want the output of schema export: {"entities": {...}, "relations": {...}}, or one schema`)

// modelsOf reads what schema export wrote: all types, or one.
func modelsOf(v format.Value) (*models, error) {
	m := &models{}
	if _, one := v.Get("fields"); one {
		return m, m.add("", v, 0)
	}
	known := 0
	for _, section := range []struct {
		name string
		kind ontosql.Kind
	}{{"entities", ontosql.Entity}, {"relations", ontosql.Relation}} {
		types, there := v.Get(section.name)
		if !there {
			continue
		}
		if known++; types.Kind() != format.JSONObject {
			return nil, errNoModels
		}
		for name, schema := range types.Members() {
			if err := m.add(name, schema, section.kind); err != nil {
				return nil, err
			}
		}
	}
	if known == 0 || known < len(v.Names()) {
		return nil, errNoModels
	}
	return m, nil
}

// add takes in the schema of one type, which stands under a name of its own if
// there are several.
func (m *models) add(name string, v format.Value, kind ontosql.Kind) error {
	schema, err := format.DecodeSchema("", name, v.Append(nil, format.Canonical))
	var corrupt *ontosql.CorruptError
	if errors.As(err, &corrupt) {
		return fmt.Errorf("%s: %w", strings.TrimPrefix(corrupt.Field, "."), corrupt.Err)
	}
	if err != nil {
		return err
	}
	if name != "" && (schema.Ref != ontosql.TypeRef{Kind: kind, Name: name}) {
		return fmt.Errorf("%s %q is the schema of %s", kind, name, schema.Ref)
	}
	m.types = append(m.types, model{schema: *schema})
	return nil
}
