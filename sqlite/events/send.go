package events

import (
	"context"
	"fmt"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Enqueue implements eventbus.Bus. All events are sent, or none.
func (b *Bus) Enqueue(ctx context.Context, all []eventbus.New) ([]format.Event, error) {
	events, err := b.sender.Prepare(all)
	if err != nil {
		return nil, err
	}
	err = b.write(ctx, "enqueue", func(w *sqlconn.Writer) error { return Insert(w, events) })
	if err != nil {
		return nil, err
	}
	return events, nil
}

// Put implements eventbus.Bus. All events are stored, or none.
func (b *Bus) Put(ctx context.Context, events []format.Event) error {
	return b.write(ctx, "enqueue", func(w *sqlconn.Writer) error { return Insert(w, events) })
}

// Replay implements eventbus.Bus.
func (b *Bus) Replay(ctx context.Context, namespace, id string) (*format.Event, error) {
	var sent []format.Event
	err := b.write(ctx, "replay event", func(w *sqlconn.Writer) error {
		var found *format.Event
		err := w.Each("SELECT "+eventColumns+" FROM events AS e WHERE e.namespace = ? AND e.id = ?", func(row *lite.Stmt) error {
			e, err := readEvent(row, 0)
			found = &e
			return err
		}, namespace, id)
		if err != nil {
			return err
		}
		if found == nil {
			return fmt.Errorf("%w: %s in namespace %s", eventbus.ErrNoEvent, id, namespace)
		}
		if sent, err = b.sender.Prepare([]eventbus.New{eventbus.Replayed(found)}); err != nil {
			return err
		}
		return Insert(w, sent)
	})
	if err != nil {
		return nil, err
	}
	return &sent[0], nil
}

// Cleanup implements eventbus.Bus.
func (b *Bus) Cleanup(ctx context.Context, namespace string, before time.Time) (removed int, err error) {
	until := format.TimeOf(before).String()
	err = b.write(ctx, "clean up", func(w *sqlconn.Writer) error {
		err := w.Exec("DELETE FROM event_claims WHERE event_id IN (SELECT id FROM events WHERE namespace = ? AND created_at < ?)", namespace, until)
		if err != nil {
			return err
		}
		err = w.Exec("DELETE FROM events WHERE namespace = ? AND created_at < ?", namespace, until)
		removed = w.Changes()
		return err
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}
