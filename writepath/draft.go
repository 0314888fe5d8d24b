package writepath

import (
	"errors"
	"hash/maphash"
	"iter"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Draft encodes the rows of one type while they are produced, for a transaction that writes no
// other rows of the type (Data.Draft). The data file is encoded by another goroutine and the
// rows are not kept in memory. A draft can be used by several transactions until one commits.
// It is not safe for concurrent use.
type Draft struct {
	kind       ontosql.Kind
	rows       chan *Batch
	used       chan *Batch   // batches whose rows are in the file
	done       chan struct{} // closed when spool or err is set
	spool      *spool
	identities *identities // of the added rows
	text       []byte      // buffer of one identity
	err        error
	ended      bool // no more rows can be added
	close      func()
}

// Batch is a batch of rows for a draft.
type Batch struct {
	Rows  []format.Row
	Texts []byte // memory of the rows' Fields, unless they have their own
}

// Draft begins a draft of rows like those of d, whose Rows are ignored. It returns nil if the
// maximum number of drafts is in progress. The caller closes it.
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
		_ = f.end() // the file is discarded
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

// all returns the rows as they are added.
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

// maxReusedText bounds the text memory that is reused.
const maxReusedText = 1 << 20

// errDraftEnded is returned for rows added to a committed or closed draft.
var errDraftEnded = errors.New("the draft has ended")

// Batch returns an empty batch for Add, reusing memory if possible.
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

// Add adds rows; the draft owns the batch and its memory from then on. The caller makes sure
// that no identity is added twice.
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

// sum returns the hash of a row's identity.
func (f *Draft) sum(r *format.Row) uint64 {
	if f.kind != ontosql.Relation {
		return maphash.String(f.identities.seed, r.Key)
	}
	f.text = AppendRelationIdentity(f.text[:0], r.Left, r.Right, r.Instance)
	return maphash.Bytes(f.identities.seed, f.text)
}

// Distinct reports whether no identity was added twice. It may be wrongly false, about once in
// some hundred thousand drafts of ten million rows.
func (f *Draft) Distinct() bool { return f.identities.hashed.distinct() }

// Has reports whether a row with an identity, as Identity spells it, was added. It may be
// wrongly true, about once in some trillion calls.
func (f *Draft) Has(identity []byte) bool {
	return f.identities.hashed.has(maphash.Bytes(f.identities.seed, identity))
}

// Identities returns the identities of the rows, in their order. No rows can be added
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
