package writepath

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
)

// parallel bounds concurrent requests of one kind: the objects of a hundred commits take one
// round trip. With more, another round trip costs less than the connections.
const parallel = 256

// attempt is a transaction staged for one commit id.
type attempt struct {
	p        *pending
	name     string
	manifest *format.Manifest
	sha256   string // of the encoded manifest
	objects  []object
	rows     [][]format.Row // LocalCommit.Rows
	landing  *commitInfo
	edition  int         // of the schema objects on which the schema change is based
	tags     format.Tags // those after it, nil if it does not change them
	events   []format.Event
	err      error // of this transaction only
}

type object struct {
	key  string
	body []byte
	file *spool // instead of body
}

// stage assigns each transaction of a group its commit, in order from the head on, and uploads
// all objects in parallel; nothing is visible yet. If a transaction fails by itself it ends,
// nothing is staged, and rest has the others. The same happens to a schema change computed
// from outdated objects. An error concerns the whole group, which is then rest.
func (t *lockHolder) stage(group []*pending) (staged []*attempt, rest []*pending, err error) {
	staged = make([]*attempt, len(group))
	parent := t.store.head
	// A head's updated_at is never before its commit's created_at, in the original's stores
	// too.
	path, at := parent.ManifestPath, parent.UpdatedAt.Time
	for i, p := range group {
		a := &attempt{p: p, name: randomHex()}
		id := parent.CommitID + 1 + ontosql.CommitID(i)
		at = p.CreatedAt(t.o.Now, at)
		a.manifest = &format.Manifest{CommitID: id, CreatedAt: format.TimeOf(at), RuntimeID: t.o.RuntimeID, ParentManifestPath: path}
		if id > 1 {
			up := id - 1
			a.manifest.ParentCommitID = &up
		}
		own := format.ManifestKey(id, a.name)
		a.events = slices.Clone(p.Events)
		t.sender.Stamp(a.events)
		a.landing = &commitInfo{id: id, path: own, parent: pathOrEmpty(path), at: a.manifest.CreatedAt, writes: p.writes}
		path, staged[i] = &own, a
	}
	if p := group[0]; !p.ChangesRowsOnly() { // it is a group of its own, see selectMembers
		a := staged[0]
		if p.Schema != nil {
			a.landing.change, a.edition, a.err = t.schemaChange(p)
		}
		if a.err == nil && len(p.Tags) > 0 {
			a.tags, a.err = t.tags(p)
		}
		if rest, failed := t.failures(staged); failed {
			return nil, rest, nil
		}
	}
	moved, err := t.upload(staged)
	switch {
	case err != nil:
		return nil, group, t.cause(err)
	case moved:
		t.removeOrphans(staged) // no head that names them was sent
		if p := group[0]; p.tries+1 == maxTries {
			staged[0].err = fmt.Errorf("the schema objects changed at every attempt: %w", ontosql.ErrHeadMoved)
		} else {
			p.tries++
		}
	}
	if rest, failed := t.failures(staged); failed || moved {
		return nil, rest, nil
	}
	return staged, nil, nil
}

// pathOrEmpty returns the path of a parent, "" for none.
func pathOrEmpty(path *string) string {
	if path == nil {
		return ""
	}
	return *path
}

// failures ends the transactions that failed by themselves and returns the others.
func (t *lockHolder) failures(staged []*attempt) (rest []*pending, failed bool) {
	for _, a := range staged {
		if a.err != nil {
			a.p.Finish(Outcome{}, a.err)
			failed = true
			continue
		}
		rest = append(rest, a.p)
	}
	return rest, failed
}

// encode encodes all objects of an attempt.
func (a *attempt) encode(engine string) error {
	events, text, err := outbox.Stage(a.landing.id, a.name, a.events)
	if err != nil {
		return err
	}
	if a.manifest.Metadata, err = a.p.metadata(a.name, a.landing.change, a.tags, events); err != nil {
		return err
	}
	a.manifest.Files = []format.File{}
	data := slices.Clone(a.p.Data)
	slices.SortStableFunc(data, func(x, y Data) int { return cmp.Compare(x.Type.Kind, y.Type.Kind) }) // entities first (COMPAT 3.1)
	for _, d := range data {
		if a.p.writes[d.Type].len() == 0 {
			continue
		}
		var few fewRows
		written, o, err := a.encodeData(d, &few)
		if err != nil {
			return fmt.Errorf("encode %s: %w", d.Type, err)
		}
		file := a.file(engine, d, written)
		o.key = file.Path
		a.manifest.Files = append(a.manifest.Files, file)
		a.rows = append(a.rows, few.rows)
		a.objects = append(a.objects, o)
	}
	a.landing.files = a.manifest.Files
	if text != nil {
		a.objects = append(a.objects, object{key: format.CommitEventsKey(a.landing.id, a.name), body: text})
	}
	body, err := format.EncodeManifest(a.manifest)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	a.sha256 = hex.EncodeToString(sum[:])
	a.objects = append(a.objects, object{key: a.landing.path, body: body})
	return nil
}

// fewRows keeps the rows of a file for LocalCommit.
type fewRows struct {
	rows []format.Row // nil if there are too many or they are too large
	size int
	over bool
}

// Bounds of the kept rows of one file: more rows are read from the file just as fast.
const (
	maxKeptRows  = 64
	maxKeptBytes = 64 << 10
)

func (k *fewRows) add(r format.Row) {
	k.size += rowSize(&r)
	if k.over = k.over || len(k.rows) == maxKeptRows || k.size > maxKeptBytes; k.over {
		k.rows = nil
		return
	}
	r.Fields = bytes.Clone(r.Fields) // the transaction reuses its memory
	k.rows = append(k.rows, r)
}

// encodeData encodes the data file of a type.
func (a *attempt) encodeData(d Data, few *fewRows) (format.Written, object, error) {
	if s := a.p.spools[d.Type]; s != nil {
		written, err := s.draft.Number(s.file, a.landing.id)
		return written, object{file: s}, err
	}
	rows := func(yield func(format.Row, error) bool) {
		for row, err := range d.Rows {
			row.Commit, row.SchemaVersionID = a.landing.id, d.SchemaVersion
			few.add(row.Row)
			if !yield(row.Row, err) {
				return
			}
		}
	}
	var body bytes.Buffer
	written, err := format.WriteRows(&body, d.Type, d.Fields, rows)
	return written, object{body: body.Bytes()}, err
}

// file is the manifest entry of a data file.
func (a *attempt) file(engine string, d Data, written format.Written) format.File {
	file := format.File{
		ContentSHA256: written.SHA256,
		Kind:          d.Type.Kind.String(),
		Path:          format.DataKey(engine, a.landing.id, a.name, d.Type, d.SchemaVersion),
		RowCount:      written.Rows,
		TypeName:      d.Type.Name,
	}
	if d.SchemaVersion != 0 {
		version := d.SchemaVersion
		file.SchemaVersionID = &version
	}
	return file
}

// upload makes and puts every object of a group, each as soon as it is made,
// and, in the same round trip, makes sure that the schemas are those the rows
// were made for. moved says that a schema change was made for others than there are.
func (t *lockHolder) upload(staged []*attempt) (moved bool, err error) {
	requests, ctx := errgroup.WithContext(t.lease.ctx)
	requests.SetLimit(parallel)
	if staged[0].landing.change != nil {
		requests.Go(func() error { return t.store.objects.refresh(ctx) })
	}
	for _, ref := range t.typesOf(staged) {
		requests.Go(func() error {
			_, err := t.store.schema(ctx, ref)
			return err
		})
	}
	var encoders errgroup.Group
	encoders.SetLimit(runtime.GOMAXPROCS(0))
	for _, a := range staged {
		encoders.Go(func() error {
			if ctx.Err() != nil {
				return nil // a request failed, and with it the group
			}
			if a.err = a.encode(t.store.engine); a.err != nil {
				return nil
			}
			for _, o := range a.objects {
				requests.Go(func() error { return t.put(ctx, o) })
			}
			return nil
		})
	}
	_ = encoders.Wait()
	if err := requests.Wait(); err != nil {
		return false, err
	}
	if err := t.lease.ctx.Err(); err != nil {
		return false, err // it ended while nothing was asked of the store, and objects are missing
	}
	if a := staged[0]; a.landing.change != nil && t.store.objects.currentEdition() != a.edition {
		return true, nil
	}
	for _, a := range staged {
		if a.err == nil {
			a.err = t.checkSchemas(a)
		}
	}
	return false, nil
}

func (t *lockHolder) put(ctx context.Context, o object) error {
	var err error
	if o.file != nil {
		_, err = t.o.Bucket.Upload(ctx, o.key, o.file.file, o.file.draft.Size)
	} else {
		_, err = t.o.Bucket.Put(ctx, o.key, o.body)
	}
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	return nil
}

// typesOf are the types that a group writes and that no change of ours, its own or
// one that is on its way, has touched.
func (t *lockHolder) typesOf(staged []*attempt) []ontosql.TypeRef {
	seen := map[ontosql.TypeRef]bool{}
	var refs []ontosql.TypeRef
	for _, a := range staged {
		for _, d := range a.p.Data {
			if _, ours := t.ownVersion(a, d.Type); !ours && !seen[d.Type] {
				seen[d.Type] = true
				refs = append(refs, d.Type)
			}
		}
	}
	return refs
}
