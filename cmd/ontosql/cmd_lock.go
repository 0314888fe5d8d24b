package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/writepath"
)

func (p *program) lockCommand() *cobra.Command {
	lock := &cobra.Command{
		Use:   "lock",
		Short: "show the write lock, and break one that its owner left behind",
		Args:  cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("lock: want a subcommand: show or break")
		},
	}
	lock.AddCommand(p.lockShowCommand(), p.lockBreakCommand())
	return lock
}

// shownLock is the write lock as the command shows it: the columns of
// ontosql.write_lock, and the token that breaks it.
type shownLock struct {
	Locked     bool   `json:"locked"`
	OwnerID    string `json:"owner_id,omitempty"`
	AcquiredAt string `json:"acquired_at,omitempty"`
	ExpiresAt  string `json:"expires_at,omitempty"`
	IsExpired  *bool  `json:"is_expired,omitempty"`
	Token      string `json:"token,omitempty"`
}

func (p *program) lockShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "who holds the write lock, since when and until when, and the token that breaks it",
		Example: "  ontosql lock show --storage-uri s3://bucket/prefix\n  ontosql lock show --db /srv/onto.db --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			seen, err := p.readLock(cmd.Context(), a)
			if err != nil {
				return err
			}
			if !p.cfg.JSON && (seen == nil || seen.Free) {
				fmt.Fprintln(p.out, "Nobody holds the write lock.")
				return nil
			}
			return p.printMembers(newShownLock(seen, time.Now()))
		},
	}
}

func newShownLock(seen *writepath.ObservedLock, now time.Time) shownLock {
	if seen == nil || seen.Free {
		return shownLock{}
	}
	expired := seen.Expired(now)
	return shownLock{
		Locked: true, OwnerID: seen.OwnerID, AcquiredAt: timeText(seen.AcquiredAt), ExpiresAt: timeText(seen.ExpiresAt),
		IsExpired: &expired, Token: seen.Token(),
	}
}

// timeText is a time, "" for one that cannot be read.
func timeText(t format.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.String()
}

func (p *program) readLock(ctx context.Context, a address) (*writepath.ObservedLock, error) {
	if a.backend == "sqlite" {
		seen, err := sqlite.ReadLock(ctx, a.path)
		if err != nil {
			return nil, &openError{err}
		}
		return seen, nil
	}
	b, err := p.cfg.openBucket(ctx, a, false)
	if err != nil {
		return nil, err
	}
	seen, err := writepath.ReadLock(ctx, b)
	if err != nil {
		return nil, &openError{err}
	}
	return seen, nil
}

// brokenLock is what lock break prints.
type brokenLock struct {
	Status  string `json:"status"` // "broken"
	OwnerID string `json:"owner_id"`
}

func (p *program) lockBreakCommand() *cobra.Command {
	var token string
	cmd := &cobra.Command{
		Use:   "break",
		Short: "take the write lock away from its owner",
		Long: "lock break takes the write lock away from its owner, if it is still the lock that lock show\n" +
			"showed with the token: an owner who is alive renews it, and then the token is void.",
		Example: "  ontosql lock break --storage-uri s3://bucket/prefix --token 5f0c9a3d1e7b2c46",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if token == "" {
				return usagef("lock break: want the --token that lock show shows")
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			broken, err := p.breakLock(cmd.Context(), a, token)
			if err != nil {
				return err
			}
			if p.cfg.JSON {
				return printJSON(p.out, brokenLock{"broken", broken.OwnerID})
			}
			fmt.Fprintf(p.out, "The write lock of %s is broken.\n", broken.OwnerID)
			return nil
		},
	}
	cmd.Flags().StringVar(&token, "token", "", "the `token` of the lock, as lock show shows it")
	return cmd
}

func (p *program) breakLock(ctx context.Context, a address, token string) (broken *writepath.ObservedLock, err error) {
	if a.backend == "sqlite" {
		broken, err = sqlite.BreakLock(ctx, a.path, token)
	} else {
		b, failed := p.cfg.openBucket(ctx, a, false)
		if failed != nil {
			return nil, failed
		}
		broken, err = writepath.BreakLock(ctx, b, token)
	}
	switch {
	case errors.Is(err, ontosql.ErrNotInitialised), errors.Is(err, sqlite.ErrForeign):
		return nil, &openError{err}
	case err != nil:
		return nil, &executionError{err}
	}
	return broken, nil
}
