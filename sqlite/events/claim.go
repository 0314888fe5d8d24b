package events

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// manyRows is the number of rows above the floor from which events are searched in the order of an
// index and not of their rows.
const manyRows = 1000

// openEvents are the events of ?1 with types of ?2 that the handler ?3 may still have to handle, in
// rows above ?4. SQLite chooses an index if it may not search by row id.
const (
	openEvents = ` LEFT JOIN event_claims AS c ON c.event_id = e.id AND c.handler_id = ?3
		WHERE e.namespace = ?1 AND e.type IN (SELECT value FROM json_each(?2)) AND c.ack_at IS NULL AND c.dead_lettered_at IS NULL`
	byRow   = " FROM events AS e NOT INDEXED" + openEvents + " AND e.rowid > ?4"
	byIndex = " FROM events AS e" + openEvents + " AND +e.rowid > ?4"
)

// Claim implements eventbus.Bus.
func (b *Bus) Claim(ctx context.Context, r eventbus.Request) ([]eventbus.Delivery, error) {
	for _, name := range [][2]string{{"namespace", r.Namespace}, {"handler", r.Handler}, {"session", r.Session}} {
		if err := eventbus.CheckName(name[0], name[1]); err != nil {
			return nil, err
		}
	}
	if len(r.Types) == 0 {
		return nil, nil
	}
	r.Limit = cmp.Or(r.Limit, eventbus.DefaultLimit)
	types, err := json.Marshal(slices.Compact(slices.Sorted(slices.Values(r.Types))))
	if err != nil {
		return nil, err
	}
	var taken []eventbus.Delivery
	err = b.write(ctx, "claim", func(w *sqlconn.Writer) (err error) {
		taken, err = b.take(w, &r, string(types), b.o.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return taken, nil
}

var errEnough = errors.New("enough")

// take claims free events in their order.
func (b *Bus) take(w *sqlconn.Writer, r *eventbus.Request, types string, now time.Time) ([]eventbus.Delivery, error) {
	floor, err := b.raiseFloor(w, r, types, now)
	if err != nil {
		return nil, err
	}
	above, _, err := w.Int64("SELECT max(rowid) - ? FROM events", floor)
	if err != nil {
		return nil, err
	}
	from := byRow
	if above > manyRows {
		from = byIndex
	}
	var taken []eventbus.Delivery
	var claims []*format.Claim
	err = w.Each("SELECT "+eventColumns+", "+claimColumns+from+
		// The original compares the texts of times as well.
		" AND (c.event_id IS NULL OR c.lease_until <= ?5 AND c.available_at <= ?5) ORDER BY e.priority DESC, e.created_at, e.id",
		func(row *lite.Stmt) error {
			e, before, err := readBoth(row)
			if err != nil {
				if b.skip(err) {
					return nil
				}
				return err
			}
			c := r.Take(e.ID, before, now)
			claims = append(claims, c)
			taken = append(taken, eventbus.Delivery{Event: e, Lease: eventbus.LeaseOf(r.Namespace, c), Until: c.LeaseUntil, Attempts: c.Attempts})
			if len(taken) == r.Limit {
				return errEnough
			}
			return nil
		}, r.Namespace, types, r.Handler, floor, format.TimeOf(now).String())
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	for _, c := range claims {
		if err := putClaim(w, c); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// readBoth reads eventColumns and the claimColumns after them.
func readBoth(row *lite.Stmt) (format.Event, *format.Claim, error) {
	const eventWidth = 8
	e, err := readEvent(row, 0)
	if err != nil {
		return e, nil, err
	}
	c, err := readClaim(row, eventWidth)
	return e, c, err
}
