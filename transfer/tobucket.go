package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
)

// unknownRuntime is the runtime_id of a commit whose runtime is unknown, as the original
// writes it (COMPAT 3.3).
const unknownRuntime = "unknown-runtime"

// CopyToBucket copies the ontology of a SQLite file to a bucket: each commit gets a manifest
// and Parquet files in the layout of the file's engine version. For the head, interrupted runs
// and earlier states see Objects. Keys are derived from the history, so that every run
// writes the same objects under the same keys.
func CopyToBucket(ctx context.Context, src *Tables, to objstore.Bucket, o CopyOptions) (*Copied, error) {
	c := &bucketCopy{CopyOptions: o, src: src, pin: src.Pin()}
	m := mark{Engine: sumOf([]byte("sqlite " + c.pin.Engine))}
	if first := c.pin.View.Commit(1); first != nil {
		m.First = first.Path
	}
	var err error
	if c.to, err = openTarget(ctx, to, m, c.pin.Head.Commit, func(head *format.Head) error { return c.isEarlierState(ctx, to, head) }); err != nil {
		return nil, err
	}
	defer c.to.close()
	c.head = &format.Head{CommitID: c.pin.Head.Commit, RuntimeID: unknownRuntime, UpdatedAt: format.TimeOf(c.pin.Head.UpdatedAt)}
	if c.head.CommitID > 0 {
		path := c.manifestKey(c.head.CommitID)
		c.head.ManifestPath = &path
	}
	for _, step := range []func(context.Context) error{c.commits, c.schema, c.eventData, c.verify} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.to.moveHead(ctx, c.head, format.EncodeHead(c.head)); err != nil {
		return nil, err
	}
	if err := c.to.removeMark(ctx); err != nil {
		return nil, err
	}
	c.copied.Head, c.copied.Commits = c.head.CommitID, int(c.head.CommitID-c.to.base)
	c.copied.Objects, c.copied.Bytes = c.to.put.objects(), c.to.put.size()
	return &c.copied, nil
}

// bucketCopy is one run of CopyToBucket.
type bucketCopy struct {
	CopyOptions
	src        *Tables
	pin        *resolver.Pin
	to         *bucketTarget
	targetView *chain.View // of the target, nil if it has no head
	head       *format.Head
	view       *chain.View // of the target, after all commits are written
	events     eventSums
	copied     Copied
}

// isEarlierState returns an error unless the target's head, if there is one, is an earlier state of
// the source.
func (c *bucketCopy) isEarlierState(ctx context.Context, to objstore.Bucket, head *format.Head) error {
	if head == nil {
		return nil
	}
	view, err := chainOf(ctx, to, head)
	if err != nil {
		return err
	}
	engine, err := engineOf(ctx, to)
	if err != nil {
		return err
	}
	if head.CommitID == 0 && c.pin.Head.Commit > 0 {
		return ErrOtherOntology
	}
	c.targetView = view
	return earlier(&resolver.Pin{Head: head.Pin(), View: view, Engine: engine}, c.pin)
}

// engineOf returns the engine version of a bucket; one without a marker is v1.
func engineOf(ctx context.Context, b objstore.Bucket) (string, error) {
	body, _, err := b.Get(ctx, format.EngineKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return format.EngineV1, nil
	}
	if err != nil {
		return "", fmt.Errorf("read engine marker: %w", err)
	}
	e, err := format.DecodeEngine(format.EngineKey, body)
	if err != nil {
		return "", err
	}
	return e.EngineVersion, nil
}

// attempt returns the attempt name for the keys of a commit: part of the commit's mark, which
// depends on all commits before it.
func (c *bucketCopy) attempt(id ontosql.CommitID) string {
	path := c.pin.View.Commit(id).Path
	return path[strings.LastIndexByte(path, '-')+1:][:8]
}

// manifestKey returns the key of a commit's manifest. It differs if another program wrote the
// target's commits, such as the bucket from which the file was made.
func (c *bucketCopy) manifestKey(id ontosql.CommitID) string {
	if id <= c.to.base {
		return c.targetView.Commit(id).Path
	}
	return format.ManifestKey(id, c.attempt(id))
}

// commits writes the commits missing in the target. A manifest is written after its files, so
// that a commit with a manifest is complete.
func (c *bucketCopy) commits(ctx context.Context) error {
	done := c.to.base
	for done < c.head.CommitID {
		if !c.to.existing[c.manifestKey(done+1)] {
			break
		}
		done++
	}
	count := c.step("copying rows", rowsIn(c.pin, done))
	uploads, inner := errgroup.WithContext(ctx)
	uploads.SetLimit(parallel)
	err := c.encode(inner, done, count, func(e *encoded) {
		uploads.Go(func() error { return c.upload(inner, e) })
	})
	if failed := uploads.Wait(); failed != nil {
		return failed // which has stopped the encoding too
	}
	if err == nil {
		count.end()
	}
	return err
}

// encode encodes the objects of the commits after done and passes each commit to give.
func (c *bucketCopy) encode(ctx context.Context, done ontosql.CommitID, count *counter, give func(*encoded)) error {
	next, stop := iter.Pull2(c.src.Rows(ctx, nil, done, c.head.CommitID))
	defer stop()
	row, err, more := next()
	schemas := schemaFields(c.pin)
	for id := done + 1; id <= c.head.CommitID && err == nil; id++ {
		e := &encoder{copy: c, id: id, schemas: schemas}
		for ; err == nil && more && row.Commit == id; row, err, more = next() {
			if err = e.add(&row); err != nil {
				break
			}
			c.copied.Rows++
			count.add(1)
		}
		out, bad := e.finish()
		if err == nil {
			err = bad
		}
		if err == nil && ctx.Err() != nil {
			err = objstore.ContextError(ctx)
		}
		if err != nil {
			out.close()
			break
		}
		give(out)
	}
	return err
}

// upload writes the objects of a commit.
func (c *bucketCopy) upload(ctx context.Context, e *encoded) error {
	defer e.close()
	for i, key := range e.keys {
		if err := c.to.put.upload(ctx, c.to.bucket, key, e.files[i]); err != nil {
			return err
		}
	}
	return c.to.put.put(ctx, c.to.bucket, e.manifestKey, e.manifest)
}

// eventData copies the event data as objects.
func (c *bucketCopy) eventData(ctx context.Context) error {
	c.events = eventSums{}
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	err := c.src.Events(ctx, func(key string, body []byte) error {
		c.copied.Events++
		g.Go(func() error { return c.to.change(inner, key, body) })
		return c.events.add(key, body)
	})
	return errors.Join(g.Wait(), err)
}

// verify reads the target as if the head were written, and compares it as readers will see it.
func (c *bucketCopy) verify(ctx context.Context) error {
	ahead := &bucketWithHead{Bucket: c.to.bucket, head: format.EncodeHead(c.head)}
	log, err := chain.Open("", chain.Options{Bucket: ahead})
	if err != nil {
		return err
	}
	defer log.Close()
	store := resolver.Open(resolver.Options{Bucket: ahead, Log: log})
	defer store.Close()
	pin, err := store.Pin(ctx)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	target := NewBucket(c.to.bucket, pin, c.Temp)
	if err := compare(ctx, c.src, target, c.step("comparing rows", rowsIn(c.pin, 0)), &c.copied); err != nil {
		return err
	}
	found := eventSums{}
	if err := target.Events(ctx, found.add); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	return c.events.compare(found)
}

// bucketWithHead is a bucket with its head replaced.
type bucketWithHead struct {
	objstore.Bucket
	head []byte
}

// Get implements objstore.Bucket.
func (h *bucketWithHead) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if key == format.HeadKey {
		return h.head, "ahead", nil
	}
	return h.Bucket.Get(ctx, key)
}
