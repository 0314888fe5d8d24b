package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// inspectedEvent is an event with its claims, as the original's inspect prints it. The original
// prints the claims of a bucket as they are stored.
type inspectedEvent struct {
	wholeEvent
	Claims []any `json:"claims"` // of rowClaim or objectClaim
}

type (
	// rowClaim has the order of the original's query.
	rowClaim struct {
		HandlerID      string       `json:"handler_id"`
		SessionID      string       `json:"session_id"`
		Attempts       int64        `json:"attempts"`
		LastError      *string      `json:"last_error"`
		DeadLetteredAt *format.Time `json:"dead_lettered_at"`
		AckAt          *format.Time `json:"ack_at"`
		ClaimedAt      format.Time  `json:"claimed_at"`
		LeaseUntil     format.Time  `json:"lease_until"`
		AvailableAt    format.Time  `json:"available_at"`
	}
	// objectClaim has the order of an object.
	objectClaim struct {
		AckAt          *format.Time `json:"ack_at"`
		Attempts       int64        `json:"attempts"`
		AvailableAt    format.Time  `json:"available_at"`
		ClaimedAt      format.Time  `json:"claimed_at"`
		DeadLetteredAt *format.Time `json:"dead_lettered_at"`
		EventID        string       `json:"event_id"`
		HandlerID      string       `json:"handler_id"`
		LastError      *string      `json:"last_error"`
		LeaseUntil     format.Time  `json:"lease_until"`
		SessionID      string       `json:"session_id"`
	}
)

func newInspectedEvent(e *eventbus.Inspection, inFile bool) inspectedEvent {
	out := inspectedEvent{newWholeEvent(&e.Event), []any{}}
	for _, c := range e.Claims {
		if inFile {
			out.Claims = append(out.Claims, rowClaim{c.HandlerID, c.SessionID, c.Attempts, c.LastError, c.DeadLetteredAt, c.AckAt, c.ClaimedAt, c.LeaseUntil, c.AvailableAt})
		} else {
			out.Claims = append(out.Claims, objectClaim{c.AckAt, c.Attempts, c.AvailableAt, c.ClaimedAt, c.DeadLetteredAt, c.EventID, c.HandlerID, c.LastError, c.LeaseUntil, c.SessionID})
		}
	}
	return out
}

func (p *program) eventsInspectCommand() *cobra.Command {
	var namespace, id string
	cmd := &cobra.Command{
		Use:     "inspect",
		Short:   "an event and the claims of all handlers",
		Example: "  ontosql events inspect --storage-uri /srv/onto --event-id 81f33fc0-d556-4891-ade2-cb5a7e082fba",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := wantEvent(cmd, id); err != nil {
				return err
			}
			return p.withBus(cmd.Context(), func(b *openedBus) error {
				found, err := b.Inspect(cmd.Context(), namespace, id)
				if errors.Is(err, eventbus.ErrNoEvent) {
					return &noEventError{err}
				}
				if err != nil {
					return err
				}
				return p.printMembers(newInspectedEvent(&found[0], b.inFile))
			})
		},
	}
	cmd.Flags().StringVar(&id, "event-id", "", "the `id` of the event")
	cmd.Flags().StringVar(&namespace, "namespace", "", "look in this `namespace` only")
	return cmd
}
