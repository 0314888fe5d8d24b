package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
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
	// Sent is called with the events of a commit when they are on the bus. It may be nil.
	Sent func([]format.Event)
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
	if o.Sent == nil {
		o.Sent = func([]format.Event) {}
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
	// ownTime is how long after a commit its events are put without knowing the mark.
	ownTime = time.Second
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
	_, err := o.look(ctx)
	return err
}

// look is Look, and reports whether there was something to send.
func (o *Outbox) look(ctx context.Context) (sent bool, err error) {
	if err := o.take(ctx); err != nil {
		return false, err
	}
	defer func() { <-o.turn }()
	body, version, changed, err := objstore.ReadIfChanged(ctx, o.o.Bucket, format.HeadKey, o.head)
	if isMissing(err) || err == nil && !changed {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read head: %w", err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return false, fmt.Errorf("read head: %w", err)
	}
	view, err := o.o.Log.At(ctx, head)
	if err != nil {
		return false, err
	}
	if sent, err = o.send(ctx, view, Own{}); err != nil {
		return sent, err
	}
	o.head = version
	return sent, nil
}

// Before is a bus on the bucket of an Outbox that looks, so that a worker gets the events that dead
// writers have left.
func (o *Outbox) Before(b *objects.Bus) eventbus.Bus { return &looking{Bus: b, outbox: o} }

type looking struct {
	*objects.Bus
	outbox *Outbox
	looked atomic.Int64 // when, in ns
}

// lookEvery is how long a worker that always finds something does not look.
const lookEvery = 5 * time.Second

// Claim implements eventbus.Bus. What others have left is looked for when nothing else is to be done.
func (l *looking) Claim(ctx context.Context, r eventbus.Request) ([]eventbus.Delivery, error) {
	taken, err := l.Bus.Claim(ctx, r)
	if err != nil || len(taken) > 0 && time.Since(time.Unix(0, l.looked.Load())) < lookEvery {
		return taken, err
	}
	l.looked.Store(time.Now().UnixNano())
	sent, err := l.outbox.look(ctx)
	if err == nil && sent && len(taken) == 0 {
		return l.Bus.Claim(ctx, r)
	}
	if len(taken) > 0 { // they are leased: the next call tells
		err = nil
	}
	return taken, err
}

// Own says which commits of a view its caller has just made.
type Own struct {
	From ontosql.CommitID // all from this one on; 0 for none
	At   time.Time        // before the first of them was visible, with a monotonic reading
}

// Send sends the events of all commits of a view that were not sent. A committer calls it after the
// swap of the head: the commit stands, whatever the error, and what was not sent is sent by the next
// call of anybody. After a cancelled commit the context should be one without its end.
func (o *Outbox) Send(ctx context.Context, view *chain.View, own Own) error {
	if err := o.take(ctx); err != nil {
		return err
	}
	defer func() { <-o.turn }()
	_, err := o.send(ctx, view, own)
	return err
}

// send sends what the mark says was not sent. The events of the caller's own commits are put while the
// mark is read, which takes a round trip less. Another process may have sent them meanwhile. That does
// no harm while they are there; if they were handled and cleaned up since, they would be sent again.
// Between reading the mark and putting an event there is the same window, so it is made no longer than
// ownTime: a process that was stopped after its commit asks for the mark first.
func (o *Outbox) send(ctx context.Context, view *chain.View, own Own) (sent bool, err error) {
	last := view.Commit(view.Head().Commit)
	if last == nil || o.nothingSince(view, last) {
		return false, nil
	}
	early := last.ID + 1
	if own.From > 0 && time.Since(own.At) < ownTime {
		early = own.From
	}
	var mark *format.EventsSent
	var version objstore.Version
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		mark, version, err = o.readMark(both)
		return err
	})
	if early <= last.ID {
		g.Go(func() (err error) {
			sent, err = o.sendCommits(both, view, early, last.ID, time.Time{})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return sent, err
	}
	from, since := unsent(view, last, mark)
	others, err := o.sendCommits(ctx, view, from, early-1, since)
	if sent = sent || others; err != nil {
		return sent, err
	}
	if unmarked := last.ID + 1 - from; unmarked > 0 && (sent || unmarked >= markEvery) {
		if err := o.moveMark(ctx, version, last); err != nil {
			return sent, err
		}
	}
	o.done = last
	return sent, nil
}

// sendCommits puts the events of some commits, and reports whether they have any. Those before since
// were sent.
func (o *Outbox) sendCommits(ctx context.Context, view *chain.View, from, to ontosql.CommitID, since time.Time) (sent bool, err error) {
	for id := from; id <= to; id++ {
		any, err := o.sendCommit(ctx, view.Commit(id), since)
		if err != nil {
			return sent, fmt.Errorf("send events of commit %d: %w", id, err)
		}
		sent = sent || any
	}
	return sent, nil
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

// sendCommit puts the events of a commit, and reports whether it has any. Those before since were sent.
func (o *Outbox) sendCommit(ctx context.Context, e *chain.Entry, since time.Time) (any bool, err error) {
	events, err := Events(ctx, o.o.Bucket, e.Path, e.Manifest)
	if corrupt := (*ontosql.CorruptError)(nil); errors.As(err, &corrupt) {
		o.o.Damaged(err)
		return false, nil
	}
	if err != nil || len(events) == 0 {
		return false, err
	}
	any = true
	events = slices.DeleteFunc(events, func(e format.Event) bool { return e.CreatedAt.Before(since) })
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range events {
		g.Go(func() error {
			err := objects.Put(ctx, o.o.Bucket, &events[i])
			if name := (*eventbus.NameError)(nil); errors.As(err, &name) { // of another writer, or another kind of store
				o.o.Damaged(&ontosql.CorruptError{Key: e.Path, Field: format.MetadataEvents, Err: err})
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return any, err
	}
	o.o.Sent(events)
	return any, nil
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
