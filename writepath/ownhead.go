package writepath

import (
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// ownHead is the head written by this process's last swap, with the lease it held.
type ownHead struct {
	head  *format.Head
	lease *lease
}

// LocalCommit is a visible commit of this process.
type LocalCommit struct {
	Commit ontosql.CommitID
	Path   string // of its manifest
	Parent string // of the manifest before it, "" for none
	Files  []format.File
	Bodies [][]byte // of the files, in their order; nil for a large one; must not be modified
	// Rows are the rows of the files, in their order; nil for a file with many or large ones.
	// They must not be modified.
	Rows   [][]format.Row
	Schema bool          // the commit changed the schema
	Took   time.Duration // from the call of Commit until the commit was visible
	Queued int           // transactions that waited then
	// Identities are the identities it wrote, by type; see Identity. The map values have no
	// meaning. Types with many identities are missing.
	Identities map[ontosql.TypeRef]map[string]ontosql.CommitID
}

// preloadManifests gives the log the manifests of a group, so that this process need not
// read them. It runs before the swap, because a reader may see the new head at once. The
// log uses a manifest only once a head leads to it.
func (t *lockHolder) preloadManifests(staged []*attempt) {
	for _, a := range staged {
		t.o.Log.Preload(a.landing.path, a.objects[len(a.objects)-1].body)
	}
}

// announce publishes a landed group inside this process, and its head too, unless settling
// found that another writer has already moved the head further.
func (t *lockHolder) announce(staged []*attempt) {
	waiting, _ := t.queue.State()
	now := t.o.Now()
	for _, a := range staged {
		if l := a.landing; t.o.OnCommit != nil {
			t.o.OnCommit(LocalCommit{
				Commit: l.id, Path: l.path, Parent: l.parent, Files: a.manifest.Files, Bodies: a.bodies(), Rows: a.rows, Schema: l.change != nil, Identities: l.fewIdentities(),
				Took: a.p.Took(now), Queued: waiting,
			})
		}
	}
	if *t.store.head.ManifestPath == staged[len(staged)-1].landing.path {
		t.own.Store(&ownHead{head: t.store.head, lease: t.lease})
	}
}

// fewIdentities returns the identities of the types of which few rows were written.
func (l *commitInfo) fewIdentities() map[ontosql.TypeRef]map[string]ontosql.CommitID {
	known := make(map[ontosql.TypeRef]map[string]ontosql.CommitID, len(l.writes))
	for ref, ids := range l.writes {
		if ids.exact != nil {
			known[ref] = ids.exact
		}
	}
	return known
}

// bodies returns the bodies of the data files. The last object is the manifest.
func (a *attempt) bodies() [][]byte {
	bodies := make([][]byte, len(a.manifest.Files))
	for i := range bodies {
		bodies[i] = a.objects[i].body
	}
	return bodies
}

// Head returns the head of the store if this process knows it without a request: the head
// of its own last swap, while the lease of that swap is still safe. since is when that
// lease began, by time.Now. Schema objects read after since are current, except for this
// process's own changes, which the chain of the head contains (decision A13). ok is false
// if another writer may have moved the head, and during a swap of this process. The
// returned head is shared and must not be changed.
//
// A head that was only read under the lease would not be safe: a swap by the previous
// holder of the lock may still be in flight, and it succeeds while the head is the one
// that writer read. A swap of our own makes it fail.
func (c *Committer) Head() (head *format.Head, since time.Time, ok bool) {
	own := c.own.Load()
	if own == nil || !own.lease.safe() {
		return nil, time.Time{}, false
	}
	return own.head, own.lease.began, true
}
