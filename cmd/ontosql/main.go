// Command ontosql is a PostgreSQL-wire SQL gateway over ontologies. This room
// reads flags, environment and files, builds everything and owns nothing.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	collectSeldom()
	go collectWhenIdle(ctx)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdin: stdin, out: stdout, err: stderr}
	p.log = slog.New(slog.NewTextHandler(stderr, nil))
	root := p.command()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if p.drawing {
		fmt.Fprintln(stderr)
	}
	var said *alreadySaid
	if !errors.As(err, &said) {
		fmt.Fprintf(stderr, "ontosql: %v\n", err)
		if hint := nextStep(err); hint != "" {
			fmt.Fprintf(stderr, "hint: %s\n", hint)
		}
	}
	return exitCode(err)
}

// program is what the commands share.
type program struct {
	cfg   Config
	stdin io.Reader
	out   io.Writer
	err   io.Writer
	log   *slog.Logger

	drawing bool // the last line of err is a progress bar that has not ended
}

func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "ontosql COMMAND",
		Short:         "SQL over versioned ontologies, spoken in PostgreSQL's protocol",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q", args[0])
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.cfg.fill(cmd) },
		Version:           "(devel)",
	}
	if built, ok := debug.ReadBuildInfo(); ok && built.Main.Version != "" {
		root.Version = built.Main.Version
	}
	root.SetVersionTemplate("ontosql {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.CompletionOptions.DisableDefaultCmd = true
	p.cfg.storageFlags(root.PersistentFlags())
	root.SetGlobalNormalizationFunc(normalName)
	root.AddCommand(p.serveCommand(), p.demoCommand(), p.sqlCommand(), p.queryCommand(), p.initCommand(),
		p.infoCommand(), p.commitsCommand(), p.logCommand(), p.showCommand(), p.diffCommand(), p.blameCommand(), p.branchCommand(), p.tagCommand(), p.revertCommand(), p.preflightCommand(), p.userCommand(), p.schemaCommand(), p.migrateCommand(),
		p.verifyCommand(), p.fsckCommand(), p.indexCommand(), p.compactCommand(), p.gcCommand(), p.lockCommand(),
		p.exportCommand(), p.importCommand(), p.copyCommand(), p.workspaceCommand(), p.eventsCommand(), p.nsCommand())
	return root
}

// noArgs is cobra.NoArgs with the exit code of a usage error.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q", args[0])
	}
	return nil
}
