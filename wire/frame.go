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

// frameStep is how much of an announced body is allocated before its bytes have
// arrived.
const frameStep = 64 << 10

// readFrame reads one message. A *pgerr.Error means that the stream is out of
// step or the message too large: nothing after it can be understood.
func readFrame(r *bufio.Reader, limit int) (frame, error) {
	var header [5]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: header[0]}
	announced := binary.BigEndian.Uint32(header[1:])
	if announced < 4 || announced > 1<<31-1 {
		return f, pgerr.New(pgerr.ProtocolViolation, "invalid message length")
	}
	length := int(announced) - 4
	if length > limit {
		return f, pgerr.New(pgerr.ProgramLimitExceeded, "message of %d bytes exceeds the limit of %d bytes", length, limit)
	}
	f.body = make([]byte, min(length, frameStep))
	for filled := 0; ; {
		n, err := io.ReadFull(r, f.body[filled:])
		if filled += n; err != nil {
			return f, fmt.Errorf("read message body: %w", err)
		}
		if filled == length {
			return f, nil
		}
		grown := make([]byte, min(length, 2*filled))
		copy(grown, f.body)
		f.body = grown
	}
}

// wholeFrame reports whether the next frame lies in r's buffer already, so that
// reading it does not block.
func wholeFrame(r *bufio.Reader) bool {
	if r.Buffered() < 5 {
		return false
	}
	header, err := r.Peek(5)
	return err == nil && uint64(binary.BigEndian.Uint32(header[1:]))+1 <= uint64(r.Buffered())
}
