package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/resolver"
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
			if o.meta, err = metaPairs(meta); err != nil {
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
	for _, key := range sortedNames(o.meta) {
		if slices.Contains(metaOfCommands, key) || strings.HasPrefix(key, "ontosql_") {
			return usagef("--meta %s: the key is reserved", key)
		}
	}
	return nil
}

// metaOfCommands are the keys by which readers know what kind of commit one is.
var metaOfCommands = []string{"operation", "target_kind", "target_type", "affected_types", "kind", "migrated_types", "actor"}

// dropPlan is the original's plan of a drop (COMPAT 7).
type dropPlan struct {
	Target        typeName         `json:"target"`
	Affected      []typeName       `json:"affected_types"`
	Rows          map[string]int64 `json:"row_counts"`
	PurgeRequired bool             `json:"purge_history_required"`
	Purge         bool             `json:"purge_history"`
	Token         string           `json:"token"`

	types []ontosql.TypeRef // the target, then relation types
	head  ontosql.CommitID
}

func (p *program) dropTypes(ctx context.Context, a address, o dropOptions) error {
	g, err := p.openToChange(ctx, a)
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
	relationsFirst := slices.Clone(plan.types)
	slices.Reverse(relationsFirst)
	change := &gateway.SchemaPlan{Head: plan.head, User: schemaUser, Drop: relationsFirst, Purge: o.purge, Metadata: plan.metadata(o)}
	changed, err := g.handler.ChangeSchema(ctx, soleName, change)
	switch {
	case overtaken(err):
		return &dropSafetyError{fmt.Errorf("schema drop: %w: %w", errStalePlan, refused(err))}
	case err != nil:
		return &executionError{fmt.Errorf("schema drop: %w", refused(err))}
	}
	return p.printDropped(plan, changed.Commit)
}

// planDrop works out what goes with a type. It is a dropSafetyError where that is
// more than the options say.
func (p *program) planDrop(ctx context.Context, g *openedGateway, pin *resolver.Pin, o dropOptions) (*dropPlan, error) {
	types, err := affected(pin.Catalog, o)
	if err != nil {
		return nil, err
	}
	plan := &dropPlan{
		Target: typeName{o.target.Kind.String(), o.target.Name}, Rows: map[string]int64{}, Purge: o.purge, head: pin.Head.Commit,
	}
	state := pin.Catalog.State(pin.Head.UpdatedAt, "")
	versions := map[ontosql.TypeRef]int64{}
	err = p.overPipe(ctx, g, fmt.Sprint(int64(plan.head)), func(conn *pgconn.PgConn) error {
		for _, t := range types {
			plan.types = append(plan.types, t.Ref)
			versions[t.Ref] = state.Version(t.Ref)
			plan.Rows[t.Ref.Name] = 0
			if !pin.View.Wrote(t.Ref, t.Floor, plan.head) {
				continue
			}
			rows, err := countLatest(ctx, conn, t)
			if err != nil {
				return err
			}
			plan.Rows[t.Ref.Name], plan.PurgeRequired = rows, true
		}
		return nil
	})
	if err != nil {
		return nil, &executionError{refused(err)}
	}
	if plan.PurgeRequired && !o.purge {
		return nil, &dropSafetyError{fmt.Errorf("types with existing rows: %s; --purge-history drops them all the same", strings.Join(plan.withRows(), ", "))}
	}
	plan.Affected = typeNames(plan.types)
	plan.Token = migration.DropToken(versions, plan.head, o.purge)
	return plan, nil
}

// withRows are the names of the types that have rows.
func (plan *dropPlan) withRows() []string {
	names := slices.Sorted(maps.Keys(plan.Rows))
	return slices.DeleteFunc(names, func(name string) bool { return plan.Rows[name] == 0 })
}

// affected are the types that are dropped, the target first.
func affected(c *catalog.Catalog, o dropOptions) ([]*catalog.Type, error) {
	target, ok := c.Type(o.target)
	if !ok {
		return nil, usagef("there is no %s %q", o.target.Kind, o.target.Name)
	}
	types := []*catalog.Type{target}
	var undeclared []string
	for _, t := range c.Types {
		switch linked := t.Left == o.target.Name || t.Right == o.target.Name; {
		case o.target.Kind != ontosql.Entity || t.Ref.Kind != ontosql.Relation:
		case o.cascade && linked || slices.Contains(o.relations, t.Ref.Name):
			types = append(types, t)
		case linked:
			undeclared = append(undeclared, t.Ref.Name)
		}
	}
	for _, name := range o.relations {
		if !slices.ContainsFunc(types[1:], func(t *catalog.Type) bool { return t.Ref.Name == name }) {
			return nil, usagef("there is no relation %q", name)
		}
	}
	if len(undeclared) > 0 {
		return nil, &dropSafetyError{fmt.Errorf("relation types link entity %q: %s; --drop-relation or --cascade-relations drops them as well", o.target.Name, strings.Join(undeclared, ", "))}
	}
	return types, nil
}

// metadata is what the original says of the commit of a drop.
func (plan *dropPlan) metadata(o dropOptions) map[string]string {
	items := make([]format.Value, len(plan.Affected))
	for i, t := range plan.Affected {
		items[i] = format.Object(
			format.Member{Name: "kind", Value: format.String(t.Kind)},
			format.Member{Name: "type_name", Value: format.String(t.Name)},
		)
	}
	metadata := map[string]string{
		"operation": "schema_drop", "target_kind": plan.Target.Kind, "target_type": plan.Target.Name,
		"affected_types": string(format.Array(items...).Append(nil, format.Spaced)),
	}
	maps.Copy(metadata, o.meta)
	return metadata
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
