package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/writepath"
)

func (p *program) initCommand() *cobra.Command {
	var o writepath.InitOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "create an empty ontology",
		Example: "  ontosql init --storage-uri s3://bucket/prefix\n" +
			"  ontosql init --storage-uri sqlite:////srv/onto.db\n" +
			"  ontosql init --storage-uri /srv/onto --dry-run\n" +
			"  ontosql init --storage-uri /srv/onto --force --token TOKEN   # starts an existing one anew",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Engine != format.EngineV1 && o.Engine != format.EngineV2 {
				return usagef("--engine-version %s: want v1 or v2", o.Engine)
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			o.URI, o.Prefix = a.text, a.prefix
			if a.backend == "sqlite" {
				return p.initFile(cmd.Context(), a, o)
			}
			return p.initBucket(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.Engine, "engine-version", format.EngineV1, "layout of the store: v1 or v2")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "print the plan and write nothing")
	cmd.Flags().BoolVar(&o.Force, "force", false, "start an existing ontology anew; its history is no longer seen")
	cmd.Flags().StringVar(&o.Token, "token", "", "the force `token` of the plan")
	return cmd
}

func (p *program) initBucket(ctx context.Context, a address, o writepath.InitOptions) error {
	b, err := p.cfg.openBucket(ctx, a, !o.DryRun)
	if o.DryRun && a.backend == "file" && errors.Is(err, objstore.ErrNoBucket) {
		b, err = &mem.Bucket{}, nil // the directory that init would make
	}
	if err != nil {
		return err
	}
	plan, err := writepath.Init(ctx, b, o)
	switch {
	case err != nil && plan == nil:
		return initError(err, "", "hides")
	case err != nil:
		return initError(err, plan.ForceToken, "hides")
	}
	return p.printPlan(plan, initStatus(o.DryRun))
}

func (p *program) initFile(ctx context.Context, a address, o writepath.InitOptions) error {
	plan, err := initdb.Init(ctx, a.path, initdb.Options{
		URI: o.URI, Engine: o.Engine, DryRun: o.DryRun, Force: o.Force, Token: o.Token,
	})
	switch {
	case err == nil:
		return p.printFilePlan(plan, o.DryRun)
	case plan == nil:
		return &openError{err}
	}
	return initError(err, plan.ForceToken, "deletes")
}

// initError is why an ontology was not begun; harm is what force does to the history
// of one that exists.
func initError(err error, token, harm string) error {
	switch {
	case errors.Is(err, writepath.ErrAlreadyInitialised):
		return &executionError{fmt.Errorf("init: %w; --force --token %s starts it anew and %s its history", err, token, harm)}
	case errors.Is(err, writepath.ErrWrongToken):
		return &executionError{fmt.Errorf("init: %w: ontosql init --dry-run prints it", err)}
	}
	return &executionError{fmt.Errorf("init: %w", err)}
}

func initStatus(dryRun bool) string {
	if dryRun {
		return "dry_run"
	}
	return "initialized"
}

// printFilePlan prints what init did, or would do, to a SQLite file.
func (p *program) printFilePlan(plan *initdb.Plan, dryRun bool) error {
	message := ""
	if dryRun {
		message = "nothing was written"
	}
	if p.cfg.JSON {
		return printJSON(p.out, struct {
			*initdb.Plan
			Status  string `json:"status"`
			Message string `json:"message,omitempty"`
		}{plan, initStatus(dryRun), message})
	}
	fmt.Fprintf(p.out, "backend: %s\ndb_path: %s\nalready_initialized: %t\nforce_token: %s\nengine_version: %s\nstatus: %s\n",
		plan.Backend, plan.DBPath, plan.AlreadyInitialized, plan.ForceToken, plan.EngineVersion, initStatus(dryRun))
	return nil
}

func (p *program) printPlan(plan *writepath.InitPlan, status string) error {
	if p.cfg.JSON {
		return printJSON(p.out, struct {
			*writepath.InitPlan
			Status string `json:"status"`
		}{plan, status})
	}
	fmt.Fprintf(p.out, "storage_uri: %s\nalready_initialized: %t\nplanned_objects: %s\nforce_token: %s\nengine_version: %s\nstatus: %s\n",
		plan.StorageURI, plan.AlreadyInitialized, strings.Join(plan.PlannedObjects, ", "), plan.ForceToken, plan.EngineVersion, status)
	return nil
}

func (p *program) preflightCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "preflight",
		Short:   "say what the credentials can do to the store, and how far the clocks are apart",
		Example: "  ontosql preflight --storage-uri s3://bucket/prefix",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			b, err := p.cfg.openBucket(cmd.Context(), a, false)
			if err != nil {
				return err
			}
			checks, err := writepath.Preflight(cmd.Context(), b, nil)
			if err != nil {
				return &openError{err}
			}
			return p.printChecks(checks)
		},
	}
}

// printChecks prints a preflight; one that cannot even read is an error.
func (p *program) printChecks(checks []writepath.Check) error {
	readable := true
	rows := make([][]string, len(checks))
	for i, c := range checks {
		if !c.OK && (c.Name == "list" || c.Name == "get") {
			readable = false
		}
		verdict := "yes"
		if !c.OK {
			verdict = "no"
		}
		rows[i] = []string{c.Name, verdict, c.Permission, c.Detail}
	}
	if p.cfg.JSON {
		if err := printJSON(p.out, checks); err != nil {
			return err
		}
	} else {
		printTable(p.out, []string{"check", "ok", "permission", "detail"}, rows)
	}
	if !readable {
		return &openError{errors.New("the credentials cannot read the store")}
	}
	return nil
}
