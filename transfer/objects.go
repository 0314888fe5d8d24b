package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/spool"
)

// Objects copies an ontology from one bucket to another: all commits of its head's chain, the
// snapshots that its indexes name, its schema objects and its event data, under the same keys
// with the same bytes. Objects of failed attempts and the lock are not copied. It remembers what
// it has copied, so that the next Copy asks less of both buckets.
type Objects struct {
	CopyOptions
	from, to objstore.Bucket
	log      *chain.Log

	last *state           // of the source, when it was copied last
	head objstore.Version // of the target then

	mu     sync.Mutex
	copied map[string]stamp // mutable objects of the source that the target has had since then
}

// NewObjects prepares copies between two buckets. log is the chain log of from.
func NewObjects(from objstore.Bucket, log *chain.Log, to objstore.Bucket, o CopyOptions) *Objects {
	return &Objects{CopyOptions: o, from: from, to: to, log: log, copied: map[string]stamp{}}
}

// Copy brings what is new in the source. Writers of the source can continue: the target gets the
// state of one head.
//
// A new target becomes an ontology when its head is written, which is last and only after
// everything was read back. A target with an earlier state of the source moves to the new head
// in the same way; in between, and if the copy is interrupted, it is sound at the earlier head. An
// interrupted run is resumed by the next one. Until then the object format.CopyMarkKey is there.
//
// Nobody else writes to the target while objects of it change that are there already: the copy
// then has the target's write lock.
//
// Errors: ErrOtherOntology, ErrNotEmpty, ErrUnstable, *writepath.LeaseHeldError and
// writepath.ErrLeaseLost of the target, objstore.ErrPreconditionFailed if somebody has committed
// to it meanwhile, ontosql.ErrNotInitialised if the source has no head, or the target none any
// more, *ontosql.CorruptError for a damaged source, and those of the buckets.
func (o *Objects) Copy(ctx context.Context) (*Copied, error) {
	c := &objectCopy{Objects: o}
	var err error
	if c.state, err = readState(ctx, o.from, o.last); err != nil {
		return nil, err
	}
	if c.view, err = o.log.At(ctx, c.state.head); err != nil {
		return nil, err
	}
	m := mark{Engine: sumOf(c.state.objects[format.EngineKey])}
	if first := c.view.Commit(1); first != nil {
		m.First = first.Path
	}
	c.target, err = openTarget(ctx, o.to, m, c.state.head.CommitID, func(head *format.Head) error {
		switch {
		case head == nil && o.last != nil: // such as a directory that is not mounted any more
			return fmt.Errorf("the target has lost its head: %w", ontosql.ErrNotInitialised)
		case head == nil:
			return nil
		case head.CommitID == 0: // no commit says whose copy it is, but each initialisation makes another marker
			return checkSame(ctx, o.from, o.to, format.EngineKey)
		}
		return checkPrefix(ctx, o.from, o.to, c.view, head)
	})
	if err != nil {
		return nil, err
	}
	defer c.target.close()
	if c.target.version != o.head { // somebody may have put it back to an earlier state
		clear(o.copied)
	}
	for _, step := range c.steps() {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.target.removeMark(ctx); err != nil {
		return nil, err
	}
	o.last, o.head = c.state, c.target.version
	c.done.Objects, c.done.Bytes = c.target.put.objects(), c.target.put.size()
	c.done.Head = c.state.head.CommitID
	c.done.Commits = int(c.state.head.CommitID - c.target.base)
	return &c.done, nil
}

// objectCopy is one Copy.
type objectCopy struct {
	*Objects
	target *bucketTarget
	state  *state
	view   *chain.View // of the source, at the head of state
	done   Copied
	// snapshots are the sizes of the snapshots of the source and of the target.
	snapshots struct {
		once   sync.Once
		ours   map[string]int64
		theirs map[string]int64
		err    error
	}
}

type copyStep = func(context.Context) error

// steps are the steps of a copy in their order. Nobody reads a new target before its head, so the
// head is last. One that has a head may be opened at any moment, also because the source is lost
// while the copy goes on. So indexes, which must not be ahead of the head, are written after it. The
// schema is written as its writers do: after a commit that has it (decision A13); otherwise what the
// rows of new commits need comes before them, and what a drop takes away after it.
func (c *objectCopy) steps() []copyStep {
	switch inCommits, drops := c.schemaChanges(); {
	case c.target.head == nil:
		return []copyStep{c.commits, c.indexes, c.events, c.meta, c.verify, c.moveHead}
	case inCommits:
		return []copyStep{c.commits, c.verify, c.moveHead, c.meta, c.indexes, c.events}
	case drops:
		return []copyStep{c.commits, c.verify, c.newVersions, c.moveHead, c.meta, c.indexes, c.events}
	}
	return []copyStep{c.commits, c.verify, c.meta, c.moveHead, c.indexes, c.events}
}

// schemaChanges reports whether a new commit has a schema in its metadata, and whether one drops a
// type.
func (c *objectCopy) schemaChanges() (inCommits, drops bool) {
	for id := c.target.base + 1; id <= c.view.Head().Commit; id++ {
		e := c.view.Commit(id)
		_, changes := e.Manifest.Metadata[format.MetadataSchema]
		inCommits, drops = inCommits || changes, drops || len(e.Drops()) > 0
	}
	return inCommits, drops
}

func (c *objectCopy) moveHead(ctx context.Context) error {
	return c.target.moveHead(ctx, c.state.head, c.state.body)
}

// immutable is an object of a commit; sha256 is "" if unknown.
type immutable struct{ key, sha256 string }

// objectsOf returns the objects of the commits after base, in order.
func objectsOf(v *chain.View, base ontosql.CommitID) []immutable {
	var all []immutable
	for id := base + 1; id <= v.Head().Commit; id++ {
		e := v.Commit(id)
		for i := range e.Manifest.Files {
			all = append(all, immutable{e.Manifest.Files[i].Path, e.Manifest.Files[i].ContentSHA256})
		}
		if _, events, err := format.EventsOf(e.Path, e.Manifest); err == nil && events != "" {
			all = append(all, immutable{key: events})
		}
		all = append(all, immutable{key: e.Path})
	}
	return all
}

// ObjectKeys returns the keys of the objects of the commits of a chain in their order, the manifest of
// each commit last.
func ObjectKeys(v *chain.View) []string {
	all := objectsOf(v, 0)
	keys := make([]string, len(all))
	for i := range all {
		keys[i] = all[i].key
	}
	return keys
}

// commits copies the objects of the commits missing in the target.
func (c *objectCopy) commits(ctx context.Context) error {
	var missing []immutable
	for _, o := range objectsOf(c.view, c.target.base) {
		if !c.target.existing[o.key] {
			missing = append(missing, o)
		}
	}
	count := c.step("copying objects", len(missing))
	return inParallel(ctx, len(missing), count, func(ctx context.Context, i int) error {
		return c.copyObject(ctx, missing[i].key, missing[i].sha256)
	})
}

// copyObject copies one object.
func (c *objectCopy) copyObject(ctx context.Context, key, sha256 string) error {
	s, _, err := c.fetch(ctx, c.from, key, sha256)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.target.put.upload(ctx, c.to, key, s)
}

// fetch reads an object; again if its body breaks off, which no bucket does by itself.
func (c *objectCopy) fetch(ctx context.Context, b objstore.Bucket, key, sha256 string) (*spool.Spool, string, error) {
	const attempts = 3
	for n := 1; ; n++ {
		s, sum, err := spools(c.Temp).Fetch(ctx, b, key, sha256)
		if n == attempts || ctx.Err() != nil || !errors.Is(err, objstore.ErrUnreachable) {
			return s, sum, err
		}
	}
}

// verify reads back every commit that is about to become visible: the manifests, whose chain is
// the source's if their bytes are, and each file that they name.
func (c *objectCopy) verify(ctx context.Context) error {
	types := map[ontosql.TypeRef]bool{}
	for id := c.target.base + 1; id <= c.view.Head().Commit; id++ {
		files := c.view.Commit(id).Manifest.Files
		for i := range files {
			types[files[i].Ref()] = true
		}
		c.done.Points++
	}
	c.done.Types = len(types)
	objects := objectsOf(c.view, c.target.base)
	return inParallel(ctx, len(objects), c.step("verifying objects", len(objects)), func(ctx context.Context, i int) error {
		return c.readBack(ctx, objects[i])
	})
}

// readBack compares an object of the target with its manifest's checksum, or with the source's
// if the manifest has none. One that an interrupted run left otherwise is copied again.
func (c *objectCopy) readBack(ctx context.Context, o immutable) error {
	want := o.sha256
	if want == "" {
		s, sum, err := c.fetch(ctx, c.from, o.key, "")
		if err != nil {
			return err
		}
		s.Close()
		want = sum
	}
	differs := c.differs(ctx, o.key, want)
	var other *mismatch
	if !errors.As(differs, &other) || !c.target.existing[o.key] {
		return differs
	}
	if err := c.copyObject(ctx, o.key, want); err != nil {
		return err
	}
	return c.differs(ctx, o.key, want)
}

// differs returns a *mismatch unless an object of the target has a checksum.
func (c *objectCopy) differs(ctx context.Context, key, want string) error {
	s, sum, err := c.fetch(ctx, c.to, key, "")
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	s.Close()
	if sum != want {
		return &mismatch{key}
	}
	return nil
}

// copyChanged copies a mutable object of the source with its current content, unless the target
// has that. body changes the content; nil leaves it, and a nil result is not written. An object
// that is gone is left out.
func (c *objectCopy) copyChanged(ctx context.Context, key string, now stamp, body func(context.Context, []byte) ([]byte, error)) error {
	c.mu.Lock()
	known := now.unchanged(c.copied[key])
	c.mu.Unlock()
	if known {
		return nil
	}
	content, _, err := c.from.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", key, err)
	}
	written := content
	if body != nil {
		if written, err = body(ctx, content); err != nil || written == nil {
			return err
		}
	}
	if err := c.target.change(ctx, key, written); err != nil {
		return err
	}
	if bytes.Equal(written, content) {
		c.remember(key, now)
	}
	return nil
}

// remember notes that the target has an object of the source as it was at a stamp.
func (o *Objects) remember(key string, at stamp) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.copied[key] = at
}
