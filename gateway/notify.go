package gateway

import (
	"slices"
	"sync"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Limits of NOTIFY (PostgreSQL manual, NOTIFY), in bytes.
const (
	longestChannel = 63
	longestPayload = 7999
)

// channels are who listens to what in one database at this gateway.
type channels struct {
	mu        sync.Mutex
	listening map[string][]*Session
}

// notification is what NOTIFY sends.
type notification struct{ channel, payload string }

// listening is what a transaction does to the channels when it is committed.
type listening struct {
	changes []listenChange
	sends   []notification // none twice
}

// listenChange is LISTEN, or UNLISTEN of one channel or, for "", of all.
type listenChange struct {
	channel string
	off     bool
}

// listen answers LISTEN and UNLISTEN, which take effect at COMMIT.
func (s *Session) listen(st *syntax.Statement) error {
	s.tx.listening.changes = append(s.tx.listening.changes, listenChange{st.Name, st.Kind == syntax.Unlisten})
	return nil
}

// notify answers NOTIFY and pg_notify: it is sent when the transaction is committed,
// once.
func (s *Session) notify(channel, payload string) error {
	n := notification{channel, payload}
	if err := n.check(); err != nil {
		return err
	}
	s.send(n)
	return nil
}

func (s *Session) send(n notification) {
	if !slices.Contains(s.tx.listening.sends, n) {
		s.tx.listening.sends = append(s.tx.listening.sends, n)
	}
}

func (n notification) check() error {
	switch {
	case n.channel == "":
		return pgerr.New(pgerr.InvalidParameterValue, "channel name cannot be empty")
	case len(n.channel) > longestChannel:
		return pgerr.New(pgerr.InvalidParameterValue, "channel name too long")
	case len(n.payload) > longestPayload:
		return pgerr.New(pgerr.InvalidParameterValue, "payload string too long")
	}
	return nil
}

// speak does what a committed transaction asked for: first it listens, so that it
// hears itself.
func (s *Session) speak() {
	l := s.tx.listening
	if len(l.changes) == 0 && len(l.sends) == 0 {
		return
	}
	c := &s.db.channels
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range l.changes {
		c.change(s, change)
	}
	for _, n := range l.sends {
		for _, other := range c.listening[n.channel] {
			if other.start.Notify != nil {
				other.start.Notify(s.start.PID, n.channel, n.payload)
			}
		}
	}
}

func (c *channels) change(s *Session, change listenChange) {
	for name, sessions := range c.listening {
		if change.off && (change.channel == "" || change.channel == name) {
			if c.listening[name] = slices.DeleteFunc(sessions, func(o *Session) bool { return o == s }); len(c.listening[name]) == 0 {
				delete(c.listening, name)
			}
		}
	}
	if change.off || slices.Contains(c.listening[change.channel], s) {
		return
	}
	if c.listening == nil {
		c.listening = map[string][]*Session{}
	}
	c.listening[change.channel] = append(c.listening[change.channel], s)
}

// unlistenAll ends all listening of a session at once.
func (s *Session) unlistenAll() {
	c := &s.db.channels
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(s, listenChange{off: true})
}
