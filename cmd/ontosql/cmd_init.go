package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

func (p *program) initCommand() *cobra.Command {
	var engine, token string
	var dryRun, force bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "create an empty ontology",
		Example: "  ontosql init --storage-uri s3://bucket/prefix\n" +
			"  ontosql init --storage-uri /srv/onto --dry-run\n" +
			"  ontosql init --storage-uri /srv/onto --force --token TOKEN   # starts an existing one anew",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if engine != format.EngineV1 && engine != format.EngineV2 {
				return usagef("--engine-version %s: want v1 or v2", engine)
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			b, err := p.cfg.openBucket(cmd.Context(), a, !dryRun)
			if dryRun && a.backend == "file" && errors.Is(err, objstore.ErrNoBucket) {
				b, err = &mem.Bucket{}, nil // the directory that init would make
			}
			if err != nil {
				return err
			}
			plan, err := writepath.Init(cmd.Context(), b, writepath.InitOptions{
				URI: a.text, Prefix: a.prefix, Engine: engine, DryRun: dryRun, Force: force, Token: token,
			})
			return p.printPlan(plan, dryRun, err)
		},
	}
	cmd.Flags().StringVar(&engine, "engine-version", format.EngineV1, "layout of the store: v1 or v2")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the plan and write nothing")
	cmd.Flags().BoolVar(&force, "force", false, "start an existing ontology anew; its history is no longer seen")
	cmd.Flags().StringVar(&token, "token", "", "the force `token` of the plan")
	return cmd
}

func (p *program) printPlan(plan *writepath.InitPlan, dryRun bool, err error) error {
	switch {
	case errors.Is(err, writepath.ErrAlreadyInitialised):
		return &executionError{fmt.Errorf("init: %w; --force --token %s starts it anew and hides its history", err, plan.ForceToken)}
	case errors.Is(err, writepath.ErrWrongToken):
		return &executionError{fmt.Errorf("init: %w: ontosql init --dry-run prints it", err)}
	case err != nil:
		return &executionError{fmt.Errorf("init: %w", err)}
	}
	status := "initialized"
	if dryRun {
		status = "dry_run"
	}
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
