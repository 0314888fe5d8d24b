package session

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
)

// Peers is what the sessions of a gateway know of each other. It may be used by many
// goroutines.
type Peers struct {
	Superuser bool // every session's user counts as one
	Started   time.Time

	mu       sync.Mutex
	Sessions map[*Session]struct{}
	Serial   atomic.Uint64
}

// Add makes a session one of those that run.
func (g *Peers) Add(s *Session) {
	g.mu.Lock()
	g.Sessions[s] = struct{}{}
	g.mu.Unlock()
}

// Forget ends add.
func (g *Peers) Forget(s *Session) {
	g.mu.Lock()
	delete(g.Sessions, s)
	g.mu.Unlock()
}

// Running are the sessions, in the order in which they began.
func (g *Peers) Running() []*Session {
	g.mu.Lock()
	sessions := make([]*Session, 0, len(g.Sessions))
	for s := range g.Sessions {
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
