package events

import (
	"context"
	"fmt"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Register implements eventbus.Bus.
func (b *Bus) Register(ctx context.Context, n eventbus.NewSession) error {
	if len(n.Metadata) == 0 {
		n.Metadata = []byte("{}")
	}
	canonical, err := eventbus.Document(n.Metadata)
	if err != nil {
		return fmt.Errorf("metadata of session %s: %w", n.ID, err)
	}
	metadata, err := spaced(canonical)
	if err != nil {
		return err
	}
	return b.beat(ctx, "register session", n.Namespace, n.ID, metadata, "namespace = excluded.namespace, last_heartbeat = excluded.last_heartbeat, metadata = excluded.metadata")
}

// Heartbeat implements eventbus.Bus. As in the original, a session keeps its namespace.
func (b *Bus) Heartbeat(ctx context.Context, namespace, session string) error {
	return b.beat(ctx, "heartbeat", namespace, session, "{}", "last_heartbeat = excluded.last_heartbeat")
}

func (b *Bus) beat(ctx context.Context, doing, namespace, id, metadata, update string) error {
	for _, name := range [][2]string{{"namespace", namespace}, {"session", id}} {
		if err := eventbus.CheckName(name[0], name[1]); err != nil {
			return err
		}
	}
	now := format.TimeOf(b.o.Now()).String()
	return b.write(ctx, doing, func(w *sqlconn.Writer) error {
		return w.Exec("INSERT INTO sessions (session_id, namespace, started_at, last_heartbeat, metadata) VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET "+update,
			id, namespace, now, now, metadata)
	})
}

// Sessions implements eventbus.Bus.
func (b *Bus) Sessions(ctx context.Context, namespace string) (all []format.Session, err error) {
	err = b.read(ctx, "read sessions", func(c *lite.Conn) error {
		all = nil
		return sqlconn.Each(c, "SELECT session_id, namespace, started_at, last_heartbeat, metadata FROM sessions WHERE namespace = ? ORDER BY last_heartbeat DESC, session_id", func(row *lite.Stmt) error {
			s, err := readSession(row)
			if err != nil {
				if b.skip(err) {
					return nil
				}
				return err
			}
			all = append(all, s)
			return nil
		}, namespace)
	})
	return all, err
}
