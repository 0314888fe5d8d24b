package writepath

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
)

// SendsOnly reports whether the transaction changes nothing and depends on nothing: it only sends
// events.
func (tx *Tx) SendsOnly() bool {
	return len(tx.Events) > 0 && len(tx.Data) == 0 && tx.ChangesRowsOnly() &&
		len(tx.Reads) == 0 && !tx.ReadsHead && tx.ExpectHead == nil && tx.Reservation == nil
}

// sendOne sends the only event of a transaction that changes nothing. One PUT is atomic by itself, so
// it needs no commit (decision A72).
func (c *Committer) sendOne(ctx context.Context, e format.Event) error {
	sent := []format.Event{e}
	c.sender.Stamp(sent)
	err := objects.Put(ctx, c.o.Bucket, &sent[0])
	if err == nil {
		c.tell(sent)
		return nil
	}
	if notWritten(err) {
		return err
	}
	return fmt.Errorf("send event %s: %w: %w", e.ID, ontosql.ErrOutcomeUnknown, err)
}

// sending sends the events of commits after their swap, beside the worker: the commits stand, and
// what is not sent is sent by the next call, of this process or another.
type sending struct {
	outbox *outbox.Outbox
	told   atomic.Pointer[func([]format.Event)] // of WhenSent, nil for none
	ended  sync.WaitGroup                       // waits for the goroutine that sends

	mu      sync.Mutex
	head    *format.Head // up to which events are to be sent, nil for none
	own     outbox.Own   // which of these commits this process has just made
	running bool         // the goroutine will look at head again
}

func (c *Committer) newOutbox() *outbox.Outbox {
	return outbox.Open(outbox.Options{Bucket: c.o.Bucket, Log: c.o.Log, Now: c.o.Now, Sent: c.tell, Damaged: func(err error) {
		c.o.Logger.Warn("events of a commit are not sent", "error", err)
	}})
}

// sendEvents begins to send the events of all commits up to a head that were not sent, those of writers
// that died among them. Without events it makes no requests.
func (c *Committer) sendEvents(head *format.Head, own outbox.Own) {
	s := &c.sending
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.head != nil && s.own.From > 0 && own.From == s.head.CommitID+1 {
		own = s.own // and those after them
	}
	if s.head, s.own = head, own; s.running {
		return
	}
	s.running = true
	s.ended.Go(func() {
		for {
			s.mu.Lock()
			head, own := s.head, s.own
			s.head, s.running = nil, head != nil
			s.mu.Unlock()
			if head == nil {
				return
			}
			if err := c.sendEventsTo(c.queue.Context(), head, own); err != nil {
				c.o.Logger.WarnContext(c.queue.Context(), "events of commits not sent", "error", err)
			}
		}
	})
}

func (c *Committer) sendEventsTo(ctx context.Context, head *format.Head, own outbox.Own) error {
	view, err := c.o.Log.At(ctx, head)
	if err != nil {
		return err
	}
	return c.sending.outbox.Send(ctx, view, own)
}

func (c *Committer) tell(sent []format.Event) {
	if told := c.sending.told.Load(); told != nil {
		(*told)(sent)
	}
}

// WhenSent has a function called with events each time after the Committer has put them on the bus
// (storage.Sender). It is called from several goroutines.
func (c *Committer) WhenSent(told func([]format.Event)) { c.sending.told.Store(&told) }
