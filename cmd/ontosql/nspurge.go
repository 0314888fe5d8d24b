package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/nameservice"
)

// purgePlan is what ns purge would remove.
type purgePlan struct {
	Alias string `json:"alias"`
	Token string `json:"token"`
}

// purged is what ns purge has removed.
type purged struct {
	Alias  string `json:"alias"`
	Status string `json:"status"`
}

func (p *program) nsPurgeCommand() *cobra.Command {
	var token string
	cmd := &cobra.Command{
		Use:   "purge ALIAS",
		Short: "remove a retracted record for good; what it refers to stays",
		Long: "Without --token nothing is removed: the record is checked, and the token of the removal is printed.\n" +
			"The token is that of the record as it is; after any write it is another one.",
		Example: "  ontosql ns purge shop --nameservice file:///srv/names\n" +
			"  ontosql ns purge shop --token TOKEN --nameservice file:///srv/names",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := oneAlias(cmd, args)
			if err != nil {
				return err
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				r, err := s.Get(cmd.Context(), a)
				if err != nil && (token == "" || !errors.Is(err, nameservice.ErrNotFound)) {
					return err
				}
				if err != nil { // a purge that was interrupted may have left files
					_, left := s.Purge(cmd.Context(), &nameservice.Record{Alias: a})
					return errors.Join(err, left)
				}
				want := purgeToken(r)
				switch {
				case !r.Retracted:
					return &dropSafetyError{fmt.Errorf("ns purge: %s is in service; ns retract takes it out", a)}
				case token == "":
					return p.printMembers(purgePlan{a.String(), want})
				case token != want:
					return &dropSafetyError{fmt.Errorf("ns purge: %w", errStalePlan)}
				}
				result, err := s.Purge(cmd.Context(), r)
				switch {
				case err != nil:
					return err
				case !result.Updated:
					return &dropSafetyError{fmt.Errorf("ns purge: %w", errStalePlan)}
				}
				return p.printMembers(purged{a.String(), "purged"})
			})
		},
	}
	cmd.Flags().StringVar(&token, "token", "", "the `token` that a run without it has printed")
	return cmd
}

// purgeToken stands for a record as it is.
func purgeToken(r *nameservice.Record) string {
	sum := sha256.Sum256(r.Members().Encode())
	return hex.EncodeToString(sum[:8])
}
