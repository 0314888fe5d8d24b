package mirror_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestAwait waits for an extension that is held up: until it ends, until the time is over, and until
// the context ends. Where nothing is being extended it does not wait.
func TestAwait(t *testing.T) {
	w := accounts(t, 4, 100)
	m := w.mirror(1 << 30)
	defer m.Close()
	w.view().settled(m, account)
	m.Await(t.Context(), account, w.view().Head(), testenv.Patience) // the tables are there
	m.Await(t.Context(), customer, w.view().Head(), testenv.Patience)

	for range 3 { // the later ones come while the worker pauses after the one before
		w.accounts(len(w.commits)+1, 1)
		held := slow{view: w.view(), asked: make(chan struct{}), come: make(chan struct{})}
		m.Follow(held)
		head, through := held.Head(), m.Status()[0].Through
		m.Await(t.Context(), account, head, time.Millisecond)
		<-held.asked
		gone, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("the client has gone"))
		m.Await(gone, account, head, testenv.Patience)
		if now := m.Status()[0].Through; now != through {
			t.Fatalf("the tables reach commit %d before its rows were given", now)
		}
		close(held.come)
		m.Await(t.Context(), account, head, testenv.Patience)
		if now := m.Status()[0].Through; now < head {
			t.Errorf("after the wait the tables reach commit %d, want %d", now, head)
		}
	}
}
