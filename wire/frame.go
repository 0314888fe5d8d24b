package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/ontosql/ontosql/pgerr"
)

// frame is one message of a client: its type byte and its body.
type frame struct {
	kind byte
	body []byte
}

// frameStep is the maximum size of the part of a body that is allocated before its bytes arrive.
const frameStep = 64 << 10

// readFrame reads one message. A *pgerr.Error means that the message is too large or the stream
// is not a sequence of messages. Then no more messages can be read.
func readFrame(r *bufio.Reader, limit int) (frame, error) {
	var p partialFrame
	return p.read(r, limit)
}

// partialFrame is a message that may have been read in part. After the deadline of the
// connection has interrupted a read, the next read continues it.
type partialFrame struct {
	frame
	begun  bool // the header was read
	length int  // length of the body
	filled int  // bytes of the body that were read
}

// read is readFrame. It continues an interrupted read.
func (p *partialFrame) read(r *bufio.Reader, limit int) (frame, error) {
	if !p.begun {
		if err := p.begin(r, limit); err != nil {
			return frame{}, err
		}
	}
	for p.filled < p.length {
		if p.filled == len(p.body) {
			grown := make([]byte, min(p.length, max(frameStep, 2*p.filled)))
			copy(grown, p.body)
			p.body = grown
		}
		n, err := r.Read(p.body[p.filled:])
		p.filled += n
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return frame{}, fmt.Errorf("read message body: %w", err)
		}
	}
	f := p.frame
	*p = partialFrame{}
	return f, nil
}

// begin reads the header.
func (p *partialFrame) begin(r *bufio.Reader, limit int) error {
	header, err := r.Peek(5)
	if err != nil {
		if err == io.EOF && len(header) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	announced := binary.BigEndian.Uint32(header[1:])
	if announced < 4 || announced > 1<<31-1 {
		return pgerr.New(pgerr.ProtocolViolation, "invalid message length")
	}
	length := int(announced) - 4
	if length > limit {
		return pgerr.New(pgerr.ProgramLimitExceeded, "message of %d bytes exceeds the limit of %d bytes", length, limit)
	}
	p.kind, p.begun, p.length = header[0], true, length
	_, err = r.Discard(5)
	return err
}

// wholeFrame returns the type byte of the next frame. ok is true if the whole frame is in r's buffer,
// so that reading it does not block.
func wholeFrame(r *bufio.Reader) (kind byte, ok bool) {
	if r.Buffered() < 5 {
		return 0, false
	}
	header, err := r.Peek(5)
	if err != nil || uint64(binary.BigEndian.Uint32(header[1:]))+1 > uint64(r.Buffered()) {
		return 0, false
	}
	return header[0], true
}
