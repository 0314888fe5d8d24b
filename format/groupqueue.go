package format

import "fmt"

// groupQueue writes row groups behind the one who fills them: while one is
// written, the other is filled.
type groupQueue struct {
	full  chan *rowGroup
	empty chan *rowGroup
	done  chan struct{} // closed when the writer has ended
	err   error         // of the writer, which writes nothing more after it
}

// newGroupQueue begins to write to p; spare is the second group. The caller
// closes it, and uses p no more before that.
func newGroupQueue(p *parquetWriter, spare *rowGroup) *groupQueue {
	q := &groupQueue{full: make(chan *rowGroup), empty: make(chan *rowGroup, 2), done: make(chan struct{})}
	q.empty <- spare
	go func() {
		defer close(q.done)
		defer func() {
			if r := recover(); r != nil { // as in the one goroutine, it is its transaction's
				q.err = fmt.Errorf("write row group: %v", r)
			}
		}()
		for g := range q.full {
			if q.err = p.write(g); q.err != nil {
				return
			}
			q.empty <- g
		}
	}()
	return q
}

// exchange gives a full group for an empty one. The error is that of a write.
func (q *groupQueue) exchange(g *rowGroup) (*rowGroup, error) {
	select {
	case q.full <- g:
	case <-q.done:
		return nil, q.err
	}
	select {
	case g = <-q.empty:
		return g, nil
	case <-q.done:
		return nil, q.err
	}
}

// close waits until everything is written.
func (q *groupQueue) close() error {
	close(q.full)
	<-q.done
	return q.err
}
