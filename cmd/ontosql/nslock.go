package main

import (
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/nameservice"
)

// lockArguments reads the arguments of ns lock and ns unlock.
func lockArguments(cmd *cobra.Command, args []string) (nameservice.Alias, nameservice.LockKind, error) {
	if len(args) != 2 {
		return nameservice.Alias{}, "", usagef("%s: want an alias and a lock: index, reindex or migration", cmd.CommandPath()[len("ontosql "):])
	}
	a, err := alias(args[0])
	if err != nil {
		return a, "", err
	}
	kind, err := nameservice.ParseLockKind(args[1])
	if err != nil {
		return a, "", &usageError{err}
	}
	return a, kind, nil
}

func (p *program) nsLockCommand() *cobra.Command {
	var h nameservice.Holder
	var target int64
	var refresh bool
	cmd := &cobra.Command{
		Use:   "lock ALIAS KIND",
		Short: "take or refresh a soft lock, so that nobody else does the same work",
		Example: "  ontosql ns lock shop index --holder indexer-1 --target-t 42 --nameservice file:///srv/names\n" +
			"  ontosql ns lock shop index --holder indexer-1 --refresh --nameservice file:///srv/names",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, kind, err := lockArguments(cmd, args)
			if err != nil {
				return err
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				h.Service = s
				var lock nameservice.Lock
				if refresh {
					lock, err = h.Refresh(cmd.Context(), a, kind)
				} else {
					lock, err = h.Acquire(cmd.Context(), a, kind, target)
				}
				if err != nil {
					return err
				}
				return p.printMembers(lock)
			})
		},
	}
	cmd.Flags().StringVar(&h.Name, "holder", "", "the `name` of who works")
	cmd.Flags().Int64Var(&target, "target-t", 0, "the `commit` up to which the holder works")
	cmd.Flags().DurationVar(&h.Lease, "lease", nameservice.DefaultLockLease, "how long the lock lasts unless it is refreshed")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "renew the lock that the holder has")
	return cmd
}

func (p *program) nsUnlockCommand() *cobra.Command {
	var h nameservice.Holder
	cmd := &cobra.Command{
		Use:     "unlock ALIAS KIND",
		Short:   "give a soft lock back",
		Example: "  ontosql ns unlock shop index --holder indexer-1 --nameservice file:///srv/names",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, kind, err := lockArguments(cmd, args)
			if err != nil {
				return err
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				h.Service = s
				return h.Release(cmd.Context(), a, kind)
			})
		},
	}
	cmd.Flags().StringVar(&h.Name, "holder", "", "the `name` of who works")
	return cmd
}
