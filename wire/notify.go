package wire

import (
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// notifications is a queue of notifications. They are sent when the session is idle outside of a
// transaction (PostgreSQL manual, 55.2.7).
type notifications struct {
	mu      sync.Mutex
	waiting []*pgproto3.NotificationResponse
	wake    func() // wakes an idle session
}

// maxNotifications is the maximum length of the queue. If the session is never idle, the oldest
// notifications are dropped.
const maxNotifications = 10_000

func (n *notifications) add(pid uint32, channel, payload string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) == maxNotifications {
		n.waiting = n.waiting[1:]
	}
	n.waiting = append(n.waiting, &pgproto3.NotificationResponse{PID: pid, Channel: channel, Payload: payload})
	n.wake()
}

func (n *notifications) take() []*pgproto3.NotificationResponse {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.waiting
	n.waiting = nil
	return all
}

// notify sends the queued notifications if the session is idle. If the client's encoding lacks a
// character of a notification, a warning is sent instead.
func (s *session) notify() {
	if s.handler.Status() != Idle {
		return
	}
	for _, m := range s.notices.take() {
		var err error
		for _, text := range []*string{&m.Channel, &m.Payload} {
			if err == nil {
				*text, err = s.encoding().EncodeString(*text)
			}
		}
		if err != nil {
			warning := *s.asPgerr(err)
			warning.Severity = "WARNING"
			s.out.send(noticeResponse(&warning))
			continue
		}
		s.out.send(m)
	}
}
