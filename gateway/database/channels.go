package database

import (
	"slices"
	"sync"

	"github.com/ontosql/ontosql/pgerr"
)

// Limits of NOTIFY (PostgreSQL manual, NOTIFY), in bytes.
const (
	maxChannelLength = 63
	maxPayloadLength = 7999
)

// Channels are the sessions that listen, by channel, in one database at this gateway.
type Channels struct {
	mu        sync.Mutex
	listening map[string][]*Listener
}

// Listener is a session that may listen and send.
type Listener struct {
	PID    uint32
	Notify func(pid uint32, channel, payload string) // sends a message to the client; nil for none

	channels []string // that it listens to, in the order of LISTEN; guarded by Channels.mu
}

// Notification is what NOTIFY sends.
type Notification struct{ Channel, Payload string }

// Listening is what a transaction does to the channels when it is committed.
type Listening struct {
	Changes []ListenChange
	Sends   []Notification // without duplicates

	watched []*watched // of Changes, between Database.Listen and EndListening
}

// ListenChange is LISTEN or, if Off is true, UNLISTEN of a channel or, for "", of all.
type ListenChange struct {
	Channel string
	Off     bool
}

// Send adds a notification. It is sent once, however often the transaction does so.
func (l *Listening) Send(n Notification) {
	if !slices.Contains(l.Sends, n) {
		l.Sends = append(l.Sends, n)
	}
}

// Check returns an error if the channel or the payload is too long, or the channel empty.
func (n Notification) Check() error {
	switch {
	case n.Channel == "":
		return pgerr.New(pgerr.InvalidParameterValue, "channel name cannot be empty")
	case len(n.Channel) > maxChannelLength:
		return pgerr.New(pgerr.InvalidParameterValue, "channel name too long")
	case sourceOf(n.Channel) != fromClients:
		return pgerr.New(pgerr.ReservedName, "channel name %q is reserved", n.Channel).
			WithDetail("The gateway itself sends on it.")
	case len(n.Payload) > maxPayloadLength:
		return pgerr.New(pgerr.InvalidParameterValue, "payload string too long")
	}
	return nil
}

// Commit applies the LISTEN, UNLISTEN and NOTIFY of a committed transaction. The session
// listens first, so that it receives its own notifications.
func (c *Channels) Commit(s *Listener, l Listening) {
	if len(l.Changes) == 0 && len(l.Sends) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range l.Changes {
		c.change(s, change)
	}
	for _, n := range l.Sends {
		for _, other := range c.listening[n.Channel] {
			if other.Notify != nil {
				other.Notify(s.PID, n.Channel, n.Payload)
			}
		}
	}
}

// tell sends a notification of the gateway itself, which has no session.
func (c *Channels) tell(n Notification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.listening[n.Channel] {
		if s.Notify != nil {
			s.Notify(0, n.Channel, n.Payload)
		}
	}
}

// anybody reports whether a session listens to a channel.
func (c *Channels) anybody(channel string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.listening[channel]) > 0
}

// ListeningTo returns the channels that a session listens to, in the order of LISTEN, as
// PostgreSQL does.
func (c *Channels) ListeningTo(s *Listener) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(s.channels)
}

// UnlistenAll ends all listening of a session at once.
func (c *Channels) UnlistenAll(s *Listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(s, ListenChange{Off: true})
}

func (c *Channels) change(s *Listener, change ListenChange) {
	if change.Off {
		s.channels = slices.DeleteFunc(s.channels, func(name string) bool {
			gone := change.Channel == "" || change.Channel == name
			if gone {
				c.remove(s, name)
			}
			return gone
		})
		return
	}
	if slices.Contains(s.channels, change.Channel) {
		return
	}
	if c.listening == nil {
		c.listening = map[string][]*Listener{}
	}
	s.channels = append(s.channels, change.Channel)
	c.listening[change.Channel] = append(c.listening[change.Channel], s)
}

func (c *Channels) remove(s *Listener, name string) {
	if c.listening[name] = slices.DeleteFunc(c.listening[name], func(o *Listener) bool { return o == s }); len(c.listening[name]) == 0 {
		delete(c.listening, name)
	}
}
