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

// follower is an eventbus.Follower. New rows are above the last one as long as that is there with
// its id (see floor). If it is not, rows were removed or numbered anew; then the events are new that
// are not in recent and not older than these.
type follower struct {
	bus       *Bus
	namespace string
	last      floor
	recent    map[string]time.Time // created_at of the events of the last minutes, by id
	newest    time.Time            // of recent
}

// lateness is how much older than the newest event those in recent may be.
const lateness = 10 * time.Minute

// Follow implements eventbus.Bus.
func (b *Bus) Follow(ctx context.Context, namespace string) (eventbus.Follower, error) {
	if err := eventbus.CheckName("namespace", namespace); err != nil {
		return nil, err
	}
	f := &follower{bus: b, namespace: namespace, recent: map[string]time.Time{}}
	_, err := f.New(ctx)
	return f, err
}

// New implements eventbus.Follower.
func (f *follower) New(ctx context.Context) (found []format.Event, err error) {
	var last floor
	err = f.bus.read(ctx, "follow events", func(c *lite.Conn) error {
		found, last = nil, floor{}
		from, since := f.last.row, ""
		err := sqlconn.Each(c, "SELECT count(*) FROM events WHERE rowid = ? AND id = ?", func(row *lite.Stmt) error {
			if row.ColumnInt(0) == 0 {
				from = 0
			}
			return nil
		}, f.last.row, f.last.id)
		if err != nil {
			return err
		}
		if from == 0 && !f.newest.IsZero() {
			since = format.TimeOf(f.newest.Add(-lateness)).String()
		}
		err = sqlconn.Each(c, "SELECT rowid, id FROM events ORDER BY rowid DESC LIMIT 1", func(row *lite.Stmt) error {
			last = floor{row.ColumnInt64(0), row.ColumnText(1)}
			return nil
		})
		if err != nil {
			return err
		}
		return sqlconn.Each(c, "SELECT "+eventColumns+" FROM events AS e NOT INDEXED WHERE e.rowid > ? AND e.namespace = ? AND e.created_at >= ? ORDER BY e.rowid",
			func(row *lite.Stmt) error {
				e, err := readEvent(row, 0)
				if err != nil {
					if f.bus.skip(err) {
						return nil
					}
					return err
				}
				if _, known := f.recent[e.ID]; !known {
					found = append(found, e)
				}
				return nil
			}, from, f.namespace, since)
	})
	if err != nil {
		return nil, fmt.Errorf("namespace %s: %w", f.namespace, err)
	}
	f.last = last
	for i := range found {
		if at := found[i].CreatedAt.Time; at.After(f.newest) {
			f.newest = at
		}
		f.recent[found[i].ID] = found[i].CreatedAt.Time
	}
	for id, at := range f.recent {
		if at.Before(f.newest.Add(-lateness)) {
			delete(f.recent, id)
		}
	}
	return found, nil
}
