package session

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Listen executes LISTEN and UNLISTEN, which take effect at COMMIT.
func (s *Session) Listen(ctx context.Context, st *syntax.Statement) error {
	if st.Kind == syntax.Listen {
		if err := s.DB.CheckChannel(st.Name); err != nil {
			return err
		}
		if err := s.mayHear(ctx, st.Name); err != nil {
			return err
		}
	}
	s.Tx.Listening.Changes = append(s.Tx.Listening.Changes, database.ListenChange{Channel: st.Name, Off: st.Kind == syntax.Unlisten})
	return nil
}

// mayHear is the error of a role that may not read the events that a channel tells of.
func (s *Session) mayHear(ctx context.Context, channel string) error {
	if !database.TellsEvents(channel) {
		return nil
	}
	of, err := s.known(ctx)
	if err != nil || !of.RequireGrants {
		return err
	}
	if o := access.OfEvents(of.EventGrants, access.EventsTable); !s.Role().May(acl.Select, o, nil) {
		return o.Denied()
	}
	return nil
}

// Notify executes NOTIFY and pg_notify. The notification is sent when the transaction is
// committed.
func (s *Session) Notify(channel, payload string) error {
	n := database.Notification{Channel: channel, Payload: payload}
	if err := n.Check(); err != nil {
		return err
	}
	s.Tx.Listening.Send(n)
	return nil
}

// listeningChannels is pg_listening_channels() as the literal of an array.
func (s *Session) listeningChannels() string {
	names := s.DB.Channels.ListeningTo(&s.Listener)
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i, name := range names {
		names[i] = `"` + escape.Replace(name) + `"`
	}
	return "{" + strings.Join(names, ",") + "}"
}
