package gateway

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql/gateway/introspect"
)

// registry is what the sessions of a gateway know of each other. It may be used by many
// goroutines.
type registry struct {
	Superuser bool // every session's user counts as one
	Started   time.Time

	mu       sync.Mutex
	sessions map[*Session]struct{}
	serial   atomic.Uint64
}

// add makes a session one of those that run.
func (g *registry) add(s *Session) {
	g.mu.Lock()
	g.sessions[s] = struct{}{}
	g.mu.Unlock()
}

// forget ends add.
func (g *registry) forget(s *Session) {
	g.mu.Lock()
	delete(g.sessions, s)
	g.mu.Unlock()
}

// running are the sessions, in the order in which they began.
func (g *registry) running() []*Session {
	g.mu.Lock()
	sessions := make([]*Session, 0, len(g.sessions))
	for s := range g.sessions {
		sessions = append(sessions, s)
	}
	g.mu.Unlock()
	slices.SortFunc(sessions, func(a, b *Session) int { return cmp.Compare(a.serial, b.serial) })
	return sessions
}

// clients are the running sessions as others see them.
func (g *registry) clients() []introspect.Client {
	sessions := g.running()
	clients := make([]introspect.Client, len(sessions))
	for i, s := range sessions {
		clients[i] = s.client
	}
	return clients
}
