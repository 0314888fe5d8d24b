package gateway

import (
	"strings"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// listen executes LISTEN and UNLISTEN, which take effect at COMMIT.
func (s *Session) listen(st *syntax.Statement) error {
	s.tx.listening.Changes = append(s.tx.listening.Changes, database.ListenChange{Channel: st.Name, Off: st.Kind == syntax.Unlisten})
	return nil
}

// notify executes NOTIFY and pg_notify. The notification is sent when the transaction is
// committed.
func (s *Session) notify(channel, payload string) error {
	n := database.Notification{Channel: channel, Payload: payload}
	if err := n.Check(); err != nil {
		return err
	}
	s.tx.listening.Send(n)
	return nil
}

// listeningChannels is pg_listening_channels() as the literal of an array.
func (s *Session) listeningChannels() string {
	names := s.db.Channels.ListeningTo(&s.listener)
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i, name := range names {
		names[i] = `"` + escape.Replace(name) + `"`
	}
	return "{" + strings.Join(names, ",") + "}"
}
