package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/typeddl"
)

// dropOptions are the arguments and flags of schema drop.
type dropOptions struct {
	target         ontosql.TypeRef
	relations      []string
	cascade, purge bool
	dryRun, apply  bool
	token          string
	meta           map[string]string
}

func (p *program) schemaDropCommand() *cobra.Command {
	var o dropOptions
	var meta []string
	cmd := &cobra.Command{
		Use:   "drop KIND TYPE",
		Short: "drop a type, and the relation types that link it",
		Example: "  ontosql schema drop relation Purchase --storage-uri /srv/onto --purge-history\n" +
			"  ontosql schema drop entity Customer --storage-uri /srv/onto --cascade-relations --purge-history --apply --token TOKEN",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) != 2 {
				return usagef("schema drop: want KIND and TYPE")
			}
			if o.target, err = typeRef(args[0], args[1]); err != nil {
				return err
			}
			if o.meta, err = commitMeta(meta); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			return p.dropTypes(cmd.Context(), a, o)
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	cmd.Flags().StringArrayVar(&o.relations, "drop-relation", nil, "drop this relation `type` as well, repeatable")
	cmd.Flags().BoolVar(&o.cascade, "cascade-relations", false, "drop every relation type that links the entity type")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the plan and its token; the default")
	cmd.Flags().BoolVar(&o.apply, "apply", false, "carry out the plan")
	cmd.Flags().StringVar(&o.token, "token", "", "the `token` of the plan that is to be carried out")
	cmd.Flags().BoolVar(&o.purge, "purge-history", false, "drop types that have rows: nobody sees them again")
	cmd.Flags().StringArrayVar(&meta, "meta", nil, "put this `KEY=VALUE` into the metadata of the commit, repeatable")
	return cmd
}

func (o *dropOptions) check() error {
	switch {
	case o.dryRun && o.apply:
		return usagef("schema drop: --dry-run and --apply exclude each other")
	case o.apply && o.token == "":
		return usagef("schema drop: --apply wants the --token of a dry run")
	case !o.apply && o.token != "":
		return usagef("schema drop: --token wants --apply")
	case o.target.Kind == ontosql.Relation && (o.cascade || len(o.relations) > 0):
		return usagef("schema drop: --drop-relation and --cascade-relations are for entity types")
	case o.cascade && len(o.relations) > 0:
		return usagef("schema drop: --drop-relation and --cascade-relations exclude each other")
	}
	return nil
}

// commitMeta reads --meta of a command that commits.
func commitMeta(list []string) (map[string]string, error) {
	pairs, err := metaPairs(list)
	for _, key := range sortedNames(pairs) {
		if slices.Contains(metaOfCommands, key) || strings.HasPrefix(key, "ontosql_") {
			return nil, usagef("--meta %s: the key is reserved", key)
		}
	}
	return pairs, err
}

// metaOfCommands are the keys by which readers know what kind of commit one is.
var metaOfCommands = []string{"operation", "target_kind", "target_type", "affected_types", "kind", "migrated_types", "actor"}

func (p *program) dropTypes(ctx context.Context, a address, o dropOptions) error {
	g, err := p.openSole(ctx, a, gatewayUse{})
	if err != nil {
		return err
	}
	defer g.close(ctx)
	pin, err := g.stores[0].Pin(ctx)
	if err != nil {
		return &openError{err}
	}
	plan, err := p.planDrop(ctx, g, pin, o)
	switch {
	case err != nil:
		return fmt.Errorf("schema drop: %w", err)
	case !o.apply:
		return p.printDropPlan(plan)
	case plan.Token != o.token:
		return &dropSafetyError{fmt.Errorf("schema drop: %w", errStalePlan)}
	}
	change := &typeddl.SchemaPlan{Head: plan.head, User: schemaUser, Drop: plan.types, Purge: o.purge, Metadata: plan.metadata(o)}
	changed, err := g.handler.ChangeSchema(ctx, soleName, change)
	switch {
	case overtaken(err):
		return &dropSafetyError{fmt.Errorf("schema drop: %w: %w", errStalePlan, refused(err))}
	case err != nil:
		return &executionError{fmt.Errorf("schema drop: %w", refused(err))}
	}
	return p.printDropped(plan, changed.Commit)
}

func (p *program) printDropPlan(plan *dropPlan) error {
	if p.cfg.JSON {
		return printJSON(p.out, plan)
	}
	fmt.Fprintf(p.out, "Schema drop plan (dry-run):\n  Target: %s '%s'\n  Affected types:\n", plan.Target.Kind, plan.Target.Name)
	for _, t := range plan.Affected {
		fmt.Fprintf(p.out, "    %s '%s' (%d rows)\n", t.Kind, t.Name, plan.Rows[t.Name])
	}
	if plan.PurgeRequired {
		fmt.Fprintln(p.out, "  Purge history required: yes")
	}
	fmt.Fprintf(p.out, "\n  Token: %s\n", plan.Token)
	return nil
}

// dropped is the original's answer to a drop (COMPAT 7).
type dropped struct {
	Status   string     `json:"status"`
	Commit   int64      `json:"commit_id"`
	Affected []typeName `json:"affected_types"`
}

func (p *program) printDropped(plan *dropPlan, commit ontosql.CommitID) error {
	if p.cfg.JSON {
		return printJSON(p.out, dropped{"dropped", int64(commit), plan.Affected})
	}
	fmt.Fprintf(p.out, "Schema drop applied (commit %d):\n", commit)
	for _, t := range plan.Affected {
		fmt.Fprintf(p.out, "  Dropped %s '%s'\n", t.Kind, t.Name)
	}
	return nil
}
