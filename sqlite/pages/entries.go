package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// mostEntry bounds the size of an index entry.
const mostEntry = 64 << 10

// EachEntry calls visit for the records of an index, in no particular order. Each is valid
// until visit returns. A separate goroutine reads the pages.
func (p *Pages) EachEntry(root uint32, visit func(payload []byte) error) error {
	r := &entryReader{Pages: p, left: p.count, free: make(chan *entries, 2), full: make(chan *entries, 2), stop: make(chan struct{})}
	for range cap(r.free) {
		r.free <- new(entries)
	}
	go r.read(root)
	var err error
	for e := range r.full { // until the reader ends
		for _, payload := range e.payloads {
			if err != nil {
				break
			}
			if err = visit(payload); err != nil {
				close(r.stop)
			}
		}
		r.free <- e
	}
	if err != nil {
		return err
	}
	return r.failed
}

// entryReader reads an index for another goroutine.
type entryReader struct {
	*Pages
	left       int      // number of pages left, to end on a cycle
	filled     *entries // being filled
	free, full chan *entries
	stop       chan struct{} // closed to stop the reader
	failed     error         // set when full is closed
}

// entries are records of an index with the pages that contain them.
type entries struct {
	payloads [][]byte
	memory   Arena
}

// manyEntries is the number of entries passed on together.
const manyEntries = 4096

var errStopped = errors.New("no more entries are wanted")

func (r *entryReader) read(root uint32) {
	defer close(r.full)
	if r.failed = r.begin(); r.failed != nil {
		return
	}
	if r.failed = r.walk(root, 0); r.failed == nil {
		r.full <- r.filled
	}
}

// begin begins to fill others.
func (r *entryReader) begin() error {
	select {
	case r.filled = <-r.free:
		r.filled.payloads = r.filled.payloads[:0]
		r.filled.memory.Reset()
		return nil
	case <-r.stop:
		return errStopped
	}
}

// walk reads the entries of a page and of its subtree.
func (r *entryReader) walk(no uint32, depth int) error {
	if r.left--; r.left < 0 || depth == mostDepth {
		return ErrMalformed
	}
	if len(r.filled.payloads) >= manyEntries {
		r.full <- r.filled
		if err := r.begin(); err != nil {
			return err
		}
	}
	page := r.filled.memory.Bytes(r.Size)
	if err := r.get(no, page); err != nil {
		return err
	}
	c, err := r.cells(page)
	if err != nil || c.kind != leafIndex && c.kind != innerIndex {
		return ErrMalformed
	}
	if c.kind == innerIndex {
		// The memory goes with the entries of the first child.
		if c, err = r.cells(bytes.Clone(page)); err != nil {
			return err
		}
	}
	for i := range c.Count {
		cell, err := c.Cell(i)
		if err != nil {
			return err
		}
		if c.kind == innerIndex {
			if err := r.walk(binary.BigEndian.Uint32(cell), depth+1); err != nil {
				return err
			}
			cell = cell[4:]
		}
		size, n := Varint(cell)
		if n == 0 {
			return ErrMalformed
		}
		local, next, err := r.Payload(cell[n:], size, true)
		if err != nil || size > mostEntry {
			return ErrMalformed
		}
		payload, err := r.Whole(local, next, size)
		if err != nil {
			return err
		}
		r.filled.payloads = append(r.filled.payloads, payload)
	}
	if c.kind == innerIndex {
		return r.walk(c.right, depth+1)
	}
	return nil
}
