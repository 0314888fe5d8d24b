package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Options configures an Outbox.
type Options struct {
	Bucket objstore.Bucket
	Log    *chain.Log       // of the bucket; Look reads manifests with it
	Now    func() time.Time // time.Now if nil
	// Damaged is called with a *ontosql.CorruptError for the events of a commit that cannot be read
	// and are never sent, and for a mark that cannot be read. It may be nil.
	Damaged func(error)
}

// Outbox sends the events of commits. Its methods are safe for concurrent use.
type Outbox struct {
	o    Options
	turn chan struct{} // held by the one call that sends, which owns the fields below
	head objstore.Version
	done *chain.Entry     // the last commit whose events were sent; nil before the first look
	mark ontosql.CommitID // the commit of the mark as it was last seen
}

// Open returns an Outbox. It makes no requests.
func Open(o Options) *Outbox {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Damaged == nil {
		o.Damaged = func(error) {}
	}
	return &Outbox{o: o, turn: make(chan struct{}, 1)}
}

const (
	// parallel is the number of events that are written at a time.
	parallel = 16
	// markEvery is the number of commits without events after which the mark follows all the same.
	markEvery = 256
	// lateness is how much older than the mark an event may be that was not sent when the mark was
	// written, in a history that is not the mark's.
	lateness = 10 * time.Minute
)

func isMissing(err error) bool { return errors.Is(err, objstore.ErrNotFound) }

// take waits for the turn.
func (o *Outbox) take(ctx context.Context) error {
	select {
	case o.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("send events of commits: %w", objstore.ContextError(ctx))
	}
}

// Look sends the events of all commits up to the head that were not sent. A worker calls it before it
// claims; a head that did not change costs one conditional read. A store without a head has no
// commits. The error is the store's, or a *ontosql.CorruptError of the head or the chain.
func (o *Outbox) Look(ctx context.Context) error {
	if err := o.take(ctx); err != nil {
		return err
	}
	defer func() { <-o.turn }()
	body, version, changed, err := objstore.ReadIfChanged(ctx, o.o.Bucket, format.HeadKey, o.head)
	if isMissing(err) || err == nil && !changed {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read head: %w", err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return fmt.Errorf("read head: %w", err)
	}
	view, err := o.o.Log.At(ctx, head)
	if err != nil {
		return err
	}
	if err := o.send(ctx, view); err != nil {
		return err
	}
	o.head = version
	return nil
}

// Before is a bus on the bucket that looks before each claim, so that a worker gets the events that
// dead writers have left.
func (o *Outbox) Before(b eventbus.Bus) eventbus.Bus { return looking{b, o} }

type looking struct {
	eventbus.Bus
	outbox *Outbox
}

func (l looking) Claim(ctx context.Context, r eventbus.Request) ([]eventbus.Delivery, error) {
	if err := l.outbox.Look(ctx); err != nil {
		return nil, err
	}
	return l.Bus.Claim(ctx, r)
}

// Send sends the events of all commits of a view that were not sent. A committer calls it after the
// swap of the head: the commit stands, whatever the error, and what was not sent is sent by the next
// call of anybody. After a cancelled commit the context should be one without its end.
func (o *Outbox) Send(ctx context.Context, view *chain.View) error {
	if err := o.take(ctx); err != nil {
		return err
	}
	defer func() { <-o.turn }()
	return o.send(ctx, view)
}

func (o *Outbox) send(ctx context.Context, view *chain.View) error {
	last := view.Commit(view.Head().Commit)
	if last == nil || o.nothingSince(view, last) {
		return nil
	}
	mark, version, err := o.readMark(ctx)
	if err != nil {
		return err
	}
	from, since := unsent(view, last, mark)
	sent := 0
	for id := from; id <= last.ID; id++ {
		n, err := o.sendCommit(ctx, view.Commit(id), since)
		if err != nil {
			return fmt.Errorf("send events of commit %d: %w", id, err)
		}
		sent += n
	}
	if sent > 0 || last.ID-from+1 >= markEvery {
		if err := o.moveMark(ctx, version, last); err != nil {
			return err
		}
	}
	o.done = last
	return nil
}

// nothingSince reports whether the commits since the last call, or all before the first one, have no
// events, so that the mark need not be read.
func (o *Outbox) nothingSince(view *chain.View, last *chain.Entry) bool {
	from := ontosql.CommitID(1)
	if o.done != nil {
		if e := view.Commit(o.done.ID); e == nil || e.Path != o.done.Path || o.mark > 0 && last.ID-o.mark >= markEvery {
			return false
		}
		from = o.done.ID + 1
	}
	for id := from; id <= last.ID; id++ {
		if _, events := view.Commit(id).Manifest.Metadata[format.MetadataEvents]; events {
			return false
		}
	}
	o.done = last
	return true
}

// unsent is the first commit of a view whose events may not have been sent, and the time before which
// all were. If the mark is not of the view's history, because the head went back or the store was made
// anew, the commits do not tell: what is older than the mark was sent. A mark above the head is of the
// same history if the head is older; then the view is late.
func unsent(view *chain.View, last *chain.Entry, mark *format.EventsSent) (ontosql.CommitID, time.Time) {
	if mark == nil {
		return 1, time.Time{}
	}
	e := view.Commit(mark.CommitID)
	switch {
	case e != nil && e.Path == mark.ManifestPath:
		return mark.CommitID + 1, time.Time{}
	case e == nil && !last.Manifest.CreatedAt.After(mark.UpdatedAt.Time):
		return last.ID + 1, time.Time{}
	}
	return 1, mark.UpdatedAt.Add(-lateness)
}

// Unsent returns the events of the commits of a view that may not have been sent: those after the mark
// as it is now. Some of them may be there all the same. Events that cannot be read are left out.
func Unsent(ctx context.Context, b objstore.Bucket, view *chain.View) ([]format.Event, error) {
	last := view.Commit(view.Head().Commit)
	if last == nil {
		return nil, nil
	}
	mark, _, err := Open(Options{Bucket: b}).readMark(ctx)
	if err != nil {
		return nil, err
	}
	var all []format.Event
	from, since := unsent(view, last, mark)
	for id := from; id <= last.ID; id++ {
		e := view.Commit(id)
		events, err := Events(ctx, b, e.Path, e.Manifest)
		if err != nil && !errors.As(err, new(*ontosql.CorruptError)) {
			return nil, err
		}
		for i := range events {
			if !events[i].CreatedAt.Before(since) {
				all = append(all, events[i])
			}
		}
	}
	return all, nil
}

// sendCommit puts the events of a commit, and returns how many there are. Those before since were sent.
func (o *Outbox) sendCommit(ctx context.Context, e *chain.Entry, since time.Time) (int, error) {
	events, err := Events(ctx, o.o.Bucket, e.Path, e.Manifest)
	if corrupt := (*ontosql.CorruptError)(nil); errors.As(err, &corrupt) {
		o.o.Damaged(err)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range events {
		if events[i].CreatedAt.Before(since) {
			continue
		}
		g.Go(func() error {
			err := objects.Put(ctx, o.o.Bucket, &events[i])
			if name := (*eventbus.NameError)(nil); errors.As(err, &name) { // of another writer, or another kind of store
				o.o.Damaged(&ontosql.CorruptError{Key: e.Path, Field: format.MetadataEvents, Err: err})
				return nil
			}
			return err
		})
	}
	return len(events), g.Wait()
}

// readMark reads the mark; nil for none and for one that cannot be read.
func (o *Outbox) readMark(ctx context.Context) (*format.EventsSent, objstore.Version, error) {
	body, version, err := o.o.Bucket.Get(ctx, format.EventsSentKey)
	if isMissing(err) {
		return nil, objstore.Absent, nil
	}
	if err != nil {
		return nil, objstore.Absent, fmt.Errorf("read %s: %w", format.EventsSentKey, err)
	}
	mark, err := format.DecodeEventsSent(format.EventsSentKey, body)
	if err != nil {
		o.o.Damaged(err)
		return nil, version, nil
	}
	o.mark = mark.CommitID
	return mark, version, nil
}

// moveMark writes the mark. If somebody else has moved it meanwhile, that one's stands: a mark that is
// too low costs requests only.
func (o *Outbox) moveMark(ctx context.Context, version objstore.Version, to *chain.Entry) error {
	mark := &format.EventsSent{CommitID: to.ID, ManifestPath: to.Path, UpdatedAt: format.TimeOf(o.o.Now())}
	_, err := o.o.Bucket.Swap(ctx, format.EventsSentKey, version, format.EncodeEventsSent(mark))
	if err == nil {
		o.mark = to.ID
	}
	if err == nil || errors.Is(err, objstore.ErrPreconditionFailed) || errors.Is(err, objstore.ErrConflict) {
		return nil
	}
	return fmt.Errorf("write %s: %w", format.EventsSentKey, err)
}
