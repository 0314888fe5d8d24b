package session

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
)

// Peers is what the sessions of a gateway know of each other. It may be used by many
// goroutines.
type Peers struct {
	Users   *auth.Users // nil without a users file: then there are the predefined roles, and those that trust lets in
	Started time.Time
	Serial  atomic.Uint64

	initial *roles.Roles

	mu       sync.Mutex
	sessions map[*Session]struct{}
	trusted  []string // users that trust has let in and that the users file does not have
	merged   map[bool]merged

	trustings int // changes of trusted
}

// NewPeers are those of a gateway without sessions. users may be nil.
func NewPeers(users *auth.Users) *Peers {
	return &Peers{
		Users: users, Started: time.Now(), initial: roles.Initial(), sessions: map[*Session]struct{}{}, merged: map[bool]merged{},
	}
}

// Add makes a session one of those that run.
func (g *Peers) Add(s *Session) {
	g.mu.Lock()
	g.sessions[s] = struct{}{}
	g.mu.Unlock()
}

// Forget ends Add.
func (g *Peers) Forget(s *Session) {
	g.mu.Lock()
	delete(g.sessions, s)
	g.mu.Unlock()
}

// Running are the sessions, in the order in which they began.
func (g *Peers) Running() []*Session {
	g.mu.Lock()
	sessions := make([]*Session, 0, len(g.sessions))
	for s := range g.sessions {
		sessions = append(sessions, s)
	}
	g.mu.Unlock()
	slices.SortFunc(sessions, func(a, b *Session) int { return cmp.Compare(a.Serial, b.Serial) })
	return sessions
}

// Terminate ends the sessions of a database.
func (g *Peers) Terminate(db *database.Database, why *pgerr.Error) {
	for _, s := range g.Running() {
		if s.DB == db && s.Start.Terminate != nil {
			s.Start.Terminate(why)
		}
	}
}

// clients are the running sessions as others see them.
func (g *Peers) clients() []introspect.Client {
	sessions := g.Running()
	clients := make([]introspect.Client, len(sessions))
	for i, s := range sessions {
		clients[i] = s.Client
	}
	return clients
}
