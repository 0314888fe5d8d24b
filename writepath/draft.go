package writepath

import (
	"errors"
	"sync"

	"github.com/ontosql/ontosql/format"
)

// Draft takes the rows of one type while they are made, for a transaction that
// writes them and nothing else of the type (Data.Draft): its data file is encoded
// meanwhile, on another processor, and nobody keeps the rows. It may go through
// several transactions until one is committed. It is not safe for concurrent use.
type Draft struct {
	rows  chan []format.Row
	done  chan struct{} // closed when spool, found or err stands
	spool *spool
	found *identities
	err   error
	ended bool // no row is added any more
	close func()
}

// Draft begins a draft of rows like Data's, of which Rows mean nothing. It is nil
// where as many are under way as memory allows. The caller closes it.
func (c *Committer) Draft(d Data) *Draft {
	select {
	case c.drafting <- struct{}{}:
	default:
		return nil
	}
	f := &Draft{rows: make(chan []format.Row, 2), done: make(chan struct{}), found: newIdentities(c.seed)}
	f.close = sync.OnceFunc(func() {
		_ = f.end() // nobody wants the file
		if f.spool != nil {
			f.spool.close()
		}
		<-c.drafting
	})
	go func() {
		defer close(f.done)
		f.spool, f.err = newSpool(c.o.TempDir, d, f.all(d))
	}()
	return f
}

// all are the rows as they are added.
func (f *Draft) all(d Data) func(yield func(format.Row, error) bool) {
	return func(yield func(format.Row, error) bool) {
		for batch := range f.rows {
			for _, r := range batch {
				f.found.add(Identity(d.Type.Kind, &r), 0)
				r.SchemaVersionID = d.SchemaVersion
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// errDraftEnded: rows are added to a draft that is committed or closed.
var errDraftEnded = errors.New("the draft has ended")

// Add takes rows, which are the draft's from now on. Of identities that come twice
// the caller takes care.
func (f *Draft) Add(rows []format.Row) error {
	if f.ended {
		return errDraftEnded
	}
	select {
	case f.rows <- rows:
		return nil
	case <-f.done:
		return f.err
	}
}

// end waits until all rows are in the file.
func (f *Draft) end() error {
	if !f.ended {
		f.ended = true
		close(f.rows)
	}
	<-f.done
	return f.err
}

// Close removes the file.
func (f *Draft) Close() { f.close() }
