package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

func (p *program) schemaCommand() *cobra.Command {
	schema := &cobra.Command{
		Use:   "schema",
		Short: "export, list and drop the schemas of types",
		Args:  cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("schema: want a subcommand: export, history or drop")
		},
	}
	schema.AddCommand(p.schemaExportCommand(), p.schemaHistoryCommand(), p.schemaDropCommand())
	return schema
}

// schemaVersion is the original's line of schema history (COMPAT 7).
type schemaVersion struct {
	Kind      string          `json:"type_kind"`
	Type      string          `json:"type_name"`
	ID        int64           `json:"schema_version_id"`
	Hash      string          `json:"schema_hash"`
	CreatedAt string          `json:"created_at"`
	RuntimeID string          `json:"runtime_id"`
	Reason    string          `json:"reason"`
	Schema    json.RawMessage `json:"schema_json,omitempty"` // of a single version
}

func (p *program) schemaHistoryCommand() *cobra.Command {
	var kind, name string
	var last int
	var since, version int64
	cmd := &cobra.Command{
		Use:   "history",
		Short: "the schema versions of a type, oldest first",
		Example: "  ontosql schema history --storage-uri /srv/onto --kind entity --type Customer\n" +
			"  ontosql schema history --storage-uri /srv/onto --kind entity --type Customer --version 2 --json",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ref, err := typeRef(kind, name)
			if err != nil {
				return err
			}
			one := p.cfg.given(cmd, "version")
			switch {
			case last < 0:
				return usagef("--last %d: want a number of versions", last)
			case one && p.cfg.given(cmd, "since-version"):
				return usagef("--version and --since-version exclude each other")
			}
			pin, err := p.look(cmd.Context())
			if err != nil {
				return err
			}
			var lines []schemaVersion
			t, ok := pin.Catalog.Type(ref)
			if !ok {
				return fmt.Errorf("schema history: there is no %s type %q", kind, name)
			}
			for i := range t.Versions {
				lines = append(lines, newSchemaVersion(ref, &t.Versions[i]))
			}
			if one {
				i := slices.IndexFunc(lines, func(l schemaVersion) bool { return l.ID == version })
				if i < 0 {
					return fmt.Errorf("schema history: %s %q has no version %d", kind, name, version)
				}
				return p.printMembers(lines[i])
			}
			lines = slices.DeleteFunc(lines, func(l schemaVersion) bool { return l.ID <= since })
			return p.printHistory(lines[max(0, len(lines)-last):])
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "entity or relation")
	cmd.Flags().StringVar(&name, "type", "", "the `name` of the type")
	cmd.Flags().IntVar(&last, "last", 20, "how many")
	cmd.Flags().Int64Var(&since, "since-version", 0, "only those after this `version`")
	cmd.Flags().Int64Var(&version, "version", 0, "all of this `version`")
	return cmd
}

// look is the newest state of the ontology that the flags name.
func (p *program) look(ctx context.Context) (*resolver.Pin, error) {
	a, err := p.cfg.oneAddress()
	if err != nil {
		return nil, err
	}
	s, err := p.cfg.openStore(ctx, a, p.log)
	if err != nil {
		return nil, err
	}
	defer s.close()
	pin, err := s.store.Pin(ctx)
	if err != nil {
		return nil, &openError{err}
	}
	return pin, nil
}

// typeRef reads the two flags or arguments that name a type.
func typeRef(kind, name string) (ontosql.TypeRef, error) {
	if kind == "" || name == "" {
		return ontosql.TypeRef{}, usagef("a type is named by --kind entity or relation, and --type NAME")
	}
	k, err := ontosql.ParseKind(kind)
	if err != nil {
		return ontosql.TypeRef{}, usagef("kind %q: want entity or relation", kind)
	}
	return ontosql.TypeRef{Kind: k, Name: name}, nil
}

func newSchemaVersion(ref ontosql.TypeRef, v *catalog.Version) schemaVersion {
	return schemaVersion{
		Kind: ref.Kind.String(), Type: ref.Name, ID: v.ID, Hash: v.Hash, CreatedAt: moment(v),
		RuntimeID: v.RuntimeID, Reason: v.Reason, Schema: json.RawMessage(v.JSON),
	}
}

// isVersion finds the version of an id.
func isVersion(id int64) func(catalog.Version) bool {
	return func(v catalog.Version) bool { return v.ID == id }
}

// moment is the time at which a version was registered, "" if it is not recorded.
func moment(v *catalog.Version) string {
	if v.CreatedAt.IsZero() {
		return ""
	}
	return format.TimeOf(v.CreatedAt).String()
}

// shownHash is how many characters of a hash the original lists.
const shownHash = 12

func (p *program) printHistory(lines []schemaVersion) error {
	rows := make([][]string, len(lines))
	for i := range lines {
		l := &lines[i]
		l.Hash, l.Schema = l.Hash[:min(shownHash, len(l.Hash))], nil
		rows[i] = []string{fmt.Sprint(l.ID), l.Hash, l.CreatedAt, l.RuntimeID, l.Reason}
	}
	if p.cfg.JSON {
		return printJSON(p.out, append([]schemaVersion{}, lines...))
	}
	printTable(p.out, []string{"version", "hash", "created_at", "runtime_id", "reason"}, rows)
	return nil
}
