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

// tailed is an event as tail prints it with --json.
type tailed struct {
	ID          string          `json:"id"`
	Namespace   string          `json:"namespace"`
	Type        string          `json:"type"`
	Payload     json.RawMessage `json:"payload"`
	CreatedAt   format.Time     `json:"created_at"`
	Priority    int64           `json:"priority"`
	RootEventID string          `json:"root_event_id"`
	ChainDepth  int64           `json:"chain_depth"`
}

// tail follows the events of a namespace.
type tail struct {
	p         *program
	namespace string
	types     []string // all if empty
	seen      map[string]time.Time
	newest    time.Time
}

// tailOverlap is how much later than a newer one an event may arrive to be printed still.
const tailOverlap = 30 * time.Second

func (p *program) eventsTailCommand() *cobra.Command {
	t := tail{p: p, seen: map[string]time.Time{}}
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
			t.newest = time.Now().Add(-age)
			return p.withBus(cmd.Context(), func(b *openedBus) error { return t.follow(cmd.Context(), b, poll) })
		},
	}
	defaultNamespaceFlag(cmd, &t.namespace)
	cmd.Flags().StringArrayVar(&t.types, "on", nil, "only events of this `type`, repeatable")
	cmd.Flags().StringVar(&since, "since", "", "begin with the events of the last `age`, such as 7d, 24h or 30m")
	cmd.Flags().DurationVar(&poll, "poll", time.Second, "how often to look")
	return cmd
}

func (t *tail) follow(ctx context.Context, b *openedBus, poll time.Duration) error {
	if err := t.skip(ctx, b); err != nil {
		return err
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if err := t.print(ctx, b); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// skip makes the events before the start known.
func (t *tail) skip(ctx context.Context, b *openedBus) error {
	old, err := b.List(ctx, eventbus.Query{Namespace: t.namespace, From: t.newest.Add(-tailOverlap), To: t.newest})
	for i := range old {
		t.seen[old[i].ID] = old[i].CreatedAt.Time
	}
	return err
}

// print prints the events that are new, in the order in which they were sent.
func (t *tail) print(ctx context.Context, b *openedBus) error {
	from := t.newest.Add(-tailOverlap)
	found, err := b.List(ctx, eventbus.Query{Namespace: t.namespace, From: from})
	if err != nil {
		return err
	}
	slices.SortStableFunc(found, func(x, y eventbus.Listed) int { return x.CreatedAt.Compare(y.CreatedAt.Time) })
	for i := range found {
		e := &found[i].Event
		if _, known := t.seen[e.ID]; known {
			continue
		}
		t.seen[e.ID] = e.CreatedAt.Time
		if e.CreatedAt.After(t.newest) {
			t.newest = e.CreatedAt.Time
		}
		if len(t.types) > 0 && !slices.Contains(t.types, e.Type) {
			continue
		}
		if err := t.p.printTailed(e); err != nil {
			return err
		}
	}
	for id, at := range t.seen {
		if at.Before(t.newest.Add(-tailOverlap)) {
			delete(t.seen, id)
		}
	}
	return nil
}

func (p *program) printTailed(e *format.Event) error {
	if !p.cfg.JSON {
		_, err := fmt.Fprintf(p.out, "%s  %s  %s  %s\n", e.CreatedAt, e.ID, e.Type, e.Payload)
		return err
	}
	line := json.NewEncoder(p.out)
	line.SetEscapeHTML(false)
	return line.Encode(tailed{e.ID, e.Namespace, e.Type, e.Payload, e.CreatedAt, e.Priority, e.RootEventID, e.ChainDepth})
}
