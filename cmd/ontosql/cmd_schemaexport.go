package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

func (p *program) schemaExportCommand() *cobra.Command {
	var o exportOptions
	var kind, file, output, layout string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "the schemas of all types, of one, or of a schema file",
		Example: "  ontosql schema export --storage-uri /srv/onto --format yaml --output schema.yaml\n" +
			"  ontosql schema export --storage-uri /srv/onto --kind entity --type Customer --version 1\n" +
			"  ontosql schema export --schema schema.sql --with-hash",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			switch {
			case layout != "json" && layout != "yaml":
				return usagef("--format %s: want json or yaml", layout)
			case file != "" && (kind != "" || o.ref.Name != ""):
				return usagef("--schema and --kind with --type exclude each other")
			case kind != "" || o.ref.Name != "":
				if o.ref, err = typeRef(kind, o.ref.Name); err != nil {
					return err
				}
			case p.cfg.given(cmd, "version"):
				return usagef("--version wants --kind and --type")
			}
			document, err := p.exported(cmd, file, o)
			if err != nil {
				return err
			}
			return p.writeDocument(document, output, layout)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "entity or relation, with --type")
	cmd.Flags().StringVar(&o.ref.Name, "type", "", "the `name` of the only type")
	cmd.Flags().Int64Var(&o.version, "version", 0, "this `version` of it, default the current one")
	cmd.Flags().StringVar(&file, "schema", "", "what this schema `file` holds instead of the store: JSON, YAML or SQL")
	cmd.Flags().StringVar(&output, "output", "", "the `file` to write")
	cmd.Flags().StringVar(&layout, "format", "json", "json or yaml")
	cmd.Flags().BoolVar(&o.hashes, "with-hash", false, "add the hash of each schema")
	return cmd
}

// exportOptions say what of a store is exported.
type exportOptions struct {
	ref     ontosql.TypeRef // the only type; without a name all of them
	version int64           // of it, 0 for the current one
	hashes  bool
}

// exported is the document that is to be written.
func (p *program) exported(cmd *cobra.Command, file string, o exportOptions) (format.Value, error) {
	if file != "" {
		models, err := p.readSchemaFile(cmd.Context(), file)
		if err != nil {
			return format.Value{}, err
		}
		var schemas []exportedSchema
		for _, s := range models.schemas() {
			schemas = append(schemas, exportedSchema{ref: s.Ref, text: format.EncodeSchema(&s)})
		}
		return exportAll(schemas, o.hashes)
	}
	pin, err := p.look(cmd.Context())
	if err != nil {
		return format.Value{}, err
	}
	if o.ref.Name != "" {
		return exportOne(pin, o)
	}
	var schemas []exportedSchema
	state := pin.Catalog.State(time.Now(), "")
	for _, t := range pin.Catalog.Types {
		s := exportedSchema{ref: t.Ref, text: state.Types[t.Ref]}
		if i := slices.IndexFunc(t.Versions, isVersion(t.SchemaID)); i >= 0 {
			s.hash = t.Versions[i].Hash
		}
		schemas = append(schemas, s)
	}
	return exportAll(schemas, o.hashes)
}

// exportedSchema is a schema on its way out.
type exportedSchema struct {
	ref  ontosql.TypeRef
	text []byte
	hash string // as it is stored, "" for one that is not
}

// exportAll is {"entities": {...}, "relations": {...}}.
func exportAll(schemas []exportedSchema, hashes bool) (format.Value, error) {
	members := map[ontosql.Kind][]format.Member{}
	for _, s := range schemas {
		v, err := format.ParseJSON(s.text)
		if err != nil {
			return v, fmt.Errorf("schema of %s: %w", s.ref, err)
		}
		if hashes {
			if s.hash == "" {
				if s.hash, err = format.SchemaHash(s.text); err != nil {
					return v, fmt.Errorf("schema of %s: %w", s.ref, err)
				}
			}
			v = withMembers(v, format.Member{Name: "schema_hash", Value: format.String(s.hash)})
		}
		members[s.ref.Kind] = append(members[s.ref.Kind], format.Member{Name: s.ref.Name, Value: v})
	}
	return format.Object(
		format.Member{Name: "entities", Value: format.Object(members[ontosql.Entity]...)},
		format.Member{Name: "relations", Value: format.Object(members[ontosql.Relation]...)},
	), nil
}

// exportOne is one stored version of one type.
func exportOne(pin *resolver.Pin, o exportOptions) (format.Value, error) {
	missing := fmt.Errorf("schema export: there is no schema of %s %q", o.ref.Kind, o.ref.Name)
	t, ok := pin.Catalog.Type(o.ref)
	if !ok {
		return format.Value{}, missing
	}
	if o.version == 0 {
		o.version = t.SchemaID
	} else {
		missing = fmt.Errorf("%w of version %d", missing, o.version)
	}
	i := slices.IndexFunc(t.Versions, isVersion(o.version))
	if i < 0 {
		return format.Value{}, missing
	}
	v := &t.Versions[i]
	schema, err := format.ParseJSON([]byte(v.JSON))
	if err != nil {
		return schema, fmt.Errorf("schema of %s: %w", o.ref, err)
	}
	return withMembers(schema,
		format.Member{Name: "schema_version_id", Value: format.Int(v.ID)},
		format.Member{Name: "schema_hash", Value: format.String(v.Hash)},
		format.Member{Name: "created_at", Value: format.String(moment(v))},
	), nil
}

// withMembers is an object with more members.
func withMembers(v format.Value, more ...format.Member) format.Value {
	var members []format.Member
	for name, value := range v.Members() {
		members = append(members, format.Member{Name: name, Value: value})
	}
	return format.Object(append(members, more...)...)
}

// writeDocument writes a document to a file, or prints it.
func (p *program) writeDocument(v format.Value, output, layout string) error {
	var b bytes.Buffer
	var err error
	if layout == "yaml" {
		err = writeYAML(&b, v)
	} else {
		err = printJSON(&b, json.RawMessage(v.Append(nil, format.SpacedInOrder)))
	}
	if err != nil {
		return fmt.Errorf("schema export: %w", err)
	}
	if output == "" {
		_, err = p.out.Write(b.Bytes())
		return err
	}
	if err := os.WriteFile(output, b.Bytes(), 0o644); err != nil {
		return &executionError{fmt.Errorf("schema export: %w", err)}
	}
	if !p.cfg.JSON {
		fmt.Fprintf(p.out, "Written to %s\n", output)
	}
	return nil
}

// writeYAML writes JSON as YAML, members by name.
func writeYAML(w io.Writer, v format.Value) error {
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(plain(v)); err != nil {
		return err
	}
	return e.Close()
}

// plain is a value as Go's encoders know it.
func plain(v format.Value) any {
	switch v.Kind() {
	case format.JSONObject:
		members := map[string]any{}
		for name, member := range v.Members() {
			members[name] = plain(member)
		}
		return members
	case format.JSONArray:
		items := []any{}
		for _, item := range v.Items() {
			items = append(items, plain(item))
		}
		return items
	case format.JSONString:
		return v.Text()
	case format.JSONBool:
		return v.Bool()
	case format.JSONNull:
		return nil
	}
	if n, ok := v.Int64(); ok {
		return n
	}
	return v.Float()
}
