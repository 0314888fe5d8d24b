package events

import (
	"cmp"
	"context"
	"fmt"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Inspect implements eventbus.Bus. An id is that of one event here.
func (b *Bus) Inspect(ctx context.Context, namespace, id string) (found []eventbus.Inspection, err error) {
	err = b.read(ctx, "inspect event", func(c *lite.Conn) (err error) {
		found, err = b.inspect(c, "e.id = ?1 AND (?2 = '' OR e.namespace = ?2) ORDER BY 1", id, namespace)
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: %s", eventbus.ErrNoEvent, id)
	}
	return found, err
}

// inspect reads events with their claims, by handler.
func (b *Bus) inspect(c *lite.Conn, condition string, args ...any) ([]eventbus.Inspection, error) {
	var found []eventbus.Inspection
	err := sqlconn.Each(c, "SELECT "+eventColumns+" FROM events AS e WHERE "+condition, func(row *lite.Stmt) error {
		e, err := readEvent(row, 0)
		if err != nil {
			if b.skip(err) {
				return nil
			}
			return err
		}
		found = append(found, eventbus.Inspection{Event: e})
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	for i := range found {
		err := sqlconn.Each(c, "SELECT "+claimColumns+" FROM event_claims AS c WHERE c.event_id = ? ORDER BY c.handler_id", func(row *lite.Stmt) error {
			claim, err := readClaim(row, 0)
			if err != nil {
				if b.skip(err) {
					return nil
				}
				return err
			}
			found[i].Claims = append(found[i].Claims, *claim)
			return nil
		}, found[i].ID)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// List implements eventbus.Bus.
func (b *Bus) List(ctx context.Context, q eventbus.Query) (listed []eventbus.Listed, err error) {
	from, to := "", "~" // less and greater than every time
	if !q.From.IsZero() {
		from = format.TimeOf(q.From).String()
	}
	if !q.To.IsZero() {
		to = format.TimeOf(q.To).String()
	}
	limit := int64(cmp.Or(q.Limit, -1))
	now := b.o.Now()
	err = b.read(ctx, "list events", func(c *lite.Conn) error {
		found, err := b.inspect(c, "e.namespace = ? AND e.created_at >= ? AND e.created_at < ? ORDER BY e.priority DESC, e.created_at, e.id LIMIT ?", q.Namespace, from, to, limit)
		listed = make([]eventbus.Listed, len(found))
		for i := range found {
			listed[i].Inspection = found[i]
			listed[i].Status, listed[i].Handler = eventbus.StatusOf(found[i].Claims, now)
		}
		return err
	})
	return listed, err
}

// Backlog implements eventbus.Bus.
func (b *Bus) Backlog(ctx context.Context, namespace string) (backlog eventbus.Backlog, err error) {
	now := b.o.Now()
	err = b.read(ctx, "count events", func(c *lite.Conn) error {
		backlog = eventbus.Backlog{}
		var id string
		var claims []format.Claim
		flush := func() {
			if id != "" {
				backlog.Add(claims, now)
			}
		}
		err := sqlconn.Each(c, "SELECT e.id, "+claimColumns+" FROM events AS e LEFT JOIN event_claims AS c ON c.event_id = e.id WHERE e.namespace = ? ORDER BY e.id, c.handler_id", func(row *lite.Stmt) error {
			if next := row.ColumnText(0); next != id {
				flush()
				id, claims = next, claims[:0]
			}
			claim, err := readClaim(row, 1)
			if err != nil && !b.skip(err) {
				return err
			}
			if err == nil && claim != nil {
				claims = append(claims, *claim)
			}
			return nil
		}, namespace)
		flush()
		return err
	})
	return backlog, err
}

// Namespaces implements eventbus.Bus. A namespace is one that has events, sessions or dead letters.
func (b *Bus) Namespaces(ctx context.Context) (all []eventbus.Namespace, err error) {
	err = b.read(ctx, "count namespaces", func(c *lite.Conn) error {
		all = nil
		return sqlconn.Each(c, `SELECT n.namespace,
			(SELECT count(*) FROM events AS e WHERE e.namespace = n.namespace),
			(SELECT count(*) FROM events AS e WHERE e.namespace = n.namespace AND NOT EXISTS (SELECT 1 FROM event_claims AS c WHERE c.event_id = e.id)),
			(SELECT coalesce(min(e.created_at), '') FROM events AS e WHERE e.namespace = n.namespace AND NOT EXISTS (SELECT 1 FROM event_claims AS c WHERE c.event_id = e.id)),
			(SELECT count(*) FROM events AS e JOIN event_claims AS c ON c.event_id = e.id WHERE e.namespace = n.namespace),
			(SELECT count(*) FROM dead_letters AS d WHERE d.namespace = n.namespace),
			(SELECT count(*) FROM sessions AS s WHERE s.namespace = n.namespace)
			FROM (SELECT namespace FROM events UNION SELECT namespace FROM sessions UNION SELECT namespace FROM dead_letters) AS n ORDER BY 1`,
			func(row *lite.Stmt) error {
				oldest, _ := format.ParseTime(row.ColumnText(3)) // zero if there is none, or one that cannot be read
				all = append(all, eventbus.Namespace{
					Name: row.ColumnText(0), Events: row.ColumnInt(1), Unclaimed: row.ColumnInt(2), Oldest: oldest,
					Claims: row.ColumnInt(4), DeadLetters: row.ColumnInt(5), Sessions: row.ColumnInt(6),
				})
				return nil
			})
	})
	return all, err
}

// DeadLetters implements eventbus.Bus.
func (b *Bus) DeadLetters(ctx context.Context, namespace string, limit int) (all []format.DeadLetter, err error) {
	err = b.read(ctx, "read dead letters", func(c *lite.Conn) error {
		all = nil
		return sqlconn.Each(c, "SELECT "+letterColumns+" FROM dead_letters AS d WHERE d.namespace = ? ORDER BY d.failed_at DESC, d.event_id, d.handler_id LIMIT ?", func(row *lite.Stmt) error {
			d, err := readLetter(row)
			if err != nil {
				if b.skip(err) {
					return nil
				}
				return err
			}
			all = append(all, d)
			return nil
		}, namespace, int64(limit))
	})
	return all, err
}
