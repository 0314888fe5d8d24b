package wire

import (
	"fmt"
	"io"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	// outputFlushBytes is the number of buffered bytes at which the buffer is sent.
	outputFlushBytes = 64 << 10
	// outputKeepBytes is the capacity of the buffer that is kept after a large row.
	outputKeepBytes = 4 * outputFlushBytes
)

// outputBlock is the buffer of a session that is sending: outputFlushBytes and one more row of usual
// size.
type outputBlock [outputFlushBytes + 8<<10]byte

// output buffers messages for the client. After a write error it discards messages and keeps the error.
type output struct {
	w      io.Writer
	blocks *sync.Pool   // of *outputBlock, shared by all sessions
	block  *outputBlock // nil while idle
	buf    []byte       // uses block, unless a row was large
	sent   int64        // bytes that were sent
	err    error
}

// acquire takes a buffer from the pool.
func (o *output) acquire() {
	if o.block == nil {
		o.block, _ = o.blocks.Get().(*outputBlock)
	}
	if o.block == nil {
		o.block = new(outputBlock)
	}
	o.buf = append(o.block[:0], o.buf...)
}

// release returns the buffer to the pool. It must be flushed.
func (o *output) release() {
	if o.block != nil {
		o.blocks.Put(o.block)
	}
	o.block, o.buf = nil, nil
}

// total returns the number of bytes that were buffered or sent so far.
func (o *output) total() int64 { return o.sent + int64(len(o.buf)) }

func (o *output) send(m pgproto3.BackendMessage) {
	buf, err := m.Encode(o.buf)
	if err != nil {
		// pgproto3 rejects only messages over 1 GiB. Only rows can be that large, and they are
		// not encoded by pgproto3.
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
	o.sent += int64(len(o.buf))
	o.buf = o.buf[:0]
	if cap(o.buf) > outputKeepBytes && o.block != nil {
		o.buf = o.block[:0]
	}
	return o.err
}

func (o *output) flushIfFull() error {
	if len(o.buf) < outputFlushBytes {
		return o.err
	}
	return o.flush()
}

func (o *output) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}
