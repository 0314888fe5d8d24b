package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/replica"
)

// syncedNames is what sync prints.
type syncedNames struct {
	Pushed   int      `json:"pushed"`
	Pulled   int      `json:"pulled"`
	Diverged []string `json:"diverged"`
}

func (p *program) nsSyncCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sync",
		Short: "push what the upstream lacks and pull what is new there",
		Long: "A concern that has changed on both sides has diverged: it is printed, left as it is on both sides,\n" +
			"and makes the exit code 6. It is in step again when one side has been given a value that the other has.",
		Example: "  ontosql ns sync --nameservice file:///srv/names --nameservice-upstream s3://bucket/names",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.cfg.NameserviceUp == "" {
				return usagef("ns sync: want --nameservice-upstream")
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				report, err := s.(*replica.Replica).Sync(cmd.Context()) // there is an upstream
				done := syncedNames{report.Pushed, report.Pulled, []string{}}
				for _, d := range report.Diverged {
					done.Diverged = append(done.Diverged, d.String())
				}
				if err != nil {
					return err
				}
				if err := p.printMembers(done); err != nil {
					return err
				}
				if len(done.Diverged) > 0 {
					return &conflictError{fmt.Errorf("ns sync: %d concerns have diverged", len(done.Diverged))}
				}
				return nil
			})
		},
	}
}
