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

// openEvents are the events of ?1 that the handler ?3 may still have to handle, in rows above ?4.
const openEvents = ` LEFT JOIN event_claims AS c ON c.event_id = e.id AND c.handler_id = ?3
	WHERE e.namespace = ?1 AND c.ack_at IS NULL AND c.dead_lettered_at IS NULL`

// byRow finds openEvents with types of ?2 in the order of their rows, byIndex those of the type ?2 in
// the order of their delivery. A step of byIndex over a row that is not above ?4 costs a rowCost-th of
// what byRow does for one above it.
const (
	byRow   = " FROM events AS e NOT INDEXED" + openEvents + " AND e.type IN (SELECT value FROM json_each(?2)) AND e.rowid > ?4"
	byIndex = " FROM events AS e" + openEvents + " AND e.type = ?2 AND +e.rowid > ?4"

	rowCost = 10
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
	types := slices.Compact(slices.Sorted(slices.Values(r.Types)))
	var taken []eventbus.Delivery
	err := b.write(ctx, "claim", func(w *sqlconn.Writer) (err error) {
		taken, err = b.take(w, &r, types, b.o.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return taken, nil
}

// free is an event that may be claimed, and its claim, nil for none.
type free struct {
	format.Event
	claim *format.Claim
}

// take claims free events in their order.
func (b *Bus) take(w *sqlconn.Writer, r *eventbus.Request, types []string, now time.Time) ([]eventbus.Delivery, error) {
	list, err := json.Marshal(types)
	if err != nil {
		return nil, err
	}
	floor, err := b.raiseFloor(w, r, string(list), now)
	if err != nil {
		return nil, err
	}
	last, _, err := w.Int64("SELECT max(rowid) FROM events")
	if err != nil {
		return nil, err
	}
	var found []free
	if (last-floor)*rowCost < last {
		found, err = b.free(w, r, byRow, string(list), floor, now)
	} else {
		for _, one := range types {
			of, err := b.free(w, r, byIndex, one, floor, now)
			if err != nil {
				return nil, err
			}
			found = append(found, of...)
		}
		slices.SortFunc(found, func(x, y free) int { return eventbus.Compare(&x.Event, &y.Event) })
		found = found[:min(len(found), r.Limit)]
	}
	if err != nil {
		return nil, err
	}
	taken := make([]eventbus.Delivery, len(found))
	for i, e := range found {
		c := r.Take(e.ID, e.claim, now)
		if err := putClaim(w, c); err != nil {
			return nil, err
		}
		taken[i] = eventbus.Delivery{Event: e.Event, Lease: eventbus.LeaseOf(r.Namespace, c), Until: c.LeaseUntil, Attempts: c.Attempts}
	}
	return taken, nil
}

var errEnough = errors.New("enough")

// free finds the first events that may be claimed, as many as asked for.
func (b *Bus) free(w *sqlconn.Writer, r *eventbus.Request, from, types string, floor int64, now time.Time) (found []free, err error) {
	err = w.Each("SELECT "+eventColumns+", "+claimColumns+from+
		// The original compares the texts of times as well.
		" AND (c.event_id IS NULL OR c.lease_until <= ?5 AND c.available_at <= ?5) ORDER BY e.priority DESC, e.created_at, e.id",
		func(row *lite.Stmt) error {
			e, claim, err := readBoth(row)
			switch {
			case err != nil && b.skip(err):
				return nil
			case err != nil:
				return err
			}
			if found = append(found, free{e, claim}); len(found) == r.Limit {
				return errEnough
			}
			return nil
		}, r.Namespace, types, r.Handler, floor, format.TimeOf(now).String())
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return found, nil
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
