package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
)

// migrateOptions are the flags of migrate.
type migrateOptions struct {
	schema, upgraders, token string
	dryRun, apply, force     bool
	meta                     map[string]string // for the metadata of the commit
	again                    string            // the command line that made the plan
}

func (p *program) migrateCommand() *cobra.Command {
	var o migrateOptions
	var meta []string
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "make the types of the ontology those of a schema file",
		Example: "  ontosql migrate --storage-uri /srv/onto --schema schema.sql\n" +
			"  ontosql migrate --storage-uri /srv/onto --schema schema.yaml --upgraders upgraders.yaml --apply --token TOKEN",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.meta, err = commitMeta(meta); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			o.again = p.cfg.commandLine(cmd, "dry-run")
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			return p.migrate(cmd.Context(), a, o)
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	p.cfg.nameserviceFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.schema, "schema", "", "the schema `file`: JSON or YAML as of schema export, or SQL")
	cmd.Flags().StringVar(&o.upgraders, "upgraders", "", "a `file` of SQL expressions by type, version and field, JSON or YAML")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the plan and its token; the default")
	cmd.Flags().BoolVar(&o.apply, "apply", false, "carry out the plan")
	cmd.Flags().StringVar(&o.token, "token", "", "the `token` of the plan that is to be carried out")
	cmd.Flags().BoolVar(&o.force, "force", false, "carry out the plan as it is now, without a token")
	cmd.Flags().StringArrayVar(&meta, "meta", nil, "put this `KEY=VALUE` into the metadata of the commit, repeatable")
	return cmd
}

func (o *migrateOptions) check() error {
	switch {
	case o.schema == "":
		return usagef("migrate: --schema FILE says what the types are to be")
	case o.dryRun && o.apply:
		return usagef("migrate: --dry-run and --apply exclude each other")
	case o.force && o.token != "":
		return usagef("migrate: --force and --token exclude each other")
	case o.apply && !o.force && o.token == "":
		return usagef("migrate: --apply wants the --token of a dry run, or --force")
	case !o.apply && (o.force || o.token != ""):
		return usagef("migrate: --token and --force want --apply")
	}
	return nil
}

func (p *program) migrate(ctx context.Context, a address, o migrateOptions) error {
	m, err := p.readSchemaFile(ctx, o.schema)
	if err != nil {
		return err
	}
	u, err := p.readUpgraders(o.upgraders)
	if err != nil {
		return err
	}
	g, err := p.openSole(ctx, a, gatewayUse{})
	if err != nil {
		return err
	}
	defer g.close(ctx)
	if !o.apply {
		plan, err := p.checked(ctx, g, m, u)
		if err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		return p.printMigrationPlan(plan, o)
	}
	return p.softly(ctx, nameservice.MigrationLock, g.stores[0].Pin, func(ctx context.Context, _ *published) error {
		began := time.Now()
		plan, changed, err := p.applied(ctx, g, m, u, o)
		switch {
		case err != nil:
			return &executionError{fmt.Errorf("migrate: %w", err)}
		case changed == nil:
			return p.printMigrationPlan(plan, o)
		}
		return p.printMigrated(plan, changed, time.Since(began))
	})
}

// planned is the plan of a migration from the newest state of the store on.
func (p *program) planned(ctx context.Context, g *openedGateway, m *models, u upgraders) (*migrationPlan, error) {
	pin, err := g.stores[0].Pin(ctx)
	if err != nil {
		return nil, &openError{err}
	}
	var plan *migrationPlan
	var failed error
	err = p.overPipe(ctx, g, fmt.Sprint(int64(pin.Head.Commit)), func(conn *pgconn.PgConn) error {
		plan, failed = planMigration(pin, m, u, func(t *catalog.Type) (int64, error) { return countAt(ctx, conn, pin, t) })
		return nil
	})
	if err = errors.Join(failed, err); err != nil {
		return nil, refused(err)
	}
	return plan, nil
}

// mostAttempts is how often a migration is planned again because another commit
// came first.
const mostAttempts = 10

// checked is a plan of which everything was checked that can be without the rows.
func (p *program) checked(ctx context.Context, g *openedGateway, m *models, u upgraders) (*migrationPlan, error) {
	for attempt := 1; ; attempt++ {
		plan, err := p.planned(ctx, g, m, u)
		if err != nil || !plan.HasChanges || plan.complete() != nil {
			return plan, err
		}
		plan.change.DryRun = true
		if _, err = p.change(ctx, g, plan); overtaken(err) && attempt < mostAttempts {
			continue
		}
		return plan, err
	}
}

// applied is a plan that was carried out, and what it changed: nil where there is
// nothing to change.
func (p *program) applied(ctx context.Context, g *openedGateway, m *models, u upgraders, o migrateOptions) (*migrationPlan, *typeddl.ChangedSchema, error) {
	for attempt := 1; ; attempt++ {
		plan, err := p.planned(ctx, g, m, u)
		switch {
		case err != nil || !plan.HasChanges:
			return plan, nil, err
		case !o.force && plan.Token != o.token:
			return nil, nil, errStalePlan
		}
		if err := plan.complete(); err != nil {
			return nil, nil, err
		}
		plan.change.Metadata = o.meta
		changed, err := p.change(ctx, g, plan)
		switch {
		case overtaken(err) && o.force && attempt < mostAttempts:
			continue
		case overtaken(err) && !o.force:
			err = fmt.Errorf("%w: %w", errStalePlan, err)
		}
		return plan, changed, err
	}
}

// change carries out a plan, with progress.
func (p *program) change(ctx context.Context, g *openedGateway, plan *migrationPlan) (*typeddl.ChangedSchema, error) {
	total := 0
	for _, rows := range plan.EstimatedRows {
		total += int(rows)
	}
	plan.change.User = schemaUser
	report, reported := p.progress("migrating rows"), 0
	if report != nil && total > 0 {
		plan.change.Progress = func(rows int64) {
			reported = min(int(rows), total)
			report(reported, total)
		}
	}
	changed, err := g.handler.ChangeSchema(ctx, soleName, &plan.change)
	if err != nil {
		return nil, refused(err)
	}
	if reported > 0 && reported < total { // types of which no row had to be read
		report(total, total)
	}
	return changed, nil
}

// schemaUser is the actor of the commits of this program's commands.
const schemaUser = "ontosql"

// refused is an error of the gateway in one line.
func refused(err error) error { return inSQL(err, "") }

// overtaken reports whether a change was refused because another commit came first.
func overtaken(err error) bool {
	var e *pgerr.Error
	return errors.As(err, &e) && e.Code == pgerr.SerializationFailure
}
