package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// defaultNamespaceFlag is --namespace of the commands that the original does not have.
func defaultNamespaceFlag(cmd *cobra.Command, namespace *string) {
	cmd.Flags().StringVar(namespace, "namespace", eventbus.DefaultNamespace, "the `namespace` of the events")
}

// sentEvent is what enqueue prints.
type sentEvent struct {
	ID        string      `json:"event_id"`
	Namespace string      `json:"namespace"`
	Type      string      `json:"type"`
	CreatedAt format.Time `json:"created_at"`
}

func (p *program) eventsEnqueueCommand() *cobra.Command {
	var n eventbus.New
	var payload, parent string
	var priority int64
	cmd := &cobra.Command{
		Use:   "enqueue",
		Short: "send an event",
		Example: "  ontosql events enqueue --storage-uri /srv/onto --namespace shop --type order.placed --payload '{\"order_no\": \"o1\"}'\n" +
			"  ontosql events enqueue --storage-uri /srv/onto --type report.due --payload - < report.json",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n.Type == "" {
				return usagef("events enqueue: want --type")
			}
			n.Payload, n.Priority = []byte(payload), &priority
			if payload == "-" {
				var err error
				if n.Payload, err = io.ReadAll(p.stdin); err != nil {
					return err
				}
			}
			if _, err := eventbus.Document(n.Payload); err != nil {
				return usagef("--payload: %w", err)
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				if parent != "" {
					found, err := b.Inspect(cmd.Context(), n.Namespace, parent)
					if err != nil {
						return err
					}
					n.Parent = &found[0].Event
				}
				sent, err := b.Enqueue(cmd.Context(), []eventbus.New{n})
				if err != nil {
					return err
				}
				return p.printMembers(sentEvent{sent[0].ID, sent[0].Namespace, sent[0].Type, sent[0].CreatedAt})
			})
		},
	}
	defaultNamespaceFlag(cmd, &n.Namespace)
	cmd.Flags().StringVar(&n.Type, "type", "", "the `type` of the event, such as order.placed")
	cmd.Flags().StringVar(&payload, "payload", "{}", "a JSON `object`, - for standard input")
	cmd.Flags().Int64Var(&priority, "priority", eventbus.DefaultPriority, "the greater, the earlier it is handled")
	cmd.Flags().StringVar(&parent, "parent", "", "the `id` of the event that this one follows from")
	return cmd
}

// wholeEvent is an event with all that is kept of it.
type wholeEvent struct {
	ID          string          `json:"id"`
	Namespace   string          `json:"namespace"`
	Type        string          `json:"type"`
	Payload     json.RawMessage `json:"payload"`
	CreatedAt   format.Time     `json:"created_at"`
	Priority    int64           `json:"priority"`
	RootEventID string          `json:"root_event_id"`
	ChainDepth  int64           `json:"chain_depth"`
}

// tail prints the events of a namespace.
type tail struct {
	p         *program
	namespace string
	types     []string // all if empty
}

func (p *program) eventsTailCommand() *cobra.Command {
	t := tail{p: p}
	var since string
	var poll time.Duration
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "print events as they are sent, until it is interrupted",
		Example: "  ontosql events tail --storage-uri /srv/onto --namespace shop\n" +
			"  ontosql events tail --storage-uri /srv/onto --on order.placed --since 1h --json",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			age, err := parseAge(cmp.Or(since, "0m"))
			switch {
			case err != nil:
				return usagef("--since %q: want an age such as 7d, 24h or 30m", since)
			case poll <= 0:
				return usagef("--poll %v: want more than 0", poll)
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error { return t.follow(cmd.Context(), b, age, poll) })
		},
	}
	defaultNamespaceFlag(cmd, &t.namespace)
	cmd.Flags().StringArrayVar(&t.types, "on", nil, "only events of this `type`, repeatable")
	cmd.Flags().StringVar(&since, "since", "", "begin with the events of the last `age`, such as 7d, 24h or 30m")
	cmd.Flags().DurationVar(&poll, "poll", time.Second, "how often to look")
	return cmd
}

// follow prints the events of the last age, and those that are new until ctx ends.
func (t *tail) follow(ctx context.Context, b *openedBus, age, poll time.Duration) error {
	follower, err := b.Follow(ctx, t.namespace)
	if err != nil {
		return err
	}
	printed := map[string]bool{} // that may have come between the two calls
	if age > 0 {
		before, err := b.List(ctx, eventbus.Query{Namespace: t.namespace, From: time.Now().Add(-age)})
		if err != nil {
			return err
		}
		slices.SortStableFunc(before, func(x, y eventbus.Listed) int { return x.CreatedAt.Compare(y.CreatedAt.Time) })
		for i := range before {
			printed[before[i].ID] = true
			if err := t.print(&before[i].Event); err != nil {
				return err
			}
		}
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		fresh, err := follower.New(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		for i := range fresh {
			if printed[fresh[i].ID] {
				continue
			}
			if err := t.print(&fresh[i]); err != nil {
				return err
			}
		}
		clear(printed)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// print prints an event, if it is of the types.
func (t *tail) print(e *format.Event) error {
	if len(t.types) > 0 && !slices.Contains(t.types, e.Type) {
		return nil
	}
	return t.p.printTailed(e)
}

func (p *program) printTailed(e *format.Event) error {
	if !p.cfg.JSON {
		_, err := fmt.Fprintf(p.out, "%s  %s  %s  %s\n", e.CreatedAt, e.ID, e.Type, e.Payload)
		return err
	}
	line := json.NewEncoder(p.out)
	line.SetEscapeHTML(false)
	return line.Encode(newWholeEvent(e))
}

func newWholeEvent(e *format.Event) wholeEvent {
	return wholeEvent{e.ID, e.Namespace, e.Type, e.Payload, e.CreatedAt, e.Priority, e.RootEventID, e.ChainDepth}
}
