package writepath

import (
	"errors"
	"hash/maphash"
	"iter"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Draft takes the rows of one type while they are made, for a transaction that
// writes them and nothing else of the type (Data.Draft): its data file is encoded
// meanwhile, on another processor, and nobody keeps the rows. It may go through
// several transactions until one is committed. It is not safe for concurrent use.
type Draft struct {
	kind       ontosql.Kind
	rows       chan *Batch
	used       chan *Batch   // whose rows are in the file
	done       chan struct{} // closed when spool or err stands
	spool      *spool
	identities *identities // of the rows that were added
	text       []byte      // the identity at hand
	err        error
	ended      bool // no row is added any more
	close      func()
}

// Batch are rows on their way into a draft.
type Batch struct {
	Rows  []format.Row
	Texts []byte // where Fields of the rows lie, unless they have memory of their own
}

// Draft begins a draft of rows like Data's, of which Rows mean nothing. It is nil
// where as many are under way as memory allows. The caller closes it.
func (c *Committer) Draft(d Data) *Draft {
	select {
	case c.drafting <- struct{}{}:
	default:
		return nil
	}
	const waiting = 2
	f := &Draft{
		kind: d.Type.Kind, rows: make(chan *Batch, waiting), used: make(chan *Batch, waiting+1), done: make(chan struct{}),
		identities: &identities{hashed: new(hashes), seed: c.seed},
	}
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
func (f *Draft) all(d Data) iter.Seq2[format.Row, error] {
	return func(yield func(format.Row, error) bool) {
		for batch := range f.rows {
			for _, r := range batch.Rows {
				r.SchemaVersionID = d.SchemaVersion
				if !yield(r, nil) {
					return
				}
			}
			select {
			case f.used <- batch:
			default:
			}
		}
	}
}

// maxReusedText is how much memory for texts is used again.
const maxReusedText = 1 << 20

// errDraftEnded: rows are added to a draft that is committed or closed.
var errDraftEnded = errors.New("the draft has ended")

// Batch is an empty batch for Add, in memory that was used before if there is any.
func (f *Draft) Batch() *Batch {
	select {
	case b := <-f.used:
		clear(b.Rows)
		b.Rows, b.Texts = b.Rows[:0], b.Texts[:0]
		if cap(b.Texts) > maxReusedText {
			b.Texts = nil
		}
		return b
	default:
		return &Batch{}
	}
}

// Add takes rows, which are the draft's from now on with all of their memory. Of
// identities that come twice the caller takes care.
func (f *Draft) Add(b *Batch) error {
	if f.ended {
		return errDraftEnded
	}
	for i := range b.Rows {
		f.identities.hashed.add(f.sum(&b.Rows[i]))
	}
	select {
	case f.rows <- b:
		return nil
	case <-f.done:
		return f.err
	}
}

// sum is the hash of a row's identity.
func (f *Draft) sum(r *format.Row) uint64 {
	if f.kind != ontosql.Relation {
		return maphash.String(f.identities.seed, r.Key)
	}
	f.text = AppendRelationIdentity(f.text[:0], r.Left, r.Right, r.Instance)
	return maphash.Bytes(f.identities.seed, f.text)
}

// Distinct reports whether no identity comes twice. False may be wrong, once in some
// hundred thousand drafts of ten million rows.
func (f *Draft) Distinct() bool { return f.identities.hashed.distinct() }

// Has reports whether a row of an identity was added, as Identity spells it. True
// may be wrong, once in some trillions.
func (f *Draft) Has(identity []byte) bool {
	return f.identities.hashed.has(maphash.Bytes(f.identities.seed, identity))
}

// Identities are the identities of the rows, in their order. No row is added
// afterwards.
func (f *Draft) Identities() iter.Seq2[format.Row, error] {
	return func(yield func(format.Row, error) bool) {
		err := f.end()
		if err == nil {
			err = f.spool.identities(yield)
		}
		if err != nil {
			yield(format.Row{}, err)
		}
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
