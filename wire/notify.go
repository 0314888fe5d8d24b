package wire

import (
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// notifications wait until the session is idle outside of a transaction: clients
// expect them there only (PostgreSQL manual, 55.2.7).
type notifications struct {
	mu      sync.Mutex
	waiting []*pgproto3.NotificationResponse
	arrived chan struct{} // holds one token when there may be some
}

func newNotifications() *notifications { return &notifications{arrived: make(chan struct{}, 1)} }

// mostNotifications wait for one session; a client that never comes to rest loses the
// oldest rather than fill the memory.
const mostNotifications = 10_000

func (n *notifications) add(pid uint32, channel, payload string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) == mostNotifications {
		n.waiting = n.waiting[1:]
	}
	n.waiting = append(n.waiting, &pgproto3.NotificationResponse{PID: pid, Channel: channel, Payload: payload})
	select {
	case n.arrived <- struct{}{}:
	default:
	}
}

func (n *notifications) take() []*pgproto3.NotificationResponse {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.waiting
	n.waiting = nil
	return all
}

// notify sends what waits, if the session is idle.
func (s *session) notify() {
	if s.meaning.Status() != Idle {
		return
	}
	for _, m := range s.notices.take() {
		s.out.send(m)
	}
}
