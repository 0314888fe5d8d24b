package wire

import (
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	// outputFull is how much waits before it is sent without being asked for.
	outputFull = 64 << 10
	// outputKeep is the capacity that is kept after a large row.
	outputKeep = 4 * outputFull
)

// output collects messages to the client. After a write error it swallows
// everything and keeps the error.
type output struct {
	w   io.Writer
	buf []byte
	err error
}

func (o *output) send(m pgproto3.BackendMessage) {
	buf, err := m.Encode(o.buf)
	if err != nil {
		// pgproto3 refuses only messages over 1 GiB, which rows alone could
		// become, and they do not come this way.
		o.fail(fmt.Errorf("encode %T: %w", m, err))
		return
	}
	o.buf = buf
}

func (o *output) flush() error {
	if len(o.buf) > 0 && o.err == nil {
		if _, err := o.w.Write(o.buf); err != nil {
			o.fail(fmt.Errorf("write to client: %w", err))
		}
	}
	if cap(o.buf) > outputKeep {
		o.buf = nil
	}
	o.buf = o.buf[:0]
	return o.err
}

func (o *output) flushIfFull() error {
	if len(o.buf) < outputFull {
		return o.err
	}
	return o.flush()
}

func (o *output) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}
