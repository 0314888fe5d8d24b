package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/check"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	schema       string
	diff, strict bool
}

func (p *program) verifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "compare the types of the ontology with those of a schema file",
		Long: "verify compares the types of a schema file with those of the ontology. It writes nothing:\n" +
			"types that the ontology does not have yet are named, and registered by whoever creates them.",
		Example: "  ontosql verify --storage-uri /srv/onto --schema schema.sql --diff\n" +
			"  ontosql verify --storage-uri /srv/onto --schema schema.json --strict --json",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.schema == "" {
				return usagef("verify: --schema FILE says what the types should be")
			}
			m, err := p.readSchemaFile(cmd.Context(), o.schema)
			if err != nil {
				return err
			}
			return p.verify(cmd.Context(), m, o)
		},
	}
	cmd.Flags().StringVar(&o.schema, "schema", "", "the schema `file`: JSON or YAML as of schema export, or SQL")
	cmd.Flags().BoolVar(&o.diff, "diff", false, "print what differs, and not only in which types")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "exit with 3 where something differs, with 4 where commits are damaged")
	return cmd
}

// verification is the original's answer of verify (COMPAT 7), with members of our own:
// new_types, which the original would register; upgrades, types from before type_spec, which it
// would complete; and declared, the declarations of SQL.
type verification struct {
	Status   string      `json:"status"` // "ok" or "mismatch"
	Diffs    []shownDiff `json:"diffs"`
	NewTypes []typeName  `json:"new_types,omitempty"`
	Declared []shownDiff `json:"declared,omitempty"`
	Upgrades []typeName  `json:"upgrades,omitempty"`
	// Problems are what a SQLite file's commits and rows break of each other.
	Problems []fsckFinding `json:"problems,omitempty"`
}

// same reports whether nothing differs.
func (v *verification) same() bool { return len(v.Diffs)+len(v.Declared) == 0 }

// problems are gaps and disorder in the numbers of a SQLite file's commits, and rows
// without their commit. A bucket with such a chain cannot be opened.
func (p *program) problems(ctx context.Context) ([]fsckFinding, error) {
	a, err := p.cfg.oneAddress()
	if err != nil || a.backend != "sqlite" {
		return nil, err
	}
	found, err := check.Run(ctx, a.path, check.Options{Commits: true})
	if err != nil {
		return nil, &openError{err}
	}
	return slices.DeleteFunc(fileFindings(found), func(f fsckFinding) bool { return f.Severity != fsckError }), nil
}

func (p *program) verify(ctx context.Context, m *models, o verifyOptions) error {
	pin, err := p.look(ctx)
	if err != nil {
		return err
	}
	v, err := newVerification(pin, m)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if v.Problems, err = p.problems(ctx); err != nil {
		return err
	}
	if err := p.printVerification(v, o); err != nil {
		return err
	}
	if o.strict && !v.same() {
		return &schemaError{fmt.Errorf("verify: the types of the ontology are not those of %s", o.schema)}
	}
	if o.strict && len(v.Problems) > 0 {
		return &executionError{fmt.Errorf("verify: the commits of the file are damaged")}
	}
	return nil
}

func newVerification(pin *resolver.Pin, m *models) (*verification, error) {
	m.adopt(pin.Catalog)
	state := pin.Catalog.State(time.Now(), "")
	diffs, err := state.Diffs(m.schemas())
	if err != nil {
		return nil, err
	}
	v := &verification{Status: "ok", Diffs: []shownDiff{}}
	for i := range diffs {
		if onlyLacksSpecs(state, &m.of(diffs[i].Type).schema) {
			v.Upgrades = append(v.Upgrades, nameOf(diffs[i].Type))
			continue
		}
		v.Diffs = append(v.Diffs, shown(&diffs[i]))
	}
	for _, d := range m.declared(pin.Catalog, state) {
		v.Declared = append(v.Declared, shown(&d))
	}
	if !v.same() {
		v.Status = "mismatch"
	}
	for _, d := range state.Additions(m.schemas()) {
		v.NewTypes = append(v.NewTypes, nameOf(d.Type))
	}
	return v, nil
}

func (p *program) printVerification(v *verification, o verifyOptions) error {
	if p.cfg.JSON {
		return printJSON(p.out, v)
	}
	if v.same() {
		fmt.Fprintln(p.out, "Schema OK.")
	} else {
		fmt.Fprintln(p.out, "Schema mismatch:")
	}
	for _, d := range v.Diffs {
		fmt.Fprintf(p.out, "  %s '%s' (v%d)\n", d.Kind, d.Name, d.Stored)
		if o.diff {
			p.printDiff(&d)
		}
	}
	for _, d := range v.Declared {
		fmt.Fprintf(p.out, "  %s '%s' (v%d), declared\n", d.Kind, d.Name, d.Stored)
		if o.diff {
			p.printDiff(&d)
		}
	}
	for _, t := range v.NewTypes {
		fmt.Fprintf(p.out, "  %s '%s' (not in the ontology yet)\n", t.Kind, t.Name)
	}
	for _, t := range v.Upgrades {
		fmt.Fprintf(p.out, "  %s '%s' (stored without type_spec)\n", t.Kind, t.Name)
	}
	p.printFindings(v.Problems)
	if !v.same() && !o.diff {
		fmt.Fprintln(p.out, "--diff shows what differs.")
	}
	return nil
}

func (p *program) printDiff(d *shownDiff) {
	if len(d.Added) > 0 {
		fmt.Fprintf(p.out, "    + %s\n", strings.Join(d.Added, ", "))
	}
	if len(d.Removed) > 0 {
		fmt.Fprintf(p.out, "    - %s\n", strings.Join(d.Removed, ", "))
	}
	p.printChanged(d.Changed)
}
