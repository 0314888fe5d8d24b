package session

import (
	"strings"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Listen executes LISTEN and UNLISTEN, which take effect at COMMIT.
func (s *Session) Listen(st *syntax.Statement) error {
	if err := s.DB.CheckChannel(st.Name); err != nil && st.Kind == syntax.Listen {
		return err
	}
	s.Tx.Listening.Changes = append(s.Tx.Listening.Changes, database.ListenChange{Channel: st.Name, Off: st.Kind == syntax.Unlisten})
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
