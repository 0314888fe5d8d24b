package wire

import (
	"bufio"
	"sync"
)

// readAhead bounds the bytes of messages that wait for the session. A client
// that pipelines more than this is not read, and so not seen to leave, until
// the session has caught up.
const readAhead = 1 << 20

// inbox reads a client's messages on a goroutine of its own.
type inbox struct {
	ready chan struct{} // a token when the queue or err changed
	space chan struct{} // a token when the queue was emptied
	quit  chan struct{} // closed by stop
	done  chan struct{} // closed when the goroutine has ended

	mu    sync.Mutex
	queue []frame
	bytes int
	err   error // why reading ended; what is in the queue came before it
}

// openInbox starts reading. ended is called once, on the reading goroutine,
// when the client sent Terminate (nil) or reading failed.
func openInbox(r *bufio.Reader, limit int, ended func(error)) *inbox {
	in := &inbox{
		ready: make(chan struct{}, 1),
		space: make(chan struct{}, 1),
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go func() {
		defer close(in.done)
		ended(in.read(r, limit))
	}()
	return in
}

// stop ends the goroutine and waits for it. The connection must be closed, or
// have a read deadline, else a read goes on.
func (in *inbox) stop() {
	close(in.quit)
	<-in.done
}

func (in *inbox) read(r *bufio.Reader, limit int) error {
	var batch []frame
	for {
		f, err := readFrame(r, limit)
		if err != nil {
			in.put(batch, err)
			return err
		}
		batch = append(batch, f)
		terminated := f.kind == 'X'
		// One wake-up of the session for all that came in one packet.
		if !terminated && wholeFrame(r) && len(batch) < 256 {
			continue
		}
		if !in.put(batch, nil) || terminated {
			return nil
		}
		clear(batch) // the bodies are the session's now, and may be large
		batch = batch[:0]
	}
}

// put appends to the queue and blocks while it is full; false after stop.
func (in *inbox) put(batch []frame, err error) bool {
	in.mu.Lock()
	in.queue = append(in.queue, batch...)
	for _, f := range batch {
		in.bytes += len(f.body) + 5
	}
	in.err = err
	full := in.bytes > readAhead
	in.mu.Unlock()
	signal(in.ready)
	for full && err == nil {
		select {
		case <-in.space:
		case <-in.quit:
			return false
		}
		in.mu.Lock()
		full = in.bytes > readAhead
		in.mu.Unlock()
	}
	return true
}

// take moves the queue into buf, which must be empty. With nothing there it
// returns the error that ended reading, if any.
func (in *inbox) take(buf []frame) ([]frame, error) {
	in.mu.Lock()
	if len(in.queue) == 0 {
		defer in.mu.Unlock()
		return buf, in.err
	}
	taken := in.queue
	in.queue, in.bytes = buf, 0
	in.mu.Unlock()
	signal(in.space)
	return taken, nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
