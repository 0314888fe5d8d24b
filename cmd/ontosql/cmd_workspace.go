package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/workspace"
)

func (p *program) workspaceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workspace",
		Short: "back up the workspace of an ontology, and put a backup back",
		Args:  cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("workspace: want a subcommand: backup or restore")
		},
	}
	cmd.AddCommand(p.workspaceBackupCommand(), p.workspaceRestoreCommand())
	return cmd
}

func (p *program) workspaceBackupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "backup FILE",
		Short:   "copy the workspace into a new file, also while a gateway serves it",
		Example: "  ontosql workspace backup --storage-uri s3://bucket/prefix reports.duckdb",
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := p.oneWorkspace()
			if err != nil {
				return err
			}
			err = workspace.Backup(cmd.Context(), dir, args[0])
			switch {
			case errors.Is(err, fs.ErrExist):
				return usagef("workspace backup: %s exists", args[0])
			case err != nil:
				return &executionError{fmt.Errorf("workspace backup: %w", err)}
			}
			fmt.Fprintf(p.out, "The workspace is in %s.\n", args[0])
			return nil
		},
	}
	p.cfg.workspaceFlags(cmd.Flags())
	return cmd
}

func (p *program) workspaceRestoreCommand() *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use:     "restore FILE",
		Short:   "make a backup the workspace; no gateway may serve it",
		Example: "  ontosql workspace restore --storage-uri s3://bucket/prefix --replace reports.duckdb",
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := p.oneWorkspace()
			if err != nil {
				return err
			}
			kept, err := workspace.Restore(cmd.Context(), args[0], dir, replace)
			switch {
			case errors.Is(err, fs.ErrExist):
				return &executionError{fmt.Errorf("workspace restore: there is a workspace: --replace puts the backup in its place and keeps it under another name")}
			case err != nil:
				return &executionError{fmt.Errorf("workspace restore: %w", err)}
			}
			fmt.Fprintf(p.out, "%s is the workspace.\n", args[0])
			if kept != "" {
				fmt.Fprintf(p.out, "The one before is %s.\n", kept)
			}
			return nil
		},
	}
	p.cfg.workspaceFlags(cmd.Flags())
	cmd.Flags().BoolVar(&replace, "replace", false, "also if there is a workspace, which is kept under another name")
	return cmd
}

// oneWorkspace is the directory of the workspace of the ontology that the command names.
func (p *program) oneWorkspace() (string, error) {
	a, err := p.cfg.oneAddress()
	if err != nil {
		return "", err
	}
	return p.cfg.workspaceDir(a)
}

// oneFile is cobra.ExactArgs(1) with the exit code of a usage error.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("workspace %s: want one FILE", cmd.Name())
	}
	return nil
}
