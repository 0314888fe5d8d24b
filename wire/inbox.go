package wire

import (
	"bufio"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// readAhead is the maximum size in bytes of the messages in the queue. If a client has sent more, the
// server stops reading and does not notice when the client disconnects.
const readAhead = 1 << 20

// inbox reads the messages of a client. An idle session reads them itself, so that short statements
// need no switch between goroutines. While a statement runs for long, another goroutine reads ahead, so
// that the server notices when the client disconnects.
type inbox struct {
	conn  net.Conn // a read deadline interrupts the reader
	r     *bufio.Reader
	limit int
	watch *slowWatch
	onEnd func(error) // called when the goroutine that reads ahead reaches the end; nil is Terminate

	partial partialFrame  // a message that was read in part
	turn    atomic.Uint64 // odd while the session works; each wait starts another turn

	mu       sync.Mutex
	waiting  bool          // the session is reading
	woken    bool          // the session must stop reading, or not start
	ahead    chan struct{} // closed when the goroutine that reads ahead ends; nil while the session reads
	stopping bool          // the goroutine that reads ahead must end
	space    sync.Cond     // signalled when the queue gets shorter and when stopping is set
	queue    []frame       // messages that were read ahead
	bytes    int           // size of the queue
	err      error         // the error that ended reading, after the messages of the queue
}

// openInbox returns the inbox of a session that is not reading. ended is called at most once.
func openInbox(conn net.Conn, r *bufio.Reader, limit int, w *slowWatch, ended func(error)) *inbox {
	in := &inbox{conn: conn, r: r, limit: limit, watch: w, onEnd: ended}
	in.space.L = &in.mu
	in.turn.Store(1)
	w.add(in)
	return in
}

// stop waits until no goroutine reads. The connection must be closed.
func (in *inbox) stop() {
	in.watch.remove(in)
	in.stopReadAhead()
}

// arrived returns the next message if it has arrived. The error is the reason why no message
// will come.
func (in *inbox) arrived() (f frame, ok bool, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.queue) > 0 {
		f, in.queue[0] = in.queue[0], frame{} // frees the message, which may be large
		in.queue = in.queue[1:]
		in.bytes -= len(f.body) + 5
		in.space.Signal()
		return f, true, nil
	}
	if in.ahead != nil || in.err != nil {
		return frame{}, false, in.err
	}
	if _, whole := wholeFrame(in.r); !whole || in.partial.begun {
		return frame{}, false, nil
	}
	f, in.err = in.partial.read(in.r, in.limit)
	return f, in.err == nil, in.err
}

// next returns the type byte of the message that arrived would return, 0 if there is none.
func (in *inbox) next() byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.queue) > 0 {
		return in.queue[0].kind
	}
	if in.ahead != nil || in.partial.begun {
		return 0
	}
	kind, _ := wholeFrame(in.r)
	return kind
}

// wait is arrived, but blocks until a message arrives or wake is called.
func (in *inbox) wait() (f frame, ok bool, err error) {
	in.turn.Add(1)
	in.stopReadAhead()
	if f, ok, err = in.arrived(); !ok && err == nil && in.beginWait() {
		f, err = in.partial.read(in.r, in.limit)
		ok = err == nil
		err = in.endWait(err)
	}
	in.turn.Add(1)
	in.watch.schedule()
	return f, ok, err
}

func (in *inbox) beginWait() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = !in.woken
	in.woken = false
	return in.waiting
}

// endWait ends a wait. It returns the error of the read, but not the timeout that wake has
// caused.
func (in *inbox) endWait(err error) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = false
	late := errors.Is(err, os.ErrDeadlineExceeded)
	if in.woken || late {
		in.woken = false
		_ = in.conn.SetReadDeadline(time.Time{})
	}
	if late {
		return nil
	}
	in.err = err
	return err
}

// pastDeadline is a deadline in the past.
var pastDeadline = time.Unix(1, 0)

// wake interrupts the current wait, or the next one if there is none. It may be called from any
// goroutine.
func (in *inbox) wake() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.woken = true
	if in.waiting {
		_ = in.conn.SetReadDeadline(pastDeadline)
	}
}

// startReadAhead starts the goroutine that reads ahead, if the session is still in the given turn.
func (in *inbox) startReadAhead(turn uint64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.turn.Load() != turn || in.ahead != nil || in.err != nil {
		return
	}
	done := make(chan struct{})
	in.ahead = done
	go func() {
		defer close(done)
		in.read()
	}()
}

// read fills the queue until stopping is set or the messages end.
func (in *inbox) read() {
	for {
		f, err := in.partial.read(in.r, in.limit)
		in.mu.Lock()
		if err != nil && in.stopping && errors.Is(err, os.ErrDeadlineExceeded) {
			in.mu.Unlock()
			return
		}
		in.err = err
		if err == nil {
			in.queue = append(in.queue, f)
			in.bytes += len(f.body) + 5
		}
		for in.bytes > readAhead && !in.stopping {
			in.space.Wait()
		}
		recalled := in.stopping
		in.mu.Unlock()
		switch {
		case err != nil || f.kind == 'X':
			in.onEnd(err)
			return
		case recalled:
			return
		}
	}
}

// stopReadAhead ends the goroutine that reads ahead.
func (in *inbox) stopReadAhead() {
	in.mu.Lock()
	ahead := in.ahead
	if ahead != nil {
		in.stopping = true
		in.space.Signal()
		_ = in.conn.SetReadDeadline(pastDeadline)
	}
	in.mu.Unlock()
	if ahead == nil {
		return
	}
	<-ahead
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ahead, in.stopping = nil, false
	_ = in.conn.SetReadDeadline(time.Time{})
}
