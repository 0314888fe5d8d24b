package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

func (p *program) eventsCommand() *cobra.Command {
	events := &cobra.Command{
		Use:   "events",
		Short: "send, handle and examine the events of an ontology",
		Args:  cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("events: want a subcommand: list-namespaces, sessions, show, dead-letters, inspect, replay, cleanup, enqueue, tail or work")
		},
	}
	events.AddCommand(p.eventsNamespacesCommand(), p.eventsSessionsCommand(), p.eventsShowCommand(), p.eventsDeadLettersCommand(),
		p.eventsCleanupCommand(), p.eventsReplayCommand(), p.eventsInspectCommand(), p.eventsEnqueueCommand(), p.eventsTailCommand(), p.eventsWorkCommand())
	return events
}

// namespaceFlag is --namespace, which the command must have.
func namespaceFlag(cmd *cobra.Command, namespace *string) {
	cmd.Flags().StringVar(namespace, "namespace", "", "the `namespace` of the events")
}

// wantNamespace is the usage error of a command without one.
func wantNamespace(cmd *cobra.Command, namespace string) error {
	if namespace == "" {
		return usagef("%s: want --namespace", cmd.CommandPath()[len("ontosql "):])
	}
	return nil
}

func wantLimit(limit int) error {
	if limit < 0 {
		return usagef("--limit %d: want 0 or more", limit)
	}
	return nil
}

// The answers of the original's commands (COMPAT 7), with their members in its order.
type (
	shownNamespace struct {
		Namespace   string `json:"namespace"`
		Sessions    int    `json:"sessions"`
		Events      int    `json:"pending_events"` // all, as the original counts
		DeadLetters int    `json:"dead_letters"`
	}
	shownSession struct {
		ID            string          `json:"session_id"`
		Namespace     string          `json:"namespace"`
		StartedAt     format.Time     `json:"started_at"`
		LastHeartbeat format.Time     `json:"last_heartbeat"`
		IsDead        bool            `json:"is_dead"`
		Metadata      json.RawMessage `json:"metadata"`
	}
	shownEvent struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		CreatedAt format.Time     `json:"created_at"`
		Priority  int64           `json:"priority"`
		Status    string          `json:"status"`
		Handler   *string         `json:"handler"`
		Payload   json.RawMessage `json:"payload"`
	}
	shownLetter struct {
		EventID   string      `json:"event_id"`
		Type      string      `json:"type"`
		HandlerID string      `json:"handler_id"`
		Attempts  int64       `json:"attempts"`
		LastError string      `json:"last_error"`
		FailedAt  format.Time `json:"failed_at"`
	}
	cleanedUp struct {
		Namespace string      `json:"namespace"`
		Before    format.Time `json:"before"`
		Deleted   int         `json:"deleted"`
	}
	replayedEvent struct {
		Replayed  string `json:"replayed_event_id"`
		New       string `json:"new_event_id"`
		Namespace string `json:"namespace"`
	}
)

func (p *program) eventsNamespacesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list-namespaces",
		Short:   "the namespaces that have events, with the number of sessions, events and dead letters",
		Example: "  ontosql events list-namespaces --storage-uri /srv/onto",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				all, err := b.Namespaces(cmd.Context())
				if err != nil {
					return err
				}
				shown := make([]shownNamespace, len(all))
				for i, n := range all {
					if shown[i] = (shownNamespace{n.Name, n.Sessions, n.Events, n.DeadLetters}); b.inFile {
						// The original counts those that live in a SQLite file, and all in a bucket.
						sessions, err := b.Sessions(cmd.Context(), n.Name)
						if err != nil {
							return err
						}
						shown[i].Sessions = eventbus.Alive(sessions, time.Now())
					}
				}
				return printList(p, shown, []string{"namespace", "sessions", "pending_events", "dead_letters"}, func(n *shownNamespace) []string {
					return []string{n.Namespace, strconv.Itoa(n.Sessions), strconv.Itoa(n.Events), strconv.Itoa(n.DeadLetters)}
				})
			})
		},
	}
}

// printList prints a list: with --json as it is, else as a table.
func printList[T any](p *program, list []T, header []string, row func(*T) []string) error {
	if p.cfg.JSON {
		return printJSON(p.out, list)
	}
	rows := make([][]string, len(list))
	for i := range list {
		rows[i] = row(&list[i])
	}
	printTable(p.out, header, rows)
	return nil
}

func (p *program) eventsSessionsCommand() *cobra.Command {
	var namespace string
	cmd := &cobra.Command{
		Use:     "sessions",
		Short:   "the workers of a namespace, the newest heartbeat first",
		Example: "  ontosql events sessions --storage-uri /srv/onto --namespace shop",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := wantNamespace(cmd, namespace); err != nil {
				return err
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				all, err := b.Sessions(cmd.Context(), namespace)
				if err != nil {
					return err
				}
				now := time.Now()
				shown := make([]shownSession, len(all))
				for i, s := range all {
					shown[i] = shownSession{s.ID, namespace, s.StartedAt, s.LastHeartbeat, eventbus.IsDead(&s, now, eventbus.SessionTTL), s.Metadata}
				}
				return printList(p, shown, []string{"session_id", "started_at", "last_heartbeat", "is_dead"}, func(s *shownSession) []string {
					return []string{s.ID, s.StartedAt.String(), s.LastHeartbeat.String(), strconv.FormatBool(s.IsDead)}
				})
			})
		},
	}
	namespaceFlag(cmd, &namespace)
	return cmd
}

func (p *program) eventsShowCommand() *cobra.Command {
	var namespace string
	var limit int
	cmd := &cobra.Command{
		Use:     "show",
		Short:   "the events of a namespace in the order of delivery, with their status",
		Example: "  ontosql events show --storage-uri /srv/onto --namespace shop --limit 50",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(wantNamespace(cmd, namespace), wantLimit(limit)); err != nil {
				return err
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				shown := []shownEvent{}
				if limit > 0 {
					all, err := b.List(cmd.Context(), eventbus.Query{Namespace: namespace, Limit: limit})
					if err != nil {
						return err
					}
					for i := range all {
						shown = append(shown, newShownEvent(&all[i]))
					}
				}
				return printList(p, shown, []string{"id", "type", "created_at", "priority", "status", "handler"}, func(e *shownEvent) []string {
					handler := "-"
					if e.Handler != nil {
						handler = *e.Handler
					}
					return []string{e.ID, e.Type, e.CreatedAt.String(), strconv.FormatInt(e.Priority, 10), e.Status, handler}
				})
			})
		},
	}
	namespaceFlag(cmd, &namespace)
	cmd.Flags().IntVar(&limit, "limit", 10, "how many")
	return cmd
}

func newShownEvent(l *eventbus.Listed) shownEvent {
	e := shownEvent{ID: l.ID, Type: l.Type, CreatedAt: l.CreatedAt, Priority: l.Priority, Status: l.Status.String(), Payload: l.Payload}
	if l.Handler != "" {
		e.Handler = &l.Handler
	}
	return e
}

func (p *program) eventsDeadLettersCommand() *cobra.Command {
	var namespace string
	var limit int
	cmd := &cobra.Command{
		Use:     "dead-letters",
		Short:   "the events that a handler gave up, the newest first",
		Example: "  ontosql events dead-letters --storage-uri /srv/onto --namespace shop",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(wantNamespace(cmd, namespace), wantLimit(limit)); err != nil {
				return err
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				all, err := b.DeadLetters(cmd.Context(), namespace, limit)
				if err != nil {
					return err
				}
				shown := make([]shownLetter, len(all))
				for i, d := range all {
					shown[i] = shownLetter{d.EventID, d.EventType, d.HandlerID, d.Attempts, d.LastError, d.FailedAt}
				}
				return printList(p, shown, []string{"event_id", "type", "handler_id", "attempts", "last_error", "failed_at"}, func(d *shownLetter) []string {
					return []string{d.EventID, d.Type, d.HandlerID, strconv.FormatInt(d.Attempts, 10), d.LastError, d.FailedAt.String()}
				})
			})
		},
	}
	namespaceFlag(cmd, &namespace)
	cmd.Flags().IntVar(&limit, "limit", 100, "how many")
	return cmd
}

func (p *program) eventsCleanupCommand() *cobra.Command {
	var namespace, before string
	cmd := &cobra.Command{
		Use:     "cleanup",
		Short:   "remove old events and their claims, whatever their status",
		Example: "  ontosql events cleanup --storage-uri /srv/onto --namespace shop --before 7d",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := wantNamespace(cmd, namespace); err != nil {
				return err
			}
			if !cmd.Flags().Changed("before") {
				return usagef("events cleanup: want --before")
			}
			age, err := parseAge(before)
			if err != nil {
				return &executionError{err} // as in the original
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				out := cleanedUp{Namespace: namespace, Before: format.TimeOf(time.Now().Add(-age))}
				if out.Deleted, err = b.Cleanup(cmd.Context(), namespace, out.Before.Time); err != nil {
					return err
				}
				return p.printMembers(out)
			})
		},
	}
	namespaceFlag(cmd, &namespace)
	cmd.Flags().StringVar(&before, "before", "", "remove events that are older than this `age`, such as 7d, 24h or 30m")
	return cmd
}

// parseAge reads a number of days, hours or minutes.
func parseAge(text string) (time.Duration, error) {
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute}
	if text != "" {
		unit, ok := units[text[len(text)-1]]
		n, err := strconv.ParseUint(text[:len(text)-1], 10, 31)
		const most = 200 * 365 * 24 * time.Hour
		if ok && err == nil && time.Duration(n) <= most/unit {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, fmt.Errorf("--before %q: want an age such as 7d, 24h or 30m", text)
}

func (p *program) eventsReplayCommand() *cobra.Command {
	var namespace, id string
	cmd := &cobra.Command{
		Use:     "replay",
		Short:   "send a copy of an event, for all handlers",
		Example: "  ontosql events replay --storage-uri /srv/onto --namespace shop --event-id 81f33fc0-d556-4891-ade2-cb5a7e082fba",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(wantNamespace(cmd, namespace), wantEvent(cmd, id)); err != nil {
				return err
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				sent, err := b.Replay(cmd.Context(), namespace, id)
				if err != nil {
					return err
				}
				return p.printMembers(replayedEvent{id, sent.ID, namespace})
			})
		},
	}
	namespaceFlag(cmd, &namespace)
	cmd.Flags().StringVar(&id, "event-id", "", "the `id` of the event")
	return cmd
}

func wantEvent(cmd *cobra.Command, id string) error {
	if id == "" {
		return usagef("%s: want --event-id", cmd.CommandPath()[len("ontosql "):])
	}
	return nil
}
