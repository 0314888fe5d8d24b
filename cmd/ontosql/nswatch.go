package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/nameservice"
)

// watching are the flags of ns watch.
type watching struct {
	types, concerns []string
	interval        time.Duration
	once            bool
}

func (p *program) nsWatchCommand() *cobra.Command {
	var w watching
	cmd := &cobra.Command{
		Use:   "watch [ALIAS ...]",
		Short: "print concerns as they change: of records, of a type, or all",
		Long: "Prints what there is, and then each change, until it is interrupted. Without aliases and types it\n" +
			"watches all records, those that are created later too.",
		Example: "  ontosql ns watch --nameservice file:///srv/names\n" +
			"  ontosql ns watch shop:main --concern head --json --nameservice file:///srv/names",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			in := nameservice.Interest{Types: w.types}
			if len(args)+len(w.types) == 0 {
				in.Types = []string{""}
			}
			for _, name := range w.concerns {
				c, err := nameservice.ParseConcern(name)
				if err != nil {
					return &usageError{err}
				}
				in.Concerns = append(in.Concerns, c)
			}
			if w.interval <= 0 {
				return usagef("ns watch: --interval %s: want more than 0", w.interval)
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				known := nameservice.Subscriptions{}
				for _, text := range args {
					a, err := alias(text)
					if err != nil {
						return err
					}
					r, err := s.Get(cmd.Context(), a)
					if err != nil {
						return err
					}
					known.Add(r, in)
				}
				return p.watch(cmd.Context(), s, known, in, w)
			})
		},
	}
	cmd.Flags().StringArrayVar(&w.types, "type", nil, "watch all records of this `type`, repeatable")
	cmd.Flags().StringArrayVar(&w.concerns, "concern", nil, "print this `concern` only, repeatable")
	cmd.Flags().DurationVar(&w.interval, "interval", time.Second, "how often to look")
	cmd.Flags().BoolVar(&w.once, "once", false, "print what there is and end")
	return cmd
}

// watch prints changes until the context ends. A look that fails is logged and made again.
func (p *program) watch(ctx context.Context, s nameservice.Service, known nameservice.Subscriptions, in nameservice.Interest, w watching) error {
	for {
		changes, err := nameservice.ChangedSince(ctx, s, known, in)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && w.once:
			return err
		case err != nil:
			p.log.WarnContext(ctx, "look for changes", "error", err)
		}
		for _, c := range changes {
			if err := p.printChange(c); err != nil {
				return err
			}
		}
		known.Advance(changes, in)
		if w.once {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(w.interval):
		}
	}
}

// seenChange is a change as it is printed, one line each.
type seenChange struct {
	PK      string          `json:"pk"`
	Type    string          `json:"type"`
	Concern string          `json:"concern,omitempty"`
	V       int64           `json:"v"`
	Payload json.RawMessage `json:"payload"`
	Gone    bool            `json:"gone,omitempty"`
}

func (p *program) printChange(c nameservice.Change) error {
	seen := seenChange{PK: c.Alias.String(), Type: c.Type, V: c.Value.V, Payload: c.Value.Payload, Gone: c.Gone}
	if !c.Gone {
		seen.Concern = c.Concern.String()
	}
	if p.cfg.JSON {
		return json.NewEncoder(p.out).Encode(seen)
	}
	if c.Gone {
		_, err := fmt.Fprintln(p.out, seen.PK, "gone")
		return err
	}
	_, err := fmt.Fprintln(p.out, seen.PK, seen.Concern, seen.V, string(orNull(seen.Payload)))
	return err
}
